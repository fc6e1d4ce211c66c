"""Dependencies of sentences whose hyphenated words are joined: `well-known` in place of `well - known`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from spanlin.dependencies.sentence import EMPTY, ConlluSentence, Word, has_space_after

Groups = list[range]
"""The words that become one, all words in order; most stand alone. Counted from 0."""


def hyphen_groups(words: Sequence[Word]) -> Groups:
    """Return the words of a sentence with those together that hyphens without spaces join."""
    groups: Groups = []
    start = 0
    while start < len(words):
        stop = start + 1
        while stop + 1 < len(words) and _is_joint(words, stop):
            stop += 2
        groups.append(range(start, stop))
        start = stop
    return groups


def _is_joint(words: Sequence[Word], place: int) -> bool:
    hyphen, after = words[place], words[place + 1]
    attached = not has_space_after(words[place - 1]) and not has_space_after(hyphen)
    return attached and hyphen.xpos == "HYPH" and hyphen.form == "-" and after.form[0].isalnum()


def groups_of_forms(forms: Sequence[str], joined: Sequence[str]) -> Groups:
    """Return which words of a sentence each joined one is made of."""
    groups: Groups = []
    start = 0
    for word in joined:
        stop = start + 1
        while "".join(forms[start:stop]) != word:
            if stop == len(forms):
                raise ValueError(f"{word!r} is not made of the words {' '.join(forms[start:])!r}")
            stop += 1
        groups.append(range(start, stop))
        start = stop
    return groups


def join_words(sentence: ConlluSentence, groups: Groups, tags: Sequence[str] = ()) -> ConlluSentence:
    """Return the sentence with each group as one word, which takes the head of the part that has one outside.

    Where several parts have a head outside, that of the joined word is not known. `tags` are those of the new words;
    without them, a joined word has none.
    """
    words = sentence.words
    owner = {place + 1: number for number, group in enumerate(groups, start=1) for place in group}
    rows = []
    for number, group in enumerate(groups, start=1):
        parts = [words[place] for place in group]
        outside = [part for part in parts if part.head is None or owner.get(part.head, 0) != number]
        top = outside[0] if len(outside) == 1 else None
        alone = len(parts) == 1
        row = parts[0] if alone else Word(form="".join(part.form for part in parts), misc=parts[-1].misc)
        if not alone and top is not None:
            row = row._replace(upos=_universal_tag(parts, top), deprel=top.deprel, head=top.head)
        if row.head is not None:
            row = row._replace(head=owner.get(row.head, 0))
        rows.append(row._replace(xpos=tags[number - 1]) if tags else row)
    kept = tuple(comment for comment in sentence.comments if not comment.startswith("# sent_id"))
    return dataclasses.replace(sentence, rows=tuple(rows), comments=kept)


def _universal_tag(parts: Sequence[Word], top: Word) -> str:
    """Return the tag of a joined word, where it is certain: that of its top if it is a noun, name or number."""
    return top.upos if top is parts[-1] and top.upos in {"NOUN", "PROPN", "NUM", "ADJ"} else EMPTY
