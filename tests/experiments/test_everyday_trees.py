"""The made-up everyday sentences: trees that the guidelines would have, and no sentence that models are measured on."""

from __future__ import annotations

from experiments.models.en.corpus_exclusions import key_of
from experiments.models.en.penn_tags import KNOWN_TAGS
from experiments.models.en.tree_grammar import generate
from experiments.models.everyday import read_everyday

from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Tree

LABELS = """
TOP S SINV SQ SBAR SBARQ NP VP PP ADJP ADVP QP PRT INTJ FRAG WHNP WHADVP WHADJP WHPP
"""
TREES = [parse_tree(line) for line in generate("everyday", 2500, seed=5)]
PHRASES = [node for tree in TREES for node in tree.preorder() if isinstance(node, Tree)]


def shape(tree: Tree) -> str:
    return " ".join([tree.label, *(child.label if isinstance(child, Tree) else child.tag for child in tree.children)])


SHAPES = {shape(phrase) for phrase in PHRASES}


def test_no_sentence_is_one_that_models_are_measured_on() -> None:
    assert {key_of(tree.words) for tree in TREES}.isdisjoint(key_of(one.words) for one in read_everyday())


def test_labels_and_tags_are_plain() -> None:
    assert {phrase.label for phrase in PHRASES} <= set(LABELS.split())
    assert {tag for tree in TREES for tag in tree.tags} <= KNOWN_TAGS


def test_every_line_is_one_tree_under_top() -> None:
    assert {tree.label for tree in TREES} == {"TOP"}
    assert all(len(tree.children) == 1 for tree in TREES)


def test_no_phrase_stands_alone_in_one_of_its_own_label() -> None:
    for phrase in PHRASES:
        child = phrase.children[0]
        assert len(phrase.children) > 1 or not isinstance(child, Tree) or child.label != phrase.label, phrase


def test_no_symbol_is_left_in_a_word() -> None:
    assert not [word for tree in TREES for word in tree.words if "@" in word or "|" in word or word.startswith("!l")]


def test_no_phrase_is_a_row_of_prepositional_phrases() -> None:
    chains = [phrase for phrase in PHRASES if shape(phrase).split() == ["PP"] * len(shape(phrase).split())]
    assert not chains


def test_the_kinds_that_models_got_wrong_are_there() -> None:
    assert "VP VBD NP PP" in SHAPES  # fell 2.3 % to 3,400
    assert "SQ S , SQ ." in SHAPES  # a tag
    assert "S `` SQ '' NP VP ." in SHAPES  # a quoted question
    assert "S `` SBARQ '' NP VP ." in SHAPES
    assert "SINV `` S , '' VP NP ." in SHAPES
    assert "S VP" in SHAPES  # a command without a full stop
    assert "WHNP WHADJP NNS" in SHAPES  # how many people
    assert "ADVP NP RBR" in SHAPES  # a year earlier
    assert "VP VBD S" in SHAPES  # made her captain
    assert "VP VBD ADJP" in SHAPES  # fell asleep
    assert "NP NP PP ." in SHAPES  # Thanks for your help.


def test_sentences_and_words_vary() -> None:
    assert len({tree.words for tree in TREES}) > 0.95 * len(TREES)
    assert len({word.lower() for tree in TREES for word in tree.words}) > 1000
    assert sum(tree.words[0] != tree.words[0].capitalize() for tree in TREES) > 50  # chats
