"""Bodies of requests: what is taken, and where a wrong one is wrong."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from spanlin.parsed import Parsed
from spanlin.parsed_dependencies import ParsedDependencies
from spanlin.server.answers import RequestError
from spanlin.server.schema import EvaluateRequest, ModelAnswer, ParseRequest, SentenceAnswer, read_body


def read(**body: Any) -> ParseRequest:
    return read_body(json.dumps(body).encode(), ParseRequest)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"", 400, "the body is not JSON"),
        (b"{", 400, "the body is not JSON"),
        (b'{"text": "\xff"}', 400, "the body is not UTF-8 (byte 11)"),
        (b'{"text": "a", "k_best": NaN}', 400, "NaN is not a JSON number"),
        (b'{"k_best": -Infinity}', 400, "-Infinity is not a JSON number"),
        (b"[" * 100_000, 400, "nested too deeply"),
        (b'{"text":' + b'{"a":' * 50_000, 400, "nested too deeply"),
        (b'{"text": "a", "k_best": ' + b"9" * 5000 + b"}", 400, "the body is not JSON"),
        (b'{"text": "a", "k_best": ' + b"9" * 4000 + b"}", 422, "k_best: "),
        (b'{"text": "a", "k_best": 1e999}', 422, "k_best: "),
        (b"[]", 422, "the body: input should be a JSON object"),
        (b"null", 422, "the body: "),
        (b'{"text": 1}', 422, "text: input should be a valid string"),
        (b'{"texts": ["a", null]}', 422, "texts[1]: "),
        (b'{"tokens": [["a"], ["b", 2]]}', 422, "tokens[1][1]: "),
        (b'{"tokens": ["abc"]}', 422, "tokens[0]: "),
        (b'{"text": "a", "txet": 1}', 422, "txet: unknown key"),
        (b'{"text": "a", "<b>\\n%s": 1}' % (b"x" * 500), 422, "unknown key"),
        (b'{"text": "a", "\\ud800": 1}', 422, ""),
        (b'{"text": "a", "decoder": "magic"}', 422, "decoder: input should be 'argmin', 'largest'"),
        (b'{"text": "a", "k_best": true}', 422, "k_best: "),
        (b'{"text": "a", "k_best": 0}', 422, "k_best: "),
        (b'{"text": "a", "scores": 1}', 422, "scores: "),
        (b'{"text": "a", "offsets": "bytes"}', 422, "offsets: input should be 'code-points' or 'utf-16'"),
        (b'{"text": "a", "format": "xml"}', 422, "format: "),
        (b'{"text": "a", "constraints": [{"required": [[1]]}]}', 422, "constraints[0].required[0][1]: "),
        (b'{"text": "a", "constraints": [{"required": [[-1, 1]]}]}', 422, "constraints[0].required[0][0]: "),
        (
            b'{"text": "a", "constraints": [{"required_arcs": [[1, 2, "nsubj"]]}]}',
            422,
            "constraints[0].required_arcs[0]: ",
        ),
        (b'{"text": "a", "constraints": [{"forbidden_arcs": [[1, true]]}]}', 422, "forbidden_arcs[0][1]: "),
        (b'{"text": "a", "text": "b"}', 400, "the key 'text' appears twice"),
        (b'{"text": "a", "root_label": "%s"}' % (b"x" * 101), 422, "root_label: string should have at most 100"),
        (b'{"tokens": [[1, 2], [3]]}', 422, "tokens[0][0]: input should be a valid string (and 2 more)"),
        (b'{"text": "a", "constraints": [{"required": [[0, 1, ""]]}]}', 422, "constraints[0].required[0][2]: string"),
        (b'{"text": "a", "constraints": [{"required": [[0, 1, "A", 2]]}]}', 422, "constraints[0].required[0]: "),
    ],
)
def test_a_body_that_is_wrong_is_told_where_in_one_line(body: bytes, status: int, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_body(body, ParseRequest)
    assert caught.value.status == status
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


def test_spans_may_have_labels_and_stay_what_they_were() -> None:
    (found,) = read(text="a", constraints=[{"required": [[0, 2], [1, 3, "NP"]], "forbidden": [[0, 1]]}]).constraints
    assert (found.required, found.forbidden) == ([(0, 2), (1, 3, "NP")], [(0, 1)])
    assert (found.item, found.sentence) == (0, 0)


def test_arcs_are_a_word_and_its_head() -> None:
    (found,) = read(text="a", constraints=[{"required_arcs": [[1, 0]], "forbidden_arcs": [[2, 1]]}]).constraints
    assert (found.required_arcs, found.forbidden_arcs) == ([(1, 0)], [(2, 1)])
    assert (found.required, found.forbidden) == ([], [])


def test_a_key_that_was_given_is_known_from_its_default() -> None:
    assert read(text="").model_fields_set == {"text"}
    assert read(texts=[]).model_fields_set == {"texts"}


def test_trees_of_both_sides_are_needed() -> None:
    with pytest.raises(RequestError, match="predicted: field required"):
        read_body(b'{"gold": ["(S (A a))"]}', EvaluateRequest)
    with pytest.raises(RequestError, match="gold: input should be a valid list"):
        read_body(b'{"gold": "(S (A a))", "predicted": []}', EvaluateRequest)


def test_answers_are_as_documented_and_every_key_of_a_sentence_is_known(client: httpx.Client) -> None:
    empty = Parsed(words=(), tags=(), tag_probabilities=(), brackets="", spans=())
    found = empty.to_json()
    assert SentenceAnswer.model_validate(found).model_dump(mode="json", exclude_unset=True) == found
    empty.dependencies = ParsedDependencies((), (), (), (), True)
    with_dependencies = empty.to_json()
    assert SentenceAnswer.model_validate(with_dependencies).model_dump(mode="json") == with_dependencies
    assert SentenceAnswer.model_fields.keys() <= with_dependencies.keys()
    model = client.get("/v1/model").json()
    assert ModelAnswer.model_fields.keys() == model.keys()


def test_the_schema_says_what_offsets_count(client: httpx.Client) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    assert schemas["ParseRequest"]["properties"]["offsets"]["default"] == "code-points"
    for description in (
        schemas["ParseRequest"]["properties"]["offsets"]["description"],
        schemas["SentenceAnswer"]["properties"]["offsets"]["description"],
        schemas["ConstituentAnswer"]["properties"]["start"]["description"],
    ):
        assert "code points" in description
        assert "UTF-16" in description
