from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deep_trees import deep_tree
from spanlin.integrations.plain_parse import PlainParse, make_plain
from spanlin.parsed import Parsed
from spanlin.trees.brackets import parse_tree
from spanlin.trees.transforms import strip_root
from spanlin.trees.tree import Leaf, Node, Tree
from strategies import words

labels = st.sampled_from(["S", "NP", "VP", "FRAG"])
leaves = st.builds(Leaf, st.sampled_from(["NN", "-LRB-", "."]), words)
nodes: st.SearchStrategy[Node] = st.recursive(
    leaves,
    lambda children: st.builds(Tree, labels, st.lists(children, min_size=1, max_size=4).map(tuple)),
    max_leaves=12,
)
trees = st.lists(nodes, min_size=1, max_size=3).map(lambda children: Tree("TOP", tuple(children)))


def as_parsed(tree: Tree) -> Parsed:
    outside_in = [span for span in tree.constituents() if span.label != "TOP"][::-1]
    spans = sorted(outside_in, key=lambda span: (span.left, -span.right))
    return Parsed(
        words=tree.words,
        tags=tree.tags,
        tag_probabilities=tuple(0.25 for _ in tree.words),
        brackets=str(tree),
        spans=tuple((span.label, span.left, span.right, 0.5) for span in spans),
    )


def as_plain(tree: Tree) -> PlainParse:
    return make_plain(as_parsed(tree), tokens=list(range(len(tree.words))), token_count=len(tree.words))


@given(trees)
def test_the_roots_brackets_are_the_trees(tree: Tree) -> None:
    plain = as_plain(tree)
    assert plain.brackets(0, tree.words) == str(strip_root(tree))


@given(trees)
def test_every_nodes_brackets_are_a_tree_of_its_words_and_labels(tree: Tree) -> None:
    plain = as_plain(tree)
    for node, (left, right, over) in enumerate(zip(plain.lefts, plain.rights, plain.labels, strict=True)):
        found = parse_tree(plain.brackets(node, tree.words))
        assert found.words == tree.words[left:right]
        for label in over:
            assert found.label == label
            if isinstance(found.children[0], Tree):
                found = found.children[0]
        assert over or right == left + 1


@given(trees)
def test_parents_children_and_descendants_agree(tree: Tree) -> None:
    plain = as_plain(tree)
    places = list(zip(plain.lefts, plain.rights, strict=True))
    for node, (left, right) in enumerate(places):
        assert plain.find(left, right) == node
        children = list(plain.children(node))
        assert all(plain.parent(child) == node for child in children)
        below = [node, *(inside for child in children for inside in plain.descendants(child))]
        assert list(plain.descendants(node)) == below
        assert [word for child in children for word in range(*places[child])] == (
            list(range(left, right)) if right > left + 1 else []
        )
    assert plain.parent(0) is None
    assert len(set(places)) == len(places)


@given(trees)
def test_spans_that_are_no_nodes_are_not_found(tree: Tree) -> None:
    plain = as_plain(tree)
    places = set(zip(plain.lefts, plain.rights, strict=True))
    count = len(tree.words)
    found = {
        (left, right)
        for left in range(count)
        for right in range(left + 1, count + 1)
        if plain.find(left, right) is not None
    }
    assert found == places


def test_labels_of_a_chain_are_one_node_and_a_root_without_label_is_top() -> None:
    tree = parse_tree("(TOP (S (VP (NP (NN sleep)))) (. .))")
    plain = as_plain(tree)
    assert plain.labels == [["TOP"], ["S", "VP", "NP"], []]
    assert plain.probabilities == [1.0, 0.5, 0.25]
    assert plain.brackets(0, tree.words) == str(tree)


def test_a_sentence_without_words_has_no_nodes() -> None:
    empty = Parsed(words=(), tags=(), tag_probabilities=(), brackets="", spans=())
    plain = make_plain(empty, tokens=[], token_count=2)
    assert (plain.find(0, 0), plain.find(0, 1), list(plain.lefts)) == (None, None, [])


def test_a_deep_tree_is_walked_without_recursion() -> None:
    depth = 3000
    tree = deep_tree(depth)
    plain = as_plain(tree)
    assert plain.brackets(0, tree.words) == str(tree)
    assert plain.parent(depth) == depth - 1
