"""Required and forbidden arcs through the parser's door."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from joint_networks import SENTENCES, joint_folder
from oracles.dependency_trees import all_dependency_trees, tree_scores
from spanlin import CharacterConstraints, Constraints, ParseOptions, Parser
from spanlin.errors import ConstraintError, DecodingError, DependencyError
from spanlin.model_folder.lookup import find_model
from spanlin.runtime.backend import ARC_SCORES
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.folder_features import features_of
from trees_alone import trees_alone

SHORT = [words for words in SENTENCES if 2 <= len(words) <= 5][:6]
TEXT = "The dog barks. It sleeps."
WORDS = ("dog", "barks", "It", "sleeps")


@pytest.fixture(scope="module")
def joint(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    return Parser.load(joint_folder(tmp_path_factory), threads=1)


def arc_scores(parser: Parser, words: list[str]) -> np.ndarray:
    runner = BatchRunner(features_of(parser.folder), parser.backend, workers=1)
    ((_, scores),) = runner.run([words], lambda item: item, ARC_SCORES, lambda batch: [batch.found[ARC_SCORES[0]][0]])
    assert scores is not None
    return np.asarray(scores[: len(words), : len(words) + 1])


@pytest.mark.parametrize("words", SHORT, ids=" ".join)
def test_every_arc_can_be_required_and_forbidden_and_the_best_tree_obeys(joint: Parser, words: list[str]) -> None:
    scores = arc_scores(joint, words)
    trees = [tuple(heads) for heads in all_dependency_trees(len(words))[0].tolist()]
    totals = tree_scores(scores).tolist()
    arcs = [(word, head) for word in range(1, len(words) + 1) for head in range(len(words) + 1) if word != head]
    wanted = [Constraints(required_arcs=[arc]) for arc in arcs] + [Constraints(forbidden_arcs=[arc]) for arc in arcs]
    (free,) = joint.parse_tokens([words])
    for constraints, parsed in zip(wanted, joint.parse_tokens([words] * len(wanted), constraints=wanted), strict=True):
        obeying = [
            place
            for place, heads in enumerate(trees)
            if all(heads[word - 1] == head for word, head in constraints.required_arcs)
            and not any(heads[word - 1] == head for word, head in constraints.forbidden_arcs)
        ]
        best = max(obeying, key=totals.__getitem__)
        assert parsed.heads == trees[best]
        assert parsed.dependencies is not None
        assert parsed.dependencies.certified
        assert [relation == "root" for relation in parsed.relations or ()] == [head == 0 for head in trees[best]]
        # The tree is not asked for anything.
        assert (parsed.brackets(), parsed.decoder) == (free.brackets(), "argmin")


def test_constraints_hold_for_their_own_sentences_and_go_with_constituents(joint: Parser) -> None:
    sentences = [words for words in SENTENCES if len(words) > 3]
    free = joint.parse_tokens(sentences)
    wanted = [
        Constraints(required=[(0, 2)], required_arcs=[(2, 0)]) if number % 2 else None
        for number in range(len(sentences))
    ]
    for one, before, constraints in zip(
        joint.parse_tokens(sentences, ParseOptions(k_best=2), constraints=wanted), free, wanted, strict=True
    ):
        if constraints is None:
            assert one.heads == before.heads
            continue
        assert one.heads is not None
        assert one.heads[1] == 0
        assert any((found.left, found.right) == (0, 2) for found in one.constituents())
        assert all(other.heads == one.heads for other in one.alternatives)


def test_all_heads_can_be_given(joint: Parser) -> None:
    words = SHORT[0]
    heads = tuple(range(len(words)))
    given = Constraints(required_arcs=[(word, head) for word, head in enumerate(heads, start=1)])
    assert joint.parse_tokens([words], constraints=[given])[0].heads == heads


def test_arcs_of_a_text_are_given_by_characters(joint: Parser) -> None:
    dog, barks, it, sleeps = ((TEXT.index(word), TEXT.index(word) + len(word)) for word in WORDS)
    wanted = CharacterConstraints(required_arcs=[(it, None), (barks, dog)], forbidden_arcs=[(sleeps, it)])
    first, second = joint.parse(TEXT, constraints=wanted)
    assert (first.heads or ())[2] == 2
    assert (second.heads or ())[:2] == (0, 3)


@pytest.mark.parametrize(
    ("arcs", "message"),
    [
        ([(1, 2), (2, 1)], r"no dependency tree of 3 words is left by what requires \(1, 2\), \(2, 1\): require or"),
        ([(1, 2), (1, 3)], r"required arcs \(1, 2\) and \(1, 3\): a word has one head \(words: 1 'a', 2 'b', 3 'c'\)$"),
        ([(4, 0)], r"required arc \(4, 0\): the word must be from 1 to 3, and its head another, or 0$"),
    ],
)
def test_arcs_that_cannot_be_name_the_sentence_and_its_words(
    joint: Parser, arcs: list[tuple[int, int]], message: str
) -> None:
    with pytest.raises(ConstraintError, match=rf"^sentence 2 \('a b c'\): {message}"):
        joint.parse_tokens([["x"], list("abc")], constraints=[None, Constraints(required_arcs=arcs)])


def test_many_words_of_a_message_are_cut(joint: Parser) -> None:
    cycle = [(word, word % 8 + 1) for word in range(1, 9)]
    with pytest.raises(ConstraintError) as caught:
        joint.parse_tokens([["x" * 90] * 8], constraints=[Constraints(required_arcs=cycle)])
    assert str(caught.value).endswith(" ...)")
    assert len(str(caught.value)) < 900


def test_a_model_of_trees_alone_is_one_clear_error(tmp_path: Path) -> None:
    parser = Parser.load(trees_alone(find_model("en"), tmp_path / "en"))
    for constraints in (Constraints(required_arcs=[(1, 0)]), Constraints(forbidden_arcs=[(1, 0)])):
        with pytest.raises(DependencyError, match=r"^en: this model was trained on trees alone and has no dependenc"):
            parser.parse_tokens([["Dogs", "bark"]], constraints=[constraints])


def test_decoders_that_obey_nothing_say_so(joint: Parser) -> None:
    with pytest.raises(DecodingError, match="constraints need the decoder 'labelled'"):
        joint.parse_tokens([["a"]], ParseOptions(decoder="cky"), constraints=[Constraints(required_arcs=[(1, 0)])])


def test_a_batch_with_one_constrained_sentence_is_as_each_alone(joint: Parser) -> None:
    wanted = [Constraints(forbidden_arcs=[(1, 2)]) if number == 3 else None for number in range(len(SHORT))]
    together = joint.parse_tokens(SHORT, constraints=wanted)
    alone = [joint.parse_tokens([words], constraints=[one]) for words, one in zip(SHORT, wanted, strict=True)]
    assert together == list(itertools.chain.from_iterable(alone))
