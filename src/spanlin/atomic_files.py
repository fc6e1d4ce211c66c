"""Files and folders that appear whole or not at all, and that replace nothing but what is ours to replace."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO


class NewFile:
    """A file that is written beside its final place, and removed again unless it is published.

    Its permissions are those that the umask leaves to any new file. `temporary` is another place to write it, on the
    same file system.
    """

    def __init__(self, path: str | os.PathLike[str], *, temporary: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path)
        self._temporary = Path(temporary or self.path.with_name(f".{self.path.name}.{secrets.token_hex(6)}"))
        self.stream: BinaryIO

    def __enter__(self) -> NewFile:
        try:
            self.stream = self._temporary.open("xb")
        except FileExistsError:  # which is somebody else's
            raise
        except BaseException:  # Ctrl-C too, which may come as soon as the file is there
            with suppress(OSError):
                self._temporary.unlink()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(OSError):  # a full disk was already reported by the write that met it
            self.stream.close()
        self._temporary.unlink(missing_ok=True)

    def publish(self) -> None:
        """Put the file in its place, its bytes on the disk first: else a crash could leave a name without them."""
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.stream.close()
        os.replace(self._temporary, self.path)


@contextmanager
def atomic_file(path: str | os.PathLike[str], *, temporary: str | os.PathLike[str] | None = None) -> Iterator[BinaryIO]:
    """Give a stream whose bytes are the file at `path` when the `with` ends without error; see `NewFile`."""
    with NewFile(path, temporary=temporary) as file:
        yield file.stream
        file.publish()


@dataclass(frozen=True, kw_only=True)
class FolderKind:
    """A kind of folder that we write, by the paths in it: those it always has, and those it may have besides."""

    name: str
    required: frozenset[str]
    optional: frozenset[str] = frozenset()

    def missing(self, folder: Path) -> list[str]:
        """Return the paths that a folder of this kind has and this one has not."""
        return sorted(self.required - {path.name for path in folder.iterdir()})

    def others(self, folder: Path) -> list[str]:
        """Return paths in a folder that are not of this kind: first of all those right in it."""
        known = self.required | self.optional
        inside = {path.name for path in folder.iterdir()} - known
        # Only a folder that looks like ours is searched to its bottom.
        return sorted(inside or {path.relative_to(folder).as_posix() for path in folder.rglob("*")} - known)


def why_not_replace(folder: Path, kind: FolderKind) -> str:
    """Return why a folder must not be replaced by a new one of this kind, or nothing if it may be.

    It may be if it does not exist, is empty, or is of the same kind with nothing else in it.
    """
    advice = "give a new or an empty folder"
    if folder.is_symlink():
        return f"is a symbolic link, which is not replaced; {advice}"
    if not folder.exists():
        return ""
    if not folder.is_dir():
        return f"is a file, which is not replaced; {advice}"
    if Path.cwd().is_relative_to(folder.resolve()):
        return f"is the current folder or contains it, and is not replaced; {advice}"
    if others := kind.others(folder):
        return f"is not replaced, for it holds {others[0]}, which is not part of a {kind.name}; {advice}"
    if any(folder.iterdir()) and (missing := kind.missing(folder)):
        return f"is not replaced, for it is not a {kind.name}: it has no {missing[0]}; {advice}"
    return ""


def replace_folder(folder: Path, fill: Callable[[Path], None], kind: FolderKind) -> None:
    """Fill a new folder and put it in place of an old one; the old one stays until the new one is whole.

    Raises an OSError if it cannot be written or `why_not_replace` gives a reason; the old one is still there then.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = folder.with_name(f".{folder.name}.spanlin-new")  # nobody else's, by its name
    aside = _aside(folder)
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        fill(temporary)
        for path in temporary.rglob("*"):
            if path.is_file():
                # Windows brings only what may be written to the disk; elsewhere a copy may be read-only.
                with path.open("r+b" if sys.platform == "win32" else "rb") as stream:
                    os.fsync(stream.fileno())
        remove_folder(aside, kind)
        if reason := why_not_replace(folder, kind):  # it may have changed meanwhile
            raise FileExistsError(f"it {reason}")
        if folder.exists():
            folder.rename(aside)
        temporary.rename(folder)
        remove_folder(aside, kind)
    except BaseException:  # Ctrl-C too
        shutil.rmtree(temporary, ignore_errors=True)
        recover_folder(folder)
        raise


def recover_folder(folder: Path) -> None:
    """Put back a folder whose replacement was interrupted between its two renames."""
    aside = _aside(folder)
    if not folder.exists() and aside.exists():
        aside.rename(folder)


def _aside(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


def remove_folder(folder: Path, kind: FolderKind) -> None:
    """Remove a folder of a kind, or what a crash has left of it; a FileExistsError if it holds anything else."""
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir() or kind.others(folder):
        raise FileExistsError(f"{folder} is in the way, and is not removed as it is not a {kind.name}")
    shutil.rmtree(folder, ignore_errors=True)
