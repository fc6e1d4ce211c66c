"""The parser's graph in onnxruntime, on the CPU; needs no torch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from spanlin.errors import CheckpointError
from spanlin.runtime.backend import (
    CONFIDENCE,
    LABEL_HALVES,
    LABEL_INPUTS,
    LABEL_OUTPUT,
    TREE,
    Arrays,
    Bools,
    Floats,
    Ints,
)
from spanlin.runtime.folder import ModelFolder
from spanlin.runtime.piece_rows import PieceRows


class OnnxBackend:
    """Runs a model folder's graph."""

    batch_tokens = 500  # measured best: what a layer makes of so many pieces still fits in a core's cache
    multiple = small_multiple = 1
    chunk = 2048  # sorted by length together: more saves nothing, and results would come in larger lumps

    def __init__(self, folder: ModelFolder, *, threads: int = 0) -> None:
        """Load the graph; `threads` is how many one run may use, 0 for one a core that this process may use."""
        self._folder = folder
        self._threads = threads or available_cores()
        self._session = _session(folder.graph, self._threads)
        self.outputs = frozenset(item.name for item in self._session.get_outputs())
        missing = {*TREE, *CONFIDENCE, *LABEL_HALVES} - self.outputs
        if missing:
            raise CheckpointError(f"{folder.graph}: lacks the outputs {', '.join(sorted(missing))}; export it again")

    def run(self, rows: PieceRows, word_counts: Ints, outputs: Sequence[str] = TREE) -> Arrays:
        """Return the outputs asked for."""
        inputs = {
            "pieces": rows.pieces,
            "piece_counts": rows.piece_counts,
            "first_pieces": rows.first_pieces,
            "last_pieces": rows.last_pieces,
            "word_counts": np.ascontiguousarray(word_counts),
        }
        return dict(zip(outputs, self._session.run(list(outputs), inputs), strict=True))

    def label(self, lefts: Floats, rights: Floats, left_children: Bools, roots: Bools) -> Floats:
        """Return the log-probabilities of labels."""
        inputs = dict(zip(LABEL_INPUTS, (lefts, rights, left_children, roots), strict=True))
        (found,) = self._labels.run([LABEL_OUTPUT], inputs)
        log_probs: Floats = found
        return log_probs

    @cached_property
    def _labels(self) -> Any:
        """The second graph, loaded when it is first needed: most who parse never do."""
        return _session(self._folder.label_graph, self._threads)


def _session(graph: Path, threads: int) -> Any:
    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that spin between two runs would take the cores from whoever prepares the next batch.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            str(graph),
            options,
            providers=["CPUExecutionProvider"],
            # Its fused addition and normalization takes several times as long as the two apart.
            disabled_optimizers=["SkipLayerNormFusion"],
        )
    except Exception as error:  # onnxruntime has many kinds, none of them documented
        raise CheckpointError(f"{graph}: cannot be loaded: {str(error).splitlines()[0]}") from error


def available_cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
