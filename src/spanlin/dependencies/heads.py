"""The heads and relations of a sentence's words, and whether they are a tree.

Words count from 1, as in CoNLL-U; the head of the root is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spanlin.errors import DependencyError


@dataclass(frozen=True)
class Dependencies:
    """A head and a relation for each word. They need not be a tree: see `problem`.

    >>> Dependencies(heads=(2, 0, 2), relations=("nsubj", "root", "obj")).root
    2
    """

    heads: tuple[int, ...]
    relations: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.heads) != len(self.relations):
            raise DependencyError(
                f"{len(self.heads)} heads and {len(self.relations)} relations: give one of each for every word"
            )
        for word, head in enumerate(self.heads, start=1):
            if not 0 <= head <= len(self.heads):
                raise DependencyError(f"the head of word {word} is {head}: expected 0 to {len(self.heads)}")

    def __len__(self) -> int:
        return len(self.heads)

    @property
    def problem(self) -> str:
        """Why the heads are not a tree with one root; empty if they are."""
        return tree_problem(self.heads)

    @property
    def root(self) -> int:
        """The first word whose head is 0; a DependencyError if there is none."""
        if 0 not in self.heads:
            raise DependencyError("no word is the root: give one of them the head 0")
        return self.heads.index(0) + 1

    @property
    def is_projective(self) -> bool:
        """Whether no two arcs cross, that from 0 to the root included."""
        return is_projective(self.heads)


def tree_problem(heads: Sequence[int]) -> str:
    """Return why the heads are not a tree with one root, or nothing if they are."""
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    if len(roots) > 1:
        return f"words {roots[0]} and {roots[1]} are both roots"
    # 0 is done; any other number is the word from which the walk upwards came by.
    seen = [0] * (len(heads) + 1)
    for start in range(1, len(heads) + 1):
        word = start
        while word and not seen[word]:
            seen[word] = start
            word = heads[word - 1]
        if word and seen[word] == start:
            return f"word {word} is its own ancestor"
    return "" if roots else "no word is the root"


def is_projective(heads: Sequence[int]) -> bool:
    """Return whether no two arcs cross, that from 0 to the root included; in linear time for a tree."""
    open_ends: list[int] = []  # right ends of the arcs that are open, the innermost last
    starting: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, start=1):
        starting[min(word, head)].append(max(word, head))
    for place, ends in enumerate(starting):
        while open_ends and open_ends[-1] <= place:
            open_ends.pop()
        for end in sorted(ends, reverse=True):
            if open_ends and open_ends[-1] < end:
                return False
            open_ends.append(end)
    return True
