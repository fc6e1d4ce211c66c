"""One unit, from its documents to a whole shard; the same in one process and on a hundred machines."""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple, cast

from spanlin.corpus.child_process import Watchdog
from spanlin.corpus.deadly_documents import MOST_ATTEMPTS, DeathError, find_deadly, parse_separately
from spanlin.corpus.documents import BadDocument, UnreadableError, read_documents
from spanlin.corpus.job import ABOUT, TIME_LIMIT, Job, hash_model
from spanlin.corpus.records import HashingStream, Outcome, UnitFiles, UnitRecord
from spanlin.corpus.rows import DocumentSentence, make_row, open_shard, split_document
from spanlin.corpus.units import Unit
from spanlin.errors import CorpusError
from spanlin.host.shared_backend import SharedBackend, connector
from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions

_THREADS = 2  # while one waits for the network of another process, the other prepares or writes


class UnitDone(NamedTuple):
    """What became of a unit."""

    record: UnitRecord
    outcome: Outcome


@dataclass
class Live:
    """How far the unit that runs now has come."""

    documents: int = 0
    sentences: int = 0
    failures: int = 0

    def reset(self) -> None:
        """Start again from nothing."""
        self.documents = self.sentences = self.failures = 0


class SharedAt(NamedTuple):
    """Where another process runs the network: see `spanlin.corpus.backend_process`."""

    address: str
    key: str


class _ParserError(Exception):
    """The parser failed; nothing of ours knows on which document."""


