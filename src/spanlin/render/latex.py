"""Trees for LaTeX, for the package forest or tikz-qtree.

The service's page has the same in `formats.js`; tests/render/latex_cases.json holds both to it.
"""

from __future__ import annotations

import re
from typing import Literal

from spanlin.errors import ConfigError
from spanlin.render.characters import visible
from spanlin.trees.tree import Leaf, Node, Tree

LatexStyle = Literal["forest", "tikz-qtree"]
STYLES: tuple[LatexStyle, ...] = ("forest", "tikz-qtree")

_ESCAPES = str.maketrans(
    {
        **{char: f"\\{char}" for char in "{}$&#_% "},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        # These are other glyphs in TeX's oldest font encoding, and " is a command in some languages.
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\char34{}",
    }
)
# Fonts join these into dashes and other signs. Penn's `` and '' are left, to become the quotes that they stand for.
_JOINED = re.compile(r"-(?=-)|,(?=,)|[?!](?=`)")
_DEEPEST_INDENT = 30


def latex_tree(tree: Tree, style: LatexStyle = "forest") -> str:
    r"""Return the tree as an environment for a document that loads forest or tikz-qtree.

    For other scripts than Latin, the document needs XeLaTeX or LuaLaTeX and a font that has them.

    >>> from spanlin.trees.brackets import parse_tree
    >>> print(latex_tree(parse_tree("(NP (NP (CD 5) (NN %)) (ADJP (JJ new)))")))
    \begin{forest}
    [{NP}
      [{NP}
        [{CD} [{5}]]
        [{NN} [{\%}]]]
      [{ADJP} [{JJ} [{new}]]]]
    \end{forest}
    """
    if style == "forest":
        return f"\\begin{{forest}}\n{_nodes(tree, '[', ' [{}]', ']')}\n\\end{{forest}}"
    if style == "tikz-qtree":
        # Its brackets need a space before they close.
        return f"\\begin{{tikzpicture}}\n\\Tree {_nodes(tree, '[.', ' {}', ' ]')}\n\\end{{tikzpicture}}"
    raise ConfigError(f"style must be one of {', '.join(STYLES)}, got {style!r}")


def _nodes(tree: Tree, opening: str, word: str, closing: str) -> str:
    """Return the nodes in brackets, over several lines; an only child stays on the line of its parent."""
    before, after = word.split("{}")
    parts: list[str] = []
    stack: list[tuple[Node | None, str, int]] = [(tree, "", 0)]  # with what goes before it, and its depth
    while stack:
        node, gap, depth = stack.pop()
        if node is None:
            parts.append(closing)
        elif isinstance(node, Leaf):
            parts.append(f"{gap}{opening}{_group(node.tag)}{before}{_group(node.word)}{after}{closing}")
        else:
            parts.append(f"{gap}{opening}{_group(node.label)}")
            stack.append((None, "", 0))
            if len(node.children) > 1:
                depth += 1
                gap = "\n" + "  " * min(depth, _DEEPEST_INDENT)
            else:
                gap = " "
            stack.extend((child, gap, depth) for child in reversed(node.children))
    return "".join(parts)


def _group(text: str) -> str:
    """Return the text as LaTeX shows it, in braces, for brackets and commas are syntax in both packages."""
    parts = _JOINED.sub(lambda match: f"{match[0]}\0", visible(text)).translate(_ESCAPES)
    return f"{{{parts.replace(chr(0), '{}')}}}"
