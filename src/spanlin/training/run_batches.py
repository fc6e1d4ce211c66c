"""The batches of a run: which sentences each step learns from, and how they become tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from spanlin.config.training import TrainingConfig
from spanlin.network.batch import Batch
from spanlin.training.batches import BatchMaker, plan_epoch
from spanlin.training.checkpoint import Model
from spanlin.training.data import TrainingData
from spanlin.training.examples import Examples, concatenate
from spanlin.training.lessons import Lessons

Step = list[NDArray[np.int64]]
"""The micro-batches of all processes, as the numbers of their sentences."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """A batch as the background prepares it; the teachers' are left out where they are not needed."""

    sentences: bytes
    batch: Batch
    for_teachers: list[Batch]


class RunBatches:
    """The training sentences as the model and its teachers read them, in the order of the run.

    Lengths are rounded up to a `multiple`: few shapes of batches, so that each recorded graph serves many.
    """

    def __init__(
        self,
        data: TrainingData,
        model: Model,
        teachers: Sequence[Model],
        config: TrainingConfig,
        *,
        lessons: Lessons | None,
        multiple: int,
        rank: int,
        world: int,
        device: torch.device,
    ) -> None:
        self.config = config
        self.lessons = lessons
        self.rank, self.world, self.device = rank, world, device
        self.groups = _groups(data, config.distillation.unlabelled_weight)
        own, *others = (_examples(data, reader) for reader in (model, *teachers))
        self.costs = -(-own.costs // multiple) * multiple
        self.maker = BatchMaker(
            own,
            unknown_rates=model.vocabularies.unknown_rates(config.network.lexical.unknown_z),
            unknown_treebank_rate=config.network.unknown_treebank_rate,
            multiple=multiple,
        )
        self.teachers_makers = [BatchMaker(examples, multiple=multiple) for examples in others]

    @property
    def sentence_count(self) -> int:
        """How many sentences there are to learn from."""
        return sum(len(members) for members, _ in self.groups)

    def plan(self, epoch: int) -> list[Step]:
        """Return the steps of an epoch."""
        config = self.config.batch
        batches = plan_epoch(
            self.groups,
            self.costs,
            seed=self.config.seed,
            epoch=epoch,
            token_budget=config.tokens,
            sentence_budget=config.sentences or config.tokens,
            # The same sentences together every time, so that the teachers' answers serve again.
            fixed=bool(self.teachers_makers),
        )
        size = config.accumulate * self.world
        return [batches[start : start + size] for start in range(0, len(batches), size)]

    def jobs(self, plan: list[Step], *, epoch: int, start: int) -> Iterator[Callable[[], Made]]:
        """Yield what makes this process's micro-batches, from a step on.

        A process that has none in a turn gets another's, which then does not count.
        """
        for number in range(start, len(plan)):
            step = plan[number]
            for turn in range(0, len(step), self.world):
                place = turn + self.rank if turn + self.rank < len(step) else turn
                yield partial(self._make, step[place], (self.config.seed, epoch, number, place))

    def _make(self, sentences: NDArray[np.int64], seed: tuple[int, ...]) -> Made:
        key = sentences.tobytes()
        asked = self.lessons is not None and not self.lessons.knows(key)
        batches = [self.maker(sentences, seed=seed), *(make(sentences) for make in self.teachers_makers if asked)]
        if self.device.type == "cuda":
            batches = [batch.pin() for batch in batches]
        return Made(sentences=key, batch=batches[0], for_teachers=batches[1:])


def _groups(data: TrainingData, unlabelled_weight: float) -> list[tuple[NDArray[np.int64], float]]:
    """Return the numbers of the sentences of each treebank, then of those without trees, with their weights."""
    sizes = [(len(treebank.train), treebank.weight) for treebank in data.treebanks]
    if data.unlabelled:
        sizes.append((len(data.unlabelled), unlabelled_weight))
    groups, start = [], 0
    for size, weight in sizes:
        groups.append((np.arange(start, start + size), weight))
        start += size
    return groups


def _examples(data: TrainingData, reader: Model) -> Examples:
    parts = [
        reader.featurizer(
            treebank.train.sentences,
            dependencies=treebank.train.dependencies,
            has_tree=treebank.train.has_trees,
            treebank=treebank.name,
        )
        for treebank in data.treebanks
    ]
    if data.unlabelled:
        parts.append(reader.featurizer(data.unlabelled, has_tree=False))
    return concatenate(parts)
