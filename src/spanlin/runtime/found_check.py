"""Whether what an untrusted graph gives is what a parser's graph gives: the shapes, every index, the probabilities.

Scores of splits are checked when trees are decoded from them, and those of labels and relations where they are made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import ModelFolder
from spanlin.runtime.backend import (
    ARC_SCORES,
    CONFIDENCE,
    LABEL_HALVES,
    RELATION_HALVES,
    SCORES,
    TREE,
    Arrays,
    IntArray,
)


def check_found(found: Arrays, word_counts: IntArray, width: int, folder: ModelFolder) -> None:
    """Raise a CheckpointError if a batch padded to `width` words has outputs that fit no sentence or no label."""
    batch = len(word_counts)
    source = str(folder.graph)
    kinds = {"split_labels": folder.labels, "word_labels": folder.labels, "tags": folder.tags}
    kinds |= {"relations": folder.relations, "universal_tags": folder.universal_tags}
    sizes: dict[str, tuple[int, ...]] = dict.fromkeys(("lefts", "rights", "split_labels"), (width - 1,))
    sizes |= dict.fromkeys(("span_log_probs", "label_log_probs"), (2 * width - 1,))
    sizes |= dict.fromkeys(SCORES, (width, width)) | dict.fromkeys(ARC_SCORES, (width, width + 1))
    for name, value in found.items():
        shape = (batch, *sizes.get(name, (width,)))
        if name in (*LABEL_HALVES, *RELATION_HALVES):
            # How wide they are is between the two graphs.
            shape = (batch, width if name == "relation_dependents" else width + 1, *value.shape[2:])
        if value.shape != shape:
            raise _misfit(source, name, f"has the shape {value.shape} where {shape} was due")
        if name in (*CONFIDENCE, *ARC_SCORES) and np.isnan(value).any():
            raise _misfit(source, name, "is not a number")
        if name in kinds:
            count = len(kinds[name])
            if value.min() < 0 or value.max() >= count:
                raise _misfit(source, name, f"goes beyond the manifest's {count}")
        elif name == "heads":
            is_word = np.arange(width) < word_counts[:, np.newaxis]
            if value.min() < 0 or value.max() > width or (is_word & (value > word_counts[:, np.newaxis])).any():
                raise _misfit(source, name, "goes beyond the sentence")
        elif name.endswith("_boundaries") and (value.min() < 0 or value.max() > width):
            raise _misfit(source, name, "goes beyond the sentence")
    if all(name in found for name in TREE):
        _check_spans(found["lefts"], found["rights"], word_counts, source)


def _check_spans(lefts: NDArray[Any], rights: NDArray[Any], word_counts: IntArray, source: str) -> None:
    splits = np.arange(1, lefts.shape[1] + 1)
    ends = word_counts[:, np.newaxis]
    bad = (lefts < 0) | (lefts >= splits) | (rights <= splits) | (rights > ends)
    if (bad & (splits < ends)).any() or lefts.min() < 0 or rights.min() < 0 or rights.max() > lefts.shape[1] + 1:
        raise _misfit(source, "lefts", "and rights are not spans of the sentence")


def _misfit(source: str, name: str, reason: str) -> CheckpointError:
    return CheckpointError(f"{source}: does not fit its manifest: the output {name} {reason}; export it again")
