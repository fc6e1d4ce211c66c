"""One run in a separate process: train, or resume training, then measure and write the results."""

from __future__ import annotations

import datetime
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

import spanlin
from experiments.measuring import measure, measure_decoders
from experiments.results import Result
from experiments.run_log import short_log
from spanlin.atomic_files import remove_folder
from spanlin.config.training import TrainingConfig
from spanlin.errors import CheckpointError, ConfigError, DivergedError, SpanlinError
from spanlin.training.checkpoint import CHECKPOINT, load_model, read_tensors
from spanlin.training.loop import TrainingResult, train
from spanlin.training.metrics import Event
from spanlin.training.state import load_progress
from spanlin.trees.brackets import read_trees, write_trees
from spanlin.trees.tree import Tree

INTERRUPTED = 75  # the exit status of a run that stopped when it was asked to, and can be resumed
_TRAINED, _DIVERGED = "trained.json", "diverged.txt"


@dataclass(frozen=True, kw_only=True)
class Run:
    """A training run and the rows, by name and title, whose results it gives.

    What `held_out`, `decoder` and predicted tags are, `Row` says; `tagged_dev` are the dev trees with these.
    """

    key: str
    config: TrainingConfig
    share: float
    held_out: float
    decoder: str
    tagged_dev: Path | None
    rows: tuple[tuple[str, str], ...]
    decoders: bool
    folder: Path
    results: Path
    device: str
    threads: int
    commit: str

    @property
    def treebank(self) -> str:
        """The one treebank it is trained and scored on."""
        return self.config.treebanks[0].name

    @property
    def name(self) -> str:
        """How it is called in messages."""
        return f"{self.treebank}/{self.rows[0][0]}-{self.config.seed}"


def work(run: Run) -> None:
    """Do a run; what it says goes to `log.txt` in its folder. Ends the process if it is interrupted."""
    run.folder.mkdir(parents=True, exist_ok=True)
    with (run.folder / "log.txt").open("a", buffering=1, encoding="utf-8") as log:
        # Whatever libraries print belongs to this run alone.
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        torch.set_num_threads(run.threads)
        if not (run.folder / _TRAINED).exists() and not _train(run):
            sys.exit(INTERRUPTED)
        _measure(run)


def trained(folder: Path) -> bool:
    """Return whether a run's training is finished."""
    return (folder / _TRAINED).exists()


def why_diverged(folder: Path) -> str:
    """Return why a run's training failed and would fail again; nothing if it did not."""
    path = folder / _DIVERGED
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _train(run: Run) -> bool:
    """Train, from the last checkpoint if there is one; return whether training is finished."""
    config = _with_files(run)
    try:
        result = _train_or_resume(run, config)
    except DivergedError as error:
        # It would do so again each time.
        (run.folder / _DIVERGED).write_text(str(error), encoding="utf-8")
        raise
    except SpanlinError as error:
        if not _is_damaged(run.folder / "last"):
            raise
        print(f"starts again: {error}")
        for part in ("last", "best"):
            remove_folder(run.folder / part, CHECKPOINT)
        result = _train_or_resume(run, config)
    if result.interrupted:
        return False
    progress = load_progress(run.folder / "last")
    seconds = progress.seconds
    trees = sum(1 for _ in read_trees(config.treebanks[0].train))
    figures = {
        "minutes": seconds / 60,
        "sentences_per_second": trees * progress.epoch / max(seconds, 1e-9),
        "trees": trees,
        "epochs": progress.epoch,
        "steps": result.steps,
    }
    where = machine(run.device)
    trained_by = {"date": _today(), "commit": run.commit, "machine": where.get("gpu", where["cpu"])}
    (run.folder / _TRAINED).write_text(json.dumps({"training": figures, "trained": trained_by}), encoding="utf-8")
    # The optimizer's state, twice the size of the model, is of no more use.
    remove_folder(run.folder / "last", CHECKPOINT)
    return True


def _is_damaged(last: Path) -> bool:
    """Return whether a checkpoint is there that cannot be read, whatever the run is given besides."""
    if not last.exists():
        return False
    try:
        load_model(last)
        load_progress(last)
        read_tensors(last / "state.safetensors")
    except (CheckpointError, ConfigError):
        return True
    return False


def _train_or_resume(run: Run, config: TrainingConfig) -> TrainingResult:
    begun = (run.folder / "last").exists() or (run.folder / ".last.old").exists()
    return train(config, run.folder, resume=begun, device=run.device, watch=_watch)


def _watch(event: Event) -> None:
    if event.kind == "step" and event.step % 100 == 0:
        print(f"step {event.step}/{event.steps}  loss {event.loss:.3f}  {event.sentences_per_second:,.0f} sentences/s")
    elif event.scores:
        print(f"epoch {event.epoch}  dev F1 {event.scores['mean']:.2f}")


def _with_files(run: Run) -> TrainingConfig:
    """Return the configuration; where a share of the trees is asked or held out, with files of them, evenly spread."""
    treebank = run.config.treebanks[0]
    if run.share == 1 and not run.held_out:
        return run.config
    used, _ = _divided(list(read_trees(treebank.train)), run.share)
    held_out, train = _divided(used, run.held_out)
    if run.held_out and not held_out:
        raise ConfigError(
            f"{treebank.train}: {len(used)} trees are too few to hold out {run.held_out:g} of them: take a larger one"
        )
    files = {"train": train, **({"dev": held_out} if held_out else {})}
    for name, trees in files.items():
        write_trees(trees, run.folder / f"{name}.txt")
    return replace(
        run.config,
        treebanks=(replace(treebank, **{name: str(run.folder / f"{name}.txt") for name in files}),),  # type: ignore[arg-type]
    )


def _divided(trees: Sequence[Tree], share: float) -> tuple[list[Tree], list[Tree]]:
    """Return a share of the trees, evenly spread, and the others."""
    parts: tuple[list[Tree], list[Tree]] = ([], [])
    for number, tree in enumerate(trees):
        parts[int((number + 1) * share) == int(number * share)].append(tree)
    return parts


def _measure(run: Run) -> None:
    model = load_model(run.folder / "best")
    dev = Path(run.config.treebanks[0].dev)
    brackets, speed = measure(model, dev, device=run.device, decoder=run.decoder, tagged=run.tagged_dev)
    decoders = measure_decoders(model, dev, device=run.device) if run.decoders else {}
    known = json.loads((run.folder / _TRAINED).read_text(encoding="utf-8"))
    config = asdict(run.config)
    # Where the files lay says nothing of the result.
    config["treebanks"] = [{"name": run.treebank, "share": run.share}]
    config["row"] = {
        "held_out": run.held_out,
        "decoder": run.decoder,
        "predicted_tags": run.tagged_dev is not None,
    }
    for name, title in run.rows:
        Result(
            row=name,
            title=title,
            treebank=run.treebank,
            seed=run.config.seed,
            brackets=brackets,
            key=run.key,
            date=_today(),
            commit=run.commit,
            machine=machine(run.device),
            device=run.device,
            training=known["training"],
            trained=known["trained"],
            parsing={"sentences_per_second": speed},
            decoders=decoders,
            config=config,
            log=short_log(run.folder / "metrics.jsonl"),
        ).write(run.results)


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def machine(device: str) -> dict[str, str]:
    """Return what times and, in the last digits, scores depend on in addition to the code."""
    found = {
        "cpu": _cpu_model(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "spanlin": spanlin.__version__,
    }
    if device.startswith("cuda"):
        found["gpu"] = torch.cuda.get_device_name(device)
    return found


def _cpu_model() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
