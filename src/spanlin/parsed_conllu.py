"""A parsed sentence in CoNLL-U, as Universal Dependencies writes English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from spanlin.dependencies.conllu import format_conllu
from spanlin.dependencies.sentence import EMPTY, ConlluSentence, MultiWordToken, Row, Word
from spanlin.errors import DependencyError
from spanlin.parsed_dependencies import ParsedDependencies

_SURROGATE = re.compile("[\ud800-\udfff]")
_CLITIC = re.compile(r"['’]\w+")
_ROOT = "root"
_UNKNOWN = "dep"

Offsets = Sequence[tuple[int, int]]


def parse_to_conllu(
    words: Sequence[str],
    tags: Sequence[str],
    dependencies: ParsedDependencies,
    *,
    brackets: str,
    offsets: Offsets | None = None,
    sent_id: str = "",
) -> str:
    """Return a sentence in CoNLL-U, with the empty line that ends it.

    `offsets` are where the words start and end in a text; without them, nobody knows where spaces were.
    """
    if not words:
        raise DependencyError("a sentence without words cannot be written as CoNLL-U")
    if sent_id and sent_id.split() != [sent_id]:
        raise DependencyError(f"the sent_id {sent_id!r:.40} has white space: use another sign, such as -")
    forms = [_form(word) for word in words]
    glued = [offsets is not None and _are_glued(forms, offsets, number) for number in range(len(forms))]
    rows: list[Row] = []
    for first, end in _tokens(forms, tags, glued):
        is_multi_word = end > first + 1
        space_after = not glued[end - 1]
        if is_multi_word:
            misc = _misc(offsets, first, end, space_after=space_after)
            rows.append(MultiWordToken(first + 1, end, "".join(forms[first:end]), misc=misc))
        for number in range(first, end):
            rows.append(
                Word(
                    forms[number],
                    upos=dependencies.universal_tags[number],
                    xpos=tags[number],
                    head=dependencies.heads[number],
                    deprel=_relation(dependencies.heads[number], dependencies.relations[number]),
                    # Spaces are the business of tokens, of which such a word is only a part.
                    misc=_misc(offsets, number, number + 1, space_after=space_after or is_multi_word),
                )
            )
    comments = [f"# sent_id = {sent_id}"] if sent_id else []
    comments.append(f"# text = {ConlluSentence(tuple(rows)).joined_text}")
    comments.append(f"# constituency = {_form(brackets)}")
    return format_conllu(ConlluSentence(tuple(rows), tuple(comments)))


def is_contracted(before: str, word: str, tag: str) -> bool:
    """Return whether a word is one token with that right before it, as in UD's English treebanks: do n't, dog 's.

    So are the parts of cannot and gonna, but not a number and its unit, nor a word and a mark.
    """
    if " " in before or " " in word:  # which a multi-word token cannot have
        return False
    if word in ("'", "’"):
        return tag == "POS" and before[-1].isalnum()
    if word[0].isalpha():
        return before[-1].isalpha()
    return before[-1].isalnum() and bool(_CLITIC.fullmatch(word))


def _tokens(forms: Sequence[str], tags: Sequence[str], glued: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield the words of each token, from the first up to, not including, the end."""
    first = 0
    for number in range(1, len(forms) + 1):
        if not (glued[number - 1] and is_contracted(forms[number - 1], forms[number], tags[number])):
            yield first, number
            first = number


def _form(word: str) -> str:
    """Return a word as the format allows it: normalised, with single spaces alone; an underscore if it is empty."""
    if not word.isascii():
        # What is no character at all cannot be written in UTF-8.
        word = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", word))
    return " ".join(word.split()) or EMPTY


def _relation(head: int, relation: str) -> str:
    """Return a relation as the format allows it: that of the root is root, and no other is."""
    is_root = relation.partition(":")[0] == _ROOT
    if head == 0:
        return relation if is_root else _ROOT
    return _UNKNOWN if is_root else relation


def _are_glued(forms: Sequence[str], offsets: Offsets, number: int) -> bool:
    """Return whether the next word follows without a space.

    Never one that would become part of a letter, as an accent on its own does: the text has to be normalised, too.
    """
    if number + 1 == len(forms) or offsets[number][1] != offsets[number + 1][0]:
        return False
    both = forms[number] + forms[number + 1]
    return both.isascii() or unicodedata.normalize("NFC", both) == both


def _misc(offsets: Offsets | None, first: int, end: int, *, space_after: bool) -> str:
    parts = [] if space_after else ["SpaceAfter=No"]
    if offsets is not None:
        parts.append(f"TokenRange={offsets[first][0]}:{offsets[end - 1][1]}")
    return "|".join(parts) or EMPTY
