from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

from joint_networks import SENTENCES, joint_folder
from spanlin import ParseOptions, Parser
from spanlin.model_folder.calibration import Calibration
from spanlin.parsed import Parsed
from spanlin.runtime.results import RecordMaker

LABELS, TAGS = ("∅", "S", "NP", "S+VP"), ("NN", "VB", "DT")
ANY = 2  # in the padding


def batch() -> dict[str, np.ndarray]:
    """Old cats sleep, with S over all and NP over two; one word as S over VP."""
    return {
        "lefts": np.array([[0, 0, ANY], [ANY, ANY, ANY]]),
        "rights": np.array([[2, 3, ANY], [ANY, ANY, ANY]]),
        "split_labels": np.array([[2, 1, ANY], [ANY, ANY, ANY]]),
        "word_labels": np.array([[0, 0, 0, ANY], [3, ANY, ANY, ANY]]),
        "tags": np.array([[2, 0, 1, ANY], [1, ANY, ANY, ANY]]),
        "left_boundaries": np.array([[0, 0, 1, ANY], [ANY, ANY, ANY, ANY]]),
        "right_boundaries": np.array([[1, 3, 3, ANY], [ANY, ANY, ANY, ANY]]),
        "span_log_probs": np.log(np.full((2, 7), 0.5)),
        "label_log_probs": np.log(np.arange(1, 15).reshape(2, 7) / 20),
        "tag_log_probs": np.log(np.array([[0.5, 0.25, 1.0, 0.1], [0.75, 0.1, 0.1, 0.1]])),
    }


def test_a_record_has_the_numbers_of_its_sentence_by_their_names() -> None:
    first, second = RecordMaker(LABELS, TAGS, Calibration())(np.array([3, 1]), batch())
    assert first.tags() == ("DT", "NN", "VB")
    assert first.tag_probabilities() == pytest.approx((0.5, 0.25, 1.0))
    assert [span[:3] for span in first.spans()] == [("S", 0, 3), ("NP", 0, 2)]
    assert [span[3] for span in first.spans()] == pytest.approx([0.5 * 2 / 20, 0.5 * 1 / 20])
    assert first.splits() == ((0, 2), (0, 3))
    assert (first.left_boundaries(), first.right_boundaries()) == ((0, 0, 0), (3, 3, 3))
    assert not first.certified  # the right boundary 3 at split point 1 is not the tree's
    assert (second.tags(), second.splits(), second.certified) == (("VB",), (), True)
    assert [span[:3] for span in second.spans()] == [("S", 0, 1), ("VP", 0, 1)]
    assert [span[3] for span in second.spans()] == pytest.approx([0.5 * 11 / 20] * 2)
    assert (second.left_boundaries(), second.right_boundaries()) == ((0,), (1,))


def test_a_side_that_is_not_scored_has_no_boundaries() -> None:
    found = batch()
    del found["right_boundaries"]
    first, _ = RecordMaker(LABELS, TAGS, Calibration())(np.array([3, 1]), found)
    assert (first.left_boundaries(), first.right_boundaries()) == ((0, 0, 0), None)
    assert first.certified


def test_a_record_that_is_kept_keeps_no_batch() -> None:
    for record in RecordMaker(LABELS, TAGS, Calibration())(np.array([3, 1]), batch()):
        assert record.numbers.base is record.constituents.base is None
        assert record.span_chances.base is record.tag_chances.base is None


@pytest.fixture(scope="module")
def parses(tmp_path_factory: pytest.TempPathFactory) -> list[Parsed]:
    return Parser.load(joint_folder(tmp_path_factory)).parse_tokens(SENTENCES, ParseOptions(k_best=2))


def test_a_parse_makes_each_part_once(parses: list[Parsed]) -> None:
    for parsed in parses:
        for name in ("tags", "tag_probabilities", "spans", "splits", "left_boundaries", "dependencies"):
            assert getattr(parsed, name) is getattr(parsed, name)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda parsed: pickle.loads(pickle.dumps(parsed))])
def test_copies_have_everything_and_no_record(
    parses: list[Parsed], twin: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert callable(twin)
    fresh = Parser.load(joint_folder(tmp_path_factory)).parse_tokens(SENTENCES, ParseOptions(k_best=2))
    assert any(parsed.alternatives for parsed in fresh)
    for parsed, other in zip(map(twin, fresh), parses, strict=True):
        assert not [name for name in vars(parsed) if name.endswith("_record")]
        assert parsed == other
        assert json.dumps(parsed.to_json()) == json.dumps(other.to_json())
        assert Parsed.from_json(parsed.to_json()) == other
        assert (parsed.splits, parsed.alternatives) == (other.splits, other.alternatives)


def test_what_is_set_stands_in_place_of_what_was_found(parses: list[Parsed]) -> None:
    parsed = copy.copy(parses[0])
    parsed.tags = ("X",) * len(parsed.words)
    parsed.dependencies = None
    assert parsed.to_json()["tags"] == ["X"] * len(parsed.words)
    assert (parsed.heads, "heads" in parsed.to_json()) == (None, False)
