"""A smaller copy of a pretrained encoder: the word pieces that some text uses, and narrower feed-forward layers.

All single characters are kept. A WordPiece tokenizer takes the longest piece it knows, from left to right. So a word
whose pieces are all kept is split as before, and any other into shorter pieces, at worst into characters.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

from spanlin.errors import CheckpointError
from spanlin.training.checkpoint import read_tensors
from spanlin.trees.escapes import plain_word

_EMBEDDINGS = "word_embeddings.weight"
_WIDEN = re.compile(r"\.intermediate\.dense\.weight$")


@dataclass(frozen=True, kw_only=True)
class PrunedPieces:
    """How many pieces were kept, and the share of the text's words that are split as before."""

    kept: int
    before: int
    same_words: float


def prune_encoder(
    source: str | Path,
    destination: str | Path,
    words: Mapping[str, int],
    *,
    most_pieces: int,
    feed_forward_width: int = 0,
) -> PrunedPieces:
    """Write a transformers folder with at most so many pieces, those that the counted words use most.

    Special pieces and single characters are kept in any case. With a `feed_forward_width`, the units of each
    feed-forward layer that have the largest weights are kept. The folder has a config.json, a tokenizer.json and a
    model.safetensors.
    """
    source, destination = Path(source), Path(destination)
    table, tokenizer = _read_json(source / "config.json"), _read_json(source / "tokenizer.json")
    if tokenizer.get("model", {}).get("type") != "WordPiece":
        raise CheckpointError(f"{source}/tokenizer.json: not a WordPiece tokenizer: only those can be pruned")
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    splits = _splits(json.dumps(tokenizer), words)
    kept = _most_used(vocabulary, _always(tokenizer), splits, words, most_pieces)
    ids = {piece: number for number, piece in enumerate(sorted(kept, key=vocabulary.__getitem__))}
    pad = table.get("pad_token_id", 0)
    if next((piece for piece, number in vocabulary.items() if number == pad and ids.get(piece) == pad), None) is None:
        raise CheckpointError(f"{source}: the padding piece {pad} would move, and positions are counted from it")
    tensors = read_tensors(source / "model.safetensors")
    names = [name for name in tensors if name.endswith(_EMBEDDINGS)]
    if len(names) != 1:
        raise CheckpointError(f"{source}/model.safetensors: expected one {_EMBEDDINGS}, found {len(names)}")
    rows = [vocabulary[piece] for piece in ids]
    tensors[names[0]] = tensors[names[0]][rows].contiguous()
    if feed_forward_width:
        tensors |= _narrowed(tensors, table.get("intermediate_size", 0), feed_forward_width, source)
        table = table | {"intermediate_size": feed_forward_width}
    destination.mkdir(parents=True, exist_ok=True)
    save_file(tensors, destination / "model.safetensors")
    _write_json(destination / "config.json", table | {"vocab_size": len(ids)})
    _write_json(destination / "tokenizer.json", _renumbered(tokenizer, ids))
    same = sum(count for word, count in words.items() if ids.keys() >= set(splits[word]))
    return PrunedPieces(kept=len(ids), before=len(vocabulary), same_words=same / max(1, sum(words.values())))


def _narrowed(tensors: Mapping[str, Tensor], before: int, width: int, source: Path) -> dict[str, Tensor]:
    """Return the weights of feed-forward layers with the units of the largest norms: of what goes in, times out."""
    if not 0 < width < before:
        raise CheckpointError(f"{source}: feed_forward_width must be from 1 to {before - 1}, got {width}")
    changed: dict[str, Tensor] = {}
    for name, into in tensors.items():
        match = _WIDEN.search(name)
        if match is None:
            continue
        layer = name[: match.start()]
        out = tensors[f"{layer}.output.dense.weight"]
        size = into.float().norm(dim=1) * out.float().norm(dim=0)
        units = size.topk(width).indices.sort().values
        bias = f"{layer}.intermediate.dense.bias"
        changed |= {name: into[units].contiguous(), bias: tensors[bias][units].contiguous()}
        changed[f"{layer}.output.dense.weight"] = out[:, units].contiguous()
    return changed


def _splits(tokenizer: str, words: Mapping[str, int]) -> dict[str, list[str]]:
    splitter = Tokenizer.from_str(tokenizer)
    splitter.no_truncation()
    splitter.no_padding()
    encoded = splitter.encode_batch([plain_word(word) for word in words], add_special_tokens=False)
    return {word: encoding.tokens for word, encoding in zip(words, encoded, strict=True)}


def _always(tokenizer: dict[str, Any]) -> set[str]:
    """Return the pieces that are never left out."""
    model = tokenizer["model"]
    prefix = model.get("continuing_subword_prefix", "")
    kept = {token["content"] for token in tokenizer.get("added_tokens") or []} | {model["unk_token"]}
    return kept | {piece for piece in model["vocab"] if len(piece.removeprefix(prefix)) == 1}


def _most_used(
    vocabulary: Mapping[str, int],
    always: set[str],
    splits: Mapping[str, list[str]],
    words: Mapping[str, int],
    most_pieces: int,
) -> set[str]:
    if most_pieces < len(always):
        raise CheckpointError(f"most_pieces is {most_pieces}, but {len(always)} are special or single characters")
    uses: Counter[str] = Counter()
    for word, count in words.items():
        for piece in splits[word]:
            uses[piece] += count
    others = sorted(uses.keys() - always, key=lambda piece: (-uses[piece], vocabulary[piece]))
    return always | set(others[: most_pieces - len(always)])


def _renumbered(tokenizer: dict[str, Any], ids: Mapping[str, int]) -> dict[str, Any]:
    """Return a tokenizer.json with new ids wherever it has ids."""
    changed: dict[str, Any] = json.loads(json.dumps(tokenizer))
    changed["model"]["vocab"] = dict(ids)
    for token in changed.get("added_tokens") or []:
        token["id"] = ids[token["content"]]
    if changed.get("padding"):
        changed["padding"]["pad_id"] = ids[changed["padding"]["pad_token"]]
    processor = changed.get("post_processor") or {}
    for key in ("sep", "cls"):
        if key in processor:
            processor[key] = [processor[key][0], ids[processor[key][0]]]
    for special in processor.get("special_tokens", {}).values():
        special["ids"] = [ids[token] for token in special["tokens"]]
    return changed


def _read_json(path: Path) -> dict[str, Any]:
    try:
        table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise CheckpointError(f"{path}: not JSON: {error}") from error
    return table


def _write_json(path: Path, table: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(table, ensure_ascii=False), encoding="utf-8")
