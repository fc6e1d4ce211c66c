"""Placeholders in prose, such as `{f1:bilstm:genia}`, and the numbers that take their place: all from JSON files."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from experiments.deviations import read_settings, resolved, value_at
from experiments.results import Result, Results
from experiments.sections import length_points, type_points
from experiments.seed_means import Mean, f1_of, mean
from experiments.tables import TABLES
from experiments.verdicts import Judged, paper_f1
from spanlin.errors import EvaluationError, SpanlinError

RECORDS = Path(__file__).parent / "records"
BENCH = Path(__file__).parents[1] / "bench" / "results"
_ITEM = re.compile(r"\n(?=- )")
_CONDITION = re.compile(
    r"(?:- )?(?P<all>\{(?P<word>when|unless):(?P<row>[\w-]+):(?P<key>[\w.]+):(?P<value>[^{}:]+)\}\s*)"
)
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9-]*(?::[^{}:\n]+)+)\}")


class MissingValueError(EvaluationError):
    """A placeholder's value is not measured yet."""


class Values:
    """What placeholders stand for. `{KIND:ARGUMENT:...}` calls the method of that name, `-` being `_`.

    A paragraph or list item that starts with `{when:ROW:KEY:VALUE}` is told if the row was run with this setting, one
    with `{unless:ROW:KEY:VALUE}` if not.
    """

    def __init__(
        self, found: Results, judged: Sequence[Judged] = (), *, records: Path = RECORDS, bench: Path = BENCH
    ) -> None:
        self._found, self._records, self._bench = found, records, bench
        self._verdicts = {(item.claim.name, item.treebank): item.verdict for item in judged}

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
                        raise
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
            word, row, key, wanted = condition["word"], condition["row"], condition["key"], condition["value"]
            if self.has_setting(row, key, wanted) != (word == "when"):
                return []
            text = text[: condition.start("all")] + text[condition.end("all") :]
        return [_PLACEHOLDER.sub(value, text)]

    def has_setting(self, row: str, key: str, value: str) -> bool:
        """Return whether a row has been run with this value at a key of its configuration."""
        return str(value_at(resolved(row, self._found), key, "no such key")) == value

    def _lookup(self, kind: str, arguments: Sequence[str]) -> str:
        lookup = self._kinds.get(kind)
        if lookup is None:
            raise EvaluationError(f"no such kind of value; known: {', '.join(sorted(self._kinds))}")
        try:
            inspect.signature(lookup).bind(*arguments)
        except TypeError as error:
            raise EvaluationError(f"{len(arguments)} is not its number of arguments") from error
        return lookup(*arguments)

    @cached_property
    def _kinds(self) -> dict[str, Callable[..., str]]:
        names = [name for name in vars(type(self)) if not name.startswith(("_", "fill", "has_"))]
        return {name.replace("_", "-"): getattr(self, name) for name in names}

    def f1(self, row: str, treebank: str, decimals: str = "2") -> str:
        """Mean F1 of a row."""
        return f"{self._f1(row, treebank):.{int(decimals)}f}"

    def diff(self, row: str, other: str, treebank: str) -> str:
        """How much higher a row is than another, with its sign."""
        return f"{self._f1(row, treebank) - self._f1(other, treebank):+.2f}"

    def above(self, row: str, other: str, treebank: str) -> str:
        """The same in words: `0.31 above` or `0.31 below`."""
        return _above(self._f1(row, treebank) - self._f1(other, treebank))

    def verdict(self, claim: str, treebank: str) -> str:
        """Whether a claim holds on a treebank."""
        try:
            return self._verdicts[claim, treebank]
        except KeyError:
            raise MissingValueError(f"no verdict on {claim} on {treebank}") from None

    def decoder(self, row: str, decoder: str, other: str, treebank: str) -> str:
        """How far a decoder's F1 is above or below another's."""
        results = [result for result in self._results(row, treebank) if result.decoders]
        one, two = (mean(result.decoders[name].brackets.total.f1 for result in results) for name in (decoder, other))
        return _above(_there(one, f"{decoder} of {row}") - _there(two, f"{other} of {row}"))

    def legal(self, row: str, treebank: str) -> str:
        """How many of 100 greedy sequences are legal."""
        results = [result for result in self._results(row, treebank) if result.decoders]
        shares = (100 * result.decoders["argmin"].legal / len(result.brackets.gold) for result in results)
        return f"{_there(mean(shares), f'decoders of {row}'):.0f}"

    def paper(self, row: str, other: str) -> str:
        """How far the paper's F1 is above or below another one of its own."""
        return _above(paper_f1(row) - paper_f1(other))

    def rate(self, file: str, parser: str) -> str:
        """Sentences per second of a parser in a file of `bench/results`."""
        return f"{self._rates(file)[parser]:,.0f}"

    def times(self, file: str, parser: str) -> str:
        """How many times as many sentences per second a parser does as the fastest peer."""
        rates = self._rates(file)
        return f"{rates[parser] / max(rate for name, rate in rates.items() if not name.startswith('spanlin')):.0f}"

    def record(self, file: str, key: str, form: str = "") -> str:
        """A value of `records/FILE.json`, keys separated by points; `form` is Python's, such as `,.0f`."""
        value: Any = self._record(file)["values"]
        for part in key.split("."):
            if not isinstance(value, dict) or part not in value:
                raise EvaluationError(f"records/{file}.json has no {key}")
            value = value[part]
        return format(value, form)

    def joint(self, row: str, treebank: str, form: str = ".2f") -> str:
        """Mean F1, or UAS or LAS (`TREEBANK.las`), of a row of `joint/`."""
        from experiments.joint_table import results_of

        found = [json.loads(path.read_text(encoding="utf-8")) for path in results_of(row)]
        name, _, kind = treebank.partition(".")
        values = [one["dependencies"].get(name, {}).get(kind) if kind else one["f1"].get(name) for one in found]
        return format(_there(mean(values), f"{treebank} of {row}"), form)

    def setting(self, row: str, key: str) -> str:
        """What a row has at a key of its configuration, such as `network.scorer.hidden_width`."""
        value = value_at(resolved(row, self._found), key)
        return f"{value:,}" if isinstance(value, int) else str(value)

    def paper_setting(self, what: str) -> str:
        """What the paper says of a setting, by its name in `settings_of_the_paper.toml`."""
        values = {setting.what: setting.paper for setting in read_settings()}
        if values.get(what) is None:
            raise EvaluationError("the paper says nothing of it")
        return f"{values[what]:,}" if isinstance(values[what], int) else str(values[what])

    def epochs(self, row: str, treebank: str) -> str:
        """Epochs of training."""
        return self._training(row, treebank, "epochs")

    def minutes(self, row: str, treebank: str) -> str:
        """Minutes of training."""
        return self._training(row, treebank, "minutes")

    def trees(self, row: str, treebank: str) -> str:
        """Trees trained on."""
        return self._training(row, treebank, "trees")

    def seeds(self, row: str, treebank: str) -> str:
        """How many seeds a row has."""
        return str(len(self._results(row, treebank)))

    def types_ahead(self, treebank: str) -> str:
        """Of the most frequent types, on how many ours is ahead of PSN: `6 of 9`."""
        points = self._types(treebank)
        return f"{sum(gain > 0 for _, gain in points)} of {len(points)}"

    def types_behind(self, treebank: str) -> str:
        """The types on which ours is not ahead."""
        return listed([label for label, gain in self._types(treebank) if gain <= 0])

    def type_most(self, treebank: str) -> str:
        """The type on which ours gains most."""
        return max(self._types(treebank), key=lambda point: point[1])[0]

    def lengths_ahead(self, treebank: str) -> str:
        """The lengths of spans on which ours is ahead of PSN."""
        return listed([name for name, gain, _ in self._lengths(treebank) if gain > 0])

    def lengths_behind(self, treebank: str) -> str:
        """The other lengths."""
        return listed([name for name, gain, _ in self._lengths(treebank) if gain <= 0])

    def worst_length(self, treebank: str) -> str:
        """The length on which ours is furthest behind, by how much, and how many spans there are."""
        name, gain, count = min(self._lengths(treebank), key=lambda point: point[1])
        return f"{name} words ({_above(gain)}, on {count} spans)"

    def _f1(self, row: str, treebank: str) -> float:
        return _there(f1_of(self._results(row, treebank)), f"F1 of {row} on {treebank}")

    def _results(self, row: str, treebank: str) -> list[Result]:
        if not (results := self._found.of(row, treebank)):
            raise MissingValueError(f"no result of {row} on {treebank}")
        return results

    def _training(self, row: str, treebank: str, key: str) -> str:
        value = _there(mean(result.training.get(key) for result in self._results(row, treebank)), f"{key} of {row}")
        return f"{value:,.0f}" if value >= 2 else f"{value:.1f}"

    def _types(self, treebank: str) -> list[tuple[str, float]]:
        points = type_points(self._found, TABLES["types"], treebank)
        if not points:
            raise MissingValueError(f"no result of both rows on {treebank}")
        return [(label, own.value - psn.value) for label, _, psn, own in points if psn and own]

    def _lengths(self, treebank: str) -> list[tuple[str, float, int]]:
        points = length_points(self._found, TABLES["lengths"], treebank)
        if not points:
            raise MissingValueError(f"no result of both rows on {treebank}")
        return [(name, own.value - psn.value, count) for name, count, psn, own in points if psn and own]

    def _rates(self, file: str) -> dict[str, float]:
        path = self._bench / f"{file}.json"
        if not path.exists():
            raise EvaluationError(f"there is no {path.name} in bench/results")
        results = json.loads(path.read_text(encoding="utf-8"))["results"]
        return {item["name"]: item["best_rate"] for item in results}

    def _record(self, file: str) -> dict[str, Any]:
        path = self._records / f"{file}.json"
        if not path.exists():
            raise EvaluationError(f"there is no {path.name} in experiments/records")
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return record


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


def _above(gain: float) -> str:
    return f"{abs(gain):.2f} {'below' if gain < 0 else 'above'}"


def _there(value: Mean | None, what: str) -> float:
    if value is None:
        raise MissingValueError(f"no {what}")
    return value.value
