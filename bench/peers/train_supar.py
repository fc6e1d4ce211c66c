"""Train SuPar's CRF parser with its BiLSTM, by its own `build` and `train`, and parse the dev sentences.

Words, characters and, if given, word vectors go in; no tags. Of the dev trees a sample chooses among epochs, scored by
SuPar's own metric; the rate falls as its published configuration says, and with `--anneal` to 0. The parses are those
of minimum risk, its default, and, in a second file (`.argmax`), the most probable trees of the same weights.
"""

from __future__ import annotations

import importlib
import time
from pathlib import Path
from typing import Any

from bench.peers import protocol
from bench.peers.run_supar import NEVER_BREAK, prepare
from bench.peers.supar_lstm import install
from bench.peers.supar_settings import NETWORK, TRAINING
from bench.peers.training import (
    Task,
    Training,
    read_lines,
    read_task,
    read_vectors,
    reason,
    sample,
    set_seed,
    with_asked,
    words_of,
    write_result,
    write_vectors,
)


def settings(task: Task) -> dict[str, Any]:
    """Return the published settings of training with what the task changes."""
    asked = {"batch_size": task.batch, "patience": task.patience, "lr": task.rate}
    return with_asked(TRAINING, asked)


def train(task: Task) -> tuple[Any, Training]:
    """Return the parser of the best epoch, and how the training went."""
    torch = set_seed(task.seed)
    dev, one = task.work / "dev-sample.txt", task.work / "one.txt"
    dev.write_text("\n".join(sample(read_lines(task.dev))) + "\n", encoding="utf-8")
    # It also scores test trees at every epoch, which nothing asks of us.
    one.write_text(read_lines(task.dev)[0] + "\n", encoding="utf-8")
    files = {"train": str(task.train), "dev": str(dev), "test": str(one)}
    model = task.work / "supar.model"
    model.unlink(missing_ok=True)
    parser = importlib.import_module("supar").CRFConstituencyParser.build(
        path=str(model),
        build=True,
        checkpoint=False,
        device=task.device,
        **files,
        **NETWORK,
        **settings(task),
        **vectors_for(task),
    )
    task.say(f"{len(parser.transform.CHART.vocab)} labels")
    try:
        task.say(f"a BiLSTM of fewer operations; it differs by {install(parser.model):.1e}")
    except (RuntimeError, ValueError) as error:
        task.say(f"its own BiLSTM: {error}")
    curve, whole_epochs = watch(task, parser, torch, model)
    parser.train(**files, **settings(task), verbose=False)
    training = Training(
        ended=time.monotonic(),
        epochs=sum(whole_epochs),
        ended_by=reason(task, is_late=time.monotonic() >= task.deadline),
        curve=curve,
        settings=NETWORK | settings(task),
    )
    return importlib.import_module("supar").CRFConstituencyParser.load(str(model)), training


def vectors_for(task: Task) -> dict[str, Any]:
    """Return the arguments of `build` for word vectors.

    It adds them to vectors of its own that have 100 numbers, so shorter ones are filled up with zeros.
    """
    if task.vectors is None:
        return {"embed": None, "unk": "unk"}
    words, table = read_vectors(task.vectors)
    path = write_vectors(words, table, task.work / "vectors.txt", width=NETWORK["n_embed"])
    return {"embed": str(path), "unk": "unk" if "unk" in words else None}


def watch(task: Task, parser: Any, torch: Any, model: Path) -> tuple[list[float], list[bool]]:
    """Make the parser stop in time; return the scores of the epochs and whether each was whole, lists that grow."""
    curve: list[float] = []
    whole_epochs: list[bool] = []
    train_epoch, evaluate, base = parser._train, parser._evaluate, settings(task)

    def train_in_time(loader: Any) -> None:
        if not whole_epochs and task.anneal:
            parser.scheduler = torch.optim.lr_scheduler.LambdaLR(
                parser.optimizer, lambda step: base["decay"] ** (step / base["decay_steps"]) * task.rate_factor()
            )
        # The marginals are only wanted for parsing: the loss is the same without them, in half the time.
        parser.args.mbr = False
        train_epoch(protocol.Until(loader, task.deadline))
        parser.args.mbr = True
        whole_epochs.append(time.monotonic() < task.deadline)
        if not whole_epochs[-1]:
            parser.patience = 0
            if not model.exists():
                # It saves an epoch that is better than none at all, which the first ones need not be.
                parser.save(str(model))

    def evaluate_and_tell(loader: Any) -> Any:
        loss, metric = evaluate(loader)
        if len(loader.dataset) > 1:
            curve.append(round(100 * metric.score, 2))
            task.say(f"epoch {len(curve)}: {metric}")
        return loss, metric

    parser._train, parser._evaluate = train_in_time, evaluate_and_tell
    # The state of the optimizer, twice the size of the weights, is not wanted.
    parser.save_checkpoint = parser.save
    return curve, whole_epochs


def parse(parser: Any, sentences: list[list[str]], *, minimum_risk: bool) -> list[str]:
    """Return the trees by minimum risk, SuPar's default, or the most probable ones."""
    dataset = parser.predict(sentences, batch_size=5000, mbr=minimum_risk, verbose=False)
    return [sentence.trees.pformat(NEVER_BREAK) for sentence in dataset.sentences]


def main() -> None:
    """Train, parse and report."""
    task = read_task(__doc__)
    prepare(task)
    parser, training = train(task)
    sentences = [words_of(line) for line in read_lines(task.dev)]
    for decoding, suffix in (("minimum risk", ""), ("most probable tree (CKY)", ".argmax")):
        write_result(
            task,
            "supar",
            parse(parser, sentences, minimum_risk=not suffix),
            training,
            decoding=decoding,
            notes="its own BiLSTM, characters and training; no tags; best epoch on a sample of dev",
            suffix=suffix,
        )


if __name__ == "__main__":
    main()
