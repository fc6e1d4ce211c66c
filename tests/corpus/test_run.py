"""A corpus in one process: what comes out, what is skipped, what is done again, what is refused."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_runs import errors, rows, shards, write_corpus
from spanlin import Parser
from spanlin.corpus import CorpusOptions, Report, parse_corpus
from spanlin.corpus.documents import DocumentOptions
from spanlin.corpus.run import choose_engine
from spanlin.errors import CorpusError, MissingExtraError

SMALL = CorpusOptions(unit_size=300)


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def parse(*inputs: str, output: str = "out", options: CorpusOptions = SMALL, **others: Any) -> Report:
    return parse_corpus(inputs, output, options=options, engine="plain", threads=1, **others)


def test_every_sentence_comes_out_once_as_the_parser_has_it(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 20)
    report = parse("a.txt")
    assert (report.documents, report.sentences, report.failures, report.incomplete) == (20, 40, 0, 0)
    assert report.units > 3
    found = rows(tmp_path / "out")
    place = 0
    for number, line in enumerate((tmp_path / "a.txt").read_text().splitlines()):
        for sentence, row in enumerate(found[2 * number : 2 * number + 2]):
            assert (row["document"], row["sentence"]) == (f"a.txt:{place}", sentence)
            assert row["text"] == line[row["start"] : row["end"]]
            edges = zip(row["token_starts"], row["token_ends"], strict=True)
            assert [line[start:end] for start, end in edges] == row["tokens"]
        place += len(line) + 1
    (parsed,) = Parser.load().parse(found[0]["text"])
    assert found[0]["brackets"] == parsed.brackets()
    assert found[0]["tags"] == list(parsed.tags)
    assert [(one["label"], one["left"], one["right"]) for one in found[0]["constituents"]] == [
        (one.label, one.left, one.right) for one in parsed.constituents()
    ]
    assert all(0 < one["probability"] <= 1 for row in found for one in row["constituents"])
    assert json.loads((tmp_path / "out" / "_report.json").read_text()) == {**report.to_json(), "remade": []}
    assert (tmp_path / "out" / "_errors.jsonl").read_bytes() == b""


def test_parquet_has_the_same_rows(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.dataset

    write_corpus(tmp_path / "a.txt", 6)
    parse("a.txt")
    parse("a.txt", output="columns", options=CorpusOptions(unit_size=300, output_format="parquet"))
    # The files with an underscore in front are no part of a data set for anyone.
    found = (
        pyarrow.dataset.dataset(str(tmp_path / "columns")).to_table().sort_by([("document", "ascending")]).to_pylist()
    )
    expected = sorted(rows(tmp_path / "out"), key=lambda row: str(row["document"]))
    assert [rounded(row) for row in found] == [rounded(row) for row in expected]


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def test_another_decoder_tells_how_probable_a_tree_is(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 1)
    parse("a.txt", options=CorpusOptions(decoder="cky"))
    assert [row["log_probability"] <= 0 for row in rows(tmp_path / "out")] == [True, True]


def test_a_second_start_does_nothing_again(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 10)
    first = parse("a.txt")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("part-*")}
    second = parse("a.txt", model="en")
    assert (second.kept, second.units, second.new_sentences) == (first.units, first.units, 0)
    assert (second.documents, second.sentences) == (10, 20)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("part-*")} == before


def test_a_damaged_shard_is_written_anew(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 10)
    parse("a.txt")
    whole = shards(tmp_path / "out")
    shard = tmp_path / "out" / "part-000000-000000.jsonl"
    shard.write_bytes(shard.read_bytes()[:-10] + b"x" * 10)
    report = parse("a.txt")
    assert report.remade == ("part-000000-000000.jsonl",)
    assert report.kept == report.units - 1
    assert shards(tmp_path / "out") == whole


def test_what_a_killed_start_left_behind_is_cleared(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 20)
    parse("a.txt")
    whole = shards(tmp_path / "out")
    # As if it had been killed after some shards, inside the next one, and between a shard and its record.
    for name in ("part-000000-000001", "part-000000-000002"):
        (tmp_path / "out" / "_units" / f"{name}.json").unlink()
    (tmp_path / "out" / "part-000000-000001.jsonl").unlink()
    (tmp_path / "out" / "_units" / "part-000000-000001.begun").write_text("1")
    (tmp_path / "out" / "_temporary" / "half").write_text("half")
    report = parse("a.txt")
    assert (report.units - report.kept, report.remade) == (2, ())
    assert shards(tmp_path / "out") == whole
    assert list((tmp_path / "out" / "_temporary").iterdir()) == []
    assert not list((tmp_path / "out" / "_units").glob("*.begun"))


def test_bad_documents_are_listed_and_stop_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(
        b'{"text": "Dogs bark.", "id": "x"}\n{"id": "y"}\n{"text": "\xff"}\n{"text": "", "id": 3}\n'
    )
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"Cats sleep.\n" * 10)[:-9])
    (tmp_path / "c.txt").write_text("Cows moo.\n" + " ".join(["a"] * 501) + "\n")
    options = CorpusOptions(form="lines", documents=DocumentOptions())
    report = parse("a.jsonl", "b.txt.gz", "c.txt", options=options)
    assert (report.documents, report.failures, report.incomplete) == (13, 3, 1)
    found = errors(tmp_path / "out")
    assert [(entry["file"], entry["place"]) for entry in found] == [
        ("a.jsonl", 34),
        ("a.jsonl", 46),
        ("b.txt.gz", "whole file"),
        ("c.txt", 10),
    ]
    assert [entry["reason"].partition(":")[0] for entry in found] == [
        "no field 'text'",
        "not UTF-8",
        "cannot be read",
        "too long",
    ]
    assert found[3]["reason"] == "too long: a sentence of 501 words, of at most 500"
    assert [row["text"] for row in rows(tmp_path / "out")] == ["Dogs bark.", *["Cats sleep."] * 10, "Cows moo."]


def test_a_file_that_could_not_be_read_is_tried_again(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 2)
    write_corpus(tmp_path / "b.txt", 2)
    (tmp_path / "b.txt").chmod(0)
    if os.geteuid() == 0:  # who may read everything
        hidden = tmp_path / "hidden"
        times = (tmp_path / "b.txt").stat()
        # It is there when the files are listed, and gone when it is read.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("spanlin.corpus.run.begin_output", _hiding(tmp_path / "b.txt", hidden))
            report = parse("a.txt", "b.txt", options=CorpusOptions())
        shutil.move(hidden, tmp_path / "b.txt")
        os.utime(tmp_path / "b.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
    else:
        report = parse("a.txt", "b.txt", options=CorpusOptions())
    assert (report.documents, report.incomplete) == (2, 1)
    (tmp_path / "b.txt").chmod(0o600)
    again = parse("a.txt", "b.txt", options=CorpusOptions())
    assert (again.documents, again.incomplete, again.kept, again.remade) == (4, 0, 1, ())
    assert errors(tmp_path / "out") == []


def _hiding(path: Path, hidden: Path) -> Callable[..., bool]:
    from spanlin.corpus.job import begin_output

    def begin(*arguments: Any) -> bool:
        found = begin_output(*arguments)
        shutil.move(path, hidden)
        return found

    return begin


def test_a_folder_that_was_begun_otherwise_stays_as_it_is(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 2)
    parse("a.txt")
    before = shards(tmp_path / "out")
    with pytest.raises(CorpusError, match=r"^out: was begun with unit_size 300, not 301; give the same again, or"):
        parse("a.txt", options=CorpusOptions(unit_size=301))
    assert shards(tmp_path / "out") == before


def test_wrapped_text_in_a_folder_is_not_cut_at_its_lines(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("The old dog barked at the cat that had\nrun up a tree. It ran.\n")
    report = parse("in", options=CorpusOptions())
    assert (report.documents, report.sentences) == (1, 2)
    assert [(row["document"], row["start"], row["tokens"][-1]) for row in rows(tmp_path / "out")] == [
        ("in/a.txt", 0, "."),
        ("in/a.txt", 54, "."),
    ]


def test_without_pyarrow_parquet_says_what_to_install(tmp_path: Path, without: Callable[[str], None]) -> None:
    write_corpus(tmp_path / "a.txt", 2)
    without("pyarrow")
    with pytest.raises(MissingExtraError, match=r"Parquet needs pyarrow: pip install 'spanlin\[corpus\]'"):
        parse("a.txt", options=CorpusOptions(output_format="parquet"))
    assert not (tmp_path / "out").exists()
    assert parse("a.txt").sentences == 4


def test_without_ray_the_plain_engine_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert choose_engine() == "plain"
    assert choose_engine("head:6379") == "ray"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert choose_engine() == "ray"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a folder on a disk of 400 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can make a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("output_format", ["jsonl", "parquet"])
def test_a_full_disk_is_one_line_and_the_next_start_goes_on(
    tmp_path: Path, small_disk: Path, output_format: Any
) -> None:
    if output_format == "parquet":
        pytest.importorskip("pyarrow")
    write_corpus(tmp_path / "a.txt", 40)
    options = CorpusOptions(unit_size=800, output_format=output_format)
    parse("a.txt", output="roomy", options=options)
    ballast = small_disk / "ballast"
    size = sum(len(data) for data in shards(tmp_path / "roomy").values())
    room = size // 2 + 16_000
    ballast.write_bytes(b"x" * (400_000 - room))
    with pytest.raises(CorpusError, match=r"cannot be written: the disk is full; finished shards are kept") as caught:
        parse("a.txt", output="small/out", options=options)
    assert "\n" not in str(caught.value)
    assert not [path for path in (small_disk / "out" / "_temporary").iterdir() if path.stat().st_size]
    done = {name: data for name, data in shards(small_disk / "out").items() if name.startswith("part-")}
    assert done.items() <= shards(tmp_path / "roomy").items()
    ballast.unlink()
    report = parse("a.txt", output="small/out", options=options)
    assert report.kept <= len(done)
    assert shards(small_disk / "out") == shards(tmp_path / "roomy")
