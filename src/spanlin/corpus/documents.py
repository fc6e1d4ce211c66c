"""The documents of a unit: those that can be parsed, and what is wrong with the others."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple, cast

from spanlin.corpus.lines import read_lines
from spanlin.corpus.parquet import read_rows, require_pyarrow
from spanlin.corpus.stores import open_store
from spanlin.corpus.units import Unit

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Escaped in JSON, a character may take six bytes (twelve beyond the first plane), and a line has other fields too.
_BYTES_PER_CHARACTER = 12
_BYTES_IN_UTF8 = 4
_LINES_ADVICE = "if each line is a document, give --input-format text"


class Document(NamedTuple):
    """A text with its id; `place` is the byte or row of the file at which it starts."""

    place: int
    id: str
    text: str


class BadDocument(NamedTuple):
    """A document that cannot be parsed, and why."""

    place: int
    reason: str


class UnreadableError(Exception):
    """A file that cannot be read, or not to its end; the message says why."""


@dataclass(frozen=True, kw_only=True)
class DocumentOptions:
    """Which fields or columns are read, and how many characters a document may have."""

    text_field: str = "text"
    id_field: str = ""
    longest_document: int = 1_000_000


def read_documents(unit: Unit, options: DocumentOptions) -> Iterator[Document | BadDocument]:
    """Yield the documents of a unit in order; blank lines are skipped.

    Raises an UnreadableError where a file is damaged, after yielding all before the damage.
    """
    expected: tuple[type[BaseException], ...] = (OSError, EOFError, zlib.error)
    if unit.format == "parquet" or unit.compression == "zst" or unit.root:
        expected = (*expected, require_pyarrow().ArrowException)
    try:
        with open_store(unit.root).open(unit.path) as stream:
            if unit.format == "parquet":
                yield from _rows(stream, unit, options)
            elif unit.format == "document":
                yield from _whole(_uncompressed(stream, unit.compression), unit, options)
            else:
                yield from _lines(_uncompressed(stream, unit.compression), unit, options)
    except expected as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableError((reason or type(error).__name__).splitlines()[0]) from error


class _Gzip:
    """The contents of a gzip file; of a damaged one, all that can be read comes before the error."""

    def __init__(self, stream: BinaryIO) -> None:
        self._file = gzip.GzipFile(fileobj=stream)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes; none at the end."""
        return self._file.read1(size)


def _uncompressed(stream: BinaryIO, compression: str) -> BinaryIO:
    if compression == "gz":
        return cast(BinaryIO, _Gzip(stream))
    if compression == "zst":
        return cast(BinaryIO, require_pyarrow().CompressedInputStream(stream, "zstd"))
    return stream


def _lines(stream: BinaryIO, unit: Unit, options: DocumentOptions) -> Iterator[Document | BadDocument]:
    longest = _BYTES_PER_CHARACTER * options.longest_document
    make = _json_document if unit.format == "jsonl" else _text_document
    for place, data in read_lines(stream, unit.begin, None if unit.end < 0 else unit.end, longest=longest):
        if data is None:
            yield BadDocument(place, f"too long: a line of more than {longest} bytes")
            continue
        if place == 0:
            data = data.removeprefix(_BYTE_ORDER_MARK)
        if data and not data.isspace():
            yield make(place, data, unit.file, options)


def _whole(stream: BinaryIO, unit: Unit, options: DocumentOptions) -> Iterator[Document | BadDocument]:
    longest = _BYTES_IN_UTF8 * options.longest_document + len(_BYTE_ORDER_MARK)
    parts: list[bytes] = []
    length = 0
    while length <= longest and (part := stream.read(longest + 1 - length)):
        parts.append(part)
        length += len(part)
    data = b"".join(parts).removeprefix(_BYTE_ORDER_MARK)
    if length > longest:
        yield BadDocument(0, f"too long: a file of more than {longest} bytes; {_LINES_ADVICE}")
    elif data and not data.isspace():
        found = _document(0, data, None, unit.file, options)
        if isinstance(found, BadDocument) and found.reason.startswith("too long"):
            found = found._replace(reason=f"{found.reason}; {_LINES_ADVICE}")
        yield found._replace(id=unit.file) if isinstance(found, Document) else found


def _text_document(place: int, data: bytes, file: str, options: DocumentOptions) -> Document | BadDocument:
    return _document(place, data.removesuffix(b"\r"), None, file, options)


def _json_document(place: int, data: bytes, file: str, options: DocumentOptions) -> Document | BadDocument:
    try:
        found = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return BadDocument(place, _not_utf8(error))
    except (ValueError, RecursionError) as error:
        return BadDocument(place, f"not JSON: {error}")
    if not isinstance(found, dict):
        return BadDocument(place, f"not a JSON object: {type(found).__name__}")
    if options.text_field not in found:
        return BadDocument(place, f"no field {options.text_field!r}")
    if options.id_field and options.id_field not in found:
        return BadDocument(place, f"no field {options.id_field!r}")
    given = found[options.id_field] if options.id_field else None
    return _document(place, found[options.text_field], given, file, options)


def _rows(stream: BinaryIO, unit: Unit, options: DocumentOptions) -> Iterator[Document | BadDocument]:
    if unit.group < 0:  # its footer could not be read when the corpus was cut
        require_pyarrow().parquet.ParquetFile(stream)
        raise UnreadableError("it could not be read when the run began; parse it again into another folder")
    columns = [options.text_field, *([options.id_field] if options.id_field else [])]
    first = unit.begin - _rows_before(stream, unit.group)
    rows = read_rows(stream, columns, group=unit.group, skip=first, count=unit.end - unit.begin)
    try:
        for place, row in enumerate(rows, start=unit.begin):
            yield _document(place, row[0], row[1] if options.id_field else None, unit.file, options)
    except KeyError as error:
        raise UnreadableError(f"no column {error.args[0]!r}") from error


def _rows_before(stream: BinaryIO, group: int) -> int:
    footer = require_pyarrow().parquet.ParquetFile(stream).metadata
    return sum(footer.row_group(number).num_rows for number in range(group))


def _document(place: int, text: Any, given: Any, file: str, options: DocumentOptions) -> Document | BadDocument:
    """Return the document of a text, or of its bytes, or what is wrong with it."""
    try:
        text, given = (value.decode("utf-8") if isinstance(value, bytes) else value for value in (text, given))
    except UnicodeDecodeError as error:
        return BadDocument(place, _not_utf8(error))
    if not isinstance(text, str):
        return BadDocument(place, f"its text is not a string but {type(text).__name__}")
    if options.id_field and (isinstance(given, bool) or not isinstance(given, str | int)):
        return BadDocument(place, f"its id is neither text nor a whole number but {type(given).__name__}")
    if len(text) > options.longest_document:
        return BadDocument(place, f"too long: {len(text)} characters, of at most {options.longest_document}")
    name = str(given) if options.id_field else f"{file}:{place}"
    for value in (text, name):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            if value is name and not options.id_field:  # most systems allow any bytes in the name of a file
                return BadDocument(place, "the name of its file is not UTF-8, and is part of its id: rename the file")
            return BadDocument(place, f"half a surrogate pair at character {error.start}, which is not text")
    return Document(place, name, text)


def _not_utf8(error: UnicodeDecodeError) -> str:
    return f"not UTF-8: byte {error.start + 1} of it"
