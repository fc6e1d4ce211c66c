"""What the output folder records of a unit, and how damage is noticed."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_runs import begin_job, write_corpus
from spanlin.corpus.records import HashingStream, UnitFiles, UnitRecord

SHARD = b'{"text": "Dogs bark."}\n' * 3


@pytest.fixture
def files(tmp_path: Path) -> UnitFiles:
    job, (unit,) = begin_job(write_corpus(tmp_path / "a.txt", 1), tmp_path / "out")
    return UnitFiles(job, unit)


def finish(files: UnitFiles, *, failures: int = 0, incomplete: bool = False) -> UnitRecord:
    """Write a shard, its errors and its record."""
    files.job.write(SHARD, files.shard)
    if failures or incomplete:
        files.job.write(b'{"reason": "bad"}\n', *files.errors)
    record = UnitRecord(
        unit="part-000000-000000",
        shard=files.shard,
        size=len(SHARD),
        sha256=hashlib.sha256(SHARD).hexdigest(),
        failures=failures,
        incomplete=incomplete,
    )
    files.finish(record)
    return record


def test_a_finished_unit_is_found_again(files: UnitFiles) -> None:
    assert files.find() == (None, False)
    record = finish(files, failures=1)
    assert files.find() == (record, False)


def test_an_incomplete_unit_is_to_be_done_again_without_being_damaged(files: UnitFiles) -> None:
    finish(files, incomplete=True)
    assert files.find() == (None, False)


@pytest.mark.parametrize("harm", ["cut", "flip", "remove", "record", "other record", "errors"])
def test_damage_to_a_shard_its_record_or_its_errors_is_noticed(files: UnitFiles, tmp_path: Path, harm: str) -> None:
    finish(files, failures=1)
    shard = tmp_path / "out" / "part-000000-000000.jsonl"
    record = tmp_path / "out" / "_units" / "part-000000-000000.json"
    if harm == "cut":
        shard.write_bytes(SHARD[:-1])
    elif harm == "flip":
        shard.write_bytes(b"x" + SHARD[1:])
    elif harm == "remove":
        shard.unlink()
    elif harm == "record":
        record.write_bytes(record.read_bytes()[:-1])
    elif harm == "other record":
        record.write_text('{"unit": "part-000000-000000"}')
    else:
        (tmp_path / "out" / "_units" / "part-000000-000000.errors.jsonl").unlink()
    assert files.find() == (None, True)


def test_attempts_are_counted_until_the_worker_leaves_alive(files: UnitFiles, tmp_path: Path) -> None:
    assert files.attempts() == 0
    for attempts in range(3):
        files.begin(attempts)
        assert files.attempts() == attempts + 1
    files.leave()
    assert files.attempts() == 0
    (tmp_path / "out" / "_units" / "part-000000-000000.begun").write_bytes(b"")  # a full disk
    assert files.attempts() == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"unit": "a", "shard": "b", "size": 1}'])
def test_what_is_no_record_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a record|Expecting value"):
        UnitRecord.from_json(text)


@given(st.lists(st.binary(max_size=20)))
def test_a_hashing_stream_knows_what_went_through_it(parts: list[bytes]) -> None:
    below = io.BytesIO()
    stream = HashingStream(below)
    assert [stream.write(memoryview(part)) for part in parts] == list(map(len, parts))
    whole = b"".join(parts)
    assert below.getvalue() == whole
    assert (stream.size, stream.tell(), stream.sha256()) == (
        len(whole),
        len(whole),
        hashlib.sha256(whole).hexdigest(),
    )


def test_a_stream_that_discards_writes_nothing_below() -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

        flush = write  # type: ignore[assignment]

    stream = HashingStream(Full())
    with pytest.raises(OSError, match="No space left"):
        stream.write(b"abc")
    stream.discard()
    assert stream.write(b"abc") == 3
    stream.flush()
    stream.close()
