from __future__ import annotations

import itertools
import re
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from runtime.conftest import TREES, folder, model  # noqa: F401 (fixtures)
from spanlin import CharacterConstraints
from spanlin.cli.main import main
from spanlin.errors import ConfigError, ConstraintError, DecodingError, DependencyError, SpanlinError
from spanlin.model_folder.folder import open_folder
from spanlin.parser import Parser
from spanlin.runtime import batch_runner
from spanlin.runtime.onnx import OnnxBackend
from spanlin.runtime.options import ParseOptions
from spanlin.text import Token
from spanlin.trees.brackets import parse_tree
from spanlin.trees.transforms import ROOT_LABELS


@pytest.fixture
def parser(folder: Path) -> Parser:  # noqa: F811
    return Parser.load(folder)


def test_a_parser_is_known_by_its_model_and_logged(folder: Path, caplog: pytest.LogCaptureFixture) -> None:  # noqa: F811
    caplog.set_level("INFO", logger="spanlin")
    assert repr(Parser.load(folder, threads=2)) == f"<Parser of {folder.name}>"
    assert caplog.messages == [f"parser of {folder}: OnnxBackend, workers: 2"]


def test_a_model_trained_on_trees_alone_has_no_dependencies_and_says_so(parser: Parser) -> None:
    assert not parser.has_dependencies
    (parsed,) = parser.parse_tokens([TREES[0].words])
    assert parsed.dependencies is None
    with pytest.raises(DependencyError, match=f"^{parser.folder.path.name}: this model was trained on trees alone"):
        parser.check_dependencies()


def test_sentences_without_words_give_empty_lines_in_their_place(parser: Parser) -> None:
    words = TREES[0].words
    lines = list(parser.bracket_lines([[], words, [], [], words[:1], []]))
    assert [bool(line) for line in lines] == [False, True, False, False, True, False]
    (empty,) = parser.parse_tokens([[]])
    assert (empty.words, empty.tags, empty.brackets(), empty.constituents()) == ((), (), "", [])
    with pytest.raises(SpanlinError, match="a sentence without words has no tree"):
        _ = empty.tree
    assert list(parser.bracket_lines([])) == []


def test_any_word_comes_back(parser: Parser) -> None:
    words = ["(", ")", "-LRB-", "a b", "", " ", "\n", "😀", "x" * 5000, "\x00", "日本", "\ud800", "``"]
    (parsed,) = parser.parse_tokens([words])
    assert list(parsed.words) == words
    assert list(parsed.tree.words) == words


def test_a_stream_holds_only_a_few_chunks(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnnxBackend, "chunk", 8)
    taken = 0

    def endless() -> Iterator[list[str]]:
        nonlocal taken
        while True:
            taken += 1
            yield ["word"] * (taken % 5)

    lines = parser.bracket_lines(endless())
    assert isinstance(lines, Generator)
    first = list(itertools.islice(lines, 20))
    assert [bool(line) for line in first] == [bool(number % 5) for number in range(1, 21)]
    assert taken <= 20 + 3 * 8
    lines.close()


@pytest.mark.parametrize("count", [0, 3, 8, 20])
def test_all_sentences_before_an_error_are_parsed(parser: Parser, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnnxBackend, "chunk", 8)

    def broken() -> Iterator[list[str]]:
        yield from (["word"] * (number % 5) for number in range(count))
        raise OSError("the disk is gone")

    lines = parser.bracket_lines(broken())
    assert len(list(itertools.islice(lines, count))) == count
    with pytest.raises(OSError, match="the disk is gone"):
        next(lines)


def test_a_long_stream_forgets_words(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnnxBackend, "chunk", 10)
    monkeypatch.setattr(batch_runner, "_MOST_WORDS", 25)
    sentences = [[f"word{number}", "the"] for number in range(100)]
    assert [list(parsed.tree.words) for parsed in parser.parse_tokens(sentences)] == sentences
    assert len(parser._runner._table) <= 25 + 11


def test_many_short_sentences_keep_their_order(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnnxBackend, "chunk", 100)
    words = [word for tree in TREES for word in tree.words]
    sentences = [[words[number % len(words)]] * (1 + number % 3) for number in range(1000)]
    assert [list(parsed.tree.words) for parsed in parser.parse_tokens(sentences)] == sentences


def test_parse_reads_a_sentence_a_line(folder: Path) -> None:  # noqa: F811
    text = " ".join(TREES[0].words) + "\n\n-LRB- a )\n"
    result = CliRunner().invoke(main, ["parse", "--model", str(folder), "--tokenized", "-"], input=text)
    assert result.exit_code == 0
    first, empty, brackets = result.stdout.split("\n")[:3]
    assert first.startswith("(TOP ")
    assert empty == ""
    assert " -LRB-)" in brackets
    assert " -RRB-)" in brackets


