"""The decoder `joint` through the parser's door."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from joint_networks import SENTENCES, joint_folder
from spanlin import Constraints, Parsed, ParseOptions, Parser, Span
from spanlin.decoding import LabelSet, Temperatures, decode_joint
from spanlin.decoding.head_spans import go_together
from spanlin.decoding.tree_roles import Role
from spanlin.errors import DecodingError, DependencyError
from spanlin.model_folder.lookup import find_model
from spanlin.runtime import joint_decoding
from spanlin.runtime.backend import ARC_SCORES, LABEL_HALVES, SCORES, Arrays
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.label_ranking import label_log_probs, spans_in_role
from trees_alone import trees_alone

JOINT = ParseOptions(decoder="joint")
SHORT = [words for words in SENTENCES if len(words) <= 9]
COOL = Temperatures(splits=2.0, labels=1.5)


@pytest.fixture(scope="module")
def joint(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    found = Parser.load(joint_folder(tmp_path_factory), threads=1)
    return Parser(replace(found.folder, temperatures=COOL), found.backend, workers=1)


def outputs_of(parser: Parser, words: list[str]) -> Arrays:
    names = [name for name in (*SCORES, *LABEL_HALVES, *ARC_SCORES) if name in parser.backend.outputs]
    runner = BatchRunner(features_of(parser.folder), parser.backend, workers=1)
    ((_, found),) = runner.run([words], lambda item: item, names, lambda batch: [batch.found])
    assert found is not None
    return {name: value[0] for name, value in found.items()}


def problem_of(parser: Parser, words: list[str]) -> dict[str, Any]:
    """What `decode_joint` takes for a sentence, each label asked for by itself."""
    found, count = outputs_of(parser, words), len(words)
    labels = np.full((3, count + 1, count + 1, len(parser.folder.labels)), -np.inf)
    for role in Role:
        for left, right in zip(*spans_in_role(count, role), strict=True):
            halves = (found[LABEL_HALVES[0]], found[LABEL_HALVES[1]])
            labels[role, left, right] = label_log_probs(
                parser.backend, halves, np.array([left]), np.array([right]), role
            )[0]
    sides = [found[name][:count, :count] if name in found else None for name in SCORES]
    return {"left": sides[0], "right": sides[1], "labels": labels, "arcs": found[ARC_SCORES[0]][:count, : count + 1]}


def constituents(parsed: Parsed) -> list[Span]:
    return [Span(found.left, found.right) for found in parsed.constituents() if found.right - found.left > 1]


def test_pairs_are_the_best_ones_and_go_together(joint: Parser) -> None:
    known = LabelSet(joint.folder.labels)
    changed = 0
    apart = joint.parse_tokens(SHORT, ParseOptions(decoder="labelled"))
    for words, parsed, free in zip(SHORT, joint.parse_tokens(SHORT, JOINT), apart, strict=True):
        given = problem_of(joint, words)
        best = decode_joint(
            given["left"],
            given["right"],
            given["labels"],
            known,
            given["arcs"],
            temperatures=COOL,
        )
        assert parsed.heads == best.heads
        assert parsed.splits == best.spans
        assert (parsed.decoder, parsed.certified) == ("joint", True)
        assert parsed.dependencies is not None
        assert parsed.dependencies.certified
        assert go_together(constituents(parsed), parsed.heads)
        assert [relation == "root" for relation in parsed.relations or ()] == [head == 0 for head in best.heads]
        assert best.agreed == (parsed == free)
        changed += not best.agreed
    assert 0 < changed < len(SHORT)


def test_the_probability_is_that_of_the_same_tree_among_the_best_trees(joint: Parser) -> None:
    seen = 0
    for words in SHORT:
        (parsed,) = joint.parse_tokens([words], JOINT)
        (best,) = joint.parse_tokens([words], ParseOptions(k_best=40))
        shares = {tree.brackets(): tree.probability for tree in best.alternatives}
        if parsed.brackets() in shares:
            assert parsed.probability == pytest.approx(shares[parsed.brackets()], rel=1e-3)
            seen += 1
    assert seen


def test_pairs_that_go_together_already_are_not_searched(joint: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    def count(*arguments: object, **options: object) -> object:
        searched.append(1)
        return decode_joint(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(joint_decoding, "decode_joint", count)
    apart = joint.parse_tokens(SHORT, ParseOptions(decoder="labelled"))
    disagreeing = [parsed for parsed in apart if not go_together(constituents(parsed), parsed.heads or ())]
    joint.parse_tokens(SHORT, JOINT)
    assert 0 < len(searched) == len(disagreeing) < len(SHORT)


def test_long_sentences_keep_the_best_of_each_and_say_so(joint: Parser) -> None:
    apart = joint.parse_tokens(SENTENCES, ParseOptions(decoder="labelled"))
    found = joint.parse_tokens(SENTENCES, ParseOptions(decoder="joint", joint_words=4))
    long = 0
    for parsed, free in zip(found, apart, strict=True):
        together = go_together(constituents(free), free.heads or ())
        if together or len(free.words) > 4:
            assert (parsed, parsed.probability) == (free, free.probability)
        if not together and len(free.words) > 4:
            assert parsed.decoder == "labelled"
            long += 1
        else:
            assert parsed.decoder == "joint"
    assert long


def test_constraints_of_both_kinds_are_obeyed(joint: Parser) -> None:
    words = next(words for words in SHORT if len(words) >= 6)
    wanted = Constraints(required=[(1, 4)], forbidden_arcs=[(1, 2)], required_arcs=[(5, 0)])
    (parsed,) = joint.parse_tokens([words], JOINT, constraints=[wanted])
    assert parsed.heads is not None
    assert parsed.heads[4] == 0
    assert parsed.heads[0] != 2
    assert Span(1, 4) in constituents(parsed)
    assert go_together(constituents(parsed), parsed.heads)
    (named,) = joint.parse_tokens([words], ParseOptions(decoder="joint", root_label="NP"))
    assert named.brackets().startswith("(TOP (NP ")


def test_a_batch_is_as_each_sentence_alone(joint: Parser) -> None:
    together = joint.parse_tokens([*SHORT, ["alone"], []], JOINT)
    assert together == [joint.parse_tokens([words], JOINT)[0] for words in [*SHORT, ["alone"], []]]
    assert together[-2].decoder == "joint"


def test_pairs_that_cannot_be_name_the_sentence(joint: Parser) -> None:
    # The two words of the phrase are governed from outside, so it has two heads.
    wanted = Constraints(required=[(0, 2)], required_arcs=[(1, 3), (2, 3)])
    with pytest.raises(DecodingError, match=r"^sentence 1 \('a b c'\): no tree and heads in which every constituent"):
        joint.parse_tokens([list("abc")], JOINT, constraints=[wanted])


def test_what_joint_decoding_cannot_do_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(DecodingError, match="k_best always uses the decoder 'labelled': leave out 'joint'"):
        ParseOptions(decoder="joint", k_best=2)
    for wrong in (-1, 1.5, "many", True):
        with pytest.raises(DecodingError, match=r"^joint_words is .*: give a number of words, 0 to search no sentence"):
            ParseOptions(joint_words=wrong)  # type: ignore[arg-type]
    parser = Parser.load(trees_alone(find_model("en"), tmp_path / "en"))
    with pytest.raises(DependencyError, match="this model was trained on trees alone and has no dependencies"):
        parser.stream("Dogs bark.", JOINT)
