"""A long text in blocks that can be read side by side: their sentences in a row are those of the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from spanlin.text.segmenter import read_sentences
from spanlin.text.streaming import text_parts
from spanlin.text.tokens import Sentence

BLOCK_CHARACTERS = 1 << 18  # some 2,000 sentences
_PIECE = 1 << 17


class TextBlock(NamedTuple):
    """Parts of a text in a row, by their lengths; or sentences of a paragraph that is too long for a block.

    `offset` is the place of its first character in the input.
    """

    text: str
    offset: int
    lengths: tuple[int, ...]
    found: tuple[Sentence, ...] = ()

    def sentences(self) -> Iterator[Sentence]:
        """Yield the sentences of the block."""
        start = 0
        for length in self.lengths:
            # Cut out, as a rule may look beyond the end of a segment.
            part = self.text[start : start + length]
            yield from read_sentences(part, offset=self.offset + start, is_one_segment=True)
            start += length
        yield from self.found


def text_blocks(text: str | Iterable[str], *, characters: int = BLOCK_CHARACTERS) -> Iterator[TextBlock]:
    """Yield a text, or its lines, in blocks of about so many characters, which have the sentences of `iter_sentences`.

    Memory holds one block, however long the text is.
    """
    offset = size = 0
    parts: list[str] = []
    for part in text_parts(_pieces(text) if isinstance(text, str) else text):
        if part.found is None:
            parts.append(part.text)
            size += len(part.text)
            if size < characters:
                continue
        if parts:
            yield _block(parts, offset)
            offset += size
            size, parts = 0, []
        if part.found is not None:
            yield TextBlock("", part.offset, (), part.found)
            offset += len(part.text)
    if parts:
        yield _block(parts, offset)


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))


def _block(parts: list[str], offset: int) -> TextBlock:
    return TextBlock("".join(parts), offset, tuple(map(len, parts)))
