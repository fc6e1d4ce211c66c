"""Everyday sentences: how many of them, kind by kind, a model parses as it should.

    python -m experiments.models.everyday [--model en] [--json FILE] [--wrong]

The sentences and what is asked of each are in models/en/everyday/sentences.txt, whose first lines explain the format.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from spanlin import Parser
from spanlin.trees.tree import Tree

FOLDER = Path(__file__).parent / "en" / "everyday"
SENTENCES, SHARES = FOLDER / "sentences.txt", FOLDER / "right.json"

_TREEBANK_LABELS = frozenset({"CAPTION", "CIT", "HEADING"})  # of CRAFT alone
_PLAIN, _CHAIN = "plain", "not PP+PP"


@dataclass(frozen=True, kw_only=True)
class Everyday:
    """A sentence, its kind, and the lines that its tree must satisfy."""

    kind: str
    words: tuple[str, ...]
    wanted: tuple[str, ...]

    def is_right(self, tree: Tree) -> bool:
        """Return whether a tree has all that is wanted."""
        found = {(span.label, span.left, span.right) for span in tree.constituents()}
        return all(self._holds(line, tree, found) for line in self.wanted)

    def _holds(self, line: str, tree: Tree, found: set[tuple[str, int, int]]) -> bool:
        if line == _PLAIN:
            return not any(label in _TREEBANK_LABELS for label, _, _ in found)
        if line == _CHAIN:
            return not any(isinstance(node, Tree) and _is_chain(node) for node in tree.preorder())
        if line.startswith("not "):
            return not self._holds(line.removeprefix("not "), tree, found)
        return any(found & set(self._places(one)) for one in line.split(" / "))

    def _places(self, constituent: str) -> Iterator[tuple[str, int, int]]:
        """Yield the constituents that would do; the words are found where they first stand."""
        label, *words = constituent.split()
        choices = [words]
        if words[-1].startswith("["):
            choices = [words[:-1], [*words[:-1], words[-1][1:-1]]]
        for choice in choices:
            starts = range(len(self.words) - len(choice) + 1)
            left = next((left for left in starts if list(self.words[left : left + len(choice)]) == choice), None)
            if left is None:
                raise ValueError(f"{' '.join(self.words)!r} does not have the words of {constituent!r}")
            yield label, left, left + len(choice)


def read_everyday(path: Path = SENTENCES) -> list[Everyday]:
    """Return the sentences of a file, in order."""
    kind, words, wanted, found = "", (), [], []  # type: str, tuple[str, ...], list[str], list[Everyday]

    def end() -> None:
        if words:
            found.append(Everyday(kind=kind, words=words, wanted=tuple(wanted)))

    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("  "):
            wanted.append(line.strip())
            continue
        end()
        words, wanted = (), []
        if line.startswith("== "):
            kind = line.removeprefix("== ")
        else:
            words = tuple(line.split())
    end()
    return found


def parse_everyday(parser: Parser, sentences: list[Everyday]) -> list[bool]:
    """Return for each sentence whether the parser gets it right."""
    parses = parser.parse_tokens([sentence.words for sentence in sentences])
    return [
        parsed.tree is not None and sentence.is_right(parsed.tree)
        for sentence, parsed in zip(sentences, parses, strict=True)
    ]


def shares(sentences: list[Everyday], right: Iterable[bool]) -> dict[str, dict[str, int]]:
    """Return how many sentences of each kind there are, and how many are right."""
    counts: dict[str, dict[str, int]] = {}
    for sentence, is_right in zip(sentences, right, strict=True):
        count = counts.setdefault(sentence.kind, {"right": 0, "sentences": 0})
        count["right"] += is_right
        count["sentences"] += 1
    return counts


def _is_chain(tree: Tree) -> bool:
    """Return whether a PP is nothing but PPs one after the other, which no guideline has."""
    labels = {child.label if isinstance(child, Tree) else "" for child in tree.children}
    return tree.label == "PP" and len(tree.children) > 1 and labels == {"PP"}


@click.command()
@click.option("--model", default="en", show_default=True)
@click.option("--json", "path", type=click.Path(path_type=Path), help="Write the counts here too.")
@click.option("--wrong", is_flag=True, help="Print the trees that are wrong.")
def main(*, model: str, path: Path | None, wrong: bool) -> None:
    """Print how many everyday sentences of each kind a model gets right."""
    sentences = read_everyday()
    parser = Parser.load(model)
    right = parse_everyday(parser, sentences)
    counts = shares(sentences, right)
    for kind, count in counts.items():
        click.echo(f"{kind:32} {count['right']:3} of {count['sentences']}")
    click.echo(f"{'all':32} {sum(right):3} of {len(right)}")
    if wrong:
        for sentence, is_right in zip(sentences, right, strict=True):
            if not is_right:
                (parsed,) = parser.parse_tokens([sentence.words])
                click.echo(f"{parsed.brackets()}\n    {' & '.join(sentence.wanted)}")
    if path is not None:
        path.write_text(json.dumps({"model": model, "kinds": counts}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
