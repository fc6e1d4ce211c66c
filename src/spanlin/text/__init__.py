"""From raw English text to sentences and Penn-style tokens with their character offsets."""

from __future__ import annotations

from spanlin.text.segmenter import tokenize, tokenize_sentence
from spanlin.text.streaming import iter_sentences
from spanlin.text.tokens import Sentence, Token

__all__ = ["Sentence", "Token", "iter_sentences", "tokenize", "tokenize_sentence"]
