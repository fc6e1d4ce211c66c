"""The steps that an untrusted tokenizer may have, and how much longer each can make a text."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

_BYTE_LEVEL = ("add_prefix_space", "trim_offsets", "use_regex")
_METASPACE = ("replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep")
_REPLACE = ("pattern", "content")

STEPS: dict[str, dict[str, tuple[str, ...]]] = {
    "normalizer": {
        **dict.fromkeys(("NFC", "NFD", "NFKC", "NFKD", "Nmt", "Lowercase", "StripAccents"), ()),
        "BertNormalizer": ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"),
        "ByteLevel": _BYTE_LEVEL,
        "Precompiled": ("precompiled_charsmap",),
        "Prepend": ("prepend",),
        "Replace": _REPLACE,
        "Sequence": ("normalizers",),
        "Strip": ("strip_left", "strip_right"),
    },
    "pre_tokenizer": {
        **dict.fromkeys(("BertPreTokenizer", "UnicodeScripts", "Whitespace", "WhitespaceSplit"), ()),
        "ByteLevel": _BYTE_LEVEL,
        "CharDelimiterSplit": ("delimiter",),
        "Digits": ("individual_digits",),
        "Metaspace": _METASPACE,
        "Punctuation": ("behavior",),
        "Sequence": ("pretokenizers",),
        "Split": ("pattern", "behavior", "invert"),
    },
    "post_processor": {
        "BertProcessing": ("sep", "cls"),
        "ByteLevel": _BYTE_LEVEL,
        "RobertaProcessing": ("sep", "cls", "trim_offsets", "add_prefix_space"),
        "Sequence": ("processors",),
        "TemplateProcessing": ("single", "pair", "special_tokens"),
    },
    "decoder": {
        **dict.fromkeys(("ByteFallback", "Fuse"), ()),
        "BPEDecoder": ("suffix",),
        "ByteLevel": _BYTE_LEVEL,
        "CTC": ("pad_token", "word_delimiter_token", "cleanup"),
        "Metaspace": _METASPACE,
        "Replace": _REPLACE,
        "Sequence": ("decoders",),
        "Strip": ("content", "start", "stop"),
        "WordPiece": ("prefix", "cleanup"),
    },
}
"""Of each part of a tokenizer, the types of its steps and the keys that each may have."""

# Into how many characters one character can turn. Unicode's forms are at most as long as its standard says (UAX 15);
# a byte-level step writes each byte as a character, and it and Metaspace may put one before every piece.
_GROWTH = {"NFC": 3, "NFD": 4, "NFKC": 18, "NFKD": 18, "Lowercase": 3, "BertNormalizer": 36, "ByteLevel": 5}
_GROWTH |= {"Metaspace": 2}
_LONGEST_REPLACEMENT = 64  # characters; the longest of Unicode's compatibility forms has 18

# Plain characters, the last of them perhaps repeated: nothing comes after it that could fail and be tried again.
_ATOM = r"(?:[^()\[\]{}|*+?\\^$]|\\[sdw])"
_HARMLESS = re.compile(rf"{_ATOM}{{1,200}}(?:\+|\{{[1-9]\d{{0,2}}(?:,\d{{0,3}})?\}})?")


def is_harmless(pattern: Any) -> bool:
    """Tell whether a regular expression takes linear time and never matches nothing."""
    return isinstance(pattern, str) and _HARMLESS.fullmatch(pattern) is not None


def flat_steps(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a step, or those of a sequence in their order; raises a ValueError for what is not a step."""
    waiting: list[Any] = [step]
    while waiting:
        item = waiting.pop()
        if not isinstance(item, dict) or not isinstance(item.get("type"), str):
            raise ValueError("a step without a type")
        yield item
        if item["type"] == "Sequence":
            inner = [value for key, value in item.items() if key != "type"]
            if len(inner) != 1 or not isinstance(inner[0], list):
                raise ValueError("a sequence without its steps")
            waiting += reversed(inner[0])


def growth(step: dict[str, Any]) -> int:
    """Return into how many characters a step of known keys can turn one; raises a ValueError if that is not known."""
    kind = step["type"]
    if kind == "Replace":
        pattern = step.get("pattern")
        content = step.get("content")
        if not isinstance(content, str) or not isinstance(pattern, dict) or len(pattern) != 1:
            raise ValueError("a replacement without pattern or content")
        literal = pattern.get("String")
        least = len(literal) if isinstance(literal, str) else 1
        return max(1, -(-len(content) // max(1, least)))
    if kind == "Precompiled":
        return _table_growth(step.get("precompiled_charsmap"))
    return _GROWTH.get(kind, 1)


def _table_growth(table: Any) -> int:
    """Return the length of the longest text in SentencePiece's table: a trie after its size, then texts ending in 0."""
    try:
        raw = base64.b64decode(table, validate=True)
        texts = raw[4 + int.from_bytes(raw[:4], "little") :].decode("utf-8")
    except (TypeError, binascii.Error, UnicodeDecodeError) as error:
        raise ValueError("a table of characters that cannot be read") from error
    longest = max(map(len, texts.split("\0")))
    if not texts or longest > _LONGEST_REPLACEMENT:
        raise ValueError("a table of characters that has none, or turns one into very many")
    return max(1, longest)
