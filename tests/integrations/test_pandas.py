from __future__ import annotations

import sys

import pytest

from spanlin.errors import MissingExtraError
from spanlin.integrations.pandas import constituents_frame
from spanlin.parsed import Parsed
from spanlin.text import Sentence

DOGS = Parsed(
    words=("Dogs", "bark"),
    tags=("NNS", "VBP"),
    tag_probabilities=(0.5, 0.5),
    brackets="(TOP (S (NP (NNS Dogs)) (VP (VBP bark))))",
    spans=(("S", 0, 2, 0.9), ("NP", 0, 1, 0.75)),
    sentence=Sentence(("Dogs", "bark"), (3, 8), (7, 12), "Dogs bark"),
)
EMPTY = Parsed(words=(), tags=(), tag_probabilities=(), brackets="", spans=())
COLUMNS = ["sentence", "label", "text", "left", "right", "start", "end", "probability"]


def test_a_frame_has_a_row_for_each_constituent() -> None:
    pytest.importorskip("pandas")
    frame = constituents_frame(iter([DOGS, EMPTY, DOGS]))
    assert list(frame.columns) == COLUMNS
    assert frame.to_numpy().tolist() == [
        [0, "S", "Dogs bark", 0, 2, 3, 12, 0.9],
        [0, "NP", "Dogs", 0, 1, 3, 7, 0.75],
        [2, "S", "Dogs bark", 0, 2, 3, 12, 0.9],
        [2, "NP", "Dogs", 0, 1, 3, 7, 0.75],
    ]


def test_a_frame_of_nothing_has_the_same_columns_of_numbers() -> None:
    pytest.importorskip("pandas")
    frame = constituents_frame([EMPTY])
    assert (len(frame), list(frame.columns)) == (0, COLUMNS)
    assert (str(frame["left"].dtype), str(frame["probability"].dtype)) == ("int64", "float64")


def test_without_pandas_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="constituents_frame needs pandas: pip install pandas"):
        constituents_frame([])
