from __future__ import annotations

import io

import pytest
from rich.console import Console

from spanlin.cli.train_progress import TrainProgress
from spanlin.training.metrics import Event


def shown(*events: Event, terminal: bool = False) -> str:
    """Return what is shown of some events."""
    text = io.StringIO()
    with TrainProgress(Console(file=text, force_terminal=terminal, width=200)) as progress:
        for event in events:
            progress(event)
    return text.getvalue()


def step(number: int) -> Event:
    return Event(
        kind="step",
        epoch=1,
        epochs=3,
        step=number,
        steps=90,
        loss=2.5,
        rate=1e-3,
        sentences_per_second=1234.0,
        seconds_left=75.2,
    )


def test_the_first_step_has_a_line_and_the_next_only_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([100.0, 100.0, 120.0, 131.0, 131.0, 140.0])
    monkeypatch.setattr("spanlin.cli.train_progress.time.monotonic", lambda: next(seconds))
    text = io.StringIO()
    progress = TrainProgress(Console(file=text, width=200))  # without its bar, which reads the clock too
    for number in (1, 20, 40, 60):
        progress(step(number))
    first, second = text.getvalue().splitlines()
    assert first == "epoch 1/3  step 1/90  loss 2.500  rate 1.0e-03  1,234 sentences/s  1:15 left"
    assert second.startswith("epoch 1/3  step 40/90 ")


def test_evaluations_warnings_and_notes_have_lines() -> None:
    lines = shown(
        Event(kind="plan", text="30 sentences [of 200 tokens]"),
        Event(kind="warning", text="too few"),
        Event(kind="evaluation", epoch=2, scores={"mine": 61.234, "mean": 61.234}),
        Event(kind="evaluation", epoch=3, scores={"mine": 60.0, "mean": 60.0}),
        step(20),
        Event(kind="saved", step=20),
        Event(kind="end", step=20, text="finished"),
    ).splitlines()
    assert lines[:3] == ["30 sentences [of 200 tokens]", "warning: too few", "epoch 2  dev F1  mine 61.23  mean 61.23"]
    assert "  best dev F1 61.23  1:15 left" in lines[4]
    assert len(lines) == 5


def test_on_a_terminal_a_bar_has_the_figures() -> None:
    text = shown(step(20), terminal=True)
    assert "step 20/90" in text
    assert "1/3" in text
