"""CRAFT, which brings the lists of its splits."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanlin.errors import TreebankError
from spanlin.trees.treebanks import find_craft, prepare_treebank

TITLE = "( (TITLE (NP (NP (NNS Mice)) (PP-LOC (IN in) (NP-1 (NNS fields))))) )\n"
HEADING = "( (HEADING (NNS Results)) )\n"
CITED = "( (S (NP-SBJ (PRP It)) (VP (VBZ is) (VP (VBN cited) (NP-1 (-NONE- *)) (PRN (-LRB- [) (CD 1) (-RRB- ]))))) )\n"


def make_craft(root: Path, **ids: str) -> Path:
    lists = {"train": "11 12", "dev": "21", "test": "31"} | ids
    (root / "articles/ids").mkdir(parents=True)
    (root / "structural-annotation/treebank/penn").mkdir(parents=True)
    for split, names in lists.items():
        (root / f"articles/ids/craft-ids-{split}.txt").write_text("\n".join(names.split()) + "\n", encoding="utf-8")
    for name in ("11", "12", "21", "31", "99"):
        path = root / f"structural-annotation/treebank/penn/{name}.tree"
        path.write_text(TITLE + HEADING + CITED, encoding="utf-8")
    return root


@pytest.mark.parametrize("source", [".", "CRAFT-5"])
def test_craft_keeps_text_structure_as_labels_and_brackets_as_words(tmp_path: Path, source: str) -> None:
    make_craft(tmp_path / "CRAFT-5")
    preparation = prepare_treebank(find_craft(tmp_path / source), tmp_path / "out")
    assert [(split.name, split.documents, split.sentences) for split in preparation.splits] == [
        ("train", 2, 6),
        ("dev", 1, 3),
        ("test", 1, 3),
    ]
    assert preparation.documents_left_out == 1
    assert (tmp_path / "out/dev.txt").read_text(encoding="utf-8").splitlines() == [
        "(TOP (TITLE (NP (NP (NNS Mice)) (PP (IN in) (NP (NNS fields))))))",
        "(TOP (HEADING (NNS Results)))",
        "(TOP (S (NP (PRP It)) (VP (VBZ is) (VP (VBN cited) (PRN (-LRB- [) (CD 1) (-RRB- ]))))))",
    ]
    assert [difference.known for difference in preparation.differences] == [18_951, 2_780]


def test_documents_are_written_in_the_order_of_their_list(tmp_path: Path) -> None:
    root = make_craft(tmp_path / "craft", train="12 11")
    assert [document.name for document in find_craft(root).documents] == ["12", "11", "21", "31"]


def test_a_listed_article_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    root = make_craft(tmp_path / "craft", dev="21 22")
    with pytest.raises(TreebankError, match=r"penn: 1 listed document\(s\) missing: 22\.tree$"):
        find_craft(root)


def test_an_article_in_two_lists_is_an_error(tmp_path: Path) -> None:
    root = make_craft(tmp_path / "craft", test="31 12")
    with pytest.raises(TreebankError, match="document 12 is listed twice, in train and in test"):
        find_craft(root)


def test_a_folder_that_is_no_craft_release_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match=r"no folder articles/ids beside structural-annotation/treebank/penn"):
        find_craft(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(TreebankError, match=r"file: not a folder; expected a CRAFT release"):
        find_craft(tmp_path / "file")
