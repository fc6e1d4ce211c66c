from __future__ import annotations

import errno
import gzip
import io
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.atomic_files import NewFile
from spanlin.errors import TreeError
from spanlin.trees import lines
from spanlin.trees.lines import byte_lines, numbered_pieces, stream_name, write_pieces

PARTS = [b"(S (A a))", b" ", b"\n", b"(", b") (", b"))", b"word(s)", b"(-LRB- ()", "é".encode()]
contents = st.lists(st.sampled_from(PARTS), max_size=40).map(b"".join)


@given(contents, st.integers(1, 20))
def test_pieces_are_the_whole_file_with_the_number_of_their_line(content: bytes, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "PIECE_SIZE", size)
        patch.setattr(lines, "MAX_PIECE_SIZE", 2 * size)
        pieces = list(numbered_pieces(io.BytesIO(content)))
    assert b"".join(piece.text for piece in pieces) == content
    read = b""
    for piece in pieces:
        assert piece.line == read.count(b"\n") + 1
        assert piece.starts_line == (not read or read.endswith(b"\n"))
        assert b"\n" not in piece.text[:-1]
        # A line is cut after a constituent, or in front of one: never inside a word.
        assert piece.starts_line or read.endswith(b")") or piece.text.startswith(b"(")
        read += piece.text


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_plain_and_gzip_files_are_read_alike(tmp_path: Path, compress: type[bytes]) -> None:
    path = tmp_path / "a"  # whatever its name is
    path.write_bytes(compress(b"one\r\ntwo\n\nthree"))
    assert list(byte_lines(path)) == [b"one\r\n", b"two\n", b"\n", b"three"]
    assert list(byte_lines(path, limit=3))[:3] == [b"one", b"\r\n", b"two"]
    with path.open("rb") as stream:
        assert len(list(byte_lines(stream))) == 4
        assert not stream.closed


def test_a_truncated_gzip_file_is_an_error_after_what_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"(S (A a))\n" * 1000)[:-12])
    found = byte_lines(path)
    assert next(found) == b"(S (A a))\n"
    with pytest.raises(TreeError, match=r"cut\.gz: cannot be read to its end"):
        list(found)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TreeError, match=r"none\.txt: cannot be read: No such file"):
        list(byte_lines(tmp_path / "none.txt"))


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz"])
def test_what_cannot_be_written_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with pytest.raises(TreeError, match=f"^{tmp_path}: cannot be written: Is a directory$"):
        write_pieces([b"text"], tmp_path)

    def is_full(_file: NewFile) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(NewFile, "publish", is_full)
    with pytest.raises(TreeError, match=rf"{name}: cannot be written: No space left on device$"):
        write_pieces([b"text"], tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_what_is_written_is_not_one_of_the_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"text"
        raise FileNotFoundError("a file that is read")

    with pytest.raises(FileNotFoundError, match="a file that is read"):
        write_pieces(pieces(), tmp_path / "out.txt")


def test_a_link_stays_a_link_to_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    for text in (b"one", b"two"):
        assert write_pieces([text], tmp_path / "link") == 1
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "file").read_bytes() == text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as threads:
        read = threads.submit(pipe.read_bytes)
        write_pieces([b"one", b"two"], pipe)
        assert read.result(timeout=30) == b"onetwo"
    assert pipe.is_fifo()


def test_a_stream_is_named_as_it_names_itself(tmp_path: Path) -> None:
    assert stream_name(tmp_path / "a") == str(tmp_path / "a")
    assert stream_name(io.BytesIO()) == "<stream>"
    (tmp_path / "a").touch()
    with (tmp_path / "a").open("rb") as stream:
        assert stream_name(stream) == str(tmp_path / "a")
