from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from spanlin.atomic_files import FolderKind, NewFile, atomic_file, remove_folder, replace_folder, why_not_replace
from spanlin.trees.brackets import parse_tree, write_trees

KIND = FolderKind(name="test folder", required=frozenset(["mark"]), optional=frozenset(["more", "inner", "inner/file"]))


@pytest.fixture(params=[0o077, 0o022, 0o002])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_has_the_permissions_that_the_umask_leaves(umask: int, tmp_path: Path) -> None:
    with atomic_file(tmp_path / "new") as stream:
        stream.write(b"text")
    assert mode(tmp_path / "new") == 0o666 & ~umask
    assert (tmp_path / "new").read_bytes() == b"text"


def test_trees_have_them_too(umask: int, tmp_path: Path) -> None:
    for name in ("trees.txt", "trees.txt.gz"):
        write_trees([parse_tree("(X (Y z))")], tmp_path / name)
        assert mode(tmp_path / name) == 0o666 & ~umask


def test_a_file_shows_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with atomic_file(path) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    with contextlib.suppress(KeyboardInterrupt), atomic_file(path) as stream:
        stream.write(b"half")
        raise KeyboardInterrupt
    with NewFile(path) as file:
        file.stream.write(b"never published")
    assert path.read_text() == "new"
    assert names(tmp_path) == ["file"]


def test_an_interruption_just_after_a_file_was_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Path.open

    def interrupted(path: Path, mode: str) -> None:
        made(path, mode).close()
        assert names(tmp_path)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), atomic_file(tmp_path / "file"):
        pass
    assert names(tmp_path) == []


def test_a_file_of_the_temporary_name_is_somebody_else_s(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("theirs")
    with pytest.raises(FileExistsError), atomic_file(tmp_path / "file", temporary=tmp_path / "other"):
        pass
    assert (tmp_path / "other").read_text() == "theirs"


def write(text: str):  # type: ignore[no-untyped-def]
    def fill(folder: Path) -> None:
        (folder / "mark").write_text(text)
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text(text)

    return fill


def test_an_empty_folder_and_one_of_the_same_kind_are_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for text in ("one", "two"):
        assert why_not_replace(folder, KIND) == ""
        replace_folder(folder, write(text), KIND)
        assert (folder / "mark").read_text() == (folder / "inner" / "file").read_text() == text
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (["thesis.tex"], "holds thesis.tex, which is not part of a test folder"),
        (["mark", "thesis.tex"], "holds thesis.tex"),
        (["mark", "inner/thesis.tex"], "holds inner/thesis.tex"),
        (["mark", ".hidden"], "holds .hidden"),
        (["more"], "is not a test folder: it has no mark"),
    ],
)
def test_a_folder_with_anything_else_is_not_replaced(made: list[str], reason: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for name in made:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")
    assert reason in why_not_replace(folder, KIND)
    with pytest.raises(FileExistsError):
        replace_folder(folder, write("new"), KIND)
    assert all((folder / name).read_text() == "mine" for name in made)
    assert names(tmp_path) == ["folder"]


def test_links_files_and_the_current_folder_are_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    replace_folder(folder, write("old"), KIND)
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("text")
    (folder / "inner" / "file").unlink()
    assert "is a symbolic link" in why_not_replace(tmp_path / "link", KIND)
    assert "is a symbolic link" in why_not_replace(tmp_path / "dangling", KIND)
    assert "is a file" in why_not_replace(tmp_path / "file", KIND)
    monkeypatch.chdir(folder / "inner")
    for place in (Path(), Path("."), Path(".."), folder, folder / "inner" / ".."):
        assert "is the current folder or contains it" in why_not_replace(place, KIND)
    monkeypatch.chdir(tmp_path)
    assert why_not_replace(Path("folder"), KIND) == ""


def test_what_appears_while_a_folder_is_made_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    replace_folder(folder, write("old"), KIND)

    def fill(new: Path) -> None:
        write("new")(new)
        (folder / "notes").write_text("mine")

    with pytest.raises(FileExistsError, match="holds notes"):
        replace_folder(folder, fill, KIND)
    assert (folder / "notes").read_text() == "mine"
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize("moment", ["fill", "rename"])
def test_ctrl_c_leaves_the_old_folder_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    folder = tmp_path / "folder"
    replace_folder(folder, write("old"), KIND)
    rename = Path.rename

    def fill(new: Path) -> None:
        write("new")(new)
        if moment == "fill":
            raise KeyboardInterrupt

    def interrupted(path: Path, target: Path) -> Path:
        if path.name.endswith(".spanlin-new"):
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_folder(folder, fill, KIND)
    assert (folder / "mark").read_text() == "old"
    assert names(tmp_path) == ["folder"]


def test_only_what_is_ours_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    remove_folder(folder, KIND)
    (folder / "inner").mkdir(parents=True)  # as a crash may leave it
    remove_folder(folder, KIND)
    assert not folder.exists()
    folder.mkdir()
    (folder / "notes").write_text("mine")
    (tmp_path / "link").symlink_to(folder)
    for place in (folder, tmp_path / "link"):
        with pytest.raises(FileExistsError, match="is not removed as it is not a test folder"):
            remove_folder(place, KIND)
    assert (folder / "notes").exists()
