"""The configurations of the experiments: each loads, and says nothing that its base says already."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spanlin.config.by_size import is_settled
from spanlin.config.toml_files import read_toml_with_base
from spanlin.config.training import load_config

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
RECIPES = sorted(path for path in (EXPERIMENTS / "models").glob("en*/*.toml") if path.stem != "recipe")
TRAINED = [*sorted((EXPERIMENTS / "configs").glob("*.toml")), *RECIPES]
ROWS = sorted((EXPERIMENTS / "paper").glob("*.toml"))
MISSING = object()


def changes(table: dict[str, Any], base: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield each key of a table with its value and the value of its base."""
    for key, value in table.items():
        old = base.get(key, MISSING) if isinstance(base, dict) else MISSING
        if isinstance(value, dict):
            yield from changes(value, old, f"{path}{key}.")
        else:
            yield f"{path}{key}", value, old


@pytest.mark.parametrize("path", [*TRAINED, *ROWS], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_key_of_a_row_differs_from_its_base(path: Path) -> None:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    if "base" not in table:
        return
    base = read_toml_with_base(path.parent / table.pop("base"))
    for key, value, old in changes(table, base):
        assert value != old, f"{path.name}: {key} is the same in its base"


@pytest.mark.parametrize("path", TRAINED, ids=lambda path: path.stem)
def test_a_configuration_loads_and_opens_with_its_command(path: Path) -> None:
    config = load_config(path)
    comment = "".join(line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line[0] == "#")
    if path.stem != "four-treebanks":  # the base of the others, not a row
        assert is_settled(config), "a row says what gave its figures, whatever the defaults become"
        assert f"\n# spanlin train {path.relative_to(EXPERIMENTS.parent).as_posix()}" in comment


@pytest.mark.parametrize("path", [*TRAINED, *ROWS], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_comment_has_no_scores(path: Path) -> None:
    comments = re.findall("#.*", path.read_text(encoding="utf-8"))
    assert not re.search(r"\bF1\b|\b\d\d\.\d", " ".join(comments))


def test_most_configurations_have_a_base() -> None:
    assert len(TRAINED) > 20
    assert len(ROWS) > 20
    assert sum("base = " in path.read_text(encoding="utf-8") for path in (*TRAINED, *ROWS)) >= len(TRAINED + ROWS) - 3
