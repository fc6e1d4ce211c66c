"""The command group: help, errors, completion; nothing of it waits for torch or onnxruntime."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import spanlin.cli
from spanlin import __version__
from spanlin.cli.main import main

HEAVY = {"numpy", "onnxruntime", "spacy", "tokenizers", "torch", "fastapi"}
PARTS = {
    "corpus_progress",
    "evaluate_dependencies",
    "extras",
    "main",
    "model_options",
    "model_scores",
    "parse_blocks",
    "progress",
    "sources",
    "train_progress",
    "whole_lines",
}


def run_main(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the group as the `spanlin` command does; the last line on stderr names the heavy modules imported."""
    code = (
        "import atexit, sys\n"
        f"heavy = set({sorted(HEAVY)!r})\n"
        "atexit.register(lambda: print(*sorted(heavy & sys.modules.keys()), file=sys.stderr))\n"
        "from spanlin.cli.main import main\n"
        "main(prog_name='spanlin')\n"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


def complete(words: str) -> tuple[list[str], str]:
    """Return what bash would be offered after these words, the last one unfinished, and what was imported for it."""
    found = run_main(_SPANLIN_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(words.split(" ")) - 1))
    return [line.split(",", 1)[1] for line in found.stdout.splitlines()], found.stderr.strip()


def commands() -> list[str]:
    return main.list_commands(click.Context(main))


def test_every_command_has_its_module_and_every_module_its_command() -> None:
    names = {path.stem for path in Path(spanlin.cli.__file__).parent.glob("*.py")} - PARTS - {"__init__"}
    assert names == set(commands())
    for name in commands():
        assert isinstance(getattr(import_module(f"spanlin.cli.{name}"), name), click.Command)


@pytest.mark.parametrize("name", commands())
def test_every_option_says_what_it_does(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    groups = [command]
    while groups:
        group = groups.pop()
        assert group.help
        assert group.help.splitlines()[0].endswith((".", "?", ":")) or "\n" in group.help
        for parameter in group.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{group.name} {parameter.opts[0]}"
        if isinstance(group, click.Group):
            groups += group.commands.values()


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["parse", "-h"], ["--version"], ["train", "--help"]])
def test_help_and_version_come_without_waiting_for_anything_heavy(arguments: list[str]) -> None:
    found = run_main(*arguments)
    assert found.returncode == 0
    assert found.stdout.startswith(f"spanlin, version {__version__}" if "--version" in arguments else "Usage: spanlin")
    assert found.stderr.strip() == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell: str) -> None:
    found = run_main(_SPANLIN_COMPLETE=f"{shell}_source")
    assert "_SPANLIN_COMPLETE" in found.stdout
    assert f"{shell}_complete" in found.stdout
    assert found.returncode == 0, found.stderr


def test_commands_options_and_choices_are_completed_without_anything_heavy() -> None:
    assert complete("spanlin par") == (["parse"], "")
    assert complete("spanlin ") == (commands(), "")
    offered, imported = complete("spanlin parse --to")
    assert (offered, imported) == (["--tokenized"], "")
    assert complete("spanlin parse --format s") == (["svg", "svg-arcs"], "")
    assert complete("spanlin parse --decoder m") == (["min-change", "minimum-risk"], "")
    assert complete("spanlin train --re") == (["--resume"], "")
    assert "--version" in complete("spanlin --")[0]


def test_a_mistyped_command_is_one_line_with_what_was_meant() -> None:
    result = CliRunner().invoke(main, ["prase", "x"], prog_name="spanlin")
    assert result.exit_code == 2
    assert result.stderr == "spanlin: No such command 'prase'. Did you mean 'parse'? See spanlin --help.\n"
    assert CliRunner().invoke(main, ["xyz"]).stderr == "main: No such command 'xyz'. See main --help.\n"
    missing = CliRunner().invoke(main, ["draw", "no such file"]).stderr
    assert missing.endswith("'no such file': No such file or directory. See main draw --help.\n")
    assert CliRunner().invoke(main, ["--vers"]).stderr.count("\n") == 1


def test_without_a_command_the_help_is_shown() -> None:
    result = CliRunner().invoke(main, [])
    assert result.exit_code == 2
    assert result.output.startswith("Usage: main [OPTIONS] COMMAND [ARGS]...")


def test_ctrl_c_is_one_line_and_status_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("spanlin.cli.draw.read_trees", interrupted)
    result = CliRunner().invoke(main, ["draw"], input="")
    assert (result.exit_code, result.stderr) == (130, "spanlin: interrupted\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's devices")
@pytest.mark.parametrize("arguments", [["info"], ["parse", "--text", "Hello."]])
def test_an_output_without_room_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "spanlin", *arguments]
        found = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert found.stderr == "spanlin: the output cannot be written: No space left on device\n"
    assert found.returncode == 1
