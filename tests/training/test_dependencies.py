from __future__ import annotations

from pathlib import Path

import pytest

from spanlin.errors import ConlluError, TrainingError
from spanlin.training.dependencies import KnownDependencies, read_dependencies, require_same_words
from spanlin.trees.labelled import LabelledSplits

TWO = """\
# text = Dogs don't bark
1\tDogs\tdog\tNOUN\tNNS\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tbark\tbark\tVERB\tVB\t_\t0\troot\t_\t_

1\tYes\tyes\t_\t_\t_\t_\t_\t_\t_

"""


def words(*sentences: str) -> list[LabelledSplits]:
    return [LabelledSplits(tuple(line.split()), (), (), (), ()) for line in sentences]


def test_a_file_gives_words_tags_and_what_it_knows_of_dependencies(tmp_path: Path) -> None:
    path = tmp_path / "two.conllu"
    path.write_text(TWO)
    found = read_dependencies(path)
    assert [sentence.words for sentence in found.sentences] == [("Dogs", "do", "n't", "bark"), ("Yes",)]
    assert [sentence.tags for sentence in found.sentences] == [("NNS", "VBP", "RB", "VB"), ("",)]
    assert found.dependencies == [
        KnownDependencies((4, 4, 4, 0), ("nsubj", "aux", "advmod", "root"), ("NOUN", "AUX", "PART", "VERB")),
        KnownDependencies((-1,), ("",), ("",)),
    ]


def test_a_head_outside_the_sentence_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(TWO.replace("\t4\taux", "\t9\taux"))
    with pytest.raises(TrainingError, match=r"bad\.conllu: sentence 1: the head of word 2 is 9: expected 0 to 4"):
        read_dependencies(path)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "empty.conllu"
    path.write_text("")
    with pytest.raises(TrainingError, match=r"empty\.conllu: no sentences to train on"):
        read_dependencies(path)


def test_a_malformed_file_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "short.conllu"
    path.write_text("1\tDogs\n\n")
    with pytest.raises(ConlluError, match=r"short\.conllu.*1.*columns"):
        read_dependencies(path)


@pytest.mark.parametrize(
    ("trees", "sentences", "number"),
    [
        (words("a b", "c"), words("a b", "d"), 2),
        (words("a b", "c"), words("a b"), 2),
        (words("a b"), words("a b", "c"), 2),
        (words("a b"), words("b a"), 1),
    ],
)
def test_trees_and_dependencies_must_be_of_the_same_sentences(
    trees: list[LabelledSplits], sentences: list[LabelledSplits], number: int
) -> None:
    with pytest.raises(TrainingError, match=rf"d\.conllu: sentence {number} is not that of t\.txt: both must"):
        require_same_words(trees, sentences, "t.txt", "d.conllu")


def test_the_same_sentences_pass() -> None:
    require_same_words(words("a b", "c"), words("a b", "c"), "t.txt", "d.conllu")
