"""How well `spanlin.text` finds the tokens and sentences of a corpus: python experiments/text.py FILE.conllu.

The text of each document is rebuilt from its `# text` lines, joined by a blank: paragraphs are not known, so that a
heading runs into what follows. A token or a sentence is right if it starts and ends at the same characters as the
corpus's own.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spanlin.text import tokenize


class Document(NamedTuple):
    """A text and where its tokens and sentences start and end."""

    text: str
    tokens: set[tuple[int, int]]
    sentences: set[tuple[int, int]]


def read_documents(path: Path) -> Iterator[Document]:
    """Yield the documents of a CoNLL-U file."""
    for document in path.read_text(encoding="utf-8").split("# newdoc")[1:]:
        texts: list[str] = []
        tokens: set[tuple[int, int]] = set()
        sentences: set[tuple[int, int]] = set()
        start = end = 0
        for line in document.splitlines():
            if line.startswith("# text = "):
                texts.append(line.removeprefix("# text = "))
                start = sum(map(len, texts[:-1])) + len(texts) - 1
                end = start
                sentences.add((start, start + len(texts[-1])))
            elif line and line[0].isdigit() and "-" not in (columns := line.split("\t"))[0]:
                left = texts[-1].index(columns[1], end - start) + start
                end = left + len(columns[1])
                tokens.add((left, end))
        yield Document(" ".join(texts), tokens, sentences)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("conllu", type=Path)
    arguments.add_argument("--keep-hyphens", action="store_true", help="do not split words at hyphens and slashes")
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
    print(f"{megabytes:.2f} MB in {seconds:.2f} s, {megabytes / seconds:.2f} MB/s")


if __name__ == "__main__":
    main()
