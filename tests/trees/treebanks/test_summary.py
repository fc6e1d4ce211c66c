from __future__ import annotations

import json
from dataclasses import replace

from spanlin.trees.treebanks.summary import CountDifference, Preparation, SplitSummary

TRAIN = SplitSummary(
    name="train",
    file="train.txt",
    documents=12,
    sentences=1_234,
    words=56_789,
    labels={"NP": 3, "S": 1},
    dropped={"malformed": 2, "no words after cleaning": 1_000},
    dropped_documents={"its words are underscores": 1},
    bytes=9,
    sha256="ab",
)
TEST = replace(TRAIN, name="test", documents=1, sentences=5, words=7, dropped={}, dropped_documents={})
WHOLE = Preparation(
    treebank="gum",
    release="GUM at some commit",
    source="gum",
    splits=(TRAIN, TEST),
    documents_left_out=1_500,
    differences=(CountDifference("train", 1_700, 1_234),),
    malformed=("é:1:1: bad",),
    remarks=("text outside <tok>, left out: 2, first in x",),
)


def test_the_table_is_aligned_and_everything_left_out_has_a_line() -> None:
    assert WHOLE.to_text().splitlines() == [
        "split  documents  sentences   words  labels  dropped",
        "train         12      1,234  56,789       2    1,002",
        "test           1          5       7       2        0",
        "dropped from train: 2 trees, malformed",
        "dropped from train: 1,000 trees, no words after cleaning",
        "dropped from train: 1 whole documents, its words are underscores",
        "left out: 1,500 documents that belong to no split",
        "left out: text outside <tok>, left out: 2, first in x",
    ]
    assert len(replace(WHOLE, splits=(TEST,), documents_left_out=0, remarks=()).to_text().splitlines()) == 2


def test_a_count_that_is_not_the_known_one_is_a_warning() -> None:
    assert WHOLE.warnings() == ["train has 1,234 sentences, but 1,700 in GUM at some commit"]
    assert replace(WHOLE, differences=()).warnings() == []


def test_the_json_has_every_count() -> None:
    text = WHOLE.to_json()
    found = json.loads(text)
    assert found["splits"][0]["dropped"] == {"malformed": 2, "no words after cleaning": 1_000}
    assert found["differences"] == [{"split": "train", "known": 1_700, "found": 1_234}]
    assert "é:1:1" in text
