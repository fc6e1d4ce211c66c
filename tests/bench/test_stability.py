from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.__main__ import main
from bench.stability import Answer, compare, even_shares
from click.testing import CliRunner


def test_shares_are_even_as_far_as_sentences_last() -> None:
    assert even_shares({"a": 100, "b": 100}, 50) == {"a": 25, "b": 25}
    assert even_shares({"a": 100, "b": 3, "c": 40}, 90) == {"a": 47, "b": 3, "c": 40}
    assert even_shares({"a": 2, "b": 3}, 90) == {"a": 2, "b": 3}


def test_trees_that_differ_are_counted_and_probabilities_compared_in_the_others() -> None:
    alone = [Answer("(A a)", ("X",), (0.5,)), Answer("(B b)", ("X",), (0.5,)), Answer("(C c)", ("X",), (0.5,))]
    found = [Answer("(A a)", ("X",), (0.75,)), Answer("(D b)", ("X",), (0.0,)), Answer("(C c)", ("Y",), (0.0,))]
    compared = compare("backwards", found, alone, 1.23)
    assert (compared.different, compared.largest_difference, compared.seconds) == (2, 0.25, 1.2)


def test_the_command_writes_what_it_finds(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        trees = "(S (NP Dogs) (VP bark))\n(S (NP (X The) (X cat)) (VP (X sat) (X down)))\n"
        (tmp_path / name / "dev.txt").write_text(trees, encoding="utf-8")
    found = tmp_path / "found.json"
    options = [
        "--treebank",
        "one",
        "--treebank",
        "two",
        "--count",
        "4",
        "--size",
        "2",
        "--orders",
        "1",
        "--clients",
        "2",
    ]
    result = CliRunner().invoke(main, ["stability", "--data", str(tmp_path), *options, "--json", str(found)])
    assert result.exit_code == 0, result.output
    figures = json.loads(found.read_text(encoding="utf-8"))
    assert figures["sentences"] == {"one": 2, "two": 2}
    assert figures["different"] == 0
    assert [way["way"] for way in figures["ways"]] == [
        "batches of 2, 1 threads",
        "order 1, 1 threads",
        "batches of 2, 2 threads",
        "order 1, 2 threads",
        "service, 2 clients",
    ]


def test_a_folder_without_sentences_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "dev.txt").write_text("", encoding="utf-8")
    result = CliRunner().invoke(main, ["stability", "--data", str(tmp_path), "--treebank", "one"])
    assert result.exit_code == 1
    assert result.output.splitlines() == [f"Error: {tmp_path}: no sentences"]
