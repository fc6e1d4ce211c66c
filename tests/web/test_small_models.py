"""Small models with random weights in fp32, where nothing is rounded to int8: they answer as Python does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
from exported_networks import TREES, export_once
from node_scripts import run_script
from small_runs import random_dependencies, splits_of, untrained_model
from spanlin.decoding import Constraints
from spanlin.errors import ConstraintError
from spanlin.parser import Parser
from spanlin.runtime.options import TREE_DECODERS, ParseOptions
from spanlin.training.export import export_model
from tiny_encoders import make_encoder

pytestmark = pytest.mark.slow
SENTENCES = [list(tree.words) for tree in TREES[:20]]
LONG = [word for words in SENTENCES for word in words][:120]  # more pieces than the encoder reads at once


def differences(one: Any, other: Any, place: str = "", *, scale: float = 0.0) -> Iterator[str]:
    """Yield the places where two answers differ; fractions may in the fifth digit.

    Log-probabilities of a row are differences of its scores, so the rounding is that of the largest, which is in the
    thousands with random weights: they may differ in the sixth digit of that one.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        if list(one) != list(other):
            yield f"{place}: {list(one)} and {list(other)}"
        for key in one.keys() & other.keys():
            yield from differences(one[key], other[key], f"{place}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        numbers = [abs(number) for number in one if isinstance(number, float)]
        scale = 0.1 * max(numbers) if "log_probs" in place and numbers else 0.0
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{place}[{number}]", scale=scale)
    elif isinstance(one, float) and isinstance(other, int | float):
        if abs(one - other) > 1e-4 * max(1.0, scale or abs(one)):
            yield f"{place}: {one} and {other}"
    elif one != other:
        yield f"{place}: {one} and {other}"


def assert_answers_alike(folder: Path, sentences: list[list[str]], **options: Any) -> None:
    parser = Parser.load(folder, threads=1)
    (answer,) = run_script("answer_requests.mjs", [{"tokens": sentences, **options}], str(folder))
    found = [sentence for result in answer["results"] for sentence in result["sentences"]]
    wanted = [parsed.to_json() for parsed in parser.parse_tokens(sentences, ParseOptions(**options))]
    assert list(differences(wanted, found)) == []


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_once("encoder", tmp_path_factory).folder


@pytest.fixture(scope="module")
def with_dependencies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dependencies")
    words = [word for tree in TREES for word in tree.words]
    make_encoder(folder / "bert", words, limit=40)
    known = random_dependencies(splits_of(TREES), seed=9)
    changes = {"input": "pretrained", "pretrained": {"folder": str(folder / "bert")}}
    model = untrained_model(TREES, known=known, **changes)
    model.network.eval()
    return export_model(model, folder / "model")


@pytest.mark.parametrize("decoder", [decoder for decoder in TREE_DECODERS if decoder != "strict"])
def test_every_decoder_answers_alike(encoder: Path, decoder: str) -> None:
    assert_answers_alike(encoder, SENTENCES, decoder=decoder)


@pytest.mark.parametrize("options", [{"scores": True}, {"marginals": True}, {"k_best": 4}])
def test_every_option_answers_alike(encoder: Path, options: dict[str, Any]) -> None:
    assert_answers_alike(encoder, SENTENCES[:8], **options)


def test_a_sentence_of_several_windows_has_the_same_tree(encoder: Path) -> None:
    assert_answers_alike(encoder, [LONG])


def test_another_encoder_with_other_pieces_answers_alike(tmp_path_factory: pytest.TempPathFactory) -> None:
    assert_answers_alike(
        export_once("deberta", tmp_path_factory).folder, [*SENTENCES[:6], ["naïve", "Łódź", "東京", "…"]]
    )


def test_dependencies_are_the_same(with_dependencies: Path) -> None:
    parser = Parser.load(with_dependencies, threads=1)
    assert parser.has_dependencies
    assert_answers_alike(with_dependencies, [*SENTENCES, []])


@pytest.mark.parametrize(
    "wanted",
    [
        {"required_arcs": [(1, 0)]},
        {"required_arcs": [(2, 1), (1, 3)], "forbidden_arcs": [(3, 0)]},
        {"required": [(0, 2)], "forbidden_arcs": [(1, 2), (2, 1)]},
    ],
)
def test_constrained_arcs_are_the_same(with_dependencies: Path, wanted: dict[str, Any]) -> None:
    sentences = [words for words in SENTENCES if len(words) > 4][:5]
    parser = Parser.load(with_dependencies, threads=1)
    asked = [{"item": item, **wanted} for item in range(len(sentences))]
    (answer,) = run_script("answer_requests.mjs", [{"tokens": sentences, "constraints": asked}], str(with_dependencies))
    found = [sentence for result in answer["results"] for sentence in result["sentences"]]
    parses = parser.parse_tokens(sentences, constraints=[Constraints(**wanted)] * len(sentences))
    assert list(differences([parsed.to_json() for parsed in parses], found)) == []


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            {"required_arcs": [(1, 9)]},
            "required arc (1, 9): the word must be from 1 to 2, and its head another, or 0",
        ),
        ({"required_arcs": [(1, 0), (2, 0)]}, "required arcs (1, 0) and (2, 0): a dependency tree has one root"),
        ({"required_arcs": [(1, 2), (2, 1)]}, "no dependency tree of 2 words is left by what requires (1, 2), (2, 1)"),
        ({"required_arcs": [(1, 0)], "forbidden_arcs": [(1, 0)]}, "arc (1, 0) is both required and forbidden"),
    ],
)
def test_impossible_arcs_are_refused_alike(with_dependencies: Path, wanted: dict[str, Any], message: str) -> None:
    request = {"tokens": [["Dogs", "bark"]], "constraints": [wanted]}
    (answer,) = run_script("answer_requests.mjs", [request], str(with_dependencies))
    assert message in answer["error"]
    with pytest.raises(ConstraintError, match=re.escape(message)):
        Parser.load(with_dependencies, threads=1).parse_tokens([["Dogs", "bark"]], constraints=[Constraints(**wanted)])
