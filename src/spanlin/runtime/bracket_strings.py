"""Bracketed text straight from a parse's arrays, a batch at a time, without a tree in between."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spanlin.trees.transforms import ROOT_LABELS, label_parts

AnyIntArray = NDArray[np.integer]
Strings = NDArray[np.object_]

_USUAL_DEPTH = 64  # up to this many closing brackets in a row are looked up


class BracketWriter:
    """Writes trees for one set of labels and tags."""

    def __init__(self, labels: Sequence[str], tags: Sequence[str]) -> None:
        chains = [label_parts(label) for label in labels]
        opens = ["".join(f"({part} " for part in chain) for chain in chains]
        self._opens = _strings(opens)
        self._leaves = _strings([f"{label}({tag} " for label in opens for tag in tags]).reshape(len(opens), len(tags))
        self._depths = np.array([len(chain) for chain in chains])
        # A root label that was trained as a constituent (several children right under TOP) is the root itself.
        self._is_root = np.array([bool(chain) and chain[0] in ROOT_LABELS for chain in chains])
        self._closes = _strings([")" * count + " " for count in range(_USUAL_DEPTH)])
        self._ends = _strings([")" * count for count in range(_USUAL_DEPTH)])
        self._tops = _strings(["(TOP ", ""])

    def __call__(  # noqa: PLR0917 (the arrays of a parse, in their order)
        self,
        words: Strings,
        counts: AnyIntArray,
        lefts: AnyIntArray,
        rights: AnyIntArray,
        split_labels: AnyIntArray,
        word_labels: AnyIntArray,
        tags: AnyIntArray,
    ) -> list[str]:
        """Return one line of brackets under TOP for each sentence of a batch.

        `words` are those of all its sentences in a row, escaped; `counts` is [batch], the other arrays are [batch,
        words] or [batch, words - 1] and padded.
        """
        offsets = np.cumsum(counts) - counts
        total = len(words)
        columns = np.arange(word_labels.shape[1])
        is_word = columns < counts[:, np.newaxis]
        labels = word_labels[is_word]
        sentences, splits = np.nonzero((columns[1:] < counts[:, np.newaxis]) & (split_labels != 0))
        chosen = split_labels[sentences, splits]
        lefts, rights = lefts[sentences, splits], rights[sentences, splits]
        roots = np.where(counts == 1, word_labels[:, 0], 0)
        whole = (lefts == 0) & (rights == counts[sentences])
        roots[sentences[whole]] = chosen[whole]
        is_root = self._is_root[roots]

        first, last = lefts + offsets[sentences], rights - 1 + offsets[sentences]
        opened = np.bincount(first, minlength=total)
        depths = np.bincount(last, weights=self._depths[chosen], minlength=total).astype(np.int64)
        depths += self._depths[labels] + 1
        final = offsets + counts - 1
        depths[final] += ~is_root

        # Every word has its opening labels, its own leaf, itself, and its closing brackets; a sentence begins with TOP.
        sizes = opened + 3
        sentence_of = np.repeat(np.arange(len(counts)), counts)
        place = np.cumsum(sizes) - sizes + sentence_of + 1
        out = np.empty(int(sizes.sum()) + len(counts), dtype=object)
        starts = place[offsets] - 1
        out[starts] = self._tops[is_root.astype(np.int64)]
        # Of the spans that start at one word, the one divided furthest to the right is the outermost.
        order = np.argsort(first[::-1], kind="stable")
        first, chosen = first[::-1][order], chosen[::-1][order]
        rank = np.arange(len(first)) - (np.cumsum(opened) - opened)[first]
        out[place[first] + rank] = self._opens[chosen]
        place += opened
        out[place] = self._leaves[labels, tags[is_word]]
        out[place + 1] = words
        usual = np.minimum(depths, _USUAL_DEPTH - 1)
        out[place + 2] = self._closes[usual]
        out[place[final] + 2] = self._ends[usual[final]]
        is_final = np.zeros(total, dtype=bool)
        is_final[final] = True
        for word in np.flatnonzero(depths >= _USUAL_DEPTH).tolist():
            out[place[word] + 2] = ")" * int(depths[word]) + ("" if is_final[word] else " ")
        parts = out.tolist()
        bounds = [*starts.tolist(), len(parts)]
        return ["".join(parts[start:end]) for start, end in itertools.pairwise(bounds)]


def _strings(items: Sequence[str]) -> Strings:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array
