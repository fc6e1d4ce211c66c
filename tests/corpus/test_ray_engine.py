"""A corpus on Ray: the same bytes as in one process, whoever is killed meanwhile."""

from __future__ import annotations

import math
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import spanlin
from corpus_runs import COMMAND, children, deadly_environment, errors, rows, run, shards, wait_until, write_corpus
from spanlin.corpus.ray_engine import RaySettings, joined, require_ray
from spanlin.errors import CorpusError, MissingExtraError


def test_without_ray_one_is_told_what_to_install(without: Callable[[str], None]) -> None:
    without("ray")
    with pytest.raises(MissingExtraError, match=r"Ray is not installed: pip install 'spanlin\[ray\]'"):
        require_ray()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"workers": (0, 2)}, r"workers must be a number or a range such as 2-8, got \(0, 2\)"),
        ({"workers": (3, 2)}, "workers must be a number or a range"),
        ({"cpus_per_worker": 0}, "a worker needs more than 0 CPUs, and 0 GPUs or more"),
        ({"cpus_per_worker": math.inf}, "and a finite number of them"),
        ({"cpus_per_worker": math.nan}, "and a finite number of them"),
        ({"gpus_per_worker": math.inf}, "and a finite number of them"),
    ],
)
def test_settings_that_make_no_pool_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        RaySettings(**settings)


@pytest.mark.parametrize("is_initialized", [True, False])
def test_a_cluster_that_this_process_has_joined_is_the_one_to_use(
    is_initialized: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = SimpleNamespace(gcs_address="10.0.0.1:6379")
    theirs = SimpleNamespace(is_initialized=lambda: is_initialized, get_runtime_context=lambda: context)
    monkeypatch.setitem(sys.modules, "ray", theirs)
    assert joined(RaySettings()).address == ("10.0.0.1:6379" if is_initialized else "")
    assert joined(RaySettings(address="head:1")).address == "head:1"


def test_a_cluster_that_is_not_there_is_told_in_one_line(on_ray: OnRay) -> None:
    command = [*COMMAND, str(on_ray.source), str(on_ray.folder / "out"), "--address", "127.0.0.1:1"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 1
    first, last = found.stderr.splitlines()
    assert first == "spanlin: parsing on Ray at 127.0.0.1:1"
    assert last.endswith(
        "no Ray cluster at 127.0.0.1:1: Connection refused; is it the address that `ray start --head` printed?"
    )


@pytest.mark.slow
def test_someone_else_at_the_address_is_not_waited_for_forever(on_ray: OnRay) -> None:
    hasty = on_ray.folder / "hasty"
    hasty.mkdir()
    (hasty / "sitecustomize.py").write_text("from spanlin.corpus import ray_driver\nray_driver._LONGEST_START = 3.0\n")
    places = os.pathsep.join([str(hasty), str(Path(spanlin.__file__).parents[1])])
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        command = [*COMMAND, str(on_ray.source), str(on_ray.folder / "out"), "--address", address]
        environment = on_ray.environment | {"PYTHONPATH": places}
        found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].endswith(f"no Ray cluster at {address}: no answer within 3 seconds")


class OnRay:
    """A corpus, its output in one process, and `spanlin corpus` on Ray over it."""

    def __init__(self, folder: Path) -> None:
        self.environment = dict(os.environ)
        self.folder = folder
        self.options = ["--unit-size", "1K"]
        self.write(300)

    def write(self, count: int, *, extra: dict[int, str] | None = None) -> None:
        self.source = write_corpus(self.folder / "a.txt", count, extra=extra)
        clean = self.source.read_text().replace("This is POISON.\n", "")
        self.texts = [sentence for line in clean.splitlines() for sentence in (line[:-14], line[-13:])]

    def start(self, output: str) -> subprocess.Popen[str]:
        command = [*COMMAND, str(self.source), str(self.folder / output), *self.options]
        command += ["--engine", "ray", "--workers", "2"]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=self.environment, stdout=pipe, stderr=pipe, text=True)

    def finish_plainly(self, output: str) -> None:
        command = [str(self.source), str(self.folder / output), *self.options]
        command += ["--engine", "plain", "--threads", "1"]
        for _ in range(3):
            found = run(command, env=self.environment)
            if found.returncode != -signal.SIGKILL:  # the poison kills it once
                break
        assert found.returncode == 0, found.stderr

    def count(self, output: str) -> int:
        return len(list((self.folder / output).glob("part-*")))


