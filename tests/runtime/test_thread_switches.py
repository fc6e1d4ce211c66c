from __future__ import annotations

import sys

from spanlin.runtime.thread_switches import quick_switches


def test_threads_switch_more_often_until_the_last_is_done() -> None:
    before = sys.getswitchinterval()
    first, second = quick_switches(), quick_switches()
    with first:
        with second:
            assert sys.getswitchinterval() < 0.001
        assert sys.getswitchinterval() < 0.001
    assert sys.getswitchinterval() == before


def test_an_interpreter_that_switches_even_more_often_is_left_alone() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.00005)
    try:
        with quick_switches():
            assert sys.getswitchinterval() < 0.0001
    finally:
        sys.setswitchinterval(before)
