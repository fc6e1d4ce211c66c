"""Tiny encoders of the transformers kinds, with random weights and a tokenizer made from a word list."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers.utils.logging import disable_progress_bar

Kind = Literal["bert", "roberta", "mpnet", "deberta"]
KINDS: tuple[Kind, ...] = ("bert", "roberta", "mpnet", "deberta")


def make_encoder(
    folder: Path, words: Iterable[str], *, kind: Kind = "bert", limit: int = 64, width: int = 64, layers: int = 2
) -> Path:
    """Write a transformers folder of this kind that holds `limit` pieces; return it.

    The tokenizer knows too few pieces for whole words, so that most words have several.
    """
    folder.mkdir(parents=True, exist_ok=True)
    disable_progress_bar()
    tokenizer = _tokenizer(kind, sorted(set(words)))
    tokenizer.save(str(folder / "tokenizer.json"))
    sizes: dict[str, Any] = {
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": 4,
        "intermediate_size": 2 * width,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "pad_token_id": tokenizer.token_to_id(_SPECIAL[kind][0]),
    }
    with torch.random.fork_rng(), warnings.catch_warnings():
        # Said once, when transformers imports its DeBERTa; nothing of ours scripts.
        warnings.filterwarnings("ignore", ".torch.jit.script. is deprecated", DeprecationWarning)
        torch.manual_seed(0)
        _model(kind, sizes, limit).save_pretrained(folder)
    return folder


_SPECIAL: dict[Kind, tuple[str, str, str, str]] = {  # padding, unknown, start, stop
    "bert": ("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    "roberta": ("<pad>", "<unk>", "<s>", "</s>"),
    "mpnet": ("<pad>", "<unk>", "<s>", "</s>"),
    "deberta": ("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
}


def _model(kind: Kind, sizes: dict[str, Any], limit: int) -> Any:
    if kind == "bert":
        return transformers.BertModel(transformers.BertConfig(**sizes, max_position_embeddings=limit))
    if kind == "roberta":
        # Its positions are numbered from the padding id plus one on.
        reserved = int(str(sizes["pad_token_id"])) + 1
        return transformers.RobertaModel(transformers.RobertaConfig(**sizes, max_position_embeddings=limit + reserved))
    if kind == "mpnet":
        reserved = int(str(sizes["pad_token_id"])) + 1
        return transformers.MPNetModel(transformers.MPNetConfig(**sizes, max_position_embeddings=limit + reserved))
    deberta: dict[str, Any] = {
        "max_position_embeddings": limit,
        "relative_attention": True,
        "position_buckets": 16,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
    }
    return transformers.DebertaV2Model(transformers.DebertaV2Config(**sizes, **deberta))


def _tokenizer(kind: Kind, words: list[str]) -> Tokenizer:
    padding, unknown, start, stop = _SPECIAL[kind]
    # In the order, and so with the ids, that the real ones have: MPNet counts on 1 for its padding.
    special = [padding, unknown, start, stop] if kind in ("bert", "deberta") else [start, padding, stop, unknown]
    trainer: trainers.Trainer
    quiet: dict[str, Any] = {"special_tokens": special, "show_progress": False}
    if kind in ("bert", "mpnet"):
        # Characters, and every other word whole: the same ids every time, which WordPiece's trainer does not give.
        chars = sorted({char for word in words for char in word})
        pieces = [*special, *chars, *(f"##{char}" for char in chars), *(word for word in words[::2] if len(word) > 1)]
        vocabulary = {piece: number for number, piece in enumerate(pieces)}
        tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=unknown))
        tokenizer.add_special_tokens(special)
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    elif kind == "roberta":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=340, initial_alphabet=alphabet, **quiet)
        tokenizer.train_from_iterator([f" {word}" for word in words], trainer)
    else:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=100, unk_token=unknown, **quiet)
        tokenizer.train_from_iterator(words, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {stop}",
        special_tokens=[(start, tokenizer.token_to_id(start)), (stop, tokenizer.token_to_id(stop))],
    )
    return tokenizer
