from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from bench.__main__ import main
from bench.dependencies import AGAIN, TreeHeads, random_model, to_markdown, without_dependencies
from click.testing import CliRunner

from exported_networks import TREES
from small_runs import small_config
from spanlin.decoding.heads import are_trees
from spanlin.runtime.backend import TREE, Arrays, Backend, IntArray
from spanlin.runtime.input_rows import InputRows
from spanlin.trees.brackets import write_trees
from tiny_encoders import make_encoder


class Cycles:
    """A backend in whose results the first two words govern each other."""

    def run(self, rows: InputRows, word_counts: IntArray, outputs: tuple[str, ...] = TREE) -> Arrays:
        heads = np.zeros((len(word_counts), int(word_counts.max())), dtype=np.int64)
        heads[:, :2] = 2, 1
        return dict.fromkeys(outputs, heads)


def test_heads_are_made_trees_except_for_a_share_of_the_sentences() -> None:
    backend = TreeHeads(cast(Backend, Cycles()))
    counts = np.full(10, 3)
    found = [are_trees(backend.run(cast(InputRows, None), counts, ("heads",))["heads"], counts) for _ in range(100)]
    assert np.concatenate(found).tolist().count(False) == round(1000 * AGAIN)
    assert "heads" not in backend.run(cast(InputRows, None), counts, ("tags",))


def test_the_network_without_dependencies_is_otherwise_the_same() -> None:
    model = random_model(small_config(Path("unused")), TREES)
    assert len(model.vocabularies.relations) == 50
    assert len(model.vocabularies.universal_tags) == 17
    trees = without_dependencies(model)
    assert (len(trees.vocabularies.relations), trees.network.dependencies) == (0, None)
    assert model.network.dependencies is not None
    state = model.network.state_dict()
    assert all(value.equal(state[name]) for name, value in trees.network.state_dict().items())


def test_a_table_has_a_line_for_each_output() -> None:
    lines = list(to_markdown({"rows": [{"output": "brackets", "trees": 1.5, "both": 1.56, "ratio": 1.0421}]}))
    assert lines[2:] == ["| brackets | 1.50 | 1.56 | 1.042 |"]


def test_a_network_is_given_or_an_encoder(tmp_path: Path) -> None:
    write_trees(TREES[:1], tmp_path / "dev.txt")
    done = CliRunner().invoke(main, ["dependencies", "--sentences", str(tmp_path / "dev.txt")])
    assert done.exit_code == 2
    assert "give --checkpoint or --encoder" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "cpu:0"])  # int8 in onnxruntime, and a checkpoint in torch
def test_trees_are_measured_with_and_without_dependencies(device: str, tmp_path: Path) -> None:
    words = {word for tree in TREES for word in tree.words}
    encoder = make_encoder(tmp_path / "encoder", words, width=32)
    write_trees(TREES, tmp_path / "dev.txt")
    given = ["--sentences", str(tmp_path / "dev.txt"), "--encoder", str(encoder), "--device", device, "--repeats", "2"]
    done = CliRunner().invoke(main, ["dependencies", *given, "--json", str(tmp_path / "found.json")])
    assert done.exit_code == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert [row["output"].split()[0] for row in found["rows"]] == ["brackets", "parses,", "brackets"]
    assert all(row["ratio"] > 0 and row["trees"] > 0 for row in found["rows"])
    assert found["precision"] == ("int8" if device == "cpu" else "fp32")
    assert found["network"]["encoder"] == "encoder"
    assert found["network"]["weights"] == "random"
    assert found["decoded_again"] < 0.2
