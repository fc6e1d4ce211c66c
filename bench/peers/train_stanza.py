"""Train Stanza's constituency parser by its own command and parse the dev sentences.

Words and, if given, word vectors go in; no tags, so that it needs no tagger, and no character model. Its stages (a
plain model first, then attention over words, then over labels too) share the time as its epochs do: an epoch here is a
share of the minutes, over trees drawn without order. Of the dev trees a sample chooses among epochs; its own scorer is
a Java program.
"""

from __future__ import annotations

import importlib
import logging
import math
import time
from collections.abc import Callable
from typing import Any

from bench.peers import protocol
from bench.peers.run_stanza import NO_TAG, NoScorer, prepare
from bench.peers.training import (
    Task,
    flat_tree,
    labelled_f1,
    read_lines,
    read_task,
    read_vectors,
    sample,
    set_seed,
    words_of,
    write_result,
    write_vectors,
)

EPOCHS = 30
"""Shares of the time; the published 400 epochs of 5,000 trees take hours."""

FIRST_CHECK = EPOCHS // 4
"""Before it, a parser opens the same constituent over and over, and parsing takes longer than training."""

GRACE = 20.0
"""Seconds after the end in which the last epoch is still scored."""

PUBLISHED_BATCH, PARSE_BATCH = 30, 200

Tagged = list[tuple[str, str]]


class TimeIsUpError(Exception):
    """Ends Stanza's loop over epochs."""


def train(task: Task) -> dict[str, Any]:
    """Leave the model of the best epoch in the work folder; return its command's options and its counts."""
    training = importlib.import_module("stanza.models.constituency.parser_training")
    vars(training)["EvaluateParser"] = NoScorer
    gold = sample(read_lines(task.dev))
    counts = {"trees_seen": 0, "epochs": 0}
    vars(training)["run_dev_set"] = checker(task, gold, counts)
    vars(training)["train_model_one_epoch"] = in_time(task, training, counts)
    command = importlib.import_module("stanza.models.constituency_parser")
    given = [
        *("--mode", "train", "--lang", "en", "--shorthand", "en_bench", "--no_retag", "--seed", str(task.seed)),
        *("--train_file", str(task.train), "--eval_file", str(task.dev)),
        *("--save_dir", str(task.work), "--save_name", "stanza.pt", "--no_checkpoint"),
        *("--wordvec_pretrain_file", vectors_for(task), "--tag_embedding_dim", "0"),
        *("--epochs", str(EPOCHS), "--epoch_size", "0", "--no_check_valid_states", "--no_condense_output_layers"),
        *("--train_batch_size", str(task.batch or PUBLISHED_BATCH), "--device", task.device),
    ]
    try:
        command.main(given)
    except TimeIsUpError:
        task.say("the time is up")
    options = command.parse_args(given)
    names = ("optim", "learning_rate", "train_batch_size", "hidden_size", "multistage", "word_dropout")
    return {name: options[name] for name in names} | counts


def vectors_for(task: Task) -> str:
    """Return a file of word vectors as Stanza packs them: it wants some, so without any, a few that hold nothing."""
    if task.vectors is None:
        words = sorted({word for line in read_lines(task.dev)[:100] for word in words_of(line) if word.isalpha()})
        table: Any = [[0.0, 0.0] for _ in words]
    else:
        words, table = read_vectors(task.vectors)
    text = write_vectors(words, table, task.work / "vectors.txt")
    packed = task.work / "vectors.pt"
    packed.unlink(missing_ok=True)
    importlib.import_module("stanza.models.common.pretrain").Pretrain(str(packed), vec_filename=str(text)).load()
    return str(packed)


