"""SuPar's CRF parser with a BiLSTM as it is published: sizes of its network, and its training."""

from __future__ import annotations

from typing import Any

NETWORK: dict[str, Any] = {
    # The defaults of its classes.
    "encoder": "lstm",
    "feat": ["char"],
    "n_embed": 100,
    "n_pretrained": 100,
    "n_char_embed": 50,
    "n_char_hidden": 100,
    "n_feat_embed": 100,
    "embed_dropout": 0.33,
    "n_lstm_hidden": 400,
    "n_lstm_layers": 3,
    "encoder_dropout": 0.33,
    "n_span_mlp": 500,
    "n_label_mlp": 100,
    "mlp_dropout": 0.33,
    "min_freq": 2,
    "fix_len": 20,
}

TRAINING: dict[str, Any] = {
    # From the config.ini of its repository, older than 1.1.4, which ships none; that one names no weight decay.
    "lr": 2e-3,
    "mu": 0.9,
    "nu": 0.9,
    "eps": 1e-12,
    "weight_decay": 0,
    "decay": 0.75,
    "decay_steps": 5000,
    "clip": 5.0,
    "batch_size": 5000,
    "update_steps": 1,
    "epochs": 5000,
    "patience": 100,
}
