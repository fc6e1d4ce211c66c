"""What is wrong with a sentence as Universal Dependencies wants it: its text, tags, features and tree.

These are the checks of the official validator's first two levels that a parser or its training relies on; what breaks
the format itself is an error of the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spanlin.dependencies.heads import tree_problem
from spanlin.dependencies.sentence import EMPTY, ConlluSentence, Word

_UPOS = re.compile("ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X")
_RELATION = re.compile(r"[a-z]+(:[a-z]+)?")
_FEATURE = re.compile(r"[A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*")
_BAD_SPACE = re.compile(r"^\s|\s$|\s\s")


def sentence_problems(sentence: ConlluSentence) -> Iterator[str]:
    """Yield each kind of problem that a sentence has, at most once."""
    if not sentence.sent_id:
        yield "no comment sent_id"
    text = sentence.comment("text")
    if not text:
        yield "no comment text"
    elif text != sentence.joined_text:
        yield "the text is not that of its tokens, joined as SpaceAfter says"
    if any(_BAD_SPACE.search(row.form) or _BAD_SPACE.search(row.lemma) for row in sentence.rows):
        yield "a form or lemma with white space at its ends, or twice in a row"
    yield from _word_problems(sentence.words)
    if any(not _are_features(row.feats) for row in sentence.rows):
        yield "features that are not Name=Value, in order, with | between them"
    if any((*token[3:6], *token[7:10]) != (EMPTY,) * 6 for token in sentence.multi_word_tokens):
        yield "a multi-word token with more than a form, features and misc"


def _word_problems(words: tuple[Word, ...]) -> Iterator[str]:
    if any(not _UPOS.fullmatch(word.upos) for word in words):
        yield "a upos that is not one of the 17"
    heads = [word.head for word in words]
    if any(head is None or head > len(words) for head in heads):
        yield "a word without a head in the sentence"
    elif problem := tree_problem([head or 0 for head in heads]):
        yield "a cycle" if "ancestor" in problem else "not one root"
    if any(not _RELATION.fullmatch(word.deprel) for word in words):
        yield "a relation that is not lower-case letters, with at most one subtype"
    if any((word.head == 0) != (word.deprel.partition(":")[0] == "root") for word in words):
        yield "a head 0 without the relation root, or the other way round"


def _are_features(feats: str) -> bool:
    if feats == EMPTY:
        return True
    features = feats.split("|")
    names = [feature.partition("=")[0].lower() for feature in features]
    return all(map(_FEATURE.fullmatch, features)) and names == sorted(set(names))
