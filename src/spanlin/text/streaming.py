"""The sentences of a text that comes by lines, as soon as they are certain, however long its paragraphs are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from spanlin.text import segmenter
from spanlin.text.chunks import CHUNK
from spanlin.text.lines import stretches
from spanlin.text.tokens import Sentence

_LOOKAHEAD = 1000  # characters; what is so far behind a sentence says nothing about its end
# Where a sentence that is too long may be read on from: such a word neither ends a sentence nor belongs to one before.
_WORD = re.compile(r"[^\W_][\w,;:'’/-]*+(?=\s)")


def iter_sentences(
    text: str | Iterable[str], *, split_hyphens: bool = True, longest_sentence: int = 500
) -> Iterator[Sentence]:
    """Yield what `tokenize` returns, of a text or of its lines, with at most some 500 lines in memory at a time.

    Lines keep their line breaks, as an open file yields them; offsets count from the start of the first.
    """

    def read(part: str) -> Iterator[Sentence]:
        return segmenter.iter_sentences(part, split_hyphens=split_hyphens, longest_sentence=longest_sentence)

    if isinstance(text, str):
        yield from read(text)
        return
    waiting = ""
    offset = 0
    enough = 0  # characters to look again at; it doubles, for time to be linear whatever comes
    for stretch in stretches(text):
        waiting += stretch.text
        if stretch.is_end:
            for sentence in read(waiting):
                yield _moved(sentence, offset)
            offset += len(waiting)
            waiting, enough = "", 0
        elif len(waiting) >= enough:
            found = list(read(waiting))
            count = _count_certain(found, waiting, longest_sentence)
            for sentence in found[:count]:
                yield _moved(sentence, offset)
            done = found[count].start if count else 0
            offset += done
            waiting = waiting[done:]
            enough = 2 * len(waiting)


def _count_certain(found: Sequence[Sentence], text: str, longest: int) -> int:
    """Return how many sentences would be the same if the text went on and the rest were read by itself."""
    for count in range(len(found) - 1, 0, -1):
        start = found[count].start
        if start > len(text) - _LOOKAHEAD or CHUNK.match(text, start - 1):  # the latter is inside a run of characters
            continue
        # Parts of a sentence that was cut have more than half of the words that are allowed.
        if len(found[count - 1].words) <= longest // 2 or _WORD.match(text, start):
            return count
    return 0


def _moved(sentence: Sentence, offset: int) -> Sentence:
    starts, ends = (tuple([place + offset for place in places]) for places in (sentence.starts, sentence.ends))
    return Sentence(sentence.words, starts, ends)
