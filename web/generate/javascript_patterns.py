r"""Python's regular expressions in JavaScript's syntax, with Python's meaning.

JavaScript's own `\w`, `\s` and `\d` mean other characters, its flag `i` pairs other letters, and it has neither atomic
groups nor possessive repeats. So a pattern is taken apart by Python's own parser and written again in full: classes by
Unicode's properties, letters that ignore case with all their forms, atomic groups as a lookahead and a reference to
what it found. The result is for the flag `u`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

_parser: Any = import_module("re._parser")

# What Python's \w, \s and \d match; characters that Unicode has added since either engine was built aside.
_WORD = r"\p{L}\p{N}_"
_SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_DIGIT = r"\p{Nd}"
_CATEGORIES = {"CATEGORY_WORD": _WORD, "CATEGORY_SPACE": _SPACE, "CATEGORY_DIGIT": _DIGIT}
_EDGES = {
    "AT_BEGINNING": "^",
    "AT_BEGINNING_STRING": "^",
    "AT_END": r"(?=\n?$)",
    "AT_END_STRING": "$",
    "AT_BOUNDARY": f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))",
}
_ALIKE = "\u0130\u0131\u017f\u212a"  # letters outside ASCII that Python takes for i, s or k if case is ignored
_SYNTAX = frozenset(r"^$\.*+?()[]{}|/-")


def to_javascript(pattern: re.Pattern[str]) -> str:
    """Return the source of the same pattern for JavaScript's flag `u`; group 1 is named `g1`.

    A ValueError if it has something that is not known here.
    """
    return _Writer().sequence(_parser.parse(pattern.pattern, pattern.flags), pattern.flags)


class _Writer:
    """Writes one pattern; atomic groups are numbered as they come."""

    def __init__(self) -> None:
        self._atomic_groups = 0

    def sequence(self, nodes: Iterable[tuple[Any, Any]], flags: int) -> str:
        return "".join(self._node(str(kind), value, flags) for kind, value in nodes)

    def _node(self, kind: str, value: Any, flags: int) -> str:
        if kind in ("LITERAL", "NOT_LITERAL"):
            return _any_of([("LITERAL", value)], flags, is_negated=kind == "NOT_LITERAL")
        if kind == "IN":
            is_negated = str(value[0][0]) == "NEGATE"
            return _any_of(value[1:] if is_negated else value, flags, is_negated=is_negated)
        if kind == "ANY":
            return "[^]" if flags & re.DOTALL else r"[^\n]"
        if kind == "AT" and not flags & re.MULTILINE and str(value) in _EDGES:
            return _EDGES[str(value)]
        if kind == "BRANCH":
            return "(?:" + "|".join(self.sequence(branch, flags) for branch in value[1]) + ")"
        if kind == "SUBPATTERN":
            number, added, removed, inside = value
            found = self.sequence(inside, (flags | added) & ~removed)
            return f"(?:{found})" if number is None else f"(?<g{number}>{found})"
        if kind == "GROUPREF" and not flags & re.IGNORECASE:
            return rf"\k<g{value}>"
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return self._repeat(kind, *value, flags=flags)
        if kind == "ATOMIC_GROUP":
            return self._atomic(self.sequence(value, flags))
        if kind in ("ASSERT", "ASSERT_NOT"):
            direction, inside = value
            sign = "=" if kind == "ASSERT" else "!"
            return f"(?{'<' if direction < 0 else ''}{sign}{self.sequence(inside, flags)})"
        raise ValueError(f"JavaScript has no {kind} {value!r:.40} that is known here")

    def _repeat(self, kind: str, least: int, most: int, inside: Sequence[Any], *, flags: int) -> str:
        part = self.sequence(inside, flags)
        is_one = len(inside) == 1 and str(inside[0][0]) in ("LITERAL", "NOT_LITERAL", "IN", "ANY")
        # A class may have become a lookahead and a class; whatever is more than one thing needs a group.
        if not is_one or part.startswith("(?!"):
            part = f"(?:{part})"
        is_open = most == _parser.MAXREPEAT
        short = {(0, True): "*", (1, True): "+"}.get((least, is_open))
        if (least, most) == (0, 1):
            short = "?"
        if short is None:
            short = f"{{{least}}}" if least == most else f"{{{least},{'' if is_open else most}}}"
        found = part + short + ("?" if kind == "MIN_REPEAT" else "")
        return self._atomic(found) if kind == "POSSESSIVE_REPEAT" else found

    def _atomic(self, found: str) -> str:
        self._atomic_groups += 1
        name = f"a{self._atomic_groups}"
        return rf"(?:(?=(?<{name}>{found}))\k<{name}>)"


def _any_of(items: Sequence[tuple[Any, Any]], flags: int, *, is_negated: bool) -> str:
    """Return a class of characters."""
    (first, category), *others = items
    if not others and str(first) == "CATEGORY" and str(category).startswith("CATEGORY_NOT_"):
        opposite = str(category).replace("NOT_", "")
        return _any_of([("CATEGORY", opposite)], flags, is_negated=not is_negated)
    parts = []
    only_words = False
    for kind, value in ((str(kind), value) for kind, value in items):
        if kind == "CATEGORY" and str(value) in _CATEGORIES:
            parts.append(_CATEGORIES[str(value)])
        elif kind == "CATEGORY" and str(value) == "CATEGORY_NOT_WORD" and is_negated:
            only_words = True
        elif kind in ("LITERAL", "RANGE"):
            low, high = (value, value) if kind == "LITERAL" else value
            parts.append(_written(low) if low == high else f"{_written(low)}-{_written(high)}")
            if flags & re.IGNORECASE:
                parts += [_written(ord(form)) for form in _other_forms(low, high)]
        else:
            raise ValueError(f"JavaScript has no {kind} {value!r:.40} in a class that is known here")
    inside = "".join(dict.fromkeys(parts))
    if only_words:  # what is neither outside the words' characters nor one of the others
        return f"(?![{inside}])[{_WORD}]" if inside else f"[{_WORD}]"
    if len(parts) == 1 and not is_negated and len(items) == 1 and str(items[0][0]) == "LITERAL":
        return inside.removeprefix("\\") if inside == r"\-" else inside  # which is escaped in classes only
    return f"[{'^' if is_negated else ''}{inside}]"


def _other_forms(low: int, high: int) -> list[str]:
    """Return the characters outside a range that match one in it if case is ignored."""
    found = []
    for code in range(low, high + 1):
        char = chr(code)
        expression = re.compile(re.escape(char), re.IGNORECASE)
        for form in (char.lower(), char.upper(), char.swapcase(), *(_ALIKE if char.isascii() else "")):
            if len(form) == 1 and not low <= ord(form) <= high and expression.fullmatch(form):
                found.append(form)
    return found


def _written(code: int) -> str:
    char = chr(code)
    if char in _SYNTAX:
        return "\\" + char
    return char if char.isascii() and char.isprintable() else f"\\u{{{code:x}}}"
