"""Train Benepar 0.2.0 over a pretrained encoder and parse the dev sentences.

Its package has the model and the loss; the loop is ours. It predicts tags beside constituents, which the parses do not
keep. Of the dev trees a sample chooses among epochs. The parses are the trees of the highest score, by its CKY.
"""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.peers.run_benepar import HYPERPARAMETERS, NEVER_BREAK, prepare, training_example
from bench.peers.training import (
    Task,
    Training,
    flat_tree,
    labelled_f1,
    read_lines,
    read_task,
    reason,
    sample,
    set_seed,
    write_result,
)

TRAINING: dict[str, Any] = {
    # Betas, eps, warm-up, no clipping and the decays are those of an older version of its training script, which was
    # for another encoder and rate; rate and batch size are what its models over pretrained encoders are said to use.
    "optimizer": "Adam",
    "lr": 5e-5,
    "betas": (0.9, 0.98),
    "eps": 1e-9,
    "warmup_steps": 160,
    "batch_size": 32,
    "clip": 0.0,
    "step_decay_factor": 0.5,
    "step_decay_patience": 5,
    "max_consecutive_decays": 3,
    # Only how a batch is cut to fit the device: the sums are the same.
    "subbatch_pieces": 4000,
    "parse_pieces": 8000,
}


class Treebank:
    """Trees as Benepar's examples, turned into its arrays once rather than at every epoch."""

    def __init__(self, parser: Any, lines: list[str]) -> None:
        self.lines = lines
        tree = importlib.import_module("nltk").Tree
        self.examples = [training_example(tree.fromstring(line)) for line in lines]
        self.encoded = [encode(parser, example) for example in self.examples]
        self.usable = [number for number, item in enumerate(self.encoded) if item is not None]

    def subbatches(self, parser: Any, numbers: list[int], pieces: int) -> Iterator[Any]:
        """Yield what Benepar's loss takes, in parts of about this many word pieces."""
        split = importlib.import_module("benepar.subbatching").split
        chosen = [self.encoded[number] for number in numbers]
        word_count = sum(len(self.examples[number].words) for number in numbers)
        for _, part in split(chosen, costs=parser._get_lens(chosen), max_cost=pieces):
            batch = parser.pad_encoded(part)
            batch["batch_size"], batch["batch_num_tokens"] = len(numbers), word_count
            yield batch


def encode(parser: Any, example: Any) -> Any:
    """Return the arrays of an example; none if it is too long for the encoder or has what training has not."""
    try:
        return parser.encode(example)
    except (KeyError, ValueError):
        return None


def build(task: Task, trees: list[Any]) -> Any:
    """Return a fresh parser with the vocabularies of the trees."""
    decoder = importlib.import_module("benepar.decode_chart").ChartDecoder
    tags = sorted({tag for tree in trees for _, tag in tree.pos()})
    hyperparameters = importlib.import_module("benepar.nkutil").HParams(
        **(HYPERPARAMETERS | {"force_root_constituent": decoder.infer_force_root_constituent(trees)}),
        pretrained_model=str(task.encoder),
    )
    return importlib.import_module("benepar.parse_chart").ChartParser(
        tag_vocab={tag: index for index, tag in enumerate(["UNK", *tags])},
        label_vocab=decoder.build_vocab(trees),
        char_vocab={},
        hparams=hyperparameters,
    )


