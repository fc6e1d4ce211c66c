"""The queue alone, with parsers that can be held back."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Generator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi")

from spanlin.decoding import Constraints
from spanlin.errors import ConstraintError
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from spanlin.server.batching import Batcher, QueueFullError
from spanlin.server.jobs import PendingRequest, Work

TREES = Work(trees_only=True)
OTHER = Work(trees_only=True, options=ParseOptions(decoder="cky"))
CONSTRAINED = Work(trees_only=True, constrained=True)


class Found:
    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def brackets(self) -> str:
        return " ".join(self.words)


class SlowParser(Parser):
    """Gives a sentence's words back once it is let go, and keeps what ran together; "!" is an error, "?" a bug."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.batches: list[list[Sequence[str]]] = []

    def bracket_lines(self, sentences: Any, *, batch_tokens: int = 0) -> Generator[str]:
        return (found.brackets() for found in self.stream_tokens(sentences))

    def stream_tokens(self, sentences: Any, *_: Any, **__: Any) -> Any:
        self.batches.append(list(sentences))
        assert self.free.wait(20)
        for words in sentences:
            if "!" in words:
                raise ConstraintError(f"cannot parse {' '.join(words)}")
            if "?" in words:
                raise ValueError("a bug")
            yield Found(words)


def make(parsers: Sequence[Parser], **changes: int) -> Batcher:
    limits: dict[str, Any] = {"queue_sentences": 1000, "queue_words": 9000, "batch_words": 10} | changes
    batcher = Batcher(parsers, **limits)
    batcher.start()
    return batcher


def job(sentences: Sequence[Sequence[str]], work: Work = TREES) -> PendingRequest:
    constraints = [Constraints()] * len(sentences) if work.constrained else ()
    return PendingRequest(work, sentences, constraints=constraints, loop=asyncio.get_running_loop())


async def until_taken(parser: SlowParser, batches: int = 1) -> None:
    while len(parser.batches) < batches:
        await asyncio.sleep(0.001)


SENTENCES = st.lists(st.lists(st.sampled_from(["a", "b", "c"]), max_size=6), max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SENTENCES, st.sampled_from([TREES, OTHER, CONSTRAINED])), max_size=12), st.integers(1, 3))
def test_every_job_gets_the_results_of_its_own_sentences_in_order(
    wanted: list[tuple[list[list[str]], Work]], workers: int
) -> None:
    async def run() -> None:
        parsers = [SlowParser() for _ in range(workers)]
        batcher = make(parsers)
        jobs = [job(sentences, work) for sentences, work in wanted]
        for number, one in enumerate(jobs):
            batcher.add(one)
            if number == len(jobs) // 2:
                for parser in parsers:
                    parser.free.set()
        for parser in parsers:
            parser.free.set()
        found = await asyncio.wait_for(asyncio.gather(*(one.done for one in jobs)), 20)
        assert [[json.loads(line) for line in lines] for lines in found] == [
            [" ".join(words) for words in sentences] for sentences, _ in wanted
        ]
        assert batcher.waiting == 0
        assert batcher.accepted == len(jobs)
        batcher.close(seconds=20)

    asyncio.run(run())


def test_what_comes_while_a_batch_runs_is_the_next_batch() -> None:
    async def run() -> None:
        parser = SlowParser()
        batcher = make([parser])
        jobs = [job([["one"]])]
        batcher.add(jobs[0])
        await until_taken(parser)
        jobs += [job([["two"]]), job([["three"], ["four"]])]
        for one in jobs[1:]:
            batcher.add(one)
        assert batcher.waiting == 3
        parser.free.set()
        await asyncio.gather(*(one.done for one in jobs))
        assert parser.batches == [[["one"]], [["two"], ["three"], ["four"]]]
        batcher.close(seconds=20)

    asyncio.run(run())


def test_a_batch_is_the_oldest_sentence_and_those_closest_to_it_in_length() -> None:
    async def run() -> None:
        parser = SlowParser()
        batcher = make([parser], batch_words=8)
        first = job([["x"]])
        batcher.add(first)
        await until_taken(parser)
        sentences = [["a"] * length for length in (3, 9, 1, 3, 2)]
        rest = job(sentences)
        batcher.add(rest)
        parser.free.set()
        await rest.done
        assert [[len(words) for words in batch] for batch in parser.batches[1:]] == [[3, 3, 2], [9], [1]]
        batcher.close(seconds=20)

    asyncio.run(run())


def test_idle_workers_share_what_comes() -> None:
    async def run() -> None:
        parsers = [SlowParser(), SlowParser()]
        batcher = make(parsers, batch_words=100)
        while batcher._idle < 2:
            await asyncio.sleep(0.001)
        one = job([["a"]] * 8)
        batcher.add(one)
        await asyncio.gather(*map(until_taken, parsers))
        assert [len(parser.batches[0]) for parser in parsers] == [4, 4]
        for parser in parsers:
            parser.free.set()
        await one.done
        batcher.close(seconds=20)

    asyncio.run(run())


