"""The lines of a file, plain or gzip; very long ones come in pieces that do not cut a bracketed word in two."""

from __future__ import annotations

import errno
import gzip
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from spanlin.atomic_files import NewFile
from spanlin.errors import TreeError

PIECE_SIZE = 1 << 20
MAX_PIECE_SIZE = 16 * PIECE_SIZE
# A closing bracket followed by an opening one: no word is there, not even one that holds unescaped brackets.
_DESCENT = re.compile(rb"\((?=[^()]*\()")


class Piece(NamedTuple):
    """A line, counted from 1, or a part of a very long one."""

    line: int
    starts_line: bool
    text: bytes


def byte_lines(source: str | os.PathLike[str] | BinaryIO, *, limit: int = -1) -> Iterator[bytes]:
    """Yield the lines of a file, plain or gzip, each with its end, in parts of at most `limit` bytes.

    A file that cannot be read, or not to its end, is a TreeError.
    """
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        try:
            stream: BinaryIO = open(name, "rb")  # noqa: SIM115 (closed below)
        except OSError as error:
            raise TreeError(f"{name}: cannot be read: {error.strerror}") from error
    else:
        name, stream = stream_name(source), source
    with stream if stream is not source else nullcontext():
        try:
            peek = getattr(stream, "peek", None)
            if peek is not None and peek(2)[:2] == b"\x1f\x8b":
                stream = cast(BinaryIO, gzip.GzipFile(fileobj=stream))
            yield from iter(partial(stream.readline, limit), b"")
        except (OSError, EOFError, zlib.error) as error:
            raise TreeError(f"{name}: cannot be read to its end: {error}") from error


def write_pieces(pieces: Iterable[bytes], path: str | os.PathLike[str]) -> int:
    """Write pieces one after the other, as gzip if the name ends in .gz, and return their number.

    The file appears whole or not at all; a link to one stays a link. Pipes and devices are written to as they are. What
    cannot be written is a TreeError.
    """
    path = Path(path)
    count = 0
    with ExitStack() as stack:
        with _reported(path):
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            file = None
            if path.is_file() or not path.exists():
                file = stack.enter_context(NewFile(os.path.realpath(path)))
            whole = file.stream if file else stack.enter_context(path.open("wb"))
            is_gzip = path.suffix == ".gz"
            stream = gzip.GzipFile(path.name, "wb", fileobj=whole, mtime=0) if is_gzip else whole
        for piece in pieces:
            with _reported(path):
                stream.write(piece)
            count += 1
        with _reported(path):
            stream.close() if is_gzip else stream.flush()
            file.publish() if file else whole.close()
    return count


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Raise a TreeError if this file cannot be written; errors of other files pass through."""
    try:
        yield
    except OSError as error:
        raise TreeError(f"{path}: cannot be written: {error.strerror}") from error


def stream_name(source: str | os.PathLike[str] | BinaryIO) -> str:
    """Return the name that errors show for a file; `<stream>` for an open one without a name."""
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else str(getattr(source, "name", "<stream>"))


def numbered_pieces(source: str | os.PathLike[str] | BinaryIO) -> Iterator[Piece]:
    """Yield the lines of a file; long ones are cut between two trees or constituents."""
    number = 1
    starts_line = True
    rest = b""
    for text in byte_lines(source, limit=PIECE_SIZE):
        text = rest + text
        rest = b""
        ends_line = text.endswith(b"\n")
        if not ends_line and len(text) >= PIECE_SIZE:
            cut = text.rfind(b") (") + 1
            if not cut and len(text) >= MAX_PIECE_SIZE:  # one very deep tree
                cut = max((match.start() for match in _DESCENT.finditer(text)), default=0)
            text, rest = text[:cut], text[cut:]
        if text:
            yield Piece(number, starts_line, text)
            starts_line = ends_line
            number += ends_line
    if rest:
        yield Piece(number, starts_line, rest)
