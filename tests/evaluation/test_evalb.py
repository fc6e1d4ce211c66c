"""EVALB's output, byte for byte: recorded runs of the C program, and small cases whose lines follow from its rules."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spanlin.errors import EvaluationError, TreeSyntaxError
from spanlin.evaluation import COLLINS, NK, EvalbOutput, Parameters, evalb_files, read_parameters, score_trees
from spanlin.trees.brackets import parse_tree

CASES = os.environ.get("SPANLIN_EVALB_CASES")
NAMES = ["clean", "faults", "long", "no-top", "noisy", "one-word", "root-label", "s1-label"]
needs_cases = pytest.mark.skipif(CASES is None, reason="SPANLIN_EVALB_CASES names no folder")


@pytest.mark.treebanks
@needs_cases
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("parameters", ["COLLINS", "nk", "new"])
def test_recorded_outputs_are_reproduced(name: str, parameters: str) -> None:
    folder = Path(str(CASES))
    printed = evalb_files(
        folder / f"{name}.gold",
        folder / f"{name}.test",
        parameters=read_parameters(folder / f"{parameters}.prm"),
    )
    assert printed.output.encode() == (folder / f"{name}.{parameters}.out").read_bytes()
    assert printed.errors.encode() == (folder / f"{name}.{parameters}.err").read_bytes()


@pytest.mark.treebanks
@needs_cases
def test_built_in_parameters_are_those_of_the_recorded_files() -> None:
    assert read_parameters(Path(str(CASES)) / "COLLINS.prm") == COLLINS
    assert read_parameters(Path(str(CASES)) / "nk.prm") == NK


def run(gold: str, predicted: str, folder: Path, parameters: Parameters = COLLINS) -> EvalbOutput:
    (folder / "gold").write_text(gold, encoding="utf-8")
    (folder / "predicted").write_text(predicted, encoding="utf-8")
    return evalb_files(folder / "gold", folder / "predicted", parameters=parameters)


def lines_of(printed: EvalbOutput) -> list[str]:
    """Return the lines of the sentences."""
    return printed.output.split("=" * 76 + "\n")[1].splitlines()


GOLD = """\
(TOP (S (NP-SBJ (DT The) (NN cat)) (VP (VBD saw) (PRT (RP up)) (NP (PRP it))) (. .)))
(TOP (S (NP (NNP Ann)) (VP (VBZ is) (ADJP (JJ old)))))

(TOP (FRAG (NP (NN rain)) (. !)))
(TOP (NP (-LRB- -LRB-) (NN x)))
"""
PREDICTED = """\
(TOP (S (NP (DT The) (NN cat) (VBD saw)) (VP (ADVP (RB up)) (NP (PRP it))) (. .)))

(TOP (NN a))
(TOP (FRAG (NP (NN rain)) (. !)))
(TOP (NP (-LRB- -RRB-) (NN x)))
"""
WHOLE_OUTPUT = """\
  Sent.                        Matched  Bracket   Cross        Correct Tag
 ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy
============================================================================
   1    6    0   60.00  60.00     3      5    5      1      5     4    80.00
   2    3    2    0.00   0.00     0      0    0      0      0     0     0.00
   3    0    1    0.00   0.00     0      0    0      0      0     0     0.00
   4    2    0  100.00 100.00     2      2    2      0      1     1   100.00
   5    2    1    0.00   0.00     0      0    0      0      0     0     0.00
============================================================================
                 71.43  71.43      5     7     7      1      6     5    83.33
=== Summary ===

-- All --
Number of sentence        =      5
Number of Error sentence  =      2
Number of Skip  sentence  =      1
Number of Valid sentence  =      2
Bracketing Recall         =  71.43
Bracketing Precision      =  71.43
Bracketing FMeasure       =  71.43
Complete match            =  50.00
Average crossing          =   0.50
No crossing               =  50.00
2 or less crossing        = 100.00
Tagging accuracy          =  83.33

