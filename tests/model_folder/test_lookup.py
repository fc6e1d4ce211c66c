from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.lookup import find_model, packaged_models
from spanlin.parser import Parser


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def test_the_packaged_models_are_found_by_their_names() -> None:
    assert "en" in packaged_models()
    assert open_folder(find_model("en")).path.name == "en"


@pytest.mark.parametrize("model", ["..", "."])
def test_dots_are_paths_and_never_the_package(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_model(model) == Path(model)
    with pytest.raises(
        CheckpointError, match=r"^\.+: no model here .*; give a model folder, or one of the packaged: .*en"
    ):
        Parser.load(model)


@pytest.mark.parametrize("model", ["", "__pycache__", "en/manifest.json", "no\nmodel", "a" * 10_000, "\0", "en\0"])
def test_what_is_not_a_model_is_one_line_with_those_that_are(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckpointError, match=r"give a model folder, or one of the packaged: .*en") as caught:
        Parser.load(model)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


def test_a_folder_beside_goes_by_a_name_that_no_packaged_model_has(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copy.parent)
    assert open_folder(find_model("copy")).path == copy
