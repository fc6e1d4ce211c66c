"""What a corpus is parsed with, and the output folder that records it."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from spanlin import __version__
from spanlin.corpus.documents import DocumentOptions
from spanlin.corpus.inputs import CorpusFile
from spanlin.corpus.rows import OutputFormat
from spanlin.corpus.stores import (
    TEMPORARY,
    Store,
    is_local,
    is_temporary,
    open_address,
    open_store,
    read_whole,
    write_whole,
)
from spanlin.errors import CorpusError
from spanlin.model_folder.folder import manifest_bytes
from spanlin.model_folder.lookup import find_model, pin_model
from spanlin.model_folder.path_kinds import checkpoint_hash, is_checkpoint
from spanlin.runtime.options import TreeDecoder
from spanlin.text.forms import InputForm

FORMAT = 2  # of the output folder
ABOUT = "_corpus.json"
ERRORS = "_errors.jsonl"
REPORT = "_report.json"
UNITS = "_units"
TIME_LIMIT = 900.0
"""Seconds: far longer than any batch of sentences takes, with any decoder."""
_LONGEST_LIMIT = 1_000_000  # longer ones are too much for a C library's timer


@dataclass(frozen=True, kw_only=True)
class CorpusOptions:
    """All that the output depends on besides the input and the model."""

    documents: DocumentOptions = field(default_factory=DocumentOptions)
    form: InputForm = "text"
    output_format: OutputFormat = "jsonl"
    decoder: TreeDecoder = "argmin"
    unit_size: int = 512 * 1024
    longest_sentence: int = 500

    def __post_init__(self) -> None:
        for name, value in (
            ("unit_size", self.unit_size),
            ("longest_sentence", self.longest_sentence),
            ("longest_document", self.documents.longest_document),
        ):
            if value < 1:
                raise CorpusError(f"{name} must be at least 1, got {value}")


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a worker must know, on whatever machine it runs."""

    root: str
    folder: str
    address: str
    """The output folder: its store, its path there, and what the user calls it."""
    model: str
    model_hash: str
    threads: int
    device: str
    options: CorpusOptions
    key: str = ""
    """A hash of all that `begin_output` compares; a worker that finds another one sees another folder."""
    run: str = ""
    """Which start of the job this is."""
    time_limit: float = TIME_LIMIT
    """A worker that has done nothing for so many seconds is ended; the next start may have another limit."""

    @classmethod
    def from_table(cls, table: dict[str, Any]) -> Job:
        """Return the job from the table that `asdict` made of it for another process."""
        options = table["options"]
        documents = DocumentOptions(**options["documents"])
        return cls(**{**table, "options": CorpusOptions(**{**options, "documents": documents})})

    @cached_property
    def store(self) -> Store:
        """Where the output folder is."""
        return open_store(self.root)

    def path(self, *names: str) -> str:
        """Return the path of a file in the output folder."""
        return "/".join((self.folder, *names))

    def read(self, *names: str) -> bytes | None:
        """Return the contents of a small file of the output folder, or None if it is not there."""
        return read_whole(self.store, self.path(*names))

    def write(self, data: bytes, *names: str) -> None:
        """Write a small file of the output folder."""
        write_whole(self.store, self.path(*names), data, folder=self.folder)


def hash_model(model: str) -> str:
    """Return a hash of a model: that of its manifest, which has the hashes of its other files."""
    path = find_model(model)
    return checkpoint_hash(path) if is_checkpoint(path) else hashlib.sha256(manifest_bytes(path)).hexdigest()


def make_job(
    output: str,
    files: Sequence[CorpusFile],
    *,
    model: str,
    threads: int,
    device: str,
    options: CorpusOptions,
    time_limit: float = TIME_LIMIT,
) -> tuple[Job, dict[str, Any]]:
    """Return the job, and what its output folder records of it."""
    if not 0 < time_limit <= _LONGEST_LIMIT:
        raise CorpusError(f"time_limit must be more than 0 and at most {_LONGEST_LIMIT:,} seconds, got {time_limit}")
    root, _, folder = open_address(output)
    model = str(pin_model(model))  # every machine must have the same
    model_hash = hash_model(model)
    about: dict[str, Any] = {
        "format": FORMAT,
        "spanlin": __version__,
        "model": model_hash,
        "device": device.partition(":")[0],
        "options": asdict(options),
        "inputs": [[file.name, file.format, file.size, file.modified] for file in files],
    }
    key = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
    job = Job(
        root=root,
        folder=folder.rstrip("/") or "/",
        address=output,
        model=model,
        model_hash=model_hash,
        threads=threads,
        device=device,
        options=options,
        key=key,
        run=secrets.token_hex(8),
        time_limit=time_limit,
    )
    return job, {"key": key, **about}


def begin_output(job: Job, about: dict[str, Any]) -> bool:
    """Prepare the output folder, and return whether it was begun before with the same input, model and options.

    Raises a CorpusError if it was begun with others, or has something else in it.
    """
    if is_local(job.address) and Path(job.folder).is_file():
        raise CorpusError(f"{job.address}: is a file: OUTPUT, which comes last, is a folder")
    try:
        raw = job.read(ABOUT)
        names = (
            {found.path[len(job.folder) :].lstrip("/") for found in job.store.walk(job.folder)} if raw is None else ()
        )
    except OSError as error:
        raise CorpusError(f"{job.address}: cannot be read: {str(error).splitlines()[0]}") from error
    if raw is not None:
        _require_same(raw, about, job.address)
    elif others := sorted(name for name in names if not is_temporary(name)):
        raise CorpusError(f"{job.address}: has other files in it, such as {others[0]}; give an empty or a new folder")
    job.store.clear(job.path(TEMPORARY))
    if raw is None:
        job.write(json.dumps(about, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace"), ABOUT)
    return raw is not None


def _require_same(raw: bytes, about: dict[str, Any], address: str) -> None:
    try:
        before: dict[str, Any] = json.loads(raw)
        if before["key"] == about["key"]:
            return
        difference = _difference(before, about)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CorpusError(f"{address}/{ABOUT}: damaged; give a new folder") from error
    raise CorpusError(f"{address}: was begun with {difference}; give the same again, or a new folder")


def _difference(before: dict[str, Any], now: dict[str, Any]) -> str:
    """Return what was different, in a few words."""
    for name in ("format", "spanlin", "device"):
        if before[name] != now[name]:
            return f"{name} {before[name] or 'cpu'}, not {now[name] or 'cpu'}"
    if before["model"] != now["model"]:
        return "another model"
    flat = [{**options.pop("documents"), **options} for options in (dict(before["options"]), dict(now["options"]))]
    for name, value in flat[1].items():
        if flat[0].get(name) != value:
            return f"{name} {flat[0].get(name)!r}, not {value!r}"
    old, new = ({name: rest for name, *rest in inputs} for inputs in (before["inputs"], now["inputs"]))
    for name, rest in new.items():
        if name not in old:
            return f"other input: {name} was not in it"
        if old[name] != rest:
            return f"other input: {name} has changed since"
    for name in old:
        if name not in new:
            return f"other input: {name} was in it"
    return "the same input in another order"
