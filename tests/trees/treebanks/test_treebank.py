from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spanlin.errors import TreebankError, TreeSyntaxError
from spanlin.trees.brackets import parse_tree, read_trees
from spanlin.trees.tree import Tree
from spanlin.trees.treebanks.treebank import NamedBytes, Remarks, bracket_reader, guarded, whole

TREE = "(S (A a))"


def test_remarks_count_and_keep_the_first_place_of_each_kind() -> None:
    remarks = Remarks()
    assert remarks.lines() == ()
    for place in ("a:1", "b:7"):
        remarks.add("odd text", place)
    remarks.add("odd element", "c:1")
    for number in range(1_000):
        remarks.add("odd element", f"c:{number}")
    assert remarks.lines() == ("odd text: 2, first in a:1", "odd element: 1,001, first in c:1")


def test_a_bracket_file_is_opened_when_it_is_read_and_may_be_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    read = bracket_reader(path)
    path.write_bytes(gzip.compress(f"{TREE}\n(S (A a)))\n{TREE}".encode()))
    bad: list[TreeSyntaxError] = []
    assert list(read(bad.append, Remarks()))[-1] == parse_tree(TREE)
    assert [error.line for error in bad] == [2]
    with pytest.raises(TreeSyntaxError, match=r"a\.mrg:2:10: "):
        list(read(None, Remarks()))


@pytest.mark.parametrize(
    "fail",
    [
        lambda: gzip.GzipFile(fileobj=io.BytesIO(b"x")).read(),
        lambda: zipfile.ZipFile(io.BytesIO(b"x")),
        lambda: gzip.decompress(gzip.compress(b"xyz")[:-4]),
    ],
)
def test_a_file_that_breaks_off_is_an_error_after_the_trees_before_that(fail: Callable[[], object]) -> None:
    def trees() -> Iterator[Tree]:
        yield parse_tree(TREE)
        fail()

    found = guarded(trees(), "a.zip")
    assert next(found) == parse_tree(TREE)
    with pytest.raises(TreebankError, match=r"^a\.zip: cannot be read to its end: "):
        next(found)


def test_a_malformed_tree_is_not_a_file_that_breaks_off() -> None:
    with pytest.raises(TreeSyntaxError, match=r"^archive/member:1:10: "):
        list(guarded(read_trees(NamedBytes(b"(S (A a)))", "archive/member")), "archive"))


def test_every_tree_of_a_document_may_go_to_one_split() -> None:
    assert [whole("dev")(number) for number in (0, 7)] == ["dev", "dev"]
