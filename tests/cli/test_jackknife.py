from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from generated_treebank import generate_treebank
from spanlin.cli.main import main

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

CONFIG = """
epochs = 1
[[treebanks]]
name = "toy"
train = "{train}"
dev = "{dev}"
[network.lexical]
word_width = 8
char_width = 0
tag_width = 8
[network.context]
width = 16
layers = 1
[network.scorer]
hidden_width = 8
label_width = 8
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    train, dev = generate_treebank(tmp_path / "data", train=20, dev=5)
    path = tmp_path / "toy.toml"
    path.write_text(CONFIG.format(train=train, dev=dev))
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["jackknife", *arguments, "--device", "cpu"])


def test_jackknife_writes_the_files_and_reports_their_accuracy(config: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tags"
    result = run(str(config), "--folder", str(folder), "--folds", "2")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("toy: tagging accuracy by fold ")
    assert len(lines[0].split()) == 7
    assert lines[1].endswith(f"  {folder / 'toy' / 'train.txt'}")
    assert lines[2].endswith(f"  {folder / 'toy' / 'dev.txt'}")
    assert lines[3].endswith(f"  {folder / 'toy' / 'tagger'}")
    assert "toy: fold 2 of 2: " in result.stderr
    again = run(str(config), "--folder", str(folder), "--folds", "2", "--treebank", "toy")
    assert again.stdout == result.stdout
    assert "all folds" not in again.stderr


def test_an_interruption_is_reported_and_is_not_a_success(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spanlin.training import jackknife
    from spanlin.training.loop import TrainingResult

    def interrupted(*arguments: object, **options: object) -> TrainingResult:
        return TrainingResult(best=tmp_path, best_score=0.0, steps=1, interrupted=True)

    monkeypatch.setattr(jackknife, "train", interrupted)
    result = run(str(config), "--folder", str(tmp_path / "tags"))
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr.endswith("spanlin: interrupted: run the same command to resume\n")


def test_the_users_mistakes_are_one_line(config: Path, tmp_path: Path) -> None:
    result = run(str(config), "--folder", str(tmp_path / "tags"), "--folds", "21")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "20 trees cannot be cut into 21 folds" in result.stderr
    assert run(str(tmp_path / "none.toml"), "--folder", "x").stderr.startswith("spanlin: ")
