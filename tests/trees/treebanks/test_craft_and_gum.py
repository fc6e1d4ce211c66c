"""CRAFT and GUM, which bring the lists of their splits."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanlin.errors import TreebankError, TreeSyntaxError
from spanlin.trees.treebanks import find_craft, find_gum, prepare_treebank

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


def test_a_missing_an_empty_and_an_undecodable_id_list_are_errors(tmp_path: Path) -> None:
    root = make_craft(tmp_path / "craft")
    path = root / "articles/ids/craft-ids-dev.txt"
    path.write_text("# nothing\n\n", encoding="utf-8")
    with pytest.raises(TreebankError, match=r"craft-ids-dev\.txt: the id list is empty"):
        find_craft(root)
    path.write_bytes(b"\xff\n")
    with pytest.raises(TreebankError, match=r"craft-ids-dev\.txt: the id list is not UTF-8 at byte 0"):
        find_craft(root)
    path.unlink()
    with pytest.raises(TreebankError, match=r"craft-ids-dev\.txt: no such id list"):
        find_craft(root)


def test_a_folder_that_is_no_craft_release_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match=r"no folder articles/ids beside structural-annotation/treebank/penn"):
        find_craft(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(TreebankError, match=r"file: not a folder; expected a CRAFT release"):
        find_craft(tmp_path / "file")


SPLITS = """# Splits

The usual ones.

## dev

  * GUM_news_moon

## test

  * GUM_news_sun

## train

  * GUM_bio_star
  * GUM_reddit_sky
"""
TALK = "(ROOT\n  (FRAG\n    (INTJ (UH Well))\n    (NP-VOC (NN moon))\n    (. .)))\n\n(ROOT (NP (NN __)))\n"
MASKED = "(ROOT\n  (S\n    (NP-SBJ (PRP __))\n    (VP (VBP ____))))\n\n(ROOT (NP (NN _)))\n"


def make_gum(root: Path, splits: str = SPLITS) -> Path:
    (root / "const").mkdir(parents=True)
    (root / "splits.md").write_text(splits, encoding="utf-8")
    for name in ("GUM_news_moon", "GUM_news_sun", "GUM_bio_star", "GENTLE_poetry_tree", "GENTLE_legal_law"):
        (root / f"const/{name}.ptb").write_text(TALK, encoding="utf-8")
    (root / "const/GUM_reddit_sky.ptb").write_text(MASKED, encoding="utf-8")
    return root


def test_gum_documents_without_words_are_dropped_and_counted(tmp_path: Path) -> None:
    preparation = prepare_treebank(find_gum(make_gum(tmp_path / "gum")), tmp_path / "out")
    train, dev, _test = preparation.splits
    assert (train.documents, train.sentences, train.dropped_count) == (2, 2, 2)
    assert train.dropped == {"its words are underscores": 2}
    assert train.dropped_documents == {"its words are underscores": 1}
    # A blank to fill in, in a document that has words, is a word.
    assert (dev.sentences, dev.dropped) == (2, {})
    assert (tmp_path / "out/dev.txt").read_text(encoding="utf-8").splitlines() == [
        "(TOP (FRAG (INTJ (UH Well)) (NP (NN moon)) (. .)))",
        "(TOP (NP (NN __)))",
    ]
    assert preparation.documents_left_out == 2
    assert [difference.known for difference in preparation.differences] == [10_224, 1_575]


def test_gum_test2_gets_its_own_file(tmp_path: Path) -> None:
    root = make_gum(tmp_path / "gum", SPLITS + "\n## test2\n\n  * GENTLE_poetry_tree\n  * GENTLE_legal_law\n")
    treebank = find_gum(tmp_path)
    assert treebank.splits == ("train", "dev", "test", "test2")
    prepare_treebank(treebank, tmp_path / "out")
    assert len((tmp_path / "out/test2.txt").read_text(encoding="utf-8").splitlines()) == 4
    assert root.exists()


def test_a_malformed_gum_tree_names_its_place_even_in_a_masked_document(tmp_path: Path) -> None:
    root = make_gum(tmp_path / "gum")
    (root / "const/GUM_reddit_sky.ptb").write_text(MASKED + "(ROOT ())\n", encoding="utf-8")
    with pytest.raises(TreeSyntaxError, match=r"GUM_reddit_sky\.ptb:7:"):
        prepare_treebank(find_gum(root), tmp_path / "out")
    preparation = prepare_treebank(find_gum(root), tmp_path / "out", skip_bad=True)
    assert preparation.splits[0].dropped == {"its words are underscores": 3}


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (SPLITS.replace("## dev", "## devel"), r"splits\.md: no documents under '## dev'"),
        (SPLITS.replace("## dev", ""), r"splits\.md:7: GUM_news_moon is not under a heading"),
        (SPLITS + "  * GUM_news_sun\n", "document GUM_news_sun is listed twice, in test and in train"),
        (SPLITS + "  * GUM_news_mars\n", r"const: 1 listed document\(s\) missing: GUM_news_mars\.ptb"),
    ],
)
def test_splits_that_do_not_fit_are_errors(tmp_path: Path, splits: str, message: str) -> None:
    with pytest.raises(TreebankError, match=message):
        find_gum(make_gum(tmp_path / "gum", splits))


def test_a_folder_that_is_no_gum_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match=r"no splits\.md beside a folder const; expected a GUM repository"):
        find_gum(tmp_path)
