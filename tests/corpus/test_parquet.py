"""Rows of Parquet files, read by ranges and written as shards."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.corpus.inputs import find_inputs
from spanlin.corpus.parquet import ParquetShard, read_rows, require_pyarrow, row_groups
from spanlin.errors import MissingExtraError

ROW = {
    "document": "a:0",
    "sentence": 0,
    "start": 0,
    "end": 2,
    "text": "é",
    "tokens": ["Go"],
    "token_starts": [0],
    "token_ends": [2],
    "tags": ["VB"],
    "tag_probabilities": [0.5],
    "brackets": "(TOP (VB Go))",
    "constituents": [{"label": "TOP", "left": 0, "right": 1, "probability": 0.25}],
    "log_probability": None,
    "certified": True,
    "heads": [2, 0],
    "relations": ["nsubj", "root"],
    "universal_tags": ["NOUN", "VERB"],
    "arc_probabilities": [0.5, 1.0],
}


def table_bytes(columns: dict[str, list[Any]], rows_per_group: int) -> io.BytesIO:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), stream, row_group_size=rows_per_group)
    return stream


@given(st.integers(1, 12), st.integers(1, 5), st.data())
def test_rows_of_a_group_are_those_between_skip_and_count(count: int, rows_per_group: int, data: st.DataObject) -> None:
    columns: dict[str, list[Any]] = {"number": list(range(count)), "text": [f"é{number}" for number in range(count)]}
    stream = table_bytes(columns, rows_per_group)
    group = data.draw(st.integers(0, (count - 1) // rows_per_group))
    rows = range(count)[group * rows_per_group : (group + 1) * rows_per_group]
    skip = data.draw(st.integers(0, len(rows) - 1))
    wanted = data.draw(st.integers(1, len(rows) - skip))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spanlin.corpus.parquet._ROWS", data.draw(st.integers(1, 4)))
        found = list(read_rows(stream, ["text", "number"], group=group, skip=skip, count=wanted))
    assert found == [(f"é{number}".encode(), number) for number in rows[skip : skip + wanted]]


def test_a_column_that_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="body"):
        list(read_rows(table_bytes({"text": ["x"]}, 1), ["text", "body"], group=0, skip=0, count=1))


def test_groups_are_told_by_rows_and_bytes_and_a_broken_file_has_none(tmp_path: Path) -> None:
    whole, broken = tmp_path / "a.parquet", tmp_path / "b.parquet"
    whole.write_bytes(table_bytes({"text": ["x", "y", "z" * 1000]}, 2).getvalue())
    broken.write_bytes(whole.read_bytes()[:-5])
    groups = row_groups(find_inputs([str(whole)])[0])
    assert groups is not None
    assert [rows for rows, _ in groups] == [2, 1]
    assert all(size > 0 for _, size in groups)
    assert row_groups(find_inputs([str(broken)])[0]) is None


@pytest.mark.parametrize("count", [0, 3, 8])
def test_a_shard_has_all_rows_whether_they_fill_its_buffer_or_not(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    monkeypatch.setattr("spanlin.corpus.parquet._ROWS", 1)  # so that eight rows are written together
    stream = io.BytesIO()
    shard = ParquetShard(stream)
    rows = [
        {**ROW, "sentence": number, "log_probability": [None, -0.5][number % 2], "heads": [[2, 0], None][number % 2]}
        for number in range(count)
    ]
    for row in rows:
        shard.add(row)
    shard.close()
    table = pyarrow.parquet.read_table(stream)
    assert table.to_pylist() == rows
    assert table.column_names == list(ROW)


def test_without_pyarrow_the_error_says_what_to_install(without: Callable[[str], None]) -> None:
    without("pyarrow")
    with pytest.raises(MissingExtraError, match=r"Parquet needs pyarrow: pip install 'spanlin\[corpus\]'"):
        require_pyarrow()
