"""The short log that is kept with a result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from experiments.run_log import LIMIT, short_log

from spanlin.errors import EvaluationError


def write_metrics(path: Path, *, epochs: int, steps: int) -> None:
    events: list[dict[str, object]] = [{"kind": "plan", "text": "so many"}]
    for epoch in range(1, epochs + 1):
        for step in range((epoch - 1) * steps + 1, epoch * steps + 1):
            events.append(
                {"kind": "step", "epoch": epoch, "step": step, "loss": 1 / step, "sentences_per_second": 500.4}
            )
        f1 = 90 - abs(epoch - 37) / 10
        events.append({"kind": "evaluation", "epoch": epoch, "step": epoch * steps, "scores": {"mean": f1, "a": f1}})
    events.append({"kind": "end", "step": epochs * steps, "text": "finished"})
    path.write_text("".join(f"{json.dumps(event)}\n" for event in events), encoding="utf-8")


def test_it_has_loss_and_dev_f1_at_each_evaluation(tmp_path: Path) -> None:
    write_metrics(tmp_path / "metrics.jsonl", epochs=3, steps=2)
    log = short_log(tmp_path / "metrics.jsonl")
    assert log["evaluations"] == [[1, 2, 86.4], [2, 4, 86.5], [3, 6, 86.6]]
    assert log["losses"] == [[step, round(1 / step, 4)] for step in range(1, 7)]
    assert (log["best_epoch"], log["sentences_per_second"]) == (3, 500)


def test_a_long_run_is_thinned_to_a_few_kilobytes_and_keeps_first_last_and_best(tmp_path: Path) -> None:
    write_metrics(tmp_path / "metrics.jsonl", epochs=150, steps=40)
    log = short_log(tmp_path / "metrics.jsonl")
    assert len(json.dumps(log)) < 4000
    assert len(log["evaluations"]) <= LIMIT
    assert len(log["losses"]) <= LIMIT
    epochs = [epoch for epoch, *_ in log["evaluations"]]
    assert epochs == sorted(epochs)
    assert {1, 37, 150} <= set(epochs)
    assert log["best_epoch"] == 37
    assert log["losses"][-1][0] == 150 * 40
    # Means of all the steps in between, so that none is lost.
    assert log["losses"][0][1] == pytest.approx(sum(1 / step for step in range(1, 101)) / 100, abs=1e-4)


def test_without_metrics_there_is_no_log_and_damaged_ones_are_named(tmp_path: Path) -> None:
    assert short_log(tmp_path / "metrics.jsonl") == {}
    (tmp_path / "metrics.jsonl").write_text('{"kind": "step"}\n')
    with pytest.raises(EvaluationError, match=r"metrics\.jsonl: not what training writes: KeyError.*; train again"):
        short_log(tmp_path / "metrics.jsonl")
