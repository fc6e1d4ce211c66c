"""Where files are: this machine's folders, or what pyarrow reaches. A file appears only when it is complete."""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol, cast
from urllib.parse import unquote

from spanlin.atomic_files import atomic_file
from spanlin.errors import CorpusError, missing_extra

TEMPORARY = "_temporary"
"""The folder, inside an output folder, of files that are not complete yet."""

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_TEMPORARY_FILE = re.compile(rf"{TEMPORARY}/.+-[0-9a-f]{{12}}", re.DOTALL)
_RESUME = "finished shards are kept: fix this, and run the same command again"


class FoundFile(NamedTuple):
    """A file of a store; `modified` is in nanoseconds, or 0 where it is unknown."""

    path: str
    size: int
    modified: int


class Store(Protocol):
    """Files by their paths. What cannot be written raises a CorpusError, what cannot be read an OSError."""

    def open(self, path: str) -> BinaryIO:
        """Return a file to read from; only `read`, `seek` and `close` can be relied on."""

    def find(self, path: str) -> FoundFile | None:
        """Return the file, or None if there is none of this name."""

    def walk(self, folder: str, *, enters: Callable[[str], bool] | None = None) -> Iterator[FoundFile]:
        """Yield the files below a folder; none if there is no such folder.

        `enters` says whether anything below the folder of a path is wanted. One that is and cannot be listed raises.
        """

    def writer(self, path: str, *, folder: str) -> AbstractContextManager[BinaryIO]:
        """Give a file to write, which appears at `path`, in the output `folder`, when the `with` ends without error."""

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""

    def clear(self, folder: str) -> None:
        """Remove a folder with everything in it."""


def is_temporary(name: str) -> bool:
    """Return whether a path in an output folder is that of a file that was not complete when its writer was killed."""
    return _TEMPORARY_FILE.fullmatch(name) is not None


def read_whole(store: Store, path: str) -> bytes | None:
    """Return the contents of a small file, or None if it is not there."""
    if store.find(path) is None:
        return None
    with store.open(path) as stream:
        return stream.read()


def write_whole(store: Store, path: str, data: bytes, *, folder: str) -> None:
    """Write a small file."""
    with store.writer(path, folder=folder) as stream:
        stream.write(data)


def is_local(address: str) -> bool:
    """Return whether an address is a path on this machine."""
    scheme = _SCHEME.match(address)
    return scheme is None or scheme[1].lower() == "file"


def open_address(address: str) -> tuple[str, Store, str]:
    """Return the address that opens its store again (see `open_store`), the store, and the path in it."""
    if is_local(address):
        path = unquote(address[len("file://") :]) if _SCHEME.match(address) else address
        return "", LocalStore(), str(Path(path).absolute())
    return address, *_arrow_store(address)


def open_store(root: str) -> Store:
    """Return the store that a worker on another machine opens by what `open_address` returned first."""
    return _arrow_store(root)[0] if root else LocalStore()


