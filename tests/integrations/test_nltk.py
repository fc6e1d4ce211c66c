from __future__ import annotations

import importlib.util
import itertools
import pickle
from collections.abc import Iterator

import pytest

from spanlin.errors import CheckpointError, MissingExtraError, SpanlinError
from spanlin.integrations.nltk import SpanlinParser
from spanlin.parser import Parser
from spanlin.render.nltk import nltk_tree

nltk = pytest.importorskip("nltk")

WORDS = ["She", "loves", "writing", "code", "."]
BRACKETS = "(TOP (S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .)))"


@pytest.fixture(scope="module")
def parser() -> SpanlinParser:
    return SpanlinParser()


def test_it_is_one_of_nltks_parsers(parser: SpanlinParser) -> None:
    assert isinstance(parser, pytest.importorskip("nltk.parse.api").ParserI)
    (tree,) = parser.parse(WORDS)
    assert isinstance(tree, nltk.Tree)
    assert tree == nltk.Tree.fromstring(BRACKETS)
    assert parser.parse_one(WORDS) == tree
    assert parser.parse_all(WORDS) == [tree]
    assert [list(trees) for trees in parser.parse_sents([WORDS, [], WORDS])] == [[tree], [], [tree]]


def test_text_is_tokenized_and_split_only_where_asked(parser: SpanlinParser) -> None:
    tree = parser.parse_one(WORDS)
    assert list(parser.raw_parse("She loves writing code.")) == [tree]
    text = "Dogs bark. Cats don't."
    (one,) = parser.raw_parse(text)
    assert one.leaves() == ["Dogs", "bark", ".", "Cats", "do", "n't", "."]
    assert [tree.leaves() for tree in parser.parse_text(text)] == [["Dogs", "bark", "."], ["Cats", "do", "n't", "."]]
    found = [list(trees) for trees in parser.raw_parse_sents(["She loves writing code.", " \n", text])]
    assert found == [list(trees) for trees in parser.parse_sents([WORDS, [], one.leaves()])]


def test_given_tags_stand_in_the_tree(parser: SpanlinParser) -> None:
    tagged = [(word, f"T{number}") for number, word in enumerate(WORDS)]
    (tree,) = parser.tagged_parse(tagged)
    assert tree.pos() == tagged
    labels = [node.label() for node in tree.subtrees(lambda node: node.height() > 2)]
    assert labels == ["TOP", "S", "NP", "VP", "S", "VP", "NP"]
    found = [list(trees) for trees in parser.tagged_parse_sents([tagged, [], tagged])]
    assert found == [[tree], [], [tree]]


def test_a_sentence_without_words_has_no_tree(parser: SpanlinParser) -> None:
    assert list(parser.parse([])) == []
    assert parser.parse_one([]) is None
    assert list(parser.raw_parse("")) == []
    assert list(parser.parse_sents([])) == []


def test_brackets_and_spaces_among_words_stay_as_they_are(parser: SpanlinParser) -> None:
    words = ["(", "a b", "-LRB-", ")", "", "😀"]
    (tree,) = parser.parse(words)
    assert tree.leaves() == words


def test_a_stream_of_sentences_need_not_end(parser: SpanlinParser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spanlin.runtime.onnx.OnnxBackend.chunk", 4)
    endless: Iterator[list[str]] = itertools.repeat(WORDS)
    found = parser.parse_sents(endless)
    first = [next(next(found)) for _ in range(6)]
    assert all(tree.leaves() == WORDS for tree in first)
    tagged = parser.tagged_parse_sents(itertools.repeat([("Go", "X")]))
    assert next(next(tagged)).pos() == [("Go", "X")]


def test_it_parses_after_pickling(parser: SpanlinParser) -> None:
    data = pickle.dumps(parser)
    assert len(data) < 1000
    assert pickle.loads(data).parse_one(WORDS) == parser.parse_one(WORDS)


def test_trees_agree_with_the_parsers_own(parser: SpanlinParser) -> None:
    (parsed,) = Parser.load().parse_tokens([WORDS])
    assert nltk_tree(parsed.tree) == parser.parse_one(WORDS)


def test_text_where_words_belong_is_an_error(parser: SpanlinParser) -> None:
    with pytest.raises(SpanlinError, match=r"expected a list of words, got the text 'She sleeps\.': use raw_parse"):
        parser.parse("She sleeps.")


def test_an_unknown_model_is_an_error() -> None:
    with pytest.raises(CheckpointError, match="no such model"):
        SpanlinParser("benepar_en3")


def test_without_nltk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spanlin.integrations.nltk.find_spec", lambda name: None)
    assert importlib.util.find_spec("nltk")
    with pytest.raises(MissingExtraError, match=r"pip install 'spanlin\[nltk\]'"):
        SpanlinParser()
