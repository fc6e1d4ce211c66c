"""What the C program EVALB prints for a score, byte for byte.

EVALB's limits are not kept: it overflows at 200 words or brackets a sentence, 100 bytes a word or 5,000 a line. Nor
is what it does with malformed lines, which is undefined: they are errors here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from spanlin.errors import EvaluationError
from spanlin.evaluation.counts import SentenceScore, Status, Totals, add_up
from spanlin.evaluation.parameters import Parameters

_RULE = "=" * 76 + "\n"
# The misspellings are EVALB's.
_HEAD = (
    "  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n" + _RULE
)


class EvalbOutput(NamedTuple):
    """What EVALB writes on standard output and on standard error, and the status it ends with."""

    output: str
    errors: str
    exit_status: int


def format_evalb(
    sentences: Sequence[SentenceScore],
    parameters: Parameters,
    debug_texts: Sequence[str] = (),
    *,
    surplus: Literal["gold", "predicted"] | None = None,
) -> EvalbOutput:
    """Return EVALB's output; `surplus` names the file that has more lines than the other.

    EVALB gives up, without a summary, at error number `max_error` + 2.
    """
    if parameters.debug > 1:
        raise EvaluationError(f"DEBUG {parameters.debug} is not supported in EVALB's format: use 0 or 1")
    lines = [_HEAD]
    errors: list[str] = []
    for number, sentence in enumerate(sentences, start=1):
        if sentence.status is Status.ERROR:
            errors.append(f"{number} : {sentence.problem}\n")
            if len(errors) > parameters.max_error + 1:
                return EvalbOutput("".join(lines), "".join(errors), 1)
        lines.append(_sentence_line(number, sentence))
        if debug_texts:
            lines.append(debug_texts[number - 1])
    if surplus:
        file = "gold" if surplus == "gold" else "test"
        errors.append(f"{len(sentences) + 1} : Number of lines unmatch (too many lines in {file} file)\n")
        if len(errors) > parameters.max_error + 1:
            return EvalbOutput("".join(lines), "".join(errors), 1)
    totals = add_up(sentences)
    short = add_up([sentence for sentence in sentences if sentence.length <= parameters.cutoff_length])
    lines.append(_RULE)
    lines.append(_total_line(totals))
    lines.append(f"=== Summary ===\n\n-- All --\n{_summary(totals)}")
    lines.append(f"\n-- len<={parameters.cutoff_length} --\n{_summary(short)}")
    return EvalbOutput("".join(lines), "".join(errors), 0)


def _sentence_line(number: int, sentence: SentenceScore) -> str:
    _, length, gold, predicted, matched, _, crossing, word_count, correct_tags, _ = sentence
    return (
        f"{number:4d}  {length:3d}    {sentence.status:d}  "
        f"{_percent(matched, gold)} {_percent(matched, predicted)}   {matched:3d}    {gold:3d}  {predicted:3d}"
        f"    {crossing:3d}   {word_count:4d}  {correct_tags:4d}   {_percent(correct_tags, word_count)}\n"
    )


def _total_line(totals: Totals) -> str:
    gold, predicted, matched = totals.brackets
    tagging = _percent(totals.correct_tags, totals.word_count)
    tags = f"  {totals.word_count:5d} {totals.correct_tags:5d}   {tagging}\n"
    if not (gold and predicted):
        return tags
    ratios = f"{_percent(matched, gold)} {_percent(matched, predicted)}"
    return f"{'':16}{ratios} {matched:6d} {gold:5d} {predicted:5d}  {totals.crossing:5d}{tags}"


def _summary(totals: Totals) -> str:
    gold, predicted, matched = totals.brackets
    recall = 100.0 * matched / gold if gold else 0.0
    precision = 100.0 * matched / predicted if predicted else 0.0
    # 0/0 is a negative NaN on the machines EVALB is commonly run on, and is printed as such.
    f_measure = f"{2 * precision * recall / (precision + recall):6.2f}" if precision + recall else "  -nan"
    crossing = totals.crossing / totals.valid if totals.valid else 0.0
    return (
        f"Number of sentence        = {totals.sentences:6d}\n"
        f"Number of Error sentence  = {totals.errors:6d}\n"
        f"Number of Skip  sentence  = {totals.skipped:6d}\n"
        f"Number of Valid sentence  = {totals.valid:6d}\n"
        f"Bracketing Recall         = {recall:6.2f}\n"
        f"Bracketing Precision      = {precision:6.2f}\n"
        f"Bracketing FMeasure       = {f_measure}\n"
        f"Complete match            = {_percent(totals.complete, totals.valid)}\n"
        f"Average crossing          = {crossing:6.2f}\n"
        f"No crossing               = {_percent(totals.without_crossing, totals.valid)}\n"
        f"2 or less crossing        = {_percent(totals.two_or_less_crossing, totals.valid)}\n"
        f"Tagging accuracy          = {_percent(totals.correct_tags, totals.word_count)}\n"
    )


def _percent(part: int, whole: int) -> str:
    return f"{100.0 * part / whole if whole else 0.0:6.2f}"
