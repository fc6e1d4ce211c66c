"""Write a copy of an encoder with the word pieces that the training and unlabelled text of a recipe use most.

python -m experiments.models.prune_encoder RECIPE SOURCE DESTINATION --pieces 12000 [--feed-forward 768]
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from spanlin.config.recipe import Recipe, load_recipe
from spanlin.errors import SpanlinError
from spanlin.training.data import load_data
from spanlin.training.encoder_pruning import prune_encoder


def words_of(recipe: Recipe) -> Counter[str]:
    """Return how often the words of all that the student learns from occur, dev sets left out."""
    data = load_data(recipe.config(recipe.student))
    counts: Counter[str] = Counter()
    for treebank in data.treebanks:
        for sentence in treebank.train.sentences:
            counts.update(sentence.words)
    for sentence in data.unlabelled:
        counts.update(sentence.words)
    return counts


@click.command()
@click.argument("recipe", type=click.Path(path_type=Path))
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("destination", type=click.Path(path_type=Path))
@click.option("--pieces", type=int, required=True, help="Most pieces to keep.")
@click.option("--feed-forward", type=int, default=0, help="Width of the feed-forward layers; 0 leaves it.")
def main(*, recipe: Path, source: Path, destination: Path, pieces: int, feed_forward: int) -> None:
    """Write the smaller encoder."""
    try:
        words = words_of(load_recipe(recipe))
        pruned = prune_encoder(source, destination, words, most_pieces=pieces, feed_forward_width=feed_forward)
    except SpanlinError as error:
        sys.exit(str(error))
    share = 100 * pruned.same_words
    click.echo(
        f"{destination}: {pruned.kept:,} of {pruned.before:,} pieces; {share:.2f} % of words are split as before"
    )


if __name__ == "__main__":
    main()
