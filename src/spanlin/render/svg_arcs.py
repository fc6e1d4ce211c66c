"""Dependencies as SVG: words on one line, arcs above them, in the colour of the text around."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from spanlin.dependencies.heads import Dependencies
from spanlin.errors import DependencyError
from spanlin.render.characters import visible
from spanlin.render.pretty_arcs import check_drawable
from spanlin.render.svg_text import FONT, GAP, doubt_patch, short_number, text_width

# All in pixels.
_LEVEL = 30  # from an arc to the one above it
_PORT = 7  # between the ends of two arcs at a word
_CORNER = 6
_MARGIN = 10
_TAG = 18  # from a word to its tag
_HEAD = "l-3.5 -7h7z"  # an arrow's, from its tip


def svg_arcs(
    words: Sequence[str],
    dependencies: Dependencies,
    *,
    tags: Sequence[str] | None = None,
    probabilities: Sequence[float] | None = None,
) -> str:
    """Return the dependency tree as an SVG element on one line, to be saved as a file or put into a page.

    Arrows point from heads to what they govern. The picture takes the colour of the text around it (`currentColor`)
    and asks for nothing outside itself. Each arc tells its two words when pointed at, and its probability if there is
    one; the less probable, the more orange.
    """
    check_drawable(words, dependencies, tags)
    if probabilities is not None:
        _check_probabilities(probabilities, len(words))
    shown = [visible(word) for word in words]
    labels = [visible(relation) for relation in dependencies.relations]
    levels = arc_levels(dependencies.heads)
    top = max(levels, default=0)
    ports = _ports(dependencies.heads)
    middles = _place_words([shown, [visible(tag) for tag in tags or ()]], labels, dependencies.heads, ports)
    baseline = _MARGIN + FONT + top * _LEVEL + FONT
    width = middles[-1] + _half(shown[-1], visible(tags[-1]) if tags else None, ports[-1]) + _MARGIN
    height = baseline + (_TAG if tags else 0) + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="spanlin-arcs" role="img" width="{short_number(width)}" '
        f'height="{short_number(height)}" viewBox="0 0 {short_number(width)} {short_number(height)}" '
        f'font-family="system-ui, sans-serif" font-size="{FONT}" text-anchor="middle" fill="currentColor">',
        f"<title>{escape('Dependencies of: ' + ' '.join(shown))}</title>",
    ]
    for number, head in enumerate(dependencies.heads, start=1):
        end = middles[number - 1] + ports[number - 1][head, number]
        start = end if head == 0 else middles[head - 1] + ports[head - 1][head, number]
        bar = _MARGIN + FONT + 4 + (top - levels[number - 1]) * _LEVEL
        label, middle = labels[number - 1], (start + end) / 2
        about = f"{label} · {shown[number - 1]}" + (f" ← {shown[head - 1]}" if head else "")
        doubt = ""
        if probabilities is not None:
            about += f" · {probabilities[number - 1]:.1%}"
            doubt = doubt_patch(label, middle, bar - 5, 1 - probabilities[number - 1])
        parts.append(
            f'<g class="arc" data-word="{number}" data-head="{head}"><title>{escape(about)}</title>'
            f'<path d="{_path(start, end, bar, baseline - FONT - 4)}" fill="none" stroke="currentColor" '
            f'stroke-opacity="0.5"/><path d="M{short_number(end)} {short_number(baseline - FONT - 2)}{_HEAD}"/>{doubt}'
            f'<text class="relation" x="{short_number(middle)}" y="{bar - 5}" font-size="12">{escape(label)}</text></g>'
        )
    for number, word in enumerate(shown):
        x = short_number(middles[number])
        parts.append(f'<text class="word" x="{x}" y="{baseline}">{escape(word)}</text>')
        if tags:
            tag = escape(visible(tags[number]))
            parts.append(f'<text class="tag" x="{x}" y="{baseline + _TAG}" font-size="12" opacity="0.75">{tag}</text>')
    return "".join([*parts, "</svg>"])


def arc_levels(heads: Sequence[int]) -> list[int]:
    """Return how high each word's arc goes, from 1: above all shorter ones there; the root's goes highest.

    >>> arc_levels((2, 0, 2, 3, 2))
    [1, 3, 1, 1, 2]
    """
    levels = [0] * len(heads)
    taken = [0] * len(heads)  # the highest arc so far between each two words
    arcs = ((word, head) for word, head in enumerate(heads, start=1) if head)
    for word, head in sorted(arcs, key=lambda arc: (abs(arc[0] - arc[1]), arc)):
        left, right = min(word, head) - 1, max(word, head) - 1
        levels[word - 1] = 1 + max(taken[left:right])
        taken[left:right] = [levels[word - 1]] * (right - left)
    return [level or 1 + max(taken) for level in levels]


def _ports(heads: Sequence[int]) -> list[dict[tuple[int, int], float]]:
    """Return for each word where the arcs from a head to a word touch it, as seen from its middle.

    From left to right: arcs to the left, the shortest first; the root's; arcs to the right, the shortest last. So
    none of them crosses another.
    """
    lefts: list[list[tuple[int, int]]] = [[] for _ in range(len(heads) + 1)]
    rights: list[list[tuple[int, int]]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, start=1):
        if head:
            left, right = min(word, head), max(word, head)
            rights[left].append((head, word))
            lefts[right].append((head, word))
        else:
            rights[word].append((0, word))
    found = []
    for word in range(1, len(heads) + 1):
        to_left = sorted(lefts[word], key=lambda arc: abs(arc[0] - arc[1]))
        # The root's arc stands straight up, in the middle.
        to_right = sorted(rights[word], key=lambda arc: (arc[0] != 0, -abs(arc[0] - arc[1])))
        arcs = to_left + to_right
        found.append({arc: (place - (len(arcs) - 1) / 2) * _PORT for place, arc in enumerate(arcs)})
    return found


def _half(word: str, tag: str | None, ports: dict[tuple[int, int], float]) -> float:
    """Return half the width that a word needs."""
    return max(text_width(word), text_width(tag or ""), (len(ports) + 1) * _PORT) / 2


def _place_words(
    texts: Sequence[Sequence[str]],
    labels: Sequence[str],
    heads: Sequence[int],
    ports: Sequence[dict[tuple[int, int], float]],
) -> list[float]:
    """Return the middle of each word, far enough from those before it that the relations between them can be read."""
    words, tags = texts
    halves = [_half(word, tags[place] if tags else None, ports[place]) for place, word in enumerate(words)]
    needs: list[list[tuple[int, float]]] = [[] for _ in words]
    for word, head in enumerate(heads, start=1):
        if head:
            left, right = min(word, head) - 1, max(word, head) - 1
            inset = ports[left][head, word] - ports[right][head, word]
            needs[right].append((left, text_width(labels[word - 1]) - GAP / 2 + inset))
    middles = [_MARGIN + halves[0]]
    for right, (before, half) in enumerate(pairwise(halves), start=1):
        middles.append(max([middles[-1] + before + half, *(middles[left] + need for left, need in needs[right])]))
    return middles


def _path(start: float, end: float, bar: float, foot: float) -> str:
    """Return the line of an arc, in right angles with round corners: so it crosses nothing, however long."""
    if start == end:
        return f"M{short_number(start)} {short_number(bar)}V{short_number(foot)}"
    turn = _CORNER if end > start else -_CORNER
    sweep = int(end > start)
    return (
        f"M{short_number(start)} {short_number(foot)}V{short_number(bar + _CORNER)}"
        f"a{_CORNER} {_CORNER} 0 0 {sweep} {turn} -{_CORNER}H{short_number(end - turn)}"
        f"a{_CORNER} {_CORNER} 0 0 {sweep} {turn} {_CORNER}V{short_number(foot)}"
    )


def _check_probabilities(probabilities: Sequence[float], count: int) -> None:
    if len(probabilities) != count:
        raise DependencyError("give as many probabilities as there are heads")
    for number, probability in enumerate(probabilities, start=1):
        if not 0 <= probability <= 1:
            raise DependencyError(f"the arc of word {number} has probability {probability}: give numbers from 0 to 1")
