"""The light install on Windows and macOS, as far as Linux can tell: see `other_system`, and what mypy knows of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import other_system
import spanlin

SOURCE = Path(spanlin.__file__).parent
TREE = "(TOP (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))"


def run(folder: Path, *arguments: str, given: str = "") -> str:
    """What a command of spanlin prints on such a system, in UTF-8."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent), "PYTHONUTF8": "0"}
    command = [sys.executable, "-X", "warn_default_encoding", str(Path(other_system.__file__)), *arguments]
    found = subprocess.run(
        command, input=given.encode(), capture_output=True, cwd=folder, env=environment, check=False, timeout=300
    )
    notes = [line for line in found.stderr.decode("utf-8").splitlines() if not line.startswith("spanlin: ")]
    assert (found.returncode, notes) == (0, []), arguments
    return found.stdout.decode("utf-8")


def test_the_light_commands_run(tmp_path: Path) -> None:
    (tmp_path / "trees.txt").write_text(f"{TREE}\n(S (NN 犬) (VV 吠える))\n", encoding="utf-8")
    assert run(tmp_path, "parse", given="Dogs bark.") == f"{TREE}\n"
    assert "─NNS  Dogs" in run(tmp_path, "parse", "--format", "pretty", "--text", "Dogs bark.")
    assert "┬─NN  犬" in run(tmp_path, "draw", "trees.txt")
    assert "犬" in run(tmp_path, "draw", "--format", "latex", given="(S (NN 犬) (VV 吠える))")
    assert run(tmp_path, "linearize", "trees.txt") == "0 1 0\n0 0\n"
    assert "100.00" in run(tmp_path, "evaluate", "trees.txt", "trees.txt")
    assert json.loads(run(tmp_path, "info", "--json"))["label_chains"][0] == "∅"
    assert "spanlin_model_mine" in run(tmp_path, "package", "--help")
    assert json.loads(run(tmp_path, "bench", "--seconds", "1", "--json"))["peak_memory_mb"] is None
    run(tmp_path, "prepare", "brackets", "trees.txt", "data", "--ratio", "100/0/0")
    assert (tmp_path / "data" / "train.txt").exists()


def test_a_corpus_is_parsed_in_one_process(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text("Dogs bark. “Cats” don’t.\n", encoding="utf-8")
    run(tmp_path, "corpus", "story.txt", "out", "--engine", "plain", "--quiet")
    (shard,) = (tmp_path / "out").glob("[!_]*.jsonl")
    assert len(shard.read_text(encoding="utf-8").splitlines()) == 2


def test_names_that_are_taken_away_are_there_otherwise() -> None:
    """Else a typing error would take away nothing."""
    if sys.platform == "linux":
        assert [name for name in other_system.OS_NAMES if not hasattr(os, name)] == []
        import signal

        assert [name for name in other_system.SIGNAL_NAMES if not hasattr(signal, name)] == []


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_no_module_uses_a_name_that_a_system_does_not_have(platform: str, tmp_path: Path) -> None:
    """mypy knows which names each system's modules have. Libraries are left out: only the standard one matters here."""
    options = ["--platform", platform, "--follow-imports", "skip", "--cache-dir", str(tmp_path / "cache")]
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", os.devnull, *options, str(SOURCE), str(bad_module(tmp_path))],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    missing = [line for line in found.stdout.splitlines() if re.search(r"error: Module has no attribute", line)]
    ours, wanted = missing[:-1], missing[-1:]
    assert ours == []
    assert 'no attribute "sched_setaffinity"' in wanted[0]


def bad_module(folder: Path) -> Path:
    """A module that is wrong on every other system: what does not find it finds nothing."""
    path = folder / "zz_bad.py"
    path.write_text("import os\n\nos.sched_setaffinity(0, [0])\n", encoding="utf-8")
    return path
