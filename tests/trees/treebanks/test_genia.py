from __future__ import annotations

from pathlib import Path

import pytest

from spanlin.errors import TreebankError
from spanlin.trees.treebanks import find_genia, prepare_treebank
from trees.treebanks.genia_samples import SLEEP, TITLE, TITLE_TREE, abstract


def make_genia(root: Path, **ids: str) -> Path:
    lists = {"train": "00000012 00000011", "dev": "00000021", "test": "00000031"} | ids
    (root / "original/GENIA_treebank_v1").mkdir(parents=True)
    (root / "mclosky").mkdir()
    (root / "metadata").mkdir()
    for split, names in lists.items():
        (root / f"mclosky/{split}.pmids").write_text("\n".join(names.split()) + "\n", encoding="utf-8")
    for name in ("11", "12", "21", "31", "41", "99"):
        path = root / f"original/GENIA_treebank_v1/{name}.xml"
        path.write_text(abstract(TITLE.replace("Cats", f"Cats{name}"), SLEEP), encoding="utf-8")
        (root / f"metadata/{name}.xml").write_text("<PubmedArticle/>", encoding="utf-8")
    return root


@pytest.mark.parametrize("with_ids", [False, True])
def test_genia_follows_the_id_lists_whatever_their_leading_zeros(tmp_path: Path, with_ids: bool) -> None:
    root = make_genia(tmp_path / "genia")
    if with_ids:
        (root / "mclosky").rename(tmp_path / "lists")
    treebank = find_genia(root, ids=tmp_path / "lists" if with_ids else None)
    assert [(document.name, document.split_of(0)) for document in treebank.documents] == [
        ("12", "train"),
        ("11", "train"),
        ("21", "dev"),
        ("31", "test"),
    ]
    assert treebank.left_out == 2
    preparation = prepare_treebank(treebank, tmp_path / "out")
    assert (tmp_path / "out/dev.txt").read_text(encoding="utf-8").splitlines() == [
        TITLE_TREE.replace("Cats", "Cats21"),
        "(TOP (S (VP (VBP sleep))))",
    ]
    assert [difference.known for difference in preparation.differences] == [14_326, 1_361, 1_360]


def test_future_use_gets_its_own_file(tmp_path: Path) -> None:
    treebank = find_genia(make_genia(tmp_path / "genia", future_use="41"))
    assert treebank.splits == ("train", "dev", "test", "future_use")
    prepare_treebank(treebank, tmp_path / "out")
    assert "Cats41" in (tmp_path / "out/future_use.txt").read_text(encoding="utf-8")


def test_a_sentence_without_words_is_dropped_and_counted(tmp_path: Path) -> None:
    root = make_genia(tmp_path / "genia")
    text = abstract(TITLE, '<sentence id="s3"><cons cat="NP" null="NONE"/></sentence>', SLEEP)
    (root / "original/GENIA_treebank_v1/21.xml").write_text(text, encoding="utf-8")
    dev = prepare_treebank(find_genia(root), tmp_path / "out").splits[1]
    assert (dev.sentences, dev.dropped) == (2, {"no words after cleaning": 1})


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ({"dev": "00000021 00000022"}, r"GENIA_treebank_v1: 1 listed document\(s\) missing: 22\.xml"),
        ({"dev": "00000011"}, "document 11 is listed twice, in train and in dev"),
        ({"dev": "x1"}, r"dev\.pmids: 'x1' is not a PubMed id; expected digits"),
    ],
)
def test_id_lists_that_do_not_fit_are_errors(tmp_path: Path, ids: dict[str, str], message: str) -> None:
    with pytest.raises(TreebankError, match=message):
        find_genia(make_genia(tmp_path / "genia", **ids))


def test_missing_lists_and_missing_xml_are_errors(tmp_path: Path) -> None:
    root = make_genia(tmp_path / "genia")
    with pytest.raises(TreebankError, match=r"metadata: no XML files with <cons> elements"):
        find_genia(root / "metadata", ids=root / "mclosky")
    with pytest.raises(TreebankError, match=r"no train\.pmids; give the folder that holds .* with --ids"):
        find_genia(root / "original")
