"""Keys that a configuration leaves to the size of its treebanks: length of the run, batch, warm-up, evaluations.

They are settled once, when a run starts. What it is trained with is then in its configuration, number by number.
"""

from __future__ import annotations

import dataclasses
import math

from spanlin.config.training import TrainingConfig

# A network learns by steps, so small treebanks get small batches. Below some hundred tokens a batch teaches noise;
# beyond some thousand, it only saves time.
_BATCHES_PER_EPOCH = 50
_SMALLEST_BATCH, _LARGEST_BATCH = 250, 5500
# A pretrained encoder is there after a few passes, and soon learns its trees by heart.
_EPOCHS, _LEAST_STEPS = 48, 1200
_PRETRAINED_EPOCHS, _LEAST_PRETRAINED_STEPS = 15, 400
_WARM_UP_SHARE = 0.05
_EVALUATIONS = 12


def settle(config: TrainingConfig, *, tokens: int, processes: int = 1) -> TrainingConfig:
    """Return a configuration in which every key left to the size of the treebanks has its number.

    `tokens` is how many words an epoch passes over; each of `processes` adds a batch to every step.
    """
    batch_tokens = config.batch.tokens or _batch_tokens(tokens)
    steps = math.ceil(math.ceil(tokens / batch_tokens) / (config.batch.accumulate * processes))
    epochs = config.epochs or _epochs(config, steps)
    warm_up = config.optimizer.warm_up_steps or max(1, round(_WARM_UP_SHARE * steps * epochs))
    return dataclasses.replace(
        config,
        epochs=epochs,
        evaluate_every=config.evaluate_every or math.ceil(epochs / _EVALUATIONS),
        batch=dataclasses.replace(config.batch, tokens=batch_tokens),
        optimizer=dataclasses.replace(config.optimizer, warm_up_steps=warm_up),
    )


def settle_as(config: TrainingConfig, settled: TrainingConfig) -> TrainingConfig:
    """Return a configuration whose keys left to the size of the treebanks have the numbers of a settled one."""
    return dataclasses.replace(
        config,
        epochs=config.epochs or settled.epochs,
        evaluate_every=config.evaluate_every or settled.evaluate_every,
        batch=dataclasses.replace(config.batch, tokens=config.batch.tokens or settled.batch.tokens),
        optimizer=dataclasses.replace(
            config.optimizer,
            warm_up_steps=config.optimizer.warm_up_steps or settled.optimizer.warm_up_steps,
        ),
    )


def is_settled(config: TrainingConfig) -> bool:
    """Return whether every key has its number."""
    return all((config.epochs, config.evaluate_every, config.batch.tokens, config.optimizer.warm_up_steps))


def _batch_tokens(tokens: int) -> int:
    whole = round(tokens / _BATCHES_PER_EPOCH, -1)
    return int(min(max(whole, _SMALLEST_BATCH), _LARGEST_BATCH))


def _epochs(config: TrainingConfig, steps_per_epoch: int) -> int:
    pretrained = config.network.input == "pretrained"
    passes = _PRETRAINED_EPOCHS if pretrained else _EPOCHS
    least = _LEAST_PRETRAINED_STEPS if pretrained else _LEAST_STEPS
    return max(passes, math.ceil(least / steps_per_epoch))