class LocalStore:
    """Folders of this machine, or of a network file system that all machines have mounted."""

    def open(self, path: str) -> BinaryIO:
        return Path(path).open("rb")

    def find(self, path: str) -> FoundFile | None:
        found = _status(path)
        if found is None or stat.S_ISDIR(found.st_mode):
            return None
        if not stat.S_ISREG(found.st_mode):  # a pipe can neither be measured nor read twice
            raise OSError("it is not a regular file: write it to a file first")
        return FoundFile(path, found.st_size, found.st_mtime_ns)

    def walk(self, folder: str, *, enters: Callable[[str], bool] | None = None) -> Iterator[FoundFile]:
        above = {folder: frozenset([os.path.realpath(folder)])}  # the folders that each one is in, by their real names
        for base, folders, names in os.walk(folder, followlinks=True, onerror=_raise_unless_gone):
            inside = above.pop(base)
            for name in list(folders):
                path = os.path.join(base, name)
                real = os.path.realpath(path)
                if real in inside or (enters and not enters(path)):  # the former: a link to a folder that we are in
                    folders.remove(name)
                else:
                    above[path] = inside | {real}
            for name in names:
                path = os.path.join(base, name)
                found = _status(path)
                if found is not None and stat.S_ISREG(found.st_mode):  # neither a link to nowhere nor a pipe
                    yield FoundFile(path, found.st_size, found.st_mtime_ns)

    @contextmanager
    def writer(self, path: str, *, folder: str) -> Iterator[BinaryIO]:
        temporary = os.path.join(folder, TEMPORARY, f"{os.path.basename(path)}-{secrets.token_hex(6)}")
        with _writing(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.makedirs(os.path.dirname(temporary), exist_ok=True)
            with atomic_file(path, temporary=temporary) as stream:
                yield cast(BinaryIO, _Checked(stream, path))

    def remove(self, path: str) -> None:
        with _writing(path), suppress(FileNotFoundError):
            os.unlink(path)

    def clear(self, folder: str) -> None:
        shutil.rmtree(folder, ignore_errors=True)


def _status(path: str) -> os.stat_result | None:
    """Return what is known of a file or folder, or None if there is none."""
    try:
        return os.stat(path)
    except OSError as error:
        _raise_unless_gone(error)
        return None


def _raise_unless_gone(error: OSError) -> None:
    is_circle = error.errno == errno.ELOOP  # a link to itself leads nowhere
    if not isinstance(error, (FileNotFoundError, NotADirectoryError)) and not is_circle:
        raise error


class ArrowStore:
    """What pyarrow reaches: S3, Google's and Azure's storage, HDFS."""

    def __init__(self, files: Any) -> None:
        self._files = files
        # An object store shows an object once its upload has ended; elsewhere a file is visible while it grows.
        self._shows_only_whole = files.type_name in {"s3", "gcs", "abfs"}

    def open(self, path: str) -> BinaryIO:
        return cast(BinaryIO, self._files.open_input_file(path))

    def find(self, path: str) -> FoundFile | None:
        return self._found(self._files.get_file_info(path))

    def _found(self, info: Any) -> FoundFile | None:
        return FoundFile(info.path, info.size or 0, info.mtime_ns or 0) if info.is_file else None

    def walk(self, folder: str, *, enters: Callable[[str], bool] | None = None) -> Iterator[FoundFile]:
        from pyarrow.fs import FileSelector

        for info in self._files.get_file_info(FileSelector(folder, allow_not_found=True, recursive=True)):
            found = self._found(info)
            if found is not None:
                yield found

    @contextmanager
    def writer(self, path: str, *, folder: str) -> Iterator[BinaryIO]:
        # Kept on this machine until complete: closing one of pyarrow's streams publishes what was written so far.
        with _writing(path), tempfile.TemporaryFile() as whole:
            yield cast(BinaryIO, _Checked(cast(BinaryIO, whole), path))
            whole.seek(0)
            target = path
            if not self._shows_only_whole:
                target = f"{folder}/{TEMPORARY}/{path.rpartition('/')[2]}-{secrets.token_hex(6)}"
                self._files.create_dir(target.rpartition("/")[0], recursive=True)
                self._files.create_dir(path.rpartition("/")[0], recursive=True)
            try:
                with self._files.open_output_stream(target) as stream:
                    shutil.copyfileobj(whole, stream, 1 << 20)
                if target != path:
                    self._files.move(target, path)
            except BaseException:
                with suppress(OSError):
                    self._files.delete_file(target)
                raise

    def remove(self, path: str) -> None:
        with _writing(path), suppress(FileNotFoundError):
            self._files.delete_file(path)

    def clear(self, folder: str) -> None:
        with suppress(OSError):
            self._files.delete_dir(folder)


class _Checked(io.RawIOBase):
    """A stream whose errors name the file, which writers of Parquet would hide."""

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self._stream = stream
        self._path = path

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        with _writing(self._path):
            return self._stream.write(data)

    def tell(self) -> int:
        return self._stream.tell()

    def flush(self) -> None:
        if not self._stream.closed:
            with _writing(self._path):
                self._stream.flush()

    def close(self) -> None:
        """Do nothing: whoever opened the stream closes it."""


@contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error).splitlines()[0]
        raise CorpusError(f"{path}: cannot be written: {reason}; {_RESUME}") from error


@lru_cache(maxsize=64)
def _arrow_store(address: str) -> tuple[Store, str]:
    try:
        import pyarrow as pa
        from pyarrow.fs import FileSystem
    except ImportError as error:
        raise missing_extra(f"{address}: needs pyarrow", "corpus") from error
    try:
        files, path = FileSystem.from_uri(address)
    except (pa.ArrowException, OSError) as error:
        raise CorpusError(f"{address}: not an address that pyarrow can open: {str(error).splitlines()[0]}") from error
    return ArrowStore(files), path
