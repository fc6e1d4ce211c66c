"""What must be kept of a run, in addition to the weights, so that it resumes as if it had never stopped."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from spanlin.errors import CheckpointError
from spanlin.training.checkpoint import read_tensors
from spanlin.training.optimizer import WeightAverage


@dataclass(kw_only=True)
class Progress:
    """Where a run stands."""

    epoch: int = 0  # under way, from 0
    steps_in_epoch: int = 0  # done
    step: int = 0  # done in all
    seconds: float = 0.0
    best_score: float = -1.0
    best_step: int = 0
    evaluations_since_best: int = 0
    rate_factor: float = 1.0
    plateau_waited: int = 0
    fingerprint: str = ""
    log_lines: int = 0  # of `metrics.jsonl`
    finished: bool = False


def save_state(
    folder: Path, progress: Progress, optimizer: torch.optim.Optimizer, average: WeightAverage | None
) -> None:
    """Write the optimizer's moments, the average and the progress.

    Random states need no keeping: the loop derives them from the seed and the step.
    """
    tensors: dict[str, Tensor] = {}
    for number, values in optimizer.state_dict()["state"].items():
        for name, value in values.items():
            tensors[f"optimizer.{number}.{name}"] = torch.as_tensor(value)
    if average is not None:
        tensors |= {f"average.{name}": mean for name, mean in zip(average.names, average.mean, strict=True)}
    save_file(
        {name: value.detach().cpu().contiguous() for name, value in tensors.items()}, folder / "state.safetensors"
    )
    (folder / "progress.json").write_text(json.dumps(asdict(progress)), encoding="utf-8")


def load_progress(folder: Path) -> Progress:
    """Read where a run stands."""
    try:
        return Progress(**json.loads((folder / "progress.json").read_text(encoding="utf-8")))
    except OSError as error:
        raise CheckpointError(f"{folder}/progress.json: cannot be read: {error.strerror}") from error
    except (ValueError, TypeError) as error:
        raise CheckpointError(f"{folder}/progress.json: damaged: {error}") from error


def load_state(folder: Path, optimizer: torch.optim.Optimizer, average: WeightAverage | None) -> None:
    """Put back the optimizer's moments and the average."""
    tensors = read_tensors(folder / "state.safetensors")
    state: dict[int, dict[str, Any]] = {}
    for key, value in tensors.items():
        part, _, rest = key.partition(".")
        if part == "optimizer":
            number, _, name = rest.partition(".")
            state.setdefault(int(number), {})[name] = value
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    fits = (
        number < len(weights) and values.get("exp_avg", torch.empty(0)).shape == weights[number].shape
        for number, values in state.items()
    )
    if not state or not all(fits):
        raise CheckpointError(f"{folder}/state.safetensors: not the optimizer's state of this network: start a new run")
    whole = optimizer.state_dict()
    whole["state"] = state
    optimizer.load_state_dict(whole)
    if average is not None:
        for name, mean in zip(average.names, average.mean, strict=True):
            if f"average.{name}" not in tensors:
                raise CheckpointError(f"{folder}/state.safetensors: no average of {name}; was averaging off before?")
            mean.copy_(tensors[f"average.{name}"])
