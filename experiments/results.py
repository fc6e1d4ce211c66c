"""Results as JSON files, one a row, treebank and seed: all that tables and figures are made from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from experiments.row_settings import changed_keys
from experiments.tables import PEERS
from spanlin.atomic_files import atomic_file
from spanlin.errors import EvaluationError
from spanlin.evaluation.counts import Counts, SentenceScore, Status
from spanlin.evaluation.score import Score


@dataclass(frozen=True, kw_only=True)
class Brackets:
    """A score as counts: of each sentence, so that the paired test works, of each label and of each span length."""

    signature: str
    status: list[int]
    length: list[int]
    gold: list[int]
    predicted: list[int]
    matched: list[int]
    by_label: dict[str, list[int]] = field(default_factory=dict)
    by_span_length: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, score: Score, *, whole: bool = True) -> Brackets:
        """Return the counts of a score; without `whole`, those of sentences only."""
        return cls(
            signature=score.signature,
            status=[int(sentence.status) for sentence in score.sentences],
            length=[sentence.length for sentence in score.sentences],
            gold=[sentence.gold for sentence in score.sentences],
            predicted=[sentence.predicted for sentence in score.sentences],
            matched=[sentence.matched for sentence in score.sentences],
            by_label={label: list(counts) for label, counts in score.by_label.items()} if whole else {},
            by_span_length={name: list(counts) for name, counts in score.by_span_length.items()} if whole else {},
        )

    @property
    def total(self) -> Counts:
        """All brackets."""
        return Counts(sum(self.gold), sum(self.predicted), sum(self.matched))

    @property
    def sentences(self) -> list[SentenceScore]:
        """The sentences as the scorer has them."""
        columns = zip(self.status, self.length, self.gold, self.predicted, self.matched, strict=True)
        return [
            SentenceScore(Status(status), length, gold, predicted, matched)
            for status, length, gold, predicted, matched in columns
        ]


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """What a decoder makes of a row's scores. `legal`: sentences whose greedy boundaries were some tree's.

    `changed` of all `splits` have other spans than by `argmin`; `seconds` are those of decoding alone.
    """

    brackets: Brackets
    legal: int
    splits: int
    changed: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Result:
    """A row on a treebank with a seed. Peers have no `key`; what is known of their training is in their report.

    `date`, `commit` and `machine` are those of the scores.
    """

    row: str
    title: str
    treebank: str
    seed: int
    brackets: Brackets
    key: str = ""
    date: str = ""
    commit: str = ""
    machine: dict[str, str] = field(default_factory=dict)
    device: str = ""
    training: dict[str, float] = field(default_factory=dict)
    """`minutes`, dev evaluation included, `sentences_per_second` over them, `trees`, `epochs` and `steps`."""
    trained: dict[str, str] = field(default_factory=dict)
    """`date`, `commit` and `machine` of the training; results from before 2026-11-19 do not tell them apart."""
    parsing: dict[str, float] = field(default_factory=dict)
    """`sentences_per_second` by the argmin decoder, from words in memory to labelled spans."""
    decoders: dict[str, Decoded] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    log: dict[str, Any] = field(default_factory=dict)
    """Losses and dev F1 of the run, as `short_log` gives them; results from before 2026-11-18 have none."""

    @property
    def changed_keys(self) -> list[str]:
        """The keys in which it was run with other settings than its row's file has now."""
        return changed_keys(self.row, self.config)

    def write(self, folder: Path) -> Path:
        """Write the result to its place below the folder, whole or not at all."""
        path = result_path(folder, self.treebank, self.row, self.seed)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A line for each key: the counts of sentences are long, and differences between two files stay readable.
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in asdict(self).items()]
        with atomic_file(path) as stream:
            stream.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())
        return path


def result_path(folder: Path, treebank: str, row: str, seed: int) -> Path:
    """Return where a result is kept."""
    return folder / treebank / f"{row}-{seed}.json"


def read_result(path: Path) -> Result:
    """Return the result in a file."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        decoders = {
            name: Decoded(**{**decoded, "brackets": Brackets(**decoded["brackets"])})
            for name, decoded in table.pop("decoders", {}).items()
        }
        return Result(**{**table, "brackets": Brackets(**table["brackets"]), "decoders": decoders})
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EvaluationError(f"{path}: not a result: {error!r}; delete it and run its table again") from error


def read_results(folder: Path) -> list[Result]:
    """Return every result below a folder, whatever it was run with."""
    return [read_result(path) for path in sorted(folder.glob("*/*.json"))]


class Results:
    """All results below a folder that go together: a mean never mixes settings.

    Where a row on a treebank has results with the settings that its file has now, those with earlier ones are left out.
    """

    def __init__(self, results: Sequence[Result]) -> None:
        current = {(result.row, result.treebank) for result in results if not result.changed_keys}
        kept = (result for result in results if not result.changed_keys or (result.row, result.treebank) not in current)
        self.all = tuple(sorted(kept, key=lambda result: (result.treebank, result.row, result.seed)))

    @classmethod
    def read(cls, folder: Path) -> Results:
        """Return what is there; a folder that is not there holds nothing."""
        return cls(read_results(folder))

    def of(self, row: str, treebank: str) -> list[Result]:
        """Return the results of a row on a treebank by seed."""
        return [result for result in self.all if (result.row, result.treebank) == (row, treebank)]

    def changed_keys(self, row: str, treebank: str) -> list[str]:
        """Return the keys in which any result of a row on a treebank has another value than the row's file has now."""
        return list(dict.fromkeys(key for result in self.of(row, treebank) for key in result.changed_keys))

    def comparable(self, rows: Sequence[str], treebank: str) -> bool:
        """Return whether rows were run with the settings that they have now, or all with earlier ones; peers apart."""
        of_ours = [row for row in rows if row not in PEERS and self.of(row, treebank)]
        return len({bool(self.changed_keys(row, treebank)) for row in of_ours}) < 2

    def treebanks(self, rows: Sequence[str], preferred: Sequence[str] = ()) -> list[str]:
        """Return the treebanks on which any of the rows has a result, those that are preferred first."""
        found = {result.treebank for result in self.all if result.row in rows}
        return [name for name in preferred if name in found] + sorted(found - set(preferred))


def counts_of(table: Mapping[str, Sequence[int]], name: str) -> Counts:
    """Return the counts of a label or length; nothing if it does not occur."""
    return Counts(*table.get(name, (0, 0, 0)))
