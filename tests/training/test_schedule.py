from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from small_runs import small_config
from spanlin.training.schedule import Schedule
from spanlin.training.state import Progress


def schedule(*, steps: int = 1000, **changes: Any) -> Schedule:
    return Schedule(small_config(Path("unused"), **changes), steps=steps)


def test_the_first_step_is_reported_and_then_every_twentieth() -> None:
    plan = schedule()
    reported = [step for step in range(1, 61) if plan.reports(Progress(step=step, seconds=step * 0.01))]
    assert reported == [1, 20, 40, 60]


def test_slow_steps_are_reported_by_time() -> None:
    plan = schedule()
    assert [step for step in range(1, 11) if plan.reports(Progress(step=step, seconds=step * 4.0))] == [1, 4, 7, 10]


def test_a_run_is_as_far_as_its_steps_or_its_minutes() -> None:
    plan = schedule(max_minutes=10.0)
    assert plan.share(Progress(step=500, seconds=60)) == 0.5
    assert plan.share(Progress(step=500, seconds=540)) == 0.9
    assert schedule().time_share(Progress(step=500, seconds=540)) == 0


def test_the_rates_of_all_groups_follow_the_schedule() -> None:
    groups = [{"params": [torch.zeros(1)], "peak": peak} for peak in (0.1, 0.5)]
    optimizer = torch.optim.Adam(groups, lr=0.0)
    plan = schedule(optimizer={"warm_up_steps": 4})
    assert plan.set_rates(optimizer, Progress(step=1), 1.0) == pytest.approx(0.25)
    assert plan.set_rates(optimizer, Progress(step=900), 0.5) == pytest.approx(0.025)
    assert [group["lr"] for group in optimizer.param_groups] == pytest.approx([0.005, 0.025])


def test_a_report_says_how_much_time_is_left() -> None:
    event = schedule(epochs=8).report(Progress(step=250, seconds=30), epoch=1, loss=2.0, rate=0.1, speed=9.0)
    assert (event.epoch, event.epochs, event.step, event.steps) == (2, 8, 250, 1000)
    assert event.seconds_left == pytest.approx(90)


def test_a_schedule_that_works_has_no_warnings() -> None:
    assert schedule(optimizer={"warm_up_steps": 50}).warnings() == []


def test_more_warm_up_than_steps_is_a_warning_that_says_what_to_do() -> None:
    (warning,) = schedule(steps=160, optimizer={"warm_up_steps": 160}).warnings()
    assert warning.startswith("optimizer.warm_up_steps is 160, but the run has only 160 steps")
    assert "leave the key out" in warning


def test_too_few_steps_are_a_warning() -> None:
    (warning,) = schedule(steps=40, optimizer={"warm_up_steps": 2}).warnings()
    assert warning.startswith("the run has only 40 steps, too few to learn much: leave out batch.tokens")
