"""The best dependency tree, projective or not, by Chu-Liu/Edmonds with exactly one root.

Each word takes its best head; a cycle of such choices becomes one node, whose best head is found again, and so on until
there is none; then the nodes are opened again (Tarjan 1977 for dense graphs). O(n^2) time and memory.

Edmonds' algorithm needs only that scores can be added and ordered. So scores here are pairs, compared by their first
part before the second: minus the number of arcs that are impossible or come from the root, then the log-probability.
The best tree then has no impossible arc and one root if any tree does, without a large constant that would swallow
digits. A pair is a complex number: NumPy adds them by part and orders them by the real part first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from spanlin.decoding.greedy import BoolArray, IntArray
from spanlin.decoding.scores import FloatArray

_Pairs = npt.NDArray[np.complex128]


def best_arborescence(log_probs: FloatArray) -> IntArray | None:
    """Return [n], the head of each word of one sentence in its best tree with one root; None if no tree is possible.

    `log_probs` is [n, n + 1] as in `ArcScores`, with -inf for what is impossible, each word as its own head included.
    """
    count = len(log_probs)
    # If the best tree with any number of roots has one, it is found with far fewer contractions.
    heads = _Contraction(_as_pairs(log_probs, root_cost=0.0)).heads()
    if int((heads == 0).sum()) != 1:
        heads = _Contraction(_as_pairs(log_probs, root_cost=1.0)).heads()
    chosen = log_probs[np.arange(count), heads]
    return heads if (chosen > -np.inf).all() and int((heads == 0).sum()) == 1 else None


def _as_pairs(log_probs: FloatArray, *, root_cost: float) -> _Pairs:
    count = len(log_probs)
    impossible = log_probs == -np.inf
    cost = np.where(impossible, count + 1.0, 0.0)  # more than all the roots there can be
    cost[:, 0] += root_cost
    pairs: _Pairs = -cost + 1j * np.where(impossible, 0.0, log_probs)
    return pairs


class _Contraction:
    """Nodes 1..n are words and 0 the root; from n + 1 on, nodes are cycles that have become one."""

    def __init__(self, pairs: _Pairs) -> None:
        count = len(pairs)
        self._count = count
        self._node_of = np.arange(count + 1)  # the outermost node that each word is part of
        words = np.arange(count + 1)
        pairs = pairs.copy()
        pairs[words[:-1], words[1:]] = -np.inf  # no word is its own head
        self._incoming = [pairs[0], *pairs]  # by node, [n + 1]: the score of each word as its head; that of 0 is unused
        self._entries: list[IntArray] = list(np.repeat(words[:, np.newaxis], count + 1, axis=1))  # words it enters by
        self._members: list[BoolArray] = list(np.eye(count + 1, dtype=np.bool_))
        self._cycles: list[list[int]] = [[] for _ in range(count + 1)]
        self._chosen = [0] * (count + 1)

    def heads(self) -> IntArray:
        """Contract until no cycle is left, and return [n], the head of each word."""
        is_done = [True] + [False] * self._count
        for word in range(1, self._count + 1):
            node = int(self._node_of[word])
            path: list[int] = []
            while not is_done[node]:
                if node in path:
                    cycle = path[path.index(node) :]
                    del path[path.index(node) :]
                    node = self._contract(cycle)
                    is_done.append(False)
                path.append(node)
                self._chosen[node] = int(self._incoming[node].argmax())
                node = int(self._node_of[self._chosen[node]])
            for node in path:
                is_done[node] = True
        return self._opened()

    def _contract(self, cycle: list[int]) -> int:
        """Make the cycle one node: a head for it replaces the one that a member has in the cycle."""
        gains = np.stack([self._incoming[node] - self._incoming[node][self._chosen[node]] for node in cycle])
        best = gains.argmax(axis=0)
        places = np.arange(self._count + 1)
        self._entries.append(np.stack([self._entries[node] for node in cycle])[best, places])
        self._members.append(np.logical_or.reduce([self._members[node] for node in cycle]))
        self._cycles.append(cycle)
        self._chosen.append(0)
        node = len(self._cycles) - 1
        self._node_of[self._members[node]] = node
        self._incoming.append(np.where(self._members[node], -np.inf, gains[best, places]))
        return node

    def _opened(self) -> IntArray:
        heads = np.zeros(self._count + 1, dtype=np.int64)
        waiting = set(self._node_of[1:].tolist())
        while waiting:
            node = waiting.pop()
            head = self._chosen[node]
            word = int(self._entries[node][head])
            heads[word] = head
            while self._cycles[node]:  # the member that the head enters by loses its own; the others keep theirs
                entered = next(member for member in self._cycles[node] if self._members[member][word])
                waiting.update(member for member in self._cycles[node] if member != entered)
                node = entered
        return heads[1:]
