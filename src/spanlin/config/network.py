"""What a network is made of: one frozen dataclass per component, checked when it is built."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from spanlin.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class LexicalConfig:
    """Word, character and tag embeddings (sec. 3.1); a width of 0 leaves that part out."""

    word_width: int = 200
    char_width: int = 200
    char_embedding_width: int = 64
    tag_width: int = 0
    vectors: str = ""
    """Pretrained word vectors: a GloVe text file, or a folder with `words.txt` and `vectors.npy`; or nothing."""
    vector_limit: int = 0
    """Keep only this many of the first vectors (they are in order of frequency); 0 keeps all."""
    train_vectors: bool = False
    dropout: float = 0.33
    joined_dropout: float = 0.0
    """Of all parts together, once more after `dropout` of each."""
    unknown_z: float = 2.0
    """In training a word seen c times is replaced by the unknown word with probability z / (z + c)."""

    def __post_init__(self) -> None:
        _check_fraction("network.lexical.dropout", self.dropout)
        _check_fraction("network.lexical.joined_dropout", self.joined_dropout)
        if self.word_width + self.char_width + self.tag_width == 0 and not self.vectors:
            raise ConfigError("network.lexical: every part is off; give word_width or char_width a size")
        if self.char_width % 2:
            raise ConfigError(f"network.lexical.char_width must be even (two directions), got {self.char_width}")
        if self.unknown_z < 0:
            raise ConfigError(f"network.lexical.unknown_z must not be negative, got {self.unknown_z}")


@dataclass(frozen=True, kw_only=True)
class PretrainedConfig:
    """A pretrained encoder from a local transformers folder."""

    folder: str = ""
    piece: Literal["first", "last", "mean"] = "mean"
    mix_layers: bool = False
    """A learned mix of all layers instead of the last one."""
    drop_layers: int = 0
    """Leave out this many of the topmost layers."""
    shapes: bool = True
    """Show the encoder how each word uses capitals, by a learned vector added to those of its pieces."""
    dropout: float = 0.1

    def __post_init__(self) -> None:
        _check_fraction("network.pretrained.dropout", self.dropout)


@dataclass(frozen=True, kw_only=True)
class ContextConfig:
    """Layers over the input: a BiLSTM, or a Transformer with content and position kept separate."""

    kind: Literal["none", "bilstm", "transformer"] = "bilstm"
    width: int = 0
    """0: by size."""
    layers: int = 0
    """0: by size."""
    heads: int = 8
    head_width: int = 64
    feed_forward_width: int = 2048
    dropout: float = 0.33
    recurrent_dropout: float = 0.0
    """Of a BiLSTM: how many weights from one state to the next are left out of each training batch."""
    positions: Literal["sinusoids", "learned"] = "sinusoids"
    """Of a Transformer: waves, which have no end, or a table of vectors, which starts again after its last one."""
    joint_norm: bool = False
    """Of a Transformer: normalize content and position together, as Kitaev and Klein do, instead of each."""
    attention_scale: Literal["head", "model"] = "head"
    """Of a Transformer: attention is divided by the root of this width; Kitaev and Klein take the model's."""

    def __post_init__(self) -> None:
        _check_fraction("network.context.dropout", self.dropout)
        _check_fraction("network.context.recurrent_dropout", self.recurrent_dropout)
        if self.width % 4 or self.width < 0:
            raise ConfigError(f"network.context.width must be a multiple of 4, got {self.width}")
        if self.head_width % 2:
            raise ConfigError(f"network.context.head_width must be even (content and position), got {self.head_width}")
        if self.layers < 0:
            raise ConfigError(f"network.context.layers must not be negative, got {self.layers}; kind = 'none' has none")


@dataclass(frozen=True, kw_only=True)
class ScorerConfig:
    """The span scorer, label scorer and tag head (sec. 3.2), with the paper's ablations as keys."""

    hidden_width: int = 512
    label_width: int = 256
    dropout: float = 0.1
    target: Literal["left", "right", "both"] = "both"
    normalization: Literal["right-boundary", "span", "none"] = "right-boundary"
    """How scores become probabilities: a softmax for each right boundary, or each span by itself."""
    separate_boundaries: bool = False
    """MLP_l and MLP_r (Eq. 2) instead of the split point's own vector in both roles."""
    role_dropout: bool = False
    """Without MLP_l and MLP_r: drop features of a split point in each role, twice, as the two would."""
    graph_layers: int = 0
    """Layers of a graph neural network over split points, whose edges are the boundaries' probabilities."""
    label_dropout: bool = True
    """Drop features of the label scorer's hidden layer (and of that for relations) too."""
    label_input: Literal["concatenate", "subtract"] = "concatenate"
    label_model: Literal["spans", "linearization"] = "spans"
    tag_head: bool = True

    def __post_init__(self) -> None:
        _check_fraction("network.scorer.dropout", self.dropout)
        if self.normalization == "span" and self.target != "left":
            raise ConfigError("network.scorer: normalization = 'span' has no direction; set target = 'left'")
        if self.graph_layers < 0:
            raise ConfigError(f"network.scorer.graph_layers must not be negative, got {self.graph_layers}")
        if self.graph_layers and self.normalization != "right-boundary":
            raise ConfigError(
                "network.scorer.graph_layers needs network.scorer.normalization = 'right-boundary', whose "
                f"probabilities its messages are weighted by; got {self.normalization!r}"
            )


