"""Whether a parser says the same of a sentence, whatever it is parsed with."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from spanlin.parsed import Parsed

TOLERANCE = 1e-4  # of a probability


def assert_same(found: Sequence[Parsed], expected: Sequence[Parsed]) -> None:
    """Raise unless trees and tags are equal, and probabilities within the tolerance."""
    assert [one.brackets() for one in found] == [other.brackets() for other in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.tags == other.tags
        assert probabilities(one) == pytest.approx(probabilities(other), rel=0, abs=TOLERANCE)


def probabilities(parsed: Parsed) -> list[float]:
    """Return those of all tags and constituents, in order."""
    return [*parsed.tag_probabilities, *(found.probability for found in parsed.constituents())]
