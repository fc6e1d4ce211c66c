"""CoNLL-U to sentences and back, one sentence at a time, with file and line in every error.

Nothing is normalised: what is read from a valid file is written as the same bytes. Windows line ends, several empty
lines in a row and a missing one at the end are read, too; they are written as the format has them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from sys import intern
from typing import BinaryIO

from spanlin.dependencies.sentence import COLUMNS, EMPTY, ConlluSentence, EmptyNode, MultiWordToken, Row, Word
from spanlin.errors import ConlluError, DependencyError, TreeError
from spanlin.trees.lines import byte_lines, stream_name, write_pieces
from spanlin.trees.treebanks.treebank import NamedBytes

_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY_NODE = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")

OnBad = Callable[[ConlluError], None]


def is_conllu(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is CoNLL-U by its name, which ends in .conllu or .conllu.gz."""
    return os.fspath(path).removesuffix(".gz").endswith(".conllu")


def read_conllu(source: str | os.PathLike[str] | BinaryIO, *, on_bad: OnBad | None = None) -> Iterator[ConlluSentence]:
    """Yield the sentences of a CoNLL-U file, plain or gzip, in constant memory.

    A malformed sentence raises a ConlluError; with `on_bad`, the error is passed there and reading resumes after the
    next empty line. Whether the heads are a tree is not looked at.
    """
    name = stream_name(source)
    reader = _SentenceReader(name)
    bad = False
    number = 0
    try:
        for number, raw in enumerate(byte_lines(source), start=1):
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if raw.strip(b"\r\n"):
                if bad:
                    continue
                try:
                    reader.read(raw, number)
                except ConlluError as error:
                    if on_bad is None:
                        raise
                    bad = True
                    on_bad(error)
            elif bad:
                bad = False
                reader.reset()
            else:
                yield from _finished(reader, number, on_bad)
        if not bad:
            yield from _finished(reader, number + 1, on_bad)
    except TreeError as error:  # of a file that cannot be read
        raise DependencyError(str(error)) from error


def parse_conllu(text: str) -> list[ConlluSentence]:
    r"""Return the sentences of a string in CoNLL-U.

    >>> lines = "1 Dogs dog NOUN NNS _ 2 nsubj _ _ / 2 bark bark VERB VBP _ 0 root _ _"
    >>> parse_conllu(lines.replace(" / ", "\n").replace(" ", "\t"))[0].forms
    ('Dogs', 'bark')
    """
    return list(read_conllu(NamedBytes(text.encode("utf-8", "surrogatepass"), "<string>")))


def write_conllu(sentences: Iterable[ConlluSentence], path: str | os.PathLike[str]) -> int:
    """Write sentences as CoNLL-U, as gzip if the name ends in .gz, and return their number.

    The file appears whole or not at all.
    """
    try:
        return write_pieces((format_conllu(sentence).encode() for sentence in sentences), path)
    except TreeError as error:  # of a file that cannot be written
        raise DependencyError(str(error)) from error


def format_conllu(sentence: ConlluSentence) -> str:
    """Return a sentence in CoNLL-U, with the empty line that ends it; a DependencyError if it cannot be one."""
    lines = []
    for comment in sentence.comments:
        if not comment.startswith("#") or "\n" in comment or "\r" in comment:
            raise DependencyError(f"the comment {comment!r:.40} is not one line that starts with #")
        lines.append(comment)
    ids = _Ids()
    for row in sentence.rows:
        name, columns = _id_and_columns(row, ids.word_count + 1)
        for column, value in zip(COLUMNS[1:], columns, strict=True):
            if not value or "\t" in value or "\n" in value or "\r" in value:
                raise DependencyError(f"{column} of {name} is {value!r:.40}: it must be text without tabs or line ends")
        if problem := ids.problem_of(row):
            raise DependencyError(problem)
        lines.append("\t".join((name, *columns)))
    if problem := ids.problem_at_end():
        raise DependencyError(problem)
    return "\n".join((*lines, "", ""))


def _id_and_columns(row: Row, next_word: int) -> tuple[str, tuple[str, ...]]:
    if isinstance(row, Word):
        return str(next_word), (*row[:5], EMPTY if row.head is None else str(row.head), *row[6:])
    return (f"{row[0]}-{row[1]}" if isinstance(row, MultiWordToken) else f"{row[0]}.{row[1]}"), row[2:]


