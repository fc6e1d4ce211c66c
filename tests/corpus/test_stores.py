"""Files appear whole or not at all, in a folder and in what pyarrow reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spanlin.corpus.stores import TEMPORARY, ArrowStore, LocalStore, Store, is_local, open_address, read_whole
from spanlin.errors import CorpusError, MissingExtraError

KINDS = ["local", "arrow", "arrow-objects"]


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "local":
        yield LocalStore()
        return
    fs = pytest.importorskip("pyarrow.fs")
    found = ArrowStore(fs.LocalFileSystem())
    # An object store is one that shows an object only when it is whole; here it is a folder that we do not look into.
    found._shows_only_whole = request.param == "arrow-objects"
    yield found


def test_a_file_appears_when_it_is_whole(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a"
    if isinstance(store, ArrowStore):
        path.parent.mkdir()  # in an object store there are no folders
    with store.writer(str(path), folder=str(tmp_path)) as stream:
        stream.write(b"one")
        stream.write(b"two")
        assert not path.exists()
        assert store.find(str(path)) is None
    assert path.read_bytes() == b"onetwo"
    found = store.find(str(path))
    assert found is not None
    assert found.size == 6
    assert found.modified > 0
    assert read_whole(store, str(path)) == b"onetwo"
    assert [file.path for file in store.walk(str(tmp_path))] == [str(path)]


def test_after_an_error_nothing_is_left(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a"

    def fail() -> None:
        with store.writer(str(path), folder=str(tmp_path)) as stream:
            stream.write(b"one")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_a_file_is_replaced_and_removed(store: Store, tmp_path: Path) -> None:
    for data in (b"one", b"2"):
        with store.writer(str(tmp_path / "a"), folder=str(tmp_path)) as stream:
            stream.write(data)
    assert (tmp_path / "a").read_bytes() == b"2"
    store.remove(str(tmp_path / "a"))
    store.remove(str(tmp_path / "a"))
    assert store.find(str(tmp_path / "a")) is None
    assert read_whole(store, str(tmp_path / "a")) is None
    store.clear(str(tmp_path / TEMPORARY))
    store.clear(str(tmp_path / TEMPORARY))
    assert list(store.walk(str(tmp_path / "none"))) == []


def test_what_cannot_be_written_says_so_in_one_line(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    path = str(tmp_path / "file" / "a")

    def write() -> None:
        with store.writer(path, folder=str(tmp_path)) as stream:
            stream.write(b"one")

    with pytest.raises(CorpusError, match=r"cannot be written: .*; finished shards are kept: fix this") as caught:
        write()
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "local"), [("a/b", True), ("file:///a/b%20c", True), ("s3://bucket/a", False), ("C:x", True)]
)
def test_addresses_of_this_machine_are_known(address: str, local: bool) -> None:
    assert is_local(address) == local
    if local:
        root, store, path = open_address(address)
        assert (root, isinstance(store, LocalStore)) == ("", True)
        assert path == ("/a/b c" if "file" in address else str(Path(address).absolute()))


def test_without_pyarrow_an_address_says_what_to_install(without: Callable[[str], None]) -> None:
    without("pyarrow")
    with pytest.raises(MissingExtraError, match=r"needs pyarrow: pip install 'spanlin\[corpus\]'"):
        open_address("s3://bucket/without")
