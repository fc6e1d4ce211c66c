"""The service's description of itself, and whether it keeps to it."""

from __future__ import annotations

import warnings
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from spanlin.server.schema import EvaluateRequest, ParseRequest


def test_the_page_lists_every_route_and_loads_nothing_from_elsewhere(client: httpx.Client) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    loaded: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            assert tag not in {"script", "style", "iframe", "img"}
            loaded.extend(value or "" for name, value in attributes if name in {"src", "href"})
            assert not [name for name, _ in attributes if name.startswith("on") or name == "style"]

    Reader().feed(page.text)
    assert loaded == ["/docs.css", "/openapi.json"]
    assert client.get("/docs.css").headers["content-type"].startswith("text/css")
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in page.text
    for name in (*ParseRequest.model_fields, *EvaluateRequest.model_fields):
        assert f"<code>{name}</code>" in page.text


def test_every_reference_leads_somewhere(client: httpx.Client) -> None:
    found = client.get("/openapi.json").json()

    def references(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return own + [reference for value in part.values() for reference in references(value)]
        return [reference for value in part for reference in references(value)] if isinstance(part, list) else []

    schemas = found["components"]["schemas"]
    assert references(found)
    assert all(reference.removeprefix("#/components/schemas/") in schemas for reference in references(found))
    assert set(found["paths"]) == {"/v1/parse", "/v1/evaluate", "/v1/model", "/health", "/metrics"}


def test_the_examples_work(client: httpx.Client) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    for name in ("text", "tokens"):
        example = schemas["ParseRequest"]["properties"][name]["examples"][0]
        assert client.post("/v1/parse", json={name: example}).status_code == 200
    body = {name: item["examples"][0] for name, item in schemas["EvaluateRequest"]["properties"].items()}
    assert client.post("/v1/evaluate", json=body).status_code == 200


@pytest.mark.filterwarnings("default")  # whatever the tool itself warns of
@pytest.mark.slow
def test_schemathesis_finds_no_server_error_and_no_undescribed_answer(client: httpx.Client) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schemathesis = pytest.importorskip("schemathesis")
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

    schema = schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")
    schema.config.base_url = str(client.base_url)
    statuses: dict[str, set[int]] = {}
    few = settings(
        max_examples=60,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    def check(operation: Any) -> None:
        seen = statuses.setdefault(operation.label, set())

        @few
        @given(case=operation.as_strategy())
        def good(case: Any) -> None:
            response = case.call_and_validate(
                checks=[not_a_server_error, status_code_conformance, response_schema_conformance]
            )
            seen.add(response.status_code)

        @few
        @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE))
        def bad(case: Any) -> None:
            response = case.call_and_validate(checks=[not_a_server_error])
            seen.add(response.status_code)

        good()
        if operation.body:
            bad()

    for result in schema.get_all_operations():
        check(result.ok())
    assert {200, 422} <= statuses["POST /v1/parse"]
    assert 422 in statuses["POST /v1/evaluate"]
    assert statuses["GET /health"] == {200}
