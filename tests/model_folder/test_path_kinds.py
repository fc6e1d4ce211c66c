from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.model_folder.path_kinds import checkpoint_hash, describe_other, is_checkpoint
from spanlin.parser import Parser

FILES = {
    "run/best/model.json": "{}",
    "run/last/model.json": "{}",
    "stopped/last/model.json": "{}",
    "minilm/config.json": "{}",
    "minilm/model.safetensors": "",
    "treebank/train.txt": "(S (X a))",
    "trees.txt": "(S (X a))\n",
    "notes.txt": "some",
    "mine-0.1.0-py3-none-any.whl": "PK",
    "other/picture.png": "",
}


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("run", "a training run; give one of its checkpoints: run/best"),
        ("stopped", "a training run; give one of its checkpoints: stopped/last"),
        ("minilm", "a pretrained encoder, not a parser; to train one over it, name it as network.pretrained.folder"),
        ("treebank", "a folder of trees; train a parser on them with spanlin train"),
        ("trees.txt", "a file of trees, not a model folder"),
        ("notes.txt", "a file, not a model folder"),
        ("run/best/model.json", "a file of a model; give its folder: run/best"),
        (
            "mine-0.1.0-py3-none-any.whl",
            "a wheel; install it with pip install mine-0.1.0-py3-none-any.whl, then give the model's name",
        ),
    ],
)
def test_what_is_not_a_model_is_told_what_it_is(path: str, what: str, around: Path) -> None:
    assert (around / path).exists()
    with pytest.raises(CheckpointError) as caught:
        Parser.load(path)
    assert str(caught.value).startswith(f"{path}: this is {what}")


def test_what_cannot_be_told_has_no_model_in_it(around: Path) -> None:
    with pytest.raises(CheckpointError, match=r"other: no model here \(manifest.json: No such file"):
        Parser.load(around / "other")


def test_a_checkpoint_and_a_model_folder_are_told_apart(around: Path) -> None:
    best = around / "run" / "best"
    assert is_checkpoint(best)
    assert not is_checkpoint(find_model("en"))
    with pytest.raises(
        CheckpointError, match=r"best: this is a checkpoint; make .* first: spanlin export .*best FOLDER"
    ):
        open_folder(best)
    assert "exported already" in describe_other(find_model("en"), wanted="checkpoint")
    shutil.copy(find_model("en") / "manifest.json", best)
    assert not is_checkpoint(best)


def test_a_path_that_cannot_be_looked_at_is_not_described(around: Path) -> None:
    assert describe_other(around / "nowhere", wanted="model folder") == ""
    assert describe_other(Path("a\0b"), wanted="model folder") == ""


def test_the_hash_of_a_checkpoint_changes_with_its_weights_only(around: Path) -> None:
    best = around / "run" / "best"
    (best / "weights.safetensors").write_bytes(b"1")
    before = checkpoint_hash(best)
    (best / "progress.json").write_text("{}", encoding="utf-8")
    assert checkpoint_hash(best) == before
    (best / "weights.safetensors").write_bytes(b"2")
    assert checkpoint_hash(best) != before
