"""The forms in which sentences are given: running text, one sentence per line, or tokens separated by white space."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from spanlin.text.segmenter import tokenize_sentence
from spanlin.text.tokens import Sentence
from spanlin.trees.escapes import unescape_word

InputForm: TypeAlias = Literal["text", "lines", "tokenized"]
_TOKEN = re.compile(r"\S+")


def read_sentence(line: str, form: Literal["lines", "tokenized"]) -> Sentence:
    """Return the one sentence of a line, without words if there are none.

    Tokens are as they are given, but for escaped brackets.

    >>> read_sentence("It 's -LRB-here-RRB-", "tokenized").words
    ('It', "'s", '(here)')
    """
    if form == "lines":
        tokens = [tuple(token) for token in tokenize_sentence(line)]
    else:
        tokens = [(unescape_word(found[0]), *found.span()) for found in _TOKEN.finditer(line)]
    if not tokens:
        return Sentence((), (), (), "")
    words, starts, ends = zip(*tokens, strict=True)
    return Sentence(words, starts, ends, line[starts[0] : ends[-1]])
