"""`python -m fuzz TARGET|all --seconds N`: fuzz one target, or all in turn, guided by the branches they take.

Needs `pip install 'spanlin[fuzz]'`. Inputs that reach new branches go to `runs/fuzz/TARGET/corpus`, and what breaks a
promise to `runs/fuzz/TARGET/crash-*` (or timeout-, oom-), after which fuzzing goes on. With --keep, the fewest inputs
that reach all that was reached become the target's kept ones.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fuzz.target import CORPUS, NEEDS

_RUNS = Path("runs/fuzz")
_LONGEST = 60  # seconds until an input is given up; more than `SLOWEST` of them at work are a finding all the same
_MOST_MEMORY = 2_000  # megabytes in use
_MOST_ADDRESSES = 12_000  # megabytes; a graph may ask for what no machine has, and is refused there
_MOST_FINDINGS = 20


def main() -> None:
    """Fuzz as the command line says; the exit status tells whether nothing was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz what reads untrusted bytes.")
    parser.add_argument("target", choices=[*NEEDS, "all"])
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--seed", type=int, default=0, help="0 draws one")
    parser.add_argument("--keep", action="store_true", help="add what reaches new branches to the kept inputs")
    options = parser.parse_args()
    names = list(NEEDS) if options.target == "all" else [options.target]
    found = [_fuzz(name, options.seconds, options.seed) for name in names]
    for name in names if options.keep else ():
        _keep(name)
    sys.exit(1 if any(found) else 0)


def _fuzz(name: str, seconds: int, seed: int) -> int:
    """Fuzz one target in processes of their own, a new one after each finding; return how many findings there were."""
    folder = _RUNS / name
    work = folder / "corpus"
    for needed in (work, CORPUS / name):
        needed.mkdir(parents=True, exist_ok=True)
    executions = findings = branches = memory = 0
    start = time.monotonic()
    with (folder / "log").open("a", encoding="utf-8") as log:
        while (left := round(seconds - (time.monotonic() - start))) > 0 and findings < _MOST_FINDINGS:
            options = [
                f"-max_total_time={left}",
                "-use_value_profile=1",
                f"-seed={seed}",
                f"-artifact_prefix={folder}/",
            ]
            output = _child(name, *options, str(work), str(CORPUS / name))
            log.write(output)
            log.flush()
            executions += _last(r"stat::number_of_executed_units: (\d+)", output)
            memory = max(memory, _last(r"stat::peak_rss_mb: +(\d+)", output))
            branches = max(branches, _last(r"cov: (\d+)", output))
            if not re.search(r"^Done \d+ runs", output, re.MULTILINE):
                findings += 1
                print(f"{name}: FOUND\n{_cause(output)}", flush=True)
    taken = time.monotonic() - start
    print(
        f"{name}: {executions} executions in {taken:.0f} s, {branches} branches, {memory} MB, {findings} findings",
        flush=True,
    )
    return findings


def _child(name: str, *options: str) -> str:
    """Return what libFuzzer says in a process of its own."""
    command = [sys.executable, "-m", "fuzz.guided", name, f"-timeout={_LONGEST}", f"-rss_limit_mb={_MOST_MEMORY}"]
    with tempfile.TemporaryDirectory() as temporary:  # libFuzzer leaves a process without tidying up
        done = subprocess.run(
            [*command, "-print_final_stats=1", *options],
            check=False,
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": temporary},
            preexec_fn=_limit,
        )
    return done.stdout


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_ADDRESSES << 20,) * 2)


def _last(pattern: str, output: str) -> int:
    return int((re.findall(pattern, output) or ["0"])[-1])


def _cause(output: str) -> str:
    """Return the lines that tell what went wrong."""
    lines = [line for line in output.splitlines() if not re.match(r"#\d+\s|INFO: ", line)]
    return "\n".join(f"  {line[:300]}" for line in lines[-60:] if not line.startswith("stat::"))


def _keep(name: str) -> None:
    """Let the kept inputs be the fewest that reach what all inputs reach."""
    kept = CORPUS / name
    kept.mkdir(parents=True, exist_ok=True)
    # How often a branch is taken counts for the search, and would keep several times as many.
    output = _child(name, "-merge=1", "-use_counters=0", str(kept), str(_RUNS / name / "corpus"))
    added = _last(r"(\d+) new files with", output)
    print(f"{name}: {added} inputs added to {kept}")


if __name__ == "__main__":
    main()
