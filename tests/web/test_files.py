"""What the npm package shares with Python is as Python has it now."""

from __future__ import annotations

import json
import re
from typing import Any

from web.generate.files import WEB, sample_files, shared_files


def test_shared_tables_are_up_to_date() -> None:
    for path, text in shared_files().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is out of date: run `python -m web.generate`"


def test_samples_are_up_to_date() -> None:
    for path, text in sample_files().items():
        found, wanted = json.loads(path.read_text(encoding="utf-8")), json.loads(text)
        assert _shape(found) == _shape(wanted), f"{path.name} is out of date: run `python -m web.generate`"


def test_no_other_file_is_generated() -> None:
    folders = [WEB / "src" / "generated", WEB / "test" / "samples"]
    assert {path for folder in folders for path in folder.iterdir()} == {*shared_files(), *sample_files()}


def _shape(value: Any, key: str = "") -> Any:
    """Return a value without the probabilities, whose last digits depend on the processor."""
    if re.search("prob|marginals|left|right|labels|arcs", key) and not isinstance(value, (str, dict)):
        return None
    if isinstance(value, dict):
        return {name: _shape(one, name) for name, one in value.items()}
    return [_shape(one) for one in value] if isinstance(value, list) else value
