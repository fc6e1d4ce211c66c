"""What each route answers, over a real connection."""

from __future__ import annotations

import json
from typing import Any, get_args

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanlin import __version__
from spanlin.decoding.decode import Decoder
from spanlin.parser import Parser
from spanlin.server.settings import ServerSettings

TEXT = "She loves writing code. Dogs (mostly) bark."


def parse(client: httpx.Client, **body: Any) -> list[dict[str, Any]]:
    answer = client.post("/v1/parse", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()
    assert found["model"] == "en"
    results: list[dict[str, Any]] = found["results"]
    return results


def error(answer: httpx.Response, status: int) -> str:
    """Return an error's message, which has the one form that all errors have."""
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    found = answer.json()["error"]
    assert sorted(found) == ["code", "message", "request_id"]
    assert found["code"].replace("_", "").isalpha()
    assert found["message"]
    assert "\n" not in found["message"]
    return str(found["message"])


def test_a_text_gives_what_the_parser_gives(client: httpx.Client, parser: Parser) -> None:
    assert parse(client, text=TEXT) == [{"sentences": [parsed.to_json() for parsed in parser.parse(TEXT)]}]


def test_offsets_are_those_of_each_text(client: httpx.Client) -> None:
    texts = ["Dogs bark.", "", "  \n ", "Äpfel 🍎 fall. Why?"]
    results = parse(client, texts=texts)
    assert [len(result["sentences"]) for result in results] == [1, 0, 0, 2]
    for text, result in zip(texts, results, strict=True):
        for sentence in result["sentences"]:
            assert [text[start:end] for start, end in sentence["offsets"]] == sentence["words"]


def test_offsets_are_in_utf_16_if_asked_for(client: httpx.Client) -> None:
    texts = ["Dogs 🍎 bark 𝒳. 🇬🇧 🍎!", "No pairs."]
    results = parse(client, texts=texts, offsets="utf-16", k_best=2)
    for text, result in zip(texts, results, strict=True):
        units = text.encode("utf-16-le")
        for sentence in result["sentences"]:
            for one in (sentence, *sentence.get("alternatives", [])):
                found = [units[2 * start : 2 * end].decode("utf-16-le") for start, end in one["offsets"]]
                assert found == sentence["words"]
                for phrase in one["constituents"]:
                    cut = units[2 * phrase["start"] : 2 * phrase["end"]].decode("utf-16-le")
                    assert cut == phrase["text"]
    plain = parse(client, texts=texts, k_best=2)
    assert plain == parse(client, texts=texts, offsets="code-points", k_best=2) != results
    assert plain[1] == results[1]
    (tokens,) = parse(client, tokens=[["🍎", "a"]], offsets="utf-16")
    assert tokens["sentences"][0]["offsets"] is None


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


def test_tokens_come_back_as_they_were(client: httpx.Client, parser: Parser) -> None:
    tokens = [["She", "loves", "(", "code", ")"], [], ["Yes"]]
    results = parse(client, tokens=tokens)
    assert results == [{"sentences": [parsed.to_json()]} for parsed in parser.parse_tokens(tokens)]
    assert [result["sentences"][0]["words"] for result in results] == tokens


def test_brackets_alone_are_those_of_the_whole_answer(client: httpx.Client) -> None:
    texts = [TEXT, "", "Yes!"]
    assert parse(client, texts=texts, format="brackets") == [
        {"brackets": [sentence["brackets"] for sentence in result["sentences"]]}
        for result in parse(client, texts=texts)
    ]


def test_no_texts_and_no_tokens_give_no_results(client: httpx.Client) -> None:
    assert parse(client, texts=[]) == parse(client, tokens=[]) == []


@settings(max_examples=40, deadline=None)
@given(
    texts=st.lists(st.text(st.characters(), max_size=40), max_size=3), tokens=st.lists(st.lists(st.text(max_size=8)))
)
def test_no_text_and_no_token_is_too_strange(client: httpx.Client, texts: list[str], tokens: list[list[str]]) -> None:
    """Lone surrogates too, which only an escape can carry, and which are escaped on the way back."""
    headers = {"Content-Type": "application/json"}
    bodies: list[dict[str, list[Any]]] = [{"texts": texts}, {"tokens": tokens}]
    for body in bodies:
        answer = client.post("/v1/parse", content=json.dumps(body), headers=headers)
        assert answer.status_code == 200, answer.text
        assert len(answer.json()["results"]) == len(next(iter(body.values())))
    assert [result["sentences"][0]["words"] for result in answer.json()["results"]] == tokens


def test_a_lone_surrogate_comes_back(client: httpx.Client) -> None:
    body = b'{"tokens": [["a\\ud800", "b"]]}'
    answer = client.post("/v1/parse", content=body, headers={"Content-Type": "application/json; charset=utf-8"})
    assert answer.json()["results"][0]["sentences"][0]["words"] == ["a\ud800", "b"]


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
        (b"[]", 422, "the body: "),
        (b"null", 422, "the body: "),
        (b"{}", 422, "give one of text, texts and tokens, got none"),
        (b'{"text": "a", "texts": ["b"]}', 422, "got text and texts"),
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
        (b'{"text": "a", "k_best": 21}', 422, "k_best: at most 20, got 21"),
        (b'{"text": "a", "scores": 1}', 422, "scores: "),
        (b'{"text": "a", "offsets": "bytes"}', 422, "offsets: input should be 'code-points' or 'utf-16'"),
        (b'{"text": "a", "format": "brackets", "k_best": 2}', 422, "k_best: format brackets gives one tree per"),
        (b'{"text": "a", "format": "brackets", "scores": true}', 422, "scores: format brackets gives one tree"),
        (b'{"text": "a", "format": "brackets", "marginals": true}', 422, "marginals: format brackets gives one tree"),
        (b'{"text": "a", "format": "xml"}', 422, "format: "),
        (b'{"text": "a", "constraints": [{"required": [[1]]}]}', 422, "constraints[0].required[0][1]: "),
        (b'{"text": "a", "constraints": [{"required": [[-1, 1]]}]}', 422, "constraints[0].required[0][0]: "),
        (b'{"text": "a", "constraints": [{"item": 1}]}', 422, "constraints[0]: there is no item 1, only 1 from 0"),
        (b'{"text": "a", "constraints": [{"sentence": 1}]}', 422, "item 0 has no sentence 1, only 1 from 0"),
    ],
)
def test_a_request_that_is_wrong_is_told_where(client: httpx.Client, body: bytes, status: int, message: str) -> None:
    answer = client.post("/v1/parse", content=body, headers={"Content-Type": "application/json"})
    found = error(answer, status)
    assert message in found
    assert len(found) < 400


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "text/plain"}, {"Content-Type": "application/jsonp"}])
def test_a_body_must_say_that_it_is_json(client: httpx.Client, headers: dict[str, str]) -> None:
    assert "Content-Type: application/json" in error(client.post("/v1/parse", content=b"{}", headers=headers), 415)


