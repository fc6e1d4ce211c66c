"""Dependencies for a terminal: arcs at the left, one line a word."""

from __future__ import annotations

from collections.abc import Sequence

from spanlin.dependencies.heads import Dependencies
from spanlin.errors import DependencyError
from spanlin.render.characters import display_width, visible

_ARROW = "►"
# By whether a line goes on upwards, downwards and to the left; all go on to the right.
_JOINTS = {
    (False, True, False): "┌",
    (True, False, False): "└",
    (True, True, False): "├",
    (False, True, True): "┬",
    (True, False, True): "┴",
    (True, True, True): "┼",
}


def pretty_arcs(words: Sequence[str], dependencies: Dependencies, *, tags: Sequence[str] | None = None) -> str:
    """Return the dependency tree drawn with box characters; each line ends with a word, its tag and its relation.

    All that depend on one word hang on the same vertical line, with arrows; the word itself is joined to it without.
    Sentences run down the page, so that a long one is no wider than a short one of the same depth.

    >>> words = ("She", "loves", "writing", "code", ".")
    >>> tree = Dependencies(heads=(2, 0, 2, 3, 2), relations=("nsubj", "root", "xcomp", "obj", "punct"))
    >>> print(pretty_arcs(words, tree))
    ┌►── She      nsubj
    ├─── loves    root
    ├►┬─ writing  xcomp
    │ └► code     obj
    └►── .        punct
    """
    check_drawable(words, dependencies, tags)
    texts = [list(map(visible, column)) for column in (words, tags, dependencies.relations) if column is not None]
    padded = []
    for column in texts[:-1]:
        width = max(map(display_width, column))
        padded.append([text + " " * (width - display_width(text)) for text in column])
    arcs = _draw(dependencies.heads)
    return "\n".join("  ".join(parts) for parts in zip(_joined(arcs, padded[0]), *padded[1:], texts[-1], strict=True))


def check_drawable(words: Sequence[str], dependencies: Dependencies, tags: Sequence[str] | None = None) -> None:
    """Raise a DependencyError unless the dependencies are a tree over these words, with a tag each, if any."""
    if len(words) != len(dependencies) or (tags is not None and len(tags) != len(words)):
        raise DependencyError("give as many words, and tags, as there are heads")
    if problem := dependencies.problem:
        raise DependencyError(f"only a dependency tree with one root can be drawn: {problem}")


def _joined(arcs: list[str], words: list[str]) -> list[str]:
    return [f"{arc} {word}" if arc else word for arc, word in zip(arcs, words, strict=True)]


def _draw(heads: Sequence[int]) -> list[str]:
    """Return the arcs of each line."""
    trunks = _trunks(heads)
    width = max((column for column, _, _ in trunks.values()), default=0)
    rows = [["  "] * width for _ in heads]  # the last column is the nearest to the words
    for head, (column, first, last) in trunks.items():
        for word in range(first, last + 1):
            cells, place = rows[word - 1], width - column
            if word != head and heads[word - 1] != head:
                cells[place] = "│ "
                continue
            own_head = trunks.get(heads[word - 1])
            goes_left = word == head and own_head is not None
            joint = _JOINTS[word > first, word < last, goes_left]
            cells[place] = joint + ("─" if word == head else _ARROW)
    for word, cells in enumerate(rows, start=1):
        joined = [trunks[one][0] for one in (word, heads[word - 1]) if one in trunks]
        for place in range(width - max(joined, default=0), width):
            if cells[place][0] in "│ ":  # what the line to the word passes, or passes under
                cells[place] = cells[place][0].replace(" ", "─") + "─"
    return ["".join(cells) for cells in rows]


def _trunks(heads: Sequence[int]) -> dict[int, tuple[int, int, int]]:
    """Return the vertical line of each word that governs others: its column, and its first and last word.

    Columns count from the words, from 1. What a word governs is nearer to the words than what governs it: then no
    line crosses another if no arc does.
    """
    ends: dict[int, tuple[int, int]] = {}
    for word, head in enumerate(heads, start=1):
        if head:
            first, last = ends.get(head, (head, head))
            ends[head] = (min(first, word), max(last, word))
    trunks = {}
    taken = [0] * (len(heads) + 1)  # the farthest column so far at each word
    for head in _dependents_first(heads):
        if head in ends:
            first, last = ends[head]
            column = 1 + max(taken[first : last + 1])
            taken[first : last + 1] = [column] * (last + 1 - first)
            trunks[head] = (column, first, last)
    return trunks


def _dependents_first(heads: Sequence[int]) -> list[int]:
    """Return the words, each after all that it governs."""
    dependents: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, start=1):
        dependents[head].append(word)
    found = []
    stack = list(dependents[0])
    while stack:
        found.append(stack.pop())
        stack += dependents[found[-1]]
    return found[::-1]
