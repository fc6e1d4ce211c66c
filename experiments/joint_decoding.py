"""What joint decoding gives and costs: trees and heads found apart, and the best pair that goes together.

    python -m experiments.joint_decoding MODEL --trees dev.txt --conllu dev.conllu --max-words 40 --output joint.json

MODEL is a checkpoint or a model folder that was trained with dependencies. Both files hold the same sentences in the
same order, as gum has them. Trees are scored as EVALB does, with the gold tags put in; heads as Universal Dependencies
does, all words counted, relations without subtypes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import click

from experiments.planning import commit_here
from experiments.work import machine
from spanlin import Parsed, ParseOptions, Parser, Span, Tree, read_trees
from spanlin.decoding.head_spans import go_together
from spanlin.evaluation import score_trees
from spanlin.runtime.options import ParserDecoder
from spanlin.training.dependencies import KnownDependencies, read_dependencies, require_same_words
from spanlin.training.dependency_parsing import score_attachments
from spanlin.trees.labelled import labelled_splits, tree_from_splits
from spanlin.trees.transforms import add_root, strip_root

DECODERS: tuple[ParserDecoder, ...] = ("argmin", "labelled", "joint")


class Gold(NamedTuple):
    """The sentences of a treebank that has both annotations."""

    trees: list[Tree]
    dependencies: list[KnownDependencies]


@click.command()
@click.argument("model")
@click.option("--trees", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=True)
@click.option("--conllu", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=True)
@click.option("--max-words", type=click.IntRange(min=1), default=40, show_default=True, help="Leave out longer ones.")
@click.option("--sentences", type=click.IntRange(min=1), help="Only so many sentences, from all over the file.")
@click.option("--device", default="")
@click.option("--threads", default=0, show_default=True, help="Batches side by side; 0 for every core.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures as JSON.")
def main(
    *,
    model: str,
    trees: Path,
    conllu: Path,
    max_words: int,
    sentences: int | None,
    device: str,
    threads: int,
    output: Path | None,
) -> None:
    gold = read_both(trees, conllu, max_words=max_words, sentences=sentences)
    parser = Parser.load(model, threads=threads, device=device)
    parser.check_dependencies()
    figures = {
        "model": model,
        "trees": str(trees),
        "conllu": str(conllu),
        "max_words": max_words,
        "sentences": len(gold.trees),
        "words": sum(len(tree.words) for tree in gold.trees),
        "gold_together": share(map(together_in_gold, gold.trees, gold.dependencies)),
        "decoders": measure(parser, gold, max_words=max_words),
        "commit": commit_here(),
        "machine": machine(parser.backend.device),
    }
    click.echo(table(figures))
    if output is not None:
        output.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_both(trees: Path, conllu: Path, *, max_words: int, sentences: int | None = None) -> Gold:
    """Return the sentences of at most so many words, or a TrainingError if the files are not of the same ones."""
    gold_trees = list(read_trees(trees))
    found = read_dependencies(conllu)
    splits = [labelled_splits(strip_root(tree)) for tree in gold_trees]
    require_same_words(splits, found.sentences, str(trees), str(conllu))
    places = [place for place, tree in enumerate(gold_trees) if len(tree.words) <= max_words]
    places = places[:: max(1, -(-len(places) // sentences))] if sentences else places
    return Gold([gold_trees[place] for place in places], [found.dependencies[place] for place in places])


def measure(parser: Parser, gold: Gold, *, max_words: int) -> dict[str, dict[str, Any]]:
    """Return the figures of each decoder: scores, time, and how often tree and heads go together."""
    words = [tree.words for tree in gold.trees]
    parser.parse_tokens(words[:8])  # what is slow only once
    figures: dict[str, dict[str, Any]] = {}
    for decoder in DECODERS:
        started = time.perf_counter()
        parses = parser.parse_tokens(words, ParseOptions(decoder=decoder, joint_words=max_words))
        seconds = time.perf_counter() - started
        trees = [with_tags(parsed, tree) for parsed, tree in zip(parses, gold.trees, strict=True)]
        brackets = score_trees(gold.trees, trees)
        attachment = score_attachments(gold.dependencies, [known(parsed) for parsed in parses])
        figures[decoder] = {
            "f1": brackets.f1,
            "complete_match": brackets.complete_match,
            "uas": attachment.uas,
            "las": attachment.las,
            "together": share(map(go_together_in, parses)),
            "seconds_per_sentence": seconds / len(words),
        }
    return figures


def with_tags(parsed: Parsed, gold: Tree) -> Tree:
    """Return the predicted tree with the gold tags, by which EVALB drops punctuation."""
    return add_root(tree_from_splits(labelled_splits(strip_root(parsed.tree))._replace(tags=gold.tags)))


def known(parsed: Parsed) -> KnownDependencies:
    """Return the predicted dependencies as the score takes them."""
    assert parsed.dependencies is not None
    found = parsed.dependencies
    return KnownDependencies(found.heads, found.relations, found.universal_tags)


def go_together_in(parsed: Parsed) -> bool:
    """Return whether every constituent of a parse has one head."""
    return go_together({Span(one.left, one.right) for one in parsed.constituents()}, parsed.heads or ())


def together_in_gold(tree: Tree, dependencies: KnownDependencies) -> bool:
    """Return whether every gold constituent has one head."""
    return go_together({Span(one.left, one.right) for one in tree.constituents()}, dependencies.heads)


def share(outcomes: Iterable[bool]) -> float:
    """Return the percentage that is true."""
    values = list(outcomes)
    return 100.0 * sum(values) / len(values)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a table in Markdown."""
    rows = [
        f"{figures['sentences']:,} sentences of at most {figures['max_words']} words; in the gold annotation, tree and "
        f"heads go together in {figures['gold_together']:.1f} %.",
        "",
        "| decoder | F1 | complete | UAS | LAS | go together, % | ms per sentence |",
        "|---|---|---|---|---|---|---|",
    ]
    for decoder, one in figures["decoders"].items():
        scores = " | ".join(f"{one[name]:.2f}" for name in ("f1", "complete_match", "uas", "las"))
        rows.append(f"| {decoder} | {scores} | {one['together']:.1f} | {1000 * one['seconds_per_sentence']:.1f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
