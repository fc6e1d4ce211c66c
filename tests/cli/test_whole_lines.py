from __future__ import annotations

import io
import signal
from collections.abc import Iterable, Iterator

import pytest

from spanlin.cli.whole_lines import WholeLines
from spanlin.stop_signals import Stopped


class InterruptedStream(io.BytesIO):
    """A stream during whose second write, in the middle, a signal comes."""

    def write(self, data: object) -> int:
        assert isinstance(data, bytes)
        super().write(data[:2])
        if self.getvalue().count(b"\n") == 1:
            signal.raise_signal(signal.SIGINT)
        super().write(data[2:])
        return len(data)


def write_all(output: WholeLines, records: Iterable[str]) -> None:
    for record in records:
        output.write(record)


def records_and_a_signal() -> Iterator[str]:
    yield "a"
    signal.raise_signal(signal.SIGTERM)
    yield "b"


def test_a_signal_during_a_write_waits_for_its_end() -> None:
    stream = InterruptedStream()
    output = WholeLines(stream)
    with output, pytest.raises(Stopped) as stopped:
        write_all(output, ["(TOP dogs)"] * 3)
    assert stream.getvalue() == b"(TOP dogs)\n" * 2
    assert output.written == 2
    assert stopped.value.exit_status == 130


def test_a_signal_between_two_writes_comes_at_once() -> None:
    stream = io.BytesIO()
    with WholeLines(stream) as output, pytest.raises(Stopped) as stopped:
        write_all(output, records_and_a_signal())
    assert (stream.getvalue(), stopped.value.exit_status) == (b"a\n", 143)


def test_afterwards_signals_mean_what_they_did_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    with WholeLines(io.BytesIO()):
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before


def test_every_record_is_written_as_utf_8() -> None:
    stream = io.BytesIO()
    with WholeLines(stream) as output:
        output.write("Ä\ud800")
    assert stream.getvalue() == "Ä\\ud800\n".encode()
