"""Dependencies through the service and its client, of a network that scores them."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from exported_networks import JOINT_TREES, export_joint_once
from running_service import run_app
from spanlin import Parser
from spanlin.client import Client
from spanlin.server.app import create_app
from spanlin.server.schema import ParseAnswer

SENTENCES = [list(tree.words) for tree in JOINT_TREES[:5]]
KEYS = {"heads", "relations", "universal_tags", "arc_probabilities", "dependencies_certified"}


@pytest.fixture(scope="module")
def joint(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    return Parser.load(export_joint_once(tmp_path_factory).folder, threads=1)


@pytest.fixture(scope="module")
def service(joint: Parser) -> Iterator[httpx.Client]:
    with run_app(create_app(joint)) as client:
        yield client


def test_sentences_have_dependencies_as_the_schema_says(service: httpx.Client, joint: Parser) -> None:
    answer = service.post("/v1/parse", json={"tokens": SENTENCES}).json()
    found = [result["sentences"][0] for result in answer["results"]]
    for sentence, parsed in zip(found, joint.parse_tokens(SENTENCES), strict=True):
        assert sentence["heads"] == list(parsed.heads or ())
        assert sentence["relations"] == list(parsed.relations or ())
    described = service.get("/openapi.json").json()["components"]["schemas"]["SentenceAnswer"]
    assert described["properties"].keys() >= KEYS
    assert not KEYS & set(described["required"])
    assert ParseAnswer.model_validate(answer).results[0].sentences[0].heads == found[0]["heads"]


def test_the_client_gives_the_parsers_dependencies_and_the_models_relations(
    service: httpx.Client, joint: Parser
) -> None:
    with Client(str(service.base_url)) as client:
        found = client.parse_tokens(SENTENCES)
        model = client.model()
    expected = joint.parse_tokens(SENTENCES)
    assert [one.to_conllu() for one in found] == [one.to_conllu() for one in expected]
    assert model.relations == joint.folder.relations
    assert model.universal_tags == joint.folder.universal_tags
    assert model.relations


def test_a_model_without_dependencies_leaves_them_out(client: httpx.Client) -> None:
    answer = client.post("/v1/parse", json={"tokens": SENTENCES[:1]}).json()
    assert not KEYS & answer["results"][0]["sentences"][0].keys()
    model = client.get("/v1/model").json()
    assert (model["relations"], model["universal_tags"]) == ([], [])
