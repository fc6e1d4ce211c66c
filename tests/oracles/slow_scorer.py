"""EVALB done slowly on raw lines, bracket by bracket, to check the fast scorer against.

Follows the reference program's procedure on arrays of words and brackets, without any of the scorer's code.
"""
# ruff: noqa: UP031 (the formats stand as they do in C)

from __future__ import annotations

import itertools
from dataclasses import dataclass, field


@dataclass
class Settings:
    labelled: bool = True
    deleted: list[str] = field(default_factory=list)
    lengthless: list[str] = field(default_factory=list)
    equal_labels: list[tuple[str, str]] = field(default_factory=list)
    equal_words: list[tuple[str, str]] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)
    cutoff: int = 40
    max_error: int = 10
    debug: int = 0


@dataclass
class _Word:
    word: str
    tag: str
    result: int = 9


@dataclass
class _Bracket:
    label: str
    start: int
    end: int = -1
    result: int = 9


@dataclass
class _Quote:
    word: str
    tag: str
    index: int
    next_bracket: int
    open_brackets: list[int]


@dataclass
class _Side:
    words: list[_Word] = field(default_factory=list)
    brackets: list[_Bracket] = field(default_factory=list)
    quotes: list[_Quote] = field(default_factory=list)
    length: int = 0

    def put_back(self, quote: _Quote) -> None:
        self.words.insert(quote.index, _Word(quote.word, quote.tag))
        for bracket in self.brackets[quote.next_bracket :]:
            bracket.start += 1
            bracket.end += 1
        for number in quote.open_brackets:
            self.brackets[number].end += 1


class _StopError(Exception):
    pass


