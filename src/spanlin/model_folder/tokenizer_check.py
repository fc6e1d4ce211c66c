"""What an untrusted tokenizer may have: known steps with known keys, which cannot make much of a short text."""

from __future__ import annotations

from typing import Any

from spanlin.errors import CheckpointError
from spanlin.model_folder.strict_json import check_plain, read_strictly
from spanlin.model_folder.tokenizer_steps import STEPS, flat_steps, growth, is_harmless

_KEYS = frozenset(["version", "truncation", "padding", "added_tokens", "model", *STEPS])
_MODELS = frozenset(["BPE", "Unigram", "WordLevel", "WordPiece"])
_MODEL_KEYS = frozenset(
    [
        *("type", "vocab", "merges", "unk_token", "unk_id", "dropout", "byte_fallback", "fuse_unk", "ignore_merges"),
        *("continuing_subword_prefix", "end_of_word_suffix", "max_input_chars_per_word"),
    ]
)
_TOKEN_KEYS = frozenset(["id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"])
_EDGE_STEPS = frozenset(["BertProcessing", "RobertaProcessing", "TemplateProcessing"])

_MOST_GROWTH = 2_000  # characters that may come of one; ALBERT's normalizer is the longest known, with 1,944
_MOST_STEPS = 20  # of each part
_MOST_VALUES = 10_000  # of all parts but model and added tokens
_MOST_EDGES = 20  # pieces around a sentence
_LONGEST_SETTING = 100  # characters
_LONGEST_PIECE = 500
_LONGEST_WORD = 500  # whose pieces WordPiece looks for, in time that grows with its square
_MOST_ADDED = 100_000  # characters of all added tokens


def check_tokenizer(raw: bytes, source: str) -> None:
    """Raise a CheckpointError if a tokenizer has unknown steps, or steps that may never end or fill the memory."""
    description = read_strictly(raw, source)
    if not isinstance(description, dict):
        raise CheckpointError(f"{source}: not a tokenizer: no JSON object")
    check_plain({key: value for key, value in description.items() if key != "model"}, source)
    _check_patterns(description, source)
    try:
        _check_keys(description, _KEYS, "the tokenizer")
        _check_model(description.get("model"))
        _check_added(description.get("added_tokens"))
        grown = 1
        for part in STEPS:
            grown *= _check_part(part, description.get(part))
        if grown > _MOST_GROWTH:
            raise ValueError(f"its steps can make more than {_MOST_GROWTH} characters of one")
    except ValueError as error:
        raise CheckpointError(f"{source}: not a tokenizer that can be trusted: {error}") from error


def _check_patterns(description: dict[str, Any], source: str) -> None:
    """Look for regular expressions everywhere, whatever they belong to."""
    waiting: list[Any] = [value for key, value in description.items() if key not in ("model", "added_tokens")]
    values = 0
    while waiting:
        item = waiting.pop()
        values += 1
        if values > _MOST_VALUES:
            raise CheckpointError(f"{source}: not a tokenizer: more than {_MOST_VALUES} values in its steps")
        if isinstance(item, dict):
            if "Regex" in item and not is_harmless(item["Regex"]):
                raise CheckpointError(
                    f"{source}: its regular expression {ascii(item['Regex'])[:60]} may never end: only plain "
                    "characters, the last of them perhaps repeated, are taken"
                )
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def _check_part(part: str, step: Any) -> int:
    """Return how many characters the steps of one part can make of one, or raise a ValueError."""
    if step is None:
        return 1
    grown, edges = 1, 0
    for count, item in enumerate(flat_steps(step)):
        if count >= _MOST_STEPS:
            raise ValueError(f"more than {_MOST_STEPS} steps of the {part}")
        kind = item["type"]
        edges += kind in _EDGE_STEPS
        if edges > 1:
            raise ValueError(f"more than one step of the {part} adds pieces")
        if kind not in STEPS[part]:
            raise ValueError(f"the {part} {ascii(kind)[:60]} is not known here")
        _check_keys(item, {"type", *STEPS[part][kind]}, f"the {part} {kind}")
        for key, value in item.items():
            _check_setting(f"{key} of the {part} {kind}", key, value)
        if part in ("normalizer", "pre_tokenizer"):
            grown = min(grown * growth(item), _MOST_GROWTH + 1)
    return grown


