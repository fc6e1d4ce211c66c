"""The user's door: text or sentences in, trees out. Glue only; the work is done by what it calls."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from spanlin.errors import MissingExtraError
from spanlin.parsed import Parsed
from spanlin.runtime.backend import CONFIDENCE, TREE, Arrays, Backend
from spanlin.runtime.bracket_strings import BracketWriter
from spanlin.runtime.folder import ModelFolder, find_model, open_folder
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.runtime.pieces import WordPieces
from spanlin.runtime.results import Record, RecordMaker
from spanlin.runtime.sentences import Sentences
from spanlin.runtime.words import WordTable
from spanlin.text import Sentence, iter_sentences

_MOST_WORDS = 500_000  # distinct words that are kept split; a longer stream starts to forget

Result = TypeVar("Result")
_Batch = tuple[NDArray[np.int64], "Future[list[Result]]"]
_NO_WORDS = Record(tags=(), tag_probabilities=(), spans=())


class Parser:
    """A trained parser. Use `Parser.load`."""

    def __init__(self, folder: ModelFolder, backend: Backend, *, workers: int) -> None:
        self.folder = folder
        self._backend = backend
        self._workers = workers
        self._splitter = WordPieces.from_file(folder.tokenizer, shape_step=folder.shape_step)
        self._table = WordTable(self._splitter)
        self._write = BracketWriter(folder.labels, folder.tags)
        self._records = RecordMaker(folder.labels, folder.tags, folder.calibration)

    @classmethod
    def load(cls, model: str | Path = "en", *, threads: int = 0, device: str = "") -> Parser:
        """Return the parser of a model: the name of one in the package, or a model folder.

        It runs in onnxruntime on `threads` cores, 0 for every core this process may use; with a `device` such as
        "cuda", in torch there, if the folder was exported with its weights.
        """
        folder = open_folder(find_model(model))
        if device:
            try:
                from spanlin.runtime.torch import TorchBackend
            except ImportError as error:
                raise MissingExtraError("parsing on a device needs torch: pip install 'spanlin[train]'") from error
            return cls(folder, TorchBackend(folder, device=device), workers=4)
        # Whole batches side by side, one core each, waste less than all cores on one batch.
        return cls(folder, OnnxBackend(folder, threads=1), workers=threads or available_cores())

    def parse(self, text: str) -> list[Parsed]:
        """Return the parses of a text's sentences, in order; each knows where its words stand in the text.

        >>> Parser.load().parse("She loves writing code.")
        [Parsed('(TOP (S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .)))')]
        """
        return list(self.parse_stream(text))

    def parse_stream(self, text: str | Iterable[str]) -> Iterator[Parsed]:
        """Yield the parses of a text, or of its lines as an open file gives them, paragraph by paragraph.

        Memory does not grow with the text. A sentence may go over several lines, but not over an empty one.
        """
        kept: deque[Sentence] = deque()

        def words() -> Iterator[Sequence[str]]:
            for sentence in iter_sentences(text):
                kept.append(sentence)
                yield sentence.words

        for parsed in self.stream_parses(words()):
            sentence = kept.popleft()
            parsed.offsets = tuple(zip(sentence.starts, sentence.ends, strict=True))
            yield parsed

    def parse_tokens(self, sentences: Iterable[Sequence[str]]) -> list[Parsed]:
        """Return the parse of each tokenized sentence, in order; one without words has no tree."""
        return list(self.stream_parses(sentences))

    def stream_parses(self, sentences: Iterable[Sequence[str]]) -> Iterator[Parsed]:
        """Yield what `parse_tokens` returns, in order, in memory that does not grow with the number of sentences."""
        kept: deque[Sequence[str]] = deque()

        def words() -> Iterator[Sequence[str]]:
            for sentence in sentences:
                kept.append(sentence)
                yield sentence

        outputs = (*TREE, *CONFIDENCE)
        for found in self._stream(words(), outputs, self._with_records, 0):
            line, record = found or ("", _NO_WORDS)
            yield Parsed(words=tuple(kept.popleft()), brackets=line, **record._asdict())

    def brackets(self, sentences: Iterable[Sequence[str]], *, batch_tokens: int = 0) -> list[str]:
        """Return the tree of each tokenized sentence as a line of brackets; an empty line for one without words."""
        return list(self.stream(sentences, batch_tokens=batch_tokens))

    def stream(self, sentences: Iterable[Sequence[str]], *, batch_tokens: int = 0) -> Iterator[str]:
        """Yield what `brackets` returns, in order, with a few thousand sentences in memory however many there are.

        `batch_tokens` is how many word pieces, padding included, run together; 0 leaves it to the backend. A sentence
        over it runs alone.
        """
        for line in self._stream(sentences, TREE, self._lines, batch_tokens):
            yield line or ""

    def _stream(
        self,
        sentences: Iterable[Sequence[str]],
        outputs: Sequence[str],
        make: Callable[[Sentences, NDArray[np.int64], NDArray[np.int64], Arrays], list[Result]],
        batch_tokens: int,
    ) -> Iterator[Result | None]:
        """Yield what `make` makes of each sentence, in order, and None for one without words.

        While one chunk of sentences is handed out, the next one runs.
        """
        source = iter(sentences)
        with ThreadPoolExecutor(self._workers, thread_name_prefix="spanlin") as pool:
            started: deque[tuple[int, list[_Batch[Result]]]] = deque()
            try:
                while chunk := list(itertools.islice(source, self._backend.chunk)):
                    if len(self._table) > _MOST_WORDS:
                        self._table = WordTable(self._splitter)
                    found = Sentences(chunk, self._table)
                    # The longest first: none is left to run alone at the end.
                    batches = found.batches(
                        tokens=batch_tokens or self._backend.batch_tokens, multiple=self._backend.multiple
                    )
                    running = [(batch, pool.submit(self._run, found, batch, outputs, make)) for batch in batches]
                    started.append((len(chunk), running))
                    if len(started) > 1:
                        yield from _in_order(*started.popleft())
                while started:
                    yield from _in_order(*started.popleft())
            finally:
                pool.shutdown(cancel_futures=True)

    def _run(
        self,
        sentences: Sentences,
        members: NDArray[np.int64],
        outputs: Sequence[str],
        make: Callable[[Sentences, NDArray[np.int64], NDArray[np.int64], Arrays], list[Result]],
    ) -> list[Result]:
        """Return the results of one batch."""
        rows, counts = sentences.rows(members, limit=self.folder.piece_limit, multiple=self._backend.multiple)
        return make(sentences, members, counts, self._backend.run(rows, counts, outputs))

    def _lines(
        self, sentences: Sentences, members: NDArray[np.int64], counts: NDArray[np.int64], found: Arrays
    ) -> list[str]:
        return self._write(sentences.written(members), counts, *(found[name] for name in TREE))

    def _with_records(
        self, sentences: Sentences, members: NDArray[np.int64], counts: NDArray[np.int64], found: Arrays
    ) -> list[tuple[str, Record]]:
        lines = self._lines(sentences, members, counts, found)
        return list(zip(lines, self._records(counts, found), strict=True))


def _in_order(count: int, batches: list[_Batch[Result]]) -> Iterator[Result | None]:
    """Yield a chunk's results in the order of its sentences; those without words have none."""
    results: list[Result | None] = [None] * count
    for numbers, future in batches:
        for number, result in zip(numbers.tolist(), future.result(), strict=True):
            results[number] = result
    yield from results
