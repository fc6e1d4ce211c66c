"""How far a run is, by steps or by minutes, and what follows from it: rates, the time left, when to report."""

from __future__ import annotations

import torch

from spanlin.config.training import TrainingConfig
from spanlin.training.metrics import Event
from spanlin.training.optimizer import rate_factor
from spanlin.training.state import Progress

_REPORT_STEPS = 20  # each report waits for the device once
_REPORT_SECONDS = 10.0
_FEWEST_STEPS = 100


def is_kept(step: int) -> bool:
    """Return whether the report of a step is kept with the run; others are for who watches it."""
    return step == 1 or step % _REPORT_STEPS == 0


class Schedule:
    """The plan of a run of so many `steps`, which its minutes may cut short."""

    def __init__(self, config: TrainingConfig, *, steps: int) -> None:
        self.config = config
        self.steps = steps
        self._reported = 0.0

    def warnings(self) -> list[str]:
        """Return what cannot work, each in a line, with what to do."""
        found = []
        warm_up = self.config.optimizer.warm_up_steps
        if warm_up >= self.steps:
            found.append(
                f"optimizer.warm_up_steps is {warm_up}, but the run has only {self.steps} steps, so the "
                "learning rate never reaches its peak: leave the key out, or train for more epochs"
            )
        if self.steps < _FEWEST_STEPS:
            found.append(
                f"the run has only {self.steps} steps, too few to learn much: leave out batch.tokens, "
                "batch.sentences and epochs, or train for more epochs"
            )
        return found

    def time_share(self, progress: Progress) -> float:
        """Return how much of its minutes a run has used; 0 where they have no limit."""
        limit = self.config.max_minutes * 60
        return progress.seconds / limit if limit else 0.0

    def share(self, progress: Progress) -> float:
        """Return how much of a run is over."""
        return max(progress.step / self.steps, self.time_share(progress))

    def set_rates(self, optimizer: torch.optim.Optimizer, progress: Progress, factor: float) -> float:
        """Give the optimizer the rates of the next step, multiplied by a factor; return the highest."""
        factor *= rate_factor(self.config.optimizer, progress.step, self.share(progress))
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * factor
        return float(max(group["lr"] for group in optimizer.param_groups))

    def reports(self, progress: Progress) -> bool:
        """Return whether to report the step just done: the first, then by steps or, where these are slow, by time.

        All processes of a run answer alike: they agree on its seconds.
        """
        late = progress.seconds - self._reported >= _REPORT_SECONDS
        if not is_kept(progress.step) and not late:
            return False
        self._reported = progress.seconds
        return True

    def report(self, progress: Progress, *, epoch: int, loss: float, rate: float, speed: float) -> Event:
        """Return a step's event; `epoch` counts from 0."""
        share = self.share(progress)
        return Event(
            kind="step",
            epoch=epoch + 1,
            epochs=self.config.epochs,
            step=progress.step,
            steps=self.steps,
            loss=loss,
            rate=rate,
            sentences_per_second=speed,
            seconds_left=progress.seconds / share - progress.seconds if share else 0.0,
        )
