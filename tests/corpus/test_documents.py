"""The documents of units: the same ones however a file is cut; what is wrong with the others."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.corpus.documents import BadDocument, Document, DocumentOptions, UnreadableError, read_documents
from spanlin.corpus.inputs import find_inputs
from spanlin.corpus.units import Unit, cut_into_units


def units(path: Path, size: int = 1 << 20) -> list[Unit]:
    return list(cut_into_units(find_inputs([str(path)]), unit_size=size))


def documents(path: Path, size: int = 1 << 20, **options: Any) -> list[Document | BadDocument]:
    return [found for unit in units(path, size) for found in read_documents(unit, DocumentOptions(**options))]


def reasons(path: Path, **options: Any) -> list[str]:
    return [found.reason for found in documents(path, **options) if isinstance(found, BadDocument)]


WRAPPED = "The dog barked at\nthe cat. It ran.\n\nThe end.\n"


def test_a_file_is_one_document_if_it_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbf" + WRAPPED.encode())
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(WRAPPED.encode()))
    (tmp_path / "c.txt").write_text(" \n")
    (tmp_path / "d.txt").write_text("")
    names = [f"{tmp_path}/{name}" for name in ("a.txt", "b.txt.gz")]
    assert documents(tmp_path, size=5) == [Document(0, name, WRAPPED) for name in names]
    assert len(units(tmp_path)) == 3


def test_a_file_that_is_too_long_or_no_text_is_a_bad_document(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(WRAPPED)
    (tmp_path / "b.txt").write_bytes(b"caf\xe9")
    advice = "if each line is a document, give --input-format text"
    length = len(WRAPPED)
    assert reasons(tmp_path, longest_document=length) == ["not UTF-8: byte 4 of it"]
    assert reasons(tmp_path, longest_document=length - 1)[0] == (
        f"too long: {length} characters, of at most {length - 1}; {advice}"
    )
    assert reasons(tmp_path, longest_document=5)[0] == f"too long: a file of more than 23 bytes; {advice}"


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=9)), st.integers(1, 30))
def test_lines_of_text_are_documents_however_the_file_is_cut(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], size: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_text("\r\n".join(lines), encoding="utf-8", newline="")
    found = documents(path, size)
    expected = [line.removeprefix("\ufeff") if number == 0 else line for number, line in enumerate(lines)]
    assert [document.text for document in found if isinstance(document, Document)] == [
        line for line in expected if line.encode().strip()
    ]
    whole = path.read_bytes()
    for document in found:
        assert isinstance(document, Document)
        assert whole[document.place :].removeprefix(b"\xef\xbb\xbf").startswith(document.text.encode())
        assert document.id == f"{path}:{document.place}"


@pytest.mark.parametrize("rows_per_group", [1, 3, 100])
@pytest.mark.parametrize("size", [1, 40, 1 << 20])
@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
def test_rows_of_parquet_are_documents_however_the_groups_are_cut(
    tmp_path: Path, rows_per_group: int, size: int, kind: str
) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    kinds = {"dictionary": pa.dictionary(pa.int32(), pa.string())}
    texts = [f"Row {number}, é." for number in range(10)]
    kind_of_text = kinds[kind] if kind in kinds else getattr(pa, kind)()
    path = tmp_path / "a.parquet"
    try:
        table = pa.table({"key": list(range(100, 110)), "body": pa.array(texts).cast(kind_of_text)})
        pyarrow.parquet.write_table(table, path, row_group_size=rows_per_group)
    except pa.ArrowNotImplementedError as error:  # views, in older versions
        pytest.skip(str(error))
    found = documents(path, size, text_field="body", id_field="key")
    assert found == [Document(number, str(100 + number), text) for number, text in enumerate(texts)]
    assert [document.id for document in documents(path, size, text_field="body")][9] == f"{path}:9"  # type: ignore[union-attr]


def test_compressed_files_are_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"One.\n\n  \nTwo."))
    assert len(units(tmp_path / "a.txt.gz", 1)) == 1
    assert [(found.place, found.text) for found in documents(tmp_path / "a.txt.gz", 1)] == [(0, "One."), (9, "Two.")]  # type: ignore[union-attr]


def test_zstandard_is_read_with_pyarrow(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    (tmp_path / "a.jsonl.zst").write_bytes(pa.compress(b'{"text": "One."}\n', codec="zstd", asbytes=True))
    assert [found.text for found in documents(tmp_path / "a.jsonl.zst")] == ["One."]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON: "),
        (b"[" * 100_000, "not JSON: "),
        (b'{"text": ' + b"1" * 5000 + b"}", "not JSON: "),
        (b'{"text": "\xff"}', "not UTF-8: byte 11 of it"),
        (b"[1]", "not a JSON object: list"),
        (b'{"body": "x"}', "no field 'text'"),
        (b'{"text": 5, "id": "x"}', "its text is not a string but int"),
        (b'{"text": null, "id": "x"}', "its text is not a string but NoneType"),
        (b'{"text": "x"}', "no field 'id'"),
        (b'{"text": "x", "id": 1.5}', "its id is neither text nor a whole number but float"),
        (b'{"text": "x", "id": true}', "its id is neither text nor a whole number but bool"),
        (b'{"text": "a\\ud800", "id": 1}', "half a surrogate pair at character 1, which is not text"),
        (b'{"text": "a", "id": "\\ud800"}', "half a surrogate pair at character 0, which is not text"),
        (b'{"text": "' + b"x" * 51 + b'", "id": 1}', "too long: 51 characters, of at most 50"),
        (b'{"text": "' + b"x" * 700 + b'", "id": 1}', "too long: a line of more than 600 bytes"),
    ],
)
def test_a_bad_line_says_why_and_leaves_the_others(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "a.jsonl"
    good = b'{"text": "Fine.", "id": 7}\n'
    path.write_bytes(good + line + b"\n" + good)
    limit = 50 if reason.startswith("too long") else 100_000
    first, bad, last = documents(path, id_field="id", longest_document=limit)
    assert (first, last) == (Document(0, "7", "Fine."), Document(len(good) + len(line) + 1, "7", "Fine."))
    assert isinstance(bad, BadDocument)
    assert bad.place == len(good)
    assert bad.reason.startswith(reason)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no file has such a name")
def test_a_file_whose_name_is_not_utf8_says_so(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl"))
    path.write_bytes(b'{"text": "x", "id": 1}\n')
    (bad,) = documents(path)
    assert isinstance(bad, BadDocument)
    assert bad.reason == "the name of its file is not UTF-8, and is part of its id: rename the file"
    assert list(documents(path, id_field="id")) == [Document(0, "1", "x")]


def test_bad_rows_of_parquet_say_why(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    data = pa.array([b"ok", b"\xff", None], type=pa.binary()).view(pa.string())
    pyarrow.parquet.write_table(pa.table({"text": data}), tmp_path / "a.parquet")
    assert reasons(tmp_path / "a.parquet") == ["not UTF-8: byte 1 of it", "its text is not a string but NoneType"]


def test_a_column_that_is_not_there_makes_the_file_unreadable(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(pa.table({"body": ["x"]}), tmp_path / "a.parquet")
    with pytest.raises(UnreadableError, match="no column 'text'"):
        documents(tmp_path / "a.parquet")


def test_a_cut_gzip_file_gives_what_is_before_the_cut(tmp_path: Path) -> None:
    lines = [f"Sentence {json.dumps(number)}." for number in range(20_000)]
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode())[:-2000])
    found: list[Document | BadDocument] = []

    def read() -> None:
        for document in read_documents(units(path)[0], DocumentOptions()):
            found.append(document)

    with pytest.raises(UnreadableError, match="ended before the end-of-stream marker"):
        read()
    assert len(lines) / 2 < len(found) < len(lines)
    assert [document.text for document in found if isinstance(document, Document)] == lines[: len(found)]


@pytest.mark.parametrize(("name", "data"), [("a.txt.gz", b"no gzip"), ("a.parquet", b"PAR1 no parquet")])
def test_a_damaged_file_is_one_unit_that_says_why(tmp_path: Path, name: str, data: bytes) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_bytes(data)
    (unit,) = units(tmp_path / name, 1)
    with pytest.raises(UnreadableError, match=r"Not a gzipped file|Parquet"):
        list(read_documents(unit, DocumentOptions()))


def test_a_file_that_has_gone_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (unit,) = units(tmp_path / "a.txt")
    (tmp_path / "a.txt").unlink()
    with pytest.raises(UnreadableError, match="No such file or directory"):
        list(read_documents(unit, DocumentOptions()))
