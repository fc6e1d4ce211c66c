"""What any text looks like in a drawing: without characters that would act instead of show, and how wide it is."""

from __future__ import annotations

import re
import unicodedata

# Control characters, line separators and direction marks act on a terminal; these, lone surrogates and two others have
# no place in XML or LaTeX.
_ACTING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_NO_WIDTH = frozenset(["Mn", "Me", "Cf"])


def visible(text: str) -> str:
    r"""Return the text with a sign in place of each character that cannot be shown.

    >>> visible("one\ntwo")
    'one␊two'
    """
    return _ACTING.sub(_sign, text)


def display_width(text: str) -> int:
    """Return how many columns of a terminal a visible text takes: two for a wide character, none for an accent.

    >>> display_width("né"), display_width("犬")
    (2, 2)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)  # the control pictures stand in the order of what they depict
    return "␡" if code == 0x7F else "\ufffd"


def _columns(char: str) -> int:
    # The vowels and finals of Hangul Jamo share the columns of their initial.
    if unicodedata.category(char) in _NO_WIDTH or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
