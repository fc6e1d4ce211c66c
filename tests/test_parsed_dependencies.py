from __future__ import annotations

import dataclasses
import json

import pytest

from spanlin.errors import DependencyError
from spanlin.parsed_dependencies import KEYS, ParsedDependencies

DOGS = ParsedDependencies(
    heads=(2, 0),
    relations=("nsubj", "root"),
    universal_tags=("NOUN", "VERB"),
    arc_probabilities=(0.75, 0.5),
    certified=False,
)


def test_dependencies_come_back_from_json() -> None:
    found = json.loads(json.dumps(DOGS.to_json()))
    assert tuple(found) == KEYS
    assert ParsedDependencies.from_json(found, 2) == DOGS


def test_json_without_heads_has_no_dependencies() -> None:
    assert ParsedDependencies.from_json({"words": ["Dogs", "bark"]}, 2) is None


def test_a_sentence_without_words_has_dependencies_without_heads() -> None:
    empty = ParsedDependencies((), (), (), (), True)
    assert ParsedDependencies.from_json(empty.to_json(), 0) == empty


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"heads": (2, 1)}, "word 1 is its own ancestor"),
        ({"heads": (0, 0)}, "words 1 and 2 are both roots"),
        ({"heads": (3, 0)}, "the head of word 1 is 3: expected 0 to 2"),
        ({"heads": (2, 0, 2)}, "not as many heads, relations, universal tags and probabilities as words: 2"),
        ({"universal_tags": ()}, "not as many heads, relations, universal tags and probabilities as words: 2"),
    ],
)
def test_what_is_not_a_tree_over_the_words_is_an_error(changed: dict[str, object], message: str) -> None:
    wrong = dataclasses.replace(DOGS, **changed)  # type: ignore[arg-type]
    with pytest.raises(DependencyError, match=f"^{message}$"):
        ParsedDependencies.from_json(wrong.to_json(), 2)
