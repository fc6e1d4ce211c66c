from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from runtime.conftest import TREES, model  # noqa: F401 (a fixture)
from spanlin.cli.main import main
from spanlin.training.checkpoint import Model, save_model


def test_a_checkpoint_is_exported_and_parses(model: Model, tmp_path: Path) -> None:  # noqa: F811
    checkpoint, dest, card = tmp_path / "checkpoint", tmp_path / "model", tmp_path / "card.md"
    checkpoint.mkdir()
    save_model(checkpoint, model)
    card.write_text("# mine\n")
    result = CliRunner().invoke(main, ["export", str(checkpoint), str(dest), "--card", str(card)])
    assert result.exit_code == 0, result.stderr
    assert "int8" in result.stdout
    assert result.stderr == f"its probabilities are not calibrated: spanlin calibrate {dest} DEV.txt\n"
    assert (dest / "card.md").read_text() == "# mine\n"
    parsed = CliRunner().invoke(main, ["parse", "--model", str(dest), "--tokenized"], input=" ".join(TREES[1].words))
    assert parsed.stdout.startswith("(TOP ")


def test_a_folder_that_is_no_checkpoint_is_an_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["export", str(tmp_path), str(tmp_path / "x")])
    assert result.exit_code == 1
    assert "no checkpoint here" in result.stderr


def test_a_card_that_is_not_utf8_is_one_line(tmp_path: Path) -> None:
    card = tmp_path / "card.md"
    card.write_bytes("Größe\n".encode("latin-1"))
    result = CliRunner().invoke(main, ["export", str(tmp_path), str(tmp_path / "x"), "--card", str(card)])
    assert result.exit_code == 2
    said = f"Invalid value for --card: {card} is not UTF-8 (byte 3): save it as UTF-8."
    assert result.stderr == f"main export: {said} See main export --help.\n"


def test_a_folder_of_something_else_is_never_replaced(
    model: Model,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checkpoint, thesis = tmp_path / "checkpoint", tmp_path / "thesis"
    checkpoint.mkdir()
    save_model(checkpoint, model)
    (thesis / "here").mkdir(parents=True)
    (thesis / "chapter.tex").write_text("years of work")
    (tmp_path / "link").symlink_to(thesis)
    (tmp_path / "file").write_text("text")
    monkeypatch.chdir(thesis / "here")
    for dest, reason in [
        (thesis, "is the current folder or contains it"),
        (tmp_path, "is the current folder or contains it"),
        (Path("."), "is the current folder or contains it"),
        (tmp_path / "link", "is a symbolic link"),
        (tmp_path / "file", "is a file"),
        (checkpoint, "holds config.toml, which is not part of a model folder"),
    ]:
        result = CliRunner().invoke(main, ["export", str(checkpoint), str(dest)])
        assert result.exit_code == 1
        assert result.stderr.startswith(f"spanlin: {dest}: ")
        assert reason in result.stderr
        assert result.stderr.count("\n") == 1
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["export", str(checkpoint), "thesis"])
    assert "thesis: is not replaced, for it holds chapter.tex" in result.stderr
    assert (thesis / "chapter.tex").read_text() == "years of work"
    assert (checkpoint / "config.toml").exists()
    assert (tmp_path / "file").read_text() == "text"


@pytest.mark.parametrize("command", [["export", "a", "b"], ["train", "a"], ["jackknife", "a", "--folder", "b"]])
def test_without_torch_the_line_says_how_to_install_it(command: list[str]) -> None:
    code = (
        "import sys; sys.modules['torch'] = None; from spanlin.cli.main import main; "
        f"main({command!r}, prog_name='spanlin')"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stderr.endswith(" needs torch: pip install 'spanlin[train]'\n")
    assert found.stderr.count("\n") == 1
