"""The output folder: what it was begun with, and what is refused because it was begun with something else."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from corpus_runs import begin_job, write_corpus
from spanlin.corpus import CorpusOptions
from spanlin.corpus.documents import DocumentOptions
from spanlin.corpus.inputs import find_inputs
from spanlin.corpus.job import Job, begin_output, hash_model, make_job
from spanlin.errors import CheckpointError, CorpusError

SMALL = CorpusOptions(unit_size=300)


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in a folder with two files to parse."""
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "a.txt", 2)
    write_corpus(tmp_path / "b.txt", 2)


def begin(*inputs: str, options: CorpusOptions = SMALL, model: str = "en", device: str = "", **others: Any) -> bool:
    files = find_inputs(inputs or ["a.txt"])
    return begin_output(*make_job("out", files, model=model, threads=1, device=device, options=options, **others))


def test_a_folder_is_begun_once_and_resumed_with_the_same() -> None:
    assert begin() is False
    assert begin() is True
    assert begin(device="") is True
    # How long a worker may do nothing changes no output.
    assert begin(time_limit=5.0) is True


def test_a_number_of_the_device_makes_no_difference() -> None:
    begin(device="cuda:0")
    assert begin(device="cuda:1") is True


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"options": CorpusOptions(unit_size=301)}, "was begun with unit_size 300, not 301"),
        ({"options": CorpusOptions(unit_size=300, form="lines")}, "was begun with form 'text', not 'lines'"),
        (
            {"options": CorpusOptions(unit_size=300, documents=DocumentOptions(text_field="x"))},
            "was begun with text_field 'text', not 'x'",
        ),
        ({"device": "cuda"}, "was begun with device cpu, not cuda"),
        ({"inputs": ["b.txt"]}, "was begun with other input: b.txt was not in it"),
        ({"inputs": ["a.txt", "b.txt"]}, "was begun with other input: b.txt was not in it"),
        ({"touch": True}, "was begun with other input: a.txt has changed since"),
        ({"model": "model"}, "was begun with another model"),
        ({"about": b'{"spanlin": "0.0.1"}'}, "was begun with spanlin 0.0.1, not "),
        ({"about": b'{"format": 3}'}, "was begun with format 3, not 2"),
        ({"about": b'{"options": {}}'}, "_corpus.json: damaged; give a new folder"),
        ({"about": b"[1"}, "_corpus.json: damaged; give a new folder"),
    ],
)
def test_a_folder_that_was_begun_otherwise_is_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    begin()
    change = dict(change)
    inputs = change.pop("inputs", ["a.txt"])
    if change.pop("touch", False):
        os.utime(tmp_path / "a.txt", (5, 5))
    if change.get("model"):
        (tmp_path / "model").mkdir()
        (tmp_path / "model" / "manifest.json").write_text("{}")
        change["model"] = str(tmp_path / "model")
    if about := change.pop("about", b""):
        path = tmp_path / "out" / "_corpus.json"
        given = {**json.loads(path.read_text()), "key": "x", **json.loads(about)} if about[:1] == b"{" else about
        path.write_text(json.dumps(given)) if isinstance(given, dict) else path.write_bytes(given)
    with pytest.raises(CorpusError, match=r"^out[:/]") as caught:
        begin(*inputs, **change)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_fewer_inputs_are_refused() -> None:
    begin("a.txt", "b.txt")
    with pytest.raises(CorpusError, match=r"other input: b\.txt was in it; give the same again, or a new folder"):
        begin("a.txt")
    with pytest.raises(CorpusError, match="the same input in another order"):
        begin("b.txt", "a.txt")


def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.doc").write_text("mine")
    with pytest.raises(
        CorpusError, match=r"out: has other files in it, such as thesis\.doc; give an empty or a new folder"
    ):
        begin()
    assert os.listdir(tmp_path / "out") == ["thesis.doc"]


def test_somebodys_temporary_files_are_not_removed(tmp_path: Path) -> None:
    (tmp_path / "out" / "_temporary").mkdir(parents=True)
    (tmp_path / "out" / "_temporary" / "thesis.doc").write_text("mine")
    with pytest.raises(CorpusError, match=r"out: has other files in it, such as _temporary/thesis\.doc; give an empty"):
        begin()
    assert (tmp_path / "out" / "_temporary" / "thesis.doc").read_text() == "mine"


@pytest.mark.parametrize("name", ["unit_size", "longest_sentence", "longest_document"])
def test_sizes_below_one_are_refused(name: str) -> None:
    sizes: dict[str, Any] = {name: 0}
    with pytest.raises(CorpusError, match=f"{name} must be at least 1, got 0"):
        CorpusOptions(documents=DocumentOptions(**sizes)) if name == "longest_document" else CorpusOptions(**sizes)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), 1e12])
def test_a_time_limit_that_is_none_is_an_error(tmp_path: Path, seconds: float) -> None:
    with pytest.raises(CorpusError, match="time_limit must be more than 0 and at most 1,000,000 seconds"):
        begin(time_limit=seconds)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_a_model_is_refused(tmp_path: Path) -> None:
    said = r"no model here \(manifest.json: No such file or directory\); give a model folder, or one of the packaged: "
    with pytest.raises(CheckpointError, match=said):
        begin(model=str(tmp_path))


def test_the_hash_of_a_model_is_that_of_its_manifest(tmp_path: Path) -> None:
    for name, text in (("one", "{}"), ("same", "{}"), ("other", "{ }")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(text)
    one, same, other = (hash_model(str(tmp_path / name)) for name in ("one", "same", "other"))
    assert one == same != other


def test_a_job_reaches_another_process_as_a_table(tmp_path: Path) -> None:
    options = CorpusOptions(form="lines", decoder="cky", documents=DocumentOptions(id_field="key"))
    job, _ = begin_job(tmp_path / "a.txt", tmp_path / "out", options)
    again = Job.from_table(json.loads(json.dumps(asdict(job))))
    assert again == job
    assert again.options.documents.id_field == "key"
    again.write(b"3", "_units", "x")
    assert job.read("_units", "x") == b"3"
    assert job.read("_units", "y") is None
