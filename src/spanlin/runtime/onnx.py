"""The parser's graph in onnxruntime, on the CPU; needs no torch."""

from __future__ import annotations

import math
import os
import platform
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from spanlin.errors import CheckpointError, SpanlinError
from spanlin.model_folder.folder import GRAPH, LABEL_GRAPH, RELATION_GRAPH, ModelFolder
from spanlin.model_folder.graph_outputs import without_outputs
from spanlin.runtime.backend import (
    ARC_SCORES,
    BOUNDARIES,
    CONFIDENCE,
    DEPENDENCIES,
    LABEL_HALVES,
    LABEL_INPUTS,
    LABEL_OUTPUT,
    OF_DEPENDENCIES,
    RELATION_HALVES,
    RELATION_INPUTS,
    RELATION_OUTPUT,
    SCORES,
    TREE,
    Arrays,
    BoolArray,
    Float32Array,
    IntArray,
)
from spanlin.runtime.folder_features import graph_inputs
from spanlin.runtime.found_check import check_found
from spanlin.runtime.input_rows import WORD_COUNTS, InputRows

_Signature = dict[str, tuple[str, int]]  # of each input or output, its type and how many axes it has

_INT, _FLOAT, _BOOL = "tensor(int64)", "tensor(float)", "tensor(bool)"
_VECTORS = ("_counts", "_lengths")  # how the names of inputs with one axis end; all others have two
_GIVES: _Signature = {
    **dict.fromkeys((*TREE, *BOUNDARIES, *DEPENDENCIES), (_INT, 2)),
    **dict.fromkeys(CONFIDENCE, (_FLOAT, 2)),
    **dict.fromkeys((*LABEL_HALVES, *SCORES, *ARC_SCORES, *RELATION_HALVES), (_FLOAT, 3)),
}
_LABELS_TAKE: _Signature = {name: (_FLOAT, 2) if name in LABEL_HALVES else (_BOOL, 1) for name in LABEL_INPUTS}
_LABELS_GIVE: _Signature = {LABEL_OUTPUT: (_FLOAT, 2)}
_RELATIONS_TAKE: _Signature = {name: (_FLOAT, 2) if name in RELATION_HALVES else (_BOOL, 1) for name in RELATION_INPUTS}
_RELATIONS_GIVE: _Signature = {RELATION_OUTPUT: (_FLOAT, 2)}
_X86 = frozenset(["x86_64", "amd64", "i386", "i686"])
_LANES = 4
_OUT_OF_MEMORY = re.compile("allocate memory|bad_alloc|bad allocation")
_IMPORTANT = frozenset([*TREE, *CONFIDENCE, *LABEL_HALVES])


class OnnxBackend:
    """Runs a model folder's graph."""

    device = "cpu"
    batch_tokens = 400  # measured best: what a layer makes of this many pieces still fits in a core's cache
    batch_overhead = 16  # measured: what a run of the graph takes however little there is to do
    chunk = 2048  # sorted by length together: more saves nothing, and results would come in larger lumps

    def __init__(self, folder: ModelFolder, *, threads: int = 0) -> None:
        """Load the graph; `threads` is how many one run may use, 0 for one per core that this process may use."""
        self._folder = folder
        self.precision = folder.precision
        self._threads = threads or available_cores()
        self.most_sentences = 1 if folder.one_by_one else 0
        self.multiple = self.small_multiple = _row_multiple(platform.machine(), folder.piece_limit)
        self._session = _session(folder.graph, self._threads)
        self._lock = threading.Lock()
        self._later: dict[str, Any] = {}  # sessions
        self.outputs = frozenset(item.name for item in self._session.get_outputs())
        takes = {name: (_INT, 1 if name.endswith(_VECTORS) else 2) for name in graph_inputs(folder)}
        important = _IMPORTANT.union(OF_DEPENDENCIES) if folder.relations else _IMPORTANT
        _check_signature(self._session, folder.graph, takes=takes, gives=_GIVES, important=important)

    def run(self, rows: InputRows, word_counts: IntArray, outputs: Sequence[str] = TREE) -> Arrays:
        """Return the outputs asked for."""
        inputs: Arrays = {**rows.arrays, WORD_COUNTS: np.ascontiguousarray(word_counts)}
        session = self._session
        if self._folder.relations and set(outputs).isdisjoint(OF_DEPENDENCIES):
            session = self._trees
        found = dict(zip(outputs, _run(session, self._folder.graph, outputs, inputs), strict=True))
        check_found(found, word_counts, rows.width, self._folder)
        return found

    def label(
        self, lefts: Float32Array, rights: Float32Array, left_children: BoolArray, roots: BoolArray
    ) -> Float32Array:
        """Return the log-probabilities of labels."""
        inputs = dict(zip(LABEL_INPUTS, (lefts, rights, left_children, roots), strict=True))
        return _scores(self._labels, self._folder.label_graph, LABEL_OUTPUT, inputs, len(self._folder.labels))

    def relate(self, heads: Float32Array, dependents: Float32Array, roots: BoolArray) -> Float32Array:
        """Return the log-probabilities of relations."""
        inputs = dict(zip(RELATION_INPUTS, (heads, dependents, roots), strict=True))
        graph = self._folder.relation_graph
        return _scores(self._relations, graph, RELATION_OUTPUT, inputs, len(self._folder.relations))

    @property
    def _trees(self) -> Any:
        """The graph without dependencies, loaded when they are first not needed: a session runs all that it has.

        It is faster by what they take, for as much memory again as the weights.
        """

        def load() -> Any:
            changed = without_outputs(self._folder.read(GRAPH), OF_DEPENDENCIES)
            return _session(self._folder.graph, self._threads, changed)

        return self._loaded("trees", load)

    @property
    def _labels(self) -> Any:
        """The second graph, loaded when it is first needed: most who parse never do."""
        return self._loaded(LABEL_GRAPH, lambda: self._scorer(LABEL_GRAPH, takes=_LABELS_TAKE, gives=_LABELS_GIVE))

    @property
    def _relations(self) -> Any:
        """The third graph, of a model with dependencies, loaded when it is first needed."""
        return self._loaded(
            RELATION_GRAPH, lambda: self._scorer(RELATION_GRAPH, takes=_RELATIONS_TAKE, gives=_RELATIONS_GIVE)
        )

    def _loaded(self, name: str, load: Callable[[], Any]) -> Any:
        if name not in self._later:
            with self._lock:  # for whoever comes first; the others wait once, and never again
                if name not in self._later:
                    self._later[name] = load()
        return self._later[name]

    def _scorer(self, name: str, *, takes: _Signature, gives: _Signature) -> Any:
        """Return the session of a graph that scores kinds."""
        graph = self._folder.path / name
        session = _session(graph, self._threads, self._folder.read(name))
        _check_signature(session, graph, takes=takes, gives=gives, important=frozenset(gives))
        return session


