"""Bracketed text straight from a parse's arrays, without a tree in between."""

from __future__ import annotations

from collections.abc import Sequence

from spanlin.trees.escapes import escape_word
from spanlin.trees.transforms import EMPTY_LABEL, ROOT_LABELS, split_chain


class BracketWriter:
    """Writes trees for one set of labels and tags."""

    def __init__(self, labels: Sequence[str], tags: Sequence[str]) -> None:
        self._tags = [f"({tag} " for tag in tags]
        self._opens: list[str] = []
        self._closes: list[str] = []
        self._is_root: list[bool] = []
        for label in labels:
            chain = [] if label == EMPTY_LABEL else split_chain(label)
            self._opens.append("".join(f"({part} " for part in chain))
            self._closes.append(")" * len(chain))
            # A root label that was trained as a constituent (several children right under TOP) is the root itself.
            self._is_root.append(bool(chain) and chain[0] in ROOT_LABELS)

    def __call__(  # noqa: PLR0917 (called for every sentence; keywords cost)
        self,
        words: Sequence[str],
        tags: Sequence[int],
        lefts: Sequence[int],
        rights: Sequence[int],
        split_labels: Sequence[int],
        word_labels: Sequence[int],
    ) -> str:
        """Return one line of brackets under TOP; arguments are one sentence's, by split point and by word."""
        opens, closes = self._opens, self._closes
        count = len(words)
        before, after = [""] * count, [""] * count
        root = 0
        # Of the spans that start at one place, the one divided furthest to the right is the outermost.
        for split in range(count - 2, -1, -1):
            label = split_labels[split]
            if label:
                left, right = lefts[split], rights[split]
                before[left] += opens[label]
                after[right - 1] += closes[label]
                if left == 0 and right == count:
                    root = label
        parts = []
        for place, word in enumerate(words):
            label = word_labels[place]
            leaf = f"{self._tags[tags[place]]}{escape_word(word)})"
            parts.append(f"{before[place]}{opens[label]}{leaf}{closes[label]}{after[place]}")
        text = " ".join(parts)
        if count == 1:
            root = word_labels[0]
        return text if self._is_root[root] else f"(TOP {text})"
