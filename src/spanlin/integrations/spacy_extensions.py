"""What a spaCy Span or Token says of its place in the tree, under benepar's names and some of ours.

The parse of a sentence is kept as an extension of its Span. So spaCy knows where it belongs: it moves along when Docs
are joined or a Span becomes a Doc, and is saved and loaded with the Doc's other user data.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from spanlin.errors import SpanlinError
from spanlin.integrations.plain_parse import PlainParse

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token  # type: ignore[import-not-found, unused-ignore]

PARSE = "spanlin_parse"
"""The extension of a sentence that holds its `PlainParse` as a dictionary."""

_log = logging.getLogger(__name__)


class NonConstituentError(SpanlinError):
    """A Span that is not a constituent of its sentence's tree."""


NonConstituentException = NonConstituentError
"""The name that benepar has for it."""


class NotParsedError(SpanlinError):
    """A Span of a sentence that has no parse, or of one that was changed after parsing."""


class _Place(NamedTuple):
    doc: Doc
    start: int  # the sentence's first token
    parse: PlainParse
    node: int

    def span(self, node: int) -> Span:
        first, last = self.parse.lefts[node], self.parse.rights[node] - 1
        return self.doc[self.start + self.parse.tokens[first] : self.start + self.parse.tokens[last] + 1]


def _find(span: Span) -> _Place | None:
    """Return the node of a Span; None if it is white space only, which has no place in a tree.

    White space at either end of the Span does not matter, so that every sentence of a Doc can be asked.
    """
    doc, start, end = span.doc, span.start, span.end
    if start == end:
        raise NonConstituentError("an empty Span is not a constituent")
    if not doc.has_annotation("SENT_START"):
        raise NotParsedError('this Doc has no sentence boundaries and no parse: add "spanlin" to the pipeline')
    sentence = span.sent
    columns: dict[str, Any] | None = sentence._.get(PARSE)
    if columns is None:
        raise NotParsedError(
            f"the sentence at token {sentence.start} has no parse: "
            'add "spanlin" to the pipeline, after everything that sets sentence boundaries'
        )
    parse = PlainParse(**columns)
    if parse.token_count != len(sentence):
        raise NotParsedError(f"the tokens of the sentence at token {sentence.start} were changed: parse it again")
    while start < end and doc[start].is_space:
        start += 1
    while start < end and doc[end - 1].is_space:
        end -= 1
    if start == end:
        return None
    left = bisect_left(parse.tokens, start - sentence.start)
    right = bisect_left(parse.tokens, end - sentence.start)
    node = parse.find(left, right) if end <= sentence.end else None
    if node is None:
        raise NonConstituentError(
            f"{_short(span.text)!r} (tokens {span.start} to {span.end}) is not a constituent: "
            "go down from a sentence (._.constituents, ._.children) or up from a token (._.parent)"
        )
    return _Place(doc, sentence.start, parse, node)


def _parse_string(span: Span) -> str:
    place = _find(span)
    if place is None:
        return ""
    words = [place.doc[place.start + token].text for token in place.parse.tokens]
    return place.parse.brackets(place.node, words)


def _labels(span: Span) -> tuple[str, ...]:
    place = _find(span)
    return () if place is None else tuple(place.parse.labels[place.node])


def _probability(span: Span) -> float:
    place = _find(span)
    if place is None:
        raise NonConstituentError(f"white space (tokens {span.start} to {span.end}) has no probability")
    return place.parse.probabilities[place.node]


def _constituents(span: Span) -> Iterator[Span]:
    place = _find(span)
    return iter(()) if place is None else map(place.span, place.parse.descendants(place.node))


def _children(span: Span) -> Iterator[Span]:
    place = _find(span)
    return iter(()) if place is None else map(place.span, place.parse.children(place.node))


def _parent(span: Span) -> Span | None:
    place = _find(span)
    if place is None:
        return None
    parent = place.parse.parent(place.node)
    return None if parent is None else place.span(parent)


def _token_parse_string(token: Token) -> str:
    return _parse_string(_alone(token))


def _token_labels(token: Token) -> tuple[str, ...]:
    return _labels(_alone(token))


def _token_probability(token: Token) -> float:
    return _probability(_alone(token))


def _token_constituents(token: Token) -> Iterator[Span]:
    return _constituents(_alone(token))


def _token_children(token: Token) -> Iterator[Span]:
    return _children(_alone(token))


def _token_parent(token: Token) -> Span | None:
    return _parent(_alone(token))


def _alone(token: Token) -> Span:
    return token.doc[token.i : token.i + 1]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:40]}..."


# Plain functions: a spawned process gets them pickled.
SPAN_GETTERS: dict[str, Callable[..., Any]] = {
    "parse_string": _parse_string,
    "labels": _labels,
    "constituents": _constituents,
    "children": _children,
    "parent": _parent,
    "probability": _probability,
}
TOKEN_GETTERS: dict[str, Callable[..., Any]] = {
    "parse_string": _token_parse_string,
    "labels": _token_labels,
    "constituents": _token_constituents,
    "children": _token_children,
    "parent": _token_parent,
    "probability": _token_probability,
}


def set_extensions() -> None:
    """Make the names known to spaCy; needed only to read parsed Docs in a program that has no parser in its pipeline.

    An extension of the same name, such as benepar's, is replaced; the log tells.
    """
    from spacy.tokens import Span, Token

    if not Span.has_extension(PARSE):
        Span.set_extension(PARSE, default=None)
    for kind, getters in ((Span, SPAN_GETTERS), (Token, TOKEN_GETTERS)):
        for name, getter in getters.items():
            if kind.has_extension(name) and kind.get_extension(name)[2] is not getter:
                _log.warning("%s._.%s was another extension; spanlin replaces it", kind.__name__, name)
            kind.set_extension(name, getter=getter, force=True)
