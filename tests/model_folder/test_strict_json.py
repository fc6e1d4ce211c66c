from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import CheckpointError
from spanlin.model_folder.strict_json import check_plain, parse_strictly, read_strictly

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_what_json_can_say_is_read_as_usual_and_plain(value: Any) -> None:
    raw = json.dumps(value).encode()
    assert parse_strictly(raw) == read_strictly(raw, "file") == value
    check_plain(value, "file")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' appears twice"),
        (b'{"x": {"a": 1, "\\u0061": 3}}', "the key 'a' appears twice"),
        (b'{"' + b"a" * 99 + b'": 1, "' + b"a" * 99 + b'": 1}', f"the key '{'a' * 40}' appears twice"),
        (b'{"\\n": 1, "\\n": 1}', "the key '\\n' appears twice"),
        (b"NaN", "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b"{", "Expecting property name"),
        (b"", "Expecting value"),
        (b'"\xff"', "'utf-8' codec can't decode byte 0xff"),
        (b"\xef\xbb\xbf{}", "Unexpected UTF-8 BOM"),
        (b"1" * 5_000, "Exceeds the limit"),
        (b"[" * 200_000, "nested too deeply"),
    ],
    ids=range(12),
)
def test_anything_else_is_an_error_of_one_line_that_names_its_source(raw: bytes, said: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        parse_strictly(raw)
    with pytest.raises(CheckpointError) as caught:
        read_strictly(raw, "file.json")
    assert str(caught.value).startswith("file.json: damaged: ")
    assert said in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


def nested(depth: int) -> Any:
    value: Any = []
    for level in range(depth):
        value = {"a": value} if level % 2 else [value]
    return value


def test_depth_has_an_end() -> None:
    check_plain(nested(64), "file")
    with pytest.raises(CheckpointError, match=r"^file: damaged: nested deeper than 64 levels$"):
        check_plain(nested(65), "file")


@pytest.mark.parametrize("value", ["a\ud800", {"\udfff": 1}, [[{"a": ["\ud800"]}]]])
def test_half_a_surrogate_pair_is_refused_wherever_it_is(value: Any) -> None:
    with pytest.raises(CheckpointError, match=r"^file: damaged: half a surrogate pair in '.*\\ud"):
        check_plain(value, "file")
