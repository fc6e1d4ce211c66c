"""spanlin: constituency parsing by the span-based linearization of trees (Wei, Wu & Lan, ACL 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanlin.errors import SpanlinError
from spanlin.linearization import delinearize, is_legal, linearize
from spanlin.trees.brackets import parse_tree, read_trees, write_trees
from spanlin.trees.tree import LabelledSpan, Leaf, Span, Tree

if TYPE_CHECKING:
    from spanlin.parser import Parser

__version__ = "0.1.0"

__all__ = [
    "LabelledSpan",
    "Leaf",
    "Parser",
    "Span",
    "SpanlinError",
    "Tree",
    "__version__",
    "delinearize",
    "is_legal",
    "linearize",
    "parse_tree",
    "read_trees",
    "write_trees",
]


def __getattr__(name: str) -> object:
    # Whoever only reads or scores trees does not wait for onnxruntime.
    if name == "Parser":
        from spanlin.parser import Parser

        return Parser
    raise AttributeError(f"module 'spanlin' has no attribute {name!r}")