def test_parse_reads_text_and_untokenized_lines(folder: Path) -> None:  # noqa: F811
    text = "The dog barks. It\ndoesn't (really) sleep!\n\nTitle\n"
    found = CliRunner().invoke(main, ["parse", "--model", str(folder)], input=text)
    assert found.exit_code == 0
    words = [parse_tree(line).words for line in found.stdout.splitlines()]
    assert [list(one) for one in words] == [
        ["The", "dog", "barks", "."],
        ["It", "does", "n't", "(", "really", ")", "sleep", "!"],
        ["Title"],
    ]
    found = CliRunner().invoke(main, ["parse", "--model", str(folder), "--lines"], input=text)
    words = [parse_tree(line).words if line else () for line in found.stdout.splitlines()]
    assert [len(one) for one in words] == [5, 7, 0, 1]


def test_words_know_where_they_stand_in_the_text(parser: Parser) -> None:
    text = "  The dog barks.\n\nIt doesn't  sleep, \n says Ann. "
    parses = parser.parse(text)
    assert [list(parsed.words) for parsed in parses] == [
        ["The", "dog", "barks", "."],
        ["It", "does", "n't", "sleep", ",", "says", "Ann", "."],
    ]
    assert [parsed.text for parsed in parses] == ["The dog barks.", "It doesn't  sleep, \n says Ann."]
    for parsed in parses:
        assert parsed.offsets is not None
        assert [text[start:end] for start, end in parsed.offsets] == list(parsed.words)
        for found in parsed.constituents():
            assert text[found.start : found.end] == found.text
    lines = list(parser.stream(text.splitlines(keepends=True)))
    assert lines == parses


def test_constituents_are_the_trees_own_each_before_those_inside(parser: Parser) -> None:
    for parsed in parser.parse_tokens([tree.words for tree in TREES]):
        # Reversed, a chain of labels over one span stands with its topmost first.
        outside_in = [span for span in parsed.tree.constituents() if span.label not in ROOT_LABELS][::-1]
        expected = sorted(outside_in, key=lambda span: (span.left, -span.right))
        found = parsed.constituents()
        assert [(one.left, one.right, one.label) for one in found] == [tuple(span) for span in expected]
        assert all(0 <= one.probability <= 1 for one in found)
        assert all(0 <= probability <= 1 for probability in parsed.tag_probabilities)
        assert parsed.tags == parsed.tree.tags
        assert parsed.brackets() in repr(parsed)


def test_parse_without_a_model_is_a_one_line_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["parse", "--model", str(tmp_path / "none")], input="a\n")
    assert result.exit_code == 1
    assert result.stderr.startswith("spanlin: ")
    assert "no such model; give a model folder, or one of the packaged: " in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_line_that_is_not_utf8_is_named(folder: Path) -> None:  # noqa: F811
    result = CliRunner().invoke(main, ["parse", "--model", str(folder), "--tokenized"], input=b"a\n\xff\n")
    assert result.exit_code == 1
    assert "line 2: not UTF-8" in result.stderr


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([["Dogs", "bark"]], "texts[0] is a list, but a text is a string; for lists of words use parse_tokens"),
        (("Dogs bark.", None), "texts[1] is None, but a text is a string"),
        (iter(["Dogs"]), "give a text, or a list of texts, not a list_iterator: for the lines of a file use stream"),
        (None, "give a text, or a list of texts, not None: for the lines of a file use stream, for lists of words"),
        (3, "give a text, or a list of texts, not an int: "),
        (b"Dogs bark.", "a text is a string, not bytes: decode them first, as with text.decode"),
    ],
)
def test_parse_takes_a_text_or_a_list_of_texts(parser: Parser, given: object, message: str) -> None:
    with pytest.raises(SpanlinError, match=f"^{re.escape(message)}"):
        parser.parse(given)  # type: ignore[call-overload]


def test_texts_are_parsed_as_each_by_itself(parser: Parser) -> None:
    texts = ["Dogs bark. Cats sleep.", "", "She's here."]
    found = parser.parse(texts)
    assert found == [parser.parse(text) for text in texts]
    assert [len(own) for own in found] == [2, 0, 1]
    with pytest.raises(ConstraintError, match="constraints go with one text: parse the texts one by one"):
        parser.parse(texts, constraints=CharacterConstraints())  # type: ignore[call-overload]


