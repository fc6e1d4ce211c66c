from __future__ import annotations

import gc
import sys
import threading

import pytest

from spanlin.runtime.garbage import no_collections


def test_nothing_is_searched_meanwhile_and_everything_is_as_before_afterwards() -> None:
    assert gc.isenabled()
    with no_collections(), no_collections():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="so"), no_collections():
        raise ValueError("so")
    assert gc.isenabled()
    gc.disable()
    try:
        with no_collections():
            pass
        assert not gc.isenabled(), "who has turned it off wants it off"
    finally:
        gc.enable()


def test_threads_that_overlap_leave_it_on() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with no_collections():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with no_collections():
        thread.start()
        assert inside.wait(10)
    assert gc.isenabled(), "not off for as long as anybody is inside"
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_threads_that_come_and_go_leave_it_on() -> None:
    def stretches() -> None:
        for _ in range(20_000):
            with no_collections():
                pass

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=stretches) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert gc.isenabled()
    finally:
        sys.setswitchinterval(before)
        gc.enable()
