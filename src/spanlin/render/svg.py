"""Trees as SVG: self-contained, in the colour of the text around it, words on one line at the bottom."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from spanlin.errors import TreeError
from spanlin.render.characters import visible
from spanlin.render.svg_text import FONT, doubt_patch, short_number, text_width
from spanlin.trees.tree import LabelledSpan, Leaf, Node, Tree

# All in pixels.
_LEVEL = 40  # from a constituent to the one under it
_WORD = 20  # from a tag to its word
_MARGIN = 10
_BAR = 12  # from a label to the line over its children

_TOLD = 8  # words of a constituent: the whole of each would be quadratic


class _Box:
    """A node and where it goes: `left` and `width` of the stretch that belongs to it and what is under it."""

    __slots__ = ("children", "inner", "label", "left", "level", "node", "span", "width")

    def __init__(self, node: Node, first_word: int) -> None:
        self.node = node
        self.label = visible(node.tag if isinstance(node, Leaf) else node.label)
        self.children: list[_Box] = []
        self.span = (first_word, first_word + isinstance(node, Leaf))
        self.level = 0  # constituents between it and the words, itself among them, on the longest way
        self.left = self.inner = 0.0
        self.width = text_width(self.label)

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


def svg_tree(tree: Tree, probabilities: Mapping[LabelledSpan, float] | None = None) -> str:
    """Return the tree as an SVG element on one line, to be saved as a file or put into a page.

    It takes the colour of the text around it (`currentColor`) and asks for nothing outside itself. Each constituent
    tells its words when pointed at, and its probability if there is one; the less probable, the more orange.
    """
    boxes = _lay_out(tree)
    words = [visible(box.node.word) for box in boxes if isinstance(box.node, Leaf)]
    top = boxes[0].level
    width, height = boxes[0].width + 2 * _MARGIN, top * _LEVEL + _WORD + FONT + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="spanlin-tree" role="img" width="{short_number(width)}" '
        f'height="{short_number(height)}" viewBox="0 0 {short_number(width)} {short_number(height)}" '
        f'font-family="system-ui, sans-serif" font-size="{FONT}" text-anchor="middle" fill="currentColor">',
        f"<title>{escape('Tree of: ' + ' '.join(words))}</title>",
    ]
    for box in boxes:
        x, y = short_number(box.middle), _baseline(top - box.level)
        if isinstance(box.node, Leaf):
            word = escape(visible(box.node.word))
            parts.append(f'<text class="tag" x="{x}" y="{y}" font-size="12" opacity="0.75">{escape(box.label)}</text>')
            parts.append(f'<text class="word" x="{x}" y="{y + _WORD}">{word}</text>')
            continue
        left, right = box.span
        probability = None if probabilities is None else probabilities.get(LabelledSpan(left, right, box.node.label))
        covered = " ".join(words[left : min(right, left + _TOLD)]) + (" …" if right > left + _TOLD else "")
        about = f"{box.label} · {covered}"
        doubt = ""
        if probability is not None:
            if not 0 <= probability <= 1:
                raise TreeError(
                    f"{box.node.label!r} over words {left} to {right} has probability {probability}: "
                    "give numbers from 0 to 1"
                )
            about += f" · {probability:.1%}"
            doubt = doubt_patch(box.label, box.middle, y, 1 - probability)
        parts.append(
            f'<path d="{_edges(box, top)}" fill="none" stroke="currentColor" stroke-opacity="0.5"/>'
            f'<g class="constituent" data-left="{left}" data-right="{right}"><title>{escape(about)}</title>'
            f'{doubt}<text class="label" x="{x}" y="{y}" font-weight="600">{escape(box.label)}</text></g>'
        )
    return "".join([*parts, "</svg>"])


def _lay_out(tree: Tree) -> list[_Box]:
    """Return all nodes, each before its children and at its place."""
    boxes: list[_Box] = []
    stack: list[tuple[Node, _Box | None]] = [(tree, None)]
    word_count = 0
    while stack:
        node, parent = stack.pop()
        box = _Box(node, word_count)
        boxes.append(box)
        if parent is not None:
            parent.children.append(box)
        if isinstance(node, Leaf):
            word_count += 1
        else:
            stack.extend((child, box) for child in reversed(node.children))
    for box in reversed(boxes):  # children first
        if isinstance(box.node, Leaf):
            box.width = max(box.width, text_width(visible(box.node.word)))
        elif box.children:
            box.level = 1 + max(child.level for child in box.children)
            box.inner = sum(child.width for child in box.children)
            box.span = (box.span[0], box.children[-1].span[1])
            box.width = max(box.width, box.inner)
        else:
            raise TreeError(f"the constituent {box.node.label!r} has no children: give it at least one word")
    boxes[0].left = _MARGIN
    for box in boxes:
        place = box.left + (box.width - box.inner) / 2
        for child in box.children:
            child.left = place
            place += child.width
    return boxes


def _edges(box: _Box, top: int) -> str:
    """Return the path from a constituent to its children, in right angles: so it crosses nothing, however long."""
    x, below = short_number(box.middle), _baseline(top - box.level) + 5
    ends = [(short_number(child.middle), _baseline(top - child.level) - FONT) for child in box.children]
    if len(ends) == 1:
        return f"M{x} {below}V{ends[0][1]}"
    bar = below + _BAR
    (first, first_end), *inner, (last, last_end) = ends
    drops = "".join(f"M{place} {bar}V{end}" for place, end in inner)
    return f"M{x} {below}V{bar}M{first} {first_end}V{bar}H{last}V{last_end}{drops}"


def _baseline(level_from_top: int) -> int:
    return _MARGIN + FONT + level_from_top * _LEVEL