def test_items_stay_beside_their_parses(parser: Parser) -> None:
    items = [(number, ["dogs", "bark"][: number % 3]) for number in range(9)]
    pairs = list(parser.parse_items(iter(items), lambda item: item[1]))
    assert [item for item, _ in pairs] == items
    assert [list(parsed.words) for _, parsed in pairs] == [words for _, words in items]
    assert [(item, parsed.brackets()) for item, parsed in pairs] == list(
        parser.bracket_items(items, lambda item: item[1])
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "give a string, or an open text file, not NoneType"),
        (b"Dogs bark.", "give a string, or an open text file, not bytes"),
        (["Dogs\n", b"bark."], "line 2 of the text is not a string but of type bytes: open the file as text"),
        ([["Dogs", "bark"]], "line 1 of the text is not a string but of type list"),
    ],
)
def test_stream_takes_a_text_or_its_lines(parser: Parser, given: object, message: str) -> None:
    with pytest.raises(SpanlinError, match=f"^{re.escape(message)}"):
        list(parser.stream(given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["Dogs", "bark"], "sentences[0] is a string, 'Dogs', but a sentence is a list of words: give [['Dogs', "),
        ([["Dogs"], "bark"], "sentences[1] is a string, 'bark', but a sentence is a list of words: "),
        ([["Dogs"], ""], "sentences[1] is a string, '', but a sentence is a list of words: "),
        (
            "Dogs bark",
            "give a list of sentences, each a list of words, not the string 'Dogs bark'; for a text use parse",
        ),
        ("x" * 500, f"give a list of sentences, each a list of words, not the string '{'x' * 39}...; for a text use"),
        (b"Dogs", "give a list of sentences, each a list of words, not bytes; for a text use parse"),
        (None, "give a list of sentences, each a list of words, not None; for a text use parse"),
        ([["Dogs"], None], "sentences[1] is None, but a sentence is a list of words"),
        ([b"Dogs"], "sentences[0] is bytes, but a sentence is a list of words"),
        ([iter(["Dogs"])], "sentences[0] is a list_iterator, but a sentence is a list of words"),
        ([["Dogs"], ["a", None]], "sentences[1][1]: a word is a string, not None"),
        ([["Dogs", b"bark"]], "sentences[0][1]: a word is a string, not bytes"),
        ([["Dogs", 3]], "sentences[0][1]: a word is a string, not an int"),
        ([["Dogs", ["bark"]]], "sentences[0][1]: a word is a string, not a list"),
        ([[Token("Dogs", 0, 4)]], "sentences[0][0]: a word is a string, not a Token"),
    ],
)
def test_a_sentence_is_a_list_of_words(parser: Parser, given: list[list[str]], message: str) -> None:
    for start in (parser.parse_tokens, parser.bracket_lines):
        with pytest.raises(SpanlinError, match=f"^{re.escape(message)}"):
            list(start(given))
    with pytest.raises(SpanlinError, match=f"^{re.escape(message)}"):
        parser.parse_tokens(given, constraints=[None] * len(given or []))


def test_the_place_of_a_wrong_word_counts_from_the_start_of_the_stream(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OnnxBackend, "chunk", 4)
    sentences: list[list[str]] = [["a"]] * 9 + [["a", None]]  # type: ignore[list-item]
    with pytest.raises(SpanlinError, match=r"^sentences\[9\]\[1\]: a word is a string, not None"):
        parser.parse_tokens(sentences)


@pytest.mark.parametrize("threads", [-1, 1025, pytest.param(10**400, id="huge"), 1.5, "2", None, True])
def test_threads_are_a_number_of_cores(folder: Path, threads: int) -> None:  # noqa: F811
    message = r"^threads is .{1,40}: give 0 for every core, or a number up to 1024$"
    with pytest.raises(ConfigError, match=message):
        Parser.load("no such model", threads=threads)
    with pytest.raises(ConfigError, match=message):
        Parser.from_folder(open_folder(folder), threads=threads)
    assert list(Parser.load(folder, threads=2).bracket_lines([["a"]]))


@pytest.mark.parametrize("k_best", ["2", None, 1.5, True])
def test_k_best_is_a_whole_number(parser: Parser, k_best: int) -> None:
    with pytest.raises(DecodingError, match=r"^k_best is .{1,10}: give a whole number of trees$"):
        parser.parse_tokens([["a"]], ParseOptions(k_best=k_best))
    with pytest.raises(DecodingError, match=r"^k_best is .{1,10}: give a whole number of trees$"):
        parser.parse("a", ParseOptions(k_best=k_best))
