"""The optimizer, its learning rates over time, and the moving average of the weights."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from spanlin.config.training import OptimizerConfig
from spanlin.network.network import ParserNetwork


def build_optimizer(network: ParserNetwork, config: OptimizerConfig) -> torch.optim.Optimizer:
    """Return Adam or AdamW over the trainable weights; each group keeps its highest rate as `peak`.

    Biases and normalization weights do not decay.
    """
    encoder = set() if network.pretrained is None else {id(weight) for weight in network.pretrained.model.parameters()}
    groups: dict[tuple[bool, bool], list[Tensor]] = {}
    for weight in network.parameters():
        if weight.requires_grad:
            groups.setdefault((id(weight) in encoder, weight.ndim > 1), []).append(weight)
    settings = [
        {
            "params": weights,
            "lr": 0.0,
            "peak": config.encoder_rate if in_encoder else config.rate,
            "weight_decay": config.weight_decay if decays else 0.0,
        }
        for (in_encoder, decays), weights in sorted(groups.items())
    ]
    fused = all(weight.is_cuda for weight in network.parameters())
    kind = torch.optim.Adam if config.kind == "adam" else torch.optim.AdamW
    return kind(settings, betas=config.betas, eps=config.epsilon, fused=fused)


def rate_factor(config: OptimizerConfig, step: int, progress: float) -> float:
    """Return what the highest rate is multiplied with at a step (from 0), `progress` of the run being over."""
    if step < config.warm_up_steps:
        return (step + 1) / config.warm_up_steps
    if config.decay == "linear":
        return max(0.0, 1.0 - progress)
    if config.decay == "cosine":
        return 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))
    return 1.0


class Plateau:
    """Halves the rate (or the like) when the dev score has not risen for some evaluations."""

    def __init__(self, config: OptimizerConfig) -> None:
        self.active = config.decay == "plateau"
        self.patience = config.plateau_patience
        self.shrink = config.plateau_factor
        self.factor = 1.0
        self.waited = 0

    def saw(self, *, better: bool) -> None:
        """Take note of an evaluation."""
        self.waited = 0 if better else self.waited + 1
        if self.active and self.waited > self.patience:
            self.factor *= self.shrink
            self.waited = 0


class WeightAverage:
    """An exponential moving average of trainable weights; it forgets faster at first, so its start hardly matters."""

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.decay = decay
        self.names = [name for name, weight in network.named_parameters() if weight.requires_grad]
        self.live = [weight for weight in network.parameters() if weight.requires_grad]
        self.mean = [weight.detach().clone() for weight in self.live]

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Move towards the weights after a step (from 0)."""
        decay = min(self.decay, (1 + step) / (10 + step))
        torch._foreach_lerp_(self.mean, [weight.detach() for weight in self.live], 1 - decay)

    @torch.no_grad()
    def swap(self) -> None:
        """Exchange the average and the live weights; a second call undoes it."""
        for mean, weight in zip(self.mean, self.live, strict=True):
            kept = mean.clone()
            mean.copy_(weight)
            weight.copy_(kept)
