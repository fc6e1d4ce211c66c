from __future__ import annotations

import signal
import threading

import pytest

from spanlin.stop_signals import STOP_SIGNALS, Stopped, on_stop_signal, stop_on_signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_is_raised_and_a_second_one_would_end_the_process(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with stop_on_signals():
        with pytest.raises(Stopped) as stopped:
            signal.raise_signal(number)
        assert signal.getsignal(number) == signal.SIG_DFL
    assert stopped.value.exit_status == 128 + number
    assert signal.getsignal(number) == before


def test_what_is_ignored_stays_ignored() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with on_stop_signal(seen.append):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        with stop_on_signals():
            with pytest.raises(Stopped):
                signal.raise_signal(signal.SIGTERM)
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGTERM]


def test_what_another_program_handles_stays_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [signal.getsignal(number) for number in STOP_SIGNALS]
    get = signal.getsignal
    monkeypatch.setattr(signal, "getsignal", lambda number: None if number == signal.SIGTERM else get(number))
    with stop_on_signals():
        assert get(signal.SIGTERM) == before[1]
        with pytest.raises(Stopped):
            signal.raise_signal(signal.SIGINT)
        assert get(signal.SIGTERM) == before[1]
    assert [get(number) for number in STOP_SIGNALS] == before


def test_in_other_threads_nothing_changes() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def run() -> None:
        with stop_on_signals():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [before]
