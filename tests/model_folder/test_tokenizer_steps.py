from __future__ import annotations

import base64
from typing import Any

import pytest

from spanlin.model_folder.tokenizer_steps import STEPS, flat_steps, growth, is_harmless


def table(*texts: str, trie: bytes = bytes(4)) -> dict[str, Any]:
    raw = len(trie).to_bytes(4, "little") + trie + "\0".join(texts).encode()
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(raw).decode()}


def replaced(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


@pytest.mark.parametrize("pattern", ["a", " {2,}", r"\s+", "ab+", "a{3}", "a{2,9}", ".", "é"])
def test_plain_patterns_are_harmless(pattern: str) -> None:
    assert is_harmless(pattern)


@pytest.mark.parametrize(
    "pattern", ["", "a*", "a+b", "a++", "a{0,3}", "a{,3}", "(a)", "[ab]", "a|b", "^", "$", r"\b", r"\1", "a" * 300, 5]
)
def test_patterns_that_match_nothing_or_look_again_are_not_harmless(pattern: object) -> None:
    assert not is_harmless(pattern)


def test_the_steps_of_a_sequence_come_in_their_order_with_those_inside() -> None:
    inner = {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]}
    step = {"type": "Sequence", "normalizers": [{"type": "Strip"}, inner, {"type": "NFD"}]}
    found = [one["type"] for one in flat_steps(step)]
    assert found == ["Sequence", "Strip", "Sequence", "NFC", "Lowercase", "NFD"]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({}, "a step without a type"),
        ({"type": 5}, "a step without a type"),
        ({"type": "Sequence"}, "a sequence without its steps"),
        ({"type": "Sequence", "normalizers": {}}, "a sequence without its steps"),
        ({"type": "Sequence", "normalizers": [], "decoders": []}, "a sequence without its steps"),
        ({"type": "Sequence", "normalizers": ["NFC"]}, "a step without a type"),
    ],
)
def test_what_is_not_a_step_is_refused(step: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(flat_steps(step))


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"type": "Strip"}, 1),
        (replaced({"String": "ab"}, "xyz"), 2),  # of two characters, three
        (replaced({"String": "ab"}, ""), 1),
        (replaced({"String": ""}, "xyz"), 3),
        (replaced({"Regex": "b+"}, "xyz"), 3),
        (table("a", "abc", ""), 3),
        (table("é" * 18), 18),
    ],
)
def test_how_much_longer_a_step_can_make_a_text(step: dict[str, Any], expected: int) -> None:
    assert growth(step) == expected


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"type": "Replace"}, "a replacement without pattern or content"),
        (replaced({"String": "a", "Regex": "b"}, "x"), "a replacement without pattern or content"),
        ({"type": "Replace", "pattern": "a", "content": "x"}, "a replacement without pattern or content"),
        ({"type": "Precompiled"}, "a table of characters that cannot be read"),
        ({"type": "Precompiled", "precompiled_charsmap": "*"}, "a table of characters that cannot be read"),
        ({"type": "Precompiled", "precompiled_charsmap": "AAAAAP8="}, "a table of characters that cannot be read"),
        (table(), "a table of characters that has none, or turns one into very many"),
        (table("x" * 10_000), "a table of characters that has none, or turns one into very many"),
    ],
)
def test_what_cannot_be_measured_is_refused(step: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        growth(step)


def test_every_kind_of_step_knows_its_settings_and_sequences_hold_one_list() -> None:
    for steps in STEPS.values():
        assert len(steps["Sequence"]) == 1
        assert "type" not in {key for keys in steps.values() for key in keys}