def _scores(session: Any, graph: Path, output: str, inputs: Arrays, count: int) -> Float32Array:
    """Return the one output of a graph that scores kinds, [items, kinds]."""
    log_probs: Float32Array
    (log_probs,) = _run(session, graph, [output], inputs)
    expected = (len(next(iter(inputs.values()))), count)
    if log_probs.shape != expected or np.isnan(log_probs).any():
        raise CheckpointError(
            f"{graph}: does not fit its manifest: it gives {log_probs.shape} numbers, or none, "
            f"where {expected} were expected; export it again"
        )
    return log_probs


def _row_multiple(machine: str, piece_limit: int) -> int:
    """Return what the lengths of rows must be multiples of, so that more padding changes no sum.

    onnxruntime's softmax adds up a row in as many lanes as a vector of the processor has. On x86 a last vector that is
    not full is filled up with zeros, as padding is. Elsewhere its numbers are added one by one, so that the order of
    the sum, and with it the last bit, would depend on the length; int8 rounds that bit to something larger.
    """
    return 1 if machine.lower() in _X86 else math.gcd(_LANES, piece_limit)


def _check_signature(
    session: Any, graph: Path, *, takes: _Signature, gives: _Signature, important: frozenset[str]
) -> None:
    """Raise a CheckpointError if a graph takes or gives other things than a parser's; it must have the important."""
    found = {item.name: (item.type, len(item.shape)) for item in session.get_inputs()}
    if found != takes:
        wrong = sorted(name for name in found.keys() | takes.keys() if found.get(name) != takes.get(name))
        raise CheckpointError(f"{graph}: its inputs are not a parser's ({_named(wrong)}); export it again")
    found = {item.name: (item.type, len(item.shape)) for item in session.get_outputs()}
    missing = sorted(important - found.keys())
    if missing:
        raise CheckpointError(f"{graph}: lacks the outputs {_named(missing)}; export it again")
    wrong = sorted(name for name in found.keys() & gives.keys() if found[name] != gives[name])
    if wrong:
        raise CheckpointError(f"{graph}: its outputs are not a parser's ({_named(wrong)}); export it again")


def _named(names: Sequence[str]) -> str:
    return ", ".join(name if name.isidentifier() else ascii(name)[:40] for name in names[:12])


def _run(session: Any, graph: Path, outputs: Sequence[str], inputs: Arrays) -> Any:
    try:
        return session.run(list(outputs), inputs)
    except Exception as error:
        if _OUT_OF_MEMORY.search(str(error)) and WORD_COUNTS in inputs:
            longest = int(inputs[WORD_COUNTS].max())
            raise SpanlinError(f"a sentence of {longest:,} words needs more memory than there is: split it") from error
        raise CheckpointError(f"{graph}: failed: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


def _session(graph: Path, threads: int, data: bytes = b"") -> Any:
    """Return what runs a graph: from its bytes, if they were read."""
    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what goes wrong is raised: it need not be on stderr too
    # Threads that spin between two runs would keep a core from preparing the next batch.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.load_model_format", "ONNX")  # which is the one that was checked
    try:
        return onnxruntime.InferenceSession(
            data or str(graph),
            options,
            providers=["CPUExecutionProvider"],
            # Its fused addition and normalization takes several times as long as the two separately; addition and
            # Gelu take longer fused, too.
            disabled_optimizers=["SkipLayerNormFusion", "BiasGeluFusion"],
            enable_fallback=0,  # else it prints on stdout before it tries the same once more
        )
    except Exception as error:  # onnxruntime has many kinds, none of them documented
        raise CheckpointError(f"{graph}: cannot be loaded: {_first_line(error)}") from error


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
