from __future__ import annotations

import io
import itertools
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanlin.errors import TreeError, TreeSyntaxError
from spanlin.trees import lines
from spanlin.trees.brackets import parse_tree, read_trees, write_trees
from spanlin.trees.tree import Leaf, Tree
from strategies import trees

PRETTY = """
( (S
    (NP-SBJ (PRP She) )
    (VP (VBZ runs)
      (NP
        (-NONE- *T*-1) ))
    (. .) ))
( (FRAG (UH Yes)
)  )
"""


def read(text: str | bytes) -> list[Tree]:
    return list(read_trees(io.BytesIO(text.encode() if isinstance(text, str) else text)))


def read_leniently(text: str) -> tuple[list[Tree], list[TreeSyntaxError]]:
    errors: list[TreeSyntaxError] = []
    return list(read_trees(io.BytesIO(text.encode()), on_bad=errors.append)), errors


@given(trees)
def test_parse_tree_inverts_str(tree: Tree) -> None:
    assert parse_tree(str(tree)) == tree


@given(st.lists(trees, max_size=5), st.sampled_from(["trees.txt", "trees.txt.gz"]))
def test_read_trees_inverts_write_trees(tmp_path_factory: pytest.TempPathFactory, many: list[Tree], name: str) -> None:
    path = tmp_path_factory.mktemp("round") / name
    assert write_trees(many, path) == len(many)
    assert list(read_trees(path)) == many
    assert [entry.name for entry in path.parent.iterdir()] == [name]


@given(trees, st.data())
def test_line_ends_between_tokens_change_nothing(tree: Tree, data: st.DataObject) -> None:
    text = str(tree)
    pieces = [
        piece + data.draw(st.sampled_from([" ", "\n  ", "\r\n\t"])) if piece.endswith(")") else piece + " "
        for piece in text.split(" ")
    ]
    # Only break after a closing bracket: a line that starts in the first column may be a new tree.
    joined = "".join(pieces)
    assert read(joined) == [tree]


@settings(max_examples=500)
@given(st.one_of(st.text(alphabet="() \nabS-", max_size=40), st.binary(max_size=40), st.text(max_size=40)))
def test_any_text_gives_trees_or_our_own_error(text: str | bytes) -> None:
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    try:
        strict = list(read_trees(io.BytesIO(raw)))
    except TreeSyntaxError:
        strict = None
    bad: list[TreeSyntaxError] = []
    lenient = list(read_trees(io.BytesIO(raw), on_bad=bad.append))
    assert all(1 <= error.line <= raw.count(b"\n") + 1 and error.column >= 1 for error in bad)
    if strict is None:
        assert bad
    else:
        assert not bad
        assert lenient == strict


def test_pretty_printed_trees_are_read() -> None:
    assert [str(tree) for tree in read(PRETTY)] == [
        "( (S (NP-SBJ (PRP She)) (VP (VBZ runs) (NP (-NONE- *T*-1))) (. .)))",
        "( (FRAG (UH Yes)))",
    ]


@pytest.mark.parametrize(
    ("one_line", "tree"),
    [
        ("(X (N d))", "(X\n(N d))"),
        ("(X (N d))", "(X\n(Y\n(X (N d))))"),
        ("(S (A a))", "(S (A a)\n(B b)\n(C c))"),
        ("(TOP (S (A a)))", "(TOP (S (A a)\n(S (B b))))"),
        ("( (S (A a)) )", "( (S (A a)\n(S (B b))) )"),
    ],
)
def test_a_tree_may_go_on_in_the_first_column_after_trees_of_one_line(one_line: str, tree: str) -> None:
    assert len(read("\n".join([one_line, tree, one_line, one_line, tree, tree, one_line]))) == 7


@pytest.mark.parametrize("root", ["(TOP (S (A a)))", "(ROOT (S (A a)))", "(S1 (S (A a)))", "( (S (A a)))", "(S (A a))"])
def test_every_root_is_read_as_it_stands(root: str) -> None:
    assert [str(tree) for tree in read(f"{root} {root}\n{root}")] == [root] * 3


