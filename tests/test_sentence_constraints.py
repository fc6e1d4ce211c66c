"""Constraints find their sentences, or say why they do not."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.decoding import Constraints
from spanlin.errors import ConstraintError
from spanlin.sentence_constraints import CharacterConstraints, constrain_sentences, pair_constraints
from spanlin.text import tokenize

TEXT = "Old dogs bark. Cats don't sleep."
SENTENCES = tokenize(TEXT)


def constrained(required: Any = (), forbidden: Any = ()) -> list[Constraints | None]:
    given = CharacterConstraints(required, forbidden)
    found = list(constrain_sentences(SENTENCES, given))
    assert [sentence for sentence, _ in found] == SENTENCES
    return [wanted for _, wanted in found]


@given(st.data())
def test_characters_become_the_words_that_they_cover(data: st.DataObject) -> None:
    number = data.draw(st.integers(0, 1))
    sentence = SENTENCES[number]
    left = data.draw(st.integers(0, len(sentence.words) - 1))
    right = data.draw(st.integers(left + 1, len(sentence.words)))
    place = (sentence.starts[left], sentence.ends[right - 1], data.draw(st.sampled_from(["", "NP"])))
    expected: list[Constraints | None] = [None, None]
    expected[number] = Constraints(required=[(left, right, place[2])])
    assert constrained(required=[place]) == expected
    expected[number] = Constraints(forbidden=[(left, right, place[2])])
    assert constrained(forbidden=[place]) == expected


def test_constraints_of_all_sentences_may_be_given_in_any_order() -> None:
    first, second = constrained(required=[(15, 19), (0, 8, "NP")], forbidden=[(4, 13)])
    assert first == Constraints(required=[(0, 2, "NP")], forbidden=[(1, 3)])
    assert second == Constraints(required=[(0, 1)])


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ((1, 8), "required characters 1..8: no token starts at 1; give offsets of tokens of one sentence"),
        ((0, 7), r"required characters 0..7: no token ends at 7 in the sentence 0..14; give offsets of tokens"),
        ((4, 19), r"required characters 4..19: no token ends at 19 in the sentence 0..14; give"),  # of the next one
        ((14, 19), "required characters 14..19: no token starts at 14"),
        ((40, 50), "required characters 40..50: no token starts at 40"),
    ],
)
def test_what_does_not_lie_between_tokens_of_one_sentence_is_named(place: tuple[int, int], message: str) -> None:
    with pytest.raises(ConstraintError, match=f"^{message}"):
        constrained(required=[place])


def test_arcs_go_to_the_sentence_of_both_tokens() -> None:
    given = CharacterConstraints(
        required_arcs=[((20, 22), (15, 19)), ((9, 13), None)],
        forbidden_arcs=[[[4, 8], [0, 3]]],  # type: ignore[list-item]
    )
    found = [wanted for _, wanted in constrain_sentences(SENTENCES, given)]
    assert found == [
        Constraints(required_arcs=[(3, 0)], forbidden_arcs=[(2, 1)]),
        Constraints(required_arcs=[(2, 1)]),
    ]


@pytest.mark.parametrize(
    ("arc", "message"),
    [
        (
            ((0, 2), None),
            r"required arc: characters 0\.\.2 are not one token; give offsets of tokens of the sentence 0",
        ),
        (((0, 3), (15, 19)), r"required arc: characters 15\.\.19 are not one token; give .* of the sentence 0\.\.14$"),
        (((0, 8), None), r"required arc: characters 0\.\.8 are not one token"),
        (((40, 50), None), r"required arc: characters 40\.\.50 are not one token; give offsets of tokens$"),
        ((4, 8), r"required_arcs\[0\] is \(4, 8\): an arc is the offsets of a token and those of its head, or None"),
        (((0, 3), 0), r"required_arcs\[0\] is \(\(0, 3\), 0\): an arc is"),
        (((0, True), None), r"required_arcs\[0\] is .*: an arc is"),
        (((0, 3, "NP"), None), r"required_arcs\[0\] is .*: an arc is"),
    ],
)
def test_an_arc_that_is_not_between_tokens_of_one_sentence_is_named(arc: Any, message: str) -> None:
    with pytest.raises(ConstraintError, match=f"^{message}"):
        list(constrain_sentences(SENTENCES, CharacterConstraints(required_arcs=[arc])))


def test_arcs_come_in_a_list() -> None:
    with pytest.raises(ConstraintError, match=r"^forbidden_arcs is 'ab': give a list of arcs, such as"):
        CharacterConstraints(forbidden_arcs="ab")  # type: ignore[arg-type]


def test_a_text_without_constraints_has_none() -> None:
    assert constrained() == [None, None]
    assert [wanted for _, wanted in constrain_sentences(SENTENCES, None)] == [None, None]


def test_sentences_are_taken_one_at_a_time() -> None:
    endless = itertools.cycle(SENTENCES)
    assert next(constrain_sentences(endless, None)) == (SENTENCES[0], None)
    words = (["word"] for _ in itertools.count())
    assert next(pair_constraints(words, itertools.repeat(None))) == (["word"], None)
    assert next(pair_constraints(words, None)) == (["word"], None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Constraints(), "these constraints are spans of tokens: give CharacterConstraints for a text"),
        ([None], r"constraints on a text are \[None\]: give CharacterConstraints"),
    ],
)
def test_constraints_on_a_text_are_by_character(given: Any, message: str) -> None:
    with pytest.raises(ConstraintError, match=f"^{message}$"):
        list(constrain_sentences(SENTENCES, given))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([None], "only 1 constraints: give one, or None, for each sentence"),
        ([None] * 4, "more constraints than the 3 sentences: give one, or None, for each"),
        (Constraints(), "one set of constraints for all sentences: give a list with one, or None, for each"),
        (CharacterConstraints(), "constraints are CharacterConstraints.*: give a list with Constraints, or None"),
        (5, "constraints are 5: give a list with Constraints, or None, per sentence"),
        ([None, (0, 2), None], r"constraints of sentence 2 are \(0, 2\): give Constraints, or None"),
        ([None, None, Constraints(required=[(0, 1)])], "sentence 3 has constraints but no words: give None"),
    ],
)
def test_there_is_one_of_the_right_kind_per_tokenized_sentence(given: Any, message: str) -> None:
    with pytest.raises(ConstraintError, match=f"^{message}"):
        list(pair_constraints([["a"], ["b"], []], given))


def test_a_sentence_may_be_an_array_of_words() -> None:
    words, none = np.array(["Old", "dogs", "bark"]), np.array([], dtype=str)
    wanted = Constraints(required=[(0, 2)])
    given: list[Any] = [words, none, none]
    pairs = pair_constraints(given, [wanted, None, wanted])
    assert next(pairs)[1] is wanted
    assert next(pairs)[1] is None
    with pytest.raises(ConstraintError, match="sentence 3 has constraints but no words: give None"):
        next(pairs)


def test_constraints_stay_beside_their_sentences() -> None:
    wanted = [None, Constraints(required=[(0, 1)])]
    assert list(pair_constraints([["a"], ["b"]], wanted)) == [(["a"], None), (["b"], wanted[1])]
