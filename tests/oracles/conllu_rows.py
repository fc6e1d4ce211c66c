"""CoNLL-U of a parse by way of rows that know what they are: a twin of `spanlin.parsed_conllu`."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from spanlin.dependencies.conllu import format_conllu
from spanlin.dependencies.sentence import EMPTY, ConlluSentence, MultiWordToken, Row, Word
from spanlin.parsed import Parsed
from spanlin.parsed_conllu import Offsets, _form, _relation, _tokens


def conllu_by_rows(parsed: Parsed, *, sent_id: str = "") -> str:
    """Return a sentence in CoNLL-U; the format's own writer checks it and joins its text."""
    dependencies, tags, offsets = parsed.dependencies, parsed.tags, parsed.offsets
    assert dependencies is not None
    forms = [_form(word) for word in parsed.words]
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
    comments.append(f"# constituency = {_form(parsed.brackets())}")
    return format_conllu(ConlluSentence(tuple(rows), tuple(comments)))


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