@pytest.mark.parametrize(
    ("text", "tag", "word"),
    [
        ("(-LRB- -LRB-)", "-LRB-", "("),
        ("(-LRB- ()", "-LRB-", "("),
        ("(-RRB- ))", "-RRB-", ")"),
        ("(NNS word(s))", "NNS", "word(s)"),
        ("(PRP (s)he)", "PRP", "(s)he"),
        ("(NN f())", "NN", "f()"),
        ("(CD 1 1/2)", "CD", "1 1/2"),
        ("( dog)", "", "dog"),
        ('(`` ")', "``", '"'),
        ("('' '')", "''", "''"),
        ("(UH 😀)", "UH", "😀"),
        ("(NN\n  dog)", "NN", "dog"),
        ("(NN New\n  York)", "NN", "New York"),
        ("(SYM -LCB-)", "SYM", "-LCB-"),
    ],
)
def test_any_word_is_read(text: str, tag: str, word: str) -> None:
    assert read(f"(X {text} (Y z))") == [Tree("X", (Leaf(tag, word), Leaf("Y", "z")))]


def test_a_word_alone_gets_a_root_without_label() -> None:
    assert read("(NN dog)") == [Tree("", (Leaf("NN", "dog"),))]


def test_a_byte_order_mark_is_ignored() -> None:
    assert read(b"\xef\xbb\xbf(S (A a))") == read("(S (A a))")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("(S (A a)))", "1:10", "this bracket closes nothing"),
        ("(S (A a))\n(S (B b) c)", "2:10", "the word 'c' is beside constituents"),
        ("word", "1:1", "the word 'word' is outside all brackets"),
        ("(S (NP ) (A a))", "1:8", r"the node \(NP\) has no word"),
        ("(S\n  (NN\n   dog (A a)))", "3:8", r"the leaf \(A a\) is beside the word 'dog'"),
        ("(S\n  (NN\n   dog (A (B b))))", "3:8", r"the constituent \(A is beside the word 'dog'"),
        ("(S (A a)", "1:1", "this tree is never closed: 1 closing bracket is missing"),
        ("(S (A a))\n  (S (A (B b", "2:3", "this tree is never closed: 3 closing brackets are missing"),
        ("(TOP (S (A a))\n(TOP (S (A a)))", "1:1", "this tree is never closed: 1 closing bracket is missing"),
        ("(S (A a))\n(S (A a)) (S (B b) c)", "2:20", "the word 'c' is beside constituents"),
        ("(S\n  (NN\n   dog (-LRB- ()))", "3:8", r"the leaf \(-LRB- \(\) is beside the word 'dog'"),
        ("w" * 999, "1:1", f"the word '{'w' * 40}...' is outside all brackets$"),
        (b"(S (A a))\n(S (A \xff))", "2:7", "not UTF-8"),
        ("(S (A é".encode() + b"\xff))", "1:8", "not UTF-8"),
        (b"\xef\xbb\xbf)\xff", "1:3", "not UTF-8"),
    ],
)
def test_a_malformed_tree_is_an_error_with_its_place(text: str | bytes, place: str, message: str) -> None:
    with pytest.raises(TreeSyntaxError, match=rf"<stream>:{place}: {message}"):
        read(text)


def test_bad_trees_can_be_skipped_and_none_of_the_good_ones_is_lost() -> None:
    good = [f"(S (A a{number}) (B b))" for number in range(8)]
    bad_lines = ["(S (A a) (B b)", "(S (A a)))", "junk", "(S (A ) (B b))", "(S (NP (A a)) b)", "(S (A a", "(((", ")"]
    text = "\n".join(itertools.chain.from_iterable(zip(bad_lines, good, strict=True)))
    kept, errors = read_leniently(text)
    assert [str(tree) for tree in kept] == good
    assert [error.line for error in errors] == [1, 3, 5, 7, 9, 11, 13, 15]


@pytest.mark.parametrize("root", ["TOP", "", "S"])
def test_a_line_that_breaks_off_anywhere_costs_only_itself(root: str) -> None:
    good = [f"({root} (NP (A a{number})) (B b))" for number in range(4)]
    broken = f"({root} (NP (D the) (N cat)) (VP (V sat)))"
    for length in range(1, len(broken)):
        kept, errors = read_leniently("\n".join([*good[:2], broken[:length], *good[2:]]))
        assert [str(tree) for tree in kept] == good
        assert [(error.line, error.column) for error in errors] == [(3, 1)]


