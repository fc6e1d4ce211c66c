"""The parser's graph in onnxruntime, on the CPU; needs no torch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime

from spanlin.errors import CheckpointError
from spanlin.runtime.backend import CONFIDENCE, TREE, Arrays, Ints
from spanlin.runtime.folder import ModelFolder
from spanlin.runtime.piece_rows import PieceRows


class OnnxBackend:
    """Runs a model folder's graph."""

    batch_tokens = 500  # measured best: what a layer makes of so many pieces still fits in a core's cache
    multiple = 1
    chunk = 4096

    def __init__(self, folder: ModelFolder, *, threads: int = 0) -> None:
        """Load the graph; `threads` is how many one run may use, 0 for one a core that this process may use."""
        options: Any = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or available_cores()
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Threads that spin between two runs would take the cores from whoever prepares the next batch.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(folder.graph),
                options,
                providers=["CPUExecutionProvider"],
                # Its fused addition and normalization takes several times as long as the two apart.
                disabled_optimizers=["SkipLayerNormFusion"],
            )
        except Exception as error:  # onnxruntime has many kinds, none of them documented
            raise CheckpointError(f"{folder.graph}: cannot be loaded: {str(error).splitlines()[0]}") from error
        names = {item.name for item in self._session.get_outputs()}
        missing = {*TREE, *CONFIDENCE} - names
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


def available_cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
