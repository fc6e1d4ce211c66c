"""Requests, answers, errors and waiting, without a connection."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from spanlin.client.protocol import ServiceProtocol, evaluation_body, read_model
from spanlin.errors import (
    ConfigError,
    EvaluationError,
    RequestTooLargeError,
    ServiceBusyError,
    ServiceDownError,
    ServiceError,
    ServiceTimeoutError,
    ServiceTokenError,
)

ADDRESS = "http://host:8000"


def protocol(**changes: Any) -> ServiceProtocol:
    settings: dict[str, Any] = {"address": ADDRESS, "token": "", "timeout": 60.0, "retries": 3}
    return ServiceProtocol(**settings | changes)


def failed(status: int, message: str = "why", *, retries: int = 3) -> ServiceError:
    error = {"error": {"code": "a_code", "message": message}}
    response = httpx.Response(status, headers={"X-Request-ID": "abc"}, content=json.dumps(error).encode())
    with pytest.raises(ServiceError) as caught:
        protocol(retries=retries).read(response)
    return caught.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, ServiceTokenError),
        (408, ServiceTimeoutError),
        (413, RequestTooLargeError),
        (422, ServiceError),
        (500, ServiceError),
        (503, ServiceBusyError),
        (504, ServiceTimeoutError),
    ],
)
def test_an_error_is_of_the_kind_of_its_status_and_knows_its_request(status: int, kind: type[ServiceError]) -> None:
    error = failed(status)
    assert type(error) is kind
    assert (error.status, error.code, error.request_id) == (status, "a_code", "abc")
    assert str(error).startswith(f"{ADDRESS}: ")


def test_messages_are_one_line_and_say_what_to_do() -> None:
    assert str(failed(422, "not\n  so")) == f"{ADDRESS}: not so"
    assert str(failed(503, "many wait")) == f"{ADDRESS}: many wait (after 4 tries)"
    assert str(failed(503, "many wait", retries=0)) == f"{ADDRESS}: many wait"
    assert str(failed(401)) == (
        f"{ADDRESS}: the token is missing or wrong: give the one that the service was started with, as token="
    )


@pytest.mark.parametrize(
    ("status", "body"), [(502, b"<h1>Bad gateway</h1>"), (200, b"hello"), (404, b"[]"), (500, b'{"error": 1}')]
)
def test_what_is_not_from_a_service_is_asked_about(status: int, body: bytes) -> None:
    with pytest.raises(ServiceError, match=f"status {status}, and not from a spanlin service: is the address right"):
        protocol().read(httpx.Response(status, content=body))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({}, 1),
        ({"Retry-After": "9999"}, 30),
        ({"Retry-After": "soon"}, 1),
        ({"Retry-After": "-3"}, 1),
    ],
)
def test_a_busy_service_says_how_long_to_wait_but_not_for_ever(headers: dict[str, str], seconds: float) -> None:
    busy = httpx.Response(503, headers=headers)
    assert protocol().wait(busy, 1) == protocol().wait(busy, 3) == seconds
    assert protocol().wait(busy, 4) is None
    assert protocol(retries=0).wait(busy, 1) is None
    assert protocol().wait(httpx.Response(500, headers=headers), 1) is None


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (httpx.ReadTimeout("x"), ServiceTimeoutError, "no answer within 60 s: send less at a time, or give a longer"),
        (httpx.ConnectTimeout(""), ServiceDownError, "no service can be reached (ConnectTimeout): start one with"),
        (httpx.ConnectError("refused\nby it"), ServiceDownError, "no service can be reached (refused by it): start"),
        (httpx.ReadError("reset"), ServiceDownError, "the connection broke (reset): try again"),
    ],
)
def test_no_answer_is_an_error_of_one_line(error: httpx.HTTPError, kind: type[ServiceError], message: str) -> None:
    found = protocol().failed(error)
    assert type(found) is kind
    assert str(found).startswith(f"{ADDRESS}: {message}")
    assert (found.status, "\n" in str(found)) == (0, False)


def test_each_request_has_its_own_id_and_any_text_is_sent() -> None:
    one, two = (protocol().request("POST", "/v1/parse", {"text": "é\ud800"}) for _ in range(2))
    assert one["headers"]["X-Request-ID"] != two["headers"]["X-Request-ID"]
    assert json.loads(one["content"]) == {"text": "é\ud800"}
    assert protocol().request("POST", "/", {"text": "é"})["content"] == '{"text":"é"}'.encode()
    assert "content" not in protocol().request("GET", "/v1/model")


def test_the_token_goes_along_and_connecting_takes_less_than_answering() -> None:
    found = protocol(token="secret").connection()
    assert found["headers"] == {"Authorization": "Bearer secret"}
    assert (found["timeout"].read, found["timeout"].connect) == (60.0, 10.0)
    assert protocol(timeout=2.0).connection()["timeout"].connect == 2.0
    assert protocol().connection()["headers"] == {}


@pytest.mark.parametrize(
    "address", ["http://host", "https://host:1/below/", "http://[::1]:8000", "http://127.0.0.1:65535"]
)
def test_an_address_may_have_a_port_and_a_path(address: str) -> None:
    assert protocol(address=address).connection()["base_url"] == address


@pytest.mark.parametrize(
    "address",
    [
        *("", "localhost:8000", "ftp://host", "http://", "http://a b", "http://host:99999999", "http://host:x"),
        *("http://host:65536", "http://user:secret@host", "http://host?x", "http://host#x", "http://host\n"),
    ],
)
def test_an_address_is_checked(address: str) -> None:
    with pytest.raises(ConfigError, match="is not the address of a service: give one such as http://host:8000"):
        protocol(address=address)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"token": "a b"}, "token: may only have visible ASCII characters"),
        ({"token": "é"}, "token: may only have visible ASCII characters"),
        ({"timeout": 0}, "timeout must be above 0 seconds, got 0"),
        ({"timeout": float("inf")}, "timeout must be above 0 seconds, got inf"),
        ({"timeout": float("nan")}, "timeout must be above 0 seconds, got nan"),
        ({"retries": -1}, "retries must be from 0 to 100, got -1"),
        ({"retries": 101}, "retries must be from 0 to 100, got 101"),
    ],
)
def test_settings_are_checked(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        protocol(**wrong)
    assert "token" not in wrong or wrong["token"] not in str(caught.value)


MODEL = {
    "name": "en",
    "version": "1",
    "precision": "int8",
    "calibrated": False,
    "labels": ["S"],
    "tags": ["NN"],
    "decoders": ["argmin"],
    "limits": {"max_sentences": 5},
    "more": "of a later version",
}


def test_a_model_is_described_and_what_is_not_known_is_left_out() -> None:
    found = read_model(MODEL)
    assert (found.name, found.calibrated, found.labels, found.limits["max_sentences"]) == ("en", False, ("S",), 5)


@pytest.mark.parametrize("answer", [None, [], {}, {key: value for key, value in MODEL.items() if key != "tags"}])
def test_what_does_not_describe_a_model_is_an_error(answer: Any) -> None:
    with pytest.raises(ServiceError, match=r"^not an answer of a spanlin service: "):
        read_model(answer)


def test_no_token_is_none_too() -> None:
    assert "Authorization" not in protocol(token=None).connection()["headers"]


@pytest.mark.parametrize(
    "wrong", [{"address": None}, {"token": 3}, {"timeout": "x"}, {"timeout": None}, {"retries": "3"}, {"retries": 1.5}]
)
def test_values_of_another_type_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"address of a service|token|timeout|retries"):
        protocol(**wrong)


@pytest.mark.parametrize("trees", ["(S (A a))", None, 3])
def test_trees_to_evaluate_are_a_list(trees: Any) -> None:
    assert evaluation_body(["(A a)"], ("(A b)",)) == {"gold": ["(A a)"], "predicted": ["(A b)"]}
    with pytest.raises(EvaluationError, match=r"^gold: give a list of trees, not "):
        evaluation_body(trees, ["(A a)"])
    with pytest.raises(EvaluationError, match=r"^predicted: give a list of trees, not "):
        evaluation_body(["(A a)"], trees)
