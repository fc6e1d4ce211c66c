"""JSON on one line, for other programs: as short and as fast as it goes."""

from __future__ import annotations

import json
import math
from typing import Any

try:
    import orjson
except ImportError:  # it is compiled, and not for every Python
    _fast = None
else:
    _fast = orjson.dumps


def compact_json(value: Any) -> bytes:
    """Return a value as JSON in UTF-8; NaN and infinity are null, and half a surrogate pair is escaped."""
    if _fast is not None:
        try:
            return _fast(value)
        except TypeError:  # half a surrogate pair, a whole number of more than 64 bits
            pass
    text = _written(value, ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _written(value, ensure_ascii=True).encode()


def _written(value: Any, *, ensure_ascii: bool) -> str:
    try:
        return json.dumps(value, ensure_ascii=ensure_ascii, allow_nan=False, separators=(",", ":"))
    except ValueError:  # a number that JSON has not
        return json.dumps(_without_nan(value), ensure_ascii=ensure_ascii, separators=(",", ":"))


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, (list, tuple)) else value
