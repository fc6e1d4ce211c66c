"""Raw English text to sentences to Penn-style tokens that know their character offsets."""

from __future__ import annotations

from spanlin.text.segmenter import iter_sentences, tokenize, tokenize_sentence
from spanlin.text.tokens import Sentence, Token

__all__ = ["Sentence", "Token", "iter_sentences", "tokenize", "tokenize_sentence"]
