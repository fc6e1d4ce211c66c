"""`spanlin corpus` on Ray beside plain processes, on the same sentences, also while actors and drivers are killed."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.table import machine
from spanlin.corpus.job import ABOUT

REPOSITORY = Path(__file__).resolve().parents[1]
HALVES = ("a", "b")
_TARGET = 0.85


class CorpusFaultsError(Exception):
    """Something was lost, doubled or different, or could not be measured; the message is one line."""


def write_input(text: Path, folder: Path, count: int) -> None:
    """Write two halves of this many sentences: the lines of a text, repeated, each with its own id."""
    lines = [line for line in text.read_text(encoding="utf-8").splitlines() if line.strip()]
    if not lines:
        raise CorpusFaultsError(f"{text}: no lines")
    folder.mkdir(parents=True)
    numbered = enumerate(itertools.islice(itertools.cycle(lines), count))
    for half, size in zip(HALVES, (count // 2, count - count // 2), strict=True):
        with (folder / f"{half}.jsonl").open("w", encoding="utf-8") as file:
            for number, line in itertools.islice(numbered, size):
                file.write(json.dumps({"id": identifier(number), "text": line}, ensure_ascii=False) + "\n")


def identifier(number: int) -> str:
    """Return the id of a sentence."""
    return f"s{number:09}"


class Commands:
    """The commands that are compared, over one input folder."""

    def __init__(self, folder: Path, *, model: str, unit_size: str) -> None:
        self.folder = folder
        self._options = ["--id-field", "id", "--lines", "--model", model, "--unit-size", unit_size, "--quiet"]

    def start(
        self,
        source: str,
        output: str,
        *options: str,
        before: Sequence[str] = (),
        environment: Mapping[str, str] = os.environ,
    ) -> subprocess.Popen[bytes]:
        """Start `spanlin corpus` over a file or folder below ours, by a command that comes before it, if any."""
        command = [*before, sys.executable, "-m", "spanlin", "corpus", source, output, *self._options, *options]
        places = [str(REPOSITORY / "src"), environment.get("PYTHONPATH", "")]
        environment = {**environment, "PYTHONPATH": os.pathsep.join(place for place in places if place)}
        with (self.folder / "log.txt").open("ab") as log:
            return subprocess.Popen(command, cwd=self.folder, env=environment, stderr=log, stdout=log)

    def plain(self) -> float:
        """Return the seconds that two processes took for the two halves, side by side."""
        start = time.perf_counter()
        running = [
            self.start(f"input/{half}.jsonl", f"plain-{half}", "--engine", "plain", "--threads", "1") for half in HALVES
        ]
        for process in running:
            self._require_success(process)
        return time.perf_counter() - start

    def ray(self, output: str) -> subprocess.Popen[bytes]:
        """Start two workers on Ray over both halves."""
        return self.start("input", output, "--engine", "ray", "--workers", "2")

    def time_ray(self) -> float:
        """Return the seconds that two workers on Ray took."""
        start = time.perf_counter()
        self._require_success(self.ray("ray"))
        return time.perf_counter() - start

    def _require_success(self, process: subprocess.Popen[bytes]) -> None:
        if process.wait() != 0:
            raise CorpusFaultsError(f"a run ended with status {process.returncode}: see {self.folder / 'log.txt'}")

    def report(self, output: str) -> dict[str, Any]:
        """Return what a run said of itself."""
        found: dict[str, Any] = json.loads((self.folder / output / "_report.json").read_text())
        return found


def shards(folder: Path) -> list[Path]:
    """Return the shards of an output folder, in order."""
    return sorted(folder.glob("part-*.jsonl"))


def require_all_once(folder: Path, count: int) -> None:
    """Raise a CorpusFaultsError unless every sentence of the input is in the output once."""
    seen = bytearray(count)
    for shard in shards(folder):
        with shard.open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                seen[int(row["document"][1:])] += 1
                if row["sentence"] != 0:
                    raise CorpusFaultsError(f"{shard}: {row['document']} has more than one sentence")
    if lost := seen.count(0):
        raise CorpusFaultsError(f"{folder}: {lost} sentences lost, the first {identifier(seen.index(0))}")
    if any(times > 1 for times in seen):
        raise CorpusFaultsError(f"{folder}: {sum(times > 1 for times in seen)} sentences doubled")


def require_same(folder: Path, output: str) -> int:
    """Return how many shards there are if they are those of the plain processes, byte for byte."""
    expected = [shard for half in HALVES for shard in shards(folder / f"plain-{half}")]
    found = shards(folder / output)
    if len(found) != len(expected):
        raise CorpusFaultsError(f"{output}: {len(found)} shards instead of {len(expected)}")
    for one, other in zip(found, expected, strict=True):
        if one.read_bytes() != other.read_bytes():
            raise CorpusFaultsError(f"{one} is not the same as {other}")
    return len(found)


def children(process: int) -> dict[int, str]:
    """Return the processes below one, with their command lines."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                commands[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("latin-1")
            except OSError:  # it has ended meanwhile
                continue
    found: dict[int, str] = {}
    waiting = [process]
    while waiting:
        parent = waiting.pop()
        new = [child for child, its_parent in parents.items() if its_parent == parent and child not in found]
        found |= {child: commands.get(child, "") for child in new}
        waiting += new
    return found


