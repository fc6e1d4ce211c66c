"""The README's examples run as they stand; `.ci/run` runs its set-up and test commands."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from doc_blocks import blocks, commands, shell

README = Path(__file__).parent.parent / "README.md"

pytestmark = pytest.mark.skipif(not README.exists(), reason="installed without its README")

# What sets up an environment is run by .ci/run, in a fresh one.
INSTALLING = ("pip install ", "python3 -m venv ", "python -m pytest ")


def test_its_python_runs_as_it_stands() -> None:
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0


def test_its_console_examples_print_what_they_show(tmp_path: Path) -> None:
    shown = [pair for block in blocks(README) if block.language == "console" for pair in commands(block)]
    assert any("--format arcs" in command for command, _ in shown)
    for command, output in shown:
        assert shell(command, tmp_path) == output, command


@pytest.mark.slow
def test_its_shell_examples_run_as_they_stand(tmp_path: Path) -> None:
    """Every line of every shell block, in order, in one folder with the files that they name; training is cut short."""
    pytest.importorskip("torch")
    make_files(tmp_path)
    printed = {
        command: shell(command.replace("spanlin train ", "spanlin train --max-minutes 0.1 "), tmp_path)
        for block in blocks(README)
        if block.language == "sh"
        for command in block.text.splitlines()
        if not command.startswith(INSTALLING)
    }
    assert len(printed) >= 10
    shown = README.read_text(encoding="utf-8").partition("This prints `")[2].partition("`")[0]
    assert printed["echo 'She loves writing code.' | spanlin parse"].strip() == shown
    (linearized,) = [found for command, found in printed.items() if command.startswith("echo '(S ")]
    assert linearized == "0 1 0\n"


def make_files(folder: Path) -> None:
    """Write what the examples read: trees, sentences, gold and predicted trees."""
    from generated_treebank import generate_trees
    from spanlin.trees.brackets import write_trees

    trees = generate_trees(60, seed=1)
    (folder / "my-trees").mkdir()
    for number in range(10):
        write_trees(trees[6 * number : 6 * number + 6], folder / "my-trees" / f"{number}.mrg")
    write_trees(trees, folder / "gold.txt")
    write_trees(trees, folder / "predicted.txt")
    (folder / "sentences.txt").write_text("She loves writing code .\n", encoding="utf-8")
