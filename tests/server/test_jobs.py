"""A request on its way: it is done with the last of its sentences, in whatever order they come."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.decoding import Constraints
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from spanlin.server.jobs import PendingRequest, Work, run_together
from spanlin.text import tokenize

SENTENCES = [["Dogs", "bark", "."], ["Cats", "sleep", "."], ["Yes"]]
PLAIN = Work()


def asked(work: Work = PLAIN, **others: Any) -> PendingRequest:
    return PendingRequest(work, others.pop("sentences", SENTENCES), loop=asyncio.get_running_loop(), **others)


def run(ask: Callable[[], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        return await ask()

    return asyncio.run(main())


@given(st.permutations(range(3)), st.integers(1, 2))
def test_results_stand_in_order_however_they_come(order: list[int], size: int) -> None:
    async def ask() -> list[bytes]:
        pending = asked()
        assert pending.word_count == 7
        groups = [order[:size], order[size:]]
        for group in groups:
            assert not pending.done.done()
            pending.put([(number, str(number).encode()) for number in group])
        return await pending.done

    assert run(ask) == [b"0", b"1", b"2"]


def test_the_first_error_is_the_answer_and_later_results_change_nothing() -> None:
    async def ask() -> str:
        pending = asked()
        pending.fail(ValueError("first"))
        pending.fail(ValueError("second"))
        pending.put([(number, b"") for number in range(3)])
        with pytest.raises(ValueError, match="first") as caught:
            await pending.done
        return str(caught.value)

    assert run(ask) == "first"


def test_a_request_that_was_given_up_or_whose_loop_is_gone_takes_results() -> None:
    async def ask() -> PendingRequest:
        pending = asked()
        pending.done.cancel()
        pending.put([(number, b"") for number in range(3)])
        await asyncio.sleep(0)
        assert pending.done.cancelled()
        return asked()

    run(ask).fail(ValueError("nobody listens"))


def test_plain_work_is_what_the_network_gives_in_either_format() -> None:
    assert Work().plain
    assert Work(trees_only=True).plain
    assert not Work(constrained=True).plain
    assert not Work(options=ParseOptions(decoder="cky")).plain


@pytest.mark.parametrize(
    "work", [Work(), Work(trees_only=True), Work(trees_only=True, options=ParseOptions(decoder="cky"))]
)
def test_sentences_of_several_requests_run_together_and_go_back_to_theirs(work: Work, parser: Parser) -> None:
    async def ask() -> list[list[bytes]]:
        one, two = asked(work), asked(work, sentences=[["No", "!"]])
        run_together(parser, [(one, 2), (two, 0), (one, 0), (one, 1)])
        return [await one.done, await two.done]

    parses = [parser.parse_tokens(sentences, work.options) for sentences in (SENTENCES, [["No", "!"]])]
    expected = [[parsed.brackets() if work.trees_only else parsed.to_json() for parsed in found] for found in parses]
    assert [[json.loads(one) for one in found] for found in run(ask)] == expected


def test_constraints_and_places_are_those_of_the_sentence(parser: Parser) -> None:
    sentences = tokenize("Dogs bark. I saw old dogs and cats.")
    wanted = [None, Constraints(required=[(2, 4, "NP")])]

    async def ask() -> list[bytes]:
        words = [sentence.words for sentence in sentences]
        pending = asked(Work(constrained=True), sentences=words, found=sentences, constraints=wanted)
        run_together(parser, [(pending, 1), (pending, 0)])
        return await pending.done

    first, second = map(json.loads, run(ask))
    assert first["offsets"][0] == [0, 4]
    assert second["offsets"][0] == [11, 12]
    assert ("NP", 2, 4) in [(one["label"], one["left"], one["right"]) for one in second["constituents"]]