class SlowScorer:
    """Scores lines of bracketed text; `output` and `errors` are what the reference program prints."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.output = (
            "  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
            " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n"
            "============================================================================\n"
        )
        self.errors = ""
        self.error_count = 0
        self.exit_status = 0
        self.rows: list[tuple[int, int, list[int]]] = []  # status, length, counts

    def run(self, gold_lines: list[str], predicted_lines: list[str]) -> None:
        try:
            for number, (gold, predicted) in enumerate(zip(gold_lines, predicted_lines, strict=False), start=1):
                self.sentence(number, gold, predicted)
            number = min(len(gold_lines), len(predicted_lines)) + 1
            if len(gold_lines) > len(predicted_lines):
                self.error(number, "Number of lines unmatch (too many lines in gold file)")
            if len(gold_lines) < len(predicted_lines):
                self.error(number, "Number of lines unmatch (too many lines in test file)")
        except _StopError:
            self.exit_status = 1
            return
        self.totals()

    def error(self, number: int, message: str) -> None:
        self.errors += f"{number} : {message}\n"
        self.error_count += 1
        if self.error_count - 1 > self.settings.max_error:
            raise _StopError

    def sentence(self, number: int, gold_line: str, predicted_line: str) -> None:
        gold, predicted = self.read(gold_line), self.read(predicted_line)
        status, counts = self.compare(number, gold, predicted)
        self.rows.append((status, gold.length, counts))
        match, gold_count, predicted_count, crossing, word_count, correct = counts
        self.output += "%4d  %3d    %d  " % (number, gold.length, status)
        self.output += "%6.2f %6.2f   %3d    %3d  %3d    %3d" % (
            100.0 * match / gold_count if gold_count else 0.0,
            100.0 * match / predicted_count if predicted_count else 0.0,
            match,
            gold_count,
            predicted_count,
            crossing,
        )
        accuracy = 100.0 * correct / word_count if word_count else 0.0
        self.output += "   %4d  %4d   %6.2f\n" % (word_count, correct, accuracy)
        if self.settings.debug:
            self.dump(gold, predicted)

    def read(self, line: str) -> _Side:
        side = _Side()
        stack: list[int] = []
        at = 0
        while at < len(line):
            if line[at] == "(":
                end = at + 1
                while line[end] not in " ()":
                    end += 1
                label = line[at + 1 : end]
                after = end
                while line[after] == " ":
                    after += 1
                word_end = after
                while line[word_end] not in " ()":
                    word_end += 1
                if after > end and line[word_end] == ")":
                    self.leaf(side, stack, label, line[after:word_end])
                    at = word_end + 1
                    continue
                stack.append(len(side.brackets))
                side.brackets.append(_Bracket(label, len(side.words)))
                at = end
            elif line[at] == ")":
                side.brackets[stack.pop()].end = len(side.words)
                at += 1
            else:
                assert line[at] == " "
                at += 1
        assert not stack
        return side

    def leaf(self, side: _Side, stack: list[int], tag: str, word: str) -> None:
        if tag not in self.settings.lengthless:
            side.length += 1
        if tag in self.settings.quotes and word in ["'", '"', "/"]:
            side.quotes.append(_Quote(word, tag, len(side.words), len(side.brackets), list(stack)))
        if tag not in self.settings.deleted:
            side.words.append(_Word(word, tag))

    def repair_quotes(self, gold: _Side, predicted: _Side) -> None:
        deleted = self.settings.deleted
        for i, predicted_quote in enumerate(predicted.quotes):
            index = predicted_quote.index
            for j, gold_quote in enumerate(gold.quotes):
                if gold_quote.index != index or gold_quote.tag == predicted_quote.tag:
                    continue
                if gold_quote.tag in deleted and predicted_quote.tag not in deleted:
                    gold.put_back(gold_quote)
                    for quote in gold.quotes[j:]:
                        quote.index += 1
                elif predicted_quote.tag in deleted and gold_quote.tag not in deleted:
                    predicted.put_back(predicted_quote)
                    for quote in predicted.quotes[i:]:
                        quote.index += 1

    def compare(self, number: int, gold: _Side, predicted: _Side) -> tuple[int, list[int]]:
        nothing = [0, 0, 0, 0, 0, 0]
        if not predicted.words:
            return 2, nothing
        if len(gold.words) != len(predicted.words):
            self.repair_quotes(gold, predicted)
            if len(gold.words) != len(predicted.words):
                self.error(number, f"Length unmatch ({len(gold.words)}|{len(predicted.words)})")
                return 1, nothing
        for gold_word, word in zip(gold.words, predicted.words, strict=True):
            if not same(gold_word.word, word.word, self.settings.equal_words):
                self.error(number, f"Words unmatch ({gold_word.word}|{word.word})")
                return 1, nothing
        for bracket in gold.brackets + predicted.brackets:
            self.delete(bracket)
        match = 0
        for one, two in itertools.product(gold.brackets, predicted.brackets):
            labels_match = not self.settings.labelled or same(one.label, two.label, self.settings.equal_labels)
            if one.result == 0 and two.result == 0 and (one.start, one.end) == (two.start, two.end) and labels_match:
                one.result = two.result = 1
                match += 1
        gold_kept = [bracket for bracket in gold.brackets if bracket.result != 5]
        predicted_kept = [bracket for bracket in predicted.brackets if bracket.result != 5]
        crossing = sum(any(crosses(one, two) for one in gold_kept) for two in predicted_kept)
        for gold_word, word in zip(gold.words, predicted.words, strict=True):
            gold_word.result = word.result = int(same(gold_word.tag, word.tag, self.settings.equal_labels))
        correct = sum(word.result for word in gold.words)
        return 0, [match, len(gold_kept), len(predicted_kept), crossing, len(gold.words), correct]

    def delete(self, bracket: _Bracket) -> None:
        if bracket.start == bracket.end:
            bracket.result = 5
            return
        bracket.label = bracket.label.split("-")[0].split("=")[0]
        is_deleted = any(same(bracket.label, label, self.settings.equal_labels) for label in self.settings.deleted)
        bracket.result = 5 if is_deleted else 0

    def totals(self) -> None:
        self.output += "=" * 76 + "\n"
        everything = [0] * 6
        for status, _, counts in self.rows:
            if status == 0:
                everything = [total + count for total, count in zip(everything, counts, strict=True)]
        match, gold, predicted, crossing, word_count, correct = everything
        if gold and predicted:
            self.output += "                %6.2f %6.2f %6d %5d %5d  %5d" % (
                100.0 * match / gold,
                100.0 * match / predicted,
                match,
                gold,
                predicted,
                crossing,
            )
        self.output += "  %5d %5d   %6.2f\n" % (word_count, correct, 100.0 * correct / word_count if word_count else 0)
        self.output += "=== Summary ===\n\n-- All --\n"
        self.summary(self.rows)
        self.output += "\n-- len<=%d --\n" % self.settings.cutoff
        self.summary([row for row in self.rows if row[1] <= self.settings.cutoff])

    def summary(self, rows: list[tuple[int, int, list[int]]]) -> None:
        valid = [counts for status, _, counts in rows if status == 0]
        sums = [sum(column) for column in zip([0] * 6, *valid, strict=True)]
        match, gold, predicted, crossing, word_count, correct = sums
        recall = 100.0 * match / gold if gold else 0.0
        precision = 100.0 * match / predicted if predicted else 0.0
        f_measure = 2 * precision * recall / (precision + recall) if precision + recall else None
        sentences = len(valid) or 1
        lines = [
            ("Number of sentence        = %6d", len(rows)),
            ("Number of Error sentence  = %6d", sum(status == 1 for status, _, _ in rows)),
            ("Number of Skip  sentence  = %6d", sum(status == 2 for status, _, _ in rows)),
            ("Number of Valid sentence  = %6d", len(valid)),
            ("Bracketing Recall         = %6.2f", recall),
            ("Bracketing Precision      = %6.2f", precision),
            ("Bracketing FMeasure       = %6.2f", f_measure),
            ("Complete match            = %6.2f", 100.0 * sum(c[0] == c[1] == c[2] for c in valid) / sentences),
            ("Average crossing          = %6.2f", 1.0 * crossing / sentences),
            ("No crossing               = %6.2f", 100.0 * sum(c[3] == 0 for c in valid) / sentences),
            ("2 or less crossing        = %6.2f", 100.0 * sum(c[3] <= 2 for c in valid) / sentences),
            ("Tagging accuracy          = %6.2f", 100.0 * correct / (word_count or 1)),
        ]
        for form, value in lines:
            self.output += (form.replace("%6.2f", "  -nan") if value is None else form % value) + "\n"

    def dump(self, gold: _Side, predicted: _Side) -> None:
        self.output += "-<1>---(wn1=%3d, bn1=%3d)-           " % (len(gold.words), len(gold.brackets))
        self.output += "-<2>---(wn2=%3d, bn2=%3d)-\n" % (len(predicted.words), len(predicted.brackets))
        for i in range(max(len(gold.words), len(predicted.words))):
            if i < len(gold.words):
                word = gold.words[i]
                self.output += "%3d : %d : %s  %s      " % (i, word.result, pad(word.tag, 6), pad(word.word, 16))
            else:
                self.output += " " * 40
            if i < len(predicted.words):
                word = predicted.words[i]
                self.output += "%3d : %d : %s  %s" % (i, word.result, pad(word.tag, 6), pad(word.word, 16))
            self.output += "\n"
        self.output += "\n"
        for i in range(max(len(gold.brackets), len(predicted.brackets))):
            if i < len(gold.brackets):
                self.output += self.dumped_bracket(i, gold.brackets[i]) + "      "
            else:
                self.output += " " * 32
            if i < len(predicted.brackets):
                self.output += self.dumped_bracket(i, predicted.brackets[i])
            self.output += "\n"
        self.output += "\n========\n"

    @staticmethod
    def dumped_bracket(i: int, bracket: _Bracket) -> str:
        return "%3d : %d : %3d  %3d  %s" % (i, bracket.result, bracket.start, bracket.end, pad(bracket.label, 6))


def same(one: str, two: str, pairs: list[tuple[str, str]]) -> bool:
    return one == two or (one, two) in pairs or (two, one) in pairs


def crosses(one: _Bracket, two: _Bracket) -> bool:
    return one.start < two.start < one.end < two.end or two.start < one.start < two.end < one.end


def pad(text: str, width: int) -> str:
    return text.encode().ljust(width).decode()
