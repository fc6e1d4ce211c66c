"""Files cut into units: every byte and every row is in one of them."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.corpus.inputs import CorpusFile, InputFormat, find_inputs
from spanlin.corpus.units import Unit, cut_into_units


def text_file(name: str, size: int, *, kind: InputFormat = "text") -> CorpusFile:
    return CorpusFile(name, "", f"/{name}", size, 0, kind, "")


@given(st.lists(st.integers(0, 50), max_size=4), st.integers(1, 20))
def test_units_hold_each_byte_of_the_files_once_and_in_order(sizes: list[int], unit_size: int) -> None:
    files = [text_file(str(number), size) for number, size in enumerate(sizes)]
    units = list(cut_into_units(files, unit_size=unit_size))
    found = [(unit.file, place) for unit in units for place in range(unit.begin, unit.end)]
    assert found == [(file.name, place) for file in files for place in range(file.size)]
    assert all(0 < unit.end - unit.begin <= unit_size for unit in units)
    names = [unit.name for unit in units]
    assert names == sorted(set(names))


def test_a_name_has_the_number_of_the_file_and_of_the_part() -> None:
    files = [text_file("a", 3), text_file("b", 0), text_file("c", 2)]
    assert [unit.name for unit in cut_into_units(files, unit_size=2)] == [
        "part-000000-000000",
        "part-000000-000001",
        "part-000002-000000",
    ]


def test_what_can_only_be_read_whole_is_one_unit(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"One.\nTwo.\n"))
    compressed = find_inputs([str(tmp_path / "a.txt.gz")])
    for files in (compressed, [text_file("a.txt", 10, kind="document")]):
        (unit,) = cut_into_units(files, unit_size=1)
        assert (unit.begin, unit.end, unit.place) == (0, -1, "whole file")


def test_an_empty_file_has_no_units(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    assert list(cut_into_units(find_inputs([str(tmp_path / "a.txt")]), unit_size=5)) == []
    assert list(cut_into_units([text_file("a", 0, kind="document")], unit_size=5)) == []


@pytest.mark.parametrize("rows_per_group", [1, 4, 100])
@pytest.mark.parametrize("unit_size", [1, 200, 1 << 20])
def test_units_of_parquet_hold_each_row_once_and_stay_in_their_group(
    tmp_path: Path, rows_per_group: int, unit_size: int
) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(
        pa.table({"text": [f"{n} " * 40 for n in range(10)]}), path, row_group_size=rows_per_group
    )
    units = list(cut_into_units(find_inputs([str(path)]), unit_size=unit_size))
    assert [row for unit in units for row in range(unit.begin, unit.end)] == list(range(10))
    assert all(before.end == unit.begin for before, unit in pairwise(units))
    for unit in units:
        assert {row // rows_per_group for row in range(unit.begin, unit.end)} == {unit.group}
    if unit_size == 1:
        assert len(units) == 10


def test_a_unit_says_where_it_is_and_comes_back_from_its_line() -> None:
    unit = Unit(name="part-1", file="é.txt", root="", path="/é", format="text", compression="", begin=5, end=9)
    assert unit.place == "bytes 5-9"
    assert Unit.from_json(unit.to_json()) == unit
    rows = Unit(
        name="part-2", file="a", root="s3://x", path="a", format="parquet", compression="", begin=0, end=2, group=1
    )
    assert rows.place == "rows 0-2"
    assert Unit.from_json(rows.to_json()) == rows
