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
from spanlin.runtime.backend import Backend
from spanlin.runtime.bracket_strings import BracketWriter
from spanlin.runtime.folder import ModelFolder, open_folder
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.runtime.piece_rows import make_piece_rows
from spanlin.runtime.pieces import WordPieces
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Tree

_CHUNK = 4096  # sentences that are sorted by length together; two such chunks are in memory at once
_Pieces = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class Parser:
    """A trained parser. Use `Parser.load`."""

    def __init__(self, folder: ModelFolder, backend: Backend, *, workers: int) -> None:
        self.folder = folder
        self._backend = backend
        self._workers = workers
        self._pieces = WordPieces.from_file(folder.tokenizer)
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
            return cls(folder, TorchBackend(folder, device=device), workers=2)
        # Whole batches side by side, one core each, waste less than all cores on one batch.
        return cls(folder, OnnxBackend(folder, threads=1), workers=threads or available_cores())

    def parse_tokens(self, sentences: Iterable[Sequence[str]]) -> list[Tree | None]:
        """Return the tree of each tokenized sentence, in order; None for one without words."""
        return [parse_tree(line) if line else None for line in self.stream(sentences)]

    def brackets(self, sentences: Iterable[Sequence[str]], *, batch_tokens: int = 1000) -> list[str]:
        """Return the tree of each tokenized sentence as a line of brackets; an empty line for one without words."""
        return list(self.stream(sentences, batch_tokens=batch_tokens))

    def stream(self, sentences: Iterable[Sequence[str]], *, batch_tokens: int = 1000) -> Iterator[str]:
        """Yield what `brackets` returns, in order, with a few thousand sentences in memory however many there are.

        `batch_tokens` is how many word pieces, padding included, run together. A sentence over it runs alone.
        """
        source = iter(sentences)
        with ThreadPoolExecutor(self._workers, thread_name_prefix="spanlin") as pool:
            started: deque[tuple[int, list[tuple[list[int], Future[list[str]]]]]] = deque()
            try:
                while chunk := list(itertools.islice(source, _CHUNK)):
                    started.append((len(chunk), self._start(chunk, batch_tokens, pool)))
                    if len(started) > 1:
                        yield from _in_order(*started.popleft())
                while started:
                    yield from _in_order(*started.popleft())
            finally:
                pool.shutdown(cancel_futures=True)

    def _start(
        self, sentences: list[Sequence[str]], batch_tokens: int, pool: ThreadPoolExecutor
    ) -> list[tuple[list[int], Future[list[str]]]]:
        """Hand the batches of a chunk to the pool; return the numbers of each one's sentences and its lines to come."""
        pieces = {number: self._features(words) for number, words in enumerate(sentences) if words}
        batches: list[list[int]] = []
        longest = 0
        for number in sorted(pieces, key=lambda number: len(pieces[number][0])):
            longest = max(longest, len(pieces[number][0]))
            if not batches or longest * (len(batches[-1]) + 1) > batch_tokens:
                batches.append([])
                longest = len(pieces[number][0])
            batches[-1].append(number)
        # The longest first: none is left to run alone at the end.
        return [
            (
                batch,
                pool.submit(self._run, [sentences[number] for number in batch], [pieces[number] for number in batch]),
            )
            for batch in reversed(batches)
        ]

    def _features(self, words: Sequence[str]) -> _Pieces:
        pieces = [self._pieces.start]
        first, last = [], []
        for word in words:
            first.append(len(pieces))
            pieces.extend(self._pieces(word))
            last.append(len(pieces) - 1)
        pieces.append(self._pieces.stop)
        return np.array(pieces), np.array(first), np.array(last)

    def _run(self, sentences: list[Sequence[str]], pieces: list[_Pieces]) -> list[str]:
        """Return the lines of one batch."""
        counts = np.array([len(words) for words in sentences])
        rows = make_piece_rows(pieces, limit=self.folder.piece_limit, width=max(2, int(counts.max())))
        found = self._backend.run(rows, counts)
        columns = (found.tags, found.lefts, found.rights, found.split_labels, found.word_labels)
        lists = [array.tolist() for array in columns]
        return [self._write(words, *row) for words, *row in zip(sentences, *lists, strict=True)]


def _in_order(count: int, batches: list[tuple[list[int], Future[list[str]]]]) -> Iterator[str]:
    """Yield a chunk's lines in the order of its sentences; those without words have none of their own."""
    lines = [""] * count
    for numbers, future in batches:
        for number, line in zip(numbers, future.result(), strict=True):
            lines[number] = line
    yield from lines
