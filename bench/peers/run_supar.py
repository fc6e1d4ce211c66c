"""SuPar's CRF constituency parser, trained and run by its own interface."""

from __future__ import annotations

import importlib
import logging
import time
import warnings
from typing import Any

from bench.peers import protocol
from bench.peers.protocol import Job, Placed, Words
from bench.peers.supar_settings import NETWORK, TRAINING

NEVER_BREAK = 10**9
"""A line width for NLTK that keeps a tree on one line."""


class Supar:
    """SuPar's own `predict`, from token lists to its sentences; it sorts by length and batches by tokens itself."""

    batch_unit = "tokens"

    def __init__(self, parser: Any, *, mbr: bool, device: str) -> None:
        self.parser, self.mbr = parser, mbr
        self.batches = (250, 500, 1000, 5000) if device == "cpu" else (5_000, 20_000, 50_000)

    def single(self, sentence: Words) -> str:
        return self.many([sentence], 5000)[0]

    def many(self, sentences: list[Words], batch: int) -> list[str]:
        # Its own treatment of brackets puts them back bare, so that the tree can not be read.
        escaped = [[word.replace("(", "-LRB-").replace(")", "-RRB-") for word in words] for words in sentences]
        dataset = self.parser.predict(escaped, batch_size=batch, mbr=self.mbr, verbose=False)
        return [sentence.trees.pformat(NEVER_BREAK) for sentence in dataset.sentences]


def train(job: Job) -> str:
    """Train by SuPar's own `build` and `train`, over the encoder or, without one, with its own BiLSTM.

    Its other defaults are kept.
    """
    prepare(job)
    parser = importlib.import_module("supar").CRFConstituencyParser.build(
        path=job.model,
        train=job.train,
        dev=job.dev,
        test=job.dev,
        build=True,
        checkpoint=False,
        **(_over(job.encoder) if job.encoder else NETWORK | TRAINING | {"embed": None}),
    )
    # Gone from transformers; SuPar imports it by name when it trains.
    vars(importlib.import_module("transformers"))["AdamW"] = importlib.import_module("torch").optim.AdamW
    deadline = time.monotonic() + job.train_seconds
    train_epoch = parser._train
    parser._train = lambda loader: train_epoch(protocol.Until(loader, deadline))
    parser.train(
        train=job.train,
        dev=job.dev,
        test=job.dev,
        epochs=job.epochs,
        batch_size=1000,
        update_steps=1,
        clip=5.0,
        patience=job.epochs,
        verbose=False,
    )
    return f"trained by its own code, {protocol.training_note(job, job.epochs, deadline)}"


def _over(encoder: str) -> dict[str, Any]:
    """Return what its published configuration for a pretrained encoder says."""
    return {"encoder": "bert", "bert": encoder, "feat": [], "lr": 5e-5, "lr_rate": 20, "warmup": 0.1}


def load(job: Job) -> Supar:
    """Load the model by SuPar's own `load`."""
    prepare(job)
    parser = importlib.import_module("supar").CRFConstituencyParser.load(job.model)
    return Supar(parser, mbr=bool(job.settings.get("mbr", True)), device=job.device)


def prepare(job: Placed) -> None:
    """Apply what SuPar 1.1.4 needs to run on current versions."""
    protocol.hide_devices(job)
    torch = protocol.set_threads(job)
    protocol.trust_own_pickles(torch)
    importlib.import_module("supar.utils.logging")
    logging.disable(logging.INFO)
    warnings.filterwarnings("ignore", message="Using a non-tuple sequence")
    # Its progress bars write to stderr for each call, which costs more than parsing one short sentence.
    silence_bars()


def silence_bars() -> None:
    """Replace SuPar's progress bar by the plain iterable, wherever it was imported to."""

    class Silent:
        def __init__(self, iterable: Any, **_: Any) -> None:
            self.iterable, self.postfix = iterable, ""

        def __iter__(self) -> Any:
            return iter(self.iterable)

        def __len__(self) -> int:
            return len(self.iterable)

        def set_postfix_str(self, text: str, **_: Any) -> None:
            self.postfix = text

    for name in ("utils.logging", "utils.transform", "parsers.const", "parsers.dep", "parsers.parser"):
        module = importlib.import_module(f"supar.{name}")
        if hasattr(module, "progress_bar"):
            vars(module)["progress_bar"] = Silent


if __name__ == "__main__":
    protocol.main(train=train, load=load, distributions=("supar",))
