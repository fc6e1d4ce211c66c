from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from spanlin.cli.main import main

CATS = "(TOP (S (NP (JJ Old) (NNS cats)) (VP (VBP sleep) (NP (DT all) (NN day)))))\n"


def run(*arguments: str, text: str | bytes | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["linearize", *arguments], input=text)
    return result.exit_code, result.stdout, result.stderr


def test_left_and_right_boundaries_are_printed() -> None:
    assert run("-", text=CATS) == (0, "0 0 2 3 0\n", "")
    assert run("--right", "-", text=CATS) == (0, "5 2 5 5 5\n", "")


@pytest.mark.parametrize("options", [(), ("--right",)])
def test_inverse_goes_back(tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / "trees.txt.gz"
    path.write_bytes(gzip.compress((CATS + "(TOP (NN dog))\n" + "(X (A a) (B b) (C c))\n").encode()))
    _, boundaries, _ = run(*options, str(path))
    status, trees, _ = run(*options, "--inverse", text=boundaries)
    assert status == 0
    assert trees.splitlines()[1] == "(TOP (X w1))"
    assert run(*options, text=trees)[1] == boundaries


def test_an_empty_line_gives_an_empty_line() -> None:
    assert run("--inverse", text="0\n\n0 0\n")[1].splitlines() == ["(TOP (X w1))", "", "(TOP (X (X w1) (X w2)))"]


def test_empty_elements_are_words_unless_cleaned() -> None:
    tree = "( (S (NP (-NONE- *)) (VP (VB go) (RB on))))"
    assert run(text=tree)[1] == "0 1 0\n"
    assert run("--clean", text=tree)[1] == "0 0\n"


def test_an_illegal_line_names_the_crossing_pair() -> None:
    status, _, error = run("--inverse", text="0\n0 0 1 0\n")
    assert status == 1
    assert error == "spanlin: line 2: no tree has these left boundaries: (0, 2) and (1, 3) cross\n"


@pytest.mark.parametrize("field", ["x", "1_0", "9" * 5000])
def test_a_line_that_is_no_integers_is_an_error(field: str) -> None:
    status, _, error = run("--inverse", text=f"0 {field}\n")
    assert status == 1
    assert error.startswith("spanlin: line 1: ")
    assert error.endswith("is not a place between words: write integers separated by spaces\n")
    assert len(error) < 150
    assert "left boundary -1 at split point 2: must be 0 to 1" in run("--inverse", text="0 -1\n")[2]


def test_boundaries_may_be_gzip_too(tmp_path: Path) -> None:
    path = tmp_path / "boundaries.gz"
    path.write_bytes(gzip.compress(b"0 0\n"))
    assert run("--inverse", str(path)) == run("--inverse", text="0 0\n")
    path.write_bytes(gzip.compress(b"0 0\n")[:-5])
    assert "boundaries.gz: cannot be read to its end" in run("--inverse", str(path))[2]


def test_a_malformed_tree_stops_or_is_skipped() -> None:
    status, out, error = run(text=CATS + "(S (A a)))\n" + CATS)
    assert (status, out) == (1, "0 0 2 3 0\n")
    assert error == "spanlin: <stream>:2:10: this bracket closes nothing\n"
    status, out, error = run("--skip-bad", text=CATS + "(S (A a)))\n" + CATS)
    assert (status, out) == (0, "0 0 2 3 0\n" * 2)
    assert error.splitlines()[-1] == "spanlin: 1 malformed trees skipped"


def test_help_names_every_command_and_version_is_printed() -> None:
    from spanlin import __version__

    shown = CliRunner().invoke(main, ["--help"]).stdout
    assert "linearize" in shown
    assert __version__ in CliRunner().invoke(main, ["--version"]).stdout
