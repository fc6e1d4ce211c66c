"""The user's door: sentences in, trees out. Glue only; the work is done by what it calls."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spanlin.errors import MissingExtraError
from spanlin.runtime.backend import TREE, Backend
from spanlin.runtime.bracket_strings import BracketWriter
from spanlin.runtime.folder import ModelFolder, open_folder
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.runtime.pieces import WordPieces
from spanlin.runtime.sentences import Sentences
from spanlin.runtime.words import WordTable
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Tree

_MOST_WORDS = 500_000  # distinct words that are kept split; a longer stream starts to forget
_Started = tuple[int, list[tuple[NDArray[np.int64], Future[list[str]]]]]


class Parser:
    """A trained parser. Use `Parser.load`."""

    def __init__(self, folder: ModelFolder, backend: Backend, *, workers: int) -> None:
        self.folder = folder
        self._backend = backend
        self._workers = workers
        self._splitter = WordPieces.from_file(folder.tokenizer, shape_step=folder.shape_step)
        self._table = WordTable(self._splitter)
        self._write = BracketWriter(folder.labels, folder.tags)

    @classmethod
    def load(cls, path: str | Path, *, threads: int = 0, device: str = "") -> Parser:
        """Return the parser of a model folder.

        It runs in onnxruntime on `threads` cores, 0 for every core this process may use; with a `device` such as
        "cuda", in torch there, if the folder was exported with its weights.
        """
        folder = open_folder(path)
        if device:
            try:
                from spanlin.runtime.torch import TorchBackend
            except ImportError as error:
                raise MissingExtraError("parsing on a device needs torch: pip install 'spanlin[train]'") from error
            return cls(folder, TorchBackend(folder, device=device), workers=4)
        # Whole batches side by side, one core each, waste less than all cores on one batch.
        return cls(folder, OnnxBackend(folder, threads=1), workers=threads or available_cores())

    def parse_tokens(self, sentences: Iterable[Sequence[str]]) -> list[Tree | None]:
        """Return the tree of each tokenized sentence, in order; None for one without words."""
        return [parse_tree(line) if line else None for line in self.stream(sentences)]

    def brackets(self, sentences: Iterable[Sequence[str]], *, batch_tokens: int = 0) -> list[str]:
        """Return the tree of each tokenized sentence as a line of brackets; an empty line for one without words."""
        return list(self.stream(sentences, batch_tokens=batch_tokens))

    def stream(self, sentences: Iterable[Sequence[str]], *, batch_tokens: int = 0) -> Iterator[str]:
        """Yield what `brackets` returns, in order, with a few thousand sentences in memory however many there are.

        `batch_tokens` is how many word pieces, padding included, run together; 0 leaves it to the backend. A sentence
        over it runs alone.
        """
        source = iter(sentences)
        with ThreadPoolExecutor(self._workers, thread_name_prefix="spanlin") as pool:
            started: deque[_Started] = deque()
            try:
                while chunk := list(itertools.islice(source, self._backend.chunk)):
                    started.append(self._start(chunk, batch_tokens or self._backend.batch_tokens, pool))
                    if len(started) > 1:
                        yield from _in_order(*started.popleft())
                while started:
                    yield from _in_order(*started.popleft())
            finally:
                pool.shutdown(cancel_futures=True)

    def _start(self, chunk: list[Sequence[str]], batch_tokens: int, pool: ThreadPoolExecutor) -> _Started:
        """Hand the batches of a chunk to the pool; return the numbers of each one's sentences and its lines to come."""
        if len(self._table) > _MOST_WORDS:
            self._table = WordTable(self._splitter)
        sentences = Sentences(chunk, self._table)
        # The longest first: none is left to run alone at the end.
        batches = sentences.batches(tokens=batch_tokens, multiple=self._backend.multiple)
        return len(chunk), [(batch, pool.submit(self._run, sentences, batch)) for batch in batches]

    def _run(self, sentences: Sentences, members: NDArray[np.int64]) -> list[str]:
        """Return the lines of one batch."""
        rows, counts = sentences.rows(members, limit=self.folder.piece_limit, multiple=self._backend.multiple)
        found = self._backend.run(rows, counts)
        return self._write(sentences.written(members), counts, *(found[name] for name in TREE))


def _in_order(count: int, batches: list[tuple[NDArray[np.int64], Future[list[str]]]]) -> Iterator[str]:
    """Yield a chunk's lines in the order of its sentences; those without words have none of their own."""
    lines = [""] * count
    for numbers, future in batches:
        for number, line in zip(numbers.tolist(), future.result(), strict=True):
            lines[number] = line
    yield from lines
