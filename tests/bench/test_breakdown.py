from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from bench.__main__ import main
from bench.breakdown import Shares, breakdown, device_seconds, parser_batches
from bench.peers.protocol import Job
from bench.peers.run_spanlin import device_limit
from bench.scaling import of_length, repeated
from click.testing import CliRunner

from generated_treebank import generate_trees
from runtime.conftest import folder_with_weights, model  # noqa: F401 (fixtures)
from spanlin.model_folder.folder import open_folder

TREES = generate_trees(30, seed=7)
SENTENCES = [list(tree.words) for tree in TREES]


@pytest.fixture
def folder(folder_with_weights: Path) -> Path:  # noqa: F811
    return folder_with_weights


def test_the_batches_are_those_that_a_parser_makes(folder: Path) -> None:
    batches = parser_batches(open_folder(folder), SENTENCES, batch=200, device="cpu")
    found = sorted(int(count) for _, counts in batches for count in counts)
    assert len(batches) > 1
    assert found == sorted(map(len, SENTENCES))


def test_a_breakdown_covers_every_batch_of_a_small_corpus(folder: Path) -> None:
    shares = breakdown(folder, SENTENCES, batch=200, device="cpu")
    assert shares.sentences == len(SENTENCES)
    assert min(shares.whole, shares.encoder, shares.tree_inference) > 0


def test_shares_are_of_the_whole() -> None:
    figures = Shares(sentences=100, batches=2, whole=2.0, encoder=1.5, tree_inference=0.1).figures()
    assert figures["device_rate"] == 50.0
    assert figures["bare_encoder_rate"] == pytest.approx(66.667, abs=1e-3)
    assert figures["outside_encoder_share"] == 0.25
    assert figures["tree_inference_share"] == 0.05


def test_work_is_timed_in_seconds() -> None:
    assert device_seconds(lambda: time.sleep(0.01), torch.device("cpu"), repeats=2) >= 0.01


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_breakdown_works_on_a_gpu(folder: Path) -> None:
    assert breakdown(folder, SENTENCES, batch=200, device="cuda").sentences == len(SENTENCES)


def test_the_share_of_the_bare_encoder_is_that_of_the_rate_end_to_end(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "sentences.jsonl"
    path.write_text("".join(f"{json.dumps(words)}\n" for words in SENTENCES), encoding="utf-8")
    nothing: dict[str, Any] = {"output": "", "encoder": "", "train": "", "dev": "", "dev_sentences": ""}
    numbers: dict[str, Any] = {
        "threads": 1,
        "epochs": 1,
        "train_seconds": 1,
        "repeats": 1,
        "batch_seconds": 1,
        "single_count": 1,
    }
    job = Job(model=str(folder), sentences=str(path), device="cpu", started=0.0, **nothing, **numbers)
    found = device_limit(job, {"best_batch": 200, "best_rate": 10.0})
    assert found["bare_encoder_share"] == pytest.approx(10.0 / found["bare_encoder_rate"])


def test_running_text_is_cut_into_sentences_of_one_length() -> None:
    cut = of_length([["a", "b"], ["c"]], 4)
    assert [next(cut), next(cut)] == [["a", "b", "c", "a"], ["b", "c", "a", "b"]]


def test_sentences_begin_again_after_the_last() -> None:
    assert list(repeated([["a"], ["b"]], 3)) == [["a"], ["b"], ["a"]]


def test_scaling_writes_figures_and_tables(folder: Path, tmp_path: Path) -> None:
    sentences, figures, tables = tmp_path / "trees.txt", tmp_path / "figures.json", tmp_path / "tables.md"
    sentences.write_text("".join(f"{tree}\n" for tree in TREES), encoding="utf-8")
    options = ["--count", "5", "--count", "50", "--length-count", "2", "--repeats", "1", "--threads", "1"]
    written = ["--json", str(figures), "--markdown", str(tables)]
    command = ["scaling", "--model", str(folder), "--sentences", str(sentences), *options, *written]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert [one["sentences"] for one in found["by_count"]] == [5, 50]
    assert [one["words"] for one in found["by_length"]] == [25, 400]
    assert found["rate_spread"] >= 0
    assert np.isfinite(found["cost_ratio"])
    assert "| 50 |" in tables.read_text(encoding="utf-8")


def test_scaling_tells_what_is_wrong_with_a_model(tmp_path: Path) -> None:
    sentences = tmp_path / "trees.txt"
    sentences.write_text("(S (A a) (B b))\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["scaling", "--model", str(tmp_path), "--sentences", str(sentences)])
    assert done.exit_code == 1
    assert "no model here" in done.output
