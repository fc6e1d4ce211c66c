"""Draws the figures of the docs by our own code: `python docs/figures.py` writes docs/figures/*.svg.

A test compares the files with what is drawn here, so that they cannot grow old.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from spanlin import Span, linearize, parse_tree
from spanlin.decoding import greedy_tree
from spanlin.linearization import linearize_tree
from spanlin.render.svg import svg_tree
from spanlin.trees.tree import Tree

FOLDER = Path(__file__).parent / "figures"

# The example of the paper's Figure 1.
PAPER = "(S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .))"
INK, SOFT, ACCENT = "#1f2937", "#6b7280", "#4f46e5"
STEP, LEFT = 104, 60


def figures() -> dict[str, str]:
    """Return every figure by its file name."""
    tree = parse_tree(PAPER)
    return {
        "tree.svg": _on_paper(svg_tree(tree)),
        "linearization.svg": _on_paper(linearization_figure(tree)),
        "cartesian.svg": _on_paper(cartesian_figure(tree.words, linearize_tree(tree))),
        "graph.svg": _on_paper(graph_figure()),
    }


def linearization_figure(tree: Tree) -> str:
    """Return the words, the split points between them, and for each the longest span that ends there."""
    words, boundaries = tree.words, linearize_tree(tree)
    parts = _ruler(words, y=40)
    row = 78
    for split_point, left in enumerate(boundaries, start=1):
        y = row + 24 * (split_point - 1)
        parts.append(_bar(left, split_point, y, ACCENT))
        parts.append(_text(_x(split_point) + 12, y + 5, f"d{_small(split_point)} = {left}", ACCENT, anchor="start"))
    height = row + 24 * len(boundaries) + 8
    title = f"The longest span that ends at each split point of: {' '.join(words)}"
    return _svg(parts, width=_x(len(words)) + 110, height=height, title=title)


def cartesian_figure(words: Sequence[str], boundaries: Sequence[int]) -> str:
    """Return the boundaries as heights over the split points, and the span that each split point divides."""
    spans = greedy_tree(boundaries)
    assert set(spans) == {closed_form(boundaries, split_point) for split_point in range(1, len(words))}
    assert linearize(spans, len(words)) == tuple(boundaries)
    unit = 42
    floor = 40 + unit * max(boundaries)
    parts = []
    for split_point in range(1, len(words)):
        x, y = _x(split_point), floor - unit * boundaries[split_point - 1]
        parts.append(f'<path d="M{x} {floor}V{y}" stroke="{ACCENT}" stroke-width="3" stroke-linecap="round"/>')
        parts.append(f'<circle cx="{x}" cy="{y}" r="5" fill="{ACCENT}"/>')
        parts.append(
            _text(x + 11, y + 1, f"d{_small(split_point)} = {boundaries[split_point - 1]}", ACCENT, anchor="start")
        )
    parts += _ruler(words, y=floor + 34)
    row = floor + 72
    # The largest span first, as in a tree.
    order = sorted(range(1, len(words)), key=lambda point: (spans[point - 1].left - spans[point - 1].right, point))
    for number, split_point in enumerate(order):
        y = row + 24 * number
        span = spans[split_point - 1]
        parts.append(_bar(span.left, span.right, y, INK))
        parts.append(f'<circle cx="{_x(split_point)}" cy="{y}" r="5" fill="{ACCENT}"/>')
        label = f"{split_point} divides ({span.left}, {span.right})"
        parts.append(_text(_x(len(words)) + 12, y + 5, label, INK, anchor="start"))
    height = row + 24 * len(order) + 8
    title = f"Each split point divides the span up to its next smaller neighbours: {' '.join(words)}"
    return _svg(parts, width=_x(len(words)) + 150, height=height, title=title)


def closed_form(boundaries: Sequence[int], split_point: int) -> Span:
    """Return the span divided at a split point, up to the nearest smaller boundaries on either side."""
    own = boundaries[split_point - 1]
    before = [point for point in range(1, split_point) if boundaries[point - 1] < own]
    after = [point for point in range(split_point + 1, len(boundaries)) if boundaries[point - 1] <= own]
    return Span(before[-1] if before else 0, after[0] if after else len(boundaries))


def graph_figure() -> str:
    """Return the parser as the one graph that it is."""
    boxes = [
        ("word pieces", "in"),
        ("encoder", "one vector a word piece"),
        ("split points", "between every two words"),
        ("P(i | j)", "every span, no labels yet"),
        ("d = argmax", "one integer a word"),
        ("neighbours", "next smaller, left and right"),
        ("2n - 1 spans", "labels for these alone"),
        ("labelled spans", "out"),
    ]
    parts = []
    width, height, gap = 168, 54, 34
    for number, (name, below) in enumerate(boxes):
        row, column = divmod(number, 4)
        column = column if row == 0 else 3 - column
        x, y = 16 + column * (width + gap), 18 + row * (height + 46)
        colour = ACCENT if name in {"d = argmax", "neighbours"} else INK
        parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="9" fill="none" stroke="{colour}" '
            'stroke-width="1.5"/>'
        )
        parts.append(_text(x + width / 2, y + 24, name, colour, weight=600))
        parts.append(_text(x + width / 2, y + 43, below, SOFT, size=12))
        if number in {0, 1, 2}:
            parts.append(_arrow(x + width + 5, y + height / 2, gap - 10, 0))
        elif number == 3:
            parts.append(_arrow(x + width / 2, y + height + 6, 0, 34))
        elif number < 7:
            parts.append(_arrow(x - 5, y + height / 2, -(gap - 10), 0))
    return _svg(parts, width=4 * width + 3 * gap + 32, height=2 * height + 82, title="The parser as one static graph")


def _x(split_point: int) -> float:
    return LEFT + STEP * split_point


def _ruler(words: Sequence[str], *, y: float) -> list[str]:
    parts = [f'<path d="M{_x(0)} {y}H{_x(len(words))}" stroke="{SOFT}"/>']
    for split_point in range(len(words) + 1):
        parts.append(f'<path d="M{_x(split_point)} {y - 6}v12" stroke="{SOFT}"/>')
        parts.append(_text(_x(split_point), y + 21, str(split_point), SOFT, size=12))
    for number, word in enumerate(words):
        parts.append(_text(_x(number) + STEP / 2, y - 9, word, INK, weight=600))
    return parts


def _bar(left: int, right: int, y: float, colour: str) -> str:
    line = f"M{_x(left)} {y - 5}v10M{_x(left)} {y}H{_x(right)}M{_x(right)} {y - 5}v10"
    return f'<path d="{line}" stroke="{colour}" stroke-width="2" fill="none"/>'


def _arrow(x: float, y: float, right: float, down: float) -> str:
    end_x, end_y = x + right, y + down
    if right:
        side = 1 if right > 0 else -1
        head = f"M{end_x - 6 * side} {end_y - 5}L{end_x} {end_y}L{end_x - 6 * side} {end_y + 5}"
    else:
        head = f"M{end_x - 5} {end_y - 6}L{end_x} {end_y}L{end_x + 5} {end_y - 6}"
    return f'<path d="M{x} {y}L{end_x} {end_y}{head}" stroke="{SOFT}" stroke-width="1.5" fill="none"/>'


def _text(
    x: float, y: float, text: str, colour: str, *, anchor: str = "middle", size: int = 14, weight: int = 400
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}">{escape(text)}</text>'
    )


def _small(number: int) -> str:
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))


def _svg(parts: Sequence[str], *, width: float, height: float, title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _on_paper(svg: str) -> str:
    """Return the drawing on a light sheet, dark ink: as an image it does not see the colours of the page around it."""
    start = svg.index(">") + 1
    head = re.sub(r"^<svg ", f'<svg color="{INK}" ', svg[:start])
    return f'{head}<rect width="100%" height="100%" rx="8" fill="#fff"/>{svg[start:]}\n'


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, drawing in figures().items():
        (FOLDER / name).write_text(drawing, encoding="utf-8")
