"""That the fuzzer's checks can fail, and that its driver drives."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from fuzz.folder_edits import GRAPHS, edited_files, model_files, write_edits
from fuzz.messages import check_message
from fuzz.protobuf import all_places, read_fields, write_fields
from fuzz.target import check_in_time, load_target
from fuzz.watch import ForbiddenError, watched

from spanlin.errors import SpanlinError, TreeSyntaxError

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("message", ["", "two\nlines", "two\u2028lines", "x" * 2_000, "elsewhere: wrong"])
def test_an_error_that_is_not_one_line_with_its_place_is_a_finding(message: str) -> None:
    with pytest.raises(AssertionError):
        check_message(SpanlinError(message), names="here")
    check_message(SpanlinError("here: wrong"), names="here")


def test_writing_is_a_finding_even_where_all_errors_are_caught(tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError, match="open"), watched(), contextlib.suppress(BaseException):
        (tmp_path / "new").write_text("x")
    assert not (tmp_path / "new").exists()


def test_an_input_that_takes_too_long_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_target("brackets")
    check_in_time(target, b"(A a)")
    monkeypatch.setattr("fuzz.target.SLOWEST", 0.0)
    with pytest.raises(AssertionError, match="it took"):
        check_in_time(target, b"(A a)")


def test_starting_a_process_is_a_finding() -> None:
    with pytest.raises(ForbiddenError, match="subprocess"), watched():
        subprocess.run(["true"], check=False)


def test_a_reader_that_drops_a_tree_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_target("brackets")
    import fuzz.brackets

    real = vars(fuzz.brackets)["read_trees"]
    monkeypatch.setattr(fuzz.brackets, "read_trees", lambda *given, **more: list(real(*given, **more))[1:])
    with pytest.raises(AssertionError):
        target.check(b"(S (A a))\n(S (B b))")


def test_a_reader_with_an_error_of_its_own_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_target("brackets")
    monkeypatch.setattr(TreeSyntaxError, "__init__", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        target.check(b"(S")


def test_a_splitter_that_loses_a_letter_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_target("splitter")
    import fuzz.splitter

    real = vars(fuzz.splitter)["tokenize"]
    monkeypatch.setattr(fuzz.splitter, "tokenize", lambda text, **more: real(text[1:], **more))
    with pytest.raises(AssertionError):
        target.check(b"Mr. Hu came.")


@pytest.mark.skipif(not find_spec("torch"), reason="installed without torch")
def test_a_configuration_that_does_not_come_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_target("config")
    import fuzz.config

    real = vars(fuzz.config)["config_to_toml"]
    monkeypatch.setattr(fuzz.config, "config_to_toml", lambda config: real(config).replace("seed = 1", "seed = 2"))
    with pytest.raises(AssertionError, match="reads back equal"):
        target.check(b'[[treebanks]]\nname = "t"\ntrain = "train.txt"\n')


@pytest.mark.skipif(not find_spec("fastapi"), reason="installed without fastapi")
def test_an_internal_error_of_the_service_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_target("request")
    monkeypatch.setattr("spanlin.server.app.read_sentences", lambda *_: 1 / 0)
    with pytest.raises(AssertionError, match="500"):
        target.check(b'POST /v1/parse\nContent-Type: application/json\n\n{"text": "a"}')


def test_a_folder_that_is_taken_with_wrong_sums_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_target("folder")
    raw = write_edits(False, [["card.md", "bytes", 0, 1, "x"]])
    target.check(raw)
    monkeypatch.setattr("spanlin.model_folder.folder._check_file", lambda *_: None)
    with pytest.raises(AssertionError, match="has the sum"):
        target.check(raw)


@pytest.mark.parametrize("name", GRAPHS)
def test_the_fields_of_a_graph_come_back_as_its_bytes(name: str) -> None:
    raw = model_files()[name]
    assert write_fields(read_fields(raw)) == raw
    assert {place.kind for place in all_places(raw)} >= {"graph", "node", "tensor", "type", "operator set"}


def test_an_edit_changes_the_file_that_it_names_and_its_sum() -> None:
    place = next(place for place in all_places(model_files()["graph.onnx"]) if place.kind == "node")
    changed = edited_files(True, [["graph.onnx", "cut", place.places]])
    assert {name for name in changed if changed[name] != model_files()[name]} == {"graph.onnx", "manifest.json"}


@pytest.mark.skipif(not find_spec("atheris"), reason="installed without the extra `fuzz`")
def test_the_driver_tells_what_it_did(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", "brackets", "--seconds", "2"],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 findings" in done.stdout
    assert any((tmp_path / "runs/fuzz/brackets/corpus").iterdir())
