"""Write every training and dev file of the English models from the treebanks, one style for all.

    python -m experiments.models.en.prepare [--data data] [--out data/en]

| file | what |
|---|---|
| craft, genia, masc: train.txt | gold trees in Penn style (penn_style.py) |
| gum: train.txt, train.conllu | the open documents (select_open.py), trees and dependencies of the same sentences |
| gum: joined.txt, joined.conllu | those of them with hyphenated words, joined |
| masc: joined.txt | the same of masc |
| ewt: train.conllu, joined.conllu | gold dependencies with Penn's tags; joined as above |
| business, everyday: train.txt | made-up trees (tree_grammar.py) |
| craft, genia, gum, masc, ewt: dev.txt, dev.conllu | as the treebanks have them, but for labels of text structure |
| gum: dev-open.txt, dev-open.conllu | the open documents of dev, for calibration |

wsj-sample is read by nothing here. Trees with a tag that no guideline knows are left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from experiments.models.en import tree_grammar
from experiments.models.en.joined_words import groups_of_forms, hyphen_groups, join_words
from experiments.models.en.penn_style import join_hyphens, penn_style
from experiments.models.en.penn_tags import KNOWN_TAGS, penn_tags
from experiments.models.en.plain_labels import plain_labels
from experiments.models.select_open import select_open

from spanlin.dependencies.conllu import read_conllu, write_conllu
from spanlin.dependencies.sentence import ConlluSentence, Word
from spanlin.trees.brackets import read_trees
from spanlin.trees.tree import Tree

MADE = {"business": (6000, 1), "everyday": (12000, 1)}
"""Trees of each grammar, and the seed."""


def prepare(data: Path, out: Path) -> None:
    """Write all files."""
    for name in ("craft", "genia", "masc"):
        trees = [penn_style(tree) for tree in read_trees(data / name / "train.txt")]
        trees = [tree for tree in trees if KNOWN_TAGS.issuperset(tree.tags)]
        write_trees(out / name / "train.txt", trees)
        write_trees(out / name / "dev.txt", map(plain_labels, read_trees(data / name / "dev.txt")))
        if name == "masc":
            write_trees(out / name / "joined.txt", (new for old in trees if (new := join_hyphens(old)) != old))
    _prepare_gum(data, out / "gum")
    sentences = [with_penn_tags(sentence) for sentence in read_conllu(data / "ewt-dep" / "train.conllu")]
    write_dependencies(out / "ewt" / "train.conllu", sentences)
    write_dependencies(out / "ewt" / "joined.conllu", joined_sentences(sentences))
    write_dependencies(out / "ewt" / "dev.conllu", read_conllu(data / "ewt-dep" / "dev.conllu"))
    for name, (count, seed) in MADE.items():
        write_trees(out / name / "train.txt", tree_grammar.generate(name, count, seed))


def _prepare_gum(data: Path, out: Path) -> None:
    documents = data / "gum" / "documents.tsv"
    trees, sentences = _open_gum(data, documents, "train")
    trees = [penn_style(tree) for tree in trees]
    write_trees(out / "train.txt", trees)
    write_dependencies(out / "train.conllu", sentences)
    pairs = [(old, join_hyphens(old), sentence) for old, sentence in zip(trees, sentences, strict=True)]
    joined = [(old, new, sentence) for old, new, sentence in pairs if new != old]
    write_trees(out / "joined.txt", (new for _, new, _ in joined))
    write_dependencies(
        out / "joined.conllu",
        (join_words(sentence, groups_of_forms(old.words, new.words), new.tags) for old, new, sentence in joined),
    )
    write_trees(out / "dev.txt", read_trees(data / "gum" / "dev.txt"))
    write_dependencies(out / "dev.conllu", read_conllu(data / "gum-dep" / "dev.conllu"))
    trees, sentences = _open_gum(data, documents, "dev")
    write_trees(out / "dev-open.txt", trees)
    write_dependencies(out / "dev-open.conllu", sentences)


def _open_gum(data: Path, documents: Path, split: str) -> tuple[list[Tree], list[ConlluSentence]]:
    """Return the trees and the dependencies of the open documents, sentence by sentence the same words."""
    trees = select_open(documents, list(read_trees(data / "gum" / f"{split}.txt")), split=split)
    sentences = select_open(documents, list(read_conllu(data / "gum-dep" / f"{split}.conllu")), split=split)
    for number, (tree, sentence) in enumerate(zip(trees, sentences, strict=True), start=1):
        if tree.words != sentence.forms:
            raise SystemExit(
                f"gum {split}: open sentence {number} has other words in its tree than in its dependencies"
            )
    return trees, sentences


def with_penn_tags(sentence: ConlluSentence) -> ConlluSentence:
    """Return a sentence with Penn's tags and without its multi-word tokens, which are not trained on."""
    words = sentence.words
    tags = penn_tags([word.form for word in words], [word.xpos for word in words])
    rows = tuple(word._replace(xpos=tag) for word, tag in zip(words, tags, strict=True))
    return ConlluSentence(rows, sentence.comments)


def joined_sentences(sentences: Iterable[ConlluSentence]) -> Iterator[ConlluSentence]:
    """Yield the sentences that have hyphenated words, with these joined and without their tags."""
    for sentence in sentences:
        groups = hyphen_groups(sentence.words)
        if len(groups) < len(sentence.words):
            yield join_words(sentence, groups)


def write_trees(path: Path, trees: Iterable[Tree | str]) -> None:
    """Write trees, one a line, and say how many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{tree}\n" for tree in trees]
    path.write_text("".join(lines), encoding="utf-8")
    print(f"{path}: {len(lines):,} trees")


def write_dependencies(path: Path, sentences: Iterable[ConlluSentence]) -> None:
    """Write the columns of sentences that a network learns from: words, tags, heads, relations."""
    path.parent.mkdir(parents=True, exist_ok=True)
    count = write_conllu((_trimmed(sentence) for sentence in sentences), path)
    print(f"{path}: {count:,} sentences")


def _trimmed(sentence: ConlluSentence) -> ConlluSentence:
    comments = tuple(line for line in sentence.comments if line.startswith("# sent_id"))
    rows = (
        Word(form=word.form, upos=word.upos, xpos=word.xpos, head=word.head, deprel=word.deprel)
        for word in sentence.words
    )
    return ConlluSentence(tuple(rows), comments)


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("data/en"))
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.out)


if __name__ == "__main__":
    main()
