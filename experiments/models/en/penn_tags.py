"""Tags of words and punctuation as the Penn Treebank has them, where other treebanks differ.

- "to" is TO wherever it is a preposition.
- Punctuation has the tag that its form has in the Penn Treebank: `;` and dashes are `:`, `?` is `.`.
- Square brackets are -LRB- and -RRB-. A straight quote is `` where it opens and '' where it closes.

The tags of the English Web Treebank that Penn lacks (NFP of emoticons, ADD of addresses, GW, AFX, HYPH) stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_KNOWN = """
CC CD DT EX FW IN JJ JJR JJS LS MD NN NNP NNPS NNS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ
WDT WP WP$ WRB $ # `` '' , . : -LRB- -RRB- HYPH AFX GW ADD NFP
"""
KNOWN_TAGS = frozenset(_KNOWN.split())
_PUNCTUATION = frozenset({",", ".", ":", "NFP"})
_BRACKETS = {"-LSB-": "-LRB-", "-RSB-": "-RRB-", "-LCB-": "-LRB-", "-RCB-": "-RRB-"}
_BY_FORM = (
    (re.compile(r","), ","),
    (re.compile(r"[?!]+|\.[?!]+|[?!]+\."), "."),
    (re.compile(r"\."), "."),
    (re.compile(r"[;:]|-{1,3}|[–—]+|\.{2,}|…+"), ":"),
)


def penn_tags(words: Sequence[str], tags: Sequence[str]) -> tuple[str, ...]:
    """Return the tags of a sentence's words.

    >>> penn_tags(["Go", "to", "[", "it", "]", ";", "now", "!!"], ["VB", "IN", "-LSB-", "PRP", "-RSB-", ",", "RB", "."])
    ('VB', 'TO', '-LRB-', 'PRP', '-RRB-', ':', 'RB', '.')
    """
    changed = [_tag(word, tag) for word, tag in zip(words, tags, strict=True)]
    quotes = [place for place, word in enumerate(words) if word == '"']
    if len(quotes) % 2 == 0:  # of an odd number, it cannot be told which one stands alone
        for number, place in enumerate(quotes):
            changed[place] = "''" if number % 2 else "``"
    return tuple(changed)


def _tag(word: str, tag: str) -> str:
    if tag == "IN" and word.lower() == "to":
        return "TO"
    if tag in _PUNCTUATION:
        return next((penn for form, penn in _BY_FORM if form.fullmatch(word)), tag)
    return _BRACKETS.get(tag, tag)
