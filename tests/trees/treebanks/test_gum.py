"""GUM, which brings the list of its splits."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanlin.errors import TreebankError, TreeSyntaxError
from spanlin.trees.treebanks import find_gum, prepare_treebank

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
