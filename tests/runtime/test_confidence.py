from __future__ import annotations

import numpy as np
import pytest

from spanlin.model_folder.calibration import Calibration
from spanlin.runtime.confidence import arc_evidence, log_odds, span_evidence


def test_an_unfitted_calibration_believes_the_network() -> None:
    log_probs = np.log([0.5, 0.9, 0.2])
    evidence = np.column_stack([log_odds(log_probs), [1, 0, 0], [-3, -3, -3], [7, 7, 7]])
    assert np.allclose(Calibration()(evidence), [0.5, 0.9, 0.2])


def test_evidence_of_a_literal_example_whatever_the_padding() -> None:
    # Two sentences: one of one word; one of three with the spans (0, 3), (1, 3) and the words.
    found = {
        "lefts": np.array([[9, 0, 9], [0, 1, 9]]),
        "rights": np.array([[1, 1, 9], [3, 3, 3]]),
        "tag_log_probs": np.array([[-0.5, 9, 9, 9], [-1.0, -2.0, -3.0, 9]]),
        "span_log_probs": np.array([[9, 9, 9, 0.0, 9, 9, 9], [0.0, -1, 9, -2, -3, -4, 9]]),
        "label_log_probs": np.full((2, 7), -1.0),
    }
    evidence = span_evidence(np.array([1, 3]), found)
    assert evidence.shape == (2, 7, 4)
    assert evidence[0, 3].tolist() == pytest.approx([float(log_odds(np.array(-1.0))), 1, -0.5, 12])
    kept = evidence[1, [0, 1, 3, 4, 5]]
    assert kept[:, 0].tolist() == pytest.approx(log_odds(np.array([-1.0, -2, -3, -4, -5])).tolist())
    assert kept[:, 1].tolist() == [1, 0, 0, 0, 0]
    assert kept[:, 2].tolist() == [-2.0] * 5
    assert kept[:, 3].tolist() == pytest.approx([log_odds(np.array([0.0, -1, -2, -3, -4])).mean()] * 5)


def test_evidence_of_arcs_in_a_literal_example_whatever_the_padding() -> None:
    found = {"tag_log_probs": np.array([[-0.5, 9, 9], [-1.0, -2.0, 9]])}
    evidence = arc_evidence(np.array([1, 2]), np.array([[-1.0, 9, 9], [-2.0, -np.inf, 9]]), found)
    assert evidence.shape == (2, 3, 3)
    one, two, never = log_odds(np.array([-1.0, -2.0, -np.inf])).tolist()
    assert evidence[0, 0].tolist() == pytest.approx([one, -0.5, one])
    assert evidence[1, 0].tolist() == pytest.approx([two, -1.5, (two + never) / 2])
    assert evidence[1, 1].tolist() == pytest.approx([never, -1.5, (two + never) / 2])


def test_log_odds_are_finite_for_certain_and_impossible_spans() -> None:
    assert np.isfinite(log_odds(np.array([0.0, -1e-30, -1e30, -np.inf]))).all()
