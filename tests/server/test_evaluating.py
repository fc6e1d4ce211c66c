"""Trees in a request, and what they score."""

from __future__ import annotations

import pytest

from spanlin.errors import EvaluationError
from spanlin.server.answers import RequestError
from spanlin.server.evaluating import evaluate
from spanlin.server.schema import EvaluateRequest
from spanlin.server.settings import ServerSettings

TREE = "(TOP (NP (NNS Dogs)))"
SETTINGS = ServerSettings(max_trees=2)


def score(gold: list[str], predicted: list[str]) -> dict[str, object]:
    return evaluate(EvaluateRequest(gold=gold, predicted=predicted), SETTINGS)


def test_a_tree_may_be_missing_from_the_predicted_ones_alone() -> None:
    assert score([TREE, TREE], ["", TREE])["sentences"] == {"all": 2, "valid": 1, "error": 0, "skipped": 1}
    with pytest.raises(RequestError, match=r"^gold\[1\]: there is no tree$"):
        score([TREE, " "], [TREE, TREE])


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (["(S (A a)"], [TREE], r"^gold\[0\], line 1, column 1: this tree is never closed"),
        ([TREE, TREE], [TREE, "(S\n  (A a)))"], r"^predicted\[1\], line 2, column 9: this bracket closes nothing"),
        ([TREE], [f"{TREE} {TREE}"], r"^predicted\[0\]: expected one tree"),
    ],
)
def test_trees_that_cannot_be_read_are_named(gold: list[str], predicted: list[str], message: str) -> None:
    with pytest.raises(RequestError, match=message) as caught:
        score(gold, predicted)
    assert caught.value.status == 422


def test_different_numbers_of_trees_are_an_error() -> None:
    with pytest.raises(EvaluationError, match="1 gold trees but 0 predicted ones"):
        score([TREE], [])


@pytest.mark.parametrize(("gold_count", "predicted_count"), [(3, 0), (0, 3)])
def test_too_many_trees_are_not_even_read(gold_count: int, predicted_count: int) -> None:
    with pytest.raises(RequestError, match="at most 2 trees can be scored at a time") as caught:
        score(["(broken"] * gold_count, ["(broken"] * predicted_count)
    assert caught.value.status == 413


def test_deep_trees_are_scored() -> None:
    tree = "(X " * 20_000 + "(A a)" + ")" * 20_000
    assert score([tree], [tree])["f1"] == 100
