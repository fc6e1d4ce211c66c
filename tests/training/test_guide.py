"""Keeps docs/training.md true: every key of the configuration is there with its default, and its examples load."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
import typing
from pathlib import Path
from typing import Any

import pytest

from spanlin.config.training import TrainingConfig, TreebankConfig, load_config

GUIDE = Path(__file__).parents[2] / "docs" / "training.md"


@pytest.fixture(scope="module")
def guide() -> str:
    if not GUIDE.exists():
        pytest.skip("installed without its documentation")
    return GUIDE.read_text(encoding="utf-8")


def defaults_of(kind: type[Any], prefix: str = "") -> dict[str, str]:
    """Return each key of a configuration and its default as TOML writes it."""
    found: dict[str, str] = {}
    hints = typing.get_type_hints(kind)
    for item in dataclasses.fields(kind):
        key = f"{prefix}{item.name}"
        if dataclasses.is_dataclass(hints[item.name]):
            found |= defaults_of(hints[item.name], f"{key}.")
        elif key == "treebanks":
            found |= defaults_of(TreebankConfig, "treebanks.")
        elif item.default is dataclasses.MISSING:
            found[key] = "required"
        else:
            found[key] = f"`{json.dumps(item.default)}`"
    return found


def test_the_guide_has_every_key_with_its_default(guide: str) -> None:
    rows = re.findall(r"^\| `([a-z_.]+)` \| (required|`[^`]*`) \| ", guide.split("## All keys")[1], re.MULTILINE)
    assert dict(rows) == defaults_of(TrainingConfig)
    assert len(rows) == len(dict(rows))


def test_the_examples_of_the_guide_load(guide: str, tmp_path: Path) -> None:
    examples = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    assert len(examples) >= 5
    (tmp_path / "mine.toml").write_text(examples[0], encoding="utf-8")
    for example in examples:
        table = tomllib.loads(example)
        minimal = "" if "treebanks" in table or "base" in table else '[[treebanks]]\nname = "mine"\ntrain = "x"\n'
        path = tmp_path / "example.toml"
        path.write_text(f"{example}\n{minimal}", encoding="utf-8")
        load_config(path)