@dataclass(frozen=True, kw_only=True)
class DependencyConfig:
    """Heads and relations of words, for a network that learns them: one with dependencies among its treebanks."""

    width: int = 512
    """Of the vectors of a word as a head and as a dependent."""
    relation_width: int = 0
    """Of what a head and a dependent bring to their relation; 0: scorer.label_width."""
    input: Literal["context", "encoder"] = "context"
    """What words are scored from: the vectors that spans are scored from, or the encoder's own.

    With context.kind = 'none' alone: the former are then linear in the latter, treebank vectors apart, so that both can
    learn the same scores, and the narrower ones faster.
    """
    universal_tags: Literal["own", "shared"] = "own"
    """What they are scored from: a hidden layer of their own, or that of the tag head."""
    dropout: float = 0.33
    weight: float = 0.4
    """Of the loss of heads and relations, beside that of trees."""

    def __post_init__(self) -> None:
        _check_fraction("network.dependencies.dropout", self.dropout)
        if self.width < 1:
            raise ConfigError(f"network.dependencies.width must be at least 1, got {self.width}")
        if self.relation_width < 0:
            raise ConfigError(f"network.dependencies.relation_width must not be negative, got {self.relation_width}")
        if self.weight <= 0:
            raise ConfigError(f"network.dependencies.weight must be positive, got {self.weight}")


@dataclass(frozen=True, kw_only=True)
class LossConfig:
    """The training objective (sec. 3.3)."""

    label_tree: Literal["gold", "predicted"] = "predicted"
    """Spans whose labels are trained: those of the gold tree (the paper), or of the tree decoded now (its code)."""
    objective: Literal["boundaries", "trees"] = "boundaries"
    """What is made probable: the gold boundary of each split point (Eq. 3), or the gold tree among all trees."""
    divide_by_length: bool = True
    tag_weight: float = 0.5
    label_smoothing: float = 0.0

    def __post_init__(self) -> None:
        _check_fraction("network.loss.label_smoothing", self.label_smoothing)


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """A whole network. `input` says which of `lexical` and `pretrained` is used."""

    input: Literal["lexical", "pretrained"] = "lexical"
    lexical: LexicalConfig = field(default_factory=LexicalConfig)
    pretrained: PretrainedConfig = field(default_factory=PretrainedConfig)
    context: ContextConfig = field(default_factory=ContextConfig)
    scorer: ScorerConfig = field(default_factory=ScorerConfig)
    dependencies: DependencyConfig = field(default_factory=DependencyConfig)
    loss: LossConfig = field(default_factory=LossConfig)
    treebank_vectors: bool = False
    """Add a learned vector for the treebank whose annotation is wanted; treebanks differ in their guidelines."""
    unknown_treebank_rate: float = 0.2
    """In training, how often the treebank is left out, so that the network can also parse without it."""

    def __post_init__(self) -> None:
        _check_fraction("network.unknown_treebank_rate", self.unknown_treebank_rate)
        if self.input == "pretrained" and not self.pretrained.folder:
            raise ConfigError("network.pretrained.folder is missing: input = 'pretrained' needs a transformers folder")
        if self.loss.objective == "trees" and self.scorer.normalization != "right-boundary":
            raise ConfigError(
                "network.loss.objective = 'trees' needs network.scorer.normalization = 'right-boundary', "
                f"got {self.scorer.normalization!r}"
            )
        if self.input == "lexical" and self.context.kind == "none":
            raise ConfigError("network.context.kind = 'none' goes with input = 'pretrained' only: choose 'bilstm'")
        if self.dependencies.input == "encoder" and self.context.kind != "none":
            raise ConfigError(
                "network.dependencies.input = 'encoder' needs network.context.kind = 'none', "
                f"got {self.context.kind!r}: choose 'context'"
            )
        if self.dependencies.universal_tags == "shared" and not self.scorer.tag_head:
            raise ConfigError(
                "network.dependencies.universal_tags = 'shared' needs network.scorer.tag_head = true: choose 'own'"
            )


def _check_fraction(key: str, value: float) -> None:
    if not 0.0 <= value < 1.0:
        raise ConfigError(f"{key} must be in [0, 1), got {value}")
