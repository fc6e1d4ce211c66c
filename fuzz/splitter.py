"""The text splitter: tokens say what stands at their place, come in order, and leave nothing visible out."""

from __future__ import annotations

import io
import random
import re

from fuzz.target import Target, damage, is_drawn
from fuzz.watch import watched
from spanlin.text import Sentence, iter_sentences, tokenize, tokenize_sentence, vocabulary
from spanlin.text.chunks import INVISIBLE

_UNSEEN = re.compile(rf"[\s{INVISIBLE}]")
_FEW = 7  # words of a sentence, where long ones are to be cut
_MUCH = 20_000  # characters of a repeated input, for which squared time would be seconds

_MARKS = [".", "...", "…", "?!", "!", ",", ";", ":", "--", "—", "-", "'", "’", '"', "“", "”", "``", "''", "(", ")"]
_MARKS += ["[4]"]
_MARKS += [" ", "  ", "\n", "\n\n", "\r\n", "\t", "\x0c", "\u2028", "\u2029", "\x85", "\x1c", "\xa0", "\ufeff"]
_MARKS += ["\u200b"]
_WORDS = ["She", "I", "the", "Mr", "U.S", "e.g", "No", "5", "3.5", "1,000", "$", "%", "5km", "10:30am", "1/2", "don't"]
_WORDS += ["can't", "it’s", "O'Neill", "y'all", "gonna", "state-of-the-art", "https://a.org/b_(c)?d=e", "www.x.com/"]
_WORDS += ["a@b.co", "@me", "#tag", "&amp;", "<b>", ":)", "<3", "->", "C++", "AT&T", "Ph.D", "20th", "'90s", "a" * 30]
_WORDS += [
    "e\u0301",
    "नमस्ते",
    "。",
    "你好",
    "؟",
    "👩‍👩‍👧",
    "👍🏽",
    "🇬🇧",
    "1️⃣",
    "\U000e0041",
    "\u200d",
    "\u0300",
    "ﬁ",
    "İ",
]
_WORDS += ["ß"]
_LINES = ["\n- ", "\n1. ", "\n# ", "\n| ", "\n---\n", "\n===\n", "\n(a) ", "\n[x] ", "\n2.1. ", "\n" + "x " * 25 + "\n"]
_NAMED = sorted(
    vocabulary.LEADING_ABBREVIATIONS
    | vocabulary.NUMBERED_ABBREVIATIONS
    | vocabulary.TRAILING_ABBREVIATIONS
    | vocabulary.SENTENCE_STARTERS
    | vocabulary.CLIPPED_WORDS
    | vocabulary.UNITS
    | vocabulary.HYPHENATED_WORDS
)
_TOKENS = [token.encode() for token in (*_MARKS, *_MARKS, *_WORDS, *_LINES, *_NAMED)] + [b"\xff", b"\xed\xa0\x80"]


def _check(raw: bytes) -> None:
    # A lone surrogate may come from JSON, so text may hold one.
    text = raw.decode("utf-8", "surrogateescape")
    with watched():
        for split_hyphens in (True, False):
            found = tokenize(text, split_hyphens=split_hyphens)
            _check_sentences(text, found)
            as_one = tokenize_sentence(text, offset=3, split_hyphens=split_hyphens)
            _check_tokens("xyz" + text, [(token.text, token.start, token.end) for token in as_one], start=3)
        found = tokenize(text)
        assert list(iter_sentences(io.StringIO(text, newline="\n"))) == found, "lines give what the text gives"
        few = tokenize(text, longest_sentence=_FEW)
        _check_sentences(text, few)
        assert max((len(sentence.words) for sentence in few), default=0) <= _FEW
        assert _words(few) == _words(found), "a cut changes no token"
        if text and is_drawn(raw, one_in=64):
            much = text * (_MUCH // len(text))
            _check_sentences(much, tokenize(much))


def _check_sentences(text: str, sentences: list[Sentence]) -> None:
    assert all(sentence.words for sentence in sentences), "no sentence is empty"
    _check_tokens(
        text,
        [place for sentence in sentences for place in zip(sentence.words, sentence.starts, sentence.ends, strict=True)],
    )


def _words(sentences: list[Sentence]) -> list[str]:
    return [word for sentence in sentences for word in sentence.words]


def _check_tokens(text: str, tokens: list[tuple[str, int, int]], start: int = 0) -> None:
    end = start
    for word, left, right in tokens:
        assert end <= left < right <= len(text), "tokens are in order and not empty"
        assert text[left:right] == word, "a token is what stands at its place"
        assert not _UNSEEN.sub("", text[end:left]), "what is between two tokens does not show"
        end = right
    assert not _UNSEEN.sub("", text[end:]), "what is after the last token does not show"


def _mutate(raw: bytes, generator: random.Random) -> bytes:
    if generator.randrange(8) == 0:
        blank = generator.choice((b"", b" ", b" ", b"\n"))
        return blank.join(generator.choices(_TOKENS, k=generator.randrange(2, 12)))
    return damage(raw, generator, _TOKENS)


def _seeds() -> list[bytes]:
    generator = random.Random(1)
    return [_mutate(b"Mr. Hu can't come. Why?", generator) for _ in range(40)]


TARGET = Target(check=_check, mutate=_mutate, seeds=_seeds, longest=400, blind_share=0.4)
