from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from runtime.conftest import TREES, folder, model  # noqa: F401 (fixtures)
from spanlin import parser as parser_module
from spanlin.cli.main import main
from spanlin.parser import Parser
from spanlin.runtime.onnx import OnnxBackend


@pytest.fixture
def parser(folder: Path) -> Parser:  # noqa: F811
    return Parser.load(folder)


def test_sentences_without_words_give_empty_lines_in_their_place(parser: Parser) -> None:
    words = TREES[0].words
    lines = parser.brackets([[], words, [], [], words[:1], []])
    assert [bool(line) for line in lines] == [False, True, False, False, True, False]
    assert parser.parse_tokens([[]]) == [None]
    assert parser.brackets([]) == []


def test_any_word_comes_back(parser: Parser) -> None:
    words = ["(", ")", "-LRB-", "a b", "", " ", "\n", "😀", "x" * 5000, "\x00", "日本", "\ud800", "``"]
    (tree,) = parser.parse_tokens([words])
    assert tree is not None
    assert list(tree.words) == words


def test_a_stream_holds_only_a_few_chunks(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnnxBackend, "chunk", 8)
    taken = 0

    def endless() -> Iterator[list[str]]:
        nonlocal taken
        while True:
            taken += 1
            yield ["word"] * (taken % 5)

    lines = parser.stream(endless())
    first = list(itertools.islice(lines, 20))
    assert [bool(line) for line in first] == [bool(number % 5) for number in range(1, 21)]
    assert taken <= 20 + 3 * 8
    lines.close()


def test_a_long_stream_forgets_words(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnnxBackend, "chunk", 10)
    monkeypatch.setattr(parser_module, "_MOST_WORDS", 25)
    sentences = [[f"word{number}", "the"] for number in range(100)]
    trees = parser.parse_tokens(sentences)
    assert [list(tree.words) for tree in trees if tree is not None] == sentences
    assert len(parser._table) <= 25 + 11


def test_many_short_sentences_keep_their_order(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnnxBackend, "chunk", 100)
    words = [word for tree in TREES for word in tree.words]
    sentences = [[words[number % len(words)]] * (1 + number % 3) for number in range(1000)]
    trees = parser.parse_tokens(sentences)
    assert [list(tree.words) for tree in trees if tree is not None] == sentences


def test_parse_reads_a_sentence_a_line(folder: Path) -> None:  # noqa: F811
    text = " ".join(TREES[0].words) + "\n\n-LRB- a )\n"
    result = CliRunner().invoke(main, ["parse", "--model", str(folder), "--tokenized", "-"], input=text)
    assert result.exit_code == 0
    first, empty, brackets = result.stdout.split("\n")[:3]
    assert first.startswith("(TOP ")
    assert empty == ""
    assert " -LRB-)" in brackets
    assert " -RRB-)" in brackets


def test_parse_without_a_model_is_a_one_line_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["parse", "--model", str(tmp_path / "none"), "--tokenized"], input="a\n")
    assert result.exit_code == 1
    assert result.stderr.startswith("spanlin: ")
    assert result.stderr.count("\n") == 1


def test_a_line_that_is_not_utf8_is_named(folder: Path) -> None:  # noqa: F811
    result = CliRunner().invoke(main, ["parse", "--model", str(folder), "--tokenized"], input=b"a\n\xff\n")
    assert result.exit_code == 1
    assert "line 2: not UTF-8" in result.stderr
