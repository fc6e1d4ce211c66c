"""Requests for more than plain trees give what the parser's keyword arguments give."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_args

import httpx
import pytest

from spanlin.decoding import Constraints
from spanlin.decoding.decode import Decoder
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from spanlin.text import tokenize
from spanlin.trees.tree import Span

TEXT = "I saw the man with the telescope. Dogs bark."
WORDS = [list(sentence.words) for sentence in tokenize(TEXT)]


def sentences(client: httpx.Client, **body: Any) -> list[dict[str, Any]]:
    answer = client.post("/v1/parse", json=body)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = [one for result in answer.json()["results"] for one in result["sentences"]]
    return found


@pytest.mark.parametrize(
    "options",
    [
        *({"decoder": decoder} for decoder in get_args(Decoder)),
        {"root_label": "FRAG"},
        {"k_best": 3},
        {"scores": True},
        {"marginals": True},
        {"decoder": "cky", "scores": True, "marginals": True, "root_label": "NP"},
    ],
)
def test_options_are_the_parsers(client: httpx.Client, parser: Parser, options: dict[str, Any]) -> None:
    expected = [parsed.to_json() for parsed in parser.parse(TEXT, ParseOptions(**options))]
    assert sentences(client, text=TEXT, **options) == expected
    more = {"k_best", "scores", "marginals"} & options.keys()
    answer = client.post("/v1/parse", json={"text": TEXT, "format": "brackets", **options})
    if more:  # what an answer of brackets has no room for
        assert answer.status_code == 422
        message = answer.json()["error"]["message"]
        assert message.partition(":")[0] in more
        assert message.endswith("format brackets gives one tree per sentence; ask for format json")
    else:
        assert answer.json()["results"] == [{"brackets": [found["brackets"] for found in expected]}]


def test_alternatives_know_their_places_in_the_text(client: httpx.Client) -> None:
    first = sentences(client, text=TEXT, k_best=2)[0]
    assert len(first["alternatives"]) == 1
    assert first["alternatives"][0]["offsets"] == first["offsets"] is not None


def test_constraints_are_those_of_the_sentence_they_name(client: httpx.Client, parser: Parser) -> None:
    wanted = [{"item": 1, "sentence": 0, "required": [[2, 7]]}, {"item": 1, "sentence": 0, "forbidden": [[4, 7]]}]
    found = sentences(client, texts=["", TEXT], constraints=wanted)
    constraints = Constraints(required=(Span(2, 7),), forbidden=(Span(4, 7),))
    expected = parser.parse_tokens(WORDS, constraints=[constraints, None])
    assert [one["brackets"] for one in found] == [parsed.brackets() for parsed in expected]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constraints": [{"required": [[0, 3], [2, 5]]}]}, "cross: no tree has both"),
        ({"constraints": [{"required": [[0, 99]]}]}, "required constituent (0, 99)"),
        ({"constraints": [{"required": [[0, 2, "Q"]]}]}, "no label 'Q': the model knows"),
        ({"constraints": [{"required": [[0, 2]]}], "decoder": "cky"}, "leave out 'cky'"),
        ({"root_label": "NOPE"}, "NOPE"),
        ({"decoder": "strict", "k_best": 2}, "k_best"),
    ],
)
def test_what_the_parser_refuses_is_a_422_with_its_words(
    client: httpx.Client, options: dict[str, Any], message: str
) -> None:
    answer = client.post("/v1/parse", json={"text": TEXT, **options})
    assert answer.status_code == 422, answer.text
    assert message in answer.json()["error"]["message"]
    assert "\n" not in answer.json()["error"]["message"]


def test_requests_of_all_kinds_at_once_get_their_own_answers(client: httpx.Client) -> None:
    bodies: list[dict[str, Any]] = [
        {"text": f"Number {number} is here. {'Dogs bark. ' * (number % 4)}", **options}
        for number in range(12)
        for options in (
            {},
            {"decoder": "cky"},
            {"constraints": [{"required": [[0, 2]]}]},
            {"constraints": [{"required": [[0, 90]]}]},
        )
    ]
    alone = [client.post("/v1/parse", json=body) for body in bodies]
    with ThreadPoolExecutor(12) as pool:
        together = list(pool.map(lambda body: client.post("/v1/parse", json=body), bodies))
    assert [one.status_code for one in together] == [one.status_code for one in alone] == [200, 200, 200, 422] * 12
    # An int8 model may call a close tag otherwise in other company, so words are compared, which none other has.
    for one, other in zip(together, alone, strict=True):
        if one.status_code == 200:
            assert _known(one) == _known(other)
        else:
            assert one.json()["error"]["message"] == other.json()["error"]["message"]


def _known(answer: httpx.Response) -> list[tuple[list[str], str]]:
    return [(found["words"], found["decoder"]) for found in answer.json()["results"][0]["sentences"]]
