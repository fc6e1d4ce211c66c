"""How far a run over a corpus is, and what came of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from spanlin.corpus.job import ERRORS, REPORT, Job
from spanlin.corpus.records import UnitFiles, UnitRecord
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Live, UnitDone

Engine: TypeAlias = Literal["plain", "ray"]
_BLOCK = 1 << 20
_NAMED_FILES = 10


@dataclass
class RunProgress:
    """The figures of a run, which other threads may read while it is under way."""

    engine: Engine | None = None
    workers: str = ""
    units: int = 0
    done: int = 0
    kept: int = 0
    documents: int = 0
    sentences: int = 0
    words: int = 0
    failures: int = 0
    incomplete: int = 0
    bytes: int = 0
    new_sentences: int = 0
    """Those that this start has parsed; the others were already there."""
    remade: list[str] = field(default_factory=list)
    """Shards that were damaged and have been rewritten."""
    skipped: tuple[str, ...] = ()
    """Files in folders whose endings are unknown."""
    started: float = field(default_factory=time.monotonic)
    live: Live = field(default_factory=Live)

    def add(self, done: UnitDone) -> None:
        """Count a unit."""
        record = done.record
        self.live.reset()
        self.done += 1
        self.documents += record.documents
        self.sentences += record.sentences
        self.words += record.words
        self.failures += record.failures
        self.incomplete += record.incomplete
        self.bytes += record.size
        if done.outcome == "kept":
            self.kept += 1
        else:
            self.new_sentences += record.sentences
        if done.outcome == "remade":
            self.remade.append(record.shard)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Sentences per second, of those that this start has parsed."""
        return (self.new_sentences + self.live.sentences) / max(self.seconds, 1e-9)


@dataclass(frozen=True, kw_only=True)
class Report:
    """What came of a run. `failures` counts documents, `incomplete` units that could not be read to their end."""

    engine: Engine
    workers: str
    documents: int
    sentences: int
    words: int
    failures: int
    incomplete: int
    units: int
    kept: int
    remade: tuple[str, ...]
    bytes: int
    new_sentences: int
    seconds: float
    sentences_per_second: float
    skipped: int = 0
    skipped_files: tuple[str, ...] = ()
    """How many files in folders were not read because their endings are unknown, and the first of them."""

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values for `json.dumps`."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def finish(job: Job, progress: RunProgress, units: Iterable[Unit], records: dict[str, UnitRecord]) -> Report:
    """Join the units' errors into one file, write the report beside it, and return it."""
    with job.store.writer(job.path(ERRORS), folder=job.folder) as joined:
        for unit in units:
            record = records[unit.name]
            if not record.failures and not record.incomplete:
                continue
            with job.store.open(job.path(*UnitFiles(job, unit).errors)) as stream:
                while data := stream.read(_BLOCK):
                    joined.write(data)
    assert progress.engine is not None
    report = Report(
        engine=progress.engine,
        workers=progress.workers,
        documents=progress.documents,
        sentences=progress.sentences,
        words=progress.words,
        failures=progress.failures,
        incomplete=progress.incomplete,
        units=progress.units,
        kept=progress.kept,
        remade=tuple(progress.remade),
        bytes=progress.bytes,
        new_sentences=progress.new_sentences,
        seconds=round(progress.seconds, 3),
        sentences_per_second=round(progress.rate, 1),
        skipped=len(progress.skipped),
        skipped_files=progress.skipped[:_NAMED_FILES],
    )
    job.write(json.dumps(report.to_json(), indent=1).encode() + b"\n", REPORT)
    return report
