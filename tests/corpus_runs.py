"""Corpora and their output folders, for the tests of `spanlin corpus`; and processes that die of some documents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import spanlin
from spanlin.corpus import CorpusOptions
from spanlin.corpus.inputs import find_inputs
from spanlin.corpus.job import Job, begin_output, make_job
from spanlin.corpus.units import Unit, cut_into_units

COMMAND = [sys.executable, "-m", "spanlin", "corpus"]
_PATIENCE = 120.0

# Imported by every Python that finds it: the plain one, Ray's actors, the separate process.
_DEADLY = """
import ctypes, os, signal
from spanlin.corpus import work
split = work.split_document
def split_document(document, form, **options):
    if "POISON" in document.text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "FAILURE" in document.text:
        raise MemoryError("too much for us")
    if "ENDLESS" in document.text:
        ctypes.PyDLL(None).sleep(1000)  # it holds Python's lock all the time, and leaves the core to others
    return split(document, form, **options)
work.split_document = split_document
"""


def write_corpus(path: Path, count: int, *, extra: dict[int, str] | None = None) -> Path:
    """Write a text file of so many documents of two sentences; `extra` are some to have instead, by number."""
    lines = [f"Document {number} says that dogs bark at {number % 7} cats. Nobody minds." for number in range(count)]
    for number, line in (extra or {}).items():
        lines[number] = line
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def begin_job(source: Path, output: Path, options: CorpusOptions | None = None) -> tuple[Job, list[Unit]]:
    """Return a job whose output folder is begun, and its units; nothing is parsed yet."""
    options = options or CorpusOptions()
    files = find_inputs([str(source)])
    job, about = make_job(str(output), files, model="en", threads=1, device="", options=options)
    begin_output(job, about)
    return job, list(cut_into_units(files, unit_size=options.unit_size))


def shards(folder: Path) -> dict[str, bytes]:
    """Return what is in an output folder's shards and errors file."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name.startswith(("part-", "_errors"))}


def rows(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of an output folder of JSON lines."""
    return [
        json.loads(line)
        for name, data in sorted(shards(folder).items())
        if "part" in name
        for line in data.splitlines()
    ]


def errors(folder: Path) -> list[dict[str, Any]]:
    """Return the entries of the errors file."""
    return [json.loads(line) for line in (folder / "_errors.jsonl").read_text(encoding="utf-8").splitlines()]


def deadly_environment(folder: Path) -> dict[str, str]:
    """Return an environment in which a document with POISON kills its process, and one with ENDLESS never ends."""
    (folder / "deadly").mkdir(exist_ok=True)
    (folder / "deadly" / "sitecustomize.py").write_text(_DEADLY, encoding="utf-8")
    places = [folder / "deadly", Path(spanlin.__file__).parents[1], *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(str(place) for place in places if str(place) != ".")}


def run(arguments: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
    """Return what `spanlin corpus` did."""
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE, **options)


def wait_until(is_so: Callable[[], bool], process: subprocess.Popen[Any] | None = None) -> None:
    """Wait until something is so; fail if it takes too long, or if the process ends before."""
    deadline = time.monotonic() + _PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "waited too long"
        assert process is None or process.poll() is None, "it ended too early"
        time.sleep(0.05)


def children(process: int) -> dict[int, str]:
    """Return the processes that a process has started, and those these have, with their command lines."""
    found: dict[int, str] = {}
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                commands[int(folder.name)] = (
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
            except OSError:  # it has ended meanwhile
                continue
    waiting = [process]
    while waiting:
        parent = waiting.pop()
        for child, its_parent in parents.items():
            if its_parent == parent and child not in found:
                found[child] = commands.get(child, "")
                waiting.append(child)
    return found
