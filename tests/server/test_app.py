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
    ("path", "body", "status", "message"),
    [
        ("/v1/parse", b"{", 400, "the body is not JSON"),
        ("/v1/parse", b'{"text": "a", "txet": 1}', 422, "txet: unknown key"),
        ("/v1/parse", b'{"text": "a", "\\ud800": 1}', 422, ""),
        ("/v1/parse", b"{}", 422, "give one of text, texts and tokens, got none"),
        ("/v1/evaluate", b'{"gold": ["(S (A a))"], "predicted": []}', 422, "1 gold trees but 0 predicted ones"),
        ("/v1/evaluate", b'{"gold": ["(S (A a)"], "predicted": ["(S (A a))"]}', 422, "gold[0], line 1, column "),
    ],
)
def test_a_request_that_is_wrong_is_told_where(
    client: httpx.Client, path: str, body: bytes, status: int, message: str
) -> None:
    answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
    assert message in error(answer, status)


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


@pytest.mark.parametrize("path", ["/", "/static/app.js", "/static/style.css"])
def test_browsers_ask_again_for_the_files_of_the_page(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.headers["cache-control"] == "no-cache"
    again = client.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert again.headers["cache-control"] == "no-cache"
    assert again.status_code == (304 if path.startswith("/static/") else 200)


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
