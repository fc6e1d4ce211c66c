"""Numbers of Wei, Wu and Lan (2020), by table, as the paper prints them; on the test sets of PTB and CTB 5.1."""

from __future__ import annotations

# Tables 2 and 3: recall, precision, F1.
PTB = {
    "BiLSTM": (92.3, 92.9, 92.6),
    "Transformer": (93.3, 94.1, 93.7),
    "BiLSTM + BERT": (95.6, 96.0, 95.8),
    "Transformer + BERT": (95.5, 96.1, 95.8),
}
CTB = {"BiLSTM": (92.2, 92.7, 92.4), "Transformer": (92.1, 92.3, 92.2)}

# Table 1: count, F1 of PSN, F1 of theirs.
TYPES = {
    "NP": (18630, 93.15, 93.42),
    "VP": (8743, 91.81, 92.62),
    "S": (5663, 91.21, 91.95),
    "PP": (5492, 89.73, 89.91),
    "SBAR": (1797, 87.81, 88.93),
    "ADVP": (1213, 86.89, 87.39),
    "ADJP": (893, 73.01, 75.14),
    "QP": (490, 89.80, 91.63),
    "WHNP": (429, 97.20, 97.44),
}

# Table 4, by row: recall, precision, F1.
ABLATION = {
    "bilstm": (92.31, 92.87, 92.59),
    "no-mlp": (92.15, 92.72, 92.43),
    "no-normalization": (91.25, 92.93, 92.08),
    "label-linearization": (90.79, 91.56, 91.17),
}

# Table 5, by decoder: recall, precision, F1.
INFERENCE = {
    "cky": (92.31, 92.87, 92.59),
    "largest": (92.39, 92.75, 92.57),
    "argmin": (91.93, 93.21, 92.57),
}

# Table 6: sentences per second, theirs on a GTX Titan Xp.
SPEED = {
    "Stern et al. (2017), global": 20,
    "Kitaev and Klein (2018)": 150,
    "Zhou and Zhao (2019)": 159,
    "Teng and Zhang (2018)": 22,
    "Stern et al. (2017), local": 76,
    "Liu and Zhang (2017)": 79,
    "Shen et al. (2018)": 111,
    "Shen et al. (2018), without tree inference": 351,
    "Vilares et al. (2019)": 942,
    "the paper, BiLSTM": 220,
    "the paper, Transformer": 155,
}