def run_with_faults(
    commands: Commands,
    *,
    kill_every: float,
    driver_kills: int,
    units: int,
    log: Callable[[str], None],
    seed: int = 1,
) -> dict[str, Any]:
    """Return how it went: an actor is killed at these intervals and the driver this many times, and then restarted."""
    chance = random.Random(seed)
    begun = time.perf_counter()
    killed_actors = killed_drivers = 0
    driver = commands.ray("faults")
    next_kill = time.perf_counter() + kill_every
    while driver.poll() is None:
        time.sleep(0.2)
        done = len(list((commands.folder / "faults" / "_units").glob("*.json")))
        if killed_drivers < driver_kills and done >= units * (killed_drivers + 1) / (driver_kills + 1):
            below = children(driver.pid)
            driver.kill()
            driver.wait()
            killed_drivers += 1
            log(f"driver killed at {done} of {units} units")
            _clear_away(below)
            driver = commands.ray("faults")
            next_kill = time.perf_counter() + kill_every
        elif time.perf_counter() >= next_kill:
            next_kill += kill_every
            actors = [child for child, command in children(driver.pid).items() if "UnitActor" in command]
            if actors:
                os.kill(chance.choice(actors), signal.SIGKILL)
                killed_actors += 1
                log(f"actor killed at {done} of {units} units")
    if driver.returncode != 0:
        raise CorpusFaultsError(f"the last run ended with {driver.returncode}: see {commands.folder / 'log.txt'}")
    if killed_drivers < driver_kills:
        raise CorpusFaultsError(f"it ended before {driver_kills} drivers could be killed: give it more sentences")
    seconds = round(time.perf_counter() - begun, 1)
    return {"seconds": seconds, "actors_killed": killed_actors, "drivers_killed": killed_drivers}


def _clear_away(below: dict[int, str], patience: float = 10.0) -> None:
    """End what a killed driver left running, if it does not end by itself."""
    deadline = time.monotonic() + patience
    left = set(below)
    while left and time.monotonic() < deadline:
        time.sleep(0.2)
        left = {process for process in left if _command(process) == below[process] != ""}
    for process in left:
        os.kill(process, signal.SIGKILL)


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode("latin-1")
    except OSError:
        return ""


def measure(
    text: Path,
    folder: Path,
    *,
    count: int,
    model: str,
    unit_size: str,
    kill_every: float,
    driver_kills: int,
    rounds: int,
    parts: Sequence[str],
    log: Callable[[str], None],
) -> dict[str, Any]:
    """Return the figures of `parts`: "throughput", "faults" or both; all is compared to two plain processes."""
    write_input(text, folder / "input", count)
    commands = Commands(folder, model=model, unit_size=unit_size)
    found: dict[str, Any] = {"machine": machine(), "sentences": count, "unit_size": unit_size}
    seconds: dict[str, list[float]] = {"plain": [], "ray": []}
    for _ in range(rounds if "throughput" in parts else 1):
        _forget(folder, ["plain-a", "plain-b", "ray"])
        seconds["plain"].append(commands.plain())
        log(f"two plain processes: {count / seconds['plain'][-1]:.1f} sentences/s")
        if "throughput" in parts:
            seconds["ray"].append(commands.time_ray())
            log(f"two workers on Ray: {count / seconds['ray'][-1]:.1f} sentences/s")
    units = sum(int(commands.report(f"plain-{half}")["units"]) for half in HALVES)
    found |= {"units": units, "output_bytes": sum(shard.stat().st_size for shard in plain_shards(folder))}
    if "throughput" in parts:
        require_same(folder, "ray")
        require_all_once(folder / "ray", count)
        rates = {name: round(count * len(times) / sum(times), 1) for name, times in seconds.items()}
        ratio = round(rates["ray"] / rates["plain"], 3)
        found["throughput"] = {
            "seconds": {name: [round(one, 2) for one in times] for name, times in seconds.items()},
            "sentences_per_second": rates,
            "ratio": ratio,
            "target": _TARGET,
            "met": ratio >= _TARGET,
        }
    if "faults" in parts:
        faults = run_with_faults(commands, kill_every=kill_every, driver_kills=driver_kills, units=units, log=log)
        faults["shards_identical"] = require_same(folder, "faults")
        require_all_once(folder / "faults", count)
        found["faults"] = {**faults, "each_sentence_once": True, "kill_every": kill_every}
    return found


def plain_shards(folder: Path) -> Iterator[Path]:
    """Yield the shards of the two plain processes."""
    for half in HALVES:
        yield from shards(folder / f"plain-{half}")


def _forget(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        if (folder / name / ABOUT).is_file():  # else it is not one of ours
            shutil.rmtree(folder / name, ignore_errors=True)
