"""`spanlin parse` with processes prints what it prints without."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from joint_networks import SENTENCES, joint_folder
from spanlin.cli import sources
from spanlin.cli.main import main
from spanlin.cli.parse_blocks import BlockRecords
from spanlin.cli.sources import Source
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from spanlin.text.forms import InputForm
from text.nasty_inputs import NASTY_INPUTS

TEXT = "\n\n".join([*(" ".join(words) for words in SENTENCES), *NASTY_INPUTS[::4]])


@pytest.fixture(scope="module")
def parsers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[bool, Parser]]:
    folder = joint_folder(tmp_path_factory)
    shared = Parser.load(folder, threads=1, processes=2)
    assert shared.processes is not None
    shared.processes.wait()
    yield {False: Parser.load(folder, threads=1), True: shared}
    shared.close()


def printed(parser: Parser, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> bytes:
    with monkeypatch.context() as patch:
        patch.setattr(Parser, "load", lambda *_, **__: parser)
        patch.setattr(Parser, "close", lambda self: None)
        patch.setattr(sources, "_BLOCK_LINES", 4)
        result = CliRunner().invoke(main, ["parse", "-q", *arguments])
    return result.stdout_bytes + result.stderr_bytes


@pytest.mark.parametrize(
    "arguments",
    [
        *([], ["--format", "json"], ["--format", "conllu"], ["--format", "columns"], ["--format", "svg-arcs"]),
        *(["--lines"], ["--lines", "--format", "json"], ["--tokenized"], ["--tokenized", "--format", "json"]),
        *(["--decoder", "cky"], ["--k-best", "2", "--format", "json"], ["--root-label", "NO SUCH"]),
    ],
    ids=" ".join,
)
def test_the_output_is_the_same(
    parsers: dict[bool, Parser], arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one").write_text(TEXT, encoding="utf-8", errors="replace")
    Path("two").write_bytes(gzip.compress(b"Dogs bark.\n\n\nCats\nsleep. Nobody minds."))
    for files in (["one"], ["one", "two"], ["two", "one", "two"]):
        found, expected = (printed(parsers[there], monkeypatch, *files, *arguments) for there in (True, False))
        assert found == expected
        assert expected


def test_all_before_a_line_that_cannot_be_read_is_parsed(
    parsers: dict[bool, Parser], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad").write_bytes(b"Dogs bark.\n\nCats sleep.\n\xff\nNobody minds.\n")
    for form in ([], ["--lines"]):
        found, expected = (printed(parsers[there], monkeypatch, "bad", *form) for there in (True, False))
        assert found == expected
        assert found.count(b"(TOP") >= 2
        assert b"bad, line 4: not UTF-8" in found


@pytest.mark.parametrize("form", ["text", "lines", "tokenized"])
def test_a_block_has_a_record_for_each_sentence_and_the_place_up_to_which_the_file_was_read(
    parsers: dict[bool, Parser], form: InputForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_BLOCK_LINES", 2)
    path = tmp_path / "a.txt"
    path.write_text("Dogs bark.\n\nCats sleep.\nNobody minds.\n", encoding="utf-8")
    source = Source([str(path)], form=form)
    blocks = list(source.blocks())
    assert blocks[-1].place == path.stat().st_size
    task = BlockRecords(form, ParseOptions(), None)
    records = [record for block in blocks for record in task(parsers[False], block, 0).result]
    expected = [line for _, line in parsers[False].bracket_items(Source([str(path)], form=form), lambda one: one.words)]
    assert records == expected


def test_ctrl_c_ends_it_after_a_whole_line_and_leaves_no_process(parsers: dict[bool, Parser], tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("\n\n".join(" ".join(words) for words in SENTENCES * 1000), encoding="utf-8")
    command = [sys.executable, "-m", "spanlin", "parse", str(path), "--processes", "2", "--threads", "1"]
    with subprocess.Popen(
        [*command, "--model", str(parsers[False].folder.path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline().startswith(b"(TOP")
        limit = time.monotonic() + 30
        while len(workers := _children(child.pid)) < 2 and time.monotonic() < limit:
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        output, message = child.communicate(timeout=60)
        assert child.returncode == 130
    assert output.endswith(b"\n")
    assert message.startswith(b"spanlin: interrupted: ")
    assert len(workers) == 2
    limit = time.monotonic() + 30
    while any(map(_is_alive, workers)) and time.monotonic() < limit:
        time.sleep(0.02)
    assert not any(map(_is_alive, workers))


def _children(parent: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(folder.name))
    return found


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
