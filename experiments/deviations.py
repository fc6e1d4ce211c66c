"""How the rows that stand for the paper's model differ from the paper and from its code, by their configurations."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experiments.cells import table
from experiments.results import Results
from experiments.row_settings import settings_now, settings_then
from experiments.tables import TABLES
from spanlin.errors import ConfigError

SETTINGS = Path(__file__).parent / "settings_of_the_paper.toml"
ENCODERS = {"bilstm": "BiLSTM", "transformer": "Transformer"}
NOT_RUN = "not run yet"
_SILENT = "silent"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting of the paper and of its code; None where they are silent. With `is_any`, a width counts as yes.

    `default` is what a configuration without the key does.
    """

    what: str
    key: str
    only: str = ""
    is_any: bool = False
    paper: Any = None
    code: Any = None
    default: Any = None
    words: dict[str, str] = field(default_factory=dict)

    def of(self, config: dict[str, Any]) -> Any:
        """Return the value that a configuration has, in the words of the table."""
        value = value_at(config, self.key, self.default)
        if self.is_any:
            return bool(value)
        return self.words.get(value, value) if isinstance(value, str) else value


def read_settings(path: Path = SETTINGS) -> list[Setting]:
    """Return the settings of the paper and of its code."""
    return [Setting(**item) for item in tomllib.loads(path.read_text(encoding="utf-8"))["settings"]]


def rows_for_the_paper(encoder: str) -> list[str]:
    """Return the rows with this encoder that stand for the paper's model: `paper-*`, `code-*`, and the tables' own."""
    named = dict.fromkeys(row for of in TABLES.values() for row in of.rows)
    kinds = (f"paper-{encoder}", f"code-{encoder}")
    return [row for row in named if row.startswith(kinds)] + [encoder] * (encoder in named)


def resolved(row: str, found: Results) -> dict[str, Any]:
    """Return the whole configuration of a row, `trees` included: of its results, or else of its file and defaults.

    Of results on several treebanks, those with the settings of the row's file are taken, if there are any.
    """
    results = [result for result in found.all if result.row == row and result.config]
    if not results:
        return {**settings_now(row), "treebanks": NOT_RUN, "trees": NOT_RUN}
    results = [result for result in results if not result.changed_keys] or results
    return {
        **settings_then(results[0].config),
        "treebanks": ", ".join(sorted({result.treebank for result in results})),
        "trees": _range({int(result.training["trees"]) for result in results}),
        "epochs": _range({int(result.config["epochs"]) for result in results}),
    }


def _range(values: set[int]) -> int | str:
    """Return what is the same on all treebanks, or from where to where it goes."""
    return min(values) if len(values) == 1 else f"{min(values)} to {max(values)}"


def value_at(config: dict[str, Any], key: str, default: Any = None) -> Any:
    """Return what a configuration has at a key such as `network.scorer.dropout`."""
    value: Any = config
    for part in key.split("."):
        if not isinstance(value, dict) or part not in value:
            if default is not None:
                return default
            raise ConfigError(f"{key}: there is no such key in a configuration; mend {SETTINGS.name}")
        value = value[part]
    return value


def deviations_section(found: Results, settings: Sequence[Setting] | None = None) -> str:
    """Return a table for each encoder of all settings in which a row differs from the paper or from its code."""
    settings = read_settings() if settings is None else settings
    parts = []
    for encoder, title in ENCODERS.items():
        rows = rows_for_the_paper(encoder)
        configs = [resolved(row, found) for row in rows]
        lines, same = [], []
        for setting in settings:
            if setting.only not in {"", encoder}:
                continue
            values = [setting.of(config) for config in configs]
            if all(_unlike(setting, value) == "" for value in values):
                same.append(setting.what)
                continue
            cells = [f"{_written(value)}{_unlike(setting, value)}" for value in values]
            lines.append([setting.what, _written(setting.paper), _written(setting.code), *cells])
        parts += [
            f"### Deviations of the {title}",
            table(["setting", "the paper", "its code", *(f"`{row}`" for row in rows)], lines),
            f"The same in all of them: {'; '.join(same)}.",
        ]
    return "\n\n".join(parts)


def _unlike(setting: Setting, value: Any) -> str:
    if value == NOT_RUN:
        return ""
    differs = [
        name
        for name, theirs in (("paper", setting.paper), ("code", setting.code))
        if theirs is not None and theirs != value
    ]
    return f" (≠ {' and '.join(differs)})" if differs else ""


def _written(value: Any) -> str:
    if value is None:
        return _SILENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
