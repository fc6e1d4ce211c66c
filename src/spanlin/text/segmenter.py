"""From raw text to sentences and tokens; nothing of the text is lost or changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from spanlin.errors import ConfigError
from spanlin.text.chunks import CHUNK, Chunk, ChunkReader, Ending, Start
from spanlin.text.lines import segments
from spanlin.text.tokens import Sentence, Token

_ANY_START = frozenset(Start) - {Start.DOT}
# An ending is the end of a sentence if one of these starts follows.
_ENDS_BEFORE: dict[Ending, frozenset[Start]] = {
    Ending.NONE: frozenset(),
    Ending.STOP: _ANY_START,
    Ending.MARK: _ANY_START - {Start.LOWER},
    Ending.ELLIPSIS: frozenset({Start.CAPITAL, Start.STARTER, Start.FIRST_PERSON}),
    Ending.TRAILING: frozenset({Start.STARTER, Start.FIRST_PERSON}),
    Ending.LEADING: frozenset({Start.STARTER}),
    Ending.NUMBERED: _ANY_START - {Start.NUMBER},
    Ending.AMBIGUOUS: frozenset({Start.STARTER, Start.FIRST_PERSON}),
    Ending.INITIAL: frozenset({Start.STARTER, Start.FIRST_PERSON}),
    Ending.ITEM: _ANY_START,
    Ending.DASH: frozenset({Start.STARTER}),  # speech that breaks off
    Ending.SHORTENED: _ANY_START - {Start.LOWER, Start.NUMBER, Start.SYMBOL},
}
_ENDS = [[start in _ENDS_BEFORE[ending] for start in Start] for ending in Ending]
# "Are you there?" Betty asked.
_SPEAKER = re.compile(
    r"(?:I|(?:[A-Z][\w.'’-]{0,20} ){0,2}[A-Z][\w'’-]{0,20}) (?:both |then |had )?(?:added|agreed|answered|asked|asks|"
    r"began|begged|called|continued|cried|cries|demanded|exclaimed|explained|howled|inquired|interrupted|laughed|"
    r"murmured|muttered|repeated|replied|replies|responded|roared|said|say|says|screamed|shouted|sighed|snapped|"
    r"thought|told|went on|whispered|wondered|yelled)\b"
)
# In "Dr. A. Smith" and "George I. Smith" the letter is neither an article nor a pronoun.
_INITIAL = re.compile(r"[\"'“‘(\[]*[A-Z]\.(?!\.)")
# "Yahoo! Inc."
_COMPANY = re.compile(r"(?:Co\.|Corp\b|Inc\b|LLC\b|LLP\b|Ltd\b)")
_CITED = Chunk((), (), Ending.STOP, Start.SYMBOL, quoted=False, inner_ends=(), plain=False)
_DOTTED = frozenset([Ending.STOP, Ending.ELLIPSIS])
_CUT_AFTER = frozenset([",", ";", ":", ")", "]", "—", "–", "--", "..."])


def tokenize(text: str, *, split_hyphens: bool = True, longest_sentence: int = 500) -> list[Sentence]:
    """Return the sentences of a text.

    Every character is in one token, except white space and invisible characters without meaning (control characters,
    byte order and direction marks, zero-width spaces). With `split_hyphens`, words are split at hyphens and slashes, as
    in newer treebanks; without, they stay whole, as in the Wall Street Journal. A sentence of more than
    `longest_sentence` tokens is cut, at a comma or the like where there is one.

    >>> [sentence.words for sentence in tokenize("Mr. Hu can't come. Why?")]
    [('Mr.', 'Hu', 'ca', "n't", 'come', '.'), ('Why', '?')]
    >>> tokenize("Yes!")[0].tokens
    (Token(text='Yes', start=0, end=3), Token(text='!', start=3, end=4))
    """
    return list(read_sentences(text, split_hyphens=split_hyphens, longest_sentence=longest_sentence))


def read_sentences(
    text: str,
    *,
    offset: int = 0,
    width: int = 0,
    is_one_segment: bool = False,
    split_hyphens: bool = True,
    longest_sentence: int = 500,
) -> Iterator[Sentence]:
    """Yield what `tokenize` returns; `offset` is the place of the text in the input, and is added to all offsets.

    `width` is that of the paragraph with whose rest the text begins, if it was cut off. A text that `is_one_segment` is
    not searched for line breaks that end a sentence.
    """
    if longest_sentence < 1:
        raise ConfigError(f"longest_sentence must be at least 1, got {longest_sentence}")
    reader = _reader(split_hyphens)
    for start, end in [(0, len(text))] if is_one_segment else segments(text, width):
        for sentence in _sentences(text, start, end, offset, reader):
            if len(sentence.words) <= longest_sentence:
                yield sentence
            else:
                yield from _cut(sentence, longest_sentence)


def tokenize_sentence(text: str, *, offset: int = 0, split_hyphens: bool = True) -> tuple[Token, ...]:
    """Return the tokens of a text that is one sentence, whatever is in it; `offset` is its place in the input.

    >>> [token.text for token in tokenize_sentence("Go! Now!")]
    ['Go', '!', 'Now', '!']
    """
    sentences = _sentences(text, 0, len(text), offset, _reader(split_hyphens))
    return tuple(token for sentence in sentences for token in sentence.tokens)


@cache
def _reader(split_hyphens: bool) -> ChunkReader:
    # Made when first needed: compiling its expression takes as long as reading 200 kB.
    return ChunkReader(split_hyphens=split_hyphens)


class _Builder:
    """The sentence that is being read."""

    __slots__ = ("ends", "starts", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, tokens: Iterable[tuple[str, int, int]], place: int) -> None:
        for word, left, right in tokens:
            self.words.append(word)
            self.starts.append(place + left)
            self.ends.append(place + right)

    def take(self, text: str, offset: int) -> Sentence:
        """Return the sentence, and start the next one; `offset` is the place of the text in the input."""
        own_text = text[self.starts[0] - offset : self.ends[-1] - offset]
        sentence = Sentence(tuple(self.words), tuple(self.starts), tuple(self.ends), own_text)
        self.words.clear()
        self.starts.clear()
        self.ends.clear()
        return sentence


def _sentences(text: str, start: int, end: int, offset: int, reader: ChunkReader) -> Iterator[Sentence]:
    """Yield the sentences of a stretch of text; time is linear in its length."""
    sentence = _Builder()
    words, starts, ends = sentence.words, sentence.starts, sentence.ends
    waiting: Chunk | None = None  # a run that ends the sentence or not, depending on the next one
    place = 0  # where that run starts
    for match in CHUNK.finditer(text, start, end):
        chunk = reader[match[0]]
        if waiting is not None:
            is_end = _ends_sentence(waiting, chunk, text, match.start(), is_first=not words)
            sentence.add(waiting.tokens if is_end else waiting.joined, place)
            ending, waiting = waiting.ending, None
            if is_end and chunk.start >= Start.CITATION:  # "... in 2014. [4]": the number belongs to the sentence
                sentence.add(chunk.tokens, match.start() + offset)
                waiting = _CITED
                continue
            if is_end:
                yield sentence.take(text, offset)
            elif chunk.start is Start.DOT and ending in _DOTTED:  # "well . . . yes" is like "well... yes"
                chunk = chunk._replace(ending=Ending.ELLIPSIS)
        if chunk.plain:  # most are one word
            left, right = match.span()
            words.append(chunk.tokens[0][0])
            starts.append(left + offset)
            ends.append(right + offset)
            continue
        place = match.start() + offset
        if chunk.inner_ends:
            done = 0
            for number in chunk.inner_ends:
                sentence.add(chunk.tokens[done:number], place)
                yield sentence.take(text, offset)
                done = number
            chunk = chunk._replace(tokens=chunk.tokens[done:], joined=chunk.tokens[done:])
        if chunk.ending:
            waiting = chunk
        else:
            sentence.add(chunk.tokens, place)
    if waiting is not None:
        sentence.add(waiting.tokens, place)
    if words:
        yield sentence.take(text, offset)


def _ends_sentence(chunk: Chunk, following: Chunk, text: str, place: int, *, is_first: bool) -> bool:
    """Return whether a sentence ends between two runs, the second at `place`; if `is_first`, the first begins it."""
    if chunk.ending is Ending.AMBIGUOUS and any(word == "ID" for word, _, _ in chunk.tokens):
        return True  # a card, not the "Id." of a citation
    start = following.start
    if start in (Start.STARTER, Start.FIRST_PERSON) and _INITIAL.match(text, place):
        start = Start.CAPITAL
    if not _ENDS[chunk.ending][start]:
        return False
    if chunk.quoted and chunk.ending is Ending.STOP and start is Start.LOWER:  # "I'm going." she said.
        return False
    if chunk.ending is Ending.MARK and _COMPANY.match(text, place):
        return False
    if is_first and chunk.ending in (Ending.ITEM, Ending.INITIAL):  # "1. Whisk the eggs."
        return False
    return not (chunk.quoted and chunk.ending is Ending.MARK and _SPEAKER.match(text, place))


def _cut(sentence: Sentence, longest: int) -> Iterator[Sentence]:
    """Yield the sentence in parts of at most so many words."""
    words, starts, ends = sentence.words, sentence.starts, sentence.ends
    left = 0
    while left < len(words):
        right = min(left + longest, len(words))
        if right < len(words):
            places = range(right, left + longest // 2, -1)
            right = next((place for place in places if words[place - 1] in _CUT_AFTER), right)
        text = sentence.text[starts[left] - sentence.start : ends[right - 1] - sentence.start]
        yield Sentence(words[left:right], starts[left:right], ends[left:right], text)
        left = right
