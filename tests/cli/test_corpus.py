"""`spanlin corpus`: its options, what it says, its exit status, its line on a terminal, and Ctrl-C."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from corpus_runs import COMMAND, errors, rows, run, shards, wait_until, write_corpus
from spanlin.cli.main import main


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["corpus", *arguments])


def test_it_says_where_it_parses_and_what_came_out(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 5)
    found = invoke("a.txt", "out", "--engine", "plain", "--unit-size", "200")
    assert found.exit_code == 0
    assert found.stdout == ""
    first, last = found.stderr.splitlines()
    assert first == "spanlin: parsing in one process"
    assert last.startswith("spanlin: 5 documents, 10 sentences in 2 shards, 0.0 MB; 10 sentences in ")
    again = invoke("a.txt", "out", "--engine", "plain", "--unit-size", "200").stderr.splitlines()
    assert again[1] == "spanlin: 2 of 2 units were complete already"
    (tmp_path / "out" / "part-000000-000001.jsonl").write_bytes(b"{}\n")
    again = invoke("a.txt", "out", "--engine", "plain", "--unit-size", "200").stderr.splitlines()
    assert again[2] == "spanlin: 1 damaged and rewritten: part-000000-000001.jsonl"


def test_files_that_are_skipped_are_named(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a.txt", "b.md", "c.pdf", "d.md", "e.md"):
        (tmp_path / "in" / name).write_text("Dogs bark.\n")
    found = invoke("in", "out", "--engine", "plain")
    assert found.exit_code == 0
    assert found.stderr.splitlines()[1] == (
        "spanlin: 4 files skipped because their endings are unknown: "
        "in/b.md, in/c.pdf, in/d.md, ...; see --input-format"
    )
    found = invoke("in", "all", "--engine", "plain", "--input-format", "document")
    assert "skipped" not in found.stderr
    assert [row["document"] for row in rows(tmp_path / "all")] == [
        f"in/{name}" for name in ("a.txt", "b.md", "c.pdf", "d.md", "e.md")
    ]


def test_an_id_field_of_plain_text_is_one_line(tmp_path: Path) -> None:
    write_corpus(tmp_path / "x.txt", 2)
    found = invoke("x.txt", "out", "--engine", "plain", "--id-field", "url")
    assert found.exit_code == 1
    assert found.stderr.splitlines()[1:] == [
        "spanlin: x.txt: plain text has no field 'url'; leave out --id-field, or give only JSON lines and Parquet"
    ]
    assert not (tmp_path / "out").exists()


def test_bad_documents_leave_the_status_alone_and_unreadable_files_do_not(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"body": "Dogs bark.", "key": 7}\n{}\n')
    options = ["--text-field", "body", "--id-field", "key", "--engine", "plain"]
    found = invoke("a.jsonl", "out", *options)
    assert found.exit_code == 0
    assert found.stderr.splitlines()[-1] == "spanlin: 1 documents failed: see _errors.jsonl in out"
    assert [row["document"] for row in rows(tmp_path / "out")] == ["7"]
    (tmp_path / "b.jsonl.gz").write_bytes(b"no gzip")
    found = invoke("a.jsonl", "b.jsonl.gz", "other", *options)
    assert found.exit_code == 3
    assert found.stderr.splitlines()[-1] == (
        "spanlin: 1 documents failed, 1 units not read to their end: see _errors.jsonl in other"
    )
    assert [entry["file"] for entry in errors(tmp_path / "other")] == ["a.jsonl", "b.jsonl.gz"]


def test_a_refused_folder_is_one_line_and_status_one(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 1)
    assert invoke("a.txt", "out", "--engine", "plain").exit_code == 0
    found = invoke("a.txt", "out", "--engine", "plain", "--tokenized")
    assert found.exit_code == 1
    assert found.stderr.splitlines()[1:] == [
        "spanlin: out: was begun with form 'text', not 'tokenized'; give the same again, or a new folder"
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--unit-size", "0"], "'0' is not a size; write it like 512K or 4M"),
        (["--unit-size", "1T"], "'1T' is not a size"),
        (["--workers", "8-2"], "'8-2' is not a number of workers; write it like 4 or 2-8"),
        (["--workers", "many"], "'many' is not a number of workers"),
        (["--engine", "plain", "--workers", "2"], "--address, --workers and --gpus-per-worker are for --engine ray."),
    ],
)
def test_wrong_options_are_one_line_and_status_two(options: list[str], said: str) -> None:
    found = invoke("a.txt", "out", *options)
    assert found.exit_code == 2
    assert said in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_a_forgotten_output_is_named() -> None:
    found = invoke("a.txt")
    assert found.exit_code == 2
    assert "Give the INPUTs, and then the folder OUTPUT: there is only 'a.txt'." in found.stderr


def test_an_output_that_is_a_file_is_named(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 1)
    (tmp_path / "out").write_text("a thesis")
    found = invoke("a.txt", "out", "--engine", "plain")
    assert found.exit_code == 1
    assert found.stderr.splitlines()[-1] == "spanlin: out: is a file: OUTPUT, which comes last, is a folder"
    assert (tmp_path / "out").read_text() == "a thesis"


def test_ctrl_c_leaves_whole_shards_and_the_same_command_goes_on(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 2000)
    options = ["a.txt", "out", "--engine", "plain", "--unit-size", "5K", "--threads", "1"]
    process = subprocess.Popen([*COMMAND, *options], stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(list((tmp_path / "out").glob("part-*"))) >= 2, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    whole = len(list((tmp_path / "out" / "_units").glob("*.json")))
    assert said.splitlines()[1].startswith("spanlin: interrupted: ")
    assert said.splitlines()[1].endswith(" units are complete; the same command resumes")
    assert not list((tmp_path / "out" / "_units").glob("*.begun"))
    assert list((tmp_path / "out" / "_temporary").iterdir()) == []
    found = run(options)
    assert found.returncode == 0
    assert f"{whole} of 23 units were complete already" in found.stderr
    assert len(rows(tmp_path / "out")) == 4000
    invoke(*options[:1], "once", *options[2:])
    assert shards(tmp_path / "out") == shards(tmp_path / "once")


def test_a_terminal_shows_a_line_of_figures(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 5)
    ours, theirs = pty.openpty()
    options = ["a.txt", "out", "--engine", "plain", "--unit-size", "200"]
    environment = {**os.environ, "COLUMNS": "160", "TERM": "xterm"}
    process = subprocess.Popen([*COMMAND, *options], stderr=theirs, env=environment)
    os.close(theirs)
    parts = []
    try:
        while data := os.read(ours, 65536):
            parts.append(data)
    except OSError:  # the other side has gone
        pass
    os.close(ours)
    assert process.wait(60) == 0
    shown = b"".join(parts).decode()
    assert "5 documents, 10 sentences, " in shown
    assert "0 failed, 2/2 units" in shown


def test_lines_and_tokenized_together_are_a_usage_error(tmp_path: Path) -> None:
    found = invoke("a.txt", "out", "--lines", "--tokenized")
    assert found.exit_code == 2
    assert "--lines and --tokenized are two forms of input: leave out one of them." in found.stderr