def train(task: Task) -> tuple[Any, Training]:
    """Return the parser with the weights of its best epoch, and how the training went."""
    torch = set_seed(task.seed)
    torch.set_grad_enabled(True)
    lines = read_lines(task.train)
    tree = importlib.import_module("nltk").Tree
    parser = build(task, [tree.fromstring(line) for line in lines]).to(task.device)
    treebank = Treebank(parser, lines)
    checked = sample(read_lines(task.dev))
    task.say(f"{len(treebank.usable)} of {len(lines)} trees, {len(parser.label_vocab)} labels")
    rate = task.rate or TRAINING["lr"]
    patience = task.patience or (TRAINING["step_decay_patience"] + 1) * TRAINING["max_consecutive_decays"]
    optimizer = torch.optim.Adam(parser.parameters(), lr=rate, betas=TRAINING["betas"], eps=TRAINING["eps"])
    shuffle = random.Random(task.seed)
    size = task.batch or TRAINING["batch_size"]
    best, best_weights, best_epoch, steps, decay = -1.0, parser.state_dict(), 0, 0, 1.0
    seen, waited, epoch, is_late = 0, 0, 0, True
    curve: list[float] = []
    while time.monotonic() < task.deadline:
        epoch += 1
        parser.train()
        order = shuffle.sample(treebank.usable, len(treebank.usable))
        for start in range(0, len(order), size):
            if time.monotonic() >= task.deadline:
                break
            numbers = order[start : start + size]
            steps += 1
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, steps / TRAINING["warmup_steps"]) * decay * task.rate_factor()
            optimizer.zero_grad()
            for batch in treebank.subbatches(parser, numbers, TRAINING["subbatch_pieces"]):
                parser.compute_loss(batch).backward()
            optimizer.step()
            seen += len(numbers)
        score = labelled_f1(checked, parse(parser, checked)[0])
        curve.append(round(100 * score, 2))
        task.say(f"epoch {epoch}: {steps} steps, {100 * score:.2f} on {len(checked)} dev trees")
        waited += 1
        if score > best:
            best, best_epoch, waited = score, epoch, 0
            best_weights = {name: value.detach().clone() for name, value in parser.state_dict().items()}
        elif waited > TRAINING["step_decay_patience"]:
            decay, waited = decay * TRAINING["step_decay_factor"], 0
        if epoch - best_epoch > patience:
            is_late = False
            break
    parser.load_state_dict(best_weights)
    counts = {
        "lr": rate,
        "patience": patience,
        "batch_size": size,
        "best_epoch": best_epoch,
        "steps": steps,
        "train_trees_left_out": len(lines) - len(treebank.usable),
    }
    return parser, Training(
        ended=time.monotonic(),
        epochs=seen / max(1, len(treebank.usable)),
        ended_by=reason(task, is_late=is_late),
        curve=curve,
        settings=HYPERPARAMETERS | TRAINING | counts,
    )


def parse(parser: Any, lines: list[str]) -> tuple[list[str], int]:
    """Return the parses of the trees' words, and how many of them are flat, being too long for the encoder."""
    tree = importlib.import_module("nltk").Tree
    found = [flat_tree(line) for line in lines]
    numbers, examples = [], []
    for number, line in enumerate(lines):
        example = training_example(tree.fromstring(line))
        example.tree = None
        if encode(parser, example) is not None:
            numbers.append(number)
            examples.append(example)
    parser.eval()
    outputs = parser.parse(examples, return_compressed=True, subbatch_max_tokens=TRAINING["parse_pieces"])
    for number, example, output in zip(numbers, examples, outputs, strict=True):
        whole = output.without_predicted_tags().to_tree(example.pos(), parser.decoder.label_from_index)
        found[number] = whole.pformat(NEVER_BREAK)
    return found, len(lines) - len(numbers)


def main() -> None:
    """Train, parse and report."""
    task = read_task(__doc__)
    if task.encoder is None or not Path(task.encoder).is_dir():
        raise SystemExit("give --encoder, a transformers folder")
    prepare(task)
    parser, training = train(task)
    trees, flat = parse(parser, read_lines(task.dev))
    training.settings["dev_trees_too_long"] = flat
    write_result(
        task,
        "benepar",
        trees,
        training,
        decoding="highest score (CKY)",
        notes="its own model and loss, a loop of ours; no tags go in; best epoch on a sample of dev",
    )


if __name__ == "__main__":
    main()
