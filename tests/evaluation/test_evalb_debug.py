"""EVALB's tables for DEBUG 1; the slow scorer's drawn cases in `test_against_slow_scorer.py` have them too."""

from __future__ import annotations

from spanlin.evaluation.brackets import Rules
from spanlin.evaluation.counts import Status
from spanlin.evaluation.evalb_debug import format_debug
from spanlin.evaluation.parameters import Parameters
from spanlin.trees.brackets import parse_tree

RULES = Rules(Parameters(deleted_labels=("TOP", "."), debug=1))
GOLD, PREDICTED = parse_tree("(TOP (NP-X (NN é) (Z (. .))))"), parse_tree("(TOP (NP (VB é)))")


def test_both_sides_are_padded_by_bytes() -> None:
    assert format_debug(GOLD, PREDICTED, Status.VALID, RULES) == (
        "-<1>---(wn1=  1, bn1=  3)-           -<2>---(wn2=  1, bn2=  2)-\n"
        "  0 : 0 : NN      é                      0 : 0 : VB      é              \n"
        "\n"
        "  0 : 5 :   0    1  TOP           0 : 5 :   0    1  TOP   \n"
        "  1 : 1 :   0    1  NP            1 : 1 :   0    1  NP    \n"
        "  2 : 5 :   1    1  Z           \n"
        "\n"
        "========\n"
    )


def test_nothing_is_matched_in_a_sentence_that_is_not_scored_and_labels_stay_whole() -> None:
    assert format_debug(GOLD, None, Status.SKIPPED, RULES) == (
        "-<1>---(wn1=  1, bn1=  3)-           -<2>---(wn2=  0, bn2=  0)-\n"
        "  0 : 9 : NN      é                    \n"
        "\n"
        "  0 : 9 :   0    1  TOP         \n"
        "  1 : 9 :   0    1  NP-X        \n"
        "  2 : 9 :   1    1  Z           \n"
        "\n"
        "========\n"
    )
