"""The reader of CoNLL-U: any bytes are sentences that are written as they were read, or an error with its line."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from typing import BinaryIO, cast

from fuzz.messages import check_message
from fuzz.target import Target, damage, is_drawn
from fuzz.watch import watched
from spanlin.dependencies.conllu import format_conllu, parse_conllu, read_conllu
from spanlin.dependencies.sentence import ConlluSentence
from spanlin.dependencies.validation import sentence_problems
from spanlin.errors import ConlluError, DependencyError, EvaluationError
from spanlin.evaluation.ud_score import score_dependencies

_GZIP_MAGIC = b"\x1f\x8b"
_MUCH = 50_000  # bytes of a repeated input, for which squared time would be seconds

_FORMS = ["a", "b c", "don't", "_", "\u00a0", "\u2028", "\x85", "\x1c", "é", "😀", "#", "-", "\x00", "İ"]
_COLUMNS = ["_", "NOUN", "Number=Sing", "A=B|C=D", "nsubj", "acl:relcl", "SpaceAfter=No", "x|SpaceAfter=No", "0", "1.1"]
_IDS = ["1", "2", "3", "1-2", "2-3", "0.1", "1.1", "1.2", "01", "1-1", "3-2", "x", "٣", "9" * 30]
_TOKENS = ["\t", "\n", "\n\n", "\r\n", "#", "# text = a b", "# sent_id = 1\n", "_", "\t_", "0", "1", *_IDS, *_FORMS]
_RAW_TOKENS = [token.encode() for token in [*_TOKENS, "\ufeff"]]
_RAW_TOKENS += [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x1f\x8b", b"\x1f\x8b\x08\x00"]


def check_reading(raw: bytes) -> int:
    """Check all that holds for the reader on these bytes; return how many sentences it found."""
    strict: list[ConlluSentence] = []
    error: DependencyError | None = None
    try:
        for sentence in read_conllu(_opened(raw)):
            strict.append(sentence)
    except DependencyError as found:
        error = found
        check_message(found)
    bad: list[ConlluError] = []
    try:
        lenient = list(read_conllu(_opened(raw), on_bad=bad.append))
    except DependencyError as found:
        check_message(found)
        assert raw.startswith(_GZIP_MAGIC), "with on_bad, only a file that cannot be unpacked is an error"
        return 0
    unpacked = gzip.decompress(raw) if raw.startswith(_GZIP_MAGIC) else raw
    if error is None:
        assert (bad, lenient) == ([], strict), "what is read strictly has no bad sentences"
        assert _written(strict) == _normal(unpacked), "nothing is lost or made up"
    else:
        assert str(bad[0]) == str(error)
        assert lenient[: len(strict)] == strict
    for one in bad:
        check_message(one)
        assert 1 <= one.line <= unpacked.count(b"\n") + 1
    assert parse_conllu(_written(lenient)) == lenient, "what is written reads back equal"
    for sentence in lenient:
        _check_sentence(sentence)
    return len(lenient)


def _check_sentence(sentence: ConlluSentence) -> None:
    """Check that whatever is asked of a sentence has an answer or an error of ours."""
    list(sentence_problems(sentence))
    for question in (lambda: sentence.dependencies.problem, lambda: sentence.offsets):
        _answer(question)
    offsets = _answer(lambda: sentence.offsets)
    if isinstance(offsets, tuple):
        assert len(offsets) == len(sentence.words)
        assert all(0 <= start <= end <= len(sentence.text) for start, end in offsets)
    score = _answer(lambda: score_dependencies([sentence], [sentence]).las)
    assert score in (None, 100.0), "a sentence is right against itself"


def _answer(question: Callable[[], object]) -> object:
    try:
        return question()
    except (DependencyError, EvaluationError) as error:
        check_message(error)
        return None


def _written(sentences: list[ConlluSentence]) -> str:
    return "".join(map(format_conllu, sentences))


def _normal(raw: bytes) -> str:
    """Return the text with line ends and empty lines as they are written."""
    lines = raw.decode().removeprefix("\ufeff").split("\n")
    blocks: list[str] = []
    waiting: list[str] = []
    for line in [*lines, ""]:
        line = line.removesuffix("\r")
        if line.strip("\r\n"):
            waiting.append(line)
        elif waiting:
            blocks.append("\n".join((*waiting, "", "")))
            waiting = []
    return "".join(blocks)


def _opened(raw: bytes) -> BinaryIO:
    """Return a stream that can peek, so that gzip is recognised."""
    return cast(BinaryIO, io.BufferedReader(io.BytesIO(raw)))


def _check(raw: bytes) -> None:
    with watched():
        check_reading(raw)
        if raw and is_drawn(raw, one_in=64) and not raw.startswith(_GZIP_MAGIC):
            bad: list[ConlluError] = []
            for sentence in read_conllu(_opened(raw * (_MUCH // len(raw))), on_bad=bad.append):
                list(sentence_problems(sentence))


def random_input(generator: random.Random) -> bytes:
    """Return bytes that are nearly CoNLL-U: a few sentences, most of them damaged."""
    raw = "".join(_random_sentence(generator) for _ in range(generator.randrange(4))).encode()
    for _ in range(generator.choice((0, 1, 1, 2, 3, 8))):
        raw = damage(raw, generator, _RAW_TOKENS)
    return gzip.compress(raw, mtime=0) if generator.random() < 0.01 else raw


def _random_sentence(generator: random.Random) -> str:
    lines = [f"# {generator.choice(('text', 'sent_id', 'x'))} = {generator.choice(_FORMS)}"] * generator.randrange(3)
    word_count = generator.randrange(1, 5)
    for number in range(1, word_count + 1):
        if generator.random() < 0.2:
            lines.append(_random_row(generator, f"{number}-{generator.randint(number, word_count)}", "_"))
        lines.append(_random_row(generator, str(number), str(generator.randint(0, word_count))))
        if generator.random() < 0.2:
            lines.append(_random_row(generator, f"{number}.1", "_"))
    return generator.choice(("\n", "\n", "\r\n")).join((*lines, "", ""))


def _random_row(generator: random.Random, name: str, head: str) -> str:
    columns = [generator.choice(_COLUMNS) for _ in range(4)]
    rest = [generator.choice(_COLUMNS) for _ in range(3)]
    return "\t".join((name, generator.choice(_FORMS), *columns, head, *rest))


def _mutate(raw: bytes, generator: random.Random) -> bytes:
    return random_input(generator) if generator.randrange(3) == 0 else damage(raw, generator, _RAW_TOKENS)


def _seeds() -> list[bytes]:
    generator = random.Random(1)
    return [random_input(generator) for _ in range(30)]


TARGET = Target(check=_check, mutate=_mutate, seeds=_seeds, longest=600, blind_share=0.5)
