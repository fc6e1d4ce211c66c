from __future__ import annotations

import json
import shutil
from pathlib import Path

from click.testing import CliRunner

from spanlin import __version__
from spanlin.cli.main import main
from spanlin.model_folder.folder import CARD, MANIFEST
from spanlin.model_folder.lookup import find_model


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["info", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_packaged_model_tells_what_it_is() -> None:
    status, out, _ = run()
    assert status == 0
    lines = out.splitlines()
    assert lines[0].split() == ["model", "en"]
    assert lines[1].split() == ["package", "spanlin", __version__]
    assert lines[3].split() == ["precision", "int8"]
    assert " NP " in lines[5]
    assert "∅" not in lines[5]
    assert " NNS " in lines[6]
    assert any(line.startswith("  model: ") and "Apache-2.0" in line for line in lines)
    assert any(line.startswith("  craft: CC BY 3.0") for line in lines)
    assert out.endswith((find_model("en") / CARD).read_text(encoding="utf-8"))


def test_json_has_the_same_as_plain_values() -> None:
    found = json.loads(run("--json")[1])
    assert (found["model"], found["precision"]) == ("en", "int8")
    assert {"NP", "VP", "S"} <= set(found["labels"])
    assert "S+VP" in found["label_chains"]
    assert "NNS" in found["tags"]
    assert found["bytes"] == sum(path.stat().st_size for path in find_model("en").iterdir())
    assert {"model", "craft", "genia", "gum"} <= found["licences"].keys()
    assert found["card"].startswith("# en")


def test_a_model_without_a_card_says_so(tmp_path: Path) -> None:
    folder = shutil.copytree(find_model("en"), tmp_path / "mine")
    (folder / CARD).unlink()
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    del manifest["files"][CARD]
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    status, out, _ = run(str(folder))
    assert status == 0
    assert "licences       none are named" in out
    assert "package " not in out
    assert "all models" not in out
    assert out.endswith("This model has no card.\n")


def test_no_model_is_a_one_line_error(tmp_path: Path) -> None:
    status, _, error = run(str(tmp_path / "none"))
    assert status == 1
    assert "no such model; give a model folder, or one of the packaged: " in error
    assert error.count("\n") == 1
