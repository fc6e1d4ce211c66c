"""Models on the hub: the real huggingface_hub, in processes of its own, against a server that answers like the hub."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import spanlin
from hub_server import Hub, Repository, run_hub
from spanlin.corpus.job import CorpusOptions, make_job
from spanlin.errors import CheckpointError, MissingExtraError
from spanlin.integrations.reloading import ReloadingParser
from spanlin.model_folder.folder import MANIFEST
from spanlin.model_folder.hub import fetch_model, pinned_name
from spanlin.model_folder.lookup import find_model, pin_model

pytest.importorskip("huggingface_hub")

# Loads each name and tells what came of it; what is printed beyond that would be the library's.
LOAD = """
import json, sys
from spanlin.errors import SpanlinError
from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.lookup import find_model
for name in sys.argv[1:]:
    try:
        print(json.dumps(str(open_folder(find_model(name)).path)))
    except SpanlinError as error:
        print(json.dumps(f"{type(error).__name__}: {error}"))
"""


NO_SUCH_MODEL = "no such model on the hub, or it is private: check the name, or log in with `hf auth login`"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with run_hub() as running:
        yield running


@pytest.fixture
def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


class Machine:
    """A machine with a cache of its own, which reaches one hub."""

    def __init__(self, home: Path, hub: Hub) -> None:
        self.home = home
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("HF_")},
            "HF_HOME": str(home),
            "HF_ENDPOINT": hub.address,
            "HF_HUB_ETAG_TIMEOUT": "5",
            "PYTHONPATH": str(Path(spanlin.__file__).parents[1]),
        }

    def load(self, *names: str, **variables: str) -> list[str]:
        """What comes of loading each name: the model's folder, or the error."""
        found = self.run("-c", LOAD, *names, **variables)
        assert found.stderr == ""
        return [json.loads(line) for line in found.stdout.splitlines()]

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            env=self.environment | variables,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )


@pytest.fixture
def machine(tmp_path: Path, hub: Hub) -> Machine:
    return Machine(tmp_path / "home", hub)


def snapshot(machine: Machine, commit: str) -> str:
    return str(machine.home / "hub" / "models--some--parser" / "snapshots" / commit)


def test_only_listed_files_are_fetched_and_only_once(hub: Hub, machine: Machine, files: dict[str, bytes]) -> None:
    hub.repositories["some/parser"] = Repository()
    commit = hub.repositories["some/parser"].commit(
        files | {"README.md": b"a page", "pytorch_model.bin": b"a pickle"}, "main", "v1"
    )
    assert machine.load("hf:some/parser") == [snapshot(machine, commit)]
    assert hub.fetched() == sorted(files)
    hub.forget()
    # A branch or tag may have moved: the hub is asked where it is, and nothing is fetched again.
    assert machine.load("hf:some/parser@v1", "hf:some/parser") == [snapshot(machine, commit)] * 2
    assert {method for method, _ in hub.requests} == {"HEAD"}
    hub.forget()
    assert machine.load(f"hf:some/parser@{commit}") == [snapshot(machine, commit)]
    assert hub.requests == []


def test_a_branch_is_followed_and_a_commit_stays(hub: Hub, machine: Machine, files: dict[str, bytes]) -> None:
    repository = hub.repositories["some/parser"] = Repository()
    first = repository.commit(files, "main", "v1")
    assert machine.load("hf:some/parser", "hf:some/parser@v1") == [snapshot(machine, first)] * 2
    second = repository.commit(files | {"README.md": b"new"}, "main")
    assert machine.load("hf:some/parser", "hf:some/parser@v1", f"hf:some/parser@{first}") == [
        snapshot(machine, second),
        snapshot(machine, first),
        snapshot(machine, first),
    ]


def test_without_the_hub_the_cache_serves(hub: Hub, machine: Machine, files: dict[str, bytes]) -> None:
    hub.repositories["some/parser"] = Repository()
    commit = hub.repositories["some/parser"].commit(files, "main")
    names = ("hf:some/parser", "hf:some/parser@main", f"hf:some/parser@{commit}")
    machine.load("hf:some/parser")
    hub.forget()
    assert machine.load(*names, HF_HUB_OFFLINE="1") == [snapshot(machine, commit)] * 3
    assert hub.requests == []
    hub.down = True
    assert machine.load(*names) == [snapshot(machine, commit)] * 3
    hub.down = False
    nowhere = "http://127.0.0.1:9"  # where nothing listens
    assert machine.load(*names, HF_ENDPOINT=nowhere) == [snapshot(machine, commit)] * 3
    missing = machine.load("hf:some/other", HF_HUB_OFFLINE="1") + machine.load("hf:some/other", HF_ENDPOINT=nowhere)
    for error in missing:
        assert error.startswith(
            "CheckpointError: hf:some/other: manifest.json is not in the cache, and cannot be fetched ("
        )
        assert error.endswith("); try again with a connection to the hub")


