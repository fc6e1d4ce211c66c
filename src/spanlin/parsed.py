"""What a parser says of a sentence: its tree, and how sure it is of each part."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from spanlin.errors import SpanlinError
from spanlin.render.columns import columns_tree
from spanlin.render.latex import LatexStyle, latex_tree
from spanlin.render.nltk import nltk_tree
from spanlin.render.pretty import pretty_tree
from spanlin.render.svg import svg_tree
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import LabelledSpan, Tree


class Constituent(NamedTuple):
    """A labelled phrase over the words `left` up to, not with, `right`.

    `probability` is the chance that a treebank's annotator would have it so. `start` and `end` are character offsets
    in the text that was parsed, or -1 if words were given instead of text.
    """

    label: str
    left: int
    right: int
    probability: float
    start: int
    end: int
    text: str


class Parsed:
    """The parse of one sentence. Words that were given come back as they were; so does the text they stand in."""

    def __init__(
        self,
        *,
        words: tuple[str, ...],
        tags: tuple[str, ...],
        tag_probabilities: tuple[float, ...],
        brackets: str,
        spans: tuple[tuple[str, int, int, float], ...],
        offsets: tuple[tuple[int, int], ...] | None = None,
    ) -> None:
        self.words = words
        self.tags = tags
        self.tag_probabilities = tag_probabilities
        self.offsets = offsets
        """Where each word starts and ends in the text, if a text was parsed."""
        self._brackets = brackets
        self._spans = spans

    def brackets(self) -> str:
        """Return the tree as one line of brackets; an empty line for a sentence without words."""
        return self._brackets

    @cached_property
    def tree(self) -> Tree:
        """The tree as an object."""
        if not self.words:
            raise SpanlinError("a sentence without words has no tree")
        return parse_tree(self._brackets)

    def constituents(self) -> list[Constituent]:
        """Return the labelled phrases, each before those inside it."""
        found = []
        for label, left, right, probability in self._spans:
            start, end = (-1, -1) if self.offsets is None else (self.offsets[left][0], self.offsets[right - 1][1])
            text = " ".join(self.words[left:right])
            found.append(Constituent(label, left, right, probability, start, end, text))
        return found

    def pretty(self) -> str:
        """Return the tree drawn with box characters for a terminal, one line a word."""
        return pretty_tree(self.tree)

    def svg(self) -> str:
        """Return the tree as an SVG element; it shows how probable each constituent is."""
        return svg_tree(self.tree, {LabelledSpan(left, right, label): p for label, left, right, p in self._spans})

    def latex(self, style: LatexStyle = "forest") -> str:
        """Return the tree as LaTeX, for a document that loads the package of that name."""
        return latex_tree(self.tree, style)

    def columns(self) -> str:
        """Return a line for each word with the word, its tag and its part of the brackets, as in CoNLL's files."""
        return columns_tree(self.tree)

    def to_json(self) -> dict[str, Any]:
        """Return all that is known of the sentence as what `json.dumps` takes; probabilities have six decimals."""
        return {
            "words": list(self.words),
            "tags": list(self.tags),
            "tag_probabilities": [round(probability, 6) for probability in self.tag_probabilities],
            "offsets": None if self.offsets is None else [list(place) for place in self.offsets],
            "brackets": self._brackets,
            "constituents": [
                {**found._asdict(), "probability": round(found.probability, 6)} for found in self.constituents()
            ],
        }

    def to_nltk(self) -> Any:
        """Return the tree as an `nltk.Tree`; needs NLTK."""
        return nltk_tree(self.tree)

    def __repr__(self) -> str:
        return f"Parsed({self._brackets!r})"
