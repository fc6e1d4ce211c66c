from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from bench.__main__ import main
from bench.decoders import Answers
from click.testing import CliRunner

from joint_networks import joint_folder
from runtime.conftest import TREES
from spanlin.runtime.backend import TREE, Arrays, Backend, IntArray
from spanlin.runtime.input_rows import InputRows

ROWS = cast(InputRows, None)
COUNTS = np.ones(1, dtype=np.int64)


class Counting:
    """A backend that answers with how often it was asked."""

    batch_tokens, chunk, batch_overhead = 400, 2048, 16
    outputs = frozenset(["tags", "lefts"])
    asked = 0

    def run(self, rows: InputRows, word_counts: IntArray, outputs: tuple[str, ...] = TREE) -> Arrays:
        assert set(outputs) == self.outputs
        self.asked += 1
        return dict.fromkeys(outputs, np.array([self.asked]))

    def label(self, *_: Any) -> str:
        self.asked += 1
        return "labels"


def test_the_network_is_asked_once_for_all_it_has_and_for_labels_each_time() -> None:
    counting = Counting()
    answers = Answers(cast(Backend, counting), batch_tokens=0)
    for names in (("tags",), ("lefts", "tags")):
        answers.start()
        assert [int(answers.run(ROWS, COUNTS, names)["tags"][0]) for _ in range(2)] == [1, 2]
        assert set(answers.run(ROWS, COUNTS, names)) == set(names)
    assert counting.asked == 3
    assert answers.label() == "labels"
    assert counting.asked == 4
    assert answers.label_seconds > 0
    answers.start()
    assert answers.label_seconds == 0


def test_batches_are_those_of_the_backend_or_full_ones_as_on_a_gpu() -> None:
    own, other = (Answers(cast(Backend, Counting()), batch_tokens=tokens) for tokens in (0, 32_768))
    assert (own.batch_tokens, own.chunk, own.batch_overhead) == (400, 2048, 16)
    assert (other.batch_tokens, other.chunk, other.batch_overhead) == (32_768, 16_384, 0)


def test_every_decoder_is_measured(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    trees, figures = tmp_path / "trees.txt", tmp_path / "figures.json"
    trees.write_text("".join(f"{tree}\n" for tree in TREES), encoding="utf-8")
    folder = joint_folder(tmp_path_factory)
    command = ["decoders", "--sentences", str(trees), "--model", str(folder), "--count", "40", "--repeats", "1"]
    result = CliRunner().invoke(main, [*command, "--json", str(figures)])
    assert result.exit_code == 0, result.output
    found = json.loads(figures.read_text(encoding="utf-8"))
    (model,) = found["models"]
    assert found["sentences"] <= 40
    assert model["dependencies"]
    names = [row["decoder"] for row in model["decoders"]]
    assert names == [
        *("argmin", "cky", "min-change", "minimum-risk"),
        *("argmin", "labelled", "marginals", "5 best", "joint"),
    ]
    rows = {row["decoder"]: row for row in model["decoders"]}
    assert rows["labelled"]["labels"] > 0
    assert all(row["host"] > 0 for row in model["decoders"])
    assert "| cky |" in result.output
