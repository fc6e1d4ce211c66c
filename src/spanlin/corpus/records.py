"""What the output folder records of a unit: that it was begun, that it is complete, what went wrong in it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Any, BinaryIO, Literal, TypeAlias

from spanlin.corpus.job import UNITS, Job
from spanlin.corpus.units import Unit

Outcome: TypeAlias = Literal["parsed", "kept", "remade"]
_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class UnitRecord:
    """A unit that is done, and the `run` that did it.

    `failures` counts documents; a unit that is `incomplete` is tried again by the next run.
    """

    unit: str
    shard: str
    size: int
    sha256: str
    documents: int = 0
    sentences: int = 0
    words: int = 0
    failures: int = 0
    incomplete: bool = False
    run: str = ""

    def to_json(self) -> str:
        """Return the record as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> UnitRecord:
        """Return the record of such a line, or raise a ValueError if it is not one."""
        found = json.loads(text)
        if not isinstance(found, dict) or found.keys() != {item.name for item in fields(cls)}:
            raise ValueError("not a record")
        return cls(**found)


class UnitFiles:
    """The files of one unit in the output folder."""

    def __init__(self, job: Job, unit: Unit) -> None:
        self.job = job
        self.shard = f"{unit.name}.{job.options.output_format}"
        self.errors = (UNITS, f"{unit.name}.errors.jsonl")
        self._record = (UNITS, f"{unit.name}.json")
        self._begun = (UNITS, f"{unit.name}.begun")

    def find(self) -> tuple[UnitRecord | None, bool]:
        """Return the record of a unit that is complete, or None, and whether its shard or record is damaged."""
        raw = self.job.read(*self._record)
        if raw is None:
            return None, False
        try:
            record = UnitRecord.from_json(raw)
        except ValueError:
            return None, True
        if record.incomplete:
            return None, False
        return (record, False) if self._is_whole(record) else (None, True)

    def _is_whole(self, record: UnitRecord) -> bool:
        path = self.job.path(self.shard)
        found = self.job.store.find(path)
        if found is None or found.size != record.size:
            return False
        if record.failures and self.job.store.find(self.job.path(*self.errors)) is None:
            return False
        digest = hashlib.sha256()
        with self.job.store.open(path) as stream:
            while data := stream.read(_BLOCK):
                digest.update(data)
        return digest.hexdigest() == record.sha256

    def attempts(self) -> int:
        """Return how often the unit was begun and never finished, not even with an error."""
        raw = self.job.read(*self._begun)
        return int(raw) if raw is not None and raw.isdigit() else 0

    def begin(self, attempts: int) -> None:
        """Record that a worker begins, after so many attempts."""
        self.job.write(str(attempts + 1).encode(), *self._begun)

    def leave(self) -> None:
        """Record that the worker is still alive."""
        self.job.store.remove(self.job.path(*self._begun))

    def finish(self, record: UnitRecord) -> None:
        """Record that the unit is done."""
        self.job.write(record.to_json().encode(), *self._record)


class HashingStream:
    """A write-only stream that knows the size and the SHA-256 sum of what it was given."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self.size = 0
        self.closed = False
        self._discards = False

    def write(self, data: Any) -> int:
        """Write some bytes."""
        view = memoryview(data)
        if self._discards:
            return view.nbytes
        self._digest.update(view)
        self.size += view.nbytes
        self._stream.write(view)
        return view.nbytes

    def discard(self) -> None:
        """Write nothing any more: what could not be written must not be tried again during clean-up."""
        self._discards = True

    def sha256(self) -> str:
        """Return the sum in hexadecimal."""
        return self._digest.hexdigest()

    def tell(self) -> int:
        """Return how much was written."""
        return self.size

    def writable(self) -> bool:
        """Return True, for writers of Parquet that ask."""
        return True

    def readable(self) -> bool:
        """Return False."""
        return False

    def seekable(self) -> bool:
        """Return False."""
        return False

    def flush(self) -> None:
        """Flush the stream below."""
        if not self._discards:
            self._stream.flush()

    def close(self) -> None:
        """Do nothing: whoever opened the stream closes it."""