@pytest.fixture
def on_ray(tmp_path: Path) -> OnRay:
    pytest.importorskip("ray")
    if not Path("/proc").exists():
        pytest.skip("processes are looked for in /proc")
    return OnRay(tmp_path)


def actors(process: subprocess.Popen[str]) -> list[int]:
    return [child for child, command in children(process.pid).items() if "UnitActor" in command]


def alive(processes: Iterable[int]) -> list[int]:
    found = []
    for process in processes:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":  # where nobody waits for it, it stays in the list
            found.append(process)
    return found


@pytest.mark.slow
def test_killed_actors_and_poison_leave_the_output_of_one_process(on_ray: OnRay) -> None:
    on_ray.environment = deadly_environment(on_ray.folder)
    on_ray.write(150, extra={40: "This is POISON."})
    process = on_ray.start("ray")

    def has_done(count: int) -> bool:
        return on_ray.count("ray") >= count and bool(actors(process))

    for done in (1, 4):
        wait_until(partial(has_done, done), process)
        os.kill(actors(process)[0], signal.SIGKILL)
    out, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert out == ""
    assert len(said.splitlines()) == 3
    assert "1 documents failed" in said
    on_ray.finish_plainly("plain")
    assert shards(on_ray.folder / "ray") == shards(on_ray.folder / "plain")
    assert [row["text"] for row in rows(on_ray.folder / "ray")] == on_ray.texts
    assert [entry["reason"] for entry in errors(on_ray.folder / "ray")] == ["the parser dies of it: killed by SIGKILL"]


@pytest.mark.slow
def test_a_document_without_end_is_left_out_on_ray_too(on_ray: OnRay) -> None:
    on_ray.environment = deadly_environment(on_ray.folder)
    on_ray.source = write_corpus(on_ray.folder / "a.txt", 20, extra={4: "This is ENDLESS."})
    on_ray.options = [*on_ray.options, "--time-limit", "8"]
    process = on_ray.start("ray")
    _, said = process.communicate(timeout=180)
    assert process.returncode == 0, said
    assert [entry["reason"] for entry in errors(on_ray.folder / "ray")] == ["no sentence in 8 seconds, the time limit"]
    assert len(rows(on_ray.folder / "ray")) == 2 * 19


@pytest.mark.slow
def test_a_driver_that_dies_is_told_and_the_same_command_goes_on(on_ray: OnRay) -> None:
    process = on_ray.start("out")
    wait_until(lambda: on_ray.count("out") >= 1, process)
    started = children(process.pid)
    os.kill(next(child for child, command in started.items() if "spanlin.corpus.ray_driver" in command), signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.splitlines()[-1].endswith("Ray's driver ended with status -9; the same command resumes")
    wait_until(lambda: not alive(started))
    on_ray.finish_plainly("out")
    assert [row["text"] for row in rows(on_ray.folder / "out")] == on_ray.texts


@pytest.mark.slow
def test_an_interrupted_and_a_killed_driver_leave_whole_shards(on_ray: OnRay) -> None:
    process = on_ray.start("out")
    wait_until(lambda: on_ray.count("out") >= 1, process)
    started = children(process.pid)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    wait_until(lambda: not alive(started))
    assert "units are complete; the same command resumes" in said.splitlines()[-1]
    before = shards(on_ray.folder / "out")
    process = on_ray.start("out")
    wait_until(lambda: on_ray.count("out") >= len(before) + 2, process)
    started = children(process.pid)
    process.kill()
    process.communicate(timeout=60)
    wait_until(lambda: not alive(started))
    assert shards(on_ray.folder / "out").items() >= before.items()
    on_ray.finish_plainly("out")
    assert [row["text"] for row in rows(on_ray.folder / "out")] == on_ray.texts
