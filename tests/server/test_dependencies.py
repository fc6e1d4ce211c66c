"""Dependencies through the service and its client, of a network that scores them."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from joint_networks import SENTENCES as ALL_SENTENCES
from joint_networks import joint_folder
from running_service import run_app
from spanlin import Constraints, Parser
from spanlin.client import Client
from spanlin.errors import ServiceError
from spanlin.model_folder.lookup import find_model
from spanlin.server.app import create_app
from spanlin.server.schema import ParseAnswer
from trees_alone import trees_alone

SENTENCES = ALL_SENTENCES[:5]
KEYS = {"heads", "relations", "universal_tags", "arc_probabilities"}
KEYS |= {"dependencies_certified", "dependencies_calibrated"}


@pytest.fixture(scope="module")
def joint(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    return Parser.load(joint_folder(tmp_path_factory), threads=1)


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


def test_arcs_are_required_and_forbidden_through_the_client(service: httpx.Client, joint: Parser) -> None:
    wanted = [Constraints(required_arcs=[(2, 0)]), None, Constraints(forbidden_arcs=[(1, 2), (1, 0)])]
    with Client(str(service.base_url)) as client:
        found = client.parse_tokens(SENTENCES[:3], constraints=wanted)
        with pytest.raises(ServiceError, match=r"required arcs \(1, 2\) and \(1, 3\): a word has one head \(words: 1 "):
            client.parse_tokens(SENTENCES[:1], constraints=[Constraints(required_arcs=[(1, 2), (1, 3)])])
    assert found == joint.parse_tokens(SENTENCES[:3], constraints=wanted)
    assert found[0].heads is not None
    assert found[0].heads[1] == 0


def test_joint_decoding_is_not_for_services(service: httpx.Client) -> None:
    answer = service.post("/v1/parse", json={"tokens": SENTENCES[:1], "decoder": "joint"})
    assert answer.status_code == 422
    assert answer.json()["error"]["message"].startswith("decoder: input should be 'argmin'")
    assert "joint" not in service.get("/v1/model").json()["decoders"]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a service whose model has no dependencies."""
    folder = trees_alone(find_model("en"), tmp_path_factory.mktemp("trees-alone") / "en")
    with run_app(create_app(Parser.load(folder, threads=1))) as client:
        yield client


def test_arcs_of_a_model_without_dependencies_are_one_clear_error(alone: httpx.Client) -> None:
    asked = {"tokens": SENTENCES[:1], "constraints": [{"required_arcs": [[1, 0]]}]}
    answer = alone.post("/v1/parse", json=asked)
    assert answer.status_code == 422
    assert "was trained on trees alone and has no dependencies" in answer.json()["error"]["message"]


def test_a_model_without_dependencies_leaves_them_out(alone: httpx.Client) -> None:
    answer = alone.post("/v1/parse", json={"tokens": SENTENCES[:1]}).json()
    assert not KEYS & answer["results"][0]["sentences"][0].keys()
    model = alone.get("/v1/model").json()
    assert (model["relations"], model["universal_tags"]) == ([], [])
