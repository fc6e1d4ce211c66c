r"""Words in bracketed text: any string can be written as one word and read back exactly.

In memory a word is its surface form. Round brackets are written the treebank way, `-LRB-` and `-RRB-`. Whatever else
would break the brackets (white space at an edge, a newline, a word that merely looks like an escape, an empty word)
is written as a code point between `-U` and `-`, which no treebank uses. Other conventions, such as `-LCB-` or `\/`,
are left as they are.
"""

from __future__ import annotations

import re

# ASCII white space separates tokens; a no-break space is an ordinary character of a word, as in EVALB.
_ESCAPED = re.compile(r"-(?:LRB|RRB|U[0-9A-F]{4,6}|U)-")
_TO_ESCAPE = re.compile(
    r"-(?=(?:LRB|RRB|U(?:[0-9A-F]{4,6})?)[-()\t\n\v\f\r\ud800-\udfff ])"  # would read as an escape
    r"|[()\t\n\v\f\r\ud800-\udfff]"
    r"|(?:^| ) +| +$|^ "  # a single space between two characters needs no escape
)
_SPECIAL = re.compile(r"[-()\t\n\v\f\r\ud800-\udfff]|^ | $|  |^$")


def escape_word(word: str) -> str:
    """Return the word as it is written in bracketed text.

    >>> escape_word(":-)")
    ':--RRB-'
    """
    if not _SPECIAL.search(word):
        return word
    return _TO_ESCAPE.sub(_escape_match, word) or "-U-"


def unescape_word(text: str) -> str:
    """Return the word that bracketed text writes like this.

    >>> unescape_word("-LRB-")
    '('
    """
    return _ESCAPED.sub(_unescape_match, text) if "-" in text else text


_TREEBANK_SPELLINGS = {"-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"'}


def plain_word(word: str) -> str:
    r"""Return a word as ordinary text spells it, for encoders that have never seen a treebank.

    >>> plain_word("-LCB-"), plain_word("``"), plain_word(r"1\/2")
    ('{', '"', '1/2')
    """
    if word in _TREEBANK_SPELLINGS:
        return _TREEBANK_SPELLINGS[word]
    return word.replace("\\/", "/").replace("\\*", "*") if "\\" in word else word


def _escape_match(match: re.Match[str]) -> str:
    return "".join({"(": "-LRB-", ")": "-RRB-"}.get(char, f"-U{ord(char):04X}-") for char in match[0])


def _unescape_match(match: re.Match[str]) -> str:
    code = match[0][1:-1]
    if code == "LRB":
        return "("
    if code == "RRB":
        return ")"
    number = int(code[1:], 16) if len(code) > 1 else -1
    if number > 0x10FFFF:
        return match[0]
    return chr(number) if number >= 0 else ""
