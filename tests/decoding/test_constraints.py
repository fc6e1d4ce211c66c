from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest

from oracles.all_trees import (
    CHOICES,
    all_tree_log_probs,
    all_tree_membership,
    all_trees,
    log_sum_exp,
    obeys,
    recursive_tree,
)
from oracles.random_decoding import random_log_probs
from spanlin.decoding import (
    Decoder,
    SpanConstraints,
    decode,
    decode_batch,
    k_best_trees,
    log_partition_batch,
    span_marginals_batch,
)
from spanlin.errors import ConstraintError, DecodingError, LinearizationError
from spanlin.trees.tree import Span

DECODERS: tuple[Decoder, ...] = get_args(Decoder)
Cases = list[tuple[np.ndarray, np.ndarray | None, SpanConstraints, np.ndarray]]


def random_constraints(generator: np.random.Generator, word_count: int) -> SpanConstraints:
    """Up to three required spans of one tree, and up to four forbidden ones that may yet rule out every tree."""
    tree = all_trees(word_count)[generator.integers(len(all_trees(word_count)))]
    required = [span for span in tree if generator.random() < 0.25][:3]
    inner = [Span(i, j) for i in range(word_count) for j in range(i + 2, word_count + 1) if j - i < word_count]
    forbidden = [span for span in inner if span not in required and generator.random() < 0.15][:4]
    return SpanConstraints(required=tuple(required), forbidden=tuple(forbidden))


def sided(scores: np.ndarray, side: str) -> tuple[np.ndarray | None, np.ndarray | None]:
    return (scores, None) if side == "left" else (None, scores)


def obeying_log_probs(left: np.ndarray | None, right: np.ndarray | None, constraints: SpanConstraints) -> np.ndarray:
    """The log-probabilities of all trees, -inf for those that the constraints rule out."""
    word_count = len(left if left is not None else right)  # type: ignore[arg-type]
    obeying = [obeys(t, word_count, constraints.required, constraints.forbidden) for t in all_trees(word_count)]
    return np.where(obeying, all_tree_log_probs(left, right, word_count), -np.inf)


def masked_argmax(scores: np.ndarray, constraints: SpanConstraints) -> list[int] | None:
    """The left boundaries that the constraints leave most probable, None if a split point has none left."""
    word_count = len(scores)
    scores = scores.copy()
    for a, b in constraints.required:
        for j in range(a + 1, word_count + 1):
            for i in range(j):
                if (j < b and i < a) or (j >= b and a < i < b):
                    scores[j - 1, i] = -np.inf
    for a, b in constraints.forbidden:
        scores[b - 1, a] = -np.inf
    if (scores.max(axis=1)[:-1] == -np.inf).any():
        return None
    return [*scores.argmax(axis=1).tolist()[:-1], 0]


@pytest.fixture(scope="module", params=[(n, kind) for n in range(2, 8) for kind in ("plain", "ties", "holes")], ids=str)
def cases(request: pytest.FixtureRequest) -> Cases:
    """Sentences of one length with constraints, and the log-probabilities of all trees, -inf for those ruled out."""
    word_count, kind = request.param
    generator = np.random.default_rng([word_count, len(kind)])
    drawn: Cases = []
    while len(drawn) < 120:
        left = random_log_probs(generator, 1, word_count, kind)[0]
        right = random_log_probs(generator, 1, word_count, kind, side="right")[0] if len(drawn) % 2 else None
        constraints = random_constraints(generator, word_count)
        log_probs = obeying_log_probs(left, right, constraints)
        if log_probs.max() > -np.inf:
            drawn.append((left, right, constraints, log_probs))
    return drawn


def test_every_decoder_obeys_the_constraints(cases: Cases) -> None:
    for left, right, constraints, _ in cases:
        for decoder in DECODERS:
            try:
                found = decode(left, right, decoder=decoder, constraints=constraints)
            except LinearizationError:
                assert decoder == "strict"
                continue
            assert found.spans in all_trees(len(left))
            assert obeys(found.spans, len(left), constraints.required, constraints.forbidden)


