"""`python -m experiments tags`: predicted tags for the rows that read tags, each from a network that was not trained on
the sentence.

The tagger is small and soon trained: what matters is that its mistakes are those of a tagger.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spanlin.config.table import config_from_table
from spanlin.config.toml_files import merge_tables
from spanlin.config.training import TrainingConfig
from spanlin.training.jackknife import jackknife_tags
from spanlin.training.metrics import Event

FOLDS = 5
_TAGGER: dict[str, Any] = {
    "epochs": 8,
    "evaluate_every": 8,
    "precision": "bf16",
    "averaging": 0.99,
    "save_every": 100_000,
    "network": {
        "lexical": {"word_width": 100, "char_width": 200, "vectors": "vectors/glove"},
        "context": {"kind": "bilstm", "width": 512, "layers": 1},
        "scorer": {"target": "left", "label_width": 128},
        "loss": {"label_tree": "gold", "tag_weight": 2.0},
    },
    "optimizer": {"rate": 0.002, "warm_up_steps": 100},
    "batch": {"tokens": 5500},
}


def make_tags(
    treebank: str,
    *,
    data: Path,
    folder: Path,
    device: str,
    folds: int = FOLDS,
    say: Callable[[str], None],
    deadline: float = math.inf,
    changes: dict[str, Any] | None = None,
) -> bool:
    """Write `folder/TREEBANK/train.txt` and `dev.txt` with predicted tags; return whether it was not interrupted.

    It is if the clock, `time.monotonic`, passes the deadline. The same call resumes. `changes` are to the tagger's
    configuration.
    """
    files = {"name": treebank, **{part: str(data / treebank / f"{part}.txt") for part in ("train", "dev")}}
    config = config_from_table(TrainingConfig, merge_tables({**_TAGGER, "treebanks": [files]}, changes or {}))

    def watch(event: Event) -> None:
        if event.kind == "note":
            say(event.text)
        elif event.kind == "step" and time.monotonic() >= deadline:
            signal.raise_signal(signal.SIGTERM)  # the run saves itself and stops

    result = jackknife_tags(config, folder, folds=folds, device=device, watch=watch)
    for tagged in result.treebanks:
        dev = "" if tagged.dev is None else f", {tagged.dev.accuracy:.2f}% of dev"
        say(f"{tagged.name}: {tagged.train.accuracy:.2f}% of the training tags right{dev}")
    return not result.interrupted
