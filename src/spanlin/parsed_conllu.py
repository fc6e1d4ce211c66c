"""A parsed sentence in CoNLL-U, as Universal Dependencies writes English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from spanlin.dependencies.sentence import EMPTY
from spanlin.errors import DependencyError
from spanlin.parsed_dependencies import ParsedDependencies

_SURROGATE = re.compile("[\ud800-\udfff]")
_CLITIC = re.compile(r"['’]\w+")
_BREAK = re.compile(r"[\t\n\r]")
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
    upos, relations = dependencies.universal_tags, list(map(_relation, dependencies.heads, dependencies.relations))
    _check_columns({"upos": upos, "xpos": tags, "deprel": relations})
    forms = [word if word.isalnum() and word.isascii() else _form(word) for word in words]
    glued = [False] * len(forms) if offsets is None else _find_glued(forms, offsets)
    lines: list[str] = []
    text: list[str] = []
    for first, end in _tokens(forms, tags, glued):
        is_multi_word = end > first + 1
        space_after = not glued[end - 1]
        token = "".join(forms[first:end])
        if is_multi_word:
            misc = _misc(offsets, first, end, space_after=space_after)
            lines.append(f"{first + 1}-{end}\t{token}\t_\t_\t_\t_\t_\t_\t_\t{misc}")
        text += (token, " ") if space_after else (token,)
        for number in range(first, end):
            # Spaces are the business of tokens, of which such a word is only a part.
            misc = _misc(offsets, number, number + 1, space_after=space_after or is_multi_word)
            lines.append(
                f"{number + 1}\t{forms[number]}\t_\t{upos[number]}\t{tags[number]}\t_"
                f"\t{dependencies.heads[number]}\t{relations[number]}\t_\t{misc}"
            )
    comments = [f"# sent_id = {sent_id}"] if sent_id else []
    comments.append(f"# text = {''.join(text[:-1])}")  # no space after the last
    comments.append(f"# constituency = {_form(brackets)}")
    return "\n".join((*comments, *lines, "", ""))


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
    is_root = relation.startswith(_ROOT) and relation.partition(":")[0] == _ROOT
    if head == 0:
        return relation if is_root else _ROOT
    return _UNKNOWN if is_root else relation


def _check_columns(columns: Mapping[str, Sequence[str]]) -> None:
    """Raise a DependencyError if something would break its line: a parse may have come from anywhere."""
    for column, values in columns.items():
        if all(values) and not _BREAK.search(" ".join(values)):
            continue
        for number, value in enumerate(values, start=1):
            if not value or _BREAK.search(value):
                raise DependencyError(
                    f"{column} of {number} is {value!r:.40}: it must be text without tabs or line ends"
                )


def _find_glued(forms: Sequence[str], offsets: Offsets) -> list[bool]:
    """Return of each word whether the next one follows without a space."""
    glued = [here[1] == following[0] for here, following in pairwise(offsets)]
    for number, is_glued in enumerate(glued):
        if is_glued:
            # Never one that would become part of a letter, as an accent on its own does: the text has to be
            # normalised, too.
            both = forms[number] + forms[number + 1]
            glued[number] = both.isascii() or unicodedata.normalize("NFC", both) == both
    return [*glued, False]


def _misc(offsets: Offsets | None, first: int, end: int, *, space_after: bool) -> str:
    if offsets is None:  # so that nobody knows of spaces either
        return EMPTY
    places = f"TokenRange={offsets[first][0]}:{offsets[end - 1][1]}"
    return places if space_after else f"SpaceAfter=No|{places}"
