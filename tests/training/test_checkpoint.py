from __future__ import annotations

import errno
import json
import shutil
from pathlib import Path

import pytest
from safetensors import SafetensorError

from generated_treebank import generate_trees
from small_runs import untrained_model
from spanlin.atomic_files import FolderKind, recover_folder
from spanlin.errors import CheckpointError, ConfigError, TrainingError
from spanlin.training.checkpoint import load_model, save_model, write_folder

TREES = generate_trees(20, seed=51)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoint")
    save_model(folder, untrained_model(TREES))
    return folder


@pytest.fixture
def copy(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "model"))


def test_a_checkpoint_is_text_json_and_safetensors_and_nothing_pickled(saved: Path) -> None:
    assert sorted(path.name for path in saved.iterdir()) == [
        "config.toml",
        "model.json",
        "vocabularies.json",
        "weights.safetensors",
    ]


def test_a_loaded_model_has_the_saved_weights_and_is_ready_to_parse(saved: Path, tmp_path: Path) -> None:
    model = load_model(saved)
    assert not model.network.training
    save_model(tmp_path, model)
    for path in saved.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


def test_a_folder_without_a_checkpoint_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"no checkpoint here \(model\.json: No such file or directory\)"):
        load_model(tmp_path)


def test_another_format_is_an_error(copy: Path) -> None:
    (copy / "model.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(CheckpointError, match="model: format 99, but this version reads format 1: train it again"):
        load_model(copy)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null"])
def test_a_damaged_model_file_is_an_error(text: str, copy: Path) -> None:
    (copy / "model.json").write_text(text)
    with pytest.raises(CheckpointError, match=r"model\.json: damaged: "):
        load_model(copy)


@pytest.mark.parametrize("kept", [0, 4, 1000, -1])
def test_truncated_weights_are_an_error(kept: int, copy: Path) -> None:
    path = copy / "weights.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(CheckpointError, match=r"weights\.safetensors: cannot be read") as caught:
        load_model(copy)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["config.toml", "vocabularies.json", "weights.safetensors"])
def test_a_missing_file_is_an_error_that_names_it(name: str, copy: Path) -> None:
    (copy / name).unlink()
    with pytest.raises((CheckpointError, ConfigError), match=rf"{name}: cannot be read"):
        load_model(copy)


@pytest.mark.parametrize("change", ["width", "labels"])
def test_weights_that_do_not_fit_are_an_error(change: str, copy: Path) -> None:
    if change == "width":
        path = copy / "config.toml"
        path.write_text(path.read_text().replace("label_width = 24", "label_width = 28"))
    else:
        path = copy / "vocabularies.json"
        table = json.loads(path.read_text())
        table["labels"].append("MORE")
        path.write_text(json.dumps(table))
    with pytest.raises(CheckpointError, match="model: the weights do not fit the configuration: ") as caught:
        load_model(copy)
    assert "\n" not in str(caught.value)


def test_missing_words_of_vectors_are_an_error(tmp_path: Path) -> None:
    vectors = tmp_path / "glove.txt"
    vectors.write_text("cat 1 2\n")
    folder = tmp_path / "model"
    folder.mkdir()
    save_model(folder, untrained_model(TREES, lexical={"vectors": str(vectors)}))
    vectors.unlink()  # a checkpoint is whole without the file it was made from
    assert load_model(folder).featurizer.vectors is not None
    (folder / "vector_words.txt").unlink()
    with pytest.raises(CheckpointError, match=r"vector_words\.txt: cannot be read: No such file"):
        load_model(folder)


SMALL = FolderKind(name="small folder", required=frozenset(["file"]))


def write_text(text: str):  # type: ignore[no-untyped-def]
    return lambda folder: (folder / "file").write_text(text)


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "last"
    for text in ("one", "two"):
        write_folder(folder, write_text(text), SMALL)
        assert (folder / "file").read_text() == text
        assert [path.name for path in folder.parent.iterdir()] == ["last"]


@pytest.mark.parametrize(
    "failure", [OSError(errno.ENOSPC, "No space left on device"), SafetensorError("IoError: No space left on device")]
)
def test_a_full_disk_leaves_the_old_folder(failure: Exception, tmp_path: Path) -> None:
    folder = tmp_path / "last"
    write_folder(folder, write_text("good"), SMALL)

    def fail(new: Path) -> None:
        (new / "file").write_text("half")
        raise failure

    with pytest.raises(TrainingError, match=r"last: cannot be written: .*No space left on device.*last good"):
        write_folder(folder, fail, SMALL)
    assert (folder / "file").read_text() == "good"
    assert [path.name for path in tmp_path.iterdir()] == ["last"]


def test_any_other_error_while_writing_leaves_the_old_folder(tmp_path: Path) -> None:
    folder = tmp_path / "last"
    write_folder(folder, write_text("good"), SMALL)

    def fail(new: Path) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, fail, SMALL)
    assert (folder / "file").read_text() == "good"


@pytest.mark.parametrize("moment", ["after the first rename", "before it", "after the second"])
def test_a_kill_while_replacing_leaves_a_whole_folder(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    folder = tmp_path / "last"
    write_folder(folder, write_text("old"), SMALL)
    rename = Path.rename
    calls = []

    def die(self: Path, target: Path) -> Path:
        calls.append(target)
        if moment == "before it":
            raise Killed
        moved = rename(self, target)
        if len(calls) == (1 if moment == "after the first rename" else 2):
            raise Killed
        return moved

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", die)
        with pytest.raises(Killed):
            write_folder(folder, write_text("new"), SMALL)
    recover_folder(folder)
    assert (folder / "file").read_text() == ("new" if moment == "after the second" else "old")
    write_folder(folder, write_text("newer"), SMALL)
    assert (folder / "file").read_text() == "newer"
    assert [path.name for path in tmp_path.iterdir()] == ["last"]