class Worker:
    """Makes shards, with a parser that is loaded when the first one is needed."""

    def __init__(
        self,
        job: Job,
        *,
        watchdog: Watchdog | None = None,
        on_document: Callable[[int], None] = lambda place: None,
        backend: SharedAt | None = None,
    ) -> None:
        self.job = job
        self.live = Live()
        self._watchdog = watchdog  # only in a process of which nobody wants anything else
        self._on_document = on_document
        self._backend = backend
        self._parser: Parser | None = None

    def run(self, unit: Unit) -> UnitDone:
        """Make the unit's shard, unless it is there and whole; bad documents and files are noted beside it.

        A unit that a worker has begun and did not survive is parsed in a separate process, which may die in its turn;
        the documents that kill it are then looked for and left out.

        Raises a SpanlinError if the whole run must stop: the output cannot be written, or the model cannot be read.
        """
        files = UnitFiles(self.job, unit)
        try:
            record, is_damaged = files.find()
            attempts = files.attempts()
        except OSError as error:
            raise CorpusError(f"{self.job.address}: cannot be read: {str(error).splitlines()[0]}") from error
        if record is not None:
            # A worker of this run may have died after making the shard and before reporting it.
            return UnitDone(record, "parsed" if record.run == self.job.run else "kept")
        self._check_machine()
        files.begin(attempts)
        try:
            record = self._record(unit, files, attempts)
            files.finish(record)
        finally:
            with suppress(CorpusError):
                files.leave()
        return UnitDone(record, "remade" if is_damaged else "parsed")

    def _record(self, unit: Unit, files: UnitFiles, attempts: int) -> UnitRecord:
        if attempts >= MOST_ATTEMPTS:
            return self._give_up(unit, files, f"its worker died {attempts} times")
        if not attempts:
            try:
                return self.write(unit, files)
            except _ParserError:
                pass  # a separate process will find out on which document
        return self._run_carefully(unit, files)

    def write(self, unit: Unit, files: UnitFiles, *, left_out: Mapping[int, str] | None = None) -> UnitRecord:
        """Parse the unit into its shard, without the documents at some places, which fail for reasons."""
        with ExitStack() as stack:
            stream = stack.enter_context(self._writer(self.job.path(files.shard)))
            hashing = HashingStream(stream)
            shard = open_shard(cast(BinaryIO, hashing), self.job.options.output_format)
            errors = _Errors(self.job, files, unit, stack)
            self.live.reset()
            words = 0
            try:
                for found, parsed in self._parses(unit, errors, left_out or {}):
                    shard.add(make_row(found, parsed))
                    words += len(parsed.words)
                    self.live.sentences += 1
                shard.close()
            except BaseException:
                hashing.discard()
                with suppress(Exception):
                    shard.close()
                raise
        return UnitRecord(
            unit=unit.name,
            shard=files.shard,
            size=hashing.size,
            sha256=hashing.sha256(),
            documents=self.live.documents,
            sentences=self.live.sentences,
            words=words,
            failures=errors.documents,
            incomplete=errors.is_incomplete,
            run=self.job.run,
        )

    def rehearse(self, unit: Unit, places: Collection[int]) -> None:
        """Parse the documents at some places, and keep nothing."""
        for _ in self._parses(unit, None, {}, only=places):
            pass

    def places(self, unit: Unit) -> list[int]:
        """Return the places of the documents that can be parsed."""
        found = []
        try:
            for document in read_documents(unit, self.job.options.documents):
                if not isinstance(document, BadDocument):
                    found.append(document.place)
        except UnreadableError:
            pass
        return found

    def _writer(self, path: str) -> Any:
        return self.job.store.writer(path, folder=self.job.folder)

    def _check_machine(self) -> None:
        """Raise a CorpusError if this machine has another output folder or model than the one that gave the job."""
        if self._parser is not None:
            return
        raw = self.job.read(ABOUT)
        if raw is None or json.loads(raw).get("key") != self.job.key:
            raise CorpusError(
                f"{self.job.address}: a worker does not see this folder as it was begun; all machines must share it"
            )
        if hash_model(self.job.model) != self.job.model_hash:
            raise CorpusError(f"{self.job.model}: a worker has another model of this name; give all machines the same")

    def _loaded(self) -> Parser:
        """Return the parser; the time limit is one for documents, and starts when it is loaded."""
        if self._parser is None:
            if self._watchdog is not None:
                self._watchdog.pat(at_least=TIME_LIMIT)
            try:
                self._parser = self._load()
            finally:
                if self._watchdog is not None:
                    self._watchdog.rest()
        return self._parser

    def _load(self) -> Parser:
        job = self.job
        if self._backend is None:
            return Parser.load(job.model, threads=job.threads, device=job.device, processes=0)
        connect = connector(literal_eval(self._backend.address), bytes.fromhex(self._backend.key))
        folder = open_folder(find_model(job.model))
        return Parser(folder, SharedBackend(connect), workers=_THREADS)

    def _parses(
        self,
        unit: Unit,
        errors: _Errors | None,
        left_out: Mapping[int, str],
        *,
        only: Collection[int] | None = None,
    ) -> Iterator[tuple[DocumentSentence, Any]]:
        parser = self._loaded()
        self._pat()

        def note(place: int | None, why: str) -> None:
            if errors is not None:
                errors.add(place, why)
                self.live.failures += place is not None

        def read() -> Iterator[DocumentSentence]:
            try:
                for found in read_documents(unit, self.job.options.documents):
                    if only is not None and found.place not in only:
                        continue
                    if isinstance(found, BadDocument):
                        note(found.place, found.reason)
                        continue
                    if found.place in left_out:
                        note(found.place, left_out[found.place])
                        continue
                    self._pat()
                    self._on_document(found.place)
                    # A document counts when all its sentences are known, so one that is bad gives none.
                    try:
                        sentences = list(
                            split_document(
                                found, self.job.options.form, longest_sentence=self.job.options.longest_sentence
                            )
                        )
                    except ValueError as error:
                        note(found.place, str(error))
                        continue
                    self.live.documents += 1
                    yield from sentences
            except UnreadableError as error:
                note(None, f"cannot be read: {error}")

        options = ParseOptions(decoder=self.job.options.decoder)
        parses = parser.parse_items(read(), lambda found: found.sentence.words, options)
        try:
            while True:
                try:
                    found, parsed = next(parses)
                except StopIteration:
                    return
                except CorpusError:
                    raise
                except Exception as error:
                    first = next(iter(str(error).splitlines()), "")
                    raise _ParserError(f"the parser failed: {type(error).__name__}: {first}") from error
                self._pat()
                yield found, parsed
        finally:
            if self._watchdog is not None:
                self._watchdog.rest()

    def _pat(self) -> None:
        if self._watchdog is not None:
            self._watchdog.pat()

    def _run_carefully(self, unit: Unit, files: UnitFiles) -> UnitRecord:
        """Return the record of a unit that another process has parsed, without the documents that kill it."""
        left_out: dict[int, str] = {}
        while True:
            try:
                return parse_separately(self.job, unit, left_out=left_out)
            except DeathError as error:
                death = error
            # What takes forever is most often what was read last; trying that alone saves many time limits.
            suspects = [death.place] if death.timed_out and death.place is not None else []
            found = find_deadly(self.job, unit, suspects)
            if not found:
                found = find_deadly(self.job, unit, [place for place in self.places(unit) if place not in left_out])
            if not found:
                return self._give_up(unit, files, death.how)
            left_out |= found

    def _give_up(self, unit: Unit, files: UnitFiles, reason: str) -> UnitRecord:
        """Return the record of a unit without any parses."""
        with ExitStack() as stack:
            hashing = HashingStream(stack.enter_context(self._writer(self.job.path(files.shard))))
            open_shard(cast(BinaryIO, hashing), self.job.options.output_format).close()
            _Errors(self.job, files, unit, stack).add(None, f"given up: {reason}")
        return UnitRecord(
            unit=unit.name,
            shard=files.shard,
            size=hashing.size,
            sha256=hashing.sha256(),
            incomplete=True,
            run=self.job.run,
        )


@dataclass
class _Errors:
    """The unit's part of the errors file; it is there only if there is something in it."""

    job: Job
    files: UnitFiles
    unit: Unit
    stack: ExitStack
    documents: int = 0
    is_incomplete: bool = False
    _stream: BinaryIO | None = field(default=None, init=False)

    def add(self, place: int | None, reason: str) -> None:
        """Note what is wrong with the document at a place, or with what is left of the unit if it is None."""
        if self._stream is None:
            path = self.job.path(*self.files.errors)
            self._stream = self.stack.enter_context(self.job.store.writer(path, folder=self.job.folder))
        if place is None:
            self.is_incomplete = True
        else:
            self.documents += 1
        entry = {"file": self.unit.file, "place": self.unit.place if place is None else place, "reason": reason}
        data = json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace")
        self._stream.write(data + b"\n")
