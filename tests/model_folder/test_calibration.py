from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.model_folder.calibration import ArcCalibration, Calibration

numbers = st.floats(-1e6, 1e6)


def test_as_it_stands_it_believes_the_network() -> None:
    probabilities = np.array([0.01, 0.5, 0.75, 0.999])
    evidence = np.zeros((4, 4))
    evidence[:, 0] = np.log(probabilities / (1 - probabilities))
    evidence[:, 1:] = 7.0  # of which it takes no notice
    assert Calibration()(evidence) == pytest.approx(probabilities)


def test_each_kind_of_evidence_has_its_weight() -> None:
    calibration = Calibration(span=2.0, root=3.0, tags=5.0, sentence=7.0, offset=-1.0)
    assert calibration(0.1 * np.eye(4)) == pytest.approx(1 / (1 + np.exp(-(np.array([0.2, 0.3, 0.5, 0.7]) - 1.0))))


def test_arcs_have_weights_of_their_own() -> None:
    probabilities = np.array([0.01, 0.5, 0.75, 0.999])
    evidence = np.full((4, 3), 7.0)
    evidence[:, 0] = np.log(probabilities / (1 - probabilities))
    assert ArcCalibration()(evidence) == pytest.approx(probabilities)
    calibration = ArcCalibration(arc=2.0, tags=3.0, sentence=5.0, offset=-1.0)
    assert calibration(0.1 * np.eye(3)) == pytest.approx(1 / (1 + np.exp(-(np.array([0.2, 0.3, 0.5]) - 1.0))))
    assert ((found := ArcCalibration(arc=1e6)(np.array([[1e6, 0, 0], [-1e6, 0, 0]]))) >= 0).all()
    assert (found <= 1).all()


@given(st.tuples(*[numbers] * 5), st.lists(st.tuples(*[numbers] * 4), min_size=1, max_size=5))
def test_whatever_a_manifest_may_say_a_probability_comes_out(
    weights: tuple[float, ...], evidence: list[tuple[float, ...]]
) -> None:
    calibration = Calibration(**dict(zip(("span", "root", "tags", "sentence", "offset"), weights, strict=True)))
    found = calibration(np.array(evidence))
    assert found.shape == (len(evidence),)
    assert ((found >= 0) & (found <= 1)).all()


@given(st.floats(0.1, 10), numbers, numbers)
def test_more_of_what_speaks_for_a_span_is_never_less_probable(weight: float, one: float, two: float) -> None:
    evidence = np.zeros((2, 4))
    evidence[:, 0] = sorted([one, two])
    low, high = Calibration(span=weight)(evidence)
    assert low <= high
