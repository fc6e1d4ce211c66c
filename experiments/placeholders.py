"""Placeholders in prose, such as `{f1:bilstm:genia}`: each is a kind of value and its arguments.

A paragraph or list item that starts with `{when:ROW:KEY:VALUE}` is shown if the row was run with this setting, one with
`{unless:ROW:KEY:VALUE}` if not (on one treebank, with `:TREEBANK` behind), and one with `{run:ROW,ROW:TREEBANK}` if all
these rows have results on the treebank, none of them with earlier settings than the others.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence

from spanlin.errors import EvaluationError, SpanlinError

Kinds = Mapping[str, Callable[..., str]]
_ITEM = re.compile(r"\n(?=- )")
_CONDITION = re.compile(r"(?:- )?(?P<all>\{(?P<word>when|unless|run):(?P<arguments>[^{}]+)\}\s*)")
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9-]*(?::[^{}:\n]+)+)\}")


class MissingValueError(Exception):
    """A placeholder's value is not measured yet: an EvaluationError for who needs it, a line of text for others."""


class Placeholders:
    """Text with its values in place. `kinds` are called with a placeholder's arguments, the others for conditions."""

    def __init__(self, kinds: Kinds, *, has_setting: Callable[..., bool], is_run: Callable[..., bool]) -> None:
        self._kinds, self._has_setting, self._is_run = kinds, has_setting, is_run

    def fill(self, text: str, where: str) -> str:
        """Return the text with all values in place; `where` it is from is named in errors."""
        return self._fill(text, where, is_strict=True)

    def fill_paragraphs(self, text: str, where: str) -> str:
        """Return the same; in place of a paragraph or list item with a missing value stands a line that says so."""
        return self._fill(text, where, is_strict=False)

    def _fill(self, text: str, where: str, *, is_strict: bool) -> str:
        paragraphs = []
        for paragraph in text.split("\n\n"):
            items = []
            for item in _ITEM.split(paragraph):
                try:
                    items += self._part(item, where)
                except MissingValueError as error:
                    if is_strict:
                        raise EvaluationError(str(error)) from error
                    items.append(f"{'- ' if item.startswith('- ') else ''}*Not told yet: {error}.*")
            paragraphs += ["\n".join(items)] * bool(items)
        return wrapped("\n\n".join(paragraphs))

    def _part(self, text: str, where: str) -> list[str]:
        """Return a paragraph or list item with its values; nothing if its condition does not hold."""

        def value(match: re.Match[str]) -> str:
            kind, *arguments = match[1].split(":")
            try:
                return self._lookup(kind, arguments)
            except MissingValueError as error:
                raise MissingValueError(f"{where}: {match[0]}: {error}") from error
            except SpanlinError as error:
                raise EvaluationError(f"{where}: {match[0]}: {error}") from error

        if condition := _CONDITION.match(text):
            arguments = condition["arguments"].split(":")
            if condition["word"] == "run":
                is_told = self._is_run(*arguments)
            else:
                is_told = self._has_setting(*arguments) == (condition["word"] == "when")
            if not is_told:
                return []
            text = text[: condition.start("all")] + text[condition.end("all") :]
        return [_PLACEHOLDER.sub(value, text)]

    def _lookup(self, kind: str, arguments: Sequence[str]) -> str:
        lookup = self._kinds.get(kind)
        if lookup is None:
            raise EvaluationError(f"no such kind of value; known: {', '.join(sorted(self._kinds))}")
        try:
            inspect.signature(lookup).bind(*arguments)
        except TypeError as error:
            raise EvaluationError(f"{len(arguments)} is not its number of arguments") from error
        return lookup(*arguments)


def wrapped(text: str, width: int = 120) -> str:
    """Return Markdown with the lines of paragraphs and list items filled again; tables and code stay as they are."""
    parts = []
    for part in text.split("\n\n"):
        if part.startswith(("|", "```", "#", "<", "    ")):
            parts.append(part)
            continue
        items = _ITEM.split(part)
        parts.append("\n".join(_filled(item, width) for item in items))
    return "\n\n".join(parts)


def _filled(item: str, width: int) -> str:
    indent = "  " if item.startswith("- ") else ""
    words = " ".join(item.split())
    return textwrap.fill(words, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names) if names else "none"


def public_methods(of: object) -> dict[str, Callable[..., str]]:
    """Return the methods of an object by their names, `-` in place of `_`: they are its kinds of values."""
    names = [name for name, value in vars(type(of)).items() if not name.startswith("_") and callable(value)]
    return {name.replace("_", "-"): getattr(of, name) for name in names}
