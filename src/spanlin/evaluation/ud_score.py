"""Dependencies in, a score out: the numbers of Universal Dependencies' official evaluation (CoNLL 2018), and more."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spanlin.dependencies.sentence import ConlluSentence
from spanlin.errors import EvaluationError
from spanlin.evaluation.counts import Counts
from spanlin.evaluation.significance import Comparison, Interval, compare_counts, count_interval
from spanlin.evaluation.ud_alignment import align
from spanlin.evaluation.ud_counts import PairCounter, UDCounts, count_stretches
from spanlin.evaluation.ud_pairs import PairTests
from spanlin.evaluation.ud_report import ud_score_to_dict, ud_score_to_text
from spanlin.evaluation.ud_text import UDText, is_content_word, read_ud_text, ud_text

BOOTSTRAP_SAMPLES = 1000
BOOTSTRAP_SEED = 12345


@dataclass(frozen=True)
class UDScore:
    """The score of one set of predicted dependencies.

    `metrics` are the official ones, by their official names: Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags,
    Lemmas, UAS, LAS, CLAS, MLAS, BLEX. `others` are UAS and LAS without punctuation, and LAS with the subtypes of
    relations. `by_relation` has the counts of LAS. `by_sentence` has those of UAS and of LAS for each gold sentence.
    """

    metrics: Mapping[str, UDCounts]
    others: Mapping[str, UDCounts]
    by_relation: Mapping[str, Counts]
    by_sentence: Mapping[str, tuple[Counts, ...]]

    @property
    def uas(self) -> float | None:
        """F1 of words with the right head."""
        return self.metrics["UAS"].f1

    @property
    def las(self) -> float | None:
        """F1 of words with the right head and relation, subtypes apart."""
        return self.metrics["LAS"].f1

    @cached_property
    def interval(self) -> Interval | None:
        """The 95% bootstrap interval of LAS over gold sentences."""
        return count_interval(self.by_sentence["LAS"], samples=BOOTSTRAP_SAMPLES, seed=BOOTSTRAP_SEED)

    @property
    def signature(self) -> str:
        """Version and settings, in one line to put beside the numbers."""
        from spanlin import __version__

        return f"ud|conll2018|bootstrap:{BOOTSTRAP_SAMPLES}|seed:{BOOTSTRAP_SEED}|spanlin:{__version__}"

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain dictionaries; what cannot be scored is None."""
        return ud_score_to_dict(self)

    def to_json(self) -> str:
        """Return all numbers as one JSON object; what cannot be scored is null."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)

    def to_text(self) -> str:
        """Return all numbers as tables; what cannot be scored is n/a."""
        return ud_score_to_text(self)


def score_conllu_files(gold: str | os.PathLike[str], predicted: str | os.PathLike[str]) -> UDScore:
    """Return the score of the dependencies in one CoNLL-U file against those in another, plain or gzip.

    Both must be of the same text, white space apart; tokens, words and sentences may differ.
    """
    return _score(read_ud_text(gold), read_ud_text(predicted))


def score_dependencies(gold: Iterable[ConlluSentence], predicted: Iterable[ConlluSentence]) -> UDScore:
    """Return what `score_conllu_files` returns, for sentences."""
    return _score(ud_text(gold, "gold"), ud_text(predicted, "predicted"))


def compare_ud_scores(
    first: UDScore, second: UDScore, metric: str = "LAS", *, samples: int = 10_000, seed: int = 12345
) -> Comparison:
    """Return the difference of two scores in UAS or LAS, and its p-value by approximate randomization."""
    if metric not in first.by_sentence:
        raise EvaluationError(f"unknown metric {metric!r}: choose {' or '.join(first.by_sentence)}")
    return compare_counts(first.by_sentence[metric], second.by_sentence[metric], samples=samples, seed=seed)


def _score(gold: UDText, predicted: UDText) -> UDScore:
    alignment = align(gold, predicted)
    tests = PairTests(alignment)
    counter = PairCounter(alignment)
    return UDScore(
        metrics={
            "Tokens": count_stretches(gold.tokens, predicted.tokens),
            "Sentences": count_stretches(gold.sentences, predicted.sentences),
            "Words": UDCounts(len(gold.words), len(predicted.words), len(alignment.pairs)),
            "UPOS": counter.count(tests.upos),
            "XPOS": counter.count(tests.xpos),
            "UFeats": counter.count(tests.features),
            "AllTags": counter.count(tests.all_tags),
            "Lemmas": counter.count(tests.lemma),
            "UAS": counter.count(tests.head),
            "LAS": counter.count(tests.head_and_relation),
            "CLAS": counter.count(tests.head_and_relation, is_content_word),
            "MLAS": counter.count(tests.morphology, is_content_word),
            "BLEX": counter.count(tests.head_relation_and_lemma, is_content_word),
        },
        others={
            "UAS, no punctuation": counter.count_without_punctuation(tests.head),
            "LAS, no punctuation": counter.count_without_punctuation(tests.head_and_relation),
            "LAS, with subtypes": counter.count(tests.head_and_full_relation),
        },
        by_relation=counter.by_relation(tests.head_and_relation),
        by_sentence={
            "UAS": counter.by_sentence(tests.head),
            "LAS": counter.by_sentence(tests.head_and_relation),
        },
    )
