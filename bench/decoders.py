"""What each decoder costs the host beside the network, through the parser's door, in CPU time per sentence."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, cast

from bench.host import timed
from bench.table import machine
from spanlin.model_folder.folder import ModelFolder, open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.parser import Parser
from spanlin.runtime.backend import TREE, Arrays, Backend, IntArray
from spanlin.runtime.input_rows import InputRows
from spanlin.runtime.onnx import OnnxBackend
from spanlin.runtime.options import ParseOptions

Log = Callable[[str], None]

_FEW = 20  # one in this many sentences for what takes long
_PLAIN = "argmin"
_CHEAP = {
    _PLAIN: ParseOptions(),
    "cky": ParseOptions(decoder="cky"),
    "min-change": ParseOptions(decoder="min-change"),
    "minimum-risk": ParseOptions(decoder="minimum-risk"),
}
_DEAR = {
    "labelled": ParseOptions(decoder="labelled"),
    "marginals": ParseOptions(marginals=True),
    "5 best": ParseOptions(k_best=5),
    # No sentence is searched: this is the cost of seeing which ones would be.
    "joint": ParseOptions(decoder="joint", joint_words=1),
}
DECODERS = (*_CHEAP, *_DEAR)


@dataclass(frozen=True, kw_only=True)
class Row:
    """Microseconds of CPU time per sentence: all but the network, what that is beyond `argmin`, and labels of spans."""

    decoder: str
    sentences: int
    host: float
    beyond_argmin: float
    labels: float


class Answers:
    """A backend that asks another once for all it has of each batch, and then only gives that back, in the same order.

    Labels of spans are asked for anew each time, and the CPU time that takes is added up.
    """

    def __init__(self, backend: Backend, *, batch_tokens: int) -> None:
        """Keep the answers of `backend`; `batch_tokens` takes the place of its own, unless it is 0."""
        self._backend = backend
        self.batch_tokens = batch_tokens or backend.batch_tokens
        self.chunk = max(backend.chunk, batch_tokens // 2)  # as torch has them on a GPU
        if batch_tokens:
            self.batch_overhead = 0
        self._kept: list[Arrays] = []
        self._next = 0
        self.label_seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def start(self) -> None:
        """Begin a pass over the same sentences."""
        self._next, self.label_seconds = 0, 0.0

    def run(self, rows: InputRows, word_counts: IntArray, outputs: Sequence[str] = TREE) -> Arrays:
        """Return the outputs asked for."""
        if self._next == len(self._kept):
            self._kept.append(self._backend.run(rows, word_counts, sorted(self._backend.outputs)))
        self._next += 1
        return {name: self._kept[self._next - 1][name] for name in outputs}

    def label(self, *inputs: Any) -> Any:
        """Return the log-probabilities of labels."""
        start = time.process_time()
        found = self._backend.label(*inputs)
        self.label_seconds += time.process_time() - start
        return found


def measure(
    models: Sequence[str],
    sentences: Sequence[Sequence[str]],
    *,
    decoders: Collection[str] = DECODERS,
    batch_tokens: int,
    repeats: int,
    log: Log,
) -> dict[str, Any]:
    """Return the time of decoders over distinct sentences, as plain values: the fastest pass of each."""
    found = []
    for model in models:
        folder = open_folder(find_model(model))
        wanted = set(decoders) - (set() if folder.relations else {"joint"})
        rows: list[Row] = []
        for options, some in ((_CHEAP, sentences), (_DEAR, sentences[::_FEW])):
            chosen = {name: one for name, one in options.items() if name in wanted and name != _PLAIN}
            if chosen:
                log(f"{folder.path.name}: {', '.join(chosen)}: {len(some)} sentences")
                rows += _rows(folder, some, chosen, batch_tokens=batch_tokens, repeats=repeats)
        found.append(
            {
                "model": folder.path.name,
                "dependencies": bool(folder.relations),
                "decoders": [asdict(row) for row in rows],
            }
        )
    return {
        "machine": machine(),
        "sentences": len(sentences),
        "words": sum(map(len, sentences)),
        "batch_tokens": batch_tokens,
        "repeats": repeats,
        "models": found,
    }


def _rows(
    folder: ModelFolder,
    sentences: Sequence[Sequence[str]],
    wanted: Mapping[str, ParseOptions],
    *,
    batch_tokens: int,
    repeats: int,
) -> Iterator[Row]:
    answers = Answers(OnnxBackend(folder, threads=1), batch_tokens=batch_tokens)
    parser = Parser(folder, cast(Backend, answers), workers=1)

    def parse(options: ParseOptions) -> None:
        answers.start()
        for _ in parser.stream_tokens(sentences, options):
            pass

    every = {_PLAIN: _CHEAP[_PLAIN], **wanted}
    parse(_CHEAP[_PLAIN])  # now the network has answered
    best = dict.fromkeys(every, (float("inf"), 0.0))
    for _ in range(repeats):
        for name, options in every.items():  # in turn, so that what disturbs one disturbs the others too
            seconds, _ = timed(partial(parse, options))
            best[name] = min(best[name], (seconds - answers.label_seconds, answers.label_seconds))
    for name in every:
        host, labels = (1e6 * seconds / len(sentences) for seconds in best[name])
        yield Row(
            decoder=name,
            sentences=len(sentences),
            host=round(host, 1),
            beyond_argmin=round(host - 1e6 * best[_PLAIN][0] / len(sentences), 1),
            labels=round(labels, 1),
        )


def to_markdown(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a table for each model."""
    for model in figures["models"]:
        yield f"| {model['model']} | sentences | host, µs | beyond argmin, µs | labels of spans, µs |"
        yield "|---|--:|--:|--:|--:|"
        for row in model["decoders"]:
            yield (
                f"| {row['decoder']} | {row['sentences']:,} | {row['host']:.1f} | {row['beyond_argmin']:.1f} "
                f"| {row['labels']:.1f} |"
            )
        yield ""
