from __future__ import annotations

import base64
import hashlib
import os
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from spanlin import __version__
from spanlin.errors import CheckpointError, ConfigError
from spanlin.model_folder.folder import CARD, ModelFolder, open_folder
from spanlin.model_folder.wheel import wheel_name, write_wheel

INFO = "spanlin_model_my_own-1.0rc1.dist-info"


@pytest.fixture
def opened(folder: Path) -> ModelFolder:
    return open_folder(folder)


def test_a_wheel_has_the_model_and_what_pip_needs(opened: ModelFolder, tmp_path: Path) -> None:
    licence = tmp_path / "terms.txt"
    licence.write_text("Do as you like.\n", encoding="utf-8")
    path = write_wheel(opened, tmp_path / "new" / "place", name="My_own", version="1.0rc1", licence=licence)
    assert path == tmp_path / "new" / "place" / "spanlin_model_my_own-1.0rc1-py3-none-any.whl"
    with ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    inside = "spanlin_model_my_own/my-own/"
    model = {name.removeprefix(inside): data for name, data in files.items() if name.startswith(inside)}
    assert model == {file.name: file.read_bytes() for file in opened.path.iterdir()}
    assert files[f"{INFO}/entry_points.txt"] == b"[spanlin.models]\nmy-own = spanlin_model_my_own\n"
    assert files[f"{INFO}/licenses/LICENSE"] == b"Do as you like.\n"
    record = [line.split(",") for line in files.pop(f"{INFO}/RECORD").decode().splitlines()]
    assert record.pop() == [f"{INFO}/RECORD", "", ""]
    sums = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode() for name, data in files.items()}
    assert sorted(record) == sorted(
        [name, f"sha256={sums[name].rstrip('=')}", str(len(data))] for name, data in files.items()
    )


def test_its_metadata_keep_to_the_standard(opened: ModelFolder, tmp_path: Path) -> None:
    metadata = pytest.importorskip("packaging.metadata")
    licence = tmp_path / "terms.txt"
    licence.write_text("Do as you like.\n", encoding="utf-8")
    path = write_wheel(opened, tmp_path, name="my-own", version="1.0rc1", licence=licence)
    with ZipFile(path) as archive:
        read = metadata.Metadata.from_email(archive.read(f"{INFO}/METADATA"), validate=True)
    assert (read.name, str(read.version)) == ("spanlin-model-my-own", "1.0rc1")
    assert [str(item) for item in read.requires_dist] == [f"spanlin>={__version__}"]
    assert read.description == (opened.path / CARD).read_text(encoding="utf-8")
    assert read.description_content_type == "text/markdown; charset=UTF-8"
    assert read.license_files == ["LICENSE"]


def test_the_same_folder_gives_the_same_bytes(opened: ModelFolder, tmp_path: Path) -> None:
    first = write_wheel(opened, tmp_path / "first", name="mine")
    copy = Path(shutil.copytree(opened.path, tmp_path / "copy"))
    for file in copy.iterdir():
        os.utime(file, (1e9, 1e9))
        file.chmod(0o600)
    second = write_wheel(open_folder(copy), tmp_path / "second", name="mine")
    assert first.read_bytes() == second.read_bytes()


def test_files_that_the_manifest_does_not_list_stay_out(opened: ModelFolder, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(opened.path, tmp_path / "copy"))
    (copy / "notes.txt").write_text("private")
    with ZipFile(write_wheel(open_folder(copy), tmp_path, name="mine")) as archive:
        assert not [name for name in archive.namelist() if "notes" in name]


@pytest.mark.parametrize("name", ["", "..", "a/b", "a\\b", "-a", "a b", "é", "a\n", "x" * 100, "a[b]", "a==1"])
def test_a_name_that_cannot_be_one_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=r"cannot be a model's name: use letters and digits") as caught:
        wheel_name(name, "0.1.0")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["en", "EN"])
def test_the_name_of_a_model_of_ours_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"^'{name}' is the name of a model that comes with spanlin; give another"):
        wheel_name(name, "0.1.0")


@pytest.mark.parametrize("name", ["nul", "COM1"])
def test_a_name_that_no_folder_can_have_on_windows_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be the name of a folder on Windows"):
        wheel_name(name, "0.1.0")


def test_versions_are_those_that_pip_would_write() -> None:
    version = pytest.importorskip("packaging.version")
    for good in ("0", "0.1.0", "1!2.3", "1.0a1", "1.0b2.post3", "1.0rc1", "2026.11.16", "1.0.dev4", "1.post2.dev3"):
        assert str(version.Version(good)) == good
        wheel_name("mine", good)
    for bad in ("", "1.0-beta", "v1", "01.0", "1.0.", "1.0+local", "1.0\n", "1,0", "latest", "../1", "1.0RC1"):
        with pytest.raises(ConfigError, match="is not a version as pip writes it"):
            wheel_name("mine", bad)


@pytest.mark.parametrize(
    ("data", "message"), [(b"\xff\xfe", "cannot be read as text in UTF-8"), (b" \n", "is empty or too long")]
)
def test_a_licence_that_is_no_text_is_refused(opened: ModelFolder, tmp_path: Path, data: bytes, message: str) -> None:
    licence = tmp_path / "licence"
    licence.write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        write_wheel(opened, tmp_path / "out", name="mine", licence=licence)
    assert not (tmp_path / "out").exists()


def test_a_place_that_cannot_be_written_is_an_error(opened: ModelFolder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match="cannot be written"):
        write_wheel(opened, tmp_path / "file", name="mine")
