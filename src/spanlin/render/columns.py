"""Trees as columns, one line a word, as the CoNLL shared tasks write them."""

from __future__ import annotations

import re

from spanlin.trees.tree import Tree

_ATOM = r"[^() \t\n\r\f\v]"
_LEAF = re.compile(rf"\(({_ATOM}*+) ([^()]++)\)")


def columns_tree(tree: Tree) -> str:
    """Return a line for each word: the word, its tag, and its part of the brackets, with tabs between.

    The star in the brackets stands for word and tag. Words are escaped as in bracketed text.

    >>> from spanlin.trees.brackets import parse_tree
    >>> print(columns_tree(parse_tree("(S (NP (NNS Cats)) (VP (VBP sleep)))")).expandtabs(8))
    Cats    NNS     (S(NP*)
    sleep   VBP     (VP*))
    """
    brackets = str(tree)
    rows: list[list[str]] = []
    end = 0
    for leaf in _LEAF.finditer(brackets):
        _divide(brackets[end : leaf.start()], rows)
        rows[-1][:2] = leaf[2], leaf[1]
        end = leaf.end()
    rows[-1][2] += brackets[end:]
    return "\n".join("\t".join(row) for row in rows)


def _divide(between: str, rows: list[list[str]]) -> None:
    """Give the brackets between two words to them: those that close to the last, those that open to a new one."""
    opening = between.find("(")
    closed = between if opening < 0 else between[:opening]
    if rows:
        rows[-1][2] += closed.strip(" ")
    rows.append(["", "", between[len(closed) :].replace(" ", "") + "*"])
