from __future__ import annotations

import gzip
from pathlib import Path
from xml.etree import ElementTree

from click.testing import CliRunner

from spanlin.cli.main import main

CATS = "(S (NP (NNS Cats)) (VP (VBP sleep)))"


def run(*arguments: str, text: str | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["draw", *arguments], input=text)
    return result.exit_code, result.stdout, result.stderr


def test_trees_are_drawn_for_the_terminal_with_an_empty_line_after_each() -> None:
    drawing = "S┬─NP─NNS  Cats\n └─VP─VBP  sleep\n\n"
    assert run(text=f"{CATS}\n{CATS}\n") == (0, drawing * 2, "")


def test_a_gzip_file_gives_one_svg_a_line(tmp_path: Path) -> None:
    path = tmp_path / "trees.gz"
    path.write_bytes(gzip.compress(f"{CATS}\n\n{CATS}\n(TOP (X &))".encode()))
    status, out, _ = run("--format", "svg", str(path))
    assert status == 0
    assert [ElementTree.fromstring(line)[0].text for line in out.splitlines()] == [
        *("Tree of: Cats sleep", "Tree of: Cats sleep", "Tree of: &")
    ]


def test_latex_has_two_styles_and_columns_have_tabs() -> None:
    assert run("--format", "latex", text=CATS)[1].startswith("\\begin{forest}\n[{S}\n  [{NP} [{NNS} [{Cats}]]]\n")
    assert "\\Tree [.{S}\n" in run("--format", "latex", "--style", "tikz-qtree", text=CATS)[1]
    assert run("--format", "columns", text=CATS)[1] == "Cats\tNNS\t(S(NP*)\nsleep\tVBP\t(VP*))\n\n"


def test_a_malformed_tree_stops_or_is_skipped() -> None:
    status, out, error = run(text="(X x))\n" + CATS)
    assert (status, error) == (1, "spanlin: <stream>:1:6: this bracket closes nothing\n")
    status, out, error = run("--skip-bad", text="(X x))\n" + CATS)
    assert (status, error) == (0, "spanlin: skipped: <stream>:1:6: this bracket closes nothing\n")
    assert "Cats" in out
