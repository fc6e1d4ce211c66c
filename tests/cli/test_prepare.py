from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from spanlin.cli.main import main

RUNS = "( (S (NP-SBJ (PRP She)) (VP (VBZ runs) (NP (-NONE- *)))) )\n"
TREEBANKS = ["ptb", "ctb", "nltk-sample", "craft", "genia", "gum", "brackets"]


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["prepare", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.mrg"
    path.write_text(RUNS * 10, encoding="utf-8")
    return path


def make_gum(root: Path) -> Path:
    (root / "const").mkdir(parents=True)
    splits = ""
    for split in ("train", "dev", "test"):
        (root / f"const/GUM_{split}.ptb").write_text(RUNS, encoding="utf-8")
        splits += f"## {split}\n\n  * GUM_{split}\n\n"
    (root / "splits.md").write_text(splits, encoding="utf-8")
    return root


def test_a_summary_is_printed_and_the_files_are_there(tmp_path: Path, source: Path) -> None:
    status, out, err = run("brackets", source, tmp_path / "out", "--block-size", "1")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "split  documents  sentences  words  labels  dropped",
        "train          1          8     16       3        0",
        "dev            1          1      2       3        0",
        "test           1          1      2       3        0",
    ]
    assert (tmp_path / "out/dev.txt").read_text(encoding="utf-8") == "(TOP (S (NP (PRP She)) (VP (VBZ runs))))\n"
    assert json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))["source"] == str(source)


def test_what_is_dropped_is_printed_with_its_reason(tmp_path: Path, source: Path) -> None:
    source.write_text(RUNS + "( (S (-NONE- *)) )\n(S (NN dog)))\n", encoding="utf-8")
    status, out, err = run("brackets", source, tmp_path / "out", "--ratio", "1/0/0", "--skip-bad")
    assert status == 0
    assert "dropped from train: 1 trees, no words after cleaning" in out.splitlines()
    assert "dropped from train: 1 trees, malformed" in out.splitlines()
    assert err.startswith(f"spanlin: skipped: {source}:3:13: ")


def test_a_malformed_tree_is_one_line_and_status_1(tmp_path: Path, source: Path) -> None:
    source.write_text("(S (NN dog)))\n", encoding="utf-8")
    status, out, err = run("brackets", source, tmp_path / "out", "--ratio", "1/0/0")
    assert (status, out) == (1, "")
    assert err.startswith(f"spanlin: {source}:1:13: ")
    assert len(err.splitlines()) == 1


def test_other_counts_than_the_known_ones_are_a_warning_or_with_strict_a_failure(tmp_path: Path) -> None:
    gum = make_gum(tmp_path / "gum")
    status, _, err = run("gum", gum, tmp_path / "out")
    assert status == 0
    assert err.splitlines() == [
        "spanlin: warning: train has 1 sentences, but 10,224 in GUM at commit 72ce5ac",
        "spanlin: warning: dev has 1 sentences, but 1,575 in GUM at commit 72ce5ac",
    ]
    status, _, err = run("gum", gum, tmp_path / "strict", "--strict")
    assert status == 1
    assert len(err.splitlines()) == 1
    assert "nothing is written" in err
    assert list((tmp_path / "strict").iterdir()) == []


def test_lists_say_which_file_goes_where(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.mrg").write_text(f"(NP (NN {name}))\n", encoding="utf-8")
        (tmp_path / name).write_text(f"{name}\n", encoding="utf-8")
    lists: list[str | Path] = [
        "--train-list",
        tmp_path / "b",
        "--dev-list",
        tmp_path / "a",
        "--test-list",
        tmp_path / "c",
    ]
    status, _, err = run("brackets", folder, tmp_path / "out", *lists)
    assert (status, err) == (0, "")
    assert (tmp_path / "out/train.txt").read_text(encoding="utf-8") == "(TOP (NP (NN b)))\n"
    status, _, err = run("brackets", folder, tmp_path / "out", *lists, "--ratio", "1/1/1")
    assert (status, err) == (
        1,
        "spanlin: lists already say where each file goes: leave out --ratio, --unit and --seed\n",
    )


def test_a_ratio_that_is_no_number_is_an_error(tmp_path: Path, source: Path) -> None:
    status, _, err = run("brackets", source, tmp_path / "out", "--ratio", "most/some/few")
    assert (status, err) == (1, "spanlin: --ratio most/some/few: expected three whole numbers such as 80/10/10\n")


@pytest.mark.parametrize("treebank", TREEBANKS)
def test_every_treebank_says_what_is_missing_in_one_line(tmp_path: Path, treebank: str) -> None:
    status, out, err = run(treebank, tmp_path / "nowhere", tmp_path / "out")
    assert (status, out) == (1, "")
    assert err.startswith(f"spanlin: {tmp_path / 'nowhere'}: no such ")
    assert "expected" in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_every_corpus_has_help() -> None:
    status, out, _ = run("--help")
    assert status == 0
    for treebank in TREEBANKS:
        assert treebank in out
        assert "SOURCE DEST" in run(treebank, "--help")[1]
