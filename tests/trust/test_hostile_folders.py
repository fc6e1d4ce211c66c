"""Show: untrusted model folders are refused with one clear line, quickly, and nothing outside them is read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import onnxruntime
import pytest
from click.testing import CliRunner

from hostile_folders import FOLDERS, Hostile, file_of
from hostile_lexicons import LEXICONS
from spanlin.cli.main import main
from spanlin.errors import SpanlinError
from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from watched_file import watched

SECRET = b"a secret of 32 bytes, for no one"
LONGEST = 5.0  # seconds of work, however many others share the cores


ALL = [*FOLDERS, *LEXICONS]
Goods = Callable[[str], Path]


@pytest.fixture(scope="module")
def goods(tmp_path_factory: pytest.TempPathFactory) -> Goods:
    """Copies the packaged model, or a small network of some kind, once."""

    @cache
    def copy(of: str) -> Path:
        networks = None if of == "en" else pytest.importorskip("exported_networks")  # which need torch
        found = networks.export_once(of, tmp_path_factory).folder if networks else find_model("en")
        return Path(shutil.copytree(found, tmp_path_factory.mktemp("good") / "model"))

    return copy


@pytest.fixture
def good(goods: Goods) -> Path:
    return goods("en")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file beside the folder that nobody may read."""
    path = tmp_path / "outside.bin"
    path.write_bytes(SECRET)
    return path


class Opened:
    """The files that Python opens while `paths` is a list. A hook can never be taken away again."""

    paths: list[str] | None = None


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and Opened.paths is not None and isinstance(arguments[0], str | bytes):
        Opened.paths.append(os.fsdecode(arguments[0]))


sys.addaudithook(_note)


def make(hostile: Hostile, good: Path, outside: Path) -> Path:
    folder = outside.parent / "model"
    folder.mkdir()
    for file in good.iterdir():
        os.link(file, folder / file.name)
    hostile.change(folder, outside)
    return folder


def use(folder: Path) -> None:
    """Do all that a model folder is for; the second needs the graph of labels."""
    parser = Parser.load(folder, threads=1)
    parser.parse("She loves writing aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab code.")
    parser.parse("She loves writing code.", ParseOptions(k_best=2, marginals=True))


def test_there_are_enough_and_no_two_are_one() -> None:
    assert len({hostile.name for hostile in ALL}) == len(ALL) >= 60


@pytest.mark.parametrize("of", sorted({hostile.of for hostile in ALL}))
def test_a_good_folder_is_used(of: str, goods: Goods) -> None:
    use(goods(of))


def test_whoever_reads_the_file_outside_is_noticed(good: Path, outside: Path) -> None:
    with watched(outside) as watch:
        assert not watch.noticed()
        outside.read_bytes()
        assert watch.noticed()
        subprocess.run(["cat", str(outside)], check=True, capture_output=True)  # not by this process
        assert watch.noticed()
        assert not watch.noticed()
    graph = Path(shutil.copy(good / "graph.onnx", outside))
    with watched(graph) as watch:
        onnxruntime.InferenceSession(str(graph), providers=["CPUExecutionProvider"])  # nor by Python
        assert watch.noticed()


@pytest.mark.parametrize("hostile", ALL, ids=lambda hostile: hostile.name)
def test_a_hostile_folder_is_refused(
    hostile: Hostile, goods: Goods, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(hostile, goods(hostile.of), outside)
    monkeypatch.chdir(folder)  # from where a graph without a path would look for its data
    if hostile.before:

        def never(*_: object, **__: object) -> None:
            raise AssertionError("a graph was loaded")

        monkeypatch.setattr(onnxruntime, "InferenceSession", never)
    Opened.paths = []
    start = time.process_time()
    try:
        with watched(outside) as watch:
            with pytest.raises(SpanlinError, match=hostile.message) as caught:
                use(folder)
            taken = time.process_time() - start
            was_read = watch.noticed()
        opened = Opened.paths
    finally:
        Opened.paths = None
    assert taken < LONGEST
    message = str(caught.value)
    assert str(folder) in message, "it says where"
    assert "\n" not in message
    assert len(message) < 1000
    assert "secret" not in message
    assert not [path for path in opened if Path(path).name == outside.name]
    assert not was_read
    assert outside.read_bytes() == SECRET
    if hostile.before:
        with pytest.raises(SpanlinError, match=hostile.message):
            open_folder(folder)


@pytest.mark.parametrize("hostile", ALL[::4], ids=lambda hostile: hostile.name)
@pytest.mark.parametrize("command", ["info", "parse"])
def test_the_command_line_says_it_in_one_line(hostile: Hostile, command: str, goods: Goods, outside: Path) -> None:
    if command == "info" and not hostile.before:
        pytest.skip("its manifest and files are right: only who runs it can tell")
    folder = make(hostile, goods(hostile.of), outside)
    arguments = (
        ["info", str(folder)]
        if command == "info"
        else ["parse", "--model", str(folder), "--k-best", "2", "--format", "json", "--text", "She barks."]
    )
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr.startswith("spanlin: ")
    assert done.stderr.count("\n") == 1


def test_a_link_inside_the_folder_is_fine(good: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(good, tmp_path / "model"))
    (folder / "tokenizer.json").rename(folder / "other.json")
    (folder / "tokenizer.json").symlink_to("other.json")
    assert open_folder(folder).labels == open_folder(good).labels


def test_a_card_cannot_steer_the_terminal(good: Path, outside: Path) -> None:
    made = Hostile("", file_of("card.md", lambda _: b"# mine\n\x1b]0;evil\x07\x1b[2J\xc2\x9b2J\r\n"), "")
    done = CliRunner().invoke(main, ["info", str(make(made, good, outside))])
    assert done.exit_code == 0
    assert "# mine" in done.stdout
    assert not set(done.stdout) & {"\x1b", "\x07", "\x9b", "\r"}