-- len<=2 --
Number of sentence        =      3
Number of Error sentence  =      2
Number of Skip  sentence  =      0
Number of Valid sentence  =      1
Bracketing Recall         = 100.00
Bracketing Precision      = 100.00
Bracketing FMeasure       = 100.00
Complete match            = 100.00
Average crossing          =   0.00
No crossing               = 100.00
2 or less crossing        = 100.00
Tagging accuracy          = 100.00
"""


def test_a_whole_output_with_every_status(tmp_path: Path) -> None:
    short = Parameters(
        deleted_labels=COLLINS.deleted_labels,
        labels_without_length=COLLINS.labels_without_length,
        equal_labels=COLLINS.equal_labels,
        cutoff_length=2,
    )
    printed = run(GOLD, PREDICTED, tmp_path, short)
    assert printed.output == WHOLE_OUTPUT
    assert printed.errors == "3 : Length unmatch (0|1)\n5 : Words unmatch (-LRB-|-RRB-)\n"
    assert printed.exit_status == 0


def test_nothing_scored_is_printed_as_evalb_prints_it(tmp_path: Path) -> None:
    printed = run("(TOP (NN a))\n", "\n", tmp_path)
    summary = printed.output.split("=" * 76 + "\n")[2]
    assert summary.startswith("      0     0     0.00\n=== Summary ===\n")
    assert "Bracketing FMeasure       =   -nan\n" in summary


def test_repeated_brackets_match_once_each(tmp_path: Path) -> None:
    # Without its comma, the inner NP has the span of the outer one.
    gold = "(TOP (NP (NP (NP (NN a))) (, ,)))\n"
    predicted = "(TOP (NP (NP (NN a)) (, ,)))\n"
    assert lines_of(run(gold, predicted, tmp_path)) == [
        "   1    2    0   66.67 100.00     2      3    2      0      1     1   100.00"
    ]


def test_equal_labels_count_for_tags_and_for_deletion(tmp_path: Path) -> None:
    parameters = Parameters(deleted_labels=("TOP", "Z"), equal_labels=(("NN", "NNP"), ("Z", "Y")))
    gold = "(TOP (X (NN a) (Y (NN b))))\n"
    predicted = "(TOP (X (NNP a) (W (Y b))))\n"
    # The constituent Y goes with Z, but the word tagged Y stays: tags are deleted letter for letter.
    assert lines_of(run(gold, predicted, tmp_path, parameters)) == [
        "   1    2    0  100.00  50.00     1      1    2      0      2     1    50.00"
    ]


def test_equality_is_not_transitive(tmp_path: Path) -> None:
    parameters = Parameters(equal_labels=(("A", "B"), ("B", "C")))
    assert lines_of(run("(A (N a))\n", "(C (N a))\n", tmp_path, parameters))[0][11:27] == "  0    0.00   0."
    # Gold A takes predicted B, so that gold B is left with C, its equal.
    both = lines_of(run("(A (B (N a)))\n", "(B (C (N a)))\n", tmp_path, parameters))
    assert both == ["   1    1    0  100.00 100.00     2      2    2      0      1     1   100.00"]
    # Gold B takes predicted A first, and gold A is left with C, which is not its equal.
    greedy = lines_of(run("(B (A (N a)))\n", "(A (C (N a)))\n", tmp_path, parameters))
    assert greedy == ["   1    1    0   50.00  50.00     1      2    2      0      1     1   100.00"]


def test_labels_without_length_shorten_the_sentence(tmp_path: Path) -> None:
    line = "(TOP (S (NP (-NONE- *)) (VP (VB go) (. .))))\n"
    assert lines_of(run(line, line, tmp_path)) == [
        "   1    2    0  100.00 100.00     2      2    2      0      1     1   100.00"
    ]


@pytest.mark.parametrize("nothing", ["", "   ", "(())", "()", "(TOP (S (NP)))", "(TOP (. .))"])
def test_lines_without_words_are_skipped(tmp_path: Path, nothing: str) -> None:
    printed = run("(X (N a))\n", nothing + "\n", tmp_path)
    assert lines_of(printed) == ["   1    1    2    0.00   0.00     0      0    0      0      0     0     0.00"]


def test_a_bare_word_has_no_bracket_and_an_empty_root_is_one(tmp_path: Path) -> None:
    printed = run("(NN a)\n( (NN a))\n", "(NN a)\n( (NN a))\n", tmp_path)
    assert lines_of(printed) == [
        "   1    1    0    0.00   0.00     0      0    0      0      1     1   100.00",
        "   2    1    0  100.00 100.00     1      1    1      0      1     1   100.00",
    ]


@pytest.mark.parametrize(("gold_count", "predicted_count", "longer"), [(3, 1, "gold"), (1, 3, "test"), (1, 2, "test")])
def test_surplus_lines_are_one_error(tmp_path: Path, gold_count: int, predicted_count: int, longer: str) -> None:
    printed = run("(X (N a))\n" * gold_count, "(X (N a))\n" * predicted_count, tmp_path)
    assert printed.errors == f"2 : Number of lines unmatch (too many lines in {longer} file)\n"
    assert len(lines_of(printed)) == 1
    assert "Number of sentence        =      1\n" in printed.output


def test_too_many_errors_end_the_output(tmp_path: Path) -> None:
    gold, predicted = "(X (N a))\n" * 5, "(X (N b))\n" * 5
    printed = run(gold, predicted, tmp_path, Parameters(max_error=1))
    assert printed.errors == "".join(f"{number} : Words unmatch (a|b)\n" for number in (1, 2, 3))
    assert len(lines_of(printed)) == 2
    assert printed.output.endswith("     0.00\n")
    assert printed.exit_status == 1
    assert run(gold, predicted, tmp_path, Parameters(max_error=4)).exit_status == 0


def test_higher_debug_levels_are_refused() -> None:
    tree = parse_tree("(X (N a))")
    with pytest.raises(EvaluationError, match="DEBUG 2 is not supported in EVALB's format: use 0 or 1"):
        score_trees([tree], [tree], parameters=Parameters(debug=2)).to_evalb()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("(X (N a)", r"predicted:2:1: this tree is never closed"),
        ("(X (N a)))", r"predicted:2:10: this bracket closes nothing"),
        ("(X (N a)) (X (N a))", r"predicted:2:1: 2 trees on one line, expected one"),
        ("(X (N  ) (N a))", r"predicted:2:8: the node \(N\) has no word"),
    ],
)
def test_malformed_lines_are_errors_with_their_place(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(TreeSyntaxError, match=message):
        run("(X (N a))\n\n", f"(X (N a))\n{line}\n", tmp_path)
