from __future__ import annotations

from pathlib import Path

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
    assert (dest / "card.md").read_text() == "# mine\n"
    parsed = CliRunner().invoke(main, ["parse", "--model", str(dest), "--tokenized"], input=" ".join(TREES[1].words))
    assert parsed.stdout.startswith("(TOP ")


def test_a_folder_that_is_no_checkpoint_is_an_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["export", str(tmp_path), str(tmp_path / "x")])
    assert result.exit_code == 1
    assert "no checkpoint here" in result.stderr
