"""Decoders, constraints, k-best, marginals, scores and root labels, through the parser's door."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.conftest import LIMIT, TREES
from spanlin import CharacterConstraints, Constraints, Span
from spanlin.decoding import Decoder, LabelSet, RankedLabels, decode
from spanlin.errors import ConstraintError, DecodingError, LinearizationError, SpanlinError
from spanlin.linearization import is_legal
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime import redecoding
from spanlin.runtime.label_ranking import rank_labels
from spanlin.runtime.options import ParseOptions
from spanlin.training.checkpoint import Model
from spanlin.trees.transforms import ROOT_LABELS

WORDS = sorted({word for tree in TREES for word in tree.words})
SENTENCES = [list(tree.words) for tree in TREES[:8]] + [["one"], ["two", "words"], ["a", "b", "c"]]
# Words in no order, whose boundaries often fit no tree.
SENTENCES += [np.random.default_rng(count).choice(WORDS, count).tolist() for count in (12, 18, 25)]
DECODERS: tuple[Decoder, ...] = tuple(decoder for decoder in get_args(Decoder) if decoder != "strict")


@pytest.fixture
def parser(exported: tuple[Model, Parser]) -> Parser:
    return exported[1]


@pytest.fixture(scope="session")
def both(export_target: Callable[[str], tuple[Model, Parser]]) -> Parser:
    """A parser that scores left and right boundaries."""
    return export_target("both")[1]


def has_constituent(parsed: Parsed, left: int, right: int, label: str) -> bool:
    found = {found.label for found in parsed.constituents() if (found.left, found.right) == (left, right)}
    return label in found if label else bool(found)


def has_span(parsed: Parsed, span: tuple[int, int]) -> bool:
    return span in {(found.left, found.right) for found in parsed.constituents()}


def sides(parsed: Parsed) -> tuple[np.ndarray | None, np.ndarray | None]:
    return parsed.left_boundary_log_probs, parsed.right_boundary_log_probs


def assert_same(one: list[Parsed], two: list[Parsed]) -> None:
    assert [parsed.brackets() for parsed in one] == [parsed.brackets() for parsed in two]
    for first, second in zip(one, two, strict=True):
        probabilities = [[found.probability for found in parsed.constituents()] for parsed in (first, second)]
        assert probabilities[0] == pytest.approx(probabilities[1], abs=1e-6)
        assert first.certified == second.certified


def test_what_is_asked_for_besides_does_not_change_the_greedy_trees(parser: Parser) -> None:
    plain = parser.parse_tokens(SENTENCES)
    assert [parsed.brackets() for parsed in plain] == list(parser.bracket_lines(SENTENCES))
    assert_same(parser.parse_tokens(SENTENCES, ParseOptions(decoder="argmin", scores=True, marginals=True)), plain)
    assert_same(parser.parse_tokens(SENTENCES, constraints=[None] * len(SENTENCES)), plain)
    assert_same(parser.parse_tokens(SENTENCES, constraints=[Constraints()] * len(SENTENCES)), plain)
    assert all(parsed.decoder == "argmin" and parsed.alternatives == () for parsed in plain)


def test_boundaries_are_the_most_probable_ones(parser: Parser) -> None:
    for parsed in parser.parse_tokens(SENTENCES, ParseOptions(scores=True)):
        count = len(parsed.words)
        left, right = sides(parsed)
        assert (left is None, right is None) == (parsed.left_boundaries is None, parsed.right_boundaries is None)
        if left is not None:
            assert left.shape == (count, count)
            assert np.exp(left).sum(axis=1) == pytest.approx(np.ones(count), abs=1e-4)
            assert parsed.left_boundaries == (*left[:-1].argmax(axis=1).tolist(), 0)
        if right is not None:
            assert np.exp(right).sum(axis=1) == pytest.approx(np.ones(count), abs=1e-4)
            assert parsed.right_boundaries == (count, *(right[1:].argmax(axis=1) + 1).tolist())


@pytest.mark.parametrize("decoder", DECODERS)
def test_a_decoders_tree_is_that_of_the_scores(parser: Parser, decoder: Decoder) -> None:
    greedy = parser.parse_tokens(SENTENCES, ParseOptions(scores=True))
    for parsed, first in zip(
        parser.parse_tokens(SENTENCES, ParseOptions(decoder=decoder, scores=True)), greedy, strict=True
    ):
        expected = decode(*sides(first), decoder=decoder)
        assert parsed.decoder == decoder
        assert parsed.log_probability == pytest.approx(expected.log_prob, abs=1e-4)
        assert parsed.splits == expected.spans
        spans = {*expected.spans, *(Span(place, place + 1) for place in range(len(parsed.words)))}
        assert {Span(found.left, found.right) for found in parsed.constituents()} <= spans
        assert parsed.tree.words == parsed.words
        assert expected.certified <= parsed.certified
        assert all(0 <= found.probability <= 1 for found in parsed.constituents())


def test_no_tree_is_more_probable_than_ckys(parser: Parser) -> None:
    best = parser.parse_tokens(SENTENCES, ParseOptions(decoder="cky"))
    assert all(parsed.certified for parsed in best)
    for decoder in DECODERS:
        found = parser.parse_tokens(SENTENCES, ParseOptions(decoder=decoder, scores=True))
        for one, other in zip(best, found, strict=True):
            assert one.log_probability is not None
            assert other.log_probability is not None
            assert one.log_probability >= other.log_probability - 1e-5
            if other.certified:
                assert one.log_probability == pytest.approx(other.log_probability, abs=1e-5)


def test_a_greedy_tree_is_optimal_where_its_boundaries_are_those_predicted(parser: Parser) -> None:
    plain = parser.parse_tokens(SENTENCES)
    for parsed, exact in zip(plain, parser.parse_tokens(SENTENCES, ParseOptions(decoder="cky")), strict=True):
        if parsed.certified:
            assert parsed.brackets() == exact.brackets()
    assert {parsed.certified for parsed in plain} == {True, False}  # else nothing is tested


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_a_required_constituent_is_there_and_a_forbidden_one_is_not(both: Parser, data: st.DataObject) -> None:
    words = data.draw(st.sampled_from([words for words in SENTENCES if len(words) > 3]))
    left = data.draw(st.integers(0, len(words) - 1))
    right = data.draw(st.integers(left + 1, len(words)))
    label = data.draw(st.sampled_from(["", "NP", "VP"]))
    constituent = (left, right, label) if label else (left, right)
    (parsed,) = both.parse_tokens(
        [words], ParseOptions(marginals=True), constraints=[Constraints(required=[constituent])]
    )
    assert has_constituent(parsed, left, right, label)
    assert parsed.marginals is not None
    assert parsed.marginals[left, right] == pytest.approx(1)
    assert parsed.decoder == "labelled"
    if (left, right) != (0, len(words)):
        without = Constraints(forbidden=[constituent])
        (parsed,) = both.parse_tokens([words], ParseOptions(marginals=True), constraints=[without])
        assert not has_constituent(parsed, left, right, label)
        assert parsed.marginals is not None
        assert label or parsed.marginals[left, right] == 0


def test_a_forbidden_constituent_may_stay_as_a_span_without_a_label(both: Parser) -> None:
    words = SENTENCES[-1]
    (free,) = both.parse_tokens([words], ParseOptions(decoder="labelled"))
    right_child = next(
        Span(found.left, found.right)
        for found in free.constituents()
        if found.right - found.left > 1 and found.left > 0 and found.right < len(words)
    )
    (parsed,) = both.parse_tokens([words], constraints=[Constraints(forbidden=[right_child])])
    assert not has_span(parsed, right_child)
    assert parsed.probability is not None
    assert 0 < parsed.probability <= 1


def test_constraints_hold_for_their_own_sentences(parser: Parser) -> None:
    wanted = [
        Constraints(required=(Span(0, 2),)) if len(words) > 2 and number % 2 else None
        for number, words in enumerate(SENTENCES)
    ]
    plain = parser.parse_tokens(SENTENCES)
    together = parser.parse_tokens(SENTENCES, constraints=wanted)
    for words, constraints, free, parsed in zip(SENTENCES, wanted, plain, together, strict=True):
        if constraints is None:
            assert_same([parsed], [free])
        else:
            assert has_span(parsed, (0, 2))
            assert_same(parser.parse_tokens([words], constraints=[constraints]), [parsed])


@pytest.mark.parametrize("count", [2, 7])
def test_the_best_trees_are_sorted_and_distinct_and_the_first_is_that_of_labelled(parser: Parser, count: int) -> None:
    exact = parser.parse_tokens(SENTENCES, ParseOptions(decoder="labelled"))
    for parsed, best in zip(parser.parse_tokens(SENTENCES, ParseOptions(k_best=count)), exact, strict=True):
        assert (parsed.brackets(), parsed.decoder, parsed.certified) == (best.brackets(), "labelled", True)
        assert parsed.probability == pytest.approx(best.probability, abs=1e-6)
        trees = [parsed, *parsed.alternatives]
        assert len(trees) == count
        assert len({tree.brackets() for tree in trees}) == count
        probabilities = [tree.probability for tree in trees if tree.probability is not None]
        assert len(probabilities) == count
        assert probabilities == sorted(probabilities, reverse=True)
        assert sum(probabilities) <= 1 + 1e-6
        assert all(tree.words == parsed.words and tree.tags == parsed.tags for tree in trees)
        assert not any(tree.certified for tree in parsed.alternatives)


def test_marginals_are_sums_over_the_labelled_trees(parser: Parser) -> None:
    for parsed in parser.parse_tokens([words[:4] for words in SENTENCES], ParseOptions(marginals=True, k_best=400)):
        count = len(parsed.words)
        assert parsed.marginals is not None
        assert parsed.marginals.shape == (count + 1, count + 1)
        seen = np.zeros_like(parsed.marginals)
        mass = 0.0
        for tree in (parsed, *parsed.alternatives):
            assert tree.probability is not None
            mass += tree.probability
            for left, right in {(found.left, found.right) for found in tree.constituents()}:
                seen[left, right] += tree.probability
        assert (seen <= parsed.marginals + 1e-6).all()
        assert (parsed.marginals <= seen + (1 - mass) + 1e-6).all()
    assert mass > 0.5  # else little is tested


@pytest.mark.parametrize("options", [ParseOptions(marginals=True), ParseOptions(k_best=3, marginals=True)], ids=str)
def test_few_sentences_are_ranked_together_and_get_the_same_trees(
    both: Parser, options: ParseOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked: list[tuple[int, int]] = []

    def noted(backend: Any, labels: LabelSet, counts: np.ndarray, *others: Any, **options: Any) -> RankedLabels:
        ranked.append((len(counts), int(counts.max())))
        return rank_labels(backend, labels, counts, *others, **options)

    monkeypatch.setattr(redecoding, "rank_labels", noted)
    constraints = [None, Constraints(required=[(0, 2)]), *[None] * (len(SENTENCES) - 2)]
    expected = both.parse_tokens(SENTENCES, options, constraints=constraints)
    whole = len(ranked)
    most = 600
    monkeypatch.setattr(redecoding, "_MOST_RANKED", most)
    found = both.parse_tokens(SENTENCES, options, constraints=constraints)
    assert_same(found, expected)
    for one, two in zip(found, expected, strict=True):
        assert_same(list(one.alternatives), list(two.alternatives))
        assert one.marginals is not None
        assert two.marginals is not None
        assert np.allclose(one.marginals, two.marginals)
    parts = ranked[whole:]
    assert len(parts) > whole
    assert max(count for count, _ in parts) > 1
    assert all(count == 1 or count * (longest + 1) ** 2 * options.k_best <= most for count, longest in parts)


def test_greedy_trees_have_marginals_too(parser: Parser) -> None:
    words = SENTENCES[-1]
    (greedy,), (best,) = (
        parser.parse_tokens([words], ParseOptions(marginals=True, decoder=decoder))
        for decoder in ("argmin", "labelled")
    )
    assert (greedy.decoder, greedy.probability) == ("argmin", None)
    assert greedy.marginals is not None
    assert best.marginals is not None
    assert np.allclose(greedy.marginals, best.marginals)


@pytest.mark.parametrize("decoder", ["argmin", "cky"])
def test_the_root_label_is_obeyed(parser: Parser, decoder: Decoder) -> None:
    labels = {found.label for tree in TREES for found in tree.constituents()} - ROOT_LABELS
    plain = parser.parse_tokens(SENTENCES, ParseOptions(decoder=decoder))
    for label in sorted(labels & {"S", "NP"}):
        for parsed, free in zip(
            parser.parse_tokens(SENTENCES, ParseOptions(decoder=decoder, root_label=label)), plain, strict=True
        ):
            first = parsed.constituents()[0]
            assert (first.label, first.left, first.right) == (label, 0, len(parsed.words))
            # All below is as it was.
            inner = [found for found in parsed.constituents() if (found.left, found.right) != (0, len(parsed.words))]
            before = [found for found in free.constituents() if (found.left, found.right) != (0, len(parsed.words))]
            assert [found[:3] for found in inner] == [found[:3] for found in before]


def test_options_go_together(parser: Parser) -> None:
    wanted = [Constraints(required=(Span(1, 3),)) if len(words) > 3 else None for words in SENTENCES]
    found = parser.parse_tokens(
        SENTENCES, ParseOptions(k_best=3, root_label="NP", marginals=True, scores=True), constraints=wanted
    )
    for constraints, parsed in zip(wanted, found, strict=True):
        for tree in (parsed, *parsed.alternatives):
            assert tree.constituents()[0].label == "NP"
            assert constraints is None or has_span(tree, (1, 3))
        assert parsed.marginals is not None
        assert parsed.marginals.max() <= 1
        json.dumps(parsed.to_json(), allow_nan=False)


def test_a_long_sentence_has_every_option(both: Parser) -> None:
    words = [TREES[number % len(TREES)].words[0] for number in range(8 * LIMIT)]
    required = Constraints(required=(Span(100, 200),), forbidden=(Span(3, 5),))
    (parsed,) = both.parse_tokens([words], ParseOptions(k_best=3, marginals=True), constraints=[required])
    assert has_span(parsed, (100, 200))
    assert not has_span(parsed, (3, 5))
    assert parsed.log_probability is not None
    assert math.isfinite(parsed.log_probability)


def test_a_text_takes_spans_of_characters(both: Parser) -> None:
    text = "The dog barks. It doesn't  sleep, says Ann."
    wanted = CharacterConstraints(required=((4, 13), (18, 32)), forbidden=((27, 38),))
    first, second = both.parse(text, ParseOptions(k_best=2), constraints=wanted)
    for tree in (first, *first.alternatives):
        assert "dog barks" in {text[found.start : found.end] for found in tree.constituents()}
    for tree in (second, *second.alternatives):
        spans = {text[found.start : found.end] for found in tree.constituents()}
        assert "doesn't  sleep" in spans
        assert "sleep, says" not in spans
    lines = both.stream(text.splitlines(keepends=True), ParseOptions(k_best=2), constraints=wanted)
    assert [parsed.brackets() for parsed in lines] == [first.brackets(), second.brackets()]


def test_sentences_without_words_have_as_much_as_there_is(both: Parser) -> None:
    empty, _ = both.parse_tokens([[], ["a"]], ParseOptions(decoder="cky", marginals=True, scores=True))
    assert (empty.certified, empty.left_boundaries, empty.right_boundaries, empty.decoder) == (True, (), (), "cky")
    assert empty.marginals is not None
    assert empty.marginals.shape == (1, 1)
    json.dumps(empty.to_json(), allow_nan=False)


def test_strict_refuses_what_is_no_tree_and_says_where(both: Parser) -> None:
    plain = both.parse_tokens(SENTENCES)
    legal = [words for words, parsed in zip(SENTENCES, plain, strict=True) if parsed.certified]
    assert_same(both.parse_tokens(legal, ParseOptions(decoder="strict")), both.parse_tokens(legal))
    illegal = next(list(parsed.words) for parsed in plain if not is_legal(parsed.left_boundaries or ()))
    with pytest.raises(LinearizationError, match=rf"^sentence 3 \('{illegal[0]}.*no tree has these"):
        both.parse_tokens([["a"], ["b"], illegal], ParseOptions(decoder="strict"))


def test_wrong_options_are_errors_at_once(both: Parser) -> None:
    cases = [
        ({"decoder": "viterbi"}, "unknown decoder 'viterbi': choose one of argmin, largest"),
        ({"k_best": 0}, "k_best is 0: ask for at least one tree"),
        ({"k_best": 2, "decoder": "minimum-risk"}, "leave out 'minimum-risk'"),
        ({"marginals": "no"}, "marginals is 'no': give True or False"),
        ({"scores": 1}, "scores is 1: give True or False"),
        ({"root_label": 3}, "root_label is 3: give a label, or '' for any"),
    ]
    for options, message in cases:
        with pytest.raises(DecodingError, match=message):
            ParseOptions(**options)  # type: ignore[arg-type]
    for other in ("cky", {"decoder": "cky"}, None):
        with pytest.raises(DecodingError, match=r"^options are .*: give ParseOptions, such as ParseOptions"):
            both.parse("A text.", other)  # type: ignore[call-overload]
        with pytest.raises(DecodingError, match=r"^options are .*: give ParseOptions, such as ParseOptions"):
            both.parse_tokens([["a"]], other)  # type: ignore[arg-type]
    unknown = ParseOptions(root_label="XYZ")
    for start in (both.parse, both.stream):
        with pytest.raises(DecodingError, match="no root label 'XYZ': the model knows "):
            start("A text.", unknown)
        with pytest.raises(DecodingError, match="constraints need the decoder 'labelled': leave out 'cky'"):
            start("A text.", ParseOptions(decoder="cky"), constraints=CharacterConstraints())
    for start_tokens in (both.parse_tokens, both.stream_tokens):
        with pytest.raises(DecodingError, match="no root label 'XYZ': the model knows "):
            start_tokens([["a"]], unknown)
        with pytest.raises(DecodingError, match="constraints need the decoder 'labelled': leave out 'cky'"):
            start_tokens([["a"]], ParseOptions(decoder="cky"), constraints=[None])


@pytest.mark.parametrize("options", [{}, {"k_best": 3}, {"decoder": "labelled"}])
def test_constraints_that_cannot_be_name_the_sentence(both: Parser, options: dict[str, object]) -> None:
    crossing = Constraints(required=(Span(0, 2), Span(1, 3)))
    with pytest.raises(
        ConstraintError,
        match=r"^sentence 2 \('a b c d'\): required constituents \(0, 2\) and \(1, 3\) cross: no tree has both$",
    ):
        both.parse_tokens([["x"], list("abcd")], ParseOptions(**options), constraints=[None, crossing])  # type: ignore[arg-type]


def test_as_many_constraints_as_sentences(both: Parser) -> None:
    with pytest.raises(ConstraintError, match="only 1 constraints: give one, or None, for each sentence"):
        both.parse_tokens([["a"], ["b"]], constraints=[None])
    with pytest.raises(ConstraintError, match="more constraints than the 1 sentences"):
        both.parse_tokens([["a"]], constraints=[None, None])
    with pytest.raises(ConstraintError, match="sentence 2 has constraints but no words: give None"):
        both.parse_tokens([["a"], []], constraints=[None, Constraints(required=(Span(0, 1),))])
    with pytest.raises(ConstraintError, match="give a list with one, or None, for each"):
        both.parse_tokens([["a"]], constraints=Constraints())  # type: ignore[arg-type]
    wrong: object
    for wrong in (3, CharacterConstraints()):
        with pytest.raises(ConstraintError, match="give a list with Constraints, or None, per sentence"):
            both.parse_tokens([["a"]], constraints=wrong)  # type: ignore[arg-type]
    for wrong in ([(0, 1)], CharacterConstraints()):
        with pytest.raises(ConstraintError, match=r"constraints of sentence 2 are .{1,40}: give Constraints, or None$"):
            both.parse_tokens([["a"], ["b"]], constraints=[None, wrong])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ((5, 13), r"required characters 5\.\.13: no token starts at 5; give offsets of tokens of one sentence"),
        ((3, 13), r"required characters 3\.\.13: no token starts at 3;"),
        ((4, 12), r"required characters 4\.\.12: no token ends at 12 in the sentence 0\.\.14;"),
        ((4, 17), r"required characters 4\.\.17: no token ends at 17 in the sentence 0\.\.14;"),
        ((8, 7), r"required characters 8\.\.7: no token ends at 7 in the sentence"),
        ((99, 100), r"required characters 99\.\.100: no token starts at 99;"),
    ],
)
def test_characters_that_are_no_tokens_are_named(both: Parser, span: tuple[int, int], message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        both.parse("The dog barks. It sleeps.", constraints=CharacterConstraints(required=(span,)))


def test_spans_of_tokens_are_no_spans_of_characters(both: Parser) -> None:
    with pytest.raises(ConstraintError, match="give CharacterConstraints for a text"):
        both.parse("The dog barks.", constraints=Constraints(required=(Span(0, 2),)))  # type: ignore[call-overload]
    with pytest.raises(ConstraintError, match=r"constraints on a text are \[\(0, 7\)\]: give CharacterConstraints$"):
        both.parse("The dog barks.", constraints=[(0, 7)])  # type: ignore[call-overload]


def test_every_error_is_one_of_the_family(both: Parser) -> None:
    with pytest.raises(SpanlinError):
        both.parse_tokens([["a"]], ParseOptions(decoder="none"))  # type: ignore[arg-type]


def test_options_of_numpy_become_pythons_own() -> None:
    options = ParseOptions(k_best=np.int64(2), marginals=np.bool_(True))  # type: ignore[arg-type]
    assert options == ParseOptions(k_best=2, marginals=True)
    assert (type(options.k_best), type(options.marginals)) == (int, bool)
