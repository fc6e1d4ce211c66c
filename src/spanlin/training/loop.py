"""The training loop: exact, resumable, on one or several processes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from spanlin.atomic_files import recover_folder
from spanlin.config.by_size import settle
from spanlin.config.training import TrainingConfig
from spanlin.errors import CheckpointError, DivergedError, TrainingError
from spanlin.training.batches import Prefetcher
from spanlin.training.checkpoint import (
    CHECKPOINT,
    Model,
    load_weights,
    new_model,
    read_tensors,
    require_replaceable,
    save_model,
    write_folder,
)
from spanlin.training.data import TrainingData, load_data
from spanlin.training.dev_scores import DevScores
from spanlin.training.graphs import GraphedLoss, can_be_graphed
from spanlin.training.lessons import Lessons, load_teachers, with_teachers_outputs
from spanlin.training.loss_module import LossModule
from spanlin.training.metrics import Event, MetricsLog, Watcher, draw_curves
from spanlin.training.optimizer import Plateau, WeightAverage, build_optimizer
from spanlin.training.parsing import autocast
from spanlin.training.processes import Group, choose_training_device, own_stream, stop_signals, synchronized
from spanlin.training.run_batches import Made, RunBatches, Step
from spanlin.training.run_config import require_own_config, resumed_config, write_run_config
from spanlin.training.schedule import Schedule, is_kept
from spanlin.training.start import read_start, started_model, with_start
from spanlin.training.state import Progress, load_progress, load_state, save_state
from spanlin.training.vocabulary import Vocabularies, build_vocabularies

_KEPT = frozenset({"evaluation", "note", "end"})  # what metrics.jsonl has beside steps


@dataclass(frozen=True, kw_only=True)
class TrainingResult:
    """How a run ended. `best` is the folder of the model with the highest mean dev F1, or the last one without dev."""

    best: Path
    best_score: float
    steps: int
    interrupted: bool


def train(
    config: TrainingConfig,
    folder: str | Path,
    *,
    resume: bool = False,
    device: str = "",
    watch: Watcher | None = None,
) -> TrainingResult:
    """Train a parser and keep it in `folder`: `best/`, `last/`, `config.toml`, `metrics.jsonl`, `curves.png`.

    What the configuration leaves to the size of the treebanks is settled first; `config.toml` has it.
    With `resume`, an interrupted run continues from its last checkpoint and ends with exactly the weights it
    would have had. Started by torchrun, each process takes its share of every step.
    """
    return _Run(config, Path(folder), resume=resume, device=device, watch=watch).train()


class _Run:
    def __init__(
        self, config: TrainingConfig, folder: Path, *, resume: bool, device: str, watch: Watcher | None
    ) -> None:
        self.folder = folder
        self.watch = watch
        self.device = choose_training_device(device)
        self.group = Group.join(self.device)
        self.rank, self.world = self.group.rank, self.group.world
        self.signalled = self.interrupted = False
        if self.rank == 0:
            recover_folder(folder / "last")
            recover_folder(folder / "best")
        self.group.wait()
        last = folder / "last"
        if resume and not last.exists():
            raise CheckpointError(f"{folder}: nothing to resume: it has no checkpoint 'last'")
        if not resume and last.exists():
            raise TrainingError(f"{folder} holds a run already: resume it, or choose an empty folder")
        require_replaceable(folder / "best", CHECKPOINT)  # now, not after an hour
        require_own_config(folder)
        start = None
        if config.start:
            start = read_start(config, str(last) if resume else config.start)
            config = replace(config, network=start.config.network)
        if resume:
            config = resumed_config(config, last)
        data = load_data(config)
        self.tokens = data.tokens
        self.config = config = settle(config, tokens=data.tokens, processes=self.world)
        self.progress = load_progress(last) if resume else Progress(fingerprint=data.fingerprint)
        if self.progress.fingerprint != data.fingerprint:
            raise CheckpointError(f"{last}: the treebanks have changed since this run began: start a new one")
        torch.manual_seed(config.seed)
        self.teachers = load_teachers(config.distillation, config.network.scorer)
        vocabularies = self._vocabularies(data, start)
        if resume and Vocabularies.load(last / "vocabularies.json").to_table() != vocabularies.to_table():
            raise CheckpointError(f"{last}: its vocabularies are not those of the treebanks: start a new run")
        self.model = new_model(config, vocabularies) if start is None else started_model(config, vocabularies, start)
        self.model.network.to(self.device)
        self.lessons: Lessons | None = None
        if self.teachers:
            self.lessons = Lessons(self.teachers, config.distillation, device=self.device, precision=config.precision)
        if resume:
            load_weights(self.model.network, read_tensors(last / "weights.safetensors"), last)
        self.optimizer = build_optimizer(self.model.network, config.optimizer)
        self.average = WeightAverage(self.model.network, config.averaging) if config.averaging else None
        self.plateau = Plateau(config.optimizer)
        self.batches = RunBatches(
            data,
            self.model,
            self.teachers,
            config,
            lessons=self.lessons,
            multiple=8 if self._uses_graphs() else 1,
            rank=self.rank,
            world=self.world,
            device=self.device,
        )
        self.dev_scores = DevScores(data, self.model, device=self.device)
        if resume:
            load_state(last, self.optimizer, self.average)
            self.plateau.factor, self.plateau.waited = self.progress.rate_factor, self.progress.plateau_waited
        require_replaceable(last, CHECKPOINT)  # after what is damaged in it has been named

    def _vocabularies(self, data: TrainingData, start: Model | None) -> Vocabularies:
        parts = [treebank.train for treebank in data.treebanks]
        built = build_vocabularies(
            (sentence for part in parts for sentence in part.sentences),
            dependencies=(known for part in parts for known in part.dependencies),
            min_word_count=self.config.min_word_count,
            treebanks=[treebank.name for treebank in data.treebanks],
        )
        return with_teachers_outputs(built if start is None else with_start(built, start), self.teachers)

    def _uses_graphs(self) -> bool:
        return self.config.cuda_graphs and self.device.type == "cuda" and can_be_graphed(self.model.network)

    def train(self) -> TrainingResult:
        if self.progress.finished:
            return self._result()
        loss_module: nn.Module = LossModule(self.model, self.config.distillation.tree_share)
        self.graphed: GraphedLoss | None = None
        if self.world > 1:
            devices = [self.device.index] if self.device.type == "cuda" else None
            loss_module = DistributedDataParallel(loss_module, device_ids=devices)
        elif self._uses_graphs():
            self.graphed = GraphedLoss(loss_module, device=self.device, precision=self.config.precision)
        self.schedule = Schedule(self.config, steps=len(self.batches.plan(0)) * self.config.epochs)
        self.log = self._open_log() if self.rank == 0 else None
        self._emit(Event(kind="plan", step=self.progress.step, text=self._summary()))
        for text in self.schedule.warnings():
            self._emit(Event(kind="warning", step=self.progress.step, text=text))
        self.clock = time.monotonic() - self.progress.seconds
        with stop_signals(self._stop), own_stream(self.device):
            while self.progress.epoch < self.config.epochs and not self.progress.finished:
                self._train_epoch(loss_module)
                if self.interrupted:
                    break
            if not self.interrupted:
                self.progress.finished = True
            self._save_last()
        if self.log is not None:
            self._emit(
                Event(kind="end", step=self.progress.step, text="interrupted" if self.interrupted else "finished")
            )
            self.log.close()
            draw_curves(self.folder)
        return self._result()

    def _open_log(self) -> MetricsLog:
        write_run_config(self.folder, self.config)
        return MetricsLog(self.folder, resumed_step=self.progress.step, kept_lines=self.progress.log_lines)

    def _summary(self) -> str:
        batch = self.config.batch
        return (
            f"{self.batches.sentence_count:,} sentences of {self.tokens:,} tokens: "
            f"{self.config.epochs} epochs in batches of {batch.tokens:,} tokens, {self.schedule.steps:,} steps, "
            f"{self.config.optimizer.warm_up_steps} of them to warm up"
        )

    def _train_epoch(self, loss_module: nn.Module) -> None:
        config, progress = self.config, self.progress
        epoch = progress.epoch
        plan = self.batches.plan(epoch)
        jobs = self.batches.jobs(plan, epoch=epoch, start=progress.steps_in_epoch)
        batches = Prefetcher(jobs, ahead=config.batch.prefetch)
        loss_sum = torch.zeros((), device=self.device)
        summed, seen, since = 0, 0, time.monotonic()
        self.model.network.train()
        try:
            stream = iter(batches)
            while progress.steps_in_epoch < len(plan):
                group = plan[progress.steps_in_epoch]
                sentence_count = sum(map(len, group))
                rate = self.schedule.set_rates(self.optimizer, progress, self.plateau.factor)
                # Dropout depends on the seed, the step and the process alone, so there is no random state to keep.
                torch.manual_seed((config.seed * 1_000_003 + progress.step) * 1_009 + self.rank)
                loss_sum += self._backward(loss_module, stream, group, sentence_count)
                self._update()
                progress.step += 1
                progress.steps_in_epoch += 1
                progress.seconds = time.monotonic() - self.clock
                self._agree()
                summed += 1
                seen += sentence_count
                if self.schedule.reports(progress):
                    mean = self._finite(loss_sum) / summed
                    now = time.monotonic()
                    speed = seen / max(now - since, 1e-9)
                    self._emit(self.schedule.report(progress, epoch=epoch, loss=mean, rate=rate, speed=speed))
                    if is_kept(progress.step):
                        loss_sum.zero_()
                        summed, seen, since = 0, 0, now
                over = self.schedule.time_share(progress) >= 1
                if config.save_every and progress.step % config.save_every == 0:
                    self._finite(loss_sum)
                    self._save_last()
                    since = time.monotonic()
                if self.interrupted or over:
                    progress.finished = over
                    break
        finally:
            batches.close()
        self._finite(loss_sum)
        if progress.steps_in_epoch == len(plan):
            progress.epoch += 1
            progress.steps_in_epoch = 0
        elif not progress.finished:
            return
        if progress.epoch % config.evaluate_every == 0 or progress.epoch == config.epochs or progress.finished:
            self._evaluate()
        if not config.save_every or progress.finished:
            self._save_last()

    def _backward(self, loss_module: nn.Module, stream: Iterator[Made], group: Step, count: int) -> Tensor:
        """Add up the gradients of a step's micro-batches; return the mean loss per sentence of this process's."""
        total = torch.zeros((), device=self.device)
        turns = range(0, len(group), self.world)
        for turn in turns:
            made = next(stream)
            weight = 1.0 if turn + self.rank < len(group) else 0.0
            # DDP averages over processes; the sum over all sentences of the step, divided once, is what is wanted.
            scale = weight * self.world / count
            batch = made.batch.to(self.device)
            soft = None if self.lessons is None else self.lessons(made.sentences, batch, made.for_teachers)
            if self.graphed is not None:
                total += self.graphed(batch, soft, scale)
                continue
            with synchronized(loss_module, turn == turns[-1]):
                with autocast(self.device, self.config.precision):
                    loss = loss_module(batch, soft) * scale
                loss.backward()
            total += loss.detach()
        return total

    def _update(self) -> None:
        weights = [weight for weight in self.model.network.parameters() if weight.grad is not None]
        if self.config.optimizer.clip:
            torch.nn.utils.clip_grad_norm_(weights, self.config.optimizer.clip, foreach=True)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=self.graphed is None)
        if self.average is not None:
            self.average.update(self.progress.step)

    def _finite(self, loss: Tensor) -> float:
        """Return the mean of all processes' losses, or raise an error in all of them."""
        value = self.group.mean(loss)
        if not np.isfinite(value):
            self._fail(f"the loss is {value} near step {self.progress.step}")
        return value

    def _require_finite_weights(self) -> None:
        """Raise an error if the last step left weights that are not finite: its loss was computed before them."""
        weights = list(self.model.network.parameters())
        if not all(torch.stack([weight.isfinite().all() for weight in weights]).tolist()):
            self._fail(f"step {self.progress.step} has made weights that are not finite")

    @staticmethod
    def _fail(what: str) -> NoReturn:
        raise DivergedError(f"{what}: lower optimizer.rate or set optimizer.clip; the last good checkpoint is kept")

    def _agree(self) -> None:
        """Let all processes stop together and plan by one clock: their rates and steps must not diverge."""
        signalled, self.progress.seconds = self.group.largest(self.signalled, self.progress.seconds)
        self.interrupted = bool(signalled)

    def _stop(self) -> None:
        self.signalled = True

    def _evaluate(self) -> None:
        progress = self.progress
        self._require_finite_weights()
        if self.average is not None:
            self.average.swap()
        scores = self.dev_scores()
        score = self.group.first(sum(scores.values()) / len(scores) if scores else 0.0)
        better = score > progress.best_score or not scores
        if better:
            progress.best_score, progress.best_step = score, progress.step
            if self.rank == 0:
                write_folder(self.folder / "best", lambda folder: save_model(folder, self.model), CHECKPOINT)
        if self.average is not None:
            self.average.swap()
        progress.evaluations_since_best = 0 if better else progress.evaluations_since_best + 1
        self.plateau.saw(better=better)
        progress.rate_factor, progress.plateau_waited = self.plateau.factor, self.plateau.waited
        if scores:
            self._emit(
                Event(kind="evaluation", epoch=progress.epoch, step=progress.step, scores=scores | {"mean": score})
            )
        if self.config.patience and progress.evaluations_since_best >= self.config.patience:
            progress.finished = True

    def _save_last(self) -> None:
        self._require_finite_weights()
        if self.log is None:
            return
        self.progress.log_lines = self.log.line_count

        def fill(folder: Path) -> None:
            save_model(folder, self.model)
            save_state(folder, self.progress, self.optimizer, self.average)

        write_folder(self.folder / "last", fill, CHECKPOINT)
        self._emit(Event(kind="saved", step=self.progress.step))

    def _emit(self, event: Event) -> None:
        # Which events are kept must not depend on the clock, nor on how often a run was stopped.
        if self.log is not None and (event.kind in _KEPT or (event.kind == "step" and is_kept(event.step))):
            self.log.write(event)
        if self.watch is not None and self.rank == 0:
            self.watch(event)

    def _result(self) -> TrainingResult:
        best = self.folder / "best"
        return TrainingResult(
            best=best if best.exists() else self.folder / "last",
            best_score=max(self.progress.best_score, 0.0),
            steps=self.progress.step,
            interrupted=self.interrupted,
        )
