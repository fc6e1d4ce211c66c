"""How well `spanlin.text` finds the tokens and sentences of a corpus: python experiments/text.py FILE.conllu.

With --trees, also how well raw text is parsed: labelled brackets by their first and last character, punctuation
included, beside the same measure for the corpus's own tokens and sentences.

The text of each document is rebuilt from its `# text` lines, joined by a blank: paragraphs are not known, so that a
heading runs into what follows. A token or a sentence is right if it starts and ends at the same characters as the
corpus's own.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spanlin.parser import Parser
from spanlin.text import tokenize
from spanlin.trees.brackets import read_trees
from spanlin.trees.transforms import ROOT_LABELS
from spanlin.trees.tree import Tree


class Document(NamedTuple):
    """A text and where its tokens and sentences start and end."""

    text: str
    words: list[list[tuple[int, int]]]
    tokens: set[tuple[int, int]]
    sentences: set[tuple[int, int]]


def read_documents(path: Path) -> Iterator[Document]:
    """Yield the documents of a CoNLL-U file."""
    for document in path.read_text(encoding="utf-8").split("# newdoc")[1:]:
        texts: list[str] = []
        words: list[list[tuple[int, int]]] = []
        tokens: set[tuple[int, int]] = set()
        sentences: set[tuple[int, int]] = set()
        start = end = 0
        for line in document.splitlines():
            if line.startswith("# text = "):
                texts.append(line.removeprefix("# text = "))
                start = sum(map(len, texts[:-1])) + len(texts) - 1
                end = start
                words.append([])
                sentences.add((start, start + len(texts[-1])))
            elif line and line[0].isdigit() and "-" not in (columns := line.split("\t"))[0]:
                left = texts[-1].index(columns[1], end - start) + start
                end = left + len(columns[1])
                tokens.add((left, end))
                words[-1].append((left, end))
        yield Document(" ".join(texts), words, tokens, sentences)


Brackets = Counter[tuple[str, int, int]]


def bracket_scores(documents: list[Document], trees: list[Tree], model: str) -> dict[str, float]:
    """Return the labelled bracket F1 from raw text, and from the corpus's own tokens and sentences."""
    parser = Parser.load(model)
    left = iter(trees)
    counts = {"raw text": [0, 0], "gold tokens": [0, 0]}  # right, predicted and gold together
    for document in documents:
        gold: Brackets = Counter()
        predicted: dict[str, Brackets] = {"raw text": Counter(), "gold tokens": Counter()}
        for places, tree in zip(document.words, itertools.islice(left, len(document.words)), strict=True):
            gold.update(
                (label, places[first][0], places[last - 1][1])
                for first, last, label in tree.constituents()
                if label not in ROOT_LABELS
            )
        given = [[document.text[start:end] for start, end in places] for places in document.words]
        for places, parsed in zip(document.words, parser.parse_tokens(given), strict=True):
            predicted["gold tokens"].update(
                (found.label, places[found.left][0], places[found.right - 1][1]) for found in parsed.constituents()
            )
        for parsed in parser.parse(document.text):
            predicted["raw text"].update((found.label, found.start, found.end) for found in parsed.constituents())
        for name, brackets in predicted.items():
            counts[name][0] += (brackets & gold).total()
            counts[name][1] += brackets.total() + gold.total()
    return {name: 200 * right / both for name, (right, both) in counts.items()}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("conllu", type=Path)
    arguments.add_argument("--keep-hyphens", action="store_true", help="do not split words at hyphens and slashes")
    arguments.add_argument("--trees", type=Path, help="the same sentences as bracketed trees")
    arguments.add_argument("--model", default="en")
    options = arguments.parse_args()
    documents = list(read_documents(options.conllu))
    counts = {"token": [0, 0, 0], "sentence": [0, 0, 0]}  # right, predicted, gold
    seconds = 0.0
    for document in documents:
        started = time.process_time()
        found = tokenize(document.text, split_hyphens=not options.keep_hyphens)
        seconds += time.process_time() - started
        predicted_tokens = {(token.start, token.end) for sentence in found for token in sentence.tokens}
        predicted_sentences = {(sentence.start, sentence.end) for sentence in found}
        for name, predicted, gold in (
            ("token", predicted_tokens, document.tokens),
            ("sentence", predicted_sentences, document.sentences),
        ):
            counts[name][0] += len(predicted & gold)
            counts[name][1] += len(predicted)
            counts[name][2] += len(gold)
    for name, (right, predicted_count, gold_count) in counts.items():
        precision, recall = 100 * right / predicted_count, 100 * right / gold_count
        f1 = 200 * right / (predicted_count + gold_count)
        print(f"{name:9} precision {precision:6.2f}  recall {recall:6.2f}  F1 {f1:6.2f}  of {gold_count}")
    megabytes = sum(len(document.text.encode()) for document in documents) / 1e6
    if options.trees:
        for name, f1 in bracket_scores(documents, list(read_trees(options.trees)), options.model).items():
            print(f"brackets from {name}: F1 {f1:.2f}")
    print(f"{megabytes:.2f} MB in {seconds:.2f} s, {megabytes / seconds:.2f} MB/s")


if __name__ == "__main__":
    main()
