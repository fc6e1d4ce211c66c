from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest
from bench.__main__ import main
from bench.corpus import dev_f1
from bench.parsers import Comparison, Contestant, JobMaker, compare, ratios, run_contestant
from bench.peers.bare_encoder import cut_batches
from bench.peers.protocol import Until, peak_memory, quantile, spread
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from spanlin.trees.brackets import parse_tree

TREES = """(TOP (S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .)))
(TOP (S (NP (JJ Old) (NNS cats)) (VP (VBP sleep) (NP (DT all) (NN day)))))
"""


def comparison(folder: Path, **changes: Any) -> Comparison:
    path = folder / "trees.txt"
    path.write_text(TREES, encoding="utf-8")
    given_values: dict[str, Any] = {
        "encoder": folder,
        "train": path,
        "dev": path,
        "sentences": path,
        "envs": folder / "envs",
        "count": 5,
        "peer_count": 3,
        "timeout": 60,
    }
    return Comparison(**(given_values | changes))


def result(name: str, *, ours: bool, rate: float, **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "ours": ours,
        "threads": 1,
        "best_rate": rate,
        "single_rate": rate / 2,
        "words25_p50_ms": 1000 / rate,
        "words25_p99_ms": 2000 / rate,
        "first_parse_seconds": 1.0,
        "peak_memory_bytes": 10**8,
        "install_bytes": 10**8,
        "weights": "trained",
        "dev_f1": 50.0,
    } | changes


@given(st.lists(st.lists(st.just(1), min_size=1, max_size=20), max_size=30), st.integers(1, 100))
def test_cut_batches_keeps_all_rows_within_the_budget(rows: list[list[int]], budget: int) -> None:
    batches = list(cut_batches(rows, budget))
    assert sorted(len(row) for batch in batches for row in batch) == sorted(map(len, rows))
    assert all(len(batch) == 1 or len(batch) * max(map(len, batch)) <= budget for batch in batches)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.01, 1))
def test_quantile_is_the_least_value_that_the_share_does_not_exceed(values: list[float], share: float) -> None:
    found = quantile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-9
    assert sum(value < found for value in values) < share * len(values) + 1e-9


@given(st.integers(1, 50), st.integers(1, 60))
def test_spread_takes_no_sentence_twice(sentence_count: int, count: int) -> None:
    sentences = [[str(number)] for number in range(sentence_count)]
    found = spread(sentences, count)
    assert len(found) == min(sentence_count, count)
    assert len({words[0] for words in found}) == len(found)


def test_trees_are_scored_on_gold_leaves_whatever_the_peer_calls_them() -> None:
    gold = [parse_tree("(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .))")]
    same = "(TOP (S (NP (_ The) (_ cat)) (VP (_ sleeps)) (_ .)))"
    assert dev_f1(gold, [same]) == 100.0
    assert dev_f1(gold, ["(TOP (NP (_ The) (_ cat) (_ sleeps) (_ .)))"]) == 0.0


def test_a_tree_over_other_words_is_told_instead_of_scored() -> None:
    gold = [parse_tree("(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .))")]
    assert dev_f1(gold, ["(TOP (S (_ The) (_ cat)))"]) == "ValueError: a sentence of 4 words has a tree of 2"


def test_ratios_pair_ours_with_peers_of_the_same_threads() -> None:
    found = ratios(
        [
            result("ours", ours=True, rate=400),
            result("peer", ours=False, rate=100),
            result("peer", ours=False, rate=200, threads=2),
            {"name": "broken", "ours": False, "threads": 1, "failed": "install: no"},
        ]
    )
    assert found == [
        {"ours": "ours", "peer": "peer", "threads": 1, "best_rate": 4.0, "single_rate": 4.0, "words25_p50": 4.0}
    ]


def test_sentences_are_repeated_up_to_the_count(tmp_path: Path) -> None:
    jobs = JobMaker(comparison(tmp_path), tmp_path)
    assert len(jobs.ours.read_text(encoding="utf-8").splitlines()) == 5
    assert len(jobs.peers.read_text(encoding="utf-8").splitlines()) == 3
    assert jobs.train.read_text(encoding="utf-8") == TREES


def test_a_runner_that_cannot_load_its_parser_is_reported(tmp_path: Path) -> None:
    asked = comparison(tmp_path, pythons={"spanlin": Path(sys.executable)})
    contestant = Contestant(name="ours", runner="spanlin", model=tmp_path / "nothing")
    (found,) = compare(asked, [contestant], lambda line: None)
    (only,) = found["results"]
    assert only["failed"].startswith("measure: ")
    assert "\n" not in only["failed"]
    assert found["ratios"] == []


def test_an_interpreter_that_is_not_there_is_reported(tmp_path: Path) -> None:
    asked = comparison(tmp_path, pythons={"supar": tmp_path / "no-python"})
    found = run_contestant(asked, Contestant(name="x", runner="supar"), JobMaker(asked, tmp_path), 1)
    assert found["failed"].startswith("train: FileNotFoundError")


def test_a_peer_in_a_folder_runs_in_this_python(tmp_path: Path) -> None:
    folder = tmp_path / "carried"
    folder.mkdir()
    (folder / "torch.py").write_text("raise ImportError('the carried one')\n", encoding="utf-8")
    (folder / "benepar-9.dist-info").mkdir()
    asked = comparison(tmp_path, paths={"benepar": folder})
    found = run_contestant(asked, Contestant(name="x", runner="benepar"), JobMaker(asked, tmp_path), 1)
    assert found["failed"] == "train: ImportError: the carried one"
    assert asked.pins("benepar") == ["benepar-9"]


def test_a_folder_of_packages_that_is_not_there_is_reported(tmp_path: Path) -> None:
    asked = comparison(tmp_path, paths={"supar": tmp_path / "nowhere"})
    found = run_contestant(asked, Contestant(name="x", runner="supar"), JobMaker(asked, tmp_path), 1)
    assert found["failed"] == f"install: {tmp_path / 'nowhere'}: no such folder"


def test_training_data_ends_at_the_deadline() -> None:
    assert list(Until([1, 2, 3], time.monotonic() + 3600)) == [1, 2, 3]
    assert list(Until([1, 2, 3], time.monotonic() - 1)) == []
    assert len(Until([1, 2, 3], 0.0)) == 3


def test_memory_of_this_process_is_plausible() -> None:
    assert peak_memory() > 10**6


@pytest.mark.parametrize("share", [0.5, 0.99])
def test_quantile_of_one_value_is_that_value(share: float) -> None:
    assert quantile([3.0], share) == 3.0


def test_without_an_encoder_a_peers_job_names_none_and_its_model_is_another(tmp_path: Path) -> None:
    peer = Contestant(name="peer", runner="supar")
    over, alone = (JobMaker(comparison(tmp_path, encoder=encoder), tmp_path) for encoder in (tmp_path, None))
    assert alone.make(peer, 1).encoder == ""
    assert alone.make(peer, 1).model != over.make(peer, 1).model


def test_a_peer_without_a_network_of_its_own_needs_an_encoder(tmp_path: Path) -> None:
    trees = tmp_path / "trees.txt"
    trees.write_text(TREES, encoding="utf-8")
    files = [word for option in ("--train", "--dev", "--sentences") for word in (option, str(trees))]
    done = CliRunner().invoke(main, ["parsers", *files, "--peer", "benepar", "--peer", "supar"])
    assert done.exit_code == 2
    assert "--peer benepar has no network of its own: give --encoder" in done.output
