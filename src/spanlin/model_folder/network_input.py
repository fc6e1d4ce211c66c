"""How the networks of a model folder know words, and in which of its files that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

InputKind = Literal["pieces", "lexical"]
TOKENIZER, LEXICON = "tokenizer.json", "lexicon.json"
FILES: dict[InputKind, str] = {"pieces": TOKENIZER, "lexical": LEXICON}
TAGGER = "tagger_"
"""What the files and the graph's inputs of a second network start with, which gives tags to the first."""


@dataclass(frozen=True, kw_only=True)
class NetworkInput:
    """How a network knows words: by the pieces of a tokenizer, or by a lexicon of words and characters."""

    kind: InputKind = "pieces"
    piece_limit: int = 0  # the longest row of pieces; 0 where there are none
    shape_step: int = 0  # see `WordPieces`

    @property
    def file(self) -> str:
        """The file that words are looked up in."""
        return FILES[self.kind]
