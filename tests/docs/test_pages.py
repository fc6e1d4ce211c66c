"""Every example of the docs runs, and shows what it prints."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from doc_blocks import Block, blocks, commands, shell

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
HOSTS = {"integrations.md": ["nltk", "spacy"], "from-benepar.md": ["spacy"], "from-corenlp.md": ["nltk"]}
SLOW = {"training.md": pytest.mark.slow}  # its quicker test is that of `spanlin train`

pytestmark = pytest.mark.skipif(not PAGES, reason="installed without its docs")


def pages_with(language: str) -> list[object]:
    pages = [page for page in PAGES if any(block.language == language and block.runs for block in blocks(page))]
    return [pytest.param(page, marks=SLOW.get(page.name, ())) for page in pages]


def name(page: Path) -> str:
    return page.name


@pytest.mark.parametrize("page", [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")], ids=name)
def test_what_a_page_types_into_python_gives_what_it_shows(page: Path) -> None:
    for host in HOSTS.get(page.name, []):
        pytest.importorskip(host)
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted >= 2
    assert result.failed == 0


@pytest.mark.parametrize("page", pages_with("console"), ids=name)
def test_what_a_page_types_into_a_shell_works_and_prints_what_it_shows(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.language == "console" and block.runs:
            for command, shown in commands(block):
                assert shell(command, tmp_path, without=block.without) == shown, command
        elif block.language == "sh" and block.runs:
            for command in block.text.splitlines():
                shell(command, tmp_path, without=block.without)


def test_a_command_can_be_run_where_a_package_cannot_be_imported(tmp_path: Path) -> None:
    command = "python -c 'import json' 2> /dev/null && echo here || echo missing"
    assert shell(command, tmp_path) == "here\n"
    assert shell(command, tmp_path, without="json") == "missing\n"


@pytest.mark.parametrize("page", pages_with("python"), ids=name)
def test_a_pages_scripts_run(page: Path) -> None:
    for block in blocks(page):
        if block.language == "python" and block.runs:
            run_script(block)


def run_script(block: Block) -> None:
    if block.needs:
        pytest.importorskip(block.needs)
    exec(compile(block.text, "<page>", "exec"), {})


def test_marks_are_understood_and_stand_only_where_something_runs() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        marked = [block for block in blocks(page) if block.runs]
        assert text.count("<!-- run") == len(marked), page.name
        assert {block.language for block in marked} <= {"console", "python", "sh"}, page.name
        assert not any(block.without for block in marked if block.language == "python"), page.name
