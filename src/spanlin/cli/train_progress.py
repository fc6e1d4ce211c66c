"""The progress of `spanlin train`: a bar with the run's figures on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

if TYPE_CHECKING:
    from spanlin.training.metrics import Event

_SECONDS_BETWEEN_LINES = 30.0


class TrainProgress:
    """Watches a run and shows it on stderr."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bar = Progress(
            TextColumn("epoch {task.fields[epoch]}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[figures]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self.task = self.bar.add_task("train", total=None, epoch="-", figures="reading the treebanks")
        self.best = -1.0
        self.next_line = 0.0  # when a step may have a line of its own again

    def __enter__(self) -> TrainProgress:
        self.bar.start()
        return self

    def __exit__(self, *details: object) -> None:
        if not self.bar.disable:  # older versions of rich end even a bar that was never shown with an empty line
            self.bar.stop()

    def __call__(self, event: Event) -> None:
        """Show an event."""
        if event.kind == "step":
            self._show_step(event)
        elif event.kind == "evaluation":
            parts = "  ".join(f"{name} {score:.2f}" for name, score in event.scores.items())
            self.best = max(self.best, event.scores["mean"])
            self._print(f"epoch {event.epoch}  dev F1  {parts}")
        elif event.kind == "warning":
            self._print(f"warning: {event.text}")
        elif event.text and event.kind != "end":  # the command itself says how it ended
            self._print(event.text)

    def _show_step(self, event: Event) -> None:
        minutes, seconds = divmod(round(event.seconds_left), 60)
        best = f"best dev F1 {self.best:.2f}  " if self.best >= 0 else ""
        figures = (
            f"step {event.step}/{event.steps}  loss {event.loss:.3f}  rate {event.rate:.1e}  "
            f"{event.sentences_per_second:,.0f} sentences/s  {best}{minutes}:{seconds:02} left"
        )
        epoch = f"{event.epoch}/{event.epochs}"
        self.bar.update(self.task, completed=event.step, total=event.steps, epoch=epoch, figures=figures)
        if not self.console.is_terminal and time.monotonic() >= self.next_line:
            self.next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
            self._print(f"epoch {epoch}  {figures}")

    def _print(self, line: str) -> None:
        self.console.print(line, highlight=False, markup=False, soft_wrap=True)
