"""Stanza's constituency parser, trained by its own command; without tags, so that it needs no tagger before it."""

from __future__ import annotations

import importlib
import itertools
import logging
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.peers import protocol
from bench.peers.protocol import Job, Placed, Words

NO_TAG = "X"


class Stanza:
    """What Stanza's pipeline does for its constituency processor: longest first, batches by sentences."""

    batch_unit = "sentences"

    def __init__(self, model: Any, *, device: str) -> None:
        self.model = model
        self.batches = (10, 25, 50, 100) if device == "cpu" else (50, 200, 1000)

    def single(self, sentence: Words) -> str:
        return self.many([sentence], 1)[0]

    def many(self, sentences: list[Words], batch: int) -> list[str]:
        order = sorted(range(len(sentences)), key=lambda index: -len(sentences[index]))
        tagged = [[(word, NO_TAG) for word in sentences[index]] for index in order]
        found = [""] * len(sentences)
        for index, tree in zip(order, self.model.parse_tagged_words(tagged, batch), strict=True):
            found[index] = f"{tree:O}"
        return found


class NoScorer:
    """Stands for the Java scorer that Stanza keeps open while it trains."""

    def __init__(self, **_: Any) -> None:
        pass

    def __enter__(self) -> NoScorer:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def train(job: Job) -> str:
    """Train by Stanza's own command; no character model, no word vectors, for neither can be had offline."""
    prepare(job)
    training = importlib.import_module("stanza.models.constituency.parser_training")
    vars(training)["EvaluateParser"] = NoScorer
    # Every epoch counts as better than the last: parsing the dev trees while it knows little would take the longest.
    epochs_done = itertools.count(1)
    vars(training)["run_dev_set"] = lambda *_, **__: (float(next(epochs_done)), None, None)
    deadline = time.monotonic() + job.train_seconds
    vars(training)["train_model_one_batch"] = until(deadline, training)
    command = importlib.import_module("stanza.models.constituency_parser")
    # It learns from each decision by itself, and with few epochs opens the same constituent over and over.
    epochs = 4 * job.epochs
    folder, name = str(Path(job.model).parent), Path(job.model).name
    command.main(
        [
            *("--mode", "train", "--lang", "en", "--shorthand", "en_bench", "--no_retag"),
            *("--train_file", job.train, "--eval_file", job.dev, "--save_dir", folder, "--save_name", name),
            *("--bert_model", job.encoder, "--bert_finetune", "--tag_embedding_dim", "0"),
            *("--epochs", str(epochs), "--no_checkpoint", "--epoch_size", "0", "--no_check_valid_states"),
            *("--device", job.device, "--wordvec_pretrain_file", write_stub_vectors(job)),
        ]
    )
    note = protocol.training_note(job, epochs, deadline)
    return f"trained by its own code, {note}; no character model, word vectors or tags"


def until(deadline: float, training: Any) -> Callable[..., Any]:
    """Return what learns from a batch, and from none once the deadline has passed."""
    train_batch = training.train_model_one_batch

    def train_or_not(*arguments: Any, **options: Any) -> Any:
        if time.monotonic() < deadline:
            return train_batch(*arguments, **options)
        # One batch that is not a number: Stanza takes no step after it.
        return training.EpochStats(0.0, Counter(), Counter(), Counter(), 0, 1)

    return train_or_not


def write_stub_vectors(job: Job) -> str:
    """Return a file of word vectors that hold nothing: Stanza wants some, and none can be had offline."""
    words = {word for sentence in protocol.read_sentences(job.dev_sentences) for word in sentence if word.isalpha()}
    text = Path(f"{job.model}.vectors.txt")
    text.write_text("".join(f"{word} 0.0 0.0\n" for word in sorted(words)), encoding="utf-8")
    packed = Path(f"{job.model}.vectors.pt")
    packed.unlink(missing_ok=True)
    importlib.import_module("stanza.models.common.pretrain").Pretrain(str(packed), vec_filename=str(text)).load()
    return str(packed)


def load(job: Job) -> Stanza:
    """Load the model as Stanza's constituency processor does."""
    prepare(job)
    trainer = importlib.import_module("stanza.models.constituency.trainer").Trainer
    cache = importlib.import_module("stanza.models.common.foundation_cache").FoundationCache()
    arguments = {
        "wordvec_pretrain_file": f"{job.model}.vectors.pt",
        "charlm_forward_file": None,
        "charlm_backward_file": None,
        "device": job.device,
    }
    model = trainer.load(job.model, args=arguments, foundation_cache=cache).model
    model.eval()
    return Stanza(model, device=job.device)


def prepare(job: Placed) -> None:
    """Hold Stanza to the job's device and threads, and keep it quiet."""
    protocol.hide_devices(job)
    protocol.set_threads(job)
    importlib.import_module("stanza")
    logging.disable(logging.INFO)


if __name__ == "__main__":
    protocol.main(train=train, load=load, distributions=("stanza", "transformers"))
