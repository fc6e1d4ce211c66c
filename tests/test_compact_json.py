"""The same JSON with orjson and without it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin import compact_json as module
from spanlin.compact_json import compact_json

orjson = pytest.importorskip("orjson", reason="this Python has none")

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=()), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(exclude_categories=())), inner),
    max_leaves=10,
)


@pytest.fixture(params=["orjson", "json"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "json":
        monkeypatch.setattr(module, "_fast", None)
    return str(request.param)


@given(VALUES)
def test_any_value_comes_back_half_surrogate_pairs_too(value: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for fast in (orjson.dumps, None):
            patch.setattr(module, "_fast", fast)
            written = compact_json(value)
            written.decode()
            assert json.loads(written) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_in_json_is_null(value: float, library: str) -> None:
    assert compact_json({"a": [value, 1.5], "b": (value,)}) == b'{"a":[null,1.5],"b":[null]}', library
    assert json.loads(compact_json([value, "\ud83d"])) == [None, "\ud83d"]


def test_it_is_one_line_in_utf8_without_spaces(library: str) -> None:
    value = {"text": "é\u2028\n€", "words": ["a", "b"], "p": 0.25, "none": None, "yes": True}
    written = '{"text":"é\u2028\\n€","words":["a","b"],"p":0.25,"none":null,"yes":true}'
    assert compact_json(value) == written.encode(), library


def test_what_json_cannot_have_is_an_error(library: str) -> None:
    with pytest.raises(TypeError, match="serializable"):
        compact_json({"a": object()})
    assert library
