"""The parser behind NLTK's parser interface, with NLTK's trees."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from spanlin.errors import SpanlinError, missing_extra
from spanlin.integrations.reloading import ReloadingParser
from spanlin.render.nltk import nltk_tree
from spanlin.text import tokenize_sentence
from spanlin.trees.brackets import parse_tree

if TYPE_CHECKING or find_spec("nltk"):
    from nltk.parse.api import ParserI  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from nltk.tree import Tree as NltkTree  # type: ignore[import-not-found, import-untyped, unused-ignore]
else:
    # Tools that import every module must not need NLTK; making a parser reports it missing.
    ParserI = object

Sent = Sequence[str]
TaggedSent = Sequence[tuple[str, str]]


class SpanlinParser(ParserI):  # type: ignore[misc, unused-ignore]
    """A parser for NLTK: lists of words, or text, to iterators over trees.

    NLTK's parsers give any number of trees for a sentence. This one gives its best, and none for a sentence without
    words. Many sentences at once are much faster than one after the other.
    """

    def __init__(self, model: str | Path = "en", *, threads: int = 0) -> None:
        if not find_spec("nltk"):
            raise missing_extra("NLTK is not installed", "nltk")
        self._parser = ReloadingParser(model, threads=threads)

    def parse(self, sent: Sent) -> Iterator[NltkTree]:
        """Return the tree of a list of words, as an iterator."""
        return next(self.parse_sents([sent]))

    def parse_sents(self, sents: Iterable[Sent]) -> Iterator[Iterator[NltkTree]]:
        """Yield what `parse` returns for each sentence, however many there are."""
        for line in self._parser.get().bracket_lines(map(_checked, sents)):
            yield iter([nltk_tree(parse_tree(line))] if line else [])

    def raw_parse(self, sentence: str) -> Iterator[NltkTree]:
        """Return the tree of a sentence that is not yet tokenized, as an iterator."""
        return next(self.raw_parse_sents([sentence]))

    def raw_parse_sents(self, sentences: Iterable[str]) -> Iterator[Iterator[NltkTree]]:
        """Yield what `raw_parse` returns for each sentence."""
        return self.parse_sents([token.text for token in tokenize_sentence(sentence)] for sentence in sentences)

    def parse_text(self, text: str) -> Iterator[NltkTree]:
        """Yield the trees of a text, one for each sentence that is found in it."""
        for parsed in self._parser.get().stream(text):
            yield nltk_tree(parsed.tree)

    def tagged_parse(self, sentence: TaggedSent) -> Iterator[NltkTree]:
        """Return the tree of a list of words and their tags, as an iterator.

        The tags stand in the tree as they are given. The parser has its own opinion of them and does not ask.
        """
        return next(self.tagged_parse_sents([sentence]))

    def tagged_parse_sents(self, sentences: Iterable[TaggedSent]) -> Iterator[Iterator[NltkTree]]:
        """Yield what `tagged_parse` returns for each sentence."""
        kept, read = itertools.tee(sentences)
        found = self.parse_sents([word for word, _ in sentence] for sentence in read)
        for sentence, trees in zip(kept, found, strict=True):
            yield map(_retag, trees, itertools.repeat([tag for _, tag in sentence]))


def _checked(sent: Sent) -> Sent:
    if isinstance(sent, str):
        raise SpanlinError(f"expected a list of words, got the text {sent[:40]!r}: use raw_parse for text")
    return sent


def _retag(tree: NltkTree, tags: list[str]) -> NltkTree:
    stack, left_to_right = [tree], iter(tags)
    while stack:
        node = stack.pop()
        if len(node) == 1 and isinstance(node[0], str):
            node.set_label(next(left_to_right))
        else:
            stack.extend(reversed(node))
    return tree