def in_time(task: Task, training: Any, counts: dict[str, int]) -> Callable[..., Any]:
    """Return Stanza's training of one epoch, held to an even share of the time that is left."""
    train_epoch, train_batch = training.train_model_one_epoch, training.train_model_one_batch

    def train_share(epoch: int, *arguments: Any) -> Any:
        if counts["epochs"] and time.monotonic() >= task.deadline:
            raise TimeIsUpError
        if not counts["epochs"]:
            task.say("training begins")
        left = EPOCHS + 1 - epoch
        ends = time.monotonic() + max(0.0, task.deadline - time.monotonic()) / left
        # Its progress bar goes round the batches, whose order is random.
        vars(training)["tqdm"] = lambda items, **_: protocol.Until(items, ends)
        found = train_epoch(epoch, *arguments)
        counts["epochs"] = epoch
        return found

    def count_batch(epoch: int, number: int, model: Any, batch: list[Any], *arguments: Any) -> Any:
        counts["trees_seen"] += len(batch)
        return train_batch(epoch, number, model, batch, *arguments)

    vars(training)["train_model_one_batch"] = count_batch
    return train_share


def checker(task: Task, gold: list[str], counts: dict[str, int]) -> Callable[..., tuple[float, None, None]]:
    """Return what takes the place of Stanza's scoring of the dev trees: F1 on a sample, after the first epochs."""

    def check(model: Any, *_: Any, **__: Any) -> tuple[float, None, None]:
        epoch = counts["epochs"]
        if epoch < FIRST_CHECK or time.monotonic() >= task.deadline + GRACE:
            # Better than the last, so that it is kept, and worse than any score.
            return epoch * 1e-6, None, None
        score = labelled_f1(gold, parse(model, gold)[0])
        task.say(f"epoch {epoch}: {counts['trees_seen']} trees seen, {100 * score:.2f} on {len(gold)} dev trees")
        return score, None, None

    return check


def load(task: Task) -> Any:
    """Return the model that was kept."""
    trainer = importlib.import_module("stanza.models.constituency.trainer").Trainer
    cache = importlib.import_module("stanza.models.common.foundation_cache").FoundationCache()
    arguments = {
        "wordvec_pretrain_file": str(task.work / "vectors.pt"),
        "charlm_forward_file": None,
        "charlm_backward_file": None,
        "device": task.device,
    }
    return trainer.load(str(task.work / "stanza.pt"), args=arguments, foundation_cache=cache).model


def parse(model: Any, lines: list[str]) -> tuple[list[str], int]:
    """Return the parses of the trees' words, and how many of them are flat because Stanza gave none."""
    # Its reader of trees takes these escapes for brackets, so in training the words were spelled so.
    spelled = [[word.replace("-LRB-", "(").replace("-RRB-", ")") for word in words_of(line)] for line in lines]
    order = sorted(range(len(lines)), key=lambda number: -len(spelled[number]))
    found, flat = [flat_tree(line) for line in lines], 0
    for start in range(0, len(order), PARSE_BATCH):
        part = order[start : start + PARSE_BATCH]
        trees = parse_tagged(model, [[(word, NO_TAG) for word in spelled[number]] for number in part])
        for number, tree in zip(part, trees, strict=True):
            found[number], flat = (f"{tree:O}", flat) if tree is not None else (found[number], flat + 1)
    return found, flat


def parse_tagged(model: Any, sentences: list[Tagged]) -> list[Any]:
    """Return Stanza's trees; it leaves out those it can not finish, for which there is None."""
    trees: list[Any] = model.parse_tagged_words(sentences, PARSE_BATCH)
    if len(trees) == len(sentences):
        return trees
    if len(sentences) == 1:
        return [None]
    middle = math.ceil(len(sentences) / 2)
    return parse_tagged(model, sentences[:middle]) + parse_tagged(model, sentences[middle:])


def main() -> None:
    """Train, parse and report."""
    task = read_task(__doc__)
    prepare(task)
    logging.disable(logging.INFO)
    set_seed(task.seed)
    settings = train(task)
    trained = time.monotonic()
    trees, flat = parse(load(task), read_lines(task.dev))
    write_result(
        task,
        "stanza",
        trees,
        trained=trained,
        epochs=settings["trees_seen"] / len(read_lines(task.train)),
        notes="its own training in a share of its epochs; no tags, no character model; best epoch on a sample of dev",
        settings=settings | {"dev_trees_without_parse": flat},
    )


if __name__ == "__main__":
    main()
