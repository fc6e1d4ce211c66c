"""`--data tiny`: a generated treebank, a random encoder and small networks, to run every table in a minute or two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.generated_treebank import generate_treebank
from spanlin.trees.brackets import read_trees, write_trees
from spanlin.trees.tree import Leaf, Tree, rebuild

NAME = "tiny"


def seeds_of(table: str) -> tuple[int, ...]:
    """Return the seeds of a table: two where spreads are drawn, for every row takes seconds."""
    return (1, 2) if table in {"types", "lengths"} else (1,)


def tags_in(folder: Path) -> Path:
    """Return where the trees with other tags are; `folder` is that of `make_data`."""
    return folder / "tagged"


def make_data(folder: Path) -> Path:
    """Write the treebank, with and without mistakes in its tags, and the encoder, always alike; return the folder."""
    train, dev = generate_treebank(folder / NAME, train=300, dev=60)
    for path in (train, dev):
        _write_mistagged(path, tags_in(folder) / NAME / path.name)
    words = {word.lower() for tree in read_trees(train) for word in tree.words}
    if not (folder / "encoder" / "model.safetensors").exists():
        _make_encoder(folder / "encoder", sorted(words))
    return folder


def changes(folder: Path, row_config: dict[str, Any]) -> dict[str, Any]:
    """Return what makes a row small enough; `folder` is that of `make_data`."""
    return {
        "epochs": 3,
        "precision": "fp32",
        "averaging": 0.0,
        "min_word_count": 1,
        "network": {
            "lexical": {
                "word_width": 32,
                "char_width": 16,
                "char_embedding_width": 8,
                "tag_width": 8 if row_config["network"].get("lexical", {}).get("tag_width") else 0,
                "vectors": "",
                "dropout": 0.1,
            },
            "pretrained": {"folder": str(folder / "encoder"), "dropout": 0.1}
            if row_config["network"]["input"] == "pretrained"
            else {},
            "context": {
                "width": 64,
                "layers": 1,
                "heads": 2,
                "head_width": 16,
                "feed_forward_width": 64,
                "dropout": 0.1,
            },
            "scorer": {"hidden_width": 48, "label_width": 32, "dropout": 0.1},
        },
        "optimizer": {"rate": 0.004, "encoder_rate": 0.001, "warm_up_steps": 10},
        "batch": {"tokens": 400, "sentences": 16},
    }


def _write_mistagged(source: Path, target: Path) -> None:
    """Write trees in which every twentieth word has the tag of the one before."""
    target.parent.mkdir(parents=True, exist_ok=True)
    before, number = "NN", 0

    def mistagged(leaf: Leaf) -> tuple[Leaf, ...]:
        nonlocal before, number
        number += 1
        tag, before = before if number % 20 == 0 else leaf.tag, leaf.tag
        return (Leaf(tag, leaf.word),)

    trees = (
        rebuild(tree, leaf=mistagged, constituent=lambda label, children: (Tree(label, children),))[0]
        for tree in read_trees(source)
    )
    write_trees((tree for tree in trees if isinstance(tree, Tree)), target)


def _make_encoder(folder: Path, words: list[str]) -> None:
    """Write a transformers folder: a BERT of random weights that knows the words."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers.utils.logging import disable_progress_bar

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {piece: number for number, piece in enumerate([*special, *words])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.add_special_tokens(special)
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    disable_progress_bar()
    torch.manual_seed(0)
    transformers.BertModel(config).save_pretrained(folder)
