"""Benepar 0.2.0. Its package has the model and the loss but no training loop, so a short loop of ours trains it."""

from __future__ import annotations

from typing import Any

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