def _check_setting(named: str, key: str, value: Any) -> None:
    """Check one value of a step; sequences are walked by themselves, and a table is read where its growth is."""
    if key in ("normalizers", "pretokenizers", "processors", "decoders", "precompiled_charsmap"):
        return
    if key == "pattern":
        if not isinstance(value, dict) or len(value) != 1 or not value.keys() <= {"String", "Regex"}:
            raise ValueError(f"{named} must be a String or a Regex")
        (value,) = value.values()
        if value == "":
            raise ValueError(f"{named} is empty")
    if key in ("single", "pair"):
        _check_template(named, value, texts="A" if key == "single" else "AB")
    elif key == "special_tokens":
        _check_edges(named, value)
    elif key in ("sep", "cls"):
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError(f"{named} must be a piece and its number")
    elif isinstance(value, dict | list):
        raise ValueError(f"{named} must be a single value")
    elif isinstance(value, str) and len(value) > _LONGEST_SETTING:
        raise ValueError(f"{named} has more than {_LONGEST_SETTING} characters")


def _check_template(named: str, items: Any, *, texts: str) -> None:
    """Check that the template around a text has the text once: a second one would double it."""
    if not isinstance(items, list) or len(items) > _MOST_EDGES or not all(isinstance(item, dict) for item in items):
        raise ValueError(f"{named} must be a list of at most {_MOST_EDGES} objects")
    found = [item.get("Sequence") for item in items if item.keys() != {"SpecialToken"}]
    if [text.get("id") if isinstance(text, dict) else None for text in found] != list(texts):
        raise ValueError(f"{named} must have each text once")


def _check_edges(named: str, table: Any) -> None:
    if not isinstance(table, dict) or len(table) > _MOST_EDGES:
        raise ValueError(f"{named} must be an object of at most {_MOST_EDGES} names")
    for value in table.values():
        if not isinstance(value, dict) or any(
            isinstance(item, list) and len(item) > _MOST_EDGES for item in value.values()
        ):
            raise ValueError(f"{named} must have at most {_MOST_EDGES} pieces each")


def _check_model(model: Any) -> None:
    if not isinstance(model, dict):
        raise ValueError("it has no model")
    # Old files do not name the type; the keys and bounds are then the same.
    kind = model.get("type", "BPE")
    if not isinstance(kind, str) or kind not in _MODELS:
        raise ValueError(f"the model {ascii(kind)[:60]} is not known here")
    _check_keys(model, _MODEL_KEYS, "the model")
    pieces = model.get("vocab")
    if isinstance(pieces, list):  # Unigram's, with a score each
        pieces = [item[0] if isinstance(item, list) and item else None for item in pieces]
    if not isinstance(pieces, dict | list) or not all(isinstance(piece, str) for piece in pieces):
        raise ValueError("vocab of the model must have a name for each piece")
    if max(map(len, pieces), default=0) > _LONGEST_PIECE:
        raise ValueError(f"vocab of the model has a piece of more than {_LONGEST_PIECE} characters")
    for key in model.keys() - {"vocab", "merges"}:
        _check_setting(f"{key} of the model", key, model[key])
    if model.get("dropout"):
        raise ValueError("dropout of the model must be 0: pieces must not be left to chance")
    longest = model.get("max_input_chars_per_word", 0)
    if not isinstance(longest, int) or not 0 <= longest <= _LONGEST_WORD:
        raise ValueError(f"max_input_chars_per_word of the model must be a whole number up to {_LONGEST_WORD}")
    if not isinstance(model.get("unk_token"), str | None):
        raise ValueError("unk_token of the model must be a piece")


def _check_added(tokens: Any) -> None:
    if tokens is None:
        return
    if not isinstance(tokens, list):
        raise ValueError("added_tokens must be a list")
    characters = 0
    for token in tokens:
        if not isinstance(token, dict) or not isinstance(token.get("content"), str) or not token["content"]:
            raise ValueError("each of added_tokens must be an object with content")
        _check_keys(token, _TOKEN_KEYS, "one of added_tokens")
        characters += len(token["content"])
    if characters > _MOST_ADDED:
        raise ValueError(f"added_tokens have more than {_MOST_ADDED} characters")


def _check_keys(table: dict[str, Any], known: frozenset[str] | set[str], named: str) -> None:
    unknown = sorted(table.keys() - known)
    if unknown:
        raise ValueError(f"{named} has the key {ascii(unknown[0])[:60]}, which is not known here")
