"""The user's door: text or sentences in, trees out. Glue only; the work is done by what it calls."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from spanlin.decoding import Constraints, LabelSet
from spanlin.errors import ConstraintError, DependencyError, missing_extra
from spanlin.host.tasks import Brackets, Made, Parses, TokenBlock, token_blocks
from spanlin.model_folder.folder import ModelFolder, open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.model_folder.path_kinds import is_checkpoint
from spanlin.parsed import Parsed
from spanlin.parsed_batch import make_dependencies, make_parses, no_words
from spanlin.parsed_dependencies import DependencyRecord
from spanlin.runtime.argument_checks import check_processes, check_sentences, check_text, check_threads
from spanlin.runtime.backend import OF_DEPENDENCIES, TREE, Backend
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.bracket_strings import BracketWriter
from spanlin.runtime.confidence import arc_evidence
from spanlin.runtime.dependency_decoding import BatchDependencies
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.head_constraints import find_constrained_dependencies
from spanlin.runtime.input_rows import WordFeatures
from spanlin.runtime.joint_decoding import JointDecoder
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.runtime.options import ParseOptions
from spanlin.runtime.redecoding import Redecoder
from spanlin.runtime.results import RecordMaker
from spanlin.runtime.sentences import RunBatch
from spanlin.sentence_constraints import CharacterConstraints, constrain_sentences, pair_constraints
from spanlin.text import Sentence, iter_sentences
from spanlin.text.blocks import text_blocks

if TYPE_CHECKING:
    from spanlin.host.processes import HostProcesses

Item = TypeVar("Item")
Result = TypeVar("Result")

_PLAIN = ParseOptions()
_LOG = logging.getLogger(__name__)


class Parser:
    """A trained parser. Use `Parser.load`."""

    def __init__(
        self,
        folder: ModelFolder,
        backend: Backend,
        *,
        workers: int,
        features: WordFeatures | None = None,
        processes: int = 0,
    ) -> None:
        """Parse with a backend that runs the network of this folder.

        `features` of no words are how it knows words, if that is not to be read from the folder. So many `processes`
        read text and write results, if there is much of it; see `load`.
        """
        self.folder = folder
        self._runner = BatchRunner(features or features_of(folder), backend, workers=workers)
        self._labels = LabelSet(folder.labels)
        self._write = BracketWriter(folder.labels, folder.tags)
        self._records = RecordMaker(folder.labels, folder.tags, folder.calibration)
        self._processes: HostProcesses | None = None
        if processes:
            from spanlin.host.processes import HostProcesses

            self._processes = HostProcesses(folder, backend, processes)
        _LOG.info("parser of %s: %s, workers: %d", folder.path, type(backend).__name__, workers)

    @property
    def backend(self) -> Backend:
        """What runs the network."""
        return self._runner.backend

    @property
    def processes(self) -> HostProcesses | None:
        """The processes that read text and write results for long streams, if there are any."""
        return self._processes

    def close(self) -> None:
        """End the processes that were started, if any; they start again when they are needed."""
        if self._processes is not None:
            self._processes.close()

    @property
    def has_dependencies(self) -> bool:
        """Whether parses have heads and relations beside their trees."""
        return bool(self.folder.relations)

    def check_dependencies(self) -> None:
        """Raise a DependencyError if parses have no heads and relations: for whoever asks for them, before parsing."""
        if not self.has_dependencies:
            raise DependencyError(
                f"{self.folder.path.name}: this model was trained on trees alone and has no dependencies: "
                "use one that was trained with them"
            )

    @classmethod
    def load(
        cls, model: str | Path = "en", *, threads: int = 0, device: str = "", processes: int | None = None
    ) -> Parser:
        """Return the parser of a model: a packaged or installed one by its name, a model folder, or a checkpoint.

        A model on Hugging Face's hub is `hf:owner/name` or `hf:owner/name@revision`.

        It runs in onnxruntime on `threads` cores, 0 for every core this process may use; with a `device` such as
        "cuda", in torch there. A checkpoint, such as runs/mine/best, always runs in torch: on the GPU if there is one.

        A GPU is faster than one process can read text for it. So for streams of many sentences, other processes do
        that, and write results; they start when they are first needed. `processes` is how many, 0 for none. If it is
        None, there are as many as there are cores to spare beside a GPU, and none beside a CPU or for a checkpoint.
        """
        check_threads(threads)
        check_processes(processes)
        path = find_model(model)
        if is_checkpoint(path):
            return cls._from_checkpoint(path, device=device)
        return cls.from_folder(open_folder(path), threads=threads, device=device, processes=processes)

    @classmethod
    def from_folder(
        cls, folder: ModelFolder, *, threads: int = 0, device: str = "", processes: int | None = None
    ) -> Parser:
        """Return the parser of a model folder that is open already; see `load`."""
        check_threads(threads)
        check_processes(processes)
        if device:
            try:
                from spanlin.runtime.torch import TorchBackend
            except ImportError as error:
                raise missing_extra("parsing on a device needs torch", "train") from error
            backend = TorchBackend(folder, device=device)
            if processes is None:
                from spanlin.host.processes import usual_processes

                processes = usual_processes(backend.device)
            return cls(folder, backend, workers=4, processes=processes)
        # Whole batches side by side, one core each, waste less than all cores on one batch.
        return cls(
            folder, OnnxBackend(folder, threads=1), workers=threads or available_cores(), processes=processes or 0
        )

    @classmethod
    def _from_checkpoint(cls, path: Path, *, device: str) -> Parser:
        try:
            from spanlin.training.runnable import open_checkpoint
        except ModuleNotFoundError as error:
            raise missing_extra(f"{path}: parsing with a checkpoint needs {error.name}", "train") from error
        found = open_checkpoint(path, device=device)
        return cls(found.folder, found.backend, workers=4, features=found.features)

    @overload
    def parse(
        self, text: str, options: ParseOptions = ..., *, constraints: CharacterConstraints | None = ...
    ) -> list[Parsed]: ...

    @overload
    def parse(self, text: list[str] | tuple[str, ...], options: ParseOptions = ...) -> list[list[Parsed]]: ...

    def parse(
        self,
        text: str | list[str] | tuple[str, ...],
        options: ParseOptions = _PLAIN,
        *,
        constraints: CharacterConstraints | None = None,
    ) -> list[Parsed] | list[list[Parsed]]:
        """Return the parses of a text's sentences, in order, or for a list of texts a list of parses for each.

        Each parse knows where its words are in its text. `constraints` are constituents and arcs of one text, by its
        characters.

        >>> Parser.load().parse("She loves writing code.")
        [<Parsed (TOP (S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .)))>]
        """
        check_text(text)
        if isinstance(text, str):
            return list(self.stream(text, options, constraints=constraints))
        if constraints is not None:
            raise ConstraintError("constraints go with one text: parse the texts one by one")
        found: list[list[Parsed]] = [[] for _ in text]
        sentences = ((number, sentence) for number, one in enumerate(text) for sentence in iter_sentences(one))
        for (number, sentence), parsed in self.parse_items(sentences, lambda item: item[1].words, options):
            found[number].append(_placed(parsed, sentence))
        return found

    def stream(
        self,
        text: str | Iterable[str],
        options: ParseOptions = _PLAIN,
        *,
        constraints: CharacterConstraints | None = None,
    ) -> Iterator[Parsed]:
        """Yield the parses of a text, or of its lines as an open file gives them, while it is still being read.

        Memory does not grow with the text. A sentence may go over several lines, but not over an empty one. Sentences
        of like length are parsed together, so some thousands are read ahead: the first parse comes when two chunks of
        them (see `Backend.chunk`; 2,048 in onnxruntime), or all, have been read.
        """
        if self._processes is not None and constraints is None:
            return self._made_there(self._processes, text_blocks(text), options)
        sentences = constrain_sentences(iter_sentences(text), constraints)
        pairs = self._parsed(
            sentences, lambda item: item[0].words, lambda item: item[1], options, constrained=constraints is not None
        )
        return (_placed(parsed, sentence) for (sentence, _), parsed in pairs)

    def parse_tokens(
        self,
        sentences: Iterable[Sequence[str]],
        options: ParseOptions = _PLAIN,
        *,
        constraints: Iterable[Constraints | None] | None = None,
    ) -> list[Parsed]:
        """Return the parse of each tokenized sentence, in order; one without words has no tree.

        `constraints`, one or None for each sentence, are constituents that its tree must or must not have, and arcs of
        its dependency tree.
        """
        return list(self.stream_tokens(sentences, options, constraints=constraints))

    def stream_tokens(
        self,
        sentences: Iterable[Sequence[str]],
        options: ParseOptions = _PLAIN,
        *,
        constraints: Iterable[Constraints | None] | None = None,
    ) -> Iterator[Parsed]:
        """Yield what `parse_tokens` returns, in memory that does not grow with the sentences; see `stream`."""
        check_sentences(sentences)
        if self._processes is not None and constraints is None:
            return (parsed for _, parsed in self._items_there(self._processes, sentences, lambda one: one, options))
        paired = pair_constraints(sentences, constraints)
        pairs = self._parsed(
            paired, lambda item: item[0], lambda item: item[1], options, constrained=constraints is not None
        )
        return (parsed for _, parsed in pairs)

    def parse_items(
        self, items: Iterable[Item], words: Callable[[Item], Sequence[str]], options: ParseOptions = _PLAIN
    ) -> Generator[tuple[Item, Parsed]]:
        """Yield each item with the parse of its words, in order: whatever a sentence comes with stays beside it."""
        if self._processes is None:
            return self.parse_items_here(items, words, options)
        return self._items_there(self._processes, items, words, options)

    def parse_items_here(
        self,
        items: Iterable[Item],
        words: Callable[[Item], Sequence[str]],
        options: ParseOptions = _PLAIN,
        *,
        before: int = 0,
    ) -> Generator[tuple[Item, Parsed]]:
        """Yield what `parse_items` does, all made in this process; `before` sentences came before, for messages."""
        return self._parsed(items, words, lambda _: None, options, constrained=False, before=before)

    def bracket_items(
        self, items: Iterable[Item], words: Callable[[Item], Sequence[str]], *, batch_tokens: int = 0
    ) -> Generator[tuple[Item, str]]:
        """Yield each item with the tree of its words as a line of brackets: the fastest way to plain trees.

        A sentence without words has an empty line. `batch_tokens` is as in `BatchRunner.run`.
        """
        if self._processes is None:
            yield from self.bracket_items_here(items, words, batch_tokens=batch_tokens)
            return
        owners: deque[list[Item]] = deque()
        blocks = _remembered(token_blocks(items, words), owners)
        with closing(self._processes.run(self, blocks, Brackets(batch_tokens))) as found:
            for _, lines in found:
                yield from zip(owners.popleft(), lines, strict=True)

    def bracket_items_here(
        self, items: Iterable[Item], words: Callable[[Item], Sequence[str]], *, batch_tokens: int = 0, before: int = 0
    ) -> Generator[tuple[Item, str]]:
        """Yield what `bracket_items` does, all made in this process; `before` sentences came before, for messages."""
        found = self._runner.run(items, words, TREE, self._lines, batch_tokens=batch_tokens, before=before)
        for item, line in found:
            yield item, line or ""

    def bracket_lines(self, sentences: Iterable[Sequence[str]], *, batch_tokens: int = 0) -> Generator[str]:
        """Yield the tree of each tokenized sentence as a line of brackets; see `bracket_items`."""
        check_sentences(sentences)
        return (line for _, line in self.bracket_items(sentences, lambda words: words, batch_tokens=batch_tokens))

    def stream_brackets(self, text: str | Iterable[str]) -> Iterator[str]:
        """Yield the trees of a text's sentences, or of its lines', as lines of brackets; see `stream`."""
        if self._processes is None:
            sentences = iter_sentences(text)
            for _, line in self.bracket_items_here(sentences, lambda sentence: sentence.words):
                yield line
            return
        with closing(self._processes.run(self, text_blocks(text), Brackets())) as found:
            for _, lines in found:
                yield from lines

    def stream_made(
        self, text: str | Iterable[str], make: Callable[[Parsed], Result], options: ParseOptions = _PLAIN
    ) -> Iterator[Result]:
        """Yield what `make` makes of each parse of a text, or of its lines; see `stream`.

        With processes, it is made there, so that many cores share the work, if they can import `make`: a function of a
        module, such as `Parsed.to_json_line`, not of a notebook or of the script that runs. What it returns must be
        something that can be pickled. Anything else is made in this process, more slowly.
        """
        if self._processes is None:
            for parsed in self.stream(text, options):
                yield make(parsed)
            return
        with closing(self._processes.run(self, text_blocks(text), Made(make, options))) as found:
            for _, made in found:
                yield from made

    def _made_there(self, processes: HostProcesses, blocks: Iterable[Any], options: ParseOptions) -> Generator[Parsed]:
        self.parse_items_here((), tuple, options)  # which objects to impossible options now
        return self._unpacked(processes, blocks, options)

    def _unpacked(self, processes: HostProcesses, blocks: Iterable[Any], options: ParseOptions) -> Generator[Parsed]:
        with closing(processes.run(self, blocks, Parses(options))) as found:
            for _, packed in found:
                yield from packed.unpack(self.folder, self._records)

    def _items_there(
        self,
        processes: HostProcesses,
        items: Iterable[Item],
        words: Callable[[Item], Sequence[str]],
        options: ParseOptions,
    ) -> Generator[tuple[Item, Parsed]]:
        self.parse_items_here((), tuple, options)  # which objects to impossible options now
        owners: deque[list[Item]] = deque()
        blocks = _remembered(token_blocks(items, words), owners)

        def pairs() -> Generator[tuple[Item, Parsed]]:
            with closing(processes.run(self, blocks, Parses(options))) as found:
                for _, packed in found:
                    yield from zip(owners.popleft(), packed.unpack(self.folder, self._records), strict=True)

        return pairs()

    def __repr__(self) -> str:
        return f"<Parser of {self.folder.path.name}>"

    def _lines(self, batch: RunBatch[Item]) -> list[str]:
        words = batch.written(np.arange(len(batch.members)))
        return self._write(words, batch.counts, *(batch.found[name] for name in TREE))

    def _parsed(
        self,
        items: Iterable[Item],
        words: Callable[[Item], Sequence[str]],
        wanted: Callable[[Item], Constraints | None],
        options: ParseOptions,
        *,
        constrained: bool,
        before: int = 0,
    ) -> Generator[tuple[Item, Parsed]]:
        """Yield each item with its parse; `wanted` gives the constraints of an item, if any can be `constrained`."""
        ParseOptions.check(options)
        backend, temperatures = self._runner.backend, self.folder.temperatures
        redecoder = Redecoder(backend, self._labels, temperatures, options, constrained=constrained)

        pair = None
        if options.decoder == "joint":
            self.check_dependencies()
            pair = JointDecoder(backend, self._labels, temperatures, redecoder, options)

        def make(batch: RunBatch[Item]) -> list[Parsed]:
            constraints = [wanted(item) for item in batch.items]
            if any(one and one.arcs for one in constraints):
                self.check_dependencies()
            trees, marginals = redecoder(batch, constraints)
            heads = self._heads(batch, constraints) if self.has_dependencies else None
            joint = None
            if pair is not None and heads is not None:
                trees, heads, joint = pair(batch, trees, heads, constraints)
            dependencies = None if heads is None else self._dependencies(batch, heads)
            counts = batch.counts[trees.owners]
            lines = self._write(batch.written(trees.owners), counts, *(trees.found[name] for name in TREE))
            records = self._records(counts, trees.found)
            return make_parses(
                batch,
                trees,
                lines,
                records,
                options,
                marginals=marginals,
                dependencies=dependencies,
                calibrated=self.folder.is_calibrated,
                joint=joint,
            )

        outputs = redecoder.outputs
        if self.has_dependencies:
            outputs += OF_DEPENDENCIES
        found = self._runner.run(items, words, outputs, make, before=before)
        return ((item, parsed or no_words(outputs, options, self.folder)) for item, parsed in found)

    def _heads(self, batch: RunBatch[Item], constraints: Sequence[Constraints | None]) -> BatchDependencies:
        return find_constrained_dependencies(self._runner.backend, batch, constraints)

    def _dependencies(self, batch: RunBatch[Item], found: BatchDependencies) -> list[DependencyRecord]:
        probabilities = self.folder.arc_calibration(arc_evidence(batch.counts, found.log_probs, batch.found))
        return make_dependencies(found, probabilities, batch.counts, self.folder)


def _remembered(pairs: Iterable[tuple[list[Item], TokenBlock]], owners: deque[list[Item]]) -> Iterator[TokenBlock]:
    """Yield the second of each pair; the first, which stays in this process, is put in a row of `owners`."""
    for own, block in pairs:
        owners.append(own)
        yield block


def _placed(parsed: Parsed, sentence: Sentence) -> Parsed:
    parsed.sentence = sentence
    return parsed
