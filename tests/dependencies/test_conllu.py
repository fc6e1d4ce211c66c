from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conllu_samples import DOGS, conllu_sentences, small_sentence
from spanlin.dependencies import (
    ConlluSentence,
    EmptyNode,
    MultiWordToken,
    Word,
    parse_conllu,
    read_conllu,
    write_conllu,
)
from spanlin.dependencies.conllu import format_conllu
from spanlin.errors import ConlluError, DependencyError

WORD = "1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n"


@given(st.lists(conllu_sentences(), max_size=4))
def test_reading_inverts_writing(sentences: list[ConlluSentence]) -> None:
    text = "".join(map(format_conllu, sentences))
    assert parse_conllu(text) == sentences
    assert "".join(map(format_conllu, parse_conllu(text))) == text


def test_every_part_of_a_sentence_is_read() -> None:
    (sentence,) = parse_conllu(DOGS)
    assert sentence.forms == ("Dogs", "do", "n't", "bark", ".")
    assert sentence.words[0] == Word("Dogs", "dog", "NOUN", "NNS", "Number=Plur", 4, "nsubj", "4:nsubj|5.1:nsubj", "_")
    assert sentence.multi_word_tokens == (MultiWordToken(2, 3, "don't"),)
    assert sentence.empty_nodes == (EmptyNode(5, 1, "bark", "bark", "VERB", deps="4:conj"),)
    assert sentence.comments[3] == "# a remark without a value"
    assert format_conllu(sentence) == DOGS


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz"])
def test_files_plain_and_gzip_come_back_byte_for_byte(tmp_path: Path, name: str) -> None:
    text = (DOGS + WORD + "\n").encode()
    source = tmp_path / f"source-{name}"
    source.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    assert write_conllu(read_conllu(source), tmp_path / name) == 2
    written = (tmp_path / name).read_bytes()
    assert (gzip.decompress(written) if name.endswith(".gz") else written) == text


def test_windows_line_ends_a_byte_order_mark_and_other_empty_lines_are_read() -> None:
    text = "\ufeff\n\n" + WORD.replace("\n", "\r\n") + "\r\n\n\n" + WORD
    assert [format_conllu(sentence) for sentence in parse_conllu(text)] == [WORD + "\n"] * 2


def test_sentences_are_read_one_at_a_time() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as reader, os.fdopen(write_end, "wb", buffering=0) as writer:
        writer.write((WORD + "\n").encode())
        assert next(read_conllu(reader)).forms == ("a",)  # the other end is still open


ERRORS = [
    ("1\ta\ta\n\n", 1, "3 columns, expected 10 with tabs between them"),
    (WORD.replace("\t0\t", "\tup\t"), 1, "the head is 'up', expected a number or _"),
    (WORD.replace("\t0\t", "\t-1\t"), 1, "the head is '-1', expected a number or _"),
    (WORD.replace("\t0\t", "\t01\t"), 1, "the head is '01', expected a number or _"),
    (WORD.replace("\ta\ta\t", "\ta\t\t"), 1, "column 3, lemma, is empty: write _ for nothing"),
    ("# x\n" + WORD + "3" + WORD[1:], 3, "the id is 3, expected 2"),
    (WORD + "01" + WORD[1:], 2, "the id is 01, expected 2"),
    ("x" + WORD[1:], 1, "the id is 'x', expected a number, a range such as 3-4, or 3.1"),
    (WORD.replace("root", "ro\rot"), 1, "a carriage return inside the line: take it out"),
    (WORD + "# late\n", 2, "a comment inside a sentence: put it above the first word"),
    ("# x\n\n" + WORD, 1, "a sentence without words"),
    ("2-3" + WORD[1:] + WORD, 1, "the multi-word token 2-3 does not stand right before its first word"),
    ("1-2" + WORD[1:] + WORD + "2-3" + WORD[1:], 3, "the multi-word token 2-3 overlaps the one before it"),
    (WORD + "2-1" + WORD[1:], 2, "the multi-word token 2-1 ends before it starts"),
    ("1-2" + WORD[1:] + WORD + "\n", 2, "a multi-word token ends at word 2, but there are only 1 words"),
    (WORD + "2.1" + WORD[1:], 2, "the empty node is 2.1, expected 1.1"),
    (WORD + "1.2" + WORD[1:], 2, "the empty node is 1.2, expected 1.1"),
]


@pytest.mark.parametrize(("text", "line", "message"), ERRORS)
def test_an_error_has_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(ConlluError) as caught:
        parse_conllu(text)
    assert (caught.value.line, caught.value.message) == (line, message)
    assert str(caught.value) == f"<string>:{line}: {message}"


def test_bytes_that_are_not_utf_8_are_an_error_with_its_line() -> None:
    with pytest.raises(ConlluError, match=r"^<stream>:2: not UTF-8: convert the file first$"):
        list(read_conllu(io.BytesIO(WORD.encode() + b"2\t\xff\n")))


@pytest.mark.parametrize("text", [case[0] for case in ERRORS])
def test_a_bad_sentence_can_be_left_out(text: str) -> None:
    bad: list[ConlluError] = []
    whole = f"{DOGS}{text.rstrip()}\n\n{DOGS}"
    found = list(read_conllu(io.BytesIO(whole.encode()), on_bad=bad.append))
    assert [sentence.sent_id for sentence in found if sentence.comments] == ["dogs-1", "dogs-1"]
    assert len(bad) == 1


def test_files_that_cannot_be_read_or_written_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(DependencyError, match="cannot be read: No such file"):
        list(read_conllu(tmp_path / "nowhere.conllu"))
    (tmp_path / "cut.conllu.gz").write_bytes(gzip.compress(DOGS.encode() * 50)[:-20])
    with pytest.raises(DependencyError, match="cannot be read to its end"):
        list(read_conllu(tmp_path / "cut.conllu.gz"))
    with pytest.raises(DependencyError, match="cannot be written: No such file"):
        write_conllu([], tmp_path / "nowhere" / "a.conllu")
    with pytest.raises(DependencyError, match=f"^{tmp_path}: cannot be written: Is a directory$"):
        write_conllu([], tmp_path)


@pytest.mark.parametrize(
    ("rows", "comments", "message"),
    [
        ((Word("a\tb"),), (), r"form of 1 is 'a\\tb': it must be text without tabs or line ends"),
        ((Word("a", misc=""),), (), "misc of 1 is '': it must be text without tabs or line ends"),
        ((), (), "a sentence without words"),
        (
            (Word("a"), MultiWordToken(1, 2, "ab"), Word("b")),
            (),
            "the multi-word token 1-2 does not stand right before",
        ),
        ((Word("a"),), ("remark",), "the comment 'remark' is not one line that starts with #"),
        ((Word("a"),), ("# one\n# two",), "is not one line that starts with #"),
    ],
)
def test_what_is_not_conllu_is_not_written(
    tmp_path: Path, rows: tuple[Word, ...], comments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(DependencyError, match=message):
        write_conllu([ConlluSentence(rows, comments)], tmp_path / "a.conllu")
    assert list(tmp_path.iterdir()) == []


def test_the_samples_are_conllu() -> None:
    assert parse_conllu(small_sentence((2, "det"), (0, "root")))[0].dependencies.heads == (2, 0)
