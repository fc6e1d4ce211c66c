from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from conllu_samples import small_sentence
from joint_networks import KNOWN, joint_folder, write_conllu_of
from spanlin.cli.main import main
from spanlin.model_folder.lookup import find_model
from trees_alone import trees_alone

GOLD = small_sentence((2, "det"), (0, "root"), (2, "obj"))
WORSE = small_sentence((2, "det"), (0, "root"), (1, "obj"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("gold", GOLD), ("worse", WORSE)):
        (tmp_path / f"{name}.conllu").write_text(text * 9, encoding="utf-8")
    (tmp_path / "packed.conllu.gz").write_bytes(gzip.compress((GOLD * 9).encode()))
    (tmp_path / "trees.txt").write_text("(S (X a))\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["evaluate", *arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.usefixtures("folder")
def test_files_are_scored_by_their_dependencies() -> None:
    status, out, err = run("gold.conllu", "worse.conllu")
    assert (status, err) == (0, "")
    assert "LAS         66.67   66.67   66.67   66.67       18       27        27" in out.splitlines()
    status, out, _ = run("packed.conllu.gz", "gold.conllu", "--format", "json")
    assert json.loads(out)["LAS"]["f1"] == 100.0


@pytest.mark.usefixtures("folder")
def test_two_predictions_are_compared() -> None:
    status, out, _ = run("gold.conllu", "worse.conllu", "packed.conllu.gz")
    assert status == 0
    assert out.count("Signature: ud|") == 2
    assert "LAS 66.67 -> 100.00: +33.33, p = 0.0" in out
    comparison = json.loads(run("gold.conllu", "worse.conllu", "gold.conllu", "--format", "json")[1])["comparison"]
    assert comparison["UAS"]["difference"] == pytest.approx(100 / 3)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.conllu"], "Missing argument 'PREDICTED': give the predicted dependencies, as CoNLL-U, or --model"),
        (["gold.conllu", "worse.conllu", "--model", "en"], "--model makes the predicted dependencies itself"),
        (["gold.conllu", "--model", "en", "--format", "evalb"], "--format evalb is for trees"),
        (["gold.conllu", "--model", "en", "--skip-bad"], "--skip-bad is for trees: leave it out for CoNLL-U."),
        (["gold.conllu", "--model", "en", "--decoder", "cky"], "--decoder is for trees: leave it out for CoNLL-U."),
        (["gold.conllu", "worse.conllu", "--skip-bad"], "--skip-bad is for trees: leave it out for CoNLL-U."),
        (["gold.conllu", "worse.conllu", "--params", "nk"], "--params is for trees: leave it out for CoNLL-U."),
        (
            ["gold.conllu", "worse.conllu", "--output", "x"],
            "--output goes with --model: name a model, or",
        ),
        (["gold.conllu", "worse.conllu", "--device", "cpu"], "--device goes with --model: name a model"),
        (["gold.conllu", "trees.txt"], "GOLD is CoNLL-U and trees.txt is not: its name must end in .conllu"),
        (["gold.conllu", "worse.conllu", "--format", "evalb"], "--format evalb is for trees: leave it out"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], message: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"main evaluate: {message}")
    assert len(err.splitlines()) == 1


def test_a_malformed_file_is_one_line(folder: Path) -> None:
    (folder / "bad.conllu").write_text("1\ta\n", encoding="utf-8")
    status, _, err = run("gold.conllu", "bad.conllu")
    assert (status, err) == (1, "spanlin: bad.conllu:1: 2 columns, expected 10 with tabs between them\n")


def test_a_models_dependencies_are_scored_and_written(
    folder: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    joint = str(joint_folder(tmp_path_factory))
    gold = str(write_conllu_of(KNOWN, tmp_path / "dev.conllu"))
    status, out, _ = run("--model", joint, gold, "--output", "found.conllu")
    assert status == 0
    assert "calibration error of arcs     0." in out
    assert "(uncalibrated)" in out
    again = json.loads(run(gold, "found.conllu", "--format", "json")[1])
    found = json.loads(run("--model", joint, gold, "--format", "json")[1])
    assert found["UAS"] == again["UAS"]
    assert found["LAS"] == again["LAS"]
    assert found["model"]["path"] == joint
    assert (folder / "found.conllu").exists()


def test_a_model_of_trees_alone_and_an_empty_file_are_one_line(folder: Path) -> None:
    status, _, error = run("--model", str(trees_alone(find_model("en"), folder / "en")), "gold.conllu")
    assert (status, error.count("\n")) == (1, 1)
    assert "en: this model was trained on trees alone and has no dependencies" in error


def test_a_file_without_sentences_is_named(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (folder / "empty.conllu").write_text("")
    status, _, error = run("--model", str(joint_folder(tmp_path_factory)), "empty.conllu")
    assert (status, error) == (1, "spanlin: empty.conllu: no sentences to score against\n")
