"""What `spanlin parse` reads: texts or lines of several files as sentences that know where they stand."""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

import click

from spanlin.errors import SpanlinError
from spanlin.trees.lines import byte_lines

if TYPE_CHECKING:
    from spanlin.text.blocks import TextBlock
    from spanlin.text.forms import InputForm
    from spanlin.text.tokens import Sentence

_UTF8 = "utf-8"
_GZIP = b"\x1f\x8b"
# The longer marks first: that of UTF-32 starts with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BLOCK_LINES = 2048
_BLOCK_CHARACTERS = 1 << 18
_NOT_FOR_FILES = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}


def _known_encoding(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Return Python's own name of an encoding, or raise a usage error."""
    try:
        found = codecs.lookup(value)
        if found.name not in _NOT_FOR_FILES and isinstance("".encode(found.name), bytes):
            return found.name.removesuffix("-sig")
    except (LookupError, ValueError, UnicodeError):  # not text, as hex is not, or no name at all
        pass
    raise click.BadParameter(f"{value!r} is not a known encoding, such as utf-8, utf-16, cp1252 or latin-1.")


encoding_option = click.option(
    "--encoding",
    default=_UTF8,
    metavar="NAME",
    show_default=True,
    callback=_known_encoding,
    help="Character encoding of the files, such as utf-16, cp1252 or latin-1.",
)


class _NoTextError(Exception):
    """The input is not text in UTF-8; the message says what it is, and what to do."""


class SourceSentence(NamedTuple):
    """Words to parse, the sentence that they are if it is of a text, and how many bytes were read up to it."""

    words: Sequence[str]
    sentence: Sentence | None
    file: str
    place: int


class SourceBlock(NamedTuple):
    """A block of a text, or lines of one sentence each, and how many bytes were read up to its end."""

    content: TextBlock | list[str]
    file: str
    place: int


class Source:
    """The sentences of texts given directly or of files, one after another; none goes from one file into the next.

    Files may be gzip. Iterating ends before a line that cannot be read; `error` then says which, so that all before it
    can be parsed.
    """

    def __init__(
        self, names: Sequence[str], *, texts: Sequence[str] = (), form: InputForm, encoding: str = _UTF8
    ) -> None:
        self.error: SpanlinError | None = None
        self._form = form
        self._place = 0
        self._encoding = encoding
        self._texts = [text.encode(_UTF8, "replace") for text in texts]
        self._names = names
        sizes = [len(text) for text in self._texts] + [_size(name) for name in names]
        self.total_bytes = None if None in sizes else sum(size for size in sizes if size is not None)
        """How much there is to read, if all of it is in regular files that are not compressed."""

    def _files(self) -> Iterator[tuple[str, BinaryIO]]:
        for text in self._texts:
            yield "", io.BytesIO(text)
        for name in self._names:
            try:
                # Opened one after another, for there may be more of them than a process may hold open.
                with click.open_file(name, "rb") as file:
                    yield "" if name == "-" else name, cast(BinaryIO, file)
            except OSError as error:
                raise SpanlinError(f"{name}: {error.strerror or error}") from error

    def __iter__(self) -> Iterator[SourceSentence]:
        from spanlin.text import iter_sentences
        from spanlin.text.forms import read_sentence

        for name, file in self._files():
            lines = self._lines(name, file)
            if self._form == "text":
                for found in iter_sentences(lines):
                    yield SourceSentence(found.words, found, name, self._place)
            else:
                for line in lines:
                    found = read_sentence(line, self._form)
                    yield SourceSentence(found.words, found if self._form == "lines" else None, name, self._place)
            if self.error:
                return

    def blocks(self) -> Iterator[SourceBlock]:
        """Yield the same in blocks whose sentences are not read yet."""
        from spanlin.text.blocks import text_blocks

        for name, file in self._files():
            lines = self._lines(name, file)
            for content in text_blocks(lines) if self._form == "text" else _line_blocks(lines):
                yield SourceBlock(content, name, self._place)
            if self.error:
                return

    def _lines(self, name: str, file: BinaryIO) -> Iterator[str]:
        number = 1
        try:
            for line in self._decoded(byte_lines(file)):
                yield line
                number += 1
        except UnicodeError as error:
            where = f"{name}, line {number}" if name else f"line {number}"
            self.error = SpanlinError(f"{where}: {_wrong(error, self._encoding)}")
        except _NoTextError as error:
            self.error = SpanlinError(f"{name or 'the input'}: {error}")
        except SpanlinError as error:  # it cannot be read to its end
            self.error = error

    def _decoded(self, lines: Iterable[bytes]) -> Iterator[str]:
        """Yield the lines; a UnicodeError comes after all lines before the one that it is about."""
        if self._encoding == _UTF8:
            for number, line in enumerate(lines):
                if not number:
                    _check_start(line)
                self._place += len(line)
                yield line.decode(_UTF8 if number else "utf-8-sig")
            return
        decoder = codecs.getincrementaldecoder(self._encoding)()
        waiting: list[
            str
        ] = []  # parts of a line: in UTF-16, a byte that is a line break in others may be in any character
        is_first = True
        for part in lines:
            self._place += len(part)
            text = decoder.decode(part)
            if is_first and text:
                text = text.removeprefix("\ufeff")
                is_first = False
            waiting.append(text)
            if "\n" in text:
                *whole, rest = "".join(waiting).split("\n")
                waiting = [rest]
                for text in whole:
                    yield f"{text}\n"
        waiting.append(decoder.decode(b"", final=True))
        if last := "".join(waiting):
            yield last


def _check_start(line: bytes) -> None:
    """Raise a _NoTextError if a file starts as a PDF does, or UTF-16 without a mark: both can be valid UTF-8."""
    if line.startswith(b"%PDF-"):
        raise _NoTextError("this is a PDF: extract its text first, for example with pdftotext")
    if line.count(0) * 3 > len(line) and not line.startswith(tuple(_MARKS)):  # every second byte, of Latin letters
        order = "be" if line[:1] == b"\0" else "le"
        raise _NoTextError(f"not UTF-8 but, as it starts, UTF-16: add --encoding utf-16-{order}")


def _line_blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield lines many at a time: fewer of them where they are long."""
    block: list[str] = []
    size = 0
    for line in lines:
        block.append(line)
        size += len(line)
        if len(block) == _BLOCK_LINES or size >= _BLOCK_CHARACTERS:
            yield block
            block, size = [], 0
    if block:
        yield block


def _wrong(error: UnicodeError, encoding: str) -> str:
    """Return what is wrong with a line, and which encoding it may have instead."""
    if encoding != _UTF8 or not isinstance(error, UnicodeDecodeError):
        return f"not {encoding}: give another --encoding"
    raw = error.object
    for mark, name in _MARKS.items():
        if raw.startswith(mark):
            return f"not UTF-8 (byte {error.start + 1}) but, as it starts, {name}: add --encoding {name}"
    try:
        raw.decode("cp1252")
        likely = "cp1252"
    except UnicodeDecodeError:
        likely = "latin-1"
    return f"not UTF-8 (byte {error.start + 1}): if it is an older file, try --encoding {likely}"


def _size(name: str) -> int | None:
    """Return how many bytes are left in a regular file that is not gzip, also one that a shell gives as input."""
    try:
        if name != "-":
            found, place = os.stat(name), 0
        else:
            stream = sys.stdin.buffer
            found, place = os.fstat(stream.fileno()), stream.tell()
        if not stat.S_ISREG(found.st_mode):
            return None
        if name != "-":
            with open(name, "rb") as file:
                start = file.read(2)
        else:
            start = stream.peek(2)[:2] if isinstance(stream, io.BufferedReader) else b""
    except (OSError, io.UnsupportedOperation):
        return None
    return None if start == _GZIP else found.st_size - place
