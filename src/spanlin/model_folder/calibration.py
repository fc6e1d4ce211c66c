"""The numbers in a manifest that turn a network's scores into probabilities that mean what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_CERTAIN = 500.0  # log-odds; more would overflow


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Turns what a network says of a span and its sentence into the chance that span and label are right.

    A weight for each kind of evidence (see `spanlin.runtime.confidence`) and an offset, fitted on trees that a network
    was not trained on. As it stands it believes the network.
    """

    span: float = 1.0
    root: float = 0.0
    tags: float = 0.0
    sentence: float = 0.0
    offset: float = 0.0

    def __call__(self, evidence: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the probability of each labelled span from its evidence, [..., 4]."""
        return _logistic(evidence @ np.array([self.span, self.root, self.tags, self.sentence]) + self.offset)


@dataclass(frozen=True, kw_only=True)
class ArcCalibration:
    """Turns what a network says of an arc and its sentence into the chance that the word's head is right.

    A weight for each kind of evidence and an offset, fitted on dependencies that a network was not trained on. As it
    stands it believes the network.
    """

    arc: float = 1.0
    tags: float = 0.0
    sentence: float = 0.0
    offset: float = 0.0

    def __call__(self, evidence: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the probability of each arc from its evidence, [..., 3]."""
        return _logistic(evidence @ np.array([self.arc, self.tags, self.sentence]) + self.offset)


def _logistic(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    probabilities: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(odds, -_CERTAIN, _CERTAIN)))
    return probabilities