def test_certified_trees_are_the_most_probable_that_obey(cases: Cases) -> None:
    for left, right, constraints, log_probs in cases:
        exact = decode(left, right, decoder="cky", constraints=constraints)
        assert exact.certified
        assert exact.log_prob == pytest.approx(log_probs.max(), abs=1e-9)
        for decoder in ("argmin", "largest", "min-change"):
            found = decode(left, right, decoder=decoder, constraints=constraints)
            assert found.log_prob <= log_probs.max() + 1e-9
            if found.certified:
                assert found.log_prob == pytest.approx(log_probs.max(), abs=1e-9)


def test_a_greedy_tree_over_masked_boundaries_stands_unless_it_has_a_forbidden_span(cases: Cases) -> None:
    for left, right, constraints, log_probs in cases:
        if right is not None:
            continue
        boundaries = masked_argmax(left, constraints)
        for rule in ("argmin", "largest"):
            found = decode(left, decoder=rule, constraints=constraints)
            greedy = None if boundaries is None else recursive_tree(boundaries, CHOICES[rule])
            if greedy is not None:
                assert obeys(greedy, len(left), constraints.required, ())
            if greedy is not None and obeys(greedy, len(left), (), constraints.forbidden):
                assert found.spans == greedy
            else:
                assert found.certified
                assert found.log_prob == pytest.approx(log_probs.max(), abs=1e-9)


def test_exact_results_equal_those_of_the_trees_that_obey(cases: Cases) -> None:
    word_count = len(cases[0][0])
    membership = all_tree_membership(word_count)
    for sided in (False, True):
        some = [case for case in cases if (case[1] is not None) == sided]
        left = np.array([case[0] for case in some])
        right = np.array([case[1] for case in some]) if sided else None
        wanted = [case[2] for case in some]
        log_probs = np.array([case[3] for case in some])
        word_counts = np.full(len(some), word_count)
        totals = log_partition_batch(word_counts, left, right, constraints=wanted)
        np.testing.assert_allclose(totals, log_sum_exp(log_probs), rtol=0, atol=1e-9)
        probs = np.exp(log_probs - totals[:, np.newaxis])
        expected = np.einsum("bt,tij->bij", probs, membership)
        marginals = span_marginals_batch(word_counts, left, right, constraints=wanted)
        np.testing.assert_allclose(marginals, expected, rtol=0, atol=1e-9)
        found = decode_batch(word_counts, left, right, decoder="minimum-risk", constraints=wanted)
        gains = np.einsum("bij,tij->bt", expected, membership)
        for sentence, constraints in enumerate(wanted):
            obeying = [obeys(t, word_count, constraints.required, constraints.forbidden) for t in all_trees(word_count)]
            index = all_trees(word_count).index(found.spans(sentence))
            assert gains[sentence, index] == pytest.approx(gains[sentence, obeying].max(), abs=1e-9)


def test_k_best_lists_the_trees_that_obey_and_no_other(cases: Cases) -> None:
    for left, right, constraints, log_probs in cases[::4]:
        found = k_best_trees(left, right, count=1000, constraints=constraints)
        expected = np.sort(log_probs[np.isfinite(log_probs)])[::-1]
        np.testing.assert_allclose([tree.log_prob for tree in found], expected, rtol=0, atol=1e-9)
        for tree in found:
            assert obeys(tree.spans, len(left), constraints.required, constraints.forbidden)


@pytest.mark.parametrize("decoder", ["argmin", "largest", "cky"])
def test_a_required_span_that_the_scores_rule_out_is_an_error_whatever_else_is_in_the_batch(decoder: Decoder) -> None:
    none, even = -np.inf, np.log(0.5)
    scores = np.array(
        [
            [[0.0, none, none], [none, 0.0, none], [even, none, even]],  # no span but (1, 2) ends at 2
            [[0.0, none, none], [even, even, none], [0.0, none, none]],
        ]
    )
    required = SpanConstraints(required=(Span(0, 2),))
    with pytest.raises(DecodingError, match=r"^sentence 1: every tree under the constraints .* -inf"):
        decode_batch([3, 3], scores, decoder=decoder, constraints=[required, None])
    found = decode_batch([3, 3], scores, decoder=decoder, constraints=[None, required])
    assert found.lefts.tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", ["plain", "holes"])
