"""Batches: which sentences go together, and their padded tensors, made ahead by a background thread.

The plan of an epoch and every batch in it depend only on the seed, the epoch and the batch's place, so that a
resumed run sees exactly what an uninterrupted one would.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from spanlin.network.batch import Batch, LexicalInput, PieceInput, Targets
from spanlin.runtime.input_rows import padded_width, with_edges
from spanlin.runtime.lexicon import PADDING, START, STOP, UNKNOWN
from spanlin.training.examples import Examples


def plan_epoch(
    groups: Sequence[tuple[NDArray[np.int64], float]],
    costs: NDArray[np.int64],
    *,
    seed: int,
    epoch: int,
    token_budget: int,
    sentence_budget: int,
    fixed: bool = False,
) -> list[NDArray[np.int64]]:
    """Return the batches of an epoch, each an array of sentence numbers.

    `groups` are (sentences, weight): a weight of 2.5 takes each sentence twice and a random half of them once more.
    `fixed` batches are the same in every epoch; only their order changes.
    """
    random = np.random.default_rng([seed, 0 if fixed else epoch])
    chosen: list[NDArray[np.int64]] = []
    for members, weight in groups:
        whole, rest = int(weight), weight - int(weight)
        chosen.extend([members] * whole)
        if rest:
            chosen.append(random.permutation(members)[: round(rest * len(members))])
    sentences = np.concatenate(chosen)
    # Like lengths together, but not always the same sentences: lengths are blurred by a tenth.
    blurred = costs[sentences] * random.uniform(0.95, 1.05, len(sentences))
    ordered = sentences[np.argsort(blurred, kind="stable")]
    batches = cut_batches(ordered, costs, token_budget=token_budget, sentence_budget=sentence_budget)
    order = np.random.default_rng([seed, epoch, 1]) if fixed else random
    return [batches[number] for number in order.permutation(len(batches))]


def cut_batches(
    ordered: NDArray[np.int64], costs: NDArray[np.int64], *, token_budget: int, sentence_budget: int
) -> list[NDArray[np.int64]]:
    """Return consecutive batches within the budgets; a sentence over the budget is a batch of its own."""
    batches: list[NDArray[np.int64]] = []
    start = 0
    longest = 0
    for end, cost in enumerate(costs[ordered].tolist()):
        grown = max(longest, cost)
        if end > start and (grown * (end - start + 1) > token_budget or end - start >= sentence_budget):
            batches.append(ordered[start:end])
            start, grown = end, cost
        longest = grown
    if start < len(ordered):
        batches.append(ordered[start:])
    return batches


class BatchMaker:
    """Cuts padded batches out of examples; their widths are multiples of `multiple`."""

    def __init__(
        self,
        examples: Examples,
        *,
        unknown_rates: NDArray[np.float32] | None = None,
        unknown_treebank_rate: float = 0.0,
        multiple: int = 1,
    ) -> None:
        self.examples = examples
        self.multiple = multiple
        self.unknown_treebank_rate = unknown_treebank_rate
        self.unknown_rates = unknown_rates

    def __call__(self, sentences: NDArray[np.int64], *, seed: Sequence[int] | None = None) -> Batch:
        """Return the batch of these sentences; with a seed, some words are hidden as unknown, for training."""
        examples = self.examples
        counts = examples.word_counts[sentences]
        width = padded_width(counts, self.multiple)
        starts = examples.offsets[sentences]
        places = np.arange(width)
        is_word = places < counts[:, None]
        flat = np.where(is_word, starts[:, None] + places, 0)

        def words(array: NDArray[np.int32], padding: int = 0) -> torch.Tensor:
            return torch.from_numpy(np.where(is_word, array[flat], padding).astype(np.int64))

        inner = (places < counts[:, None] - 1)[:, :-1]

        def splits(array: NDArray[np.int32], padding: int = 0) -> torch.Tensor:
            return torch.from_numpy(np.where(inner, array[flat[:, :-1]], padding).astype(np.int64))

        treebanks = examples.treebanks[sentences]
        if seed is not None and self.unknown_treebank_rate:
            is_known = np.random.default_rng([*seed, 1]).random(len(treebanks)) >= self.unknown_treebank_rate
            treebanks = np.where(is_known, treebanks, 0)
        return Batch(
            word_counts=torch.from_numpy(counts),
            treebanks=_tensor(treebanks),
            lengths=torch.from_numpy(counts.copy()),
            lexical=self._lexical(sentences, flat, is_word, seed) if len(examples.words) else None,
            pieces=self._pieces(sentences, width) if len(examples.pieces) else None,
            targets=Targets(
                split_lefts=splits(examples.split_lefts),
                split_rights=splits(examples.split_rights),
                split_labels=splits(examples.split_labels, -1),
                word_labels=words(examples.word_labels, -1),
                tags=words(examples.tags, -1),
                heads=words(examples.heads, -1),
                relations=words(examples.relations, -1),
                universal_tags=words(examples.universal_tags, -1),
            ),
            has_tree=torch.from_numpy(examples.has_tree[sentences]),
        )

    def _lexical(
        self,
        sentences: NDArray[np.int64],
        flat: NDArray[np.int64],
        is_word: NDArray[np.bool_],
        seed: Sequence[int] | None,
    ) -> LexicalInput:
        rows = self.examples.flat_lexical.rows(sentences, width=flat.shape[1], multiple=self.multiple)
        words = rows.words
        if seed is not None and self.unknown_rates is not None:
            hidden = np.random.default_rng(list(seed)).random(flat.shape) < self.unknown_rates[words[:, 1:-1]]
            words[:, 1:-1][hidden & is_word] = UNKNOWN
        tags = np.where(is_word, self.examples.input_tags[flat], PADDING)
        counts = self.examples.word_counts[sentences]
        return LexicalInput(
            words=_tensor(words),
            vectors=_tensor(rows.vectors),
            tags=_tensor(with_edges(tags, counts, start=START, stop=STOP, padding=PADDING)),
            spellings=_tensor(rows.spellings),
            spelling_lengths=_tensor(rows.spelling_lengths),
            spelling_of=_tensor(rows.spelling_of),
        )

    def _pieces(self, sentences: NDArray[np.int64], width: int) -> PieceInput:
        rows = self.examples.flat_pieces.rows(sentences, width=width, multiple=self.multiple)
        return PieceInput(
            pieces=_tensor(rows.pieces),
            piece_counts=_tensor(rows.piece_counts),
            first_pieces=_tensor(rows.first_pieces),
            last_pieces=_tensor(rows.last_pieces),
        )


def _tensor(array: NDArray[np.integer]) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, dtype=np.int64))


Item = TypeVar("Item")


class Prefetcher(Generic[Item]):
    """Runs jobs in a background thread, a few ahead of the iteration; an error in one is raised there."""

    def __init__(self, jobs: Iterator[Callable[[], Item]], *, ahead: int) -> None:
        self._queue: queue.Queue[tuple[Item | None, BaseException | None] | None] = queue.Queue(maxsize=ahead)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(jobs,), daemon=True, name="batches")
        self._thread.start()

    def _work(self, jobs: Iterator[Callable[[], Item]]) -> None:
        try:
            for job in jobs:
                self._put((job(), None))
                if self._stopped.is_set():
                    return
        except BaseException as error:  # handed over, not swallowed
            self._put((None, error))
        self._put(None)

    def _put(self, item: tuple[Item | None, BaseException | None] | None) -> None:
        while not self._stopped.is_set():
            try:
                self._queue.put(item, timeout=0.1)
                return
            except queue.Full:
                continue

    def __iter__(self) -> Iterator[Item]:
        try:
            while (got := self._queue.get()) is not None:
                item, error = got
                if error is not None:
                    raise error
                yield item  # type: ignore[misc]  # None only beside an error
        finally:
            self.close()

    def close(self) -> None:
        """Stop the thread; what it has prepared is dropped."""
        self._stopped.set()
        self._thread.join()
