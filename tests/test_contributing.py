"""What CONTRIBUTING says about the code is true: its map and its walks."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import spanlin
from import_graph import Graph, read_graph

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "CONTRIBUTING.md"
PACKAGE = Path(spanlin.__file__).parent

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="installed without CONTRIBUTING.md")


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def block_after(mark: str) -> list[str]:
    """Return the lines of the first code block after the mark."""
    return page().partition(mark)[2].partition("```\n")[2].partition("\n```")[0].splitlines()


def mapped(indent: str) -> list[str]:
    names = [re.match(rf"{indent}(\S+)", line) for line in block_after("## Where things are")]
    return [name[1] for name in names if name]


def test_the_map_has_every_module_and_package() -> None:
    modules = {path.name for path in PACKAGE.glob("*.py")} - {"__main__.py"}
    packages = {f"{path.name}/" for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert sorted(mapped("  ")) == sorted(modules | packages)


def test_the_map_has_every_top_level_folder() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git repository")
    folders = {name.partition("/")[0] + "/" for name in listed.stdout.splitlines() if "/" in name}
    assert sorted(mapped("(?=[^ ])")) == sorted(folders - {"src/"} | {"src/spanlin/"})


WALK = re.compile(r"(?P<indent> *)(?:(?P<arrow>->|=>) )?(?P<module>[\w.]+)(?:  +\S.*)?")


def walk_problems(lines: list[str], graph: Graph) -> list[str]:
    """Return what is wrong with a walk: a name that is not a module, or a call of what the caller does not import."""
    problems = []
    callers: list[tuple[int, str]] = []
    for line in lines:
        match = WALK.fullmatch(line)
        if match is None:
            problems.append(f"cannot be read: {line}")
            continue
        depth, module = len(match["indent"]), f"{graph.package}.{match['module']}"
        while callers and callers[-1][0] >= depth:
            callers.pop()
        if module not in graph.modules:
            problems.append(f"is not a module: {module}")
        elif bool(callers) != bool(match["arrow"]):
            problems.append(f"needs a caller and an arrow, or neither: {module}")
        elif match["arrow"] == "->" and not graph.needs(callers[-1][1], module):
            problems.append(f"is not imported by {callers[-1][1]}: {module}")
        callers.append((depth, module))
    return problems


@pytest.fixture(scope="module")
def graph() -> Graph:
    return read_graph(PACKAGE)


def test_the_walks_name_modules_and_follow_imports(graph: Graph) -> None:
    walks = re.findall(r"<!-- walk: .* -->", page())
    assert len(walks) == 4
    for mark in walks:
        lines = block_after(mark)
        assert len(lines) >= 5
        assert walk_problems(lines, graph) == [], mark


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("  -> decoding.nowhere", "is not a module: spanlin.decoding.nowhere"),
        ("  -> training.loop", "is not imported by spanlin.parser: spanlin.training.loop"),
        ("parsed", None),
        ("  parsed", "needs a caller and an arrow, or neither: spanlin.parsed"),
        ("  -> parsed what it is", "cannot be read:   -> parsed what it is"),
        ("  => training.loop  through an object", None),
    ],
)
def test_a_wrong_step_of_a_walk_is_found(graph: Graph, line: str, problem: str | None) -> None:
    assert walk_problems(["parser", "  -> parsed  the result", line], graph) == ([problem] if problem else [])
