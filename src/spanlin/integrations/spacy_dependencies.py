"""Heads, relations and universal tags as spaCy's own, and noun chunks by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanlin.parsed_dependencies import ParsedDependencies

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token  # type: ignore[import-not-found, unused-ignore]

_ROOT = "ROOT"  # as in all of spaCy's pipelines; other relations keep the names that UD gives them
_SPACE = ("dep", "SPACE")  # of white space, as spaCy's own parsers have it
_NOMINAL = frozenset(["NOUN", "PROPN", "PRON"])
_CHUNK_HEADS = frozenset(
    [
        "nsubj",
        "obj",
        "iobj",
        "obl",
        "nmod",
        "appos",
        "vocative",
        "dislocated",
        "expl",
        "conj",
        "list",
        "parataxis",
        "ROOT",
    ]
)
_BEFORE = frozenset(["det", "amod", "nummod", "nmod", "compound", "flat", "goeswith"])
_AFTER = frozenset(["flat", "goeswith"])


class SentenceHeads(NamedTuple):
    """The dependencies of a sentence of a Doc, and the places in the Doc of the words that they are of."""

    sentence: Span
    words: Sequence[int]
    dependencies: ParsedDependencies


def set_dependencies(doc: Doc, found: Iterable[SentenceHeads]) -> None:
    """Set `head`, `dep_` and `pos_` of all tokens, for dependencies of all sentences; sentences stay as they are.

    White space, which has no part in a parse, depends on the token before it.
    """
    from spacy.attrs import DEP, HEAD, POS  # type: ignore[import-not-found, unused-ignore]
    from spacy.parts_of_speech import IDS as TAG_NUMBERS  # type: ignore[import-not-found, unused-ignore]

    rows = np.zeros((len(doc), 3), dtype=np.int64)  # heads count from the token itself
    for sentence, words, dependencies in found:
        space = (doc.vocab.strings.add(_SPACE[0]), TAG_NUMBERS[_SPACE[1]])
        first = words[0] if words else sentence.start
        for place in range(sentence.start, sentence.end):
            rows[place] = (first - place if place <= first else -1, *_signed(space))
        if not words:
            rows[first, 1] = _signed((doc.vocab.strings.add(_ROOT),))[0]
        for place, head, relation, tag in zip(
            words, dependencies.heads, dependencies.relations, dependencies.universal_tags, strict=True
        ):
            label = doc.vocab.strings.add(relation if head else _ROOT)
            rows[place] = (words[head - 1] - place if head else 0, *_signed((label, TAG_NUMBERS.get(tag, 0))))
    values: Any = rows.view(np.uint64)
    doc.from_array([HEAD, DEP, POS], values)


def noun_chunks(part: Doc | Span) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and label of base noun phrases, as `Doc.noun_chunks` wants them, by UD's relations.

    A chunk is a noun or pronoun with the determiners, adjectives, numbers, nouns and possessors right before it, and
    the rest of a name right after it.
    """
    doc = part.doc
    if not doc.has_annotation("DEP"):
        raise ValueError("noun chunks need dependencies, which this Doc does not have")
    label = doc.vocab.strings.add("NP")
    last_end = 0
    for token in part:
        if token.pos_ not in _NOMINAL or _main(token) not in _CHUNK_HEADS or token.dep_ == "nmod:poss":
            continue
        start, end = _chunk(token)
        if start >= last_end:
            last_end = end
            yield start, end, label


def _chunk(token: Token) -> tuple[int, int]:
    """Return where the chunk of a noun starts and ends."""
    start, end = token.i, token.i + 1
    for child in reversed(list(token.lefts)):
        # A gap is a word of something else; a mark, as the hyphen of "ten-year", may stand between two parts.
        if _main(child) in _BEFORE:
            start = child.left_edge.i
        elif _main(child) != "punct":
            break
    for child in token.rights:
        if _main(child) not in _AFTER:
            break
        end = child.right_edge.i + 1
    return start, end


def _main(token: Token) -> str:
    """Return the relation without its subtype."""
    return token.dep_.partition(":")[0]  # type: ignore[no-any-return, unused-ignore]


def _signed(numbers: Iterable[int]) -> list[int]:
    """Return 64-bit numbers such that a signed array takes them; the bits are the same."""
    return [number - (1 << 64) if number >> 63 else number for number in numbers]
