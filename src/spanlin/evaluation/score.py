"""Trees in, a score out: labelled brackets as EVALB counts them, and the same counts cut in several ways."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

from spanlin.errors import EvaluationError
from spanlin.evaluation.brackets import Rules
from spanlin.evaluation.counts import Counts, SentenceScore, Status, Totals, add_up
from spanlin.evaluation.evalb import EvalbOutput, format_evalb
from spanlin.evaluation.evalb_debug import format_debug
from spanlin.evaluation.pairs import BracketTally, score_pair
from spanlin.evaluation.parameters import COLLINS, Parameters
from spanlin.evaluation.report import score_to_dict, score_to_text
from spanlin.evaluation.significance import Interval, bootstrap_interval
from spanlin.trees.tree import Leaf, Tree

_Item = TypeVar("_Item")

BOOTSTRAP_SAMPLES = 1000
BOOTSTRAP_SEED = 12345


class Problem(NamedTuple):
    """A sentence that is not scored, counted from 1, and why."""

    sentence: int
    reason: str


@dataclass(frozen=True)
class Score:
    """The score of one set of predicted trees. Ratios are percentages, and None where nothing can be divided.

    `by_label` is empty if labels do not count; labels that count as equal stand there as one, `ADVP=PRT`.
    """

    parameters: Parameters
    sentences: tuple[SentenceScore, ...]
    by_label: Mapping[str, Counts]
    by_length: Mapping[int, Counts]
    debug_texts: tuple[str, ...] = field(default=(), repr=False)

    @cached_property
    def totals(self) -> Totals:
        """The sums over all sentences."""
        return add_up(self.sentences)

    @cached_property
    def cutoff_totals(self) -> Totals:
        """The sums over the sentences of at most `parameters.cutoff_length` words."""
        return add_up([sentence for sentence in self.sentences if sentence.length <= self.parameters.cutoff_length])

    @property
    def precision(self) -> float | None:
        """The percentage of predicted brackets that are gold."""
        return self.totals.brackets.precision

    @property
    def recall(self) -> float | None:
        """The percentage of gold brackets that are predicted."""
        return self.totals.brackets.recall

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return self.totals.brackets.f1

    @property
    def unlabelled_f1(self) -> float | None:
        """F1 of the same brackets when their labels do not count."""
        return self.totals.unlabelled.f1

    @property
    def complete_match(self) -> float | None:
        """The percentage of valid sentences whose brackets are all right."""
        return self.totals.complete_match

    @property
    def tagging_accuracy(self) -> float | None:
        """The percentage of compared words whose tag is right."""
        return self.totals.tagging_accuracy

    @cached_property
    def by_span_length(self) -> Mapping[str, Counts]:
        """Counts of brackets by their number of words, in the buckets of Wei et al. (2020), Figure 3: 1-5, 6-10, ..."""
        return _in_buckets(self.by_length.items(), width=5, last=45)

    @cached_property
    def by_sentence_length(self) -> Mapping[str, Counts]:
        """Counts of brackets by the length of their sentence."""
        valid = (sentence for sentence in self.sentences if sentence.status is Status.VALID)
        return _in_buckets(
            ((item.length, Counts(item.gold, item.predicted, item.matched)) for item in valid), width=10, last=60
        )

    @property
    def problems(self) -> list[Problem]:
        """The sentences that are not scored, with the reason."""
        return [
            Problem(number, sentence.problem or "nothing predicted")
            for number, sentence in enumerate(self.sentences, start=1)
            if sentence.status is not Status.VALID
        ]

    @cached_property
    def interval(self) -> Interval | None:
        """The 95% bootstrap interval of F1 with this module's fixed seed."""
        return self.bootstrap()

    def bootstrap(self, *, samples: int = BOOTSTRAP_SAMPLES, seed: int = BOOTSTRAP_SEED) -> Interval | None:
        """Return the 95% interval of F1 over resampled sentences; None if no bracket is scored."""
        return bootstrap_interval(self.sentences, samples=samples, seed=seed)

    @property
    def signature(self) -> str:
        """Version and all settings that change the numbers, in one line to put beside them."""
        from spanlin import __version__

        bootstrap = f"bootstrap:{BOOTSTRAP_SAMPLES}|seed:{BOOTSTRAP_SEED}"
        return f"evalb|{self.parameters.signature()}|{bootstrap}|spanlin:{__version__}"

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain dictionaries and lists; what cannot be scored is None."""
        return score_to_dict(self)

    def to_json(self) -> str:
        """Return all numbers as one JSON object; what cannot be scored is null."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)

    def to_text(self) -> str:
        """Return all numbers as tables; what cannot be scored is n/a."""
        return score_to_text(self)

    def to_evalb(self, *, surplus: Literal["gold", "predicted"] | None = None) -> EvalbOutput:
        """Return what EVALB prints, errors apart; `surplus` names the file with more lines than the other."""
        return format_evalb(self.sentences, self.parameters, self.debug_texts, surplus=surplus)