def test_a_batch_with_constraints_equals_one_by_one(kind: str, side: str) -> None:
    generator = np.random.default_rng(20)
    word_counts = generator.integers(2, 8, 200)
    scores = np.full((200, 8, 8), np.nan)
    constraints: list[SpanConstraints | None] = []
    for sentence, n in enumerate(word_counts):
        possible = False
        while not possible:
            own = random_log_probs(generator, 1, n, kind, side=side)[0]
            wanted = random_constraints(generator, n) if sentence % 5 else SpanConstraints()
            possible = np.isfinite(obeying_log_probs(*sided(own, side), wanted)).any()
        scores[sentence, :n, :n] = own
        constraints.append(wanted if sentence % 5 else None)
    for decoder in ("argmin", "largest", "cky", "min-change", "minimum-risk"):
        batch = decode_batch(word_counts, *sided(scores, side), decoder=decoder, constraints=constraints)
        for sentence, n in enumerate(word_counts):
            own = scores[sentence, :n, :n]
            one = decode(*sided(own, side), decoder=decoder, constraints=constraints[sentence])
            assert batch.tree(sentence) == one


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("rule", ["argmin", "largest"])
def test_required_spans_alone_never_need_the_chart(rule: Decoder, side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the chart was filled")

    monkeypatch.setattr("spanlin.decoding.problem.fill_chart", refuse)
    generator = np.random.default_rng(21)
    for n in range(2, 8):
        for scores in random_log_probs(generator, 200, n, "plain", side=side):
            wanted = SpanConstraints(required=random_constraints(generator, n).required)
            assert set(wanted.required) <= set(decode(*sided(scores, side), decoder=rule, constraints=wanted).spans)


def test_trivial_requirements_change_nothing() -> None:
    left = random_log_probs(np.random.default_rng(22), 1, 6, "plain")[0]
    for decoder in ("argmin", "cky", "minimum-risk"):
        trivial = SpanConstraints(required=(Span(0, 6), Span(2, 3), Span(2, 3)))
        assert decode(left, decoder=decoder, constraints=trivial) == decode(left, decoder=decoder)
        assert decode(left, decoder=decoder, constraints=SpanConstraints()) == decode(left, decoder=decoder)
    assert decode([[0.0]], constraints=SpanConstraints(required=(Span(0, 1),))).spans == ()


def test_strict_needs_a_legal_sequence_after_masking() -> None:
    scores = np.full((4, 4), -5.0)
    scores[np.arange(4), (0, 0, 1, 0)] = -0.5  # (0, 2) and (1, 3) cross
    with pytest.raises(LinearizationError, match="cross"):
        decode(scores, decoder="strict", constraints=SpanConstraints(forbidden=(Span(2, 4),)))
    found = decode(scores, decoder="strict", constraints=SpanConstraints(required=(Span(1, 3),)))
    assert Span(1, 3) in found.spans
    assert found.certified


def fail(required: tuple[Span, ...] = (), forbidden: tuple[Span, ...] = (), word_count: int = 4) -> str:
    messages = set()
    for decoder in DECODERS:
        with pytest.raises(ConstraintError) as caught:
            decode(
                np.zeros((word_count, word_count)),
                decoder=decoder,
                constraints=SpanConstraints(required=required, forbidden=forbidden),
            )
        messages.add(str(caught.value))
    assert len(messages) == 1
    return messages.pop()


def test_lists_and_plain_pairs_are_spans_too() -> None:
    given = SpanConstraints(required=[[0, 2]], forbidden=[(np.int64(1), 3)])
    assert given == SpanConstraints(required=(Span(0, 2),), forbidden=(Span(1, 3),))
    assert all(type(edge) is int for edge in given.forbidden[0])
    scores = np.zeros((1, 4, 4))
    for decoder in DECODERS:
        assert Span(0, 2) in decode_batch([4], scores, decoder=decoder, constraints=[given]).tree(0).spans


@pytest.mark.parametrize(
    ("required", "message"),
    [
        ((0, 2), "required[0] is 0: a span is two whole numbers, as in required=[(0, 2)]"),
        ([(0, 2), (1,)], "required[1] is (1,): a span is two whole numbers, as in required=[(0, 2)]"),
        ([(0, 1, 2)], "required[0] is (0, 1, 2): a span is two whole numbers, as in required=[(0, 2)]"),
        ([(0, 1.5)], "required[0] is (0, 1.5): a span is two whole numbers, as in required=[(0, 2)]"),
        ([(False, True)], "required[0] is (False, True): a span is two whole numbers, as in required=[(0, 2)]"),
        (["ab"], "required[0] is 'ab': a span is two whole numbers, as in required=[(0, 2)]"),
        ("ab", "required is 'ab': give a list of spans, such as [(0, 2)]"),
        (None, "required is None: give a list of spans, such as [(0, 2)]"),
        (3, "required is 3: give a list of spans, such as [(0, 2)]"),
    ],
)
def test_what_is_not_a_span_is_named(required: Any, message: str) -> None:
    with pytest.raises(ConstraintError) as caught:
        SpanConstraints(required=required)
    assert str(caught.value) == message


def test_spans_without_constraints_around_them_are_an_error() -> None:
    with pytest.raises(
        ConstraintError, match=r"^sentence 1: constraints are \[\(0, 2\)\]: give SpanConstraints, or None$"
    ):
        decode_batch([4], np.zeros((1, 4, 4)), constraints=[[(0, 2)]])  # type: ignore[list-item]


def test_crossing_required_spans_are_an_error() -> None:
    assert fail(required=(Span(1, 3), Span(0, 2))) == "required spans (0, 2) and (1, 3) cross: no tree has both"


def test_a_span_both_required_and_forbidden_is_an_error() -> None:
    assert fail(required=(Span(1, 3),), forbidden=(Span(1, 3),)) == "span (1, 3) is both required and forbidden"


def test_forbidding_what_every_tree_has_is_an_error() -> None:
    assert fail(forbidden=(Span(1, 2),)) == "forbidden span (1, 2) is one word, which every tree has"
    assert fail(forbidden=(Span(0, 4),)) == "forbidden span (0, 4) is the whole sentence, which every tree has"


def test_spans_out_of_range_are_an_error() -> None:
    assert fail(required=(Span(2, 5),)) == "required span (2, 5) does not lie within 0..4"
    assert fail(forbidden=(Span(3, 3),)) == "forbidden span (3, 3) does not lie within 0..4"
    assert fail(forbidden=(Span(-1, 3),)) == "forbidden span (-1, 3) does not lie within 0..4"


def test_forbidden_spans_that_leave_no_tree_are_an_error() -> None:
    message = fail(forbidden=(Span(0, 2), Span(1, 3)), word_count=3)
    assert message == "no tree over 3 words can do without the forbidden (0, 2), (1, 3); forbid less"
    message = fail(required=(Span(0, 3),), forbidden=(Span(0, 2), Span(1, 3)))
    assert message.startswith("no tree over 4 words can do without the forbidden (0, 2), (1, 3) if it has (0, 3)")


def test_a_batch_names_the_sentence() -> None:
    scores = np.zeros((2, 3, 3))
    wrong = SpanConstraints(forbidden=(Span(0, 2), Span(1, 3)))
    for decoder in DECODERS:
        with pytest.raises(ConstraintError, match=r"^sentence 2: no tree over 3 words"):
            decode_batch([2, 3], scores, decoder=decoder, constraints=[None, wrong])
    with pytest.raises(ConstraintError, match=r"^sentence 1: required span"):
        decode_batch([2, 3], scores, constraints=[SpanConstraints(required=(Span(0, 3),)), None])
    with pytest.raises(ConstraintError, match="1 constraints for 2 sentences"):
        decode_batch([2, 3], scores, constraints=[wrong])


def test_scores_that_leave_no_tree_under_the_constraints_are_an_error() -> None:
    scores = np.full((3, 3), -np.inf)
    scores[np.arange(3), (0, 0, 0)] = 0.0
    for decoder in ("argmin", "largest", "strict", "cky"):
        with pytest.raises(DecodingError, match="every tree under the constraints has log-probability -inf"):
            decode(scores, decoder=decoder, constraints=SpanConstraints(required=(Span(1, 3),)))
    # In a batch with padding too, where such a split point's boundary must not be looked for behind the sentence.
    padded = np.full((2, 5, 5), np.nan)
    padded[:, :3, :3] = scores[::-1, ::-1]
    with pytest.raises(DecodingError, match=r"^sentence 2: every tree under the constraints has log-probability -inf"):
        decode_batch([3, 3], None, padded, constraints=[None, SpanConstraints(required=(Span(0, 2),))])
