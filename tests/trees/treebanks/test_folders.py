from __future__ import annotations

from pathlib import Path

import pytest

from spanlin.errors import TreebankError
from spanlin.trees.treebanks.folders import (
    check_disjoint,
    descend,
    existing_folder,
    find_folder,
    list_folder,
    missing_documents,
    read_id_list,
    roots,
)


@pytest.mark.parametrize("source", ["", "Data", "Data/PARSED", "Data/PARSED/wsj"])
def test_a_folder_is_found_from_any_place_of_its_chain_in_either_case(tmp_path: Path, source: str) -> None:
    (tmp_path / "Data/PARSED/wsj").mkdir(parents=True)
    chains = [("treebank", "mrg"), ("data", "parsed", "WSJ")]
    assert find_folder(tmp_path / source, chains) == tmp_path / "Data/PARSED/wsj"


def test_a_chain_does_not_lead_through_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_text("")
    assert descend(tmp_path, ["A"]) == tmp_path / "a"
    assert descend(tmp_path, ["a", "b"]) is None
    assert descend(tmp_path / "a" / "b", ["c"]) is None
    assert find_folder(tmp_path, [("a", "b")]) == tmp_path


def test_hidden_files_are_not_listed_and_names_are_in_order(tmp_path: Path) -> None:
    for name in ("b", ".c", "a"):
        (tmp_path / name).mkdir()
    assert [path.name for path in list_folder(tmp_path)] == ["a", "b"]
    assert roots(tmp_path) == [tmp_path, tmp_path / "a", tmp_path / "b"]
    with pytest.raises(TreebankError, match="gone: cannot be listed: No such file or directory"):
        list_folder(tmp_path / "gone")


def test_what_is_not_a_folder_says_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert existing_folder(tmp_path, "a treebank") == tmp_path
    with pytest.raises(TreebankError, match=r"file: not a folder; expected a treebank$"):
        existing_folder(tmp_path / "file", "a treebank")
    with pytest.raises(TreebankError, match=r"gone: no such folder; expected a treebank$"):
        existing_folder(tmp_path / "gone", "a treebank")


def test_an_id_list_may_have_remarks_blank_lines_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "ids"
    path.write_bytes("\ufeff12 \r\n\n  # not this\n\té3".encode())
    assert read_id_list(path) == ("12", "é3")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"# nothing\n\n", "ids: the id list is empty; expected one document id per line"),
        (b"12\n\xff\n", "ids: the id list is not UTF-8 at byte 3"),
        (None, "ids: no such id list; expected a file with one document id per line"),
    ],
)
def test_an_id_list_that_is_none_is_an_error(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "ids").write_bytes(content)
    with pytest.raises(TreebankError, match=f"{said}$"):
        read_id_list(tmp_path / "ids")


def test_an_id_list_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match="the id list cannot be read: Is a directory"):
        read_id_list(tmp_path)


def test_a_document_in_two_lists_or_twice_in_one_is_an_error() -> None:
    check_disjoint({"train": ["1", "2"], "dev": ["3"]})
    with pytest.raises(TreebankError, match="document 2 is listed twice, in train and in dev; list it once"):
        check_disjoint({"train": ["1", "2"], "dev": ["2"]})
    with pytest.raises(TreebankError, match="document 1 is listed twice, in train and in train"):
        check_disjoint({"train": ["1", "1"]})


@pytest.mark.parametrize(("count", "named"), [(1, "0"), (3, "0, 1, 2"), (4, "0, 1, 2, ...")])
def test_the_first_three_missing_documents_are_named(count: int, named: str) -> None:
    error = missing_documents(list(map(str, range(count))), Path("folder"))
    assert str(error) == f"folder: {count} listed document(s) missing: {named}"
