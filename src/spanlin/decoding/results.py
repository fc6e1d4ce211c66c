"""What the decoders give back: one tree with its log-probability, or the trees of a batch as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spanlin.trees.tree import Span


@dataclass(frozen=True)
class ScoredTree:
    """A binary tree and its log-probability, the root's terms log P(0|n) and log P_R(n|0) included.

    Item k-1 of `spans` is the span split at k, for k = 1..n-1; one-word spans are implied.
    """

    spans: tuple[Span, ...]
    log_prob: float


@dataclass(frozen=True)
class DecodedTree(ScoredTree):
    """A decoder's tree; `certified` if it is proved that no tree (that the constraints allow) is more probable."""

    certified: bool


@dataclass(frozen=True, eq=False)
class TreeBatch:
    """The trees of a padded batch.

    `lefts` and `rights` are [batch, max_words - 1]: cell [b, k-1] is for the span of tree b that is split at k, 0 in
    the padding. The others are [batch]. `certified` is true where it is proved that no tree (that the constraints
    allow) is more probable. `log_probs`, the root's terms included, is None where trees have none, and
    `changed_counts`, how many boundaries of a sequence a tree changes, where there is no sequence.
    """

    lefts: npt.NDArray[np.int64]
    rights: npt.NDArray[np.int64]
    word_counts: npt.NDArray[np.int64]
    certified: npt.NDArray[np.bool_]
    log_probs: npt.NDArray[np.float64] | None = None
    changed_counts: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.word_counts)

    def spans(self, tree: int) -> tuple[Span, ...]:
        """Return the spans of one tree; item k-1 is the span split at k."""
        count = int(self.word_counts[tree]) - 1
        return tuple(map(Span, self.lefts[tree, :count].tolist(), self.rights[tree, :count].tolist()))

    def tree(self, tree: int) -> DecodedTree:
        """Return one tree that has a log-probability."""
        assert self.log_probs is not None
        return DecodedTree(self.spans(tree), float(self.log_probs[tree]), bool(self.certified[tree]))
