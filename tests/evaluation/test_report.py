"""Every name and number of the reports, for a case that can be counted by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from spanlin.evaluation import COLLINS, Parameters, Score, compare_scores, score_trees
from spanlin.evaluation.report import comparison_to_dict, comparison_to_text
from spanlin.trees.brackets import parse_tree

GOLD = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NNS cats)) (VP (VBP sleep) (PP (IN in) (NP (NNS beds)))))",
    "(S (NP (PRP she)) (VP (VBZ reads)))",
    "(FRAG (NN rain))",
]
# A label that is wrong; a bracket that crosses another, with a wrong tag; other words; nothing.
PREDICTED = [
    "(S (NP (DT the) (NN dog)) (XP (VBZ sees) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (NNS cats)) (VP (VBD sleep))) (PP (IN in) (NP (NNS beds))))",
    "(S (NP (PRP he)) (VP (VBZ reads)))",
    None,
]
FOUR = replace(COLLINS, cutoff_length=4)


def score(predicted: list[str | None], parameters: Parameters = FOUR) -> Score:
    trees = [None if text is None else parse_tree(text) for text in predicted]
    return score_trees(list(map(parse_tree, GOLD)), trees, parameters=parameters)


TEXT = """\
Brackets                F1   Prec.  Recall  matched     gold predicted
labelled             73.68   70.00   77.78        7        9        10
unlabelled           84.21   80.00   88.89        8        9        10
labelled, len<=4     72.73   66.67   80.00        4        5         6
unlabelled, len<=4   72.73   66.67   80.00        4        5         6

95% interval of F1: 72.73 to 75.00 (bootstrap over sentences, 1000 samples)

Sentences                          all   len<=4
sentences                            4        3
  scored                             2        1
  in error (words differ)            1        1
  skipped (nothing predicted)        1        1
complete match                    0.00     0.00
average crossing                  0.50     1.00
no crossing                      50.00     0.00
2 or less crossing              100.00   100.00
tagging accuracy                 88.89    75.00

Label      F1   Prec.  Recall  matched     gold predicted
NP      88.89   80.00  100.00        4        4         5
S      100.00  100.00  100.00        2        2         2
VP       0.00    0.00    0.00        0        2         1
PP     100.00  100.00  100.00        1        1         1
XP       0.00    0.00     n/a        0        0         1

Span length      F1   Prec.  Recall  matched     gold predicted
1-5           73.68   70.00   77.78        7        9        10

Sentence length      F1   Prec.  Recall  matched     gold predicted
1-10              73.68   70.00   77.78        7        9        10

Not scored
sentence 3: Words unmatch (she|he)
sentence 4: nothing predicted

Signature: """


def test_the_text_has_every_table() -> None:
    found = score(PREDICTED)
    assert found.to_text() == TEXT + found.signature


def test_without_labels_the_text_says_brackets() -> None:
    text = score(PREDICTED, replace(FOUR, labelled=False)).to_text()
    assert text.splitlines()[1] == "brackets             84.21   80.00   88.89        8        9        10"
    assert text.splitlines()[3].startswith("brackets, len<=4 ")
    assert "\n\nLabel: n/a, because labels do not count (LABELED 0)\n\nSpan length " in text


def counts(gold: int, predicted: int, matched: int) -> dict[str, Any]:
    ratios = {
        "precision": 100 * matched / predicted if predicted else None,
        "recall": 100 * matched / gold if gold else None,
        "f1": 200 * matched / (gold + predicted),
    }
    return {name: value if value is None else pytest.approx(value) for name, value in ratios.items()} | {
        "gold": gold,
        "predicted": predicted,
        "matched": matched,
    }


def test_the_dictionary_has_every_number() -> None:
    found = score(PREDICTED)
    interval = found.interval
    assert interval is not None
    assert found.to_dict() == {
        "signature": found.signature,
        **counts(9, 10, 7),
        "unlabelled": counts(9, 10, 8),
        "complete_match": 0.0,
        "average_crossing": 0.5,
        "no_crossing": 50.0,
        "two_or_less_crossing": 100.0,
        "tagging_accuracy": pytest.approx(800 / 9),
        "sentences": {"all": 4, "valid": 2, "error": 1, "skipped": 1},
        "interval": {"low": interval.low, "high": interval.high, "level": 95, "samples": 1000, "seed": 12345},
        "cutoff": {
            "length": 4,
            **counts(5, 6, 4),
            "unlabelled": counts(5, 6, 4),
            "complete_match": 0.0,
            "average_crossing": 1.0,
            "no_crossing": 0.0,
            "two_or_less_crossing": 100.0,
            "tagging_accuracy": 75.0,
            "sentences": {"all": 3, "valid": 1, "error": 1, "skipped": 1},
        },
        "by_label": {
            "NP": counts(4, 5, 4),
            "S": counts(2, 2, 2),
            "VP": counts(2, 1, 0),
            "PP": counts(1, 1, 1),
            "XP": counts(0, 1, 0),
        },
        "by_span_length": {"1-5": counts(9, 10, 7)},
        "by_sentence_length": {"1-10": counts(9, 10, 7)},
        "problems": [
            {"sentence": 3, "reason": "Words unmatch (she|he)"},
            {"sentence": 4, "reason": "nothing predicted"},
        ],
    }


def test_labels_come_by_their_number_in_gold_then_in_the_predictions_then_by_name() -> None:
    assert list(score(PREDICTED).by_label) == ["NP", "S", "VP", "PP", "XP"]
    found = score_trees(
        list(map(parse_tree, ["(D (C (N a) (N b)))", "(C (D (N a)))"])),
        list(map(parse_tree, ["(A (B (N a) (N b)))", "(A (B (B (N a))))"])),
    )
    assert list(found.by_label) == ["C", "D", "B", "A"]


def test_a_comparison_tells_both_scores_their_difference_and_how_it_was_found() -> None:
    comparison = compare_scores(score(PREDICTED), score([GOLD[0], *PREDICTED[1:]]), samples=200, seed=7)
    assert comparison_to_dict(comparison) == {
        "difference": pytest.approx(1600 / 19 - 1400 / 19),
        "first_f1": pytest.approx(1400 / 19),
        "second_f1": pytest.approx(1600 / 19),
        "p_value": 1.0,
        "compared": 2,
        "left_out": 2,
        "samples": 200,
        "seed": 7,
    }
    assert comparison_to_text(comparison) == (
        "F1 73.68 -> 84.21: +10.53, p = 1.0000 (approximate randomization, 200 samples, seed 7)\n"
        "compared on 2 sentences valid in both; 2 left out"
    )