def test_every_refusal_is_one_line_with_what_to_do(hub: Hub, machine: Machine, files: dict[str, bytes]) -> None:
    manifest = json.loads(files[MANIFEST])
    hub.repositories = {
        "some/parser": Repository(),
        "some/gated": Repository(is_gated=True),
        "some/private": Repository(token="hf_secret"),
        "some/other": Repository(),
        "some/foreign": Repository(),
        "some/huge": Repository(claimed_size=10**12),
        "some/partial": Repository(),
        "some/damaged": Repository(),
        "some/outside": Repository(),
    }
    hub.repositories["some/parser"].commit(files, "main")
    private = hub.repositories["some/private"].commit(files, "main")
    hub.repositories["some/other"].commit({"config.json": b"{}"}, "main")
    hub.repositories["some/foreign"].commit({MANIFEST: b'{"name": "a web app"}'}, "main")
    hub.repositories["some/huge"].commit(files, "main")
    hub.repositories["some/partial"].commit({MANIFEST: files[MANIFEST]}, "main")
    damaged = hub.repositories["some/damaged"].commit(files | {"graph.onnx": files["graph.onnx"][:-1]}, "main")
    listed = manifest | {"files": manifest["files"] | {"../outside": "0" * 64}}
    hub.repositories["some/outside"].commit(files | {MANIFEST: json.dumps(listed).encode()}, "main")
    told = {
        "hf:some/none": f"hf:some/none: {NO_SUCH_MODEL}",
        "hf:some/private": f"hf:some/private: {NO_SUCH_MODEL}",
        "hf:some/gated": (
            "hf:some/gated: its owner gives access on request: "
            "ask for it on the model's page, then log in with `hf auth login`"
        ),
        "hf:some/parser@v9": "hf:some/parser@v9: has no revision v9: give a branch, a tag or a commit",
        "hf:some/other": "hf:some/other: is not a model for spanlin: it has no manifest.json",
        "hf:some/foreign": "hf:some/foreign: is not a model for spanlin: its manifest.json is of another kind",
        "hf:some/huge": "hf:some/huge: manifest.json: has 1000000000000 bytes, but at most 8 MB are read",
        "hf:some/partial": "hf:some/partial: is not a model for spanlin: it has no card.md",
        "hf:some/damaged": str(machine.home / "hub" / "models--some--damaged" / "snapshots" / damaged / "graph.onnx")
        + ": damaged (its SHA-256 is not the manifest's); copy the model again",
        "hf:some/outside": "hf:some/outside: manifest.json: damaged: '../outside' is not a plain file name; "
        "export the model again",
    }
    assert machine.load(*told) == [f"CheckpointError: {line}" for line in told.values()]
    assert [path for method, path in hub.requests if "huge" in path and method == "GET"] == []
    (found,) = machine.load("hf:some/private", HF_TOKEN="hf_secret")
    assert found.endswith(private)


def test_commands_take_it_and_tell_the_commit(hub: Hub, machine: Machine, files: dict[str, bytes]) -> None:
    hub.repositories["some/parser"] = Repository()
    commit = hub.repositories["some/parser"].commit(files, "main")
    info = machine.run("-m", "spanlin", "info", "hf:some/parser", "--json")
    assert json.loads(info.stdout)["model"] == f"hf:some/parser@{commit}"
    parsed = machine.run("-m", "spanlin", "parse", "--model", f"hf:some/parser@{commit}", "--text", "Dogs bark.")
    assert parsed.stdout.startswith("(TOP ")
    assert (info.stderr, parsed.stderr) == ("", "")


def test_a_pinned_name_comes_from_the_cache_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = "0123456789" * 4
    cached = tmp_path / "models--some--own--parser" / "snapshots" / commit
    assert pinned_name(cached) is None  # no name has two hyphens in a row
    cached = tmp_path / "models--some--own-parser" / "snapshots" / commit
    assert pinned_name(cached) == f"hf:some/own-parser@{commit}"
    assert pinned_name(tmp_path / "some-parser" / "snapshots" / commit) is None
    assert pinned_name(tmp_path) is None
    assert pinned_name(find_model("en")) is None
    monkeypatch.setattr("spanlin.model_folder.lookup.fetch_model", lambda name: cached)
    assert pin_model("hf:some/own-parser") == f"hf:some/own-parser@{commit}"
    assert (pin_model("en"), pin_model(tmp_path)) == ("en", tmp_path)


def test_all_processes_of_a_corpus_or_a_pipeline_have_one_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = "0123456789" * 4
    cached = Path(shutil.copytree(find_model("en"), tmp_path / "models--some--parser" / "snapshots" / commit))
    monkeypatch.setattr("spanlin.model_folder.lookup.fetch_model", lambda name: cached)
    options = CorpusOptions()
    job, _ = make_job(str(tmp_path / "out"), [], model="hf:some/parser", threads=1, device="", options=options)
    assert job.model == f"hf:some/parser@{commit}"
    assert ReloadingParser("hf:some/parser", threads=1).model == f"hf:some/parser@{commit}"


@pytest.mark.parametrize(
    "name",
    [
        "hf:",
        "hf:parser",
        "hf:a/b/c",
        "hf:a/../b",
        "hf:some/parser@",
        "hf:some/parser@../main",
        "hf:some/parser@a..b",
        "hf:some/par ser",
        "hf:some/parser\n",
        "hf:-a/b",
        "hf:a--b/c",
        "hf:https://huggingface.co/a/b",
        "hf:some/" + "a" * 10_000,
    ],
)
def test_what_cannot_be_a_name_is_never_asked_for(name: str) -> None:
    with pytest.raises(CheckpointError, match=r"not a name on the hub; write hf:owner/name or hf:owner/name@revision"):
        fetch_model(name)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub.utils", None)
    with pytest.raises(
        MissingExtraError, match=r"^models on the hub need huggingface_hub: pip install 'spanlin\[hub\]'$"
    ):
        find_model("hf:some/parser")