def test_a_full_queue_says_when_to_come_again_and_takes_what_fits() -> None:
    async def run() -> None:
        parser = SlowParser()
        batcher = make([parser], queue_sentences=3)
        jobs = [job([["a"]])]
        batcher.add(jobs[0])
        await until_taken(parser)
        jobs.append(job([["b"], ["c"]]))
        batcher.add(jobs[1])
        with pytest.raises(QueueFullError, match="2 sentences are waiting already") as caught:
            batcher.add(job([["d"], ["e"]]))
        assert caught.value.seconds >= 1
        jobs.append(job([["f"]]))
        batcher.add(jobs[2])
        parser.free.set()
        await asyncio.gather(*(one.done for one in jobs))
        assert batcher.accepted == 3
        batcher.close(seconds=20)

    asyncio.run(run())


def test_a_queue_can_be_full_of_words_too() -> None:
    async def run() -> None:
        parser = SlowParser()
        batcher = make([parser], queue_words=5)
        jobs = [job([["a"] * 5])]
        batcher.add(jobs[0])
        await until_taken(parser)
        jobs.append(job([["b"] * 3]))
        batcher.add(jobs[1])
        with pytest.raises(QueueFullError):
            batcher.add(job([["c"] * 3]))
        jobs.append(job([["d"] * 2]))
        batcher.add(jobs[2])
        parser.free.set()
        await asyncio.gather(*(one.done for one in jobs))
        batcher.close(seconds=20)

    asyncio.run(run())


def test_a_dropped_job_is_not_begun_and_makes_room() -> None:
    async def run() -> None:
        parser = SlowParser()
        batcher = make([parser], queue_sentences=2)
        first, dropped = job([["a"]]), job([["b"], ["c"]])
        batcher.add(first)
        await until_taken(parser)
        batcher.add(dropped)
        batcher.drop(dropped)
        assert batcher.waiting == 0
        last = job([["d"], ["e"]])
        batcher.add(last)
        parser.free.set()
        await asyncio.gather(first.done, last.done)
        assert not dropped.done.done()
        assert parser.batches == [[["a"]], [["d"], ["e"]]]
        batcher.drop(last)  # nothing is left to drop
        batcher.close(seconds=20)

    asyncio.run(run())


def test_a_sentence_at_fault_fails_its_own_job_alone() -> None:
    async def run() -> None:
        parser = SlowParser()
        batcher = make([parser])
        first = job([["first"]])
        batcher.add(first)
        await until_taken(parser)
        good, bad, other = job([["a"]]), job([["b"], ["!"]]), job([["c"]])
        for one in (good, bad, other):
            batcher.add(one)
        parser.free.set()
        assert list(await asyncio.gather(good.done, other.done)) == [[b'"a"'], [b'"c"']]
        with pytest.raises(ConstraintError, match="cannot parse !"):
            await bad.done
        batcher.close(seconds=20)

    asyncio.run(run())


def test_a_worker_outlives_a_bug(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        parser = SlowParser()
        batcher = make([parser])
        batcher.add(job([["first"]]))
        await until_taken(parser)
        broken, beside = job([["?"]]), job([["b"]])
        batcher.add(broken)
        batcher.add(beside)
        parser.free.set()
        assert await beside.done == [b'"b"']
        with pytest.raises(ValueError, match="a bug"):
            await broken.done
        whole = job([["a"]])
        batcher.add(whole)
        assert await whole.done == [b'"a"']
        batcher.close(seconds=20)

    asyncio.run(run())
    assert "a batch failed" in caplog.text


@pytest.mark.parametrize("work", [OTHER, CONSTRAINED])
def test_a_job_for_more_than_plain_trees_stays_whole(work: Work) -> None:
    """Errors of the parser count its sentences."""

    async def run() -> None:
        parser = SlowParser()
        batcher = make([parser], batch_words=3)
        first = job([["first"]])
        batcher.add(first)
        await until_taken(parser)
        jobs = [job([[word]] * count, work) for word, count in (("a", 5), ("b", 1), ("c", 2), ("d", 1))]
        for one in jobs:
            batcher.add(one)
        parser.free.set()
        await asyncio.gather(*(one.done for one in jobs))
        assert parser.batches[1:] == [[["a"]] * 5, [["b"], ["c"], ["c"]], [["d"]]]
        batcher.close(seconds=20)

    asyncio.run(run())


def test_closing_finishes_what_was_accepted() -> None:
    async def run() -> None:
        parser = SlowParser()
        batcher = make([parser], batch_words=1)
        jobs = [job([[str(number)]]) for number in range(20)]
        for one in jobs:
            batcher.add(one)
        closing = asyncio.create_task(asyncio.to_thread(batcher.close, seconds=20))
        await asyncio.sleep(0.01)
        parser.free.set()
        found = await asyncio.gather(*(one.done for one in jobs))
        assert found == [[json.dumps(str(number)).encode()] for number in range(20)]
        await closing

    asyncio.run(run())


def test_closing_does_not_wait_longer_than_it_is_told() -> None:
    async def run() -> None:
        parser = SlowParser()
        batcher = make([parser])
        batcher.add(job([["a"]]))
        await until_taken(parser)
        start = time.perf_counter()
        batcher.close(seconds=0.05)
        assert time.perf_counter() - start < 5
        parser.free.set()

    asyncio.run(run())
