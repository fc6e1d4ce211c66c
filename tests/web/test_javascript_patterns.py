"""Python's patterns in JavaScript's syntax."""

from __future__ import annotations

import re

import pytest
from web.generate.javascript_patterns import to_javascript


@pytest.mark.parametrize(
    ("pattern", "flags", "expected"),
    [
        (r"a-b/c", 0, r"a-b\/c"),
        (r"\w+\d?", 0, r"[\p{L}\p{N}_]+[\p{Nd}]?"),
        (r"[^\W\d_]", 0, r"(?![\p{Nd}_])[\p{L}\p{N}_]"),
        (r"(?:[^\W_])*", 0, r"(?:(?![_])[\p{L}\p{N}_])*"),
        (r"[a\-z]{2,}", 0, r"[a\-z]{2,}"),
        (r"x{3}y{1,2}z??", 0, r"x{3}y{1,2}z??"),
        (r"(a|bc)\1", 0, r"(?<g1>(?:a|bc))\k<g1>"),
        (r"(?>ab|c)d", 0, r"(?:(?=(?<a1>(?:ab|c)))\k<a1>)d"),
        (r"[ab]*+c", 0, r"(?:(?=(?<a1>[ab]*))\k<a1>)c"),
        (r"(?<=a)b(?!c)\Z", 0, r"(?<=a)b(?!c)$"),
        (r"k", re.IGNORECASE, r"[kK\u{212a}]"),
        (r"(?-i:k)", re.IGNORECASE, r"(?:k)"),
        (r".", re.DOTALL, "[^]"),
        (r".", 0, r"[^\n]"),
        ("\u00e9", 0, r"\u{e9}"),
    ],
)
def test_a_pattern_is_written_in_full(pattern: str, flags: int, expected: str) -> None:
    assert to_javascript(re.compile(pattern, flags)) == expected


def test_letters_that_ignore_case_have_the_forms_that_python_matches() -> None:
    written = to_javascript(re.compile("[a-z]", re.IGNORECASE))
    matched = {chr(code) for code in range(0x3000) if re.fullmatch("[a-z]", chr(code), re.IGNORECASE)}
    for char in sorted(matched - set("abcdefghijklmnopqrstuvwxyz")):
        assert (char if char.isascii() else f"\\u{{{ord(char):x}}}") in written


@pytest.mark.parametrize("pattern", [r"(?i:(a)\1)", r"(a)(?(1)b|c)", r"[\W\d]"])
def test_what_is_not_known_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="JavaScript has no"):
        to_javascript(re.compile(pattern))
