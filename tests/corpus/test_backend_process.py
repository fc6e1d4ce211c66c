"""A corpus in several processes: the same shards as in one, whichever of them dies; none is left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_runs import shards, write_corpus
from joint_networks import joint_folder
from runtime.conftest import folder_with_weights, model  # noqa: F401 (fixtures)
from spanlin.corpus import CorpusOptions, parse_corpus
from spanlin.corpus.child_process import ChildProcess
from spanlin.corpus.report import Report, RunProgress
from spanlin.errors import CheckpointError, CorpusError


def parse(source: Path, output: Path, folder: Path, **options: object) -> Report:
    return parse_corpus(
        [str(source)],
        str(output),
        options=CorpusOptions(unit_size=400),
        model=str(folder),
        threads=2,
        engine="plain",
        **options,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("device", ["", "cpu"])
def test_shards_are_the_same_as_those_of_one_process(
    device: str,
    tmp_path: Path,
    folder_with_weights: Path,  # noqa: F811
) -> None:
    source = write_corpus(tmp_path / "a.txt", 40, extra={7: "\udcff".encode("utf-8", "replace").decode()})
    alone = parse(source, tmp_path / "one", folder_with_weights, device=device)
    progress = RunProgress()
    several = parse(source, tmp_path / "several", folder_with_weights, device=device, processes=3, progress=progress)
    assert progress.workers == "3"
    assert shards(tmp_path / "several") == shards(tmp_path / "one")
    assert (several.documents, several.sentences, several.units) == (alone.documents, alone.sentences, alone.units)
    assert not _workers_of(os.getpid())


def test_a_worker_that_is_killed_is_replaced(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = joint_folder(tmp_path_factory)
    source = write_corpus(tmp_path / "a.txt", 60)
    parse(source, tmp_path / "one", trained)
    killed: list[int] = []
    answers = ChildProcess.answers

    def killed_once(child: ChildProcess) -> Iterator[dict[str, Any]]:
        for answer in answers(child):
            if not killed:
                killed.append(child._process.pid)
                child.kill()
            yield answer

    monkeypatch.setattr(ChildProcess, "answers", killed_once)
    report = parse(source, tmp_path / "several", trained, processes=2)
    assert killed
    assert report.documents == 60
    assert shards(tmp_path / "several") == shards(tmp_path / "one")


def test_a_reason_to_stop_ends_all_of_them(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    source = write_corpus(tmp_path / "a.txt", 10)
    task = {"model": str(tmp_path / "none"), "device": "cpu", "workers": 2}
    with ChildProcess("spanlin.corpus.backend_process", task, leads_group=True) as child:
        (answer,) = child.answers()
        assert "none" in answer["stop"]
    with pytest.raises((CheckpointError, CorpusError), match="nonsense"):
        parse(source, tmp_path / "out", joint_folder(tmp_path_factory), device="nonsense", processes=2)
    assert not _workers_of(os.getpid())


def _workers_of(parent: int) -> list[int]:
    """Return the processes of a corpus that a process has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z" and b"spanlin.corpus." in command:
            found.append(int(folder.name))
    return found
