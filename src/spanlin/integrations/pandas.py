"""Parses as a pandas table."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from spanlin.errors import MissingExtraError
from spanlin.parsed import Parsed

_NUMBERS = {**dict.fromkeys(("sentence", "left", "right", "start", "end"), "int64"), "probability": "float64"}
_COLUMNS = ["sentence", "label", "text", "left", "right", "start", "end", "probability"]


def constituents_frame(parses: Iterable[Parsed]) -> Any:
    """Return a `pandas.DataFrame` with one row a constituent; `sentence` counts the parses from 0.

    The other columns are those of `Constituent`. A sentence without words has no rows. Needs pandas.
    """
    try:
        # By name, so that neither mypy nor whoever never calls this needs it.
        pandas = importlib.import_module("pandas")
    except ModuleNotFoundError as error:
        raise MissingExtraError("constituents_frame needs pandas: pip install pandas") from error
    rows = [
        {"sentence": number, **found._asdict()}
        for number, parsed in enumerate(parses)
        for found in parsed.constituents()
    ]
    return pandas.DataFrame(rows, columns=_COLUMNS).astype(_NUMBERS)
