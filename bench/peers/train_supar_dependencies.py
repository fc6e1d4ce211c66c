"""Train SuPar's biaffine dependency parser over a pretrained encoder, by its own `build` and `train`.

Words go in, no tags. All dev files together choose among epochs, scored by SuPar's own metric with punctuation. Trees
are its default ones: each word's best head, and the best tree by its spanning-tree decoder where those are none.
"""

from __future__ import annotations

import functools
import importlib
import time
from pathlib import Path
from typing import Any

from bench.peers import protocol
from bench.peers.dependency_training import (
    Arcs,
    DependencyTask,
    Words,
    add_rate,
    forms,
    read_task,
    sentence_lines,
    write_plain,
    write_result,
)
from bench.peers.run_supar import prepare
from bench.peers.training import set_seed, with_asked

NETWORK: dict[str, Any] = {
    # The defaults of its classes.
    "n_bert_layers": 4,
    "mix_dropout": 0.0,
    "bert_pooling": "mean",
    "encoder_dropout": 0.33,
    "n_arc_mlp": 500,
    "n_rel_mlp": 100,
    "mlp_dropout": 0.33,
    "scale": 0,
    "min_freq": 2,
    "fix_len": 20,
}

TRAINING: dict[str, Any] = {
    # What its EXAMPLES.md gives for finetuning, but each 5,000 words are one batch rather than four added up.
    "lr": 5e-5,
    "lr_rate": 20,
    "warmup": 0.1,
    "clip": 5.0,
    "batch_size": 5000,
    "update_steps": 1,
    "epochs": 10,
}


def settings(task: DependencyTask) -> dict[str, Any]:
    """Return the published settings with what the task changes."""
    asked = {"lr": task.rate, "batch_size": task.batch, "epochs": task.epochs}
    return with_asked(TRAINING, asked)


def train(task: DependencyTask) -> tuple[Any, int]:
    """Return the parser of the best epoch, and how many whole epochs there were."""
    torch = set_seed(task.seed)
    model = model_path(task)
    model.unlink(missing_ok=True)
    dev = write_plain(task.dev.values(), task.work / "dev.conllu")
    # It also scores test sentences at every epoch, which nothing asks of us.
    one = task.work / "one.conllu"
    one.write_text("\n".join(next(sentence_lines(dev))) + "\n\n", encoding="utf-8")
    files = {"train": str(write_plain(task.train, task.work / "train.conllu")), "dev": str(dev), "test": str(one)}
    parser = importlib.import_module("supar").BiaffineDependencyParser.build(
        path=str(model),
        build=True,
        checkpoint=False,
        encoder="bert",
        bert=str(task.encoder),
        feat=[],
        **files,
        **NETWORK,
    )
    # Gone from transformers, whose defaults were other than torch's; fused: one kernel for each weight.
    vars(importlib.import_module("transformers"))["AdamW"] = functools.partial(
        torch.optim.AdamW, eps=1e-6, weight_decay=0.0, fused=task.device != "cpu"
    )
    counts = watch(task, parser, model)
    chosen = settings(task)
    parser.train(**files, **chosen, patience=chosen["epochs"], punct=True, verbose=False)
    return load(task), counts[0]


def watch(task: DependencyTask, parser: Any, model: Path) -> list[int]:
    """Make the parser stop in time and report each epoch; return the count of whole epochs, which grows."""
    counts = [0]
    train_epoch, evaluate = parser._train, parser._evaluate

    def train_in_time(loader: Any) -> None:
        train_epoch(protocol.Until(loader, task.deadline))
        counts[0] += not task.is_late
        if task.is_late:
            parser.patience = 0
            if not model.exists():
                parser.save(str(model))

    def evaluate_and_tell(loader: Any) -> Any:
        loss, metric = evaluate(loader)
        if len(loader.dataset) > 1:
            task.say(f"epoch {counts[0]}: {metric}")
        return loss, metric

    parser._train, parser._evaluate = train_in_time, evaluate_and_tell
    # The state of the optimizer, twice the size of the weights, is not wanted.
    parser.save_checkpoint = parser.save
    return counts


def model_path(task: DependencyTask) -> Path:
    """Return where the parser is kept."""
    return task.work / "supar.model"


def load(task: DependencyTask) -> Any:
    """Return the parser that was kept."""
    return importlib.import_module("supar").BiaffineDependencyParser.load(str(model_path(task)))


def parse(parser: Any, sentences: list[Words], batch: int) -> list[Arcs]:
    """Return the arcs of each sentence by SuPar's own `predict`."""
    dataset = parser.predict(sentences, batch_size=batch, tree=True, proj=False, verbose=False)
    return [list(zip(sentence.arcs, sentence.rels, strict=True)) for sentence in dataset.sentences]


def main() -> None:
    """Train, parse and report, or measure."""
    task = read_task(__doc__)
    if task.encoder is None or not task.encoder.is_dir():
        raise SystemExit("give --encoder, a transformers folder")
    prepare(task)
    if task.measure:
        parser = load(task)
        add_rate(task, lambda sentences, batch: parse(parser, sentences, batch))
        return
    parser, epochs = train(task)
    trained = time.monotonic()
    write_result(
        task,
        "supar",
        {name: parse(parser, forms(path), TRAINING["batch_size"]) for name, path in task.dev.items()},
        trained=trained,
        epochs=epochs,
        is_cut=epochs < settings(task)["epochs"],
        notes="its own training; no tags; best epoch on all dev files; single-root trees",
        settings=NETWORK | settings(task),
    )


if __name__ == "__main__":
    main()
