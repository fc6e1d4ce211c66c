"""Keys that a configuration leaves to the size of its treebanks: those of the run's length, and of the network's size.

They are settled once, when a run starts. What it is trained with is then in its configuration, number by number.
"""

from __future__ import annotations

import math
from dataclasses import replace

from spanlin.config.network import ContextConfig
from spanlin.config.training import TrainingConfig

# A network learns by steps, so small treebanks get small batches. Below some hundred tokens a batch teaches noise;
# beyond some thousand, it only saves time.
_BATCHES_PER_EPOCH = 120
_SMALLEST_BATCH, _LARGEST_BATCH = 200, 5500
# Passes over the treebanks: more where these are small.
_TOKENS_IN_ALL = 15_000_000
_FEWEST_EPOCHS, _MOST_EPOCHS, _LEAST_STEPS = 48, 80, 1200
# A pretrained encoder is there after a few passes, and soon learns its trees by heart.
_PRETRAINED_EPOCHS, _LEAST_PRETRAINED_STEPS = 15, 400
_WARM_UP_SHARE = 0.05
_EVALUATIONS = 8
# From so many tokens on, a larger network learns more.
_LARGE = 20_000


def settle(config: TrainingConfig, *, tokens: int, processes: int = 1) -> TrainingConfig:
    """Return a configuration in which every key left to the size of the treebanks has its number.

    `tokens` is how many words an epoch passes over; each of `processes` adds a batch to every step.
    """
    batch_tokens = config.batch.tokens or _batch_tokens(tokens)
    steps = math.ceil(math.ceil(tokens / batch_tokens) / (config.batch.accumulate * processes))
    epochs = config.epochs or _epochs(config, tokens, steps)
    return _fill(
        config,
        context=_context(config, tokens),
        epochs=epochs,
        evaluate_every=math.ceil(epochs / _EVALUATIONS),
        batch_tokens=batch_tokens,
        warm_up_steps=max(1, round(_WARM_UP_SHARE * steps * epochs)),
    )


def settle_as(config: TrainingConfig, settled: TrainingConfig) -> TrainingConfig:
    """Return a configuration whose keys left to the size of the treebanks have the numbers of a settled one."""
    return _fill(
        config,
        context=settled.network.context,
        epochs=settled.epochs,
        evaluate_every=settled.evaluate_every,
        batch_tokens=settled.batch.tokens,
        warm_up_steps=settled.optimizer.warm_up_steps,
    )


def is_settled(config: TrainingConfig) -> bool:
    """Return whether every key has its number."""
    context = config.network.context
    run = (config.epochs, config.evaluate_every, config.batch.tokens, config.optimizer.warm_up_steps)
    return all((*run, context.width, context.layers))


def _fill(
    config: TrainingConfig,
    *,
    context: ContextConfig,
    epochs: int,
    evaluate_every: int,
    batch_tokens: int,
    warm_up_steps: int,
) -> TrainingConfig:
    """Put in the numbers of keys that have none."""
    own = config.network.context
    own = replace(own, width=own.width or context.width, layers=own.layers or context.layers)
    optimizer = config.optimizer
    return replace(
        config,
        network=replace(config.network, context=own),
        epochs=config.epochs or epochs,
        evaluate_every=config.evaluate_every or evaluate_every,
        batch=replace(config.batch, tokens=config.batch.tokens or batch_tokens),
        optimizer=replace(optimizer, warm_up_steps=optimizer.warm_up_steps or warm_up_steps),
    )


def _batch_tokens(tokens: int) -> int:
    whole = round(tokens / _BATCHES_PER_EPOCH, -1)
    return int(min(max(whole, _SMALLEST_BATCH), _LARGEST_BATCH))


def _epochs(config: TrainingConfig, tokens: int, steps_per_epoch: int) -> int:
    if config.network.input == "pretrained":
        return max(_PRETRAINED_EPOCHS, math.ceil(_LEAST_PRETRAINED_STEPS / steps_per_epoch))
    passes = min(max(round(_TOKENS_IN_ALL / tokens), _FEWEST_EPOCHS), _MOST_EPOCHS)
    return max(passes, math.ceil(_LEAST_STEPS / steps_per_epoch))


def _context(config: TrainingConfig, tokens: int) -> ContextConfig:
    if config.network.input == "pretrained":
        return ContextConfig(width=1024, layers=2)
    return ContextConfig(width=1024, layers=3) if tokens >= _LARGE else ContextConfig(width=512, layers=2)
