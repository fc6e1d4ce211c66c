from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import EvaluationError, TreeError, TreeSyntaxError
from spanlin.evaluation import Score, Status, score_files
from spanlin.evaluation.files import _drop_empty_nodes

A, B, C = "(X (N a))", "(X (N b))", "(X (N c))"
PRETTY = "(X\n  (N a))\n\n( (X\n    (N b)) )\n"


@pytest.fixture
def score(tmp_path: Path) -> ScoreTexts:
    return ScoreTexts(tmp_path)


class ScoreTexts:
    def __init__(self, folder: Path) -> None:
        self.gold, self.predicted = folder / "gold", folder / "predicted"
        self.bad: list[TreeSyntaxError] = []

    def __call__(self, gold: str, predicted: str, *, skip_bad: bool = False) -> Score:
        self.gold.write_text(gold)
        self.predicted.write_text(predicted)
        return score_files(self.gold, self.predicted, on_bad=self.bad.append if skip_bad else None)


def statuses(score: Score) -> list[int]:
    return [int(sentence.status) for sentence in score.sentences]


def test_an_empty_line_keeps_its_place(score: ScoreTexts) -> None:
    assert statuses(score(f"{A}\n{B}\n{C}\n", f"{A}\n\n{C}\n")) == [0, 2, 0]
    assert statuses(score(f"{A}\n\n{C}\n", f"{A}\n{B}\n{C}\n")) == [0, 1, 0]
    assert statuses(score(f"{A}\n\n{C}\n", f"{A}\n\n{C}\n")) == [0, 2, 0]


def test_a_last_empty_line_may_be_the_last_prediction(score: ScoreTexts) -> None:
    assert statuses(score(f"{A}\n{B}\n", f"{A}\n\n")) == [0, 2]


def test_empty_lines_at_the_end_of_one_file_do_not_count(score: ScoreTexts) -> None:
    assert statuses(score(f"{A}\n{B}\n\n\n", f"{A}\n\n")) == [0, 2]
    assert statuses(score(f"{A}\n{B}", f"{A}\n{B}\n \n")) == [0, 0]


def test_empty_lines_between_all_trees_of_one_file_mean_nothing(score: ScoreTexts) -> None:
    assert statuses(score(f"{A}\n{B}\n{C}\n", f"{A}\n\n{B}\n\n{C}\n")) == [0, 0, 0]


def test_files_in_any_other_layout_are_paired_tree_by_tree(score: ScoreTexts) -> None:
    assert statuses(score(PRETTY, f"{A}\n{B}\n")) == [0, 0]
    assert statuses(score(f"{A}\n{B}\n", PRETTY)) == [0, 0]
    assert statuses(score(f"{A} {B}\n\n\n", f"{A}\n{B}\n")) == [0, 0]
    assert statuses(score(f"{A}\n{B}\n{C}\n(X\n (N d))\n", f"{A} {B} {C} (X (N d))")) == [0, 0, 0, 0]


def test_no_parse_is_an_empty_line(score: ScoreTexts) -> None:
    assert statuses(score(f"{A}\n{B}\n", f"(())\n{B}\n")) == [2, 0]


@given(st.lists(st.sampled_from([b"(", b")", b"()", b"(S", b"a", b" ", b"(A a)"]), max_size=30).map(b"".join))
def test_empty_nodes_are_dropped_as_if_one_after_another(line: bytes) -> None:
    expected, count = line, 1
    while count and not re.search(rb"\([^()\s]*\s+\)", line):
        expected, count = re.subn(rb"\([^()\s]*\s*\)", b"", expected)
    assert _drop_empty_nodes(line) == expected


def test_a_deep_nest_of_empty_nodes_takes_linear_time(score: ScoreTexts) -> None:
    nest = "(" * 100_000 + ")" * 100_000  # one level after another, it would take an hour
    assert statuses(score(f"{A}\n{B}\n", f"{nest}\n{B}\n")) == [2, 0]


def test_gzip_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "gold.gz").write_bytes(gzip.compress(f"{A}\n{B}\n".encode()))
    (tmp_path / "predicted").write_text(f"{A}\n\n")
    assert statuses(score_files(tmp_path / "gold.gz", tmp_path / "predicted")) == [0, 2]


def test_different_numbers_of_trees_name_files_and_counts(score: ScoreTexts) -> None:
    with pytest.raises(EvaluationError, match=r"gold and .*predicted: 3 gold trees but 2 predicted ones"):
        score(f"{A}\n{B}\n{C}\n", f"{A}\n{C}\n")


def test_a_malformed_line_is_an_error_with_its_place(score: ScoreTexts) -> None:
    with pytest.raises(TreeSyntaxError, match=r"predicted:2:1: this tree is never closed"):
        score(f"{A}\n{B}\n{C}\n", f"{A}\n(X (N b)\n{C}\n")


def test_a_malformed_line_counts_as_empty_if_asked(score: ScoreTexts) -> None:
    assert statuses(score(f"{A}\n{B}\n{C}\n", f"{A}\n(X (N b)\n{C}\n", skip_bad=True)) == [0, 2, 0]
    assert [(error.line, Path(error.source).name) for error in score.bad] == [(2, "predicted")]
    assert statuses(score(f"{A}\n(X b (N b))\n{C}\n", f"{A}\n{B}\n{C}\n", skip_bad=True)) == [0, 1, 0]


def test_a_file_has_a_tree_a_line_as_long_as_fewer_than_half_of_its_lines_are_malformed(score: ScoreTexts) -> None:
    # Only in a file of one tree a line does an empty line keep its place.
    assert statuses(score(f"{A}\n{B}\n{B}\n{C}\n", f"{A}\n(X (N b)\n\n{C}\n", skip_bad=True)) == [0, 2, 2, 0]
    assert statuses(score(f"{A}\n{B}\n{C}\n", f"{A}\n(X (N b)\n\n(X (N c)\n", skip_bad=True)) == [0, 2, 2]
    with pytest.raises(EvaluationError, match="4 gold trees but 3 predicted"):
        score(f"{A}\n{B}\n{B}\n{C}\n", f"{A}\n(X (N b)\n\n(X (N c)\n", skip_bad=True)


def test_a_malformed_tree_in_any_layout_counts_as_empty_if_asked(score: ScoreTexts) -> None:
    malformed = f"{A}\n(X\n  b (N b))\n(X\n  (N c))\n"
    result = score(f"{A}\n{B}\n{C}\n", malformed, skip_bad=True)
    assert [sentence.status for sentence in result.sentences] == [Status.VALID, Status.SKIPPED, Status.VALID]
    assert len(score.bad) == 1
    assert statuses(score(f"{A}\n{B}\n", f"{A}\n(X\n  b (N b))\n", skip_bad=True)) == [0, 2]


def test_empty_files_are_a_score_of_nothing(score: ScoreTexts) -> None:
    assert statuses(score("", "\n")) == []


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text(A)
    with pytest.raises(TreeError, match="nowhere: cannot be read: No such file"):
        score_files(tmp_path / "gold", tmp_path / "nowhere")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(A.encode() * 1000)[:-9])
    with pytest.raises(TreeError, match=r"cut\.gz: cannot be read to its end: "):
        score_files(tmp_path / "gold", tmp_path / "cut.gz")
