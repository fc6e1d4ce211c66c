"""Runs scripts of the npm package in Node, for tests that compare it with Python; needs `npm ci && npm run build`."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

WEB = Path(__file__).resolve().parents[1] / "web"


def run_script(name: str, lines: Sequence[Any], *arguments: str) -> list[Any]:
    """Return what a script of web/scripts answers, a line of JSON for each; skip the test if it cannot be run."""
    node = shutil.which("node")
    if node is None or not (WEB / "dist" / "index.js").is_file():
        pytest.skip("needs Node and a built npm package: run `npm ci && npm run build` in web/")
    told = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = subprocess.run(
        [node, str(WEB / "scripts" / name), *arguments], input=told, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]
