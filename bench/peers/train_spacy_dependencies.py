"""Train spaCy's transition-based dependency parser from scratch, by its own config and its own loop.

The config is what `spacy init config --pipeline parser --optimize efficiency` writes: hashed embeddings of words and
affixes under four convolutions, no word vectors. Words go in, no tags, and each sentence is a `Doc` of its own. All dev
files together choose among its evaluations, by its own scorer, which leaves out punctuation; its patience ends the
training. Crossing arcs are learned and put back by its own pseudo-projective transformation.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.peers.dependency_training import (
    Arcs,
    DependencyTask,
    Words,
    add_rate,
    arcs_of,
    forms,
    read_task,
    write_result,
)

PIPELINE = {"lang": "en", "pipeline": ["parser"], "optimize": "efficiency", "gpu": False}
ROOT = "ROOT"
"""What spaCy calls the relation of a root."""

WORDS_A_SENTENCE = 12
"""About as many as ewt has: spaCy counts a batch in sentences."""

_SHOWN = ("patience", "max_steps", "max_epochs", "eval_frequency", "dropout", "optimizer", "batcher", "score_weights")


class TimeIsUpError(Exception):
    """Ends spaCy's loop."""


def as_doc(vocab: Any, words: Words, arcs: Arcs) -> Any:
    """Return a sentence as spaCy has it: heads count from 0, and that of the root is the root itself."""
    heads = [head - 1 if head else number for number, (head, _) in enumerate(arcs)]
    relations = [relation if head else ROOT for head, relation in arcs]
    return importlib.import_module("spacy.tokens").Doc(vocab, words=words, heads=heads, deps=relations)


def as_arcs(doc: Any) -> Arcs:
    """Return the heads, from 1, and relations of a parsed sentence."""
    arcs = [(token.head.i + 1, token.dep_) if token.head.i != token.i else (0, "root") for token in doc]
    if sum(head == 0 for head, _ in arcs) != 1:
        raise ValueError(f"not one root in {doc.text[:80]!r}")
    return arcs


def write_docs(paths: Iterable[Path], out: Path) -> Path:
    """Write the words, heads and relations of all files in spaCy's binary format, one `Doc` for each sentence."""
    vocab = importlib.import_module("spacy").blank(PIPELINE["lang"]).vocab
    docs = (
        as_doc(vocab, words, arcs) for path in paths for words, arcs in zip(forms(path), arcs_of(path), strict=True)
    )
    importlib.import_module("spacy.tokens").DocBin(docs=docs).to_disk(out)
    return out


def config_of(task: DependencyTask) -> Any:
    """Return spaCy's own config with the files, the seed and what the task changes."""
    config = importlib.import_module("spacy.cli.init_config").init_config(**PIPELINE)
    config["paths"] |= {
        "train": str(write_docs(task.train, task.work / "train.spacy")),
        "dev": str(write_docs(task.dev.values(), task.work / "dev.spacy")),
    }
    for part in ("train", "dev"):
        config["corpora"][part]["gold_preproc"] = True  # the treebank's words, not those of spaCy's tokenizer
    config["system"]["seed"] = task.seed
    training = config["training"]
    training["max_epochs"] = task.epochs
    training["logger"] = {"@loggers": "bench.told.v1"}
    training["before_update"] = {"@callbacks": "bench.in_time.v1"}
    if task.batch:
        training["batcher"]["size"] = task.batch
    if task.rate:
        training["optimizer"]["learn_rate"] = task.rate
    return config


def train(task: DependencyTask) -> tuple[dict[str, Any], dict[str, Any], bool]:
    """Leave the model of the best evaluation in the work folder; return the settings, counts and if time ran out."""
    counts = watch(task)
    config = config_of(task)
    nlp = importlib.import_module("spacy.training.initialize").init_nlp(config)
    settings = {name: nlp.config.interpolate()["training"][name] for name in _SHOWN}
    try:
        importlib.import_module("spacy.training.loop").train(nlp, task.work)
    except TimeIsUpError:
        task.say("the time is up")
        return settings, counts, True
    return settings, counts, False


def watch(task: DependencyTask) -> dict[str, Any]:
    """Give spaCy's registry what ends its loop in time and reports each evaluation; return counts, which grow."""
    counts: dict[str, Any] = {"steps": 0, "words_seen": 0, "best_step": 0, "best_score": 0.0, "curve": {}}
    registry = importlib.import_module("spacy.util").registry

    def told() -> Callable[..., tuple[Callable[[dict[str, Any] | None], None], Callable[[], None]]]:
        def tell(info: dict[str, Any] | None) -> None:
            if info is None:
                return
            counts["steps"], counts["words_seen"] = info["step"], info["words"]
            score = 100 * info["score"]
            counts["curve"][str(info["step"])] = round(score, 2)
            if score > counts["best_score"]:
                counts["best_step"], counts["best_score"] = info["step"], round(score, 2)
            task.say(f"step {info['step']}: {score:.2f} on dev, {time.process_time():.0f} s of processor time")

        return lambda *_: (tell, lambda: None)

    def in_time() -> Callable[[Any, dict[str, Any]], None]:
        def check(*_: Any) -> None:
            if task.is_late:
                raise TimeIsUpError

        return check

    registry.loggers("bench.told.v1", func=told)
    registry.callbacks("bench.in_time.v1", func=in_time)
    return counts


class Parser:
    """The model that was kept, from words to arcs."""

    def __init__(self, task: DependencyTask) -> None:
        folders = (task.work / "model-best", task.work / "model-last")  # spaCy's names; no best one before it evaluates
        self.nlp = importlib.import_module("spacy").load(next(folder for folder in folders if folder.exists()))
        self.doc = importlib.import_module("spacy.tokens").Doc

    def docs(self, sentences: list[Words]) -> Iterator[Any]:
        """Yield each sentence in which no other can begin: spaCy's parser finds sentences, too, where it may."""
        for words in sentences:
            yield self.doc(self.nlp.vocab, words=words, sent_starts=[True] + [False] * (len(words) - 1))

    def parse(self, sentences: list[Words], batch: int) -> list[Arcs]:
        """Return the arcs of each sentence by spaCy's own `pipe`, with about so many words a batch."""
        size = max(1, batch // WORDS_A_SENTENCE)
        return [as_arcs(doc) for doc in self.nlp.pipe(self.docs(sentences), batch_size=size)]


def main() -> None:
    """Train, parse and report, or measure."""
    task = read_task(__doc__)
    if task.measure:
        add_rate(task, Parser(task).parse)
        return
    settings, counts, is_cut = train(task)
    trained = time.monotonic()
    counts["processor_minutes"] = round(time.process_time() / 60, 2)
    parser = Parser(task)
    write_result(
        task,
        "spacy",
        {name: parser.parse(forms(path), 1000 * WORDS_A_SENTENCE) for name, path in task.dev.items()},
        trained=trained,
        epochs=counts["words_seen"] / max(1, sum(len(words) for path in task.train for words in forms(path))),
        is_cut=is_cut,
        notes="its own config and training; no tags or word vectors; best evaluation on all dev files",
        settings=settings | counts,
    )


if __name__ == "__main__":
    main()
