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

from spanlin.argument_checks import check_k_best, check_sentences, check_text, check_threads, raise_if_not_words
from spanlin.decoding import Constraints
from spanlin.errors import MissingExtraError
from spanlin.model_folder.folder import ModelFolder, find_model, open_folder
from spanlin.parsed import Parsed
from spanlin.parsed_batch import make_parses, no_words
from spanlin.runtime.backend import TREE, Backend
from spanlin.runtime.bracket_strings import BracketWriter
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.runtime.pieces import MAX_PIECES, WordPieces
from spanlin.runtime.redecoding import Redecoder, TreeDecoder, TreeOptions
from spanlin.runtime.results import RecordMaker
from spanlin.runtime.sentences import RunBatch, Sentences
from spanlin.runtime.words import WordTable
from spanlin.sentence_constraints import CharacterConstraints, constrain_sentences, pair_constraints
from spanlin.text import Sentence, iter_sentences

_SMALL_SHARE = 16  # of a full batch
_MOST_WORDS = 500_000  # distinct words that are kept split; a longer stream starts to forget
_MOST_CHARACTERS = 10_000_000  # of those words; a stranger's may be long

Result = TypeVar("Result")
_Batch = tuple[NDArray[np.int64], "Future[list[Result]]"]


class Parser:
    """A trained parser. Use `Parser.load`."""

    def __init__(self, folder: ModelFolder, backend: Backend, *, workers: int) -> None:
        self.folder = folder
        self._backend = backend
        self._workers = workers
        # A word must fit between the start and the stop piece of a row, however few pieces the encoder holds.
        most = min(MAX_PIECES, folder.piece_limit - 2)
        self._splitter = WordPieces.from_file(folder.tokenizer, shape_step=folder.shape_step, max_pieces=most)
        self._table = WordTable(self._splitter)
        self._write = BracketWriter(folder.labels, folder.tags)
        self._records = RecordMaker(folder.labels, folder.tags, folder.calibration)

    @classmethod
    def load(cls, model: str | Path = "en", *, threads: int = 0, device: str = "") -> Parser:
        """Return the parser of a model: the name of one in the package, or a model folder.

        It runs in onnxruntime on `threads` cores, 0 for every core this process may use; with a `device` such as
        "cuda", in torch there, if the folder was exported with its weights.
        """
        check_threads(threads)  # before a model is read
        return cls.from_folder(open_folder(find_model(model)), threads=threads, device=device)

    @classmethod
    def from_folder(cls, folder: ModelFolder, *, threads: int = 0, device: str = "") -> Parser:
        """Return the parser of a model folder that is open already; see `load`."""
        check_threads(threads)
        if device:
            try:
                from spanlin.runtime.torch import TorchBackend
            except ImportError as error:
                raise MissingExtraError("parsing on a device needs torch: pip install 'spanlin[train]'") from error
            return cls(folder, TorchBackend(folder, device=device), workers=4)
        # Whole batches side by side, one core each, waste less than all cores on one batch.
        return cls(folder, OnnxBackend(folder, threads=1), workers=threads or available_cores())

    def parse(
        self,
        text: str,
        *,
        decoder: TreeDecoder = "argmin",
        constraints: CharacterConstraints | None = None,
        root_label: str = "",
        k_best: int = 1,
        marginals: bool = False,
        scores: bool = False,
    ) -> list[Parsed]:
        """Return the parses of a text's sentences, in order; each knows where its words stand in the text.

        `constraints` are spans of characters; `stream_parses` says what the other options do.

        >>> Parser.load().parse("She loves writing code.")
        [Parsed('(TOP (S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .)))')]
        """
        check_text(text)
        return list(
            self.parse_stream(
                text,
                decoder=decoder,
                constraints=constraints,
                root_label=root_label,
                k_best=k_best,
                marginals=marginals,
                scores=scores,
            )
        )

    def parse_stream(
        self,
        text: str | Iterable[str],
        *,
        decoder: TreeDecoder = "argmin",
        constraints: CharacterConstraints | None = None,
        root_label: str = "",
        k_best: int = 1,
        marginals: bool = False,
        scores: bool = False,
    ) -> Iterator[Parsed]:
        """Yield the parses of a text, or of its lines as an open file gives them, paragraph by paragraph.

        Memory does not grow with the text. A sentence may go over several lines, but not over an empty one.
        """
        check_k_best(k_best)
        options = TreeOptions(
            decoder=decoder,
            root_label=root_label,
            k_best=k_best,
            marginals=marginals,
            scores=scores,
            constrained=constraints is not None,
        )
        redecoder = self._redecoder(options)
        return self._parse_text(text, constraints or CharacterConstraints(), redecoder, options)

    def parse_tokens(
        self,
        sentences: Iterable[Sequence[str]],
        *,
        decoder: TreeDecoder = "argmin",
        constraints: Iterable[Constraints | None] | None = None,
        root_label: str = "",
        k_best: int = 1,
        marginals: bool = False,
        scores: bool = False,
    ) -> list[Parsed]:
        """Return the parse of each tokenized sentence, in order; one without words has no tree.

        `stream_parses` says what the options do.
        """
        return list(
            self.stream_parses(
                sentences,
                decoder=decoder,
                constraints=constraints,
                root_label=root_label,
                k_best=k_best,
                marginals=marginals,
                scores=scores,
            )
        )

    def stream_parses(
        self,
        sentences: Iterable[Sequence[str]],
        *,
        decoder: TreeDecoder = "argmin",
        constraints: Iterable[Constraints | None] | None = None,
        root_label: str = "",
        k_best: int = 1,
        marginals: bool = False,
        scores: bool = False,
    ) -> Iterator[Parsed]:
        """Yield what `parse_tokens` returns, in order, in memory that does not grow with the number of sentences.

        `decoder` makes a tree of the network's scores: see `spanlin.decoding`; "labelled" finds the most probable tree
        by splits and labels together. `constraints`, one or None for each sentence, are constituents that its tree must
        or must not have. `root_label` is the label that every tree has right below TOP. `k_best` trees are given, the
        most probable first, the others as `Parsed.alternatives`. Sentences with constraints, and all where several
        trees are asked for, are decoded by "labelled"; it alone gives `Parsed.probability`. `marginals` and `scores`
        add the arrays of those names to `Parsed`.

        With "argmin" and none of these a tree is as fast as from `stream`, and with "largest" or "strict" nearly so.
        All else is O(n^3) in a sentence's n words, with O(n^2) memory: some milliseconds for thirty words, some tenths
        of a second for three hundred.
        """
        check_sentences(sentences)
        check_k_best(k_best)
        options = TreeOptions(
            decoder=decoder,
            root_label=root_label,
            k_best=k_best,
            marginals=marginals,
            scores=scores,
            constrained=constraints is not None,
        )
        redecoder = self._redecoder(options)
        return self._parses(pair_constraints(sentences, constraints), redecoder, options)

    def brackets(self, sentences: Iterable[Sequence[str]], *, batch_tokens: int = 0) -> list[str]:
        """Return the tree of each tokenized sentence as a line of brackets; an empty line for one without words."""
        return list(self.stream(sentences, batch_tokens=batch_tokens))

    def stream(self, sentences: Iterable[Sequence[str]], *, batch_tokens: int = 0) -> Iterator[str]:
        """Yield what `brackets` returns, in order, with a few thousand sentences in memory however many there are.

        `batch_tokens` is how many word pieces, padding included, run together; 0 leaves it to the backend. A sentence
        over it runs alone.
        """
        for line in self.run_batches(sentences, TREE, self._lines, batch_tokens=batch_tokens):
            yield line or ""

    def run_batches(
        self,
        sentences: Iterable[Sequence[str]],
        outputs: Sequence[str],
        make: Callable[[RunBatch], list[Result]],
        *,
        batch_tokens: int = 0,
    ) -> Iterator[Result | None]:
        """Yield what `make` makes of each sentence, in order, and None for one without words.

        `make` gets batches with these outputs of the network (see `spanlin.runtime.backend`), in several threads, and
        returns a result for each sentence. While one chunk of sentences is handed out, the next one runs.
        """
        check_sentences(sentences)
        source = iter(sentences)
        before = 0
        with ThreadPoolExecutor(self._workers, thread_name_prefix="spanlin") as pool:
            started: deque[tuple[int, list[_Batch[Result]]]] = deque()
            try:
                while chunk := list(itertools.islice(source, self._backend.chunk)):
                    if len(self._table) > _MOST_WORDS or self._table.characters > _MOST_CHARACTERS:
                        self._table = WordTable(self._splitter)
                    found = self._read(chunk, before)
                    # The longest first: none is left to run alone at the end.
                    batches = found.batches(
                        tokens=batch_tokens or self._backend.batch_tokens, multiple=self._backend.multiple
                    )
                    running = [
                        (batch, pool.submit(self._run, found, batch, before, outputs, make)) for batch in batches
                    ]
                    started.append((len(chunk), running))
                    before += len(chunk)
                    if len(started) > 1:
                        yield from _in_order(*started.popleft())
                while started:
                    yield from _in_order(*started.popleft())
            finally:
                pool.shutdown(cancel_futures=True)

    def _read(self, chunk: list[Sequence[str]], before: int) -> Sentences:
        """Return a chunk of sentences as arrays, or raise a SpanlinError at the first that is not a list of words."""
        if any(isinstance(sentence, str) for sentence in chunk):  # its letters would be taken for words
            raise_if_not_words(chunk, before=before)
        try:
            return Sentences(chunk, self._table)
        except (AttributeError, TypeError, ValueError):
            raise_if_not_words(chunk, before=before)
            raise

    def _run(
        self,
        sentences: Sentences,
        members: NDArray[np.int64],
        first: int,
        outputs: Sequence[str],
        make: Callable[[RunBatch], list[Result]],
    ) -> list[Result]:
        """Return the results of one batch."""
        backend = self._backend
        is_small = int(sentences.piece_counts[members].sum()) * _SMALL_SHARE <= backend.batch_tokens
        multiple = backend.small_multiple if is_small else backend.multiple
        rows, counts = sentences.rows(members, limit=self.folder.piece_limit, multiple=multiple)
        found = self._backend.run(rows, counts, outputs)
        return make(RunBatch(sentences=sentences, members=members, first=first, found=found))

    def _lines(self, batch: RunBatch) -> list[str]:
        words = batch.written(np.arange(len(batch.members)))
        return self._write(words, batch.counts, *(batch.found[name] for name in TREE))

    def _redecoder(self, options: TreeOptions) -> Redecoder:
        return Redecoder(self._backend, self.folder.labels, self.folder.temperatures, options)

    def _parse_text(
        self, text: str | Iterable[str], constraints: CharacterConstraints, redecoder: Redecoder, options: TreeOptions
    ) -> Iterator[Parsed]:
        kept: deque[Sentence] = deque()

        def words() -> Iterator[tuple[Sequence[str], Constraints | None]]:
            for sentence, wanted in constrain_sentences(iter_sentences(text), constraints):
                kept.append(sentence)
                yield sentence.words, wanted

        for parsed in self._parses(words(), redecoder, options):
            sentence = kept.popleft()
            parsed.offsets = tuple(zip(sentence.starts, sentence.ends, strict=True))
            yield parsed

    def _parses(
        self,
        sentences: Iterable[tuple[Sequence[str], Constraints | None]],
        redecoder: Redecoder,
        options: TreeOptions,
    ) -> Iterator[Parsed]:
        waiting: dict[int, Constraints] = {}  # those of sentences that are read and not yet decoded

        def words() -> Iterator[Sequence[str]]:
            for number, (sentence, wanted) in enumerate(sentences):
                if wanted is not None:
                    waiting[number] = wanted
                yield sentence

        def make(batch: RunBatch) -> list[Parsed]:
            trees, marginals = redecoder(batch, [waiting.pop(number, None) for number in batch.numbers])
            counts = batch.counts[trees.owners]
            lines = self._write(batch.written(trees.owners), counts, *(trees.found[name] for name in TREE))
            return make_parses(batch, trees, lines, self._records(counts, trees.found), options, marginals=marginals)

        for parsed in self.run_batches(words(), redecoder.outputs, make):
            yield parsed or no_words(redecoder.outputs, options)


def _in_order(count: int, batches: list[_Batch[Result]]) -> Iterator[Result | None]:
    """Yield a chunk's results in the order of its sentences; those without words have none."""
    results: list[Result | None] = [None] * count
    for numbers, future in batches:
        for number, result in zip(numbers.tolist(), future.result(), strict=True):
            results[number] = result
    yield from results
