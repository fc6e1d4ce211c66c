"""The output formats of `spanlin parse`; what it reads is tested with the parser."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from parsers_with_heads import ParserWithHeads
from spanlin.cli.main import main
from spanlin.cli.parse import DECODERS
from spanlin.decoding.decode import Decoder
from spanlin.dependencies import parse_conllu
from spanlin.parser import Parser
from spanlin.runtime.onnx import OnnxBackend
from spanlin.runtime.options import PARSER_DECODERS, TREE_DECODERS, ParseOptions

TEXT = "Dogs bark. (Cats\ndon't.)\n"


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load(threads=1)


@pytest.fixture(scope="module")
def trees_alone(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    networks = pytest.importorskip("exported_networks")  # which need torch
    return Parser.load(networks.export_once("encoder", tmp_path_factory).folder, threads=1)


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


def test_several_files_come_one_after_another_and_json_names_them(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("Dogs bark. Cats", encoding="utf-8")  # a sentence does not go on in the next file
    two.write_text("\ufeffsleep.", encoding="utf-8")
    assert run(str(one), str(two)).splitlines() == [*run(str(one)).splitlines(), *run(str(two)).splitlines()]
    found = [json.loads(line) for line in run(str(one), str(two), "--format", "json").splitlines()]
    assert [(sentence["file"], sentence["words"][0], sentence["offsets"][0]) for sentence in found] == [
        (str(one), "Dogs", [0, 4]),
        (str(one), "Cats", [11, 15]),
        (str(two), "sleep", [0, 5]),
    ]
    assert "file" not in json.loads(run(str(two), "--format", "json"))


def test_text_is_given_directly_in_any_form() -> None:
    assert run("--text", TEXT, text="") == run()
    assert run("--text", "Dogs bark.", "--text", "Cats don't.", text="") == run(
        "--lines", text="Dogs bark.\nCats don't.\n"
    )
    assert run("--tokenized", "--text", "Dogs bark .", text="") == run("--lines", text="Dogs bark.\n")


def test_all_before_a_bad_line_is_written(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"Dogs bark.\n\nB\xfc.\n\nCats sleep.\n")
    result = CliRunner().invoke(main, ["parse", str(path)])
    assert result.exit_code == 1
    assert result.stdout == run(text="Dogs bark.\n")
    wrong = "line 3: not UTF-8 (byte 2): if it is an older file, try --encoding cp1252"
    assert result.stderr == f"spanlin: {path}, {wrong}\n"
    assert run("--encoding", "cp1252", str(path)) == run(text="Dogs bark.\n\nBü.\n\nCats sleep.\n")


def test_gzip_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "story.gz"
    path.write_bytes(gzip.compress(TEXT.encode()) + gzip.compress(b"The end.\n"))
    expected = run("--format", "json", text=TEXT + "The end.\n")
    assert run("--format", "json", str(path)) == expected
    path.write_bytes(gzip.compress(TEXT.encode("utf-16")))
    assert run("--encoding", "utf-16", str(path)) == run()
    found = subprocess.run(
        [sys.executable, "-m", "spanlin", "parse", "-q"],
        input=gzip.compress(TEXT.encode()),
        stdout=subprocess.PIPE,
        check=True,
    )
    assert found.stdout.decode() == run()


def test_a_decoder_and_a_root_label_change_the_tree(parser: Parser) -> None:
    (expected,) = parser.parse_tokens([["Dogs", "bark", "."]], ParseOptions(decoder="cky", root_label="NP"))
    assert expected.brackets().startswith("(TOP (NP ")
    found = run("--decoder", "cky", "--root-label", "NP", text="Dogs bark.\n")
    assert found == expected.brackets() + "\n"


def test_k_best_adds_alternatives_in_json() -> None:
    found = json.loads(run("--k-best", "3", "--format", "json", text="I saw her duck.\n"))
    assert len(found["alternatives"]) == 2
    assert len({found["brackets"], *(other["brackets"] for other in found["alternatives"])}) == 3
    assert found["alternatives"][0]["offsets"] == found["offsets"] == [[0, 1], [2, 5], [6, 9], [10, 14], [14, 15]]


def test_the_decoders_are_those_of_the_library() -> None:
    assert (*get_args(Decoder), "labelled") == TREE_DECODERS
    assert DECODERS == PARSER_DECODERS == (*TREE_DECODERS, "joint")


def test_a_drawing_shows_a_sign_for_what_utf_8_cannot_write() -> None:
    assert "\ufffd" in run("--tokenized", "--format", "pretty", text="-UD800- b\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "xml"], "Invalid value for '--format': 'xml' is not one of 'brackets', 'json', "),
        (["none.txt"], "File 'none.txt' does not exist."),
        (["--lines", "--tokenized"], "--lines and --tokenized are two forms of input: leave out one of them."),
        (["--encoding", "utf-9"], "'utf-9' is not a known encoding, such as utf-8, utf-16, cp1252 or latin-1."),
        (["--encoding", "hex"], "'hex' is not a known encoding, such as utf-8, utf-16, cp1252 or latin-1."),
        (["--encoding", "undefined"], "'undefined' is not a known encoding, such as utf-8"),
        (["--encoding", "latin-1", "--text", "a"], "--encoding is that of files: leave it out with --text."),
        (["--text", "a", "-"], "--text takes the place of files: leave out one of them."),
        (["--k-best", "2"], "--k-best works only with JSON: add --format json."),
        (["--k-best", "0"], "Invalid value for '--k-best': 0 is not in the range x>=1."),
        (["--threads", "-1"], "Invalid value for '--threads': -1 is not in the range x>=0."),
    ],
)
def test_a_wrong_call_is_one_line_that_says_where_to_look(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["parse", *arguments], input="a")
    assert result.exit_code == 2
    assert result.stderr.startswith("main parse: ")
    assert message in result.stderr
    assert result.stderr.endswith(" See main parse --help.\n")
    assert result.stderr.count("\n") == 1


@pytest.fixture
def with_heads(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ParserWithHeads(parser.folder, parser.backend, workers=1)
    monkeypatch.setattr(Parser, "load", lambda *_, **__: found)


@pytest.mark.usefixtures("with_heads")
def test_conllu_is_that_of_the_parses_with_sentences_numbered() -> None:
    sentences = parse_conllu(run("--format", "conllu"))
    assert [sentence.sent_id for sentence in sentences] == ["1", "2"]
    assert [sentence.text for sentence in sentences] == ["Dogs bark.", "(Cats don't.)"]
    assert sentences[1].dependencies.heads == (0, 1, 1, 1, 1, 1)
    assert [sentence.comment("constituency") for sentence in sentences] == run().splitlines()
    for row in (row for sentence in sentences for row in sentence.rows):
        start, _, end = row.misc.partition("TokenRange=")[2].partition(":")
        assert TEXT[int(start) : int(end)] == row.form


@pytest.mark.usefixtures("with_heads")
def test_conllu_leaves_out_lines_without_words_and_counts_them() -> None:
    output = run("--tokenized", "--format", "conllu", text="\nDogs bark\n\n\nCats sleep\n")
    assert [sentence.sent_id for sentence in parse_conllu(output)] == ["2", "5"]
    assert "\n\n\n" not in output
    assert not output.startswith("\n")
    assert output.endswith("\n\n")


@pytest.mark.usefixtures("with_heads")
def test_conllu_of_several_files_names_each_once(tmp_path: Path) -> None:
    names = [tmp_path / "a b.txt", tmp_path / "c.txt"]
    for name in names:
        name.write_text("Dogs bark. Cats sleep.", encoding="utf-8")
    sentences = parse_conllu(run("--format", "conllu", *map(str, names)))
    assert [sentence.sent_id for sentence in sentences] == ["1", "2", "3", "4"]
    ids = [sentence.comment("newdoc id") for sentence in sentences]
    assert ids == [str(names[0]).replace(" ", "_"), None, str(names[1]), None]


@pytest.mark.usefixtures("with_heads")
def test_arcs_are_drawn_in_box_characters_or_svg() -> None:
    assert run("--format", "arcs", "--lines", text="See dogs\n\nYes\n").split("\n\n") == [
        "┌─ See   VERB  root\n└► dogs  NOUN  obj",
        "\nYes  VERB  root",
        "",
    ]
    first, second, empty = run("--format", "svg-arcs").split("\n")
    assert ElementTree.fromstring(first).attrib["class"] == ElementTree.fromstring(second).attrib["class"]
    assert not empty


@pytest.mark.parametrize(
    "option", [("--format", "conllu"), ("--format", "arcs"), ("--format", "svg-arcs"), ("--decoder", "joint")]
)
def test_dependencies_of_a_model_without_any_are_a_one_line_error_before_anything_is_read(
    option: tuple[str, str], trees_alone: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Parser, "load", lambda *_, **__: trees_alone)
    result = CliRunner().invoke(main, ["parse", *option, "--text", "Dogs bark."])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == (
        f"spanlin: {trees_alone.folder.path.name}: this model was trained on trees alone and has no dependencies: "
        "use one that was trained with them\n"
    )
