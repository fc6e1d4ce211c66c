"""What `spanlin parse` reads: texts or lines of several files as sentences that know where they stand."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

import click

from spanlin.errors import SpanlinError
from spanlin.trees.escapes import unescape_word

Form: TypeAlias = Literal["text", "lines", "tokenized"]


class SourceSentence(NamedTuple):
    """A sentence to parse; `starts` and `ends` are its words' offsets, `place` how many bytes were read for it."""

    words: Sequence[str]
    starts: Sequence[int] | None
    ends: Sequence[int] | None
    file: str
    place: int


class Source:
    """The sentences of texts given directly or of files, one after another; none goes from one file into the next.

    Iterating ends before a line that cannot be read; `error` then says which, so that all before it can be parsed.
    """

    def __init__(self, names: Sequence[str], *, texts: Sequence[str] = (), form: Form) -> None:
        self.error: SpanlinError | None = None
        self._form = form
        self._place = 0
        self._texts = [text.encode("utf-8", "replace") for text in texts]
        self._names = names
        sizes = [len(text) for text in self._texts] + [_size(name) for name in names]
        self.total_bytes = None if None in sizes else sum(size for size in sizes if size is not None)
        """How much there is to read, if all of it is in regular files."""

    def _files(self) -> Iterator[tuple[str, Iterable[bytes]]]:
        for text in self._texts:
            yield "", io.BytesIO(text)
        for name in self._names:
            try:
                # Opened one after another, for there may be more of them than a process may hold open.
                with click.open_file(name, "rb") as file:
                    yield "" if name == "-" else name, file
            except OSError as error:
                raise SpanlinError(f"{name}: {error.strerror or error}") from error

    def __iter__(self) -> Iterator[SourceSentence]:
        from spanlin.text import iter_sentences, tokenize_sentence

        for name, file in self._files():
            lines = self._lines(name, file)
            if self._form == "text":
                for found in iter_sentences(lines):
                    yield SourceSentence(found.words, found.starts, found.ends, name, self._place)
            elif self._form == "lines":
                for line in lines:
                    tokens = tokenize_sentence(line)
                    starts, ends = [token.start for token in tokens], [token.end for token in tokens]
                    yield SourceSentence([token.text for token in tokens], starts, ends, name, self._place)
            else:
                for line in lines:
                    given = [unescape_word(token) for token in line.split()]
                    yield SourceSentence(given, None, None, name, self._place)
            if self.error:
                return

    def _lines(self, name: str, file: Iterable[bytes]) -> Iterator[str]:
        for number, line in enumerate(file, start=1):
            self._place += len(line)
            try:
                yield line.decode("utf-8" if number > 1 else "utf-8-sig")
            except UnicodeDecodeError as error:
                where = f"{name}, line {number}" if name else f"line {number}"
                self.error = SpanlinError(f"{where}: not UTF-8 (byte {error.start + 1}): convert the file first")
                return


def _size(name: str) -> int | None:
    """Return how many bytes are left in a regular file, also one that a shell gives as standard input."""
    try:
        if name != "-":
            found, place = os.stat(name), 0
        else:
            stream = sys.stdin.buffer
            found, place = os.fstat(stream.fileno()), stream.tell()
    except (OSError, io.UnsupportedOperation):
        return None
    return found.st_size - place if stat.S_ISREG(found.st_mode) else None