def test_what_an_unclosed_tree_seems_to_hold_is_read_again() -> None:
    kept, errors = read_leniently("(S (A a))\n(S (B b)\n(FRAG (C c))\n(NP (D d)\n(X (E e))\n(S (F f))\n")
    assert [str(tree) for tree in kept] == ["(S (A a))", "(FRAG (C c))", "(X (E e))", "(S (F f))"]
    assert [error.line for error in errors] == [2, 4]


def test_parts_of_an_unclosed_tree_are_no_trees() -> None:
    kept, errors = read_leniently("(S\n  (NP (A a))\n  (VP (B b))\n(S\n  (NP (A a))\n")
    assert kept == []
    assert [error.line for error in errors] == [1, 4]


def test_trees_in_front_of_a_bad_one_on_its_line_are_kept() -> None:
    kept, errors = read_leniently("(S (A a)) (S (B b)) (S (C) (D d)) (S (D d))\n(S (E e)) (S (F f)\n (G g)) (S")
    assert [str(tree) for tree in kept] == ["(S (A a))", "(S (B b))", "(S (E e))", "(S (F f) (G g))"]
    assert [(error.line, error.column) for error in errors] == [(1, 26), (3, 9)]


def test_a_bad_pretty_printed_tree_costs_only_itself() -> None:
    kept, errors = read_leniently(PRETTY.replace("(VBZ runs)", "(VBZ )") + PRETTY)
    assert len(kept) == 3
    assert [(error.line, error.column) for error in errors] == [(4, 14)]


def test_a_long_file_needs_no_more_memory_than_a_short_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = parse_tree("(S (NP (DT the) (NN cat)) (VP (VBD sat)))")
    monkeypatch.setattr(lines, "PIECE_SIZE", 10_000)

    def peak(count: int, separator: str) -> int:
        path = tmp_path / f"{count}.txt"
        path.write_text(separator.join([str(tree)] * count))
        tracemalloc.start()
        try:
            assert sum(1 for _ in read_trees(path)) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(10_000, "\n") < 2 * peak(1_000, "\n")
    # Without line ends, memory is bounded by the size of the pieces.
    assert peak(10_000, " ") < 2 * peak(1_000, " ")


@pytest.mark.parametrize("separator", [" ", "\n"])
def test_places_count_from_the_start_of_a_line_however_long(separator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "PIECE_SIZE", 30)
    with pytest.raises(TreeSyntaxError, match="<stream>:2:100: the word 'c' is beside constituents"):
        read("(S (A é))\n" + "(S (A é)) " * 9 + "(B (A é) c)")


def test_a_deep_tree_is_cut_where_no_word_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "PIECE_SIZE", 5)
    monkeypatch.setattr(lines, "MAX_PIECE_SIZE", 7)
    for text in ["(S (NP (QP (-LRB- ()", "(Aa(Bb(Cc(Dd word(s))", "(Aa(Bb(Cc(Dd (s)he)", "(Aa(Bb(Cc(Dd eeeeeeeeeeee)"]:
        text += ")" * 3
        assert read(text) == [parse_tree(text)]


def test_equal_labels_are_one_string() -> None:
    one, two = read("(Label (Tag a)) (Label (Tag b))")
    assert one.label is two.label
    assert one.leaves[0].tag is two.leaves[0].tag


def test_an_error_in_on_bad_is_passed_on() -> None:
    def fail(error: TreeSyntaxError) -> None:
        raise BrokenPipeError(str(error))

    with pytest.raises(BrokenPipeError):
        list(read_trees(io.BytesIO(b"(S (A a)))"), on_bad=fail))


def test_a_tree_that_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "trees.txt"
    path.write_text("old")
    with pytest.raises(TreeError):
        write_trees([parse_tree("(S (A a))"), Tree("N P", (Leaf("A", "a"),))], path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TreeError, match=r"trees\.txt: cannot be written: No such file"):
        write_trees([], tmp_path / "none" / "trees.txt")


def test_parse_tree_wants_exactly_one() -> None:
    with pytest.raises(TreeError, match="expected one tree in the string, found 2"):
        parse_tree("(S (A a)) (S (A a))")
