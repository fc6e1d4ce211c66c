"""spanlin: constituency parsing by the span-based linearization of trees (Wei, Wu & Lan, ACL 2020)."""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING

from spanlin.errors import SpanlinError
from spanlin.linearization import delinearize, is_legal, linearize
from spanlin.trees.brackets import parse_tree, read_trees, write_trees
from spanlin.trees.tree import LabelledSpan, Leaf, Span, Tree, set_drawers

if TYPE_CHECKING:
    from spanlin.decoding.constituents import Constraints
    from spanlin.parsed import Parsed
    from spanlin.parser import Parser
    from spanlin.runtime.options import ParseOptions
    from spanlin.sentence_constraints import CharacterConstraints

__version__ = "0.1.0"

# Without it, Python would print warnings for programs that have not said where their log goes.
logging.getLogger(__name__).addHandler(logging.NullHandler())

__all__ = [
    "CharacterConstraints",
    "Constraints",
    "LabelledSpan",
    "Leaf",
    "ParseOptions",
    "Parsed",
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


# Whoever only reads or scores trees does not wait for NumPy and onnxruntime.
_LATER = {
    "CharacterConstraints": "spanlin.sentence_constraints",
    "Constraints": "spanlin.decoding.constituents",
    "ParseOptions": "spanlin.runtime.options",
    "Parsed": "spanlin.parsed",
    "Parser": "spanlin.parser",
}


def _draw_svg(tree: Tree) -> str | None:
    from spanlin.render.notebook import notebook_svg

    return notebook_svg(tree)


def _draw_html(tree: Tree) -> str | None:
    from spanlin.render.notebook import notebook_html

    return notebook_html(tree)


# Trees know nothing of drawings, which know trees: so it is said here how a notebook shows one.
set_drawers(svg=_draw_svg, html=_draw_html)
del set_drawers


def __getattr__(name: str) -> object:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'spanlin' has no attribute {name!r}")
