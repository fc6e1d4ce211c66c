"""What files, folders and patterns name."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from spanlin.corpus.inputs import find_inputs
from spanlin.corpus.stores import LocalStore
from spanlin.errors import CorpusError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("b/2.txt", "b/1.jsonl.gz", "b/deep/3.parquet", "b/_hidden.txt", "b/.x/4.txt", "b/notes.md", "a.TXT"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x\n")
    return tmp_path


def names(*addresses: str) -> list[str]:
    return [file.name for file in find_inputs(addresses)]


def test_a_folder_gives_its_files_of_known_endings_sorted(folder: Path) -> None:
    assert names("b") == ["b/1.jsonl.gz", "b/2.txt", "b/deep/3.parquet"]
    assert names("b/") == names("b")
    assert names(str(folder / "b")) == [f"{folder}/{name}" for name in names("b")]


def test_endings_tell_format_and_compression(folder: Path) -> None:
    found = find_inputs(["b", "a.TXT"])
    assert [(file.format, file.compression) for file in found] == [
        ("jsonl", "gz"),
        ("document", ""),
        ("parquet", ""),
        ("text", ""),
    ]


def test_a_text_file_is_a_document_in_a_folder_and_has_one_on_each_line_by_its_name(folder: Path) -> None:
    def format_of(address: str, **options: Any) -> str:
        (found,) = (file.format for file in find_inputs([address], **options) if file.name == "b/2.txt")
        return found

    assert format_of("b") == "document"
    assert format_of("b/2.txt") == format_of("b/*.txt") == format_of("b", input_format="text") == "text"
    assert format_of("b/2.txt", input_format="document") == "document"


def test_files_of_unknown_endings_are_told(folder: Path) -> None:
    (folder / "b" / "out").mkdir()
    (folder / "b" / "out" / "log").touch()
    skipped: list[str] = []
    find_inputs(["b", "a.TXT"], skipped=skipped, outside="b/out")
    assert skipped == ["b/notes.md"]


def test_links_in_a_circle_are_no_files(folder: Path) -> None:
    expected = names("b")
    (folder / "b" / "itself.txt").symlink_to("itself.txt")
    (folder / "b" / "ping.txt").symlink_to("pong.txt")
    (folder / "b" / "pong.txt").symlink_to("ping.txt")
    (folder / "b" / "deep" / "up").symlink_to("..", target_is_directory=True)
    (folder / "b" / "here").symlink_to(".", target_is_directory=True)
    assert names("b") == expected
    with pytest.raises(CorpusError, match=r"itself\.txt: no files to parse here"):
        names("b/itself.txt")


def test_a_link_to_another_folder_is_followed(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "5.txt").write_text("x\n")
    (folder / "b" / "there").symlink_to(folder / "elsewhere")
    assert names("b")[-1] == "b/there/5.txt"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("b/*.txt", ["b/2.txt", "b/_hidden.txt"]),
        ("b/[0-9].txt", ["b/2.txt"]),
        ("b/[!0-9]*.txt", ["b/_hidden.txt"]),
        ("?/?.txt", ["b/2.txt"]),
        ("b/**/?.parquet", ["b/deep/3.parquet"]),
        ("**/2.txt", ["b/2.txt"]),
        ("*.TXT", ["a.TXT"]),
    ],
)
def test_a_pattern_gives_what_fits(folder: Path, pattern: str, expected: list[str]) -> None:
    assert names(pattern) == expected


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(folder: Path) -> None:
    (folder / "[1].txt").write_text("x")
    assert names("[1].txt") == ["[1].txt"]


def test_a_folder_whose_name_looks_like_a_pattern_is_a_folder(folder: Path) -> None:
    (folder / "b").rename(folder / "corp [en-de]")
    assert names("corp [en-de]") == [f"corp [en-de]/{name}" for name in ("1.jsonl.gz", "2.txt", "deep/3.parquet")]
    assert names("corp [en-de]/deep") == ["corp [en-de]/deep/3.parquet"]
    assert names("corp [en-de]/*.txt") == ["corp [en-de]/2.txt", "corp [en-de]/_hidden.txt"]


def test_what_is_neither_a_pattern_nor_there_is_an_error(folder: Path) -> None:
    with pytest.raises(
        CorpusError, match=r"corp \[en-de\]: not a pattern, and nothing has this name: bad character range"
    ):
        names("corp [en-de]")


def refuse_to_list(hidden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder unreadable, for root too."""
    list_folder = os.scandir

    def scandir(path: str) -> Any:
        if Path(path) == hidden:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return list_folder(path)

    monkeypatch.setattr(os, "scandir", scandir)