def score_trees(
    gold: Iterable[Tree | Leaf | None],
    predicted: Iterable[Tree | Leaf | None],
    *,
    parameters: Parameters = COLLINS,
) -> Score:
    """Return the score of the predicted trees, the first against the first gold tree and so on.

    None stands for an empty line: EVALB skips a sentence without prediction, and takes a missing gold tree for an
    error. A bare leaf is a sentence of one word without constituents.
    """
    rules = Rules(parameters)
    tally = BracketTally()
    sentences: list[SentenceScore] = []
    debug_texts: list[str] = []
    for gold_tree, predicted_tree in _in_step(gold, predicted):
        sentence = score_pair(gold_tree, predicted_tree, rules, tally)
        sentences.append(sentence)
        if parameters.debug == 1:
            debug_texts.append(format_debug(gold_tree, predicted_tree, sentence.status, rules))
    tally.flush()
    return Score(
        parameters=parameters,
        sentences=tuple(sentences),
        by_label=_counts_by(tally, lambda label, _: label) if parameters.labelled else {},
        by_length=_counts_by(tally, lambda _, length: length),
        debug_texts=tuple(debug_texts),
    )


def _in_step(gold: Iterable[_Item], predicted: Iterable[_Item]) -> Iterator[tuple[_Item, _Item]]:
    """Yield pairs; if one side is longer, raise an error that says both counts."""
    gold_iterator, predicted_iterator = iter(gold), iter(predicted)
    count = 0
    for gold_item in gold_iterator:
        for predicted_item in predicted_iterator:
            yield gold_item, predicted_item
            count += 1
            break
        else:
            raise _count_error(count + 1 + sum(1 for _ in gold_iterator), count)
    surplus = sum(1 for _ in predicted_iterator)
    if surplus:
        raise _count_error(count, count + surplus)


def _count_error(gold_count: int, predicted_count: int) -> EvaluationError:
    return EvaluationError(
        f"{gold_count} gold trees but {predicted_count} predicted ones: there must be one prediction, or an empty "
        "line, for each gold tree"
    )


_Key = TypeVar("_Key", str, int)


def _counts_by(tally: BracketTally, key: Callable[[str, int], _Key]) -> dict[_Key, Counts]:
    """Return the counts of each label or length, most frequent in gold first."""
    sums: list[Counter[_Key]] = []
    for counter in (tally.matched, tally.gold_only, tally.predicted_only):
        summed: Counter[_Key] = Counter()
        for (label, length), count in counter.items():
            summed[key(label, length)] += count
        sums.append(summed)
    matched, gold_only, predicted_only = sums
    counts = {
        item: Counts(matched[item] + gold_only[item], matched[item] + predicted_only[item], matched[item])
        for item in {**matched, **gold_only, **predicted_only}
    }
    return dict(sorted(counts.items(), key=lambda item: (-item[1].gold, -item[1].predicted, item[0])))


def _in_buckets(items: Iterable[tuple[int, Counts]], *, width: int, last: int) -> dict[str, Counts]:
    """Return sums over lengths 1..width, width+1..2*width, ... and all above `last`, up to the longest there is."""
    sums: dict[int, Counts] = {}
    for length, counts in items:
        bucket = min(max(length - 1, 0) // width, last // width)
        sums[bucket] = Counts(*map(sum, zip(sums.get(bucket, (0, 0, 0)), counts, strict=True)))
    named: dict[str, Counts] = {}
    for bucket in range(max(sums, default=-1) + 1):
        name = f">{last}" if bucket * width == last else f"{bucket * width + 1}-{(bucket + 1) * width}"
        named[name] = sums.get(bucket, Counts(0, 0, 0))
    return named
