"""Benepar 0.2.0. Its package has the model and the loss but no training loop, so a short loop of ours trains it."""

from __future__ import annotations

import importlib
import random
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bench.peers import protocol
from bench.peers.protocol import Job, Placed, Words

NEVER_BREAK = 10**9
"""A line width for NLTK that keeps a tree on one line."""

HYPERPARAMETERS: dict[str, Any] = {
    # Those of its published pretrained-encoder models.
    "d_model": 1024,
    "num_layers": 2,
    "num_heads": 8,
    "d_kv": 64,
    "d_ff": 2048,
    "d_label_hidden": 256,
    "d_tag_hidden": 256,
    "tag_loss_scale": 5.0,
    "attention_dropout": 0.2,
    "relu_dropout": 0.1,
    "residual_dropout": 0.2,
    "morpho_emb_dropout": 0.2,
    "encoder_max_len": 512,
    "use_chars_lstm": False,
    "use_pretrained": True,
    "use_encoder": True,
    "predict_tags": True,
    "force_root_constituent": True,
}


class Benepar:
    """Benepar's NLTK interface for one sentence; for many, its own sub-batches, as its spaCy part does."""

    batch_unit = "word pieces"

    def __init__(self, parser: Any, input_sentence: Any, *, device: str) -> None:
        self.parser, self.input_sentence = parser, input_sentence
        self.batches = (250, 500, 1000, 2000) if device == "cpu" else (2_000, 8_000, 32_000)

    def single(self, sentence: Words) -> str:
        return str(self.parser.parse(self.input_sentence(words=sentence)).pformat(NEVER_BREAK))

    def many(self, sentences: list[Words], batch: int) -> list[str]:
        chart_parser = self.parser._parser
        inputs = [self.parser._with_missing_fields_filled(self.input_sentence(words=words)) for words in sentences]
        outputs = chart_parser.parse(inputs, return_compressed=True, subbatch_max_tokens=batch)
        labels, tags = chart_parser.decoder.label_from_index, chart_parser.tag_from_index
        trees = (output.to_tree(given.pos(), labels, tags) for given, output in zip(inputs, outputs, strict=True))
        return [tree.pformat(NEVER_BREAK) for tree in trees]


def train(job: Job) -> str:
    """Train by Benepar's own loss, in batches of 32 sentences, and save as its own training script does."""
    torch = prepare(job)
    torch.set_grad_enabled(True)
    trees = read_trees(Path(job.train))
    decode_chart = importlib.import_module("benepar.decode_chart")
    tags = sorted({tag for tree in trees for _, tag in tree.pos()})
    hyperparameters = importlib.import_module("benepar.nkutil").HParams(**HYPERPARAMETERS, pretrained_model=job.encoder)
    parser = importlib.import_module("benepar.parse_chart").ChartParser(
        tag_vocab={tag: index for index, tag in enumerate(["UNK", *tags])},
        label_vocab=decode_chart.ChartDecoder.build_vocab(trees),
        char_vocab={},
        hparams=hyperparameters,
    )
    parser.to(job.device).train()
    examples = [training_example(tree) for tree in trees]
    optimizer = torch.optim.AdamW(parser.parameters(), lr=1e-4)
    shuffle = random.Random(0)
    deadline = time.monotonic() + job.train_seconds
    for _ in range(job.epochs):
        shuffle.shuffle(examples)
        for start in protocol.Until(range(0, len(examples), 32), deadline):
            optimizer.zero_grad()
            for _, batch in parser.encode_and_collate_subbatches(examples[start : start + 32], 500):
                parser.compute_loss(batch).backward()
            torch.nn.utils.clip_grad_norm_(parser.parameters(), 1.0)
            optimizer.step()
    torch.save({"config": parser.config, "state_dict": parser.state_dict()}, job.model)
    note = protocol.training_note(job, job.epochs, deadline)
    return f"no training loop in its package: its own loss in a loop of ours, {note}"


def load(job: Job) -> Benepar:
    """Load the model by Benepar's NLTK interface."""
    prepare(job)
    benepar = importlib.import_module("benepar")
    return Benepar(
        benepar.Parser(job.model, batch_size=1, language_code="en"), benepar.InputSentence, device=job.device
    )


def prepare(job: Placed) -> Any:
    """Return torch, with what Benepar 0.2.0 needs to run on current versions."""
    protocol.hide_devices(job)
    torch = protocol.set_threads(job)
    protocol.trust_own_pickles(torch)
    tokenizers = importlib.import_module("transformers").PreTrainedTokenizerFast
    if not hasattr(tokenizers, "build_inputs_with_special_tokens"):
        # Gone from transformers 5. Benepar only asks where one word piece ends up among the special ones.
        tokenizers.build_inputs_with_special_tokens = with_special_tokens
    return torch


def with_special_tokens(tokenizer: Any, ids: list[int]) -> list[int]:
    """Return the ids between the special ones that the tokenizer puts around a text."""
    text_id = tokenizer.convert_tokens_to_ids("a")
    around: list[int] = tokenizer("a")["input_ids"]
    place = around.index(text_id)
    return [*around[:place], *ids, *around[place + 1 :]]


def read_trees(path: Path) -> list[Any]:
    """Return the NLTK trees of a file with one tree per line."""
    nltk = importlib.import_module("nltk")
    return [nltk.Tree.fromstring(line) for line in path.read_text(encoding="utf-8").splitlines()]


def training_example(tree: Any) -> SimpleNamespace:
    """Return the tree with what Benepar's loss asks of an example."""
    unescape = importlib.import_module("benepar.ptb_unescape")
    leaves = tree.leaves()
    return SimpleNamespace(
        words=unescape.ptb_unescape(leaves), space_after=unescape.guess_space_after(leaves), tree=tree, pos=tree.pos
    )


if __name__ == "__main__":
    protocol.main(train=train, load=load, distributions=("benepar",))
