"""What `spanlin parse` reads, without a parser."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import click
import pytest

from spanlin.cli.main import main
from spanlin.cli.sources import Source
from spanlin.errors import SpanlinError
from spanlin.text import tokenize
from spanlin.text.forms import InputForm

TEXT = "Dogs bark. (Cats\ndon't.)\n"


def read(raw: bytes, folder: Path, form: InputForm = "text", encoding: str = "utf-8") -> Source:
    path = folder / "a.txt"
    path.write_bytes(raw)
    return Source([str(path)], form=form, encoding=encoding)


def words(source: Source) -> list[list[str]]:
    return [list(found.words) for found in source]


def error(source: Source) -> str:
    assert isinstance(source.error, SpanlinError)
    assert "\n" not in str(source.error)
    return str(source.error)


def test_a_text_has_the_sentences_that_the_library_finds_and_their_places(tmp_path: Path) -> None:
    source = read(TEXT.encode(), tmp_path)
    assert [found.sentence for found in source] == tokenize(TEXT)
    assert source.error is None
    assert source.total_bytes == len(TEXT)


def test_a_line_or_its_tokens_may_be_a_sentence(tmp_path: Path) -> None:
    raw = b"Dogs bark. No.\n\n-LRB- a\n"
    lines = list(read(raw, tmp_path, "lines"))
    assert [len(found.words) for found in lines] == [5, 0, 3]
    assert [found.place for found in lines] == [15, 16, 24]
    assert lines[0].sentence is not None
    tokens = list(read(raw, tmp_path, "tokenized"))
    assert [list(found.words) for found in tokens] == [["Dogs", "bark.", "No."], [], ["(", "a"]]
    assert {found.sentence for found in tokens} == {None}


def test_no_sentence_goes_from_one_file_into_the_next_and_each_is_named(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("Dogs", encoding="utf-8")
    two.write_text("\ufeffbark.", encoding="utf-8")
    source = Source([str(one), str(two)], form="text")
    found = list(source)
    assert [(sentence.file, list(sentence.words)) for sentence in found] == [
        (str(one), ["Dogs"]),
        (str(two), ["bark", "."]),
    ]
    assert found[-1].place == source.total_bytes == 4 + 8


def test_texts_are_given_directly_with_whatever_characters() -> None:
    source = Source([], texts=["Äpfel.", "a\ud800"], form="text")
    assert words(source) == [["Äpfel", "."], ["a", "?"]]
    assert source.total_bytes == 7 + 2


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            "Dogs bark.\n".encode("utf-16"),
            "line 1: not UTF-8 (byte 1) but, as it starts, utf-16: add --encoding utf-16",
        ),
        (b"\xfe\xff" + "Dogs".encode("utf-16-be"), "utf-16: add --encoding utf-16"),
        (
            "Dogs bark.\n".encode("utf-32"),
            "line 1: not UTF-8 (byte 1) but, as it starts, utf-32: add --encoding utf-32",
        ),
        (b"a\nB\xfc\n", "line 2: not UTF-8 (byte 2): if it is an older file, try --encoding cp1252"),
        (b"a\n\x81\n", "line 2: not UTF-8 (byte 1): if it is an older file, try --encoding latin-1"),
    ],
)
def test_an_error_says_which_encoding_it_may_be(tmp_path: Path, raw: bytes, message: str) -> None:
    source = read(raw, tmp_path)
    list(source)
    assert error(source).startswith(f"{tmp_path / 'a.txt'}, line ")
    assert error(source).endswith(message)
    other = read(raw, tmp_path, encoding=message.rsplit(maxsplit=1)[-1])
    assert words(other)
    assert other.error is None


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_told_by_its_zeros(tmp_path: Path, encoding: str) -> None:
    raw = "Dogs bark.\nCats meow.\n".encode(encoding)
    source = read(raw, tmp_path)
    assert words(source) == []
    assert error(source) == f"{tmp_path / 'a.txt'}: not UTF-8 but, as it starts, UTF-16: add --encoding {encoding}"
    assert words(read(raw, tmp_path, encoding=encoding))


def test_a_pdf_is_no_text(tmp_path: Path) -> None:
    source = read(b"%PDF-1.4\n1 0 obj\n", tmp_path)
    assert words(source) == []
    assert "a.txt: this is a PDF: extract its text first" in error(source)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32", "cp1252", "utf-7", "shift_jis"])
@pytest.mark.parametrize("form", ["text", "lines"])
def test_the_encoding_of_a_file_changes_nothing_else(tmp_path: Path, encoding: str, form: InputForm) -> None:
    # In UTF-16, every character of the last line has a byte that is a line break elsewhere.
    text = "Apples fall.\r\nDogs bark.\n\nNo line break"
    if encoding.startswith("utf"):
        text += " “Äpfel”\n\u0a0a\u0a0a \u0a0a"
    expected = [(found.words, found.sentence) for found in read(text.encode(), tmp_path, form)]
    found = [(found.words, found.sentence) for found in read(text.encode(encoding), tmp_path, form, encoding)]
    assert found == expected
    marked = read(("\ufeff" + text).encode("utf-16-be"), tmp_path, form, "utf-16-be")
    assert [(found.words, found.sentence) for found in marked] == expected


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "ascii"])
def test_all_before_a_line_of_another_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    source = read("Dogs bark.\n\nCats".encode(encoding) + b"\x00\xd8\xff", tmp_path, encoding=encoding)
    assert words(source)[0] == ["Dogs", "bark", "."]
    assert f", line 3: not {encoding if encoding != 'utf-8' else 'UTF-8'}" in error(source)
    assert "--encoding" in error(source)


def test_no_file_is_read_after_a_bad_one(tmp_path: Path) -> None:
    bad, good = tmp_path / "bad", tmp_path / "good"
    bad.write_bytes(b"One.\n\xff\n")
    good.write_text("Two.")
    source = Source([str(bad), str(good)], form="lines")
    assert words(source) == [["One", "."]]


def test_gzip_is_unpacked_and_its_size_is_not_known(tmp_path: Path) -> None:
    raw = gzip.compress(TEXT.encode("utf-16")) + gzip.compress("The end.".encode("utf-16-le"))
    source = read(raw, tmp_path, encoding="utf-16")
    assert [found.sentence for found in source] == tokenize(TEXT + "The end.")
    assert source.total_bytes is None


def test_all_before_the_damage_in_gzip_is_read(tmp_path: Path) -> None:
    whole = gzip.compress(b"Dogs bark.\n" * 2_000, compresslevel=0)
    source = read(whole[: len(whole) // 2], tmp_path, "lines")
    assert len(words(source)) > 500
    assert error(source).startswith(f"{tmp_path / 'a.txt'}: cannot be read to its end: ")


def test_a_file_that_is_not_there_is_named_when_its_turn_comes(tmp_path: Path) -> None:
    source = Source([str(tmp_path / "none")], texts=["Yes."], form="text")
    assert source.total_bytes is None
    found = iter(source)
    assert list(next(found).words) == ["Yes", "."]
    with pytest.raises(SpanlinError, match="none: No such file or directory"):
        next(found)


def test_standard_input_has_no_name_and_a_size_only_if_it_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Never read.\nYes.\n")
    with path.open("rb") as file:
        file.readline()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        source = Source(["-"], form="text")
        assert source.total_bytes == len("Yes.\n")
        assert [(found.file, list(found.words)) for found in source] == [("", ["Yes", "."])]
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Yes.")))
        assert Source(["-"], form="text").total_bytes is None


def test_an_encoding_is_known_by_any_of_its_names() -> None:
    command = main.get_command(click.Context(main), "parse")
    assert command is not None
    for given, expected in (("UTF_8", "utf-8"), ("utf-8-sig", "utf-8"), ("Latin-1", "iso8859-1"), ("cp1252", "cp1252")):
        context = command.make_context("parse", ["--encoding", given, "-"])
        assert context.params["encoding"] == expected
    for wrong in ("utf-9", "hex", "undefined", "idna", "a\0b", ""):
        with pytest.raises(click.BadParameter, match="is not a known encoding, such as utf-8, utf-16, cp1252 or"):
            command.make_context("parse", ["--encoding", wrong, "-"])
