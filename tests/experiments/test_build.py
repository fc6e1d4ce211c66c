from __future__ import annotations

import json
from pathlib import Path

import pytest
from experiments.models.build import train_side_by_side

from generated_treebank import generate_treebank
from small_runs import small_config
from spanlin.config.recipe import Recipe, load_recipe
from spanlin.config.training import config_to_toml
from spanlin.errors import SpanlinError

RECIPE = """
title = "A tiny parser"
description = "-"
intended_use = "-"
licence = "-"
teachers = ["one.toml", "two.toml"]
student = "three.toml"
sources = []
dev = {{ bank = "{dev}" }}
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    folder = tmp_path / "tiny"
    folder.mkdir()
    train, dev = generate_treebank(tmp_path / "bank", train=40, dev=10)
    (folder / "recipe.toml").write_text(RECIPE.format(dev=dev))
    for seed, name in enumerate(("one", "two"), start=1):
        config = small_config(train, dev, epochs=1, seed=seed)
        (folder / f"{name}.toml").write_text(config_to_toml(config))
    return load_recipe(folder)


@pytest.mark.slow  # it starts processes that import torch
def test_teachers_are_trained_side_by_side_and_not_twice(recipe: Recipe, tmp_path: Path) -> None:
    work = tmp_path / "work"
    assert train_side_by_side(recipe, recipe.teachers, work=work, device="cpu")
    records = [json.loads((work / f"tiny-{name}.json").read_text()) for name in ("one", "two")]
    assert [record["seed"] for record in records] == [1, 2]
    assert all(record["finished"] for record in records)
    weights = work / "tiny-one" / "last" / "weights.safetensors"
    before = weights.stat().st_mtime_ns
    assert train_side_by_side(recipe, recipe.teachers, work=work, device="cpu")
    assert weights.stat().st_mtime_ns == before


@pytest.mark.slow  # as above
def test_a_step_that_its_minutes_cut_short_is_not_done(recipe: Recipe, tmp_path: Path) -> None:
    assert not train_side_by_side(recipe, recipe.teachers, work=tmp_path / "work", device="cpu", minutes=0.001)


@pytest.mark.slow  # as above
def test_a_run_that_fails_names_its_log(recipe: Recipe, tmp_path: Path) -> None:
    (tmp_path / "bank" / "train.txt").write_text("(TOP")
    with pytest.raises(SpanlinError, match=r"2 of 2 runs failed: see .*tiny-one\.log, .*tiny-two\.log"):
        train_side_by_side(recipe, recipe.teachers, work=tmp_path / "work", device="cpu")
    assert "train.txt" in (tmp_path / "work" / "tiny-one.log").read_text()
