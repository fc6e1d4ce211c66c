"""Parsing keeps to itself: no file of its own, no connection, whatever its libraries would like to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import spanlin

# Python's own calls are seen by its audit hook; what libraries do in C++ is seen by the files that they leave.
SCRIPT = """
import sys
def note(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind"):
        print(event, arguments)
sys.addaudithook(note)
from spanlin.parser import Parser
print([parsed.brackets() for parsed in Parser.load().parse("Dogs bark.")])
"""


def run(folder: Path, script: str, **variables: str) -> str:
    source = str(Path(spanlin.__file__).parents[1])
    homes = {name: str(folder) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment = kept | homes | {"PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"} | variables
    return subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def test_parsing_leaves_no_file_and_opens_no_connection(tmp_path: Path) -> None:
    assert run(tmp_path, SCRIPT) == "['(TOP (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))']\n"
    assert list(tmp_path.rglob("*")) == []


def test_the_log_is_not_printed_unless_someone_says_where_it_goes(tmp_path: Path) -> None:
    script = """
import logging, sys
sys.stderr = sys.stdout
import spanlin
logging.getLogger("spanlin.parser").warning("first")
logging.basicConfig(stream=sys.stdout, format="%(name)s: %(message)s")
logging.getLogger("spanlin.parser").warning("second")
"""
    assert run(tmp_path, script) == "spanlin.parser: second\n"


def test_whoever_wants_onnxruntime_to_report_can_have_it(tmp_path: Path) -> None:
    show = "import os, spanlin.runtime; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    assert run(tmp_path, show) == "1\n"
    assert run(tmp_path, show, ORT_DISABLE_TELEMETRY="0") == "0\n"


@pytest.mark.parametrize("module", ["spanlin.parser", "spanlin.runtime.onnx", "spanlin.runtime.bracket_strings"])
def test_it_is_off_before_onnxruntime_is_imported(tmp_path: Path, module: str) -> None:
    show = f"""
import importlib.abc, os, sys
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, *rest):
        if name == "onnxruntime":
            print(os.environ.get("ORT_DISABLE_TELEMETRY"))
sys.meta_path.insert(0, Finder())
import {module}
import spanlin.runtime.onnx
"""
    assert run(tmp_path, show) == "1\n"
