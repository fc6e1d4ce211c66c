"""Dependency trees: CoNLL-U in and out, heads and relations, Universal Dependencies treebanks; no network."""

from __future__ import annotations

from spanlin.dependencies.conllu import parse_conllu, read_conllu, write_conllu
from spanlin.dependencies.heads import Dependencies
from spanlin.dependencies.sentence import ConlluSentence, EmptyNode, MultiWordToken, Word

__all__ = [
    "ConlluSentence",
    "Dependencies",
    "EmptyNode",
    "MultiWordToken",
    "Word",
    "parse_conllu",
    "read_conllu",
    "write_conllu",
]
