from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from fuzz.folder_edits import model_files
from tokenizers import Tokenizer

from spanlin.errors import CheckpointError
from spanlin.model_folder.tokenizer_check import check_tokenizer
from spanlin.model_folder.tokenizer_steps import growth

PRECOMPILED = {
    "type": "Precompiled",
    "precompiled_charsmap": base64.b64encode((4).to_bytes(4, "little") + bytes(4) + b"a\0\xd8\xb5 \xd8\xb5\0").decode(),
}
SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
META_SPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}


def quotes(two: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": two}, "content": '"'}


KNOWN: dict[str, dict[str, Any]] = {  # the steps of tokenizers that encoders are published with
    "bert": {
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    },
    "roberta": {
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": ["</s>", 2],
            "cls": ["<s>", 0],
            "trim_offsets": True,
            "add_prefix_space": False,
        },
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    },
    "xlm-roberta": {
        "normalizer": {"type": "Sequence", "normalizers": [PRECOMPILED, SPACES]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, META_SPACE]},
        "decoder": META_SPACE,
    },
    "deberta": {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "Strip", "strip_left": True, "strip_right": True}, PRECOMPILED, SPACES],
        },
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [META_SPACE]},
    },
    "albert": {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                quotes("``"),
                quotes("''"),
                {"type": "NFKD"},
                {"type": "StripAccents"},
                {"type": "Lowercase"},
                PRECOMPILED,
                SPACES,
            ],
        },
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, META_SPACE]},
    },
    "bytes": {
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
    },
}


def described(**changes: Any) -> bytes:
    return json.dumps(json.loads(model_files()["tokenizer.json"]) | changes).encode()


@pytest.mark.parametrize("name", KNOWN)
def test_the_steps_of_known_encoders_are_taken(name: str) -> None:
    raw = described(**KNOWN[name])
    check_tokenizer(raw, "tokenizer.json")
    Tokenizer.from_str(raw.decode())


def test_a_model_without_its_type_is_taken_as_the_library_does() -> None:
    model = json.loads(model_files()["tokenizer.json"])["model"]
    del model["type"]
    raw = described(model=model)
    check_tokenizer(raw, "tokenizer.json")
    assert type(Tokenizer.from_str(raw.decode()).model).__name__ == "WordPiece"


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ({"type": "NFC"}, "\U0001d160"),
        ({"type": "NFD"}, "\u1f82"),
        ({"type": "NFKC"}, "\ufdfa"),
        ({"type": "NFKD"}, "\ufdfa"),
        ({"type": "Lowercase"}, "\u0130"),
        ({"type": "Replace", "pattern": {"String": "ab"}, "content": "xyz"}, "ab"),
        ({"type": "Replace", "pattern": {"Regex": "b+"}, "content": "xyz"}, "b"),
        ({"type": "BertNormalizer"}, "\u4e00"),
        ({"type": "BertNormalizer"}, "\u0130"),
    ],
)
def test_no_step_makes_more_than_it_is_said_to(step: dict[str, Any], text: str) -> None:
    settings = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
    described_step = step | (settings if step["type"] == "BertNormalizer" else {})
    check_tokenizer(described(normalizer=described_step), "tokenizer.json")
    tokenizer = Tokenizer.from_str(described(normalizer=described_step).decode())
    assert tokenizer.normalizer is not None
    assert len(tokenizer.normalizer.normalize_str(text)) <= growth(described_step) * len(text)


ODD_STEPS: list[object] = [5, "a\nb", [[]], {"type": "a\nb" * 100}, {"type": "Sequence"}, {"a\n" * 100: 1}]


def test_every_error_is_of_one_line(tmp_path: Path) -> None:
    source = str(tmp_path / "tokenizer.json")
    for key in ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model", "added_tokens"):
        for odd in ODD_STEPS:
            with pytest.raises(CheckpointError) as caught:
                check_tokenizer(described(**{key: odd}), source)
            assert str(caught.value).startswith(f"{source}: ")
            assert str(caught.value).isprintable()
            assert len(str(caught.value)) < 500
