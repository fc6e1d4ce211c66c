"""The values of placeholders that come from files other than results: `records`, `sizes`, `joint` and `bench/results`.

A file of `records` is `{"about", "date", "machine", "command", "source", "values", "tables"}`. `values` are nested, by
name. A table of `tables` has `columns`, `decimals` (for each column; null: as it stands) and `rows`.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

from experiments import browser_tables, joint_table, stage_tables
from experiments.seed_means import mean
from spanlin.errors import EvaluationError

HERE = Path(__file__).parent
RECORDS, SIZES, BENCH = HERE / "records", HERE / "sizes", HERE.parent / "bench" / "results"

BESIDE_NETWORK = 0.00012
"""Seconds of a core for splitting a sentence, making its row and writing it; measured on 2026-11-16."""


class KeptFigures:
    """Each public method is a kind of placeholder, `-` being `_`.

    `form` is Python's format of a number, such as `,.0f`; `M` before it divides by a million. A file of
    `bench/results` is named without its date: the newest is taken.
    """

    def __init__(self, *, records: Path = RECORDS, sizes: Path = SIZES, bench: Path = BENCH) -> None:
        self._records, self._sizes, self._bench = records, sizes, bench

    def record(self, file: str, key: str, form: str = "") -> str:
        """A value of `records/FILE.json`, keys separated by points."""
        return _formatted(_at(_read(self._records / f"{file}.json")["values"], key, file), form)

    def cell(self, file: str, row: str, column: str, form: str = "") -> str:
        """The cell of a table, `FILE.TABLE`, in the row with this first cell."""
        value, decimals = self._cell(file, row, column)
        return _formatted(value, form or (f".{decimals}f" if decimals is not None else ""))

    def gap(self, file: str, row: str, other: str, column: str, form: str = ".2f") -> str:
        """How far two cells of a column are apart."""
        return format(abs(self._cell(file, row, column)[0] - self._cell(file, other, column)[0]), form)

    def table(self, file: str) -> str:
        """A whole table, `FILE.TABLE`, in Markdown."""
        found = self._table(file)
        rows = [
            [_shown(value, decimals) for value, decimals in zip(row, found["decimals"], strict=True)]
            for row in found["rows"]
        ]
        lines = [found["columns"], ["---" if one is None else "---:" for one in found["decimals"]], *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def size(self, file: str, key: str, form: str = "") -> str:
        """A value of `sizes/FILE.json`."""
        return _formatted(_at(_read(self._sizes / f"{file}.json"), key, file), form)

    def joint(self, row: str, treebank: str, form: str = ".2f") -> str:
        """Mean F1, or UAS or LAS (`TREEBANK.las`), of a row of `joint/`."""
        name, _, kind = treebank.partition(".")
        found = [_read(path) for path in joint_table.results_of(row)]
        value = mean(one["dependencies"].get(name, {}).get(kind) if kind else one["f1"].get(name) for one in found)
        if value is None:
            raise EvaluationError(f"joint/results has no {treebank} of {row}")
        return format(value.value, form)

    def bench(self, file: str, key: str, form: str = "") -> str:
        """A value of `bench/results`; a number in a key counts items from 0."""
        return _formatted(_at(self._of_bench(file), key, file), form)

    def bench_sum(self, file: str, key: str, item: str) -> str:
        """The sum of a value over the items of a list."""
        return f"{sum(one[item] for one in _at(self._of_bench(file), key, file)):,}"

    def bench_mean(self, file: str, key: str, item: str, form: str) -> str:
        """The mean of a value over the items of a list."""
        found = mean(one[item] for one in _at(self._of_bench(file), key, file))
        assert found is not None
        return format(found.value, form)

    def browser(self, what: str) -> str:
        """What is told of the npm package: the table of `trees` or of `speed`, the page's `model` or `megabytes`."""
        found = self._of_bench("browser")
        tables = {"trees": browser_tables.trees_table, "speed": browser_tables.speed_table}
        if what in tables:
            return tables[what](found)
        if what not in ("model", "megabytes"):
            raise EvaluationError(f"nothing is told of {what}: choose one of trees, speed, model, megabytes")
        return browser_tables.first_visit(found, what)

    def stages(self, before: str, after: str) -> str:
        """The table of what stages took before and what they took later, from two files of `bench/results`."""
        return stage_tables.stages_table(self._of_bench(before), self._of_bench(after))

    def rate(self, file: str, parser: str) -> str:
        """Sentences per second of a parser in a comparison."""
        return f"{self._rate(file, parser):,.0f}"

    def times(self, file: str, parser: str) -> str:
        """How many times as many sentences per second a parser does as the fastest peer."""
        # A parser that failed has no rate.
        peers = [item.get("best_rate", 0.0) for item in self._of_bench(file)["results"] if not item["ours"]]
        if not any(peers):
            raise EvaluationError(f"no peer has a rate in the newest {file} of bench/results")
        return f"{self._rate(file, parser) / max(peers):.0f}"

    def estimate(self, file: str, parser: str, units: str, what: str) -> str:
        """What ten billion sentences take of so many cores or GPUs at a parser's rate (`docs/corpora.md`).

        `rate` per unit, `hours` in all, `day`: units to be done in a day; `share` and `cores`: of what 0.12 ms a
        sentence take beside the network, in per cent of its time and in cores.
        """
        rate = self._rate(file, parser) / int(units)
        hours = 1e10 / rate / 3600
        digits = 10 ** max(0, len(str(int(hours))) - 3)
        figures = {
            "rate": f"{rate:,.0f}",
            "hours": f"{round(hours / digits) * digits:,}",
            "day": f"{math.ceil(hours / 24):,}",
            "share": f"{100 * BESIDE_NETWORK * rate:.0f}",
            "cores": f"{BESIDE_NETWORK * rate:.0f}",
        }
        if what not in figures:
            raise EvaluationError(f"no estimate of {what}: choose one of {', '.join(figures)}")
        return figures[what]

    def _rate(self, file: str, parser: str) -> float:
        for item in self._of_bench(file)["results"]:
            if item["name"] == parser and "best_rate" in item:
                return float(item["best_rate"])
        raise EvaluationError(f"no parser {parser} in the newest {file} of bench/results")

    def _of_bench(self, file: str) -> dict[str, Any]:
        dated = re.compile(rf"\d{{4}}-\d\d-\d\d-{re.escape(file)}\.json")
        found = sorted(path for path in self._bench.glob("*.json") if dated.fullmatch(path.name))
        if not found:
            raise EvaluationError(f"there is no DATE-{file}.json in bench/results")
        return _read(found[-1])

    def _table(self, file: str) -> dict[str, Any]:
        name, _, key = file.partition(".")
        found: dict[str, Any] = _at(_read(self._records / f"{name}.json").get("tables", {}), key, name)
        return found

    def _cell(self, file: str, row: str, column: str) -> tuple[Any, int | None]:
        found = self._table(file)
        places = [number for number, title in enumerate(found["columns"]) if title == column]
        lines = [line for line in found["rows"] if line[0] == row]
        if not places or not lines:
            raise EvaluationError(f"the table {file} has no {row} or no {column}")
        return lines[0][places[0]], found["decimals"][places[0]]


def _at(found: Any, key: str, file: str) -> Any:
    for part in key.split("."):
        if isinstance(found, list) and part.isdecimal() and int(part) < len(found):
            found = found[int(part)]
        elif isinstance(found, dict) and part in found:
            found = found[part]
        else:
            raise EvaluationError(f"{file} has no {key}")
    return found


def _formatted(value: Any, form: str) -> str:
    return format(value / 1e6, form[1:]) if form.startswith("M") else format(value, form)


def _shown(value: Any, decimals: int | None) -> str:
    if value is None:
        return ""
    return str(value) if decimals is None or isinstance(value, str) else f"{value:,.{decimals}f}"


@cache
def _read_text(path: Path, changed: int) -> dict[str, Any]:  # what is remembered holds as long as the file is the same
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        return _read_text(path, path.stat().st_mtime_ns)
    except OSError:
        raise EvaluationError(f"there is no {path.name} in {path.parent.name}") from None
