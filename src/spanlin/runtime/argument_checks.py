"""What may be given to the parser: each mistake is an error that says what to give instead."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sized
from typing import SupportsIndex

import numpy as np

from spanlin.errors import ConfigError, DecodingError, SpanlinError

_MOST_THREADS = 1024
_SHOWN = 40  # characters of a wrong value in a message


def check_threads(threads: object) -> None:
    """Raise a ConfigError unless it is a number of cores."""
    count = _whole(threads)
    if count is None or not 0 <= count <= _MOST_THREADS:
        raise ConfigError(f"threads is {_shown(threads)}: give 0 for every core, or a number up to {_MOST_THREADS}")


def check_processes(processes: object) -> None:
    """Raise a ConfigError unless it is a number of processes, or None to leave it to the parser."""
    count = _whole(processes)
    if processes is not None and (count is None or not 0 <= count <= _MOST_THREADS):
        raise ConfigError(
            f"processes is {_shown(processes)}: give 0 for none, a number up to {_MOST_THREADS}, or None to choose "
            "automatically"
        )


def read_k_best(k_best: object) -> int:
    """Return it as Python's own number, or raise a DecodingError unless it is a number of trees."""
    count = _whole(k_best)
    if count is None:
        raise DecodingError(f"k_best is {_shown(k_best)}: give a whole number of trees")
    if count < 1:
        raise DecodingError(f"k_best is {_shown(k_best)}: ask for at least one tree")
    return count


def read_joint_words(joint_words: object) -> int:
    """Return it as Python's own number, or raise a DecodingError unless it is a number of words."""
    count = _whole(joint_words)
    if count is None or count < 0:
        raise DecodingError(f"joint_words is {_shown(joint_words)}: give a number of words, 0 to search no sentence")
    return count


def read_flag(name: str, value: object) -> bool:
    """Return it as Python's own truth value, or raise a DecodingError if it is none."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise DecodingError(f"{name} is {_shown(value)}: give True or False")


def check_texts(texts: object) -> None:
    """Raise a SpanlinError unless they can be read one by one; one text by itself would be read letter by letter."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        raise SpanlinError(f"give a list of texts, not {_kind(texts)}")


def check_text(text: object) -> None:
    """Raise a SpanlinError unless it is a text, or a list of texts."""
    if isinstance(text, (bytes, bytearray)):
        raise SpanlinError("a text is a string, not bytes: decode them first, as with text.decode('utf-8')")
    if isinstance(text, (list, tuple)):
        for number, one in enumerate(text):
            if not isinstance(one, str):
                raise SpanlinError(
                    f"texts[{number}] is {_kind(one)}, but a text is a string; for lists of words use parse_tokens"
                )
    elif not isinstance(text, str):
        raise SpanlinError(
            f"give a text, or a list of texts, not {_kind(text)}: for the lines of a file use stream, for lists of "
            "words parse_tokens"
        )


def check_sentences(sentences: object) -> None:
    """Raise a SpanlinError unless they can be read one by one; what each of them is shows when it comes."""
    if isinstance(sentences, (str, bytes)) or not isinstance(sentences, Iterable):
        raise SpanlinError(
            f"give a list of sentences, each a list of words, not {_kind(sentences)}; for a text use parse"
        )


def raise_if_not_words(sentences: Iterable[object], *, before: int) -> None:
    """Raise a SpanlinError that names the first sentence that is not a list of strings; `before` came earlier."""
    for number, sentence in enumerate(sentences, start=before):
        if isinstance(sentence, str):
            raise SpanlinError(
                f"sentences[{number}] is a string, {_shown(sentence)}, but a sentence is a list of words: give "
                "[['Dogs', 'bark']] for one sentence of two words; for a text use parse"
            )
        if not isinstance(sentence, Sized) or not isinstance(sentence, Iterable) or isinstance(sentence, bytes):
            raise SpanlinError(f"sentences[{number}] is {_kind(sentence)}, but a sentence is a list of words")
        for place, word in enumerate(sentence):
            if not isinstance(word, str):
                raise SpanlinError(f"sentences[{number}][{place}]: a word is a string, not {_kind(word)}")


def _whole(value: object) -> int | None:
    if type(value) is int:  # what follows takes longer than all else that is checked of a request
        return value
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return None
    return operator.index(value)


def _kind(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, bytes):
        return "bytes"
    if isinstance(value, str):
        return f"the string {_shown(value)}"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def _shown(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > 100:  # Python writes no number of thousands of digits
        return "a huge number"
    written = repr(value)
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN]}..."
