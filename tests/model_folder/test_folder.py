from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from joint_networks import joint_folder
from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import file_hash, open_folder
from spanlin.parser import Parser
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.options import ParseOptions


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


@pytest.fixture
def joint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return joint_folder(tmp_path_factory)


def edit_manifest(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_whole_folder_opens(copy: Path) -> None:
    opened = open_folder(copy)
    assert opened.labels[0] == "∅"
    assert opened.graph.is_file()


@pytest.mark.parametrize("name", ["graph.onnx", "labels.onnx", "tokenizer.json", "card.md"])
def test_a_changed_byte_is_found(copy: Path, name: str) -> None:
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    with pytest.raises(CheckpointError, match=rf"{name}: damaged \(its SHA-256 is not the manifest's\)"):
        Parser.load(copy)


@pytest.mark.parametrize("name", ["graph.onnx", "labels.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(CheckpointError, match=rf"{name}: cannot be read: No such file"):
        Parser.load(copy)


def test_a_truncated_graph_is_found(copy: Path) -> None:
    path = copy / "graph.onnx"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="damaged"):
        Parser.load(copy)


def test_a_graph_that_is_none_is_an_error_even_with_the_right_sum(copy: Path) -> None:
    path = copy / "graph.onnx"
    path.write_bytes(b"no graph")
    files = json.loads((copy / "manifest.json").read_text())["files"]
    edit_manifest(copy, files=files | {"graph.onnx": file_hash(path)})
    with pytest.raises(CheckpointError, match=r"graph\.onnx: cannot be loaded"):
        Parser.load(copy)


def test_another_format_is_an_error(copy: Path) -> None:
    edit_manifest(copy, format=99)
    with pytest.raises(CheckpointError, match="format 99, but this version reads format 2: export it again"):
        Parser.load(copy)


def test_a_manifest_that_says_something_wrong_is_an_error(copy: Path) -> None:
    edit_manifest(copy, labels=[])
    message = "damaged: labels must be a list of 1 to 20000 names; export the model again"
    with pytest.raises(CheckpointError, match=f"^{copy / 'manifest.json'}: {message}$"):
        Parser.load(copy)


def test_a_manifest_without_the_files_of_a_model_is_an_error(copy: Path) -> None:
    edit_manifest(copy, files={"graph.onnx": "0" * 64, "labels.onnx": "0" * 64})
    with pytest.raises(CheckpointError, match=r"manifest\.json: damaged: its files lack tokenizer\.json"):
        Parser.load(copy)


def test_a_manifest_that_is_no_json_is_an_error(copy: Path) -> None:
    (copy / "manifest.json").write_text("{")
    with pytest.raises(CheckpointError, match=r"manifest\.json: damaged"):
        Parser.load(copy)


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no model here"):
        Parser.load(tmp_path)


def test_a_model_that_is_replaced_or_moved_while_it_is_in_use_is_an_error(
    joint: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = Path(shutil.copytree(joint, tmp_path / "used"))
    monkeypatch.chdir(tmp_path)
    parser = Parser.load("./used")
    options = ParseOptions(k_best=2)
    shutil.copyfile(folder / "graph.onnx", used / "graph.onnx")
    shutil.copyfile(folder / "labels.onnx", used / "labels.onnx")
    for name, parse in (
        ("graph", lambda: list(parser.bracket_lines([["She", "sleeps"]]))),
        ("labels", lambda: parser.parse_tokens([["She", "sleeps"]], options)),
    ):
        message = f"^{used / name}.onnx: changed since the model was loaded: load it again$"
        with pytest.raises(CheckpointError, match=message):
            parse()
    shutil.rmtree(used)
    with pytest.raises(CheckpointError, match=r"graph\.onnx: cannot be read: No such file .*; load the model again$"):
        list(parser.bracket_lines([["She", "sleeps"]]))


def test_a_model_is_found_again_from_another_working_directory(
    joint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(joint.parent)
    parser = Parser.load(f"./{joint.name}")
    monkeypatch.chdir(tmp_path)
    (parsed,) = parser.parse_tokens([["She", "sleeps"]], ParseOptions(k_best=2))
    assert list(parser.bracket_lines([["She", "sleeps"]])) == [parsed.brackets()]


def test_what_is_read_again_is_what_was_checked(copy: Path) -> None:
    opened = open_folder(copy)
    assert opened.read("tokenizer.json") == (copy / "tokenizer.json").read_bytes()
    (copy / "tokenizer.json").write_text("{}")
    with pytest.raises(CheckpointError, match=r"tokenizer\.json: changed since the model was loaded: load it again$"):
        features_of(opened)
