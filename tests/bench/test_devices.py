from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.__main__ import main
from bench.devices import compare, read_lines
from click.testing import CliRunner

pytest.importorskip("torch")

CATS = "(S (NP (JJ Old) (NNS cats)) (VP (VBP sleep) (NP (DT all) (NN day))))"
DOGS = "(S (NP (NNS Dogs)) (VP (VBP bark)))"


def test_no_sentence_is_taken_twice(tmp_path: Path) -> None:
    for name, trees in (("one", [CATS, DOGS, CATS]), ("two", [DOGS])):
        (tmp_path / name).write_text("\n".join(trees), encoding="utf-8")
    assert read_lines([tmp_path / "one", tmp_path / "two"]) == ["Old cats sleep all day", "Dogs bark"]
    assert read_lines([tmp_path / "one"], known=["Dogs bark"]) == ["Old cats sleep all day"]


def test_trees_that_differ_are_counted_with_and_without_tags() -> None:
    found = {"a": DOGS, "b": DOGS.replace("NNS", "NNP"), "c": CATS.replace("NP", "NX", 1)}
    (difference,) = compare({"mine": ["a", "b", "c"]}, found, {"a": DOGS, "b": DOGS, "c": CATS})
    assert (difference.sentences, difference.different, difference.other_constituents) == (3, 2, 1)
    assert difference.f1 == pytest.approx(90.0)  # 9 of the 10 constituents on each side
    assert compare({"mine": ["a"]}, found, {"a": DOGS})[0].f1 == 100.0


def test_the_command_writes_what_it_finds(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "dev.txt").write_text(f"{CATS}\n{DOGS}\n", encoding="utf-8")
    (tmp_path / "one" / "train.txt").write_text(f"{DOGS}\n{DOGS.replace('bark', 'sleep')}\n", encoding="utf-8")
    options = ["--treebank", "one", "--treebank", "two", "--device", "cpu", "--threads", "1", "--torch-cpu"]
    found = tmp_path / "found.json"
    result = CliRunner().invoke(main, ["devices", "--data", str(tmp_path), *options, "--json", str(found)])
    assert result.exit_code == 0, result.output
    figures = json.loads(found.read_text(encoding="utf-8"))
    assert figures["sentences"] == 2
    assert list(figures["sentences_per_second"]) == [
        "train, from lines",
        "dev, from lines",
        "dev, from tokens",
        "dev, from lines, cpu",
    ]
    exact = figures["different_from"]["torch on the CPU, fp32"]
    assert [(one["treebank"], one["sentences"], one["different"], one["f1"]) for one in exact] == [
        ("one", 2, 0, 100.0),
        ("two", 2, 0, 100.0),
    ]


def test_a_folder_without_sentences_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "dev.txt").touch()
    result = CliRunner().invoke(main, ["devices", "--data", str(tmp_path), "--treebank", "one", "--device", "cpu"])
    assert (result.exit_code, result.output) == (1, f"Error: {tmp_path}: no sentences\n")
