from __future__ import annotations

from experiments.models.en.tree_grammar import generate

from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Leaf, Tree

LABELS = """
TOP S SINV SQ SBAR SBARQ NP VP PP ADJP ADVP QP PRN PRT WHNP WHADVP WHPP CONJP FRAG UCP NAC
"""
TAGS = """
CC CD DT EX IN JJ JJR JJS MD NN NNP NNPS NNS PDT POS PRP PRP$ RB RBR RBS RP TO VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB
$ # `` '' , . : -LRB- -RRB-
"""
LINES = list(generate("business", 1500, seed=5))
TREES = [parse_tree(line) for line in LINES]


def phrases() -> list[Tree]:
    return [node for tree in TREES for node in tree.preorder() if isinstance(node, Tree)]


def test_the_same_seed_gives_the_same_trees_and_another_others() -> None:
    assert list(generate("business", 50, seed=5)) == LINES[:50]
    assert set(generate("business", 50, seed=6)).isdisjoint(LINES)


def test_every_line_is_one_tree_under_top() -> None:
    assert all(str(tree) == line for tree, line in zip(TREES, LINES, strict=True))
    assert {tree.label for tree in TREES} == {"TOP"}
    assert all(len(tree.children) == 1 for tree in TREES)


def test_labels_and_tags_are_those_of_the_penn_treebank() -> None:
    assert {phrase.label for phrase in phrases()} <= set(LABELS.split())
    assert {tag for tree in TREES for tag in tree.tags} <= set(TAGS.split())


def test_no_phrase_stands_alone_in_one_of_its_own_label() -> None:
    pairs = [(phrase, phrase.children[0]) for phrase in phrases() if len(phrase.children) == 1]
    assert not [str(phrase) for phrase, child in pairs if isinstance(child, Tree) and phrase.label == child.label]


def test_no_symbol_is_left_in_a_word() -> None:
    assert not [word for tree in TREES for word in tree.words if "@" in word or "|" in word or "+" in word]


def test_lengths_are_those_of_news() -> None:
    lengths = sorted(len(tree.words) for tree in TREES)
    assert lengths[0] >= 3
    assert lengths[-1] <= 48
    assert 14 <= lengths[len(lengths) // 2] <= 26


def test_nearly_all_sentences_and_most_shapes_differ() -> None:
    assert len({tree.words for tree in TREES}) > 0.95 * len(TREES)
    assert len({tree.tags for tree in TREES}) > 0.85 * len(TREES)
    assert len({word for tree in TREES for word in tree.words}) > 1500


def test_no_sentence_has_two_commas_together_or_one_before_its_end() -> None:
    for tree in TREES:
        pairs = set(zip(tree.words, tree.words[1:], strict=False))
        assert not pairs & {(",", ","), (",", "."), (",", ";"), (",", ")")}, tree.words


def test_money_is_bracketed_as_in_the_treebank() -> None:
    found = {
        str(Tree(p.label, tuple(Leaf(n.tag, "_") if isinstance(n, Leaf) else n for n in p.children))) for p in phrases()
    }
    assert "(NP ($ _) (CD _))" in found
    assert "(NP (CD _) (NN _))" in found
    assert "(QP ($ _) (CD _) (CD _))" in found
    assert any(p.label == "ADJP" and [c.label for c in p.children if isinstance(c, Tree)] == ["QP"] for p in phrases())
