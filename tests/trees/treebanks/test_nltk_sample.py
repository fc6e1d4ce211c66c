from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from spanlin.errors import TreebankError, TreeSyntaxError
from spanlin.trees.treebanks import Preparation, Treebank, find_nltk_sample, prepare_treebank


def tree_for(article: str) -> str:
    return f"\n( (S \n    (NP-SBJ (NN {article}) )\n    (VP (VBZ ends) (NP (-NONE- *)))\n    (. .) ))\n"


def first_words(path: Path) -> list[str]:
    return [line.split("(NN ")[1].split(")")[0] for line in path.read_text(encoding="utf-8").splitlines()]


def make_sample(combined: Path) -> Path:
    combined.mkdir(parents=True)
    for number in range(1, 200):
        name = f"wsj_{number:04}"
        (combined / f"{name}.mrg").write_text(tree_for(name), encoding="utf-8")
    return combined


def check_sample(treebank: Treebank, out: Path) -> Preparation:
    preparation = prepare_treebank(treebank, out)
    assert [split.sentences for split in preparation.splits] == [143, 28, 28]
    assert first_words(out / "train.txt")[::142] == ["wsj_0001", "wsj_0143"]
    assert first_words(out / "dev.txt")[::27] == ["wsj_0144", "wsj_0171"]
    assert first_words(out / "test.txt")[::27] == ["wsj_0172", "wsj_0199"]
    return preparation


@pytest.mark.parametrize("source", ["nltk_data", "nltk_data/corpora/treebank", "nltk_data/corpora/treebank/combined"])
def test_nltk_sample_is_found_from_nltk_data_down(tmp_path: Path, source: str) -> None:
    make_sample(tmp_path / "nltk_data/corpora/treebank/combined")
    preparation = check_sample(find_nltk_sample(tmp_path / source), tmp_path / "out")
    assert [difference.known for difference in preparation.differences] == [3_169, 349, 396]


def make_zip(tmp_path: Path) -> Path:
    combined = make_sample(tmp_path / "combined")
    path = tmp_path / "treebank.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("treebank/README", "no tree")
        archive.writestr("treebank/parsed/wsj_0001.prd", "no tree")
        for article in combined.iterdir():
            archive.write(article, f"treebank/combined/{article.name}")
    return path


def test_nltk_sample_is_read_from_its_zip(tmp_path: Path) -> None:
    check_sample(find_nltk_sample(make_zip(tmp_path)), tmp_path / "out")


def test_a_malformed_tree_in_the_zip_names_archive_and_member(tmp_path: Path) -> None:
    make_sample(tmp_path / "combined")
    path = tmp_path / "treebank.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for article in (tmp_path / "combined").iterdir():
            text = "(S (NN dog)))" if article.stem == "wsj_0002" else tree_for(article.stem)
            archive.writestr(f"treebank/combined/{article.name}", text)
    with pytest.raises(TreeSyntaxError, match=r"treebank\.zip/treebank/combined/wsj_0002\.mrg:1:13: "):
        prepare_treebank(find_nltk_sample(path), tmp_path / "out")


def test_missing_articles_of_the_sample_are_named(tmp_path: Path) -> None:
    combined = make_sample(tmp_path / "combined")
    for number in (5, 6, 7, 150):
        (combined / f"wsj_{number:04}.mrg").unlink()
    with pytest.raises(TreebankError, match=r"4 listed document\(s\) missing: wsj_0005, wsj_0006, wsj_0007, \.\.\.$"):
        find_nltk_sample(combined)


def test_a_source_without_the_sample_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match=r"no wsj_\*\.mrg files; expected NLTK's corpora/treebank folder"):
        find_nltk_sample(tmp_path)
    (tmp_path / "treebank.zip").write_bytes(b"no zip")
    with pytest.raises(TreebankError, match=r"treebank\.zip: not a zip file that can be read"):
        find_nltk_sample(tmp_path / "treebank.zip")