def _finished(reader: _SentenceReader, number: int, on_bad: OnBad | None) -> Iterator[ConlluSentence]:
    """Yield the sentence that ends at this line, if one has begun, and begin anew."""
    try:
        sentence = reader.finish(number)
        if sentence is not None:
            yield sentence
    except ConlluError as error:
        if on_bad is None:
            raise
        on_bad(error)
    finally:
        reader.reset()


class _SentenceReader:
    """Turns lines into the rows of one sentence."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.reset()

    def reset(self) -> None:
        self._comments: list[str] = []
        self._rows: list[Row] = []
        self._ids = _Ids()

    def read(self, raw: bytes, number: int) -> None:
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            raise self._error("not UTF-8: convert the file first", number) from error
        line = line.removesuffix("\n").removesuffix("\r")
        if "\r" in line:
            raise self._error("a carriage return inside the line: take it out", number)
        if line.startswith("#"):
            if self._rows:
                raise self._error("a comment inside a sentence: put it above the first word", number)
            self._comments.append(line)
            return
        columns = line.split("\t")
        if len(columns) != len(COLUMNS):
            raise self._error(f"{len(columns)} columns, expected {len(COLUMNS)} with tabs between them", number)
        if "" in columns:
            place = columns.index("")
            raise self._error(f"column {place + 1}, {COLUMNS[place]}, is empty: write _ for nothing", number)
        row = self._row(columns, number)
        if problem := self._ids.problem_of(row):
            raise self._error(problem, number)
        self._rows.append(row)

    def _row(self, columns: list[str], number: int) -> Row:
        name, form, lemma, upos, xpos, feats, head, deprel, deps, misc = columns
        upos, xpos, feats, deprel = intern(upos), intern(xpos), intern(feats), intern(deprel)
        if name.isdecimal():
            if name != str(self._ids.word_count + 1):
                raise self._error(f"the id is {name}, expected {self._ids.word_count + 1}", number)
            if head == EMPTY:
                governor = None
            elif _NUMBER.fullmatch(head):
                governor = int(head)
            else:
                raise self._error(f"the head is {head!r:.20}, expected a number or _", number)
            return Word(form, lemma, upos, xpos, feats, governor, deprel, deps, misc)
        if found := _RANGE.fullmatch(name):
            return MultiWordToken(
                int(found[1]), int(found[2]), form, lemma, upos, xpos, feats, head, deprel, deps, misc
            )
        if found := _EMPTY_NODE.fullmatch(name):
            return EmptyNode(int(found[1]), int(found[2]), form, lemma, upos, xpos, feats, head, deprel, deps, misc)
        raise self._error(f"the id is {name!r:.20}, expected a number, a range such as 3-4, or 3.1", number)

    def finish(self, number: int) -> ConlluSentence | None:
        """Return the sentence that ends before this line; None if there is none."""
        if not self._rows and not self._comments:
            return None
        if problem := self._ids.problem_at_end():
            raise self._error(problem, number - 1)
        return ConlluSentence(tuple(self._rows), tuple(self._comments))

    def _error(self, message: str, number: int) -> ConlluError:
        return ConlluError(message, source=self._source, line=number)


class _Ids:
    """The order of the rows: words count up, and what refers to them stands beside them."""

    def __init__(self) -> None:
        self.word_count = 0
        self._last = 0  # word of the last multi-word token
        self._number = 0  # of the last empty node after this word

    def problem_of(self, row: Row) -> str:
        """Take the next row, and return what is wrong with its place, or nothing."""
        if isinstance(row, Word):
            self.word_count += 1
            self._number = 0
        elif isinstance(row, MultiWordToken):
            name = f"the multi-word token {row.first}-{row.last}"
            if row.first != self.word_count + 1:
                return f"{name} does not stand right before its first word"
            if row.first <= self._last:
                return f"{name} overlaps the one before it"
            if row.last < row.first:
                return f"{name} ends before it starts"
            self._last = row.last
        else:
            self._number += 1
            if (row.after, row.number) != (self.word_count, self._number):
                return f"the empty node is {row.after}.{row.number}, expected {self.word_count}.{self._number}"
        return ""

    def problem_at_end(self) -> str:
        if not self.word_count:
            return "a sentence without words"
        if self._last > self.word_count:
            return f"a multi-word token ends at word {self._last}, but there are only {self.word_count} words"
        return ""
