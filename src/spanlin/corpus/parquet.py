"""Parquet: the groups and rows of a file, and shards of parses. For local files, only this needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from spanlin.corpus.inputs import CorpusFile
from spanlin.corpus.stores import open_store
from spanlin.errors import missing_extra

_ROWS = 1024  # read, or written, together


def require_pyarrow() -> Any:
    """Return pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise missing_extra("Parquet needs pyarrow", "corpus") from error
    return pa


def row_groups(file: CorpusFile) -> list[tuple[int, int]] | None:
    """Return how many rows and bytes each row group has, or None if the file cannot be read."""
    pa = require_pyarrow()
    try:
        with open_store(file.root).open(file.path) as stream:
            found = pa.parquet.ParquetFile(stream).metadata
            return [
                (found.row_group(group).num_rows, found.row_group(group).total_byte_size)
                for group in range(found.num_row_groups)
            ]
    except (pa.ArrowException, OSError):
        return None


def read_rows(
    stream: BinaryIO, columns: Sequence[str], *, group: int, skip: int, count: int
) -> Iterator[tuple[Any, ...]]:
    """Yield the values of some columns, text as bytes, in `count` rows of a row group after the first `skip`.

    Raises pyarrow's errors, and a KeyError for a missing column.
    """
    pa = require_pyarrow()
    file = pa.parquet.ParquetFile(stream)
    for column in columns:
        if column not in file.schema_arrow.names:
            raise KeyError(column)
    end = skip + count
    seen = 0
    for batch in file.iter_batches(batch_size=_ROWS, row_groups=[group], columns=list(columns)):
        first, seen = seen, seen + len(batch)
        if seen <= skip:
            continue
        part = batch.slice(max(skip - first, 0), min(end, seen) - max(skip, first))
        yield from zip(*(_plain(pa, part.column(column)) for column in columns), strict=True)
        if seen >= end:
            return


def _plain(pa: Any, values: Any) -> list[Any]:
    """Return a column's values; text as bytes, since nobody has checked that it is UTF-8."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = values.view(pa.binary() if pa.types.is_string(values.type) else pa.large_binary())
    elif pa.types.is_string_view(values.type):
        values = values.cast(pa.binary())
    found: list[Any] = values.to_pylist()
    return found


class ParquetShard:
    """Writes rows of parses as Parquet, compressed with zstd."""

    def __init__(self, stream: BinaryIO) -> None:
        pa = require_pyarrow()
        self._schema = _schema(pa)
        self._pa = pa
        self._writer = pa.parquet.ParquetWriter(stream, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        """Add the parse of a sentence."""
        self._rows.append(row)
        if len(self._rows) == 8 * _ROWS:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the footer."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._pa.Table.from_pylist(self._rows, schema=self._schema))
            self._rows = []


def _schema(pa: Any) -> Any:
    """Return the columns of `spanlin.corpus.rows`."""
    constituent = pa.struct(
        [("label", pa.string()), ("left", pa.int32()), ("right", pa.int32()), ("probability", pa.float32())]
    )
    return pa.schema(
        [
            ("document", pa.string()),
            ("sentence", pa.int32()),
            ("start", pa.int32()),
            ("end", pa.int32()),
            ("text", pa.string()),
            ("tokens", pa.list_(pa.string())),
            ("token_starts", pa.list_(pa.int32())),
            ("token_ends", pa.list_(pa.int32())),
            ("tags", pa.list_(pa.string())),
            ("tag_probabilities", pa.list_(pa.float32())),
            ("brackets", pa.string()),
            ("constituents", pa.list_(constituent)),
            ("log_probability", pa.float64()),
            ("certified", pa.bool_()),
            ("heads", pa.list_(pa.int32())),
            ("relations", pa.list_(pa.string())),
            ("universal_tags", pa.list_(pa.string())),
            ("arc_probabilities", pa.list_(pa.float32())),
        ]
    )
