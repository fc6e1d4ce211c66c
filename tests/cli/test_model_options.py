"""Every command that runs a model takes a checkpoint as it does a name, and says the same of a wrong folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from generated_treebank import generate_trees
from spanlin.cli.main import main
from spanlin.parser import Parser

pytest.importorskip("torch")

from small_runs import untrained_model
from spanlin.training.checkpoint import CHECKPOINT, save_model, write_folder

TREES = generate_trees(10, seed=3)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training run: all that matters here is that it has a checkpoint."""
    folder = tmp_path_factory.mktemp("runs") / "mine"
    model = untrained_model(TREES)
    write_folder(folder / "best", lambda path: save_model(path, model), CHECKPOINT)
    return folder


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "text.txt"
    path.parent.mkdir()
    path.write_text("".join(f"{' '.join(tree.words)}\n" for tree in TREES), encoding="utf-8")
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    return result.exit_code, result.stdout, result.stderr


def test_parse_and_corpus_give_the_trees_of_a_checkpoint(run_folder: Path, text: Path, tmp_path: Path) -> None:
    best = run_folder / "best"
    expected = list(Parser.load(best).bracket_lines([tree.words for tree in TREES]))
    assert run("parse", "--model", best, "--tokenized", text) == (0, "".join(f"{line}\n" for line in expected), "")
    documents = tmp_path / "documents.jsonl"
    rows = (json.dumps({"text": " ".join(tree.words)}) for tree in TREES)
    documents.write_text("\n".join(rows), encoding="utf-8")
    options = ("--engine", "plain", "--tokenized")
    status, _, errors = run("corpus", documents, tmp_path / "out", "--model", best, *options)
    assert status == 0, errors
    (shard,) = (tmp_path / "out").glob("part-*.jsonl")
    parsed = [json.loads(line) for line in shard.read_text(encoding="utf-8").splitlines()]
    assert [row["brackets"] for row in parsed] == expected


def test_bench_and_info_tell_of_a_checkpoint(run_folder: Path, text: Path) -> None:
    best = run_folder / "best"
    status, out, errors = run("bench", text, "--model", best, "--seconds", 0.1, "--json")
    assert status == 0, errors
    assert json.loads(out)["model"] == "best"
    status, out, _ = run("info", best)
    assert status == 0
    lines = dict(line.split(maxsplit=1) for line in out.splitlines()[:4])
    assert (lines["model"], lines["kind"], lines["precision"]) == ("best", "checkpoint", "fp32")
    assert "uncalibrated" in out


def test_the_service_loads_a_checkpoint_once(run_folder: Path) -> None:
    pytest.importorskip("fastapi")
    from spanlin.server.running import load_parsers

    (parser,) = load_parsers(run_folder / "best", threads=2)
    assert parser.folder.path == run_folder / "best"


@pytest.mark.parametrize("command", ["parse", "bench", "info", "serve", "corpus", "calibrate", "package"])
def test_every_command_says_the_same_of_a_run_folder(
    command: str, run_folder: Path, text: Path, tmp_path: Path
) -> None:
    if command == "serve":
        pytest.importorskip("fastapi")
    arguments: dict[str, tuple[object, ...]] = {
        "parse": (text, "--model", run_folder),
        "bench": ("--model", run_folder),
        "info": (run_folder,),
        "serve": ("--model", run_folder),
        "corpus": (text, tmp_path / "out", "--model", run_folder, "--engine", "plain"),
        "calibrate": (run_folder, text),
        "package": (run_folder, "--name", "mine"),
    }
    status, _, errors = run(command, *arguments[command])
    said = f"{run_folder}: this is a training run; give one of its checkpoints: {run_folder / 'best'}"
    assert (status, errors.splitlines()[-1]) == (1, f"spanlin: {said}")


@pytest.mark.parametrize("command", ["calibrate", "package"])
def test_what_needs_a_model_folder_says_how_to_make_one(command: str, run_folder: Path, text: Path) -> None:
    best = run_folder / "best"
    status, _, errors = run(command, best, *([text] if command == "calibrate" else ["--name", "mine"]))
    said = f"this is a checkpoint; make a model folder first: spanlin export {best} FOLDER"
    assert (status, errors) == (1, f"spanlin: {best}: {said}\n")
