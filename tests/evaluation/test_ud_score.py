"""Scores of dependencies, equal to the last digit to those of the official evaluation."""

from __future__ import annotations

import io
import os
import random
from pathlib import Path

import pytest

from conllu_edits import edited_sentences, random_sentences
from conllu_samples import OFFICIAL_METRICS, small_sentence
from spanlin.dependencies import ConlluSentence, parse_conllu, read_conllu, write_conllu
from spanlin.dependencies.conllu import format_conllu
from spanlin.errors import EvaluationError
from spanlin.evaluation import UDScore, compare_ud_scores, score_conllu_files, score_dependencies

udeval = pytest.importorskip("udtools.udeval")


def official_scores(gold: list[ConlluSentence], predicted: list[ConlluSentence]) -> dict[str, tuple[object, ...]]:
    texts = (io.StringIO("".join(map(format_conllu, sentences))) for sentences in (gold, predicted))
    found = udeval.evaluate(*(udeval.load_conllu(text, "text", {}) for text in texts))
    return {
        name: (
            *(found[name].gold_total, found[name].system_total, found[name].correct, found[name].aligned_total),
            *(100 * ratio for ratio in (found[name].precision, found[name].recall, found[name].f1)),
            None if found[name].aligned_accuracy is None else 100 * found[name].aligned_accuracy,
        )
        for name in OFFICIAL_METRICS
    }


def our_scores(score: UDScore) -> dict[str, tuple[object, ...]]:
    """In the official form, where what cannot be divided is 0."""
    return {
        name: (
            *counts,
            *(ratio or 0.0 for ratio in (counts.precision, counts.recall, counts.f1)),
            None if counts.aligned is None else counts.aligned_accuracy or 0.0,
        )
        for name, counts in score.metrics.items()
    }


@pytest.mark.parametrize("seed", range(10))
def test_all_scores_are_the_official_ones(seed: int) -> None:
    generator = random.Random(seed)
    for _ in range(20):  # 200 pairs of files in all
        gold = random_sentences(generator, generator.randint(1, 40))
        predicted = edited_sentences(gold, generator, generator.choice([0.05, 0.2, 0.6]))
        assert our_scores(score_dependencies(gold, predicted)) == official_scores(gold, predicted)


@pytest.mark.treebanks
@pytest.mark.parametrize("name", ["ewt-dep", "gum-dep"])
def test_all_scores_are_the_official_ones_on_real_treebanks(name: str, tmp_path: Path) -> None:
    path = Path(os.environ.get("SPANLIN_DATA", "/nowhere")) / name / "dev.conllu"
    if not path.exists():
        pytest.skip(f"SPANLIN_DATA has no {name}")
    gold = list(read_conllu(path))
    for seed, rate in enumerate((0.0, 0.02, 0.1, 0.4)):
        predicted = edited_sentences(gold, random.Random(seed), rate)
        write_conllu(predicted, tmp_path / "predicted.conllu")
        score = score_conllu_files(path, tmp_path / "predicted.conllu")
        assert our_scores(score) == official_scores(gold, predicted)
        assert (score.las == 100.0) == (rate == 0.0)


GOLD = small_sentence((2, "det"), (3, "nsubj"), (0, "root"), (3, "obj:x"), (3, "punct"))


def predicted_with(*changes: tuple[str, str]) -> list[ConlluSentence]:
    text = GOLD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return parse_conllu(text)


def test_what_counts_for_each_score_is_counted() -> None:
    score = score_dependencies(parse_conllu(GOLD), predicted_with(("\t3\tobj:x", "\t3\tobj"), ("\t2\tdet", "\t3\tdet")))
    assert score.metrics["UAS"] == (5, 5, 4, 5)
    assert score.uas == score.las == pytest.approx(80.0)
    assert score.metrics["CLAS"] == (3, 3, 3, 3)  # det and punct are not of content
    assert score.metrics["MLAS"].correct == 1  # neither the word that has lost its det nor the one that has got it
    assert score.others["LAS, with subtypes"].correct == 3
    assert score.by_relation["det"] == (1, 1, 0)
    assert score.by_relation["obj"] == (1, 1, 1)


def test_punctuation_is_what_is_so_in_gold() -> None:
    gold = predicted_with(("e\te\tNOUN", "e\te\tPUNCT"))
    score = score_dependencies(gold, predicted_with(("a\ta\tNOUN", "a\ta\tPUNCT"), ("\t3\tpunct", "\t1\tpunct")))
    assert score.others["UAS, no punctuation"] == (4, 4, 4, 4)
    assert score.others["LAS, no punctuation"].f1 == 100.0
    assert score.metrics["UAS"].correct == 4


def test_counts_by_sentence_add_up_to_the_whole_whatever_the_sentences() -> None:
    generator = random.Random(5)
    for _ in range(20):
        gold = random_sentences(generator, 30)
        score = score_dependencies(gold, edited_sentences(gold, generator, 0.3))
        for name, counts in score.by_sentence.items():
            assert len(counts) == len(gold)
            sums = tuple(map(sum, zip(*counts, strict=True)))
            assert sums == score.metrics[name][:3]
        assert tuple(map(sum, zip(*score.by_relation.values(), strict=True))) == score.metrics["LAS"][:3]


def test_a_better_prediction_is_significantly_better() -> None:
    generator = random.Random(1)
    gold = random_sentences(generator, 400)
    first, second = (score_dependencies(gold, edited_sentences(gold, generator, rate)) for rate in (0.3, 0.05))
    for metric in ("UAS", "LAS"):
        comparison = compare_ud_scores(first, second, metric, samples=500)
        assert comparison.first_f1 == pytest.approx(first.metrics[metric].f1)
        assert comparison.difference > 5
        assert comparison.p_value < 0.01
        assert comparison.compared == len(gold)
    assert compare_ud_scores(first, first, samples=100).p_value == 1.0
    assert second.interval is not None
    assert second.las is not None
    assert second.interval.low < second.las < second.interval.high
    with pytest.raises(EvaluationError, match=r"^unknown metric 'CLAS': choose UAS or LAS$"):
        compare_ud_scores(first, second, "CLAS")
    other = score_dependencies(gold[1:], gold[1:])
    with pytest.raises(EvaluationError, match="sentences cannot be compared: score both against the same gold file"):
        compare_ud_scores(first, other)
