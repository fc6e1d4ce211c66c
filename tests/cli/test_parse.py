"""The output formats of `spanlin parse`; what it reads is tested with the parser."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from spanlin.cli.main import main
from spanlin.parser import Parser
from spanlin.runtime.onnx import OnnxBackend

TEXT = "Dogs bark. (Cats\ndon't.)\n"


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load(threads=1)


@pytest.fixture(autouse=True)
def one_parser(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Load the model once for all tests."""
    monkeypatch.setattr(Parser, "load", lambda *_, **__: parser)


def run(*arguments: str, text: str = TEXT) -> str:
    result = CliRunner().invoke(main, ["parse", *arguments], input=text)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_brackets_are_the_default_and_those_of_every_other_format() -> None:
    lines = run().splitlines()
    assert lines == run("--format", "brackets").splitlines()
    assert [json.loads(line)["brackets"] for line in run("--format", "json").splitlines()] == lines


def test_json_of_a_text_knows_the_places_of_words_in_it() -> None:
    sentences = [json.loads(line) for line in run("--format", "json").splitlines()]
    assert [sentence["words"] for sentence in sentences] == [
        ["Dogs", "bark", "."],
        ["(", "Cats", "do", "n't", ".", ")"],
    ]
    for sentence in sentences:
        assert [TEXT[start:end] for start, end in sentence["offsets"]] == sentence["words"]
        assert len(sentence["tags"]) == len(sentence["tag_probabilities"]) == len(sentence["words"])
        assert all(0 <= found["probability"] <= 1 for found in sentence["constituents"])


def test_json_of_lines_has_an_object_for_each_also_over_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnnxBackend, "chunk", 2)
    text = "Dogs bark. Cats don't.\n\n \nÄpfel fallen\n"
    lines = run("--lines", "--format", "json", text=text).splitlines()
    sentences = [json.loads(line) for line in lines]
    assert [len(sentence["words"]) for sentence in sentences] == [7, 0, 0, 2]
    assert "Äpfel" in lines[3]
    for sentence, line in zip(sentences, text.splitlines(), strict=True):
        assert [line[start:end] for start, end in sentence["offsets"]] == sentence["words"]
    assert (sentences[1]["brackets"], sentences[1]["constituents"]) == ("", [])


def test_json_of_tokens_has_no_offsets_and_takes_any_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnnxBackend, "chunk", 2)
    lines = run("--tokenized", "--format", "json", text="-LRB- a\n\n-UD800- b\nc\n\n").splitlines()
    sentences = [json.loads(line) for line in lines]
    assert [sentence["words"] for sentence in sentences] == [["(", "a"], [], ["\ud800", "b"], ["c"], []]
    assert [sentence["offsets"] for sentence in sentences] == [None] * 5


@pytest.mark.parametrize("form", [[], ["--lines"], ["--tokenized"]])
@pytest.mark.parametrize("output_format", ["pretty", "latex", "columns", "svg"])
def test_drawings_are_those_of_the_library(form: list[str], output_format: str, parser: Parser) -> None:
    text = "Dogs bark .\n\nCats sleep .\n"
    dogs, cats = parser.parse_tokens([["Dogs", "bark", "."], ["Cats", "sleep", "."]])
    first, second = getattr(dogs, output_format)(), getattr(cats, output_format)()
    found = run(*form, "--format", output_format, text=text)
    after = "\n" if output_format == "svg" else "\n\n"
    assert found == first + after + ("\n" if form else "") + second + after


def test_svg_is_one_document_a_line() -> None:
    roots = [ElementTree.fromstring(line) for line in run("--format", "svg").splitlines()]
    assert [root[0].text for root in roots] == ["Tree of: Dogs bark .", "Tree of: ( Cats do n't . )"]


def test_latex_comes_in_two_styles() -> None:
    assert run("--format", "latex").count("\\begin{forest}") == 2
    assert run("--format", "latex", "--style", "tikz-qtree").count("\\Tree [.{TOP}") == 2


def test_an_unknown_format_is_a_usage_error() -> None:
    result = CliRunner().invoke(main, ["parse", "--format", "xml"], input="a")
    assert result.exit_code == 2
    assert "'xml' is not one of 'brackets', 'json'" in result.stderr
