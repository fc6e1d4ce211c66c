"""One gold and one predicted tree to the counts of that sentence, as EVALB takes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from spanlin.evaluation.brackets import EMPTY, Bracket, Rules, Sentence, collect_brackets
from spanlin.evaluation.counts import SentenceScore, Status
from spanlin.evaluation.quotes import restore_quotes
from spanlin.trees.escapes import escape_word
from spanlin.trees.tree import Leaf, Tree


class BracketTally:
    """Brackets by (label, span length): those matched, and those on one side only."""

    def __init__(self) -> None:
        self.matched: Counter[tuple[str, int]] = Counter()
        self.gold_only: Counter[tuple[str, int]] = Counter()
        self.predicted_only: Counter[tuple[str, int]] = Counter()
        # Counting many brackets at once is several times faster than sentence by sentence.
        self._waiting: tuple[list[Bracket], list[Bracket], list[Bracket]] = ([], [], [])

    def add(self, matched: Iterable[Bracket], gold_only: Iterable[Bracket], predicted_only: Iterable[Bracket]) -> None:
        """Take in the brackets of one sentence; they are counted by the next `flush` at the latest."""
        waiting = self._waiting
        waiting[0].extend(matched)
        waiting[1].extend(gold_only)
        waiting[2].extend(predicted_only)
        if len(waiting[0]) + len(waiting[1]) + len(waiting[2]) > 20_000:
            self.flush()

    def flush(self) -> None:
        """Count the brackets that still wait."""
        for counter, waiting in zip((self.matched, self.gold_only, self.predicted_only), self._waiting, strict=True):
            counter.update([(label, right - left) for left, right, label in waiting])
            waiting.clear()


def score_pair(
    gold: Tree | Leaf | None, predicted: Tree | Leaf | None, rules: Rules, tally: BracketTally
) -> SentenceScore:
    """Return the counts of one sentence and add its brackets to the tally; None stands for an empty line."""
    gold_side = collect_brackets(gold, rules) if gold is not None else EMPTY
    predicted_side = collect_brackets(predicted, rules) if predicted is not None else EMPTY
    length = _length(gold_side, rules)
    if not predicted_side.words:
        return SentenceScore(Status.SKIPPED, length)
    if gold_side.words != predicted_side.words:
        is_repairable = rules.quote_tags and len(gold_side.words) != len(predicted_side.words)
        if is_repairable and gold is not None and predicted is not None:
            gold_side, predicted_side = restore_quotes(gold, predicted, rules)
        problem = _difference(gold_side.words, predicted_side.words, rules)
        if problem:
            return SentenceScore(Status.ERROR, length, problem=problem)

    gold_brackets, predicted_brackets = gold_side.brackets, predicted_side.brackets
    matched, gold_only, predicted_only = _match(gold_brackets, predicted_brackets, rules)
    matched_count = unlabelled_count = len(matched)
    crossing = 0
    tally.add(matched, gold_only, predicted_only)
    if predicted_only:
        crossing = count_crossing(gold_brackets, predicted_only, len(gold_side.words))
        if gold_only:
            unlabelled_count += _count_same_spans(gold_only, predicted_only)
    return SentenceScore(
        Status.VALID,
        length,
        len(gold_brackets),
        len(predicted_brackets),
        matched_count,
        unlabelled_count,
        crossing,
        len(gold_side.words),
        _correct_tags(gold_side.tags, predicted_side.tags, rules),
    )


def count_crossing(gold: list[Bracket], predicted: Iterable[Bracket], word_count: int) -> int:
    """Return how many of the predicted brackets overlap a gold one without either holding the other.

    Linear in words and brackets. `gold` must come children first.
    """
    # Gold brackets around one split point are nested, so the innermost tells whether any of them is crossed.
    innermost_left = [0] * (word_count + 1)
    innermost_right = [word_count] * (word_count + 1)
    uncovered: list[int] = []  # split points left of the bracket's end which no bracket so far has inside
    reached = 1
    for left, right, _ in gold:
        if reached < right:
            uncovered.extend(range(reached, right))
            reached = right
        while uncovered and uncovered[-1] > left:
            split_point = uncovered.pop()
            innermost_left[split_point] = left
            innermost_right[split_point] = right
    return sum(innermost_left[right] > left or innermost_right[left] < right for left, right, _ in predicted)


def _length(gold: Sentence, rules: Rules) -> int:
    without_length = sum(gold.tags.count(tag) + gold.deleted_tags.count(tag) for tag in rules.labels_without_length)
    return len(gold.tags) + len(gold.deleted_tags) - without_length


def _difference(gold: list[str], predicted: list[str], rules: Rules) -> str:
    """Return what EVALB says about words that differ, nothing if they do not."""
    if len(gold) != len(predicted):
        return f"Length unmatch ({len(gold)}|{len(predicted)})"
    for one, two in zip(gold, predicted, strict=True):
        if not rules.are_equal_words(one, two):
            return f"Words unmatch ({escape_word(one)}|{escape_word(two)})"
    return ""


_Matching = tuple[list[Bracket], list[Bracket], list[Bracket]]


def _match(gold: list[Bracket], predicted: list[Bracket], rules: Rules) -> _Matching:
    """Return the brackets in both, in gold only and in predicted only; each bracket is matched once at most."""
    if not rules.equality_is_transitive:
        return _match_in_order(gold, predicted, rules)
    if gold == predicted:
        return gold, [], []
    free: dict[Bracket, int] = {}
    for bracket in predicted:
        free[bracket] = free.get(bracket, 0) + 1
    matched: list[Bracket] = []
    gold_only: list[Bracket] = []
    for bracket in gold:
        count = free.get(bracket)
        if count:
            free[bracket] = count - 1
            matched.append(bracket)
        else:
            gold_only.append(bracket)
    predicted_only = [bracket for bracket, count in free.items() if count]
    if len(predicted_only) + len(matched) < len(predicted):
        predicted_only = [bracket for bracket, count in free.items() for _ in range(count)]
    return matched, gold_only, predicted_only


def _match_in_order(gold: list[Bracket], predicted: list[Bracket], rules: Rules) -> _Matching:
    """Match each gold bracket, parents first, with the first predicted one that is free and equal, as EVALB does.

    The labels that come back are those of whole classes, so that both sides of a match have the same.
    """
    classes = rules.label_classes
    free: dict[tuple[int, int], list[str]] = {}
    for left, right, label in reversed(predicted):
        free.setdefault((left, right), []).append(label)
    matched: list[Bracket] = []
    gold_only: list[Bracket] = []
    for left, right, label in reversed(gold):
        candidates = free.get((left, right), [])
        target = gold_only
        for index, candidate in enumerate(candidates):
            if rules.are_equal_labels(label, candidate):
                del candidates[index]
                target = matched
                break
        target.append((left, right, classes.get(label, label)))
    predicted_only = [(*span, classes.get(label, label)) for span, labels in free.items() for label in labels]
    return matched, gold_only, predicted_only


def _count_same_spans(gold: Iterable[Bracket], predicted: Iterable[Bracket]) -> int:
    """Return how many brackets match if labels do not count."""
    gold_spans = Counter((left, right) for left, right, _ in gold)
    count = 0
    for left, right, _ in predicted:
        if gold_spans[left, right] > 0:
            gold_spans[left, right] -= 1
            count += 1
    return count


def _correct_tags(gold: list[str], predicted: list[str], rules: Rules) -> int:
    if gold == predicted:
        return len(gold)
    different = [pair for pair in zip(gold, predicted, strict=True) if pair[0] != pair[1]]
    return len(gold) - sum(pair not in rules.equal_labels for pair in different)
