"""Train Stanza's biaffine dependency parser by its own loop, with word vectors or over a pretrained encoder.

Words, characters and, if given, word vectors (`--vectors`) or an encoder that is finetuned (`--encoder`) go in. It
reads tags, features and lemmas, too, if there are any; here there are none, and no character model. All dev files
together choose among its evaluations, by its own scorer. It has two stages with different optimizers; the second
begins after 60% of the minutes unless its own rule has begun it before.
"""

from __future__ import annotations

import importlib
import logging
import time
from pathlib import Path
from typing import Any

from bench.peers.dependency_training import (
    Arcs,
    DependencyTask,
    Words,
    add_rate,
    forms,
    read_task,
    write_plain,
    write_result,
)
from bench.peers.run_stanza import prepare
from bench.peers.training import read_vectors, set_seed, write_vectors

FIRST_STAGE = 0.6
"""Share of the minutes after which the second optimizer takes over at the latest."""

_SHOWN = (
    *("optim", "lr", "second_optim", "second_lr", "batch_size", "max_steps", "max_steps_before_stop", "eval_interval"),
    *("hidden_dim", "num_layers", "dropout", "word_dropout", "tag_emb_dim", "bert_finetune", "bert_learning_rate"),
)


class TimeIsUpError(Exception):
    """Ends Stanza's loop."""


def options(task: DependencyTask) -> dict[str, Any]:
    """Return the options of Stanza's command: its defaults, but no tags."""
    given = [
        *("--mode", "train", "--lang", "en", "--shorthand", "en_bench", "--seed", str(task.seed)),
        *("--train_file", str(task.work / "train.conllu"), "--eval_file", str(task.work / "dev.conllu")),
        *("--save_dir", str(task.work), "--save_name", "stanza.pt", "--no_checkpoint", "--device", task.device),
        *("--tag_emb_dim", "0"),
        *(("--wordvec_pretrain_file", str(task.work / "vectors.pt")) if task.vectors else ("--no_pretrain",)),
        *(("--bert_model", str(task.encoder), "--bert_finetune") if task.encoder else ()),
        *(("--batch_size", str(task.batch)) if task.batch else ()),
        *(("--lr", str(task.rate)) if task.rate else ()),
    ]
    found: dict[str, Any] = importlib.import_module("stanza.models.parser").parse_args(given)
    return found


def train(task: DependencyTask) -> tuple[dict[str, Any], dict[str, Any], bool]:
    """Leave the model of the best evaluation in the work folder; return options, counts and if time ran out."""
    command = importlib.import_module("stanza.models.parser")
    write_plain(task.train, task.work / "train.conllu")
    write_plain(task.dev.values(), task.work / "dev.conllu")
    pack_vectors(task)
    arguments = options(task)
    model_path(task).unlink(missing_ok=True)
    counts = watch(task, command, arguments)
    try:
        command.train(arguments)
    except TimeIsUpError:
        task.say("the time is up")
        return arguments, counts, True
    return arguments, counts, False


def pack_vectors(task: DependencyTask) -> None:
    """Write the word vectors as Stanza packs them."""
    if task.vectors is None:
        return
    text = write_vectors(*read_vectors(task.vectors), task.work / "vectors.txt")
    packed = task.work / "vectors.pt"
    packed.unlink(missing_ok=True)
    importlib.import_module("stanza.models.common.pretrain").Pretrain(str(packed), vec_filename=str(text)).load()


def watch(task: DependencyTask, command: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Make the loop end in time and report each evaluation; return counts, which grow."""
    counts: dict[str, Any] = {"steps": 0, "sentences_seen": 0, "second_stage_from_step": 0, "best_dev_las": 0.0}
    trainer = importlib.import_module("stanza.models.depparse.trainer").Trainer
    update, score = trainer.update, command.scorer.score
    switch = task.started + 60 * task.minutes * FIRST_STAGE

    def update_in_time(self: Any, batch: Any, *, eval: bool = False) -> Any:
        if task.is_late:
            if not model_path(task).exists():
                self.save(str(model_path(task)))
            raise TimeIsUpError
        counts["steps"] += 1
        counts["sentences_seen"] += len(batch[0])
        if arguments.get("second_stage"):
            counts["second_stage_from_step"] = counts["second_stage_from_step"] or counts["steps"]
        elif time.monotonic() >= switch and model_path(task).exists():
            # Stanza looks at this number after each step.
            arguments["second_optim_start_step"] = counts["steps"]
        return update(self, batch, eval=eval)

    def score_and_tell(*given: Any, **named: Any) -> Any:
        found = score(*given, **named)
        counts["best_dev_las"] = max(counts["best_dev_las"], 100 * found[-1])
        task.say(f"step {counts['steps']}: {100 * found[-1]:.2f} on dev")
        return found

    trainer.update = update_in_time
    command.scorer.score = score_and_tell
    return counts


def model_path(task: DependencyTask) -> Path:
    """Return where the parser is kept."""
    return task.work / "stanza.pt"


class Parser:
    """The model that was kept, from words to arcs as Stanza's pipeline makes them."""

    def __init__(self, task: DependencyTask) -> None:
        vectors = task.work / "vectors.pt"
        pretrain = importlib.import_module("stanza.models.common.pretrain").Pretrain
        self.vectors = pretrain(str(vectors)) if task.vectors else None
        trainer = importlib.import_module("stanza.models.depparse.trainer").Trainer
        self.trainer = trainer.load(str(model_path(task)), self.vectors, device=task.device)
        self.document = importlib.import_module("stanza.models.common.doc").Document
        self.loader = importlib.import_module("stanza.models.depparse.data").DataLoader
        self.predict = importlib.import_module("stanza.models.depparse.utils").predict_dataset

    def parse(self, sentences: list[Words], batch: int) -> list[Arcs]:
        """Return the arcs of each sentence."""
        tokens = [[{"id": (n,), "text": word} for n, word in enumerate(words, 1)] for words in sentences]
        batches = self.loader(
            self.document(tokens),
            batch,
            self.trainer.args,
            self.vectors,
            vocab=self.trainer.vocab,
            evaluation=True,
            sort_during_eval=True,
        )
        return [[(int(head), relation) for head, relation in arcs] for arcs in self.predict(self.trainer, batches)]


def main() -> None:
    """Train, parse and report, or measure."""
    task = read_task(__doc__)
    prepare(task)
    logging.disable(logging.INFO)
    if task.measure:
        add_rate(task, Parser(task).parse)
        return
    set_seed(task.seed)
    arguments, counts, is_cut = train(task)
    trained = time.monotonic()
    parser = Parser(task)
    write_result(
        task,
        "stanza",
        {name: parser.parse(forms(path), arguments["batch_size"]) for name, path in task.dev.items()},
        trained=trained,
        epochs=counts["sentences_seen"] / max(1, sum(len(forms(path)) for path in task.train)),
        is_cut=is_cut,
        notes="its own training; no tags, features, lemmas or character model; best evaluation on all dev files",
        settings={name: arguments[name] for name in _SHOWN} | counts,
    )


if __name__ == "__main__":
    main()
