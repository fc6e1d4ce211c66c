"""A long text in blocks that can be read side by side: their sentences in a row are those of the text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from spanlin.text.lines import BLANK_LINES, PAGE_BREAKS, PARAGRAPH_BREAK, last_cut, starts_visibly
from spanlin.text.segmenter import read_sentences
from spanlin.text.streaming import checked_lines, text_parts
from spanlin.text.tokens import Sentence

BLOCK_CHARACTERS = 1 << 18  # some 2,000 sentences
_LONGEST_SEARCH = 4  # blocks; where no place to cut is found


class TextBlock(NamedTuple):
    """A part of a text that is to be read yet, or sentences of a part where no place to cut could be found.

    `offset` is the place of its first character in the input, and `width` that of the paragraph with whose rest it
    begins.
    """

    text: str
    offset: int
    width: int = 0
    found: tuple[Sentence, ...] = ()

    def sentences(self) -> Iterator[Sentence]:
        """Yield the sentences of the block."""
        yield from self.found or read_sentences(self.text, offset=self.offset, width=self.width)


def text_blocks(text: str | Iterable[str], *, characters: int = BLOCK_CHARACTERS) -> Iterator[TextBlock]:
    """Yield a text, or its lines, in blocks of about so many characters, which have the sentences of `iter_sentences`.

    Memory holds a few blocks, however long the text is. Finding where one ends is quick beside reading it, except
    in a paragraph where no place is found.
    """
    parts = [text] if isinstance(text, str) else checked_lines(text)
    return _Cutting(_pieces(parts, characters), characters).blocks()


def _pieces(parts: Iterable[str], most: int) -> Iterator[str]:
    for part in parts:
        if len(part) <= most:
            yield part
        else:
            yield from (part[start : start + most] for start in range(0, len(part), most))


class _Cutting:
    """A text that comes in pieces, and what of it has been read but is in no block yet."""

    def __init__(self, pieces: Iterator[str], characters: int) -> None:
        self._pieces = pieces
        self._characters = characters
        self._waiting: deque[str] = deque()
        self._done = 0  # characters of the first one that waits
        self._offset = 0  # of the first character that waits
        self._width = 0

    def blocks(self) -> Iterator[TextBlock]:
        """Yield all blocks."""
        size, enough = 0, self._characters
        for piece in self._pieces:
            self._waiting.append(piece)
            size += len(piece)
            if size < enough:
                continue
            text = self._text()
            cut = last_cut(text, self._width)
            if cut is not None:
                yield TextBlock(text[: cut.place], self._offset, self._width)
                self._go_on(cut.place)
                self._width = cut.width
            elif size < _LONGEST_SEARCH * self._characters:
                enough = 2 * size  # so that time is linear
                continue
            else:
                yield from self._read_paragraph()
            size, enough = len(self._text()), self._characters
        if size:
            yield TextBlock(self._text(), self._offset, self._width)

    def _read_paragraph(self) -> Iterator[TextBlock]:
        """Yield the sentences up to the end of a paragraph, however far that is."""
        found: list[Sentence] = []
        size = 0
        for part in text_parts(self._ahead(), offset=self._offset, width=self._width):
            self._go_on(len(part.text))
            size += len(part.text)
            if part.found is None:
                found += read_sentences(part.text, offset=part.offset, is_one_segment=True)
                if end := PARAGRAPH_BREAK.search(part.text):  # there is none inside a part
                    if end[0] not in PAGE_BREAKS:
                        self._skip_blank_lines()
                    break
            else:
                found += part.found
            if size >= self._characters and found:
                yield TextBlock("", found[0].start, found=tuple(found))
                found, size = [], 0
        self._width = 0
        if found:
            yield TextBlock("", found[0].start, found=tuple(found))

    def _skip_blank_lines(self) -> None:
        """Go on to a line that has something in it; blank lines belong to the paragraph break before them."""
        while True:
            text = self._text()
            blank = BLANK_LINES.match(text)
            end = blank.end() if blank else 0
            self._go_on(end)
            if starts_visibly(text, end):
                return
            piece = next(self._pieces, None)
            if piece is None:
                return
            self._waiting.append(piece)

    def _ahead(self) -> Iterator[str]:
        """Yield what waits and what is still to come, which then waits."""
        yield self._text()
        for piece in self._pieces:
            self._waiting.append(piece)
            yield piece

    def _text(self) -> str:
        """Return all that waits."""
        text = "".join(self._waiting)[self._done :]
        self._waiting, self._done = deque([text]), 0
        return text

    def _go_on(self, count: int) -> None:
        """Let some characters wait no more."""
        self._offset += count
        self._done += count
        while self._waiting and self._done >= len(self._waiting[0]):
            self._done -= len(self._waiting.popleft())
