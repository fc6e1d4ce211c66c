"""The values of placeholders that come from results: F1 of rows, differences, verdicts, settings."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.deviations import read_settings, resolved, value_at
from experiments.placeholders import MissingValueError, listed
from experiments.results import Result, Results
from experiments.sections import length_points, type_points
from experiments.seed_means import Mean, f1_of, mean
from experiments.tables import TABLES
from experiments.verdicts import Judged, paper_f1
from spanlin.errors import EvaluationError


class ResultValues:
    """Each public method is a kind of placeholder, `-` being `_`."""

    def __init__(self, found: Results, judged: Sequence[Judged] = ()) -> None:
        self._found = found
        self._verdicts = {(item.claim.name, item.treebank): item.verdict for item in judged}

    def f1(self, row: str, treebank: str, decimals: str = "2") -> str:
        """Mean F1 of a row."""
        return f"{self._f1(row, treebank):.{int(decimals)}f}"

    def diff(self, row: str, other: str, treebank: str) -> str:
        """How much higher a row is than another, with its sign."""
        return f"{self._gain(row, other, treebank):+.2f}"

    def above(self, row: str, other: str, treebank: str) -> str:
        """The same in words: `0.31 above` or `0.31 below`."""
        return _above(self._gain(row, other, treebank))

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

    def legal(self, row: str, treebank: str, decimals: str = "0") -> str:
        """How many of 100 greedy sequences are legal."""
        results = [result for result in self._results(row, treebank) if result.decoders]
        shares = (100 * result.decoders["argmin"].legal / len(result.brackets.gold) for result in results)
        return f"{_there(mean(shares), f'decoders of {row}'):.{int(decimals)}f}"

    def paper(self, row: str, other: str) -> str:
        """How far the paper's F1 is above or below another one of its own."""
        return _above(paper_f1(row) - paper_f1(other))

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

    def _gain(self, row: str, other: str, treebank: str) -> float:
        gain = self._f1(row, treebank) - self._f1(other, treebank)
        if not self._found.comparable((row, other), treebank):
            raise MissingValueError(f"only one of {row} and {other} has run on {treebank} with its present settings")
        return gain

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


def _above(gain: float) -> str:
    return f"{abs(gain):.2f} {'below' if gain < 0 else 'above'}"


def _there(value: Mean | None, what: str) -> float:
    if value is None:
        raise MissingValueError(f"no {what}")
    return value.value
