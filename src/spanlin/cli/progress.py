"""The progress of `spanlin parse` on a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console, ConsoleRenderable, RichCast
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class ParseProgress:
    """A bar on stderr with the sentences done and their rate; if the size is known, also the share and time left."""

    def __init__(self, *, shown: bool, total_bytes: int | None) -> None:
        self._done = self._place = 0
        self._started = time.monotonic()
        self._total = total_bytes
        columns: list[ProgressColumn] = [SpinnerColumn(finished_text="✓"), TextColumn("{task.fields[figures]}")]
        if total_bytes is None:
            columns.append(TimeElapsedColumn())
        else:
            columns += [BarColumn(), TaskProgressColumn(), TimeRemainingColumn(elapsed_when_finished=True)]
        # Sentences come in large chunks, so a rate over a short time would jump.
        self._bar = PolledBar(*columns, console=Console(stderr=True), disable=not shown, speed_estimate_period=120)
        self._task = self._bar.add_task("parse", total=total_bytes, figures="")
        self._bar.before = self._update

    def __enter__(self) -> ParseProgress:
        self._started = time.monotonic()
        self._bar.start()
        return self

    def __exit__(self, *details: object) -> None:
        if not self._bar.disable:  # older versions of rich print an empty line even if the bar was never shown
            self._bar.stop()

    def advance(self, place: int) -> None:
        """Count a sentence that is written and that ended at this byte of the input."""
        self._done += 1
        self._place = place

    def finish(self) -> None:
        """Record that all is done, including empty lines at the end; the bar stays on the terminal."""
        self._place = self._total or self._place

    def _update(self) -> None:
        rate = self._done / max(time.monotonic() - self._started, 1e-9)
        self._bar.update(self._task, completed=self._place, figures=f"{self._done:,} sentences, {rate:,.0f}/s")


class PolledBar(Progress):
    """A bar that asks for its figures when it is drawn, ten times a second, so that counting costs nothing."""

    before: Callable[[], None] | None = None

    def get_renderable(self) -> ConsoleRenderable | RichCast | str:
        if self.before is not None:
            self.before()
        return super().get_renderable()
