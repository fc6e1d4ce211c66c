"""A CoNLL-U file as the official evaluation sees it: one text, and tokens, sentences and words as stretches of it.

White space does not count, so that files can be compared whatever their tokens. Of features only the universal ones are
kept, and of relations the part before the colon.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from spanlin.dependencies.conllu import read_conllu
from spanlin.dependencies.heads import tree_problem
from spanlin.dependencies.sentence import ConlluSentence, EmptyNode, MultiWordToken
from spanlin.errors import EvaluationError

# As the CoNLL 2018 shared task fixed them for its scores.
_CONTENT_RELATION = re.compile(
    "nsubj|obj|iobj|csubj|ccomp|xcomp|obl|vocative|expl|dislocated|advcl|advmod|discourse|nmod|appos|nummod|acl|amod|"
    "conj|fixed|flat|compound|list|parataxis|orphan|goeswith|reparandum|root|dep"
)
_FUNCTION_RELATIONS = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))
_UNIVERSAL_FEATURE = re.compile(
    "PronType|NumType|Poss|Reflex|Foreign|Abbr|Gender|Animacy|Number|Case|Definite|Degree|VerbForm|Mood|Tense|Aspect|"
    "Voice|Evident|Polarity|Person|Polite"
)


class Stretch(NamedTuple):
    """Characters from `start` up to, not including, `end`."""

    start: int
    end: int


@dataclass(slots=True, eq=False)
class UDWord:
    """A word, and its place in the text; one of a multi-word token has the place of the whole token.

    `head` is the place of its head among all words of the file, None for a root; `function_words` are those of its
    dependents that have a function relation.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    features: str
    relation: str
    full_relation: str
    place: Stretch
    in_multi_word_token: bool
    head: int | None
    function_words: list[int] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class UDText:
    """All of a file; `name` is for errors."""

    name: str
    characters: str
    tokens: list[Stretch]
    sentences: list[Stretch]
    words: list[UDWord]


def is_content_word(word: UDWord) -> bool:
    """Return whether its relation is one of content, which CLAS, MLAS and BLEX are about."""
    return bool(_CONTENT_RELATION.fullmatch(word.relation))


def read_ud_text(path: str | os.PathLike[str]) -> UDText:
    """Return the text of a CoNLL-U file, plain or gzip; an EvaluationError if a sentence has not one tree and root."""
    return ud_text(read_conllu(path), os.fspath(path))


def ud_text(sentences: Iterable[ConlluSentence], name: str) -> UDText:
    """Return the text of some sentences."""
    text = _Text()
    for number, sentence in enumerate(sentences, start=1):
        if problem := text.add(sentence):
            known_as = sentence.sent_id or ""
            shown = f", {known_as:.60}," if known_as.isprintable() and known_as else ""
            raise EvaluationError(f"{name}: sentence {number}{shown} cannot be scored: {problem}")
    return UDText(name, "".join(text.pieces), text.tokens, text.sentences, text.words)


class _Text:
    """What has been read so far."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.tokens: list[Stretch] = []
        self.sentences: list[Stretch] = []
        self.words: list[UDWord] = []
        self._length = 0

    def add(self, sentence: ConlluSentence) -> str:
        """Add a sentence, or return why it cannot be scored."""
        heads = [word.head for word in sentence.words]
        if any(head is None or head > len(heads) for head in heads):
            return "a word has no head in the sentence"
        if problem := tree_problem([head or 0 for head in heads]):
            return problem
        start, first_word = self._length, len(self.words)
        inside_until = first_word
        for row in sentence.rows:
            if isinstance(row, EmptyNode):
                continue
            is_inside = len(self.words) < inside_until
            form = row.form if is_inside else _without_spaces(row.form)
            if not is_inside:
                if not form:
                    return "a token is nothing but spaces"
                self._add_token(form)
            if isinstance(row, MultiWordToken):
                inside_until = first_word + row.last
                continue
            self.words.append(
                UDWord(
                    form,
                    row.lemma,
                    row.upos,
                    row.xpos,
                    _universal(row.feats),
                    row.deprel.partition(":")[0],
                    row.deprel,
                    self.tokens[-1],
                    is_inside,
                    first_word + row.head - 1 if row.head else None,
                )
            )
        for place in range(first_word, len(self.words)):
            word = self.words[place]
            if word.head is not None and word.relation in _FUNCTION_RELATIONS:
                self.words[word.head].function_words.append(place)
        self.sentences.append(Stretch(start, self._length))
        return ""

    def _add_token(self, form: str) -> None:
        self.pieces.append(form)
        self.tokens.append(Stretch(self._length, self._length + len(form)))
        self._length += len(form)


def _without_spaces(form: str) -> str:
    if form.isascii() and " " not in form:
        return form
    return "".join(character for character in form if unicodedata.category(character) != "Zs")


def _universal(feats: str) -> str:
    features = [feature for feature in feats.split("|") if _UNIVERSAL_FEATURE.fullmatch(feature.partition("=")[0])]
    return "|".join(sorted(features))