def test_other_paths_and_methods_have_errors_of_the_same_form(client: httpx.Client) -> None:
    assert "nothing at this path" in error(client.get("/nothing/<b>here</b>"), 404)
    assert "nothing at this path" in error(client.get("/static/../app.py"), 404)
    assert "nothing at this path" in error(client.get("/static/%2e%2e/app.py"), 404)
    assert "nothing at this path" in error(client.get("/static/none.js"), 404)
    answer = client.get("/v1/parse")
    assert "does not take this method" in error(answer, 405)
    assert answer.headers["allow"] == "POST"
    assert "does not take this method" in error(client.delete("/health"), 405)


def test_the_model_tells_what_it_is(client: httpx.Client, parser: Parser) -> None:
    found = client.get("/v1/model").json()
    assert (found["name"], found["precision"], found["version"]) == ("en", parser.folder.precision, __version__)
    assert found["calibrated"] is True
    assert {"S", "NP", "VP"} <= set(found["labels"])
    assert not any("+" in label for label in found["labels"])
    assert found["tags"] == list(parser.folder.tags)
    assert found["decoders"] == [*get_args(Decoder), "labelled"]
    assert found["limits"] == ServerSettings().limits()


def test_trees_are_scored(client: httpx.Client) -> None:
    gold = "(TOP (S (NP (NNS Dogs)) (VP (VBP bark))))"
    other = "(TOP (S (NP (NN Dogs)) (NP (VBP bark))))"
    found = client.post("/v1/evaluate", json={"gold": [gold, gold], "predicted": [gold, other]}).json()
    assert (found["matched"], found["gold"], found["predicted"]) == (5, 6, 6)
    assert found["f1"] == pytest.approx(100 * 5 / 6)
    assert (found["complete_match"], found["tagging_accuracy"]) == (50, 75)
    assert found["by_label"]["VP"]["recall"] == 50


def test_a_tree_may_be_missing_from_the_predicted_ones_alone(client: httpx.Client) -> None:
    gold = "(TOP (NP (NNS Dogs)))"
    found = client.post("/v1/evaluate", json={"gold": [gold, gold], "predicted": ["", gold]}).json()
    assert found["sentences"] == {"all": 2, "valid": 1, "error": 0, "skipped": 1}
    answer = client.post("/v1/evaluate", json={"gold": [gold, " "], "predicted": [gold, gold]})
    assert error(answer, 422) == "gold[1]: there is no tree"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"gold": ["(S (A a))"], "predicted": []}, "1 gold trees but 0 predicted ones"),
        ({"gold": ["(S (A a)"], "predicted": ["(S (A a))"]}, "gold[0], line 1, column "),
        ({"gold": ["(S (A a))"], "predicted": ["(S (A a)) (B b)"]}, "predicted[0]: expected one tree"),
        ({"gold": ["(S (A a))"]}, "predicted: field required"),
        ({"gold": "(S (A a))", "predicted": []}, "gold: input should be a valid list"),
    ],
)
def test_trees_that_cannot_be_scored_are_named(client: httpx.Client, body: dict[str, Any], message: str) -> None:
    assert message in error(client.post("/v1/evaluate", json=body), 422)


def test_deep_trees_are_scored(client: httpx.Client) -> None:
    tree = "(X " * 20_000 + "(A a)" + ")" * 20_000
    assert client.post("/v1/evaluate", json={"gold": [tree], "predicted": [tree]}).json()["f1"] == 100


def test_metrics_count_requests_sentences_and_batches(client: httpx.Client) -> None:
    def figures() -> dict[str, float]:
        lines = client.get("/metrics").text.splitlines()
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line[0] != "#"}

    before = figures()
    parse(client, texts=["Dogs bark. Cats don't.", "Why?"])
    client.post("/v1/parse", json={})
    client.get("/nothing")
    after = figures()

    def growth(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert growth("spanlin_sentences_total") == 3
    assert growth("spanlin_batch_sentences_sum") == 3
    assert growth('spanlin_requests_total{route="/v1/parse",status="200"}') == 1
    assert growth('spanlin_requests_total{route="/v1/parse",status="422"}') == 1
    assert growth('spanlin_requests_total{route="other",status="404"}') == 1
    assert growth('spanlin_request_seconds_count{route="/v1/parse"}') == 2
    assert after["spanlin_queue_sentences"] == 0