@pytest.mark.parametrize("address", ["b", "b/*/*.parquet", "b/**/*.parquet", "b/d*/3.parquet"])
def test_a_folder_that_cannot_be_listed_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    refuse_to_list(folder / "b" / "deep", monkeypatch)
    with pytest.raises(CorpusError, match=r"b: cannot be listed: .*Permission denied: '.*b/deep'"):
        names(address)


@pytest.mark.parametrize("address", ["b/*.txt", "b/[!d]*/*.txt", "b"])
def test_a_folder_that_is_not_asked_for_need_not_be_readable(
    folder: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    (folder / "b" / "e").mkdir()
    (folder / "b" / "e" / "5.txt").touch()
    refuse_to_list(folder / "b" / (".x" if address == "b" else "deep"), monkeypatch)
    assert names(address)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_no_file(folder: Path) -> None:
    os.mkfifo(folder / "b" / "pipe.txt")
    assert "b/pipe.txt" not in names("b")
    for address in ("b/pipe.txt", os.devnull):
        with pytest.raises(CorpusError, match=f"{address}: cannot be read: it is not a regular file: write it to a"):
            names(address)


def test_a_file_counts_once_under_the_name_it_was_first_given(folder: Path) -> None:
    assert names("b/2.txt", str(folder / "b" / "2.txt"), "b/*2.txt") == ["b/2.txt"]


def test_a_file_address_is_a_path(folder: Path) -> None:
    (file,) = find_inputs([f"file://{folder}/b/2.txt"])
    assert file.path == f"{folder}/b/2.txt"


def test_the_output_folder_is_no_input(folder: Path) -> None:
    (folder / "b" / "out").mkdir()
    (folder / "b" / "out" / "part.jsonl").write_text("{}\n")
    assert "b/out/part.jsonl" in names("b")
    assert "b/out/part.jsonl" not in [file.name for file in find_inputs(["b"], outside="b/out")]


def test_nor_is_it_through_a_link(folder: Path) -> None:
    (folder / "b" / "out").mkdir()
    (folder / "b" / "out" / "part.jsonl").write_text("{}\n")
    (folder / "link").symlink_to("b")
    for address, outside in (("b", "link/out"), ("link", "b/out")):
        found = [file.name for file in find_inputs([address], outside=outside)]
        assert found == [name.replace("b/", f"{address}/") for name in ("b/1.jsonl.gz", "b/2.txt", "b/deep/3.parquet")]


def test_with_a_format_all_files_count(folder: Path) -> None:
    found = find_inputs(["b"], input_format="text")
    assert [file.name for file in found if file.format == "text"] == [
        *("b/1.jsonl.gz", "b/2.txt", "b/deep/3.parquet", "b/notes.md")
    ]


@pytest.mark.parametrize("address", ["none.txt", "b/none/", "none/5.txt"])
def test_what_is_not_there_is_an_error(folder: Path, address: str) -> None:
    with pytest.raises(CorpusError, match=rf"^{address}: no such file or folder$"):
        find_inputs(["a.TXT", address])


@pytest.mark.parametrize("address", ["b/*.csv", "empty"])
def test_nothing_to_parse_is_an_error(folder: Path, address: str) -> None:
    (folder / "empty").mkdir()
    with pytest.raises(CorpusError, match=r"no files to parse here; they are known by \.txt, \.jsonl or \.parquet"):
        find_inputs(["a.TXT", address])


def test_an_ending_that_tells_nothing_is_an_error(folder: Path) -> None:
    with pytest.raises(CorpusError, match=r"b/notes.md: its ending does not say its format; give --input-format text"):
        find_inputs(["b/notes.md"])


def test_an_address_that_nobody_knows_is_an_error() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(CorpusError, match=r"nowhere://x/y\.txt: not an address that pyarrow can open: "):
        find_inputs(["nowhere://x/y.txt"])


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("b", ["b/1.jsonl.gz", "b/2.txt", "b/deep/3.parquet"]),
        ("b/2.txt", ["b/2.txt"]),
        ("b/*.txt", ["b/2.txt", "b/_hidden.txt"]),
    ],
)
def test_an_address_keeps_its_options_and_names_keep_no_secrets(
    folder: Path, monkeypatch: pytest.MonkeyPatch, path: str, expected: list[str]
) -> None:
    opened = []

    def open_address(address: str) -> tuple[str, LocalStore, str]:
        opened.append(address)
        return address, LocalStore(), str(folder / address.removeprefix("s3://key:secret@").partition("?")[0])

    monkeypatch.setattr("spanlin.corpus.inputs.open_address", open_address)
    found = find_inputs([f"s3://key:secret@{path}?region=x"])
    assert [file.name for file in found] == [f"s3://{name}" for name in expected]
    assert all(address.endswith("?region=x") for address in opened)
    assert {file.root for file in found} <= set(opened)
