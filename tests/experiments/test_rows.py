"""What rows may say, which trees they are trained on, and that an ablation changes one thing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from experiments.planning import Setting, plan
from experiments.rows import load_row
from experiments.tables import TABLES
from experiments.tagging import make_tags
from experiments.work import _divided

from generated_treebank import generate_treebank, generate_trees
from spanlin.errors import ConfigError
from spanlin.trees.brackets import read_trees

START = "sentences = 9\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[config]\nevaluate_every = 1\n", "`evaluate_every` and `held_out` need each other: dev is only for the end"),
        ("held_out = 0.1\n", "`evaluate_every` and `held_out` need each other"),
        ("predicted_tags = true\n", "`predicted_tags` and a `tag_width` need each other"),
        ("[config.network.lexical]\ntag_width = 3\n", "gold tags are not for input"),
        ("decoder = 'best'\n", "unknown decoder best: choose one of cky, largest, argmin, min-change, minimum-risk"),
    ],
)
def test_a_row_that_would_look_at_what_it_is_scored_on_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text(START + text)
    with pytest.raises(ConfigError, match=message):
        load_row("odd", tmp_path)


def test_a_row_that_reads_tags_says_how_to_make_them(tmp_path: Path) -> None:
    generate_treebank(tmp_path / "mine", train=3, dev=2)
    setting = Setting(
        data=tmp_path,
        runs=tmp_path,
        results=tmp_path,
        tags=tmp_path / "tags",
        treebanks=("mine",),
        rows=("code-bilstm",),
    )
    message = r"code-bilstm reads tags, and \S+ is missing: make it by `python -m experiments tags mine --data "
    with pytest.raises(ConfigError, match=message):
        plan([TABLES["faithful"]], setting)


def test_held_out_trees_are_spread_evenly_and_are_not_trained_on() -> None:
    trees = list(generate_trees(200, seed=1))
    held_out, others = _divided(trees, 0.02)
    assert held_out == trees[49::50]
    assert len(others) == 196
    assert _divided(trees, 1.0) == (trees, [])
    assert _divided(trees, 0.0) == ([], trees)


def test_a_row_of_the_ablation_differs_from_the_first_in_one_thing() -> None:
    wanted: dict[str, dict[str, Any]] = {
        "no-mlp": {"separate_boundaries": False, "role_dropout": True},
        "no-normalization": {"normalization": "none"},
        "label-linearization": {"label_model": "linearization"},
        "psn": {"normalization": "span"},
        **{f"graph-{layers}": {"graph_layers": layers} for layers in (1, 2, 3)},
    }
    full = load_row("bilstm")
    network = full.config["network"]
    assert network["scorer"]["hidden_width"] == network["context"]["width"], "or the biaffine's width changes too"
    assert {*TABLES["ablation"].rows, *TABLES["types"].rows} <= {"bilstm", *wanted}
    for name, changes in wanted.items():
        row = load_row(name)
        assert row.config["network"] == {**network, "scorer": {**network["scorer"], **changes}}
        assert (row.sentences, row.config["batch"]) == (full.sentences, full.config["batch"])


def test_every_verdict_has_three_seeds() -> None:
    assert {table.seeds for table in TABLES.values()} == {(1, 2, 3)}


@pytest.mark.slow  # it trains three taggers
def test_predicted_tags_are_those_of_the_same_words_and_are_made_once(tmp_path: Path) -> None:
    generate_treebank(tmp_path / "data/mine", train=60, dev=20)
    network = {
        "lexical": {"word_width": 16, "char_width": 8, "vectors": ""},
        "context": {"width": 16},
        "scorer": {"label_width": 16},
    }
    small = {"network": network, "batch": {"tokens": 200}, "epochs": 3, "min_word_count": 1, "averaging": 0.0}
    said: list[str] = []

    def make(deadline: float = math.inf) -> bool:
        return make_tags(
            "mine",
            data=tmp_path / "data",
            folder=tmp_path / "tags",
            device="cpu",
            folds=2,
            say=said.append,
            deadline=deadline,
            changes={**small, "precision": "fp32"},
        )

    assert not make(deadline=0.0)
    assert not (tmp_path / "tags/mine/train.txt").exists()
    assert make()
    assert "% of the training tags right" in said[-1]
    for part in ("train", "dev"):
        gold, tagged = (list(read_trees(tmp_path / folder / f"mine/{part}.txt")) for folder in ("data", "tags"))
        assert [tree.words for tree in gold] == [tree.words for tree in tagged]
        assert [tree.tags for tree in gold] != [tree.tags for tree in tagged]
    before = (tmp_path / "tags/mine/train.txt").stat().st_mtime_ns
    assert make()
    assert (tmp_path / "tags/mine/train.txt").stat().st_mtime_ns == before
