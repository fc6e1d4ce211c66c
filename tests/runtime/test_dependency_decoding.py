from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from spanlin.decoding.heads import are_trees, decode_heads
from spanlin.runtime.backend import SELDOM_READ, Arrays, Backend
from spanlin.runtime.dependency_decoding import find_dependencies

WIDTH, RELATIONS = 5, 4


class FakeBackend:
    """Scores relations by the sums of the two halves, and counts the arcs it was asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def relate(
        self, heads: NDArray[np.float32], dependents: NDArray[np.float32], roots: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        self.asked += len(heads)
        return with_root_alone((heads + dependents)[:, :RELATIONS], roots)


def with_root_alone(scores: NDArray[np.float32], roots: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Scores of relations as a network gives them in which the root alone has the relation 1."""
    is_root = np.arange(RELATIONS) == 1
    return np.where(is_root == roots[..., np.newaxis], scores, np.float32(-1e4))


def random_outputs(counts: NDArray[np.int64], *, seed: int, sharpness: float) -> Arrays:
    """Outputs of a graph for sentences of these lengths, padded by two words more."""
    random = np.random.default_rng(seed)
    batch, words = len(counts), int(counts.max()) + 2
    scores = sharpness * random.standard_normal((batch, words, words + 1))
    places = np.arange(words + 1)
    possible = (places <= counts[:, None])[:, None] & (places[1:, None] != places)
    scores = np.where(possible | (places == 0), scores, -1e4)
    log_probs = (scores - np.log(np.exp(scores).sum(axis=2, keepdims=True))).astype(np.float32)
    heads = log_probs.argmax(axis=2)
    by_head = random.standard_normal((batch, words + 1, WIDTH)).astype(np.float32)
    by_dependent = random.standard_normal((batch, words, WIDTH)).astype(np.float32)
    rows = np.arange(batch)[:, None]
    relations = with_root_alone((by_head[rows, heads] + by_dependent)[:, :, :RELATIONS], heads == 0).argmax(axis=2)
    return {
        "heads": heads,
        "relations": relations,
        "universal_tags": random.integers(0, 3, (batch, words)),
        "arc_log_probs": log_probs,
        "relation_heads": by_head,
        "relation_dependents": by_dependent,
    }


@pytest.mark.parametrize("sharpness", [0.5, 3.0])
def test_heads_are_those_of_the_best_tree_and_relations_go_with_them(sharpness: float) -> None:
    counts = np.random.default_rng(1).integers(1, 9, 60)
    found = random_outputs(counts, seed=2, sharpness=sharpness)
    backend = FakeBackend()
    result = find_dependencies(cast(Backend, backend), counts, found)
    changed = 0
    for sentence, count in enumerate(counts.tolist()):
        own = found["arc_log_probs"][sentence, :count, : count + 1]
        wanted = decode_heads(own).heads
        assert tuple(result.heads[sentence, :count].tolist()) == wanted
        changed += int((found["heads"][sentence, :count] != wanted).sum())
        for word, head in enumerate(wanted):
            scores = found["relation_heads"][sentence, head] + found["relation_dependents"][sentence, word]
            assert result.relations[sentence, word] == with_root_alone(scores[:RELATIONS], np.array(head == 0)).argmax()
            assert result.log_probs[sentence, word] == own[word, head]
    assert 0 < backend.asked == changed


class Kept:
    """An output that stays on a GPU: it can only be read by indices."""

    def __init__(self, values: NDArray[np.float32]) -> None:
        self.values = values
        self.read = 0

    def __getitem__(self, key: Any) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self.values[key]
        self.read += found.size
        return found


def test_of_arcs_that_stay_on_a_gpu_only_what_is_needed_is_read() -> None:
    counts = np.random.default_rng(1).integers(1, 9, 60)
    found = random_outputs(counts, seed=2, sharpness=3.0)
    kept = {name: Kept(found[name]) for name in SELDOM_READ if name in found}
    there, here = (
        find_dependencies(cast(Backend, FakeBackend()), counts, outputs)
        for outputs in (cast(Arrays, found | kept), found)
    )
    for name in ("heads", "relations", "universal_tags", "log_probs"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    again = ~are_trees(found["heads"], counts)
    assert again.any()
    longest = int(counts[again].max())
    assert kept["arc_log_probs"].read == again.sum() * longest * (longest + 1) + found["heads"].size


def test_heads_that_are_trees_are_left_alone() -> None:
    counts = np.array([3, 2])
    found = random_outputs(counts, seed=3, sharpness=1.0)
    found["heads"] = np.array([[2, 0, 2, 0, 0], [0, 1, 0, 0, 0]])
    backend = FakeBackend()
    result = find_dependencies(cast(Backend, backend), counts, found)
    np.testing.assert_array_equal(result.heads, found["heads"])
    np.testing.assert_array_equal(result.relations, found["relations"])
    assert backend.asked == 0
