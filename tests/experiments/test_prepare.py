"""The files of the English models: open documents alone, and trees and dependencies of the same sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiments.models.en import prepare as preparing
from experiments.models.select_open import is_open, select_open

from spanlin.dependencies.conllu import read_conllu
from spanlin.trees.brackets import read_trees

TREE = (
    "(TOP (S (NP (DT the) (ADJP (RB well) (HYPH -) (VBN known)) (NN {})) (VP (VBD went) (PP (IN to) (NP (NNP Rome))))))"
)
ROWS = """1 the _ DET DT _ 5 det _ _
2 well _ ADV RB _ 4 advmod _ SpaceAfter=No
3 - _ PUNCT HYPH _ 4 punct _ SpaceAfter=No
4 known _ VERB VBN _ 5 amod _ _
5 {} _ NOUN NN _ 6 nsubj _ _
6 went _ VERB VBD _ 0 root _ _
7 to _ ADP IN _ 8 case _ _
8 Rome _ PROPN NNP _ 6 obl _ _
"""
DOCUMENTS = """split document first_line last_line genre text_licence
train a 1 1 news CC_BY_4.0
train b 2 2 vlog not_stated
train c 3 3 bio CC_BY-SA_3.0
train d 4 4 fiction CC_BY-NC-SA_4.0
dev e 1 1 vlog not_stated
dev f 2 2 news CC_BY_4.0
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    nouns = {"train": ["cat", "dog", "hen", "fox"], "dev": ["cow", "pig"]}
    for name in ("craft", "genia", "masc", "gum", "gum-dep", "ewt-dep"):
        (folder / name).mkdir(parents=True)
        for split, found in nouns.items():
            if name.endswith("-dep"):
                text = "".join(ROWS.format(noun).replace(" ", "\t") + "\n" for noun in found)
                (folder / name / f"{split}.conllu").write_text(text, encoding="utf-8")
            else:
                text = "".join(f"{TREE.format(noun)}\n" for noun in found)
                (folder / name / f"{split}.txt").write_text(text, encoding="utf-8")
    (folder / "craft" / "dev.txt").write_text("(TOP (HEADING (NP (NNS Cats))))\n", encoding="utf-8")
    (folder / "masc" / "train.txt").write_text(f"{TREE.format('cat')}\n(TOP (XX eh))\n", encoding="utf-8")
    table = DOCUMENTS.replace(" ", "\t").replace("_", " ").replace("first line", "first_line")
    table = table.replace("last line", "last_line").replace("text licence", "text_licence")
    (folder / "gum" / "documents.tsv").write_text(table, encoding="utf-8")
    return folder


def test_gum_is_open_in_penn_style_and_aligned(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "MADE", {"business": (2, 1), "everyday": (2, 1)})
    out = tmp_path / "en"
    preparing.prepare(data, out)
    trees, sentences = list(read_trees(out / "gum/train.txt")), list(read_conllu(out / "gum/train.conllu"))
    assert [tree.words[4] for tree in trees] == ["cat", "hen"]
    assert [tree.words for tree in trees] == [sentence.forms for sentence in sentences]
    assert all("TO" in tree.tags for tree in trees)
    joined, dependencies = list(read_trees(out / "gum/joined.txt")), list(read_conllu(out / "gum/joined.conllu"))
    assert [tree.words[1] for tree in joined] == ["well-known", "well-known"]
    assert [tree.words for tree in joined] == [sentence.forms for sentence in dependencies]
    assert dependencies[0].dependencies.heads == (3, 3, 4, 0, 6, 4)
    assert [tree.words[4] for tree in read_trees(out / "gum/dev-open.txt")] == ["pig"]
    assert len(list(read_trees(out / "gum/dev.txt"))) == 2
    assert [str(tree) for tree in read_trees(out / "craft/dev.txt")] == ["(TOP (NP (NNS Cats)))"]
    assert len(list(read_trees(out / "masc/train.txt"))) == 1, "a tree with a tag that nobody knows is left out"
    assert [word.xpos for word in next(read_conllu(out / "ewt/train.conllu")).words][6] == "TO"
    assert "well-known" in next(read_conllu(out / "ewt/joined.conllu")).forms
    for name in ("business", "everyday"):
        assert len(list(read_trees(out / name / "train.txt"))) == 2


def test_trees_and_dependencies_of_other_words_are_an_error(data: Path, tmp_path: Path) -> None:
    path = data / "gum-dep/train.conllu"
    path.write_text(path.read_text(encoding="utf-8").replace("hen", "ewe"), encoding="utf-8")
    with pytest.raises(SystemExit, match="gum train: open sentence 2 has other words"):
        preparing.prepare(data, tmp_path / "en")


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("CC BY 2.5", True),
        ("CC BY-SA 3.0", True),
        ("CC BY-NC-SA 4.0", False),
        ("CC BY-ND 4.0", False),
        ("not stated per genre", False),
        ("", False),
    ],
)
def test_only_a_stated_licence_that_allows_any_use_is_open(licence: str, expected: bool) -> None:
    assert is_open(licence) is expected


def test_a_table_of_other_sentences_is_an_error(data: Path) -> None:
    with pytest.raises(SystemExit, match="lists 4 sentences of 'train', but there are 3"):
        select_open(data / "gum/documents.tsv", ["a", "b", "c"], split="train")
