"""Bodies of requests, and their answers, without a service."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.client import batches
from spanlin.client.batches import Batch, text_batches, token_batches
from spanlin.decoding import Constraints
from spanlin.errors import ServiceError, SpanlinError
from spanlin.parsed import Parsed
from spanlin.runtime.options import ParseOptions

PLAIN = ParseOptions()
EMPTY = Parsed(words=(), tags=(), tag_probabilities=(), brackets="", spans=()).to_json()


@given(st.lists(st.text(max_size=12), max_size=20), st.integers(1, 5), st.integers(1, 30))
def test_texts_come_in_order_in_batches_within_both_limits(texts: list[str], most: int, characters: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "_MOST_ITEMS", most)
        patch.setattr(batches, "_MOST_CHARACTERS", characters)
        found = list(text_batches(texts, PLAIN))
    assert [text for batch in found for text in batch.items] == texts
    for batch in found:
        assert 0 < len(batch.items) <= most
        assert len(batch.items) == 1 or sum(map(len, batch.items)) <= characters


def test_only_what_is_not_as_usual_is_sent() -> None:
    assert Batch("texts", ["a"], PLAIN).body() == {"texts": ["a"]}
    options = ParseOptions(k_best=2, scores=True)
    assert Batch("tokens", [["a"]], options).body() == {"tokens": [["a"]], "k_best": 2, "scores": True}


def test_constraints_name_their_item() -> None:
    wanted = [None, Constraints(required=[(0, 2, "NP")], forbidden=[(1, 2)]), Constraints()]
    (batch,) = token_batches(zip([["a"], ["b", "c"], ["d"]], wanted, strict=True), PLAIN)
    assert batch.body()["constraints"][0] == {"item": 1, "required": [[0, 2, "NP"]], "forbidden": [[1, 2]]}
    arcs = Constraints(required_arcs=[(2, 0)])
    (batch,) = token_batches([(["a", "b"], arcs)], PLAIN)
    assert batch.body()["constraints"] == [{"item": 0, "required": [], "forbidden": [], "required_arcs": [[2, 0]]}]
    (without,) = token_batches([(["a"], None)], PLAIN)
    assert (without.constraints, "constraints" in without.body()) == ((), False)


def test_halves_are_the_whole_with_the_constraints_that_belong_to_each() -> None:
    wanted = [Constraints(required=[(0, number + 1)]) for number in range(5)]
    (batch,) = token_batches([([str(number)] * 9, one) for number, one in enumerate(wanted)], PLAIN)
    halves = batch.halves()
    assert halves is not None
    assert [len(half.items) for half in halves] == [2, 3]
    assert [item for half in halves for item in half.items] == list(batch.items)
    assert [one for half in halves for one in half.constraints] == wanted
    assert Batch("texts", ["a"], PLAIN).halves() is None


def test_a_string_is_not_a_sentence_and_its_place_counts_from_the_start() -> None:
    found = token_batches([([str(number)], None) for number in range(250)] + [("words", None)], PLAIN)
    assert len(next(found).items) == 200
    with pytest.raises(SpanlinError, match=r"sentences\[250\] is a string, 'words', but a sentence is a list of words"):
        next(found)


def test_an_answer_has_the_parses_of_each_item() -> None:
    answer = {"results": [{"sentences": [EMPTY, EMPTY]}, {"sentences": []}]}
    found = Batch("texts", ["a", "b"], PLAIN).read(answer)
    assert [len(parses) for parses in found] == [2, 0]
    assert found[0][0].to_json() == EMPTY


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "TypeError"),
        ([], "TypeError"),
        ({}, "KeyError"),
        ({"results": [{}]}, "KeyError"),
        ({"results": [{"sentences": [{}]}]}, "not a sentence as Parsed.to_json gives it"),
        ({"results": []}, "0 results for 1 items"),
    ],
)
def test_what_is_not_an_answer_is_a_service_error(answer: Any, message: str) -> None:
    with pytest.raises(ServiceError, match=f"^not an answer of a spanlin service: .*{message}"):
        Batch("texts", ["a"], PLAIN).read(answer)


@pytest.mark.parametrize("texts", ["story", b"story", None])
def test_a_single_text_is_not_read_letter_by_letter(texts: Any) -> None:
    with pytest.raises(SpanlinError, match=r"^give a list of texts, not "):
        next(text_batches(texts, PLAIN))


def test_options_are_parse_options() -> None:
    with pytest.raises(SpanlinError, match=r"^options are 'cky': give ParseOptions"):
        next(text_batches(["a"], "cky"))  # type: ignore[arg-type]
    with pytest.raises(SpanlinError, match=r"^options are 'cky': give ParseOptions"):
        next(token_batches([(["a"], None)], "cky"))  # type: ignore[arg-type]
