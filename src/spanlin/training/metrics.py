"""What a run reports: events for a watcher, `metrics.jsonl`, TensorBoard, and a picture of the curves."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from spanlin.errors import TrainingError


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a run."""

    kind: Literal["plan", "warning", "step", "evaluation", "saved", "note", "end"]
    epoch: int = 0
    epochs: int = 0
    step: int = 0
    steps: int = 0
    loss: float = 0.0
    rate: float = 0.0
    sentences_per_second: float = 0.0
    seconds_left: float = 0.0
    scores: dict[str, float] = field(default_factory=dict)
    """Dev F1 by treebank, `mean` among them."""
    text: str = ""


Watcher = Callable[[Event], None]


class MetricsLog:
    """Appends to `metrics.jsonl` and TensorBoard; of a resumed run's lines it keeps those from before the save."""

    def __init__(self, folder: Path, *, resumed_step: int = 0, kept_lines: int = 0) -> None:
        self.path = folder / "metrics.jsonl"
        kept: list[str] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if self.path.exists():
                kept = self.path.read_text(encoding="utf-8").splitlines()[:kept_lines]
                self.path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        except OSError as error:
            raise TrainingError(f"{self.path}: cannot be written: {error.strerror}") from error
        self.line_count = len(kept)
        self._board: Any = None
        try:
            from torch.utils import tensorboard

            writer: Any = tensorboard.writer.SummaryWriter
            self._board = writer(str(folder / "tensorboard"), purge_step=resumed_step + 1 if resumed_step else None)
        except ImportError:
            pass  # an optional view of what metrics.jsonl holds anyway

    def write(self, event: Event) -> None:
        """Keep an event."""
        record = {key: value for key, value in asdict(event).items() if value not in ("", {}) and key != "seconds_left"}
        try:
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(record) + "\n")
            self.line_count += 1
        except OSError as error:
            raise TrainingError(f"{self.path}: cannot be written: {error.strerror}") from error
        if self._board is not None:
            if event.kind == "step":
                self._board.add_scalar("loss", event.loss, event.step)
                self._board.add_scalar("rate", event.rate, event.step)
                self._board.add_scalar("sentences per second", event.sentences_per_second, event.step)
            for name, score in event.scores.items():
                self._board.add_scalar(f"dev F1/{name}", score, event.step)

    def close(self) -> None:
        """Finish writing."""
        if self._board is not None:
            self._board.close()


def draw_curves(folder: Path) -> Path:
    """Draw loss and dev F1 over the steps from `metrics.jsonl`; return the picture's path."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    events = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    steps = [event for event in events if event["kind"] == "step"]
    evaluations = [event for event in events if event["kind"] == "evaluation"]
    figure = Figure(figsize=(9, 4), layout="constrained")
    FigureCanvasAgg(figure)
    losses, scores = figure.subplots(1, 2)
    losses.plot([event["step"] for event in steps], [event["loss"] for event in steps], linewidth=1)
    losses.set(xlabel="step", ylabel="training loss", yscale="log")
    names = sorted({name for event in evaluations for name in event.get("scores", {})})
    for name in names:
        points = [(event["step"], event["scores"][name]) for event in evaluations if name in event["scores"]]
        scores.plot(*zip(*points, strict=True), marker=".", label=name, linewidth=2 if name == "mean" else 1)
    scores.set(xlabel="step", ylabel="dev F1")
    if names:
        scores.legend(loc="lower right")
    path = folder / "curves.png"
    figure.savefig(path, dpi=120)
    return path
