"""From a request to its sentences, within the limits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.decoding import Constraints
from spanlin.runtime.options import ParseOptions
from spanlin.server.answers import RequestError
from spanlin.server.jobs import Work
from spanlin.server.reading import RequestSentences, read_sentences
from spanlin.server.schema import ParseRequest
from spanlin.server.settings import ServerSettings
from spanlin.text import tokenize

SMALL = ServerSettings(
    max_items=3,
    max_sentences=4,
    max_words=13,
    max_sentence_words=6,
    max_word_characters=20,
    max_cells=40,
    max_spans=2,
    max_k_best=2,
    queue_sentences=6,
)


def read(settings: ServerSettings = SMALL, **body: Any) -> RequestSentences:
    return read_sentences(ParseRequest.model_validate(body), settings)


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({}, 422, "give one of text, texts and tokens, got none"),
        ({"text": "a", "texts": ["b"]}, 422, "give one of text, texts and tokens, got text and texts"),
        ({"texts": ["a"] * 4}, 413, "texts: 4 items, but at most 3 per request: send several"),
        ({"tokens": [["a"]] * 4}, 413, "tokens: 4 items, but at most 3 per request"),
        ({"text": "Dogs bark. " * 5}, 413, "more than 4 sentences: send several requests"),
        ({"tokens": [["a"] * 5] * 3}, 413, "15 words, but at most 13 per request: send several"),
        ({"tokens": [["a"] * 7]}, 422, "tokens[0]: 7 words, but a sentence may have 6"),
        ({"tokens": [[], ["a" * 21]]}, 422, "sentence 2 has a word of 21 characters, but at most 20 are allowed"),
        ({"text": "a" * 21}, 422, "sentence 1 has a word of 21 characters"),
        (
            {"text": "a", "constraints": [{"required": [[0, 1]] * 3}]},
            413,
            "constraints: 3 spans and arcs, but at most 2",
        ),
        (
            {
                "text": "a",
                "constraints": [{"required": [[0, 1]], "required_arcs": [[1, 0]], "forbidden_arcs": [[2, 1]]}],
            },
            413,
            "constraints: 3 spans and arcs, but at most 2",
        ),
        ({"tokens": [["a"] * 4] * 3, "marginals": True}, 413, "times k_best, come to 48, but at most 40 are allowed"),
        ({"tokens": [["a"] * 6] * 2, "scores": True}, 413, "come to 72, but at most 40 are allowed"),
        ({"tokens": [["a"] * 4, ["b"] * 3], "k_best": 2}, 413, "come to 50, but at most 40 are allowed"),
        ({"text": "a", "k_best": 3}, 422, "k_best: at most 2, got 3"),
        ({"text": "a", "format": "brackets", "k_best": 2}, 422, "k_best: format brackets gives one tree per sentence"),
        ({"text": "a", "format": "brackets", "scores": True}, 422, "scores: format brackets gives one tree"),
        ({"text": "a", "format": "brackets", "marginals": True}, 422, "marginals: format brackets gives one tree"),
        ({"text": "a", "constraints": [{"item": 1}]}, 422, "constraints[0]: there is no item 1 (of 1, from 0)"),
        ({"text": "a", "constraints": [{"sentence": 1}]}, 422, "item 0 has no sentence 1 (of 1, from 0)"),
        ({"texts": ["", "a"], "constraints": [{}]}, 422, "item 0 has no sentence 0 (of 0, from 0)"),
    ],
)
def test_what_is_wrong_or_too_much_is_told(body: dict[str, Any], status: int, text: str) -> None:
    with pytest.raises(RequestError) as caught:
        read(**body)
    assert caught.value.status == status
    assert text in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        {"text": "Dogs bark. " * 4},
        {"texts": ["a", "b", "c"]},
        {"tokens": [["a"] * 6, ["a" * 20], ["a"] * 6]},
        {"tokens": [["a"] * 4, ["b"] * 2], "k_best": 2},
        {"tokens": [["a"] * 6] * 2},
        {"text": "a", "constraints": [{"required": [[0, 1]], "forbidden": [[0, 1]]}]},
    ],
)
def test_what_is_just_within_the_limits_is_read(body: dict[str, Any]) -> None:
    assert sum(read(**body).counts) == len(read(**body).words) > 0


def test_texts_become_sentences_that_know_their_item_and_place() -> None:
    texts = ["One. Two!", "", "Three?"]
    found = read(texts=texts)
    assert found.counts == [2, 0, 1]
    assert found.found == [sentence for text in texts for sentence in tokenize(text)]
    assert found.words == [sentence.words for sentence in found.found]


def test_a_sentence_of_a_text_that_is_too_long_is_cut() -> None:
    assert [len(words) for words in read(text="a b c d e f g h").words] == [6, 2]


def test_tokens_have_no_places_and_may_be_empty() -> None:
    found = read(tokens=[["a b", "("], []])
    assert (found.words, found.found, found.counts) == ([["a b", "("], []], [], [1, 1])


@given(st.text(st.sampled_from("ab 🍎𝒳é.\n"), max_size=40))
def test_offsets_may_count_units_of_utf_16(text: str) -> None:
    units = text.encode("utf-16-le")
    for sentence in read(ServerSettings(), text=text, offsets="utf-16").found:
        cut = [units[2 * start : 2 * end].decode("utf-16-le") for start, end in sentence.offsets]
        assert cut == list(sentence.words)
    assert read(ServerSettings(), text=text).found == tokenize(text)


def test_constraints_go_to_their_sentences_and_add_up() -> None:
    wanted = [
        {"item": 1, "sentence": 1, "required": [[0, 2, "NP"]]},
        {"item": 1, "sentence": 1, "forbidden": [[1, 2]]},
        {"item": 0},
    ]
    found = read(texts=["Go.", "One. Two!"], constraints=wanted)
    assert found.constraints == [
        Constraints(),
        None,
        Constraints(required=[(0, 2, "NP")], forbidden=[(1, 2)]),
    ]
    assert found.work.constrained


def test_arcs_go_to_their_sentences_and_add_up() -> None:
    wanted = [
        {"sentence": 1, "required_arcs": [[1, 2]]},
        {"sentence": 1, "required": [[0, 1]], "required_arcs": [[2, 0]], "forbidden_arcs": [[2, 1]]},
    ]
    found = read(ServerSettings(), text="One. Two!", constraints=wanted)
    both = Constraints(required=[(0, 1)], required_arcs=[(1, 2), (2, 0)], forbidden_arcs=[(2, 1)])
    assert found.constraints == [None, both]


def test_what_is_asked_for_is_the_kind_of_work() -> None:
    assert read(text="a").work == Work()
    assert read(text="a", format="brackets").work == Work(trees_only=True)
    asked: dict[str, Any] = {"decoder": "labelled", "root_label": "NP", "k_best": 2, "scores": True, "marginals": True}
    assert read(text="a", **asked).work == Work(options=ParseOptions(**asked))
