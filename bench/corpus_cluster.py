"""`spanlin corpus` on a cluster of three hosts, one of which is cut off: network namespaces of one Linux machine.

A host has an address, a network and Ray processes of its own; the disk is shared, as a cluster's file system is. Who is
cut off does not notice: it works on with its last unit, and writes it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.corpus_faults import (
    Commands,
    CorpusFaultsError,
    plain_shards,
    require_all_once,
    require_same,
    write_input,
)
from bench.table import machine

BRIDGE = "spanlin0"
NETWORK = "10.77.0"
PORT = 6399
HEAD, *WORKERS = HOSTS = (1, 2, 3)


def host(number: int) -> str:
    """Return the namespace of a host."""
    return f"spanlin-host{number}"


def cable(number: int) -> str:
    """Return the bridge's end of a host's cable."""
    return f"spanlin-c{number}"


def address(number: int) -> str:
    """Return the address of a host."""
    return f"{NETWORK}.{number}"


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CorpusFaultsError(f"ip {' '.join(words)}: {done.stderr.strip() or done.returncode}")


@contextmanager
def network() -> Iterator[None]:
    """Make the hosts and their network; all that runs on them ends with the `with`."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("ip") is None:
        raise CorpusFaultsError("hosts of one's own need Linux, root and the command ip (iproute2)")
    try:
        _ip("link", "add", BRIDGE, "type", "bridge")
        _ip("addr", "add", f"{NETWORK}.254/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
        for number in HOSTS:
            name = host(number)
            _ip("netns", "add", name)
            _ip("link", "add", cable(number), "type", "veth", "peer", "name", "eth0", "netns", name)
            _ip("link", "set", cable(number), "master", BRIDGE, "up")
            _ip("-n", name, "addr", "add", f"{address(number)}/24", "dev", "eth0")
            _ip("-n", name, "link", "set", "eth0", "up")
            _ip("-n", name, "link", "set", "lo", "up")
            # Ray asks the way to the world for its own address.
            _ip("-n", name, "route", "add", "default", "via", f"{NETWORK}.254")
        yield
    finally:
        for number in HOSTS:
            found = subprocess.run(["ip", "netns", "pids", host(number)], capture_output=True, text=True, check=False)
            for process in found.stdout.split():
                subprocess.run(["kill", "-9", process], capture_output=True, check=False)
            subprocess.run(["ip", "netns", "del", host(number)], capture_output=True, check=False)
        subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True, check=False)


def cut_off(number: int) -> None:
    """Pull a host's cable."""
    _ip("link", "set", cable(number), "down")


def start_ray(number: int, folder: Path, environment: dict[str, str]) -> None:
    """Start Ray on a host: one worker's CPU, none on the head, which would hide the loss of the others."""
    ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--node-ip-address", address(number)]
    if number == HEAD:
        ray += ["--head", "--port", str(PORT), "--num-cpus", "0", "--include-dashboard", "false"]
        ray += ["--temp-dir", str(folder / "ray")]
    else:
        ray += ["--address", f"{address(HEAD)}:{PORT}", "--num-cpus", "1"]
    command = ["ip", "netns", "exec", host(number), *ray, "--object-store-memory", str(200 * 2**20)]
    with (folder / f"ray-{number}.txt").open("wb") as log:  # no pipe: its processes would keep it open
        done = subprocess.run(command, env=environment, stdout=log, stderr=log, check=False)
    if done.returncode:
        raise CorpusFaultsError(f"Ray did not start on host {number}: see {log.name}")


def measure(
    text: Path, folder: Path, *, count: int, model: str, unit_size: str, log: Callable[[str], None]
) -> dict[str, Any]:
    """Return how a run went whose third host was cut off after a third of the units."""
    write_input(text, folder / "input", count)
    commands = Commands(folder, model=model, unit_size=unit_size)
    seconds = commands.plain()
    log(f"two plain processes: {count / seconds:.1f} sentences/s")
    units = len(list(plain_shards(folder)))
    environment = os.environ | {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
    }
    with network():
        for number in HOSTS:
            start_ray(number, folder, environment)
        log("three hosts are up")
        begun = time.perf_counter()
        driver = commands.start(
            "input",
            "cluster",
            *("--engine", "ray", "--address", f"{address(HEAD)}:{PORT}", "--workers", "2"),
            before=("ip", "netns", "exec", host(HEAD)),
            environment=environment,
        )
        cut_at = 0
        while driver.poll() is None:
            time.sleep(0.2)
            done = len(list((folder / "cluster" / "_units").glob("*.json")))
            if not cut_at and done >= units / 3:
                cut_off(WORKERS[-1])
                cut_at = done
                log(f"host {WORKERS[-1]} cut off at {done} of {units} units")
        found = round(time.perf_counter() - begun, 1)
    if driver.returncode != 0:
        raise CorpusFaultsError(f"the run ended with {driver.returncode}: see {folder / 'log.txt'}")
    if not cut_at or cut_at >= units:
        raise CorpusFaultsError("it ended before a host could be cut off: give it more sentences")
    identical = require_same(folder, "cluster")
    require_all_once(folder / "cluster", count)
    return {
        "machine": machine(),
        "sentences": count,
        "units": units,
        "cut_off_at": cut_at,
        "plain_seconds": round(seconds, 1),
        "cluster_seconds": found,
        "shards_identical": identical,
        "each_sentence_once": True,
    }
