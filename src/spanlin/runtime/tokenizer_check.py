"""What a stranger's tokenizer may not have."""

from __future__ import annotations

import re
from typing import Any

from spanlin.errors import CheckpointError
from spanlin.runtime.strict_json import read_strictly

# Characters, one class or one repetition among them: no way to go back and try again more often than words are long.
_HARMLESS = re.compile(r"(?:[^()\[\]{}|*+?\\]|\\[sdw])*(?:[*+]|\{\d{0,3},?\d{0,3}\})?(?:[^()\[\]{}|*+?\\]|\\[sdw])*")
_LONGEST_PATTERN = 200
_MOST_STEPS = 10_000  # of normalizer, pre-tokenizer and post-processor


def check_tokenizer(raw: bytes, source: str) -> None:
    """Raise a CheckpointError if a tokenizer is no JSON, or has a regular expression that may take for ever."""
    description = read_strictly(raw, source)
    if not isinstance(description, dict):
        raise CheckpointError(f"{source}: not a tokenizer: no JSON object")
    waiting: list[Any] = [value for key, value in description.items() if key not in ("model", "added_tokens")]
    steps = 0
    while waiting:
        item = waiting.pop()
        steps += 1
        if steps > _MOST_STEPS:
            raise CheckpointError(f"{source}: not a tokenizer: more than {_MOST_STEPS} steps")
        if isinstance(item, dict):
            pattern = item.get("Regex", "")
            if not isinstance(pattern, str) or len(pattern) > _LONGEST_PATTERN or not _HARMLESS.fullmatch(pattern):
                raise CheckpointError(
                    f"{source}: its regular expression {ascii(pattern)[:60]} may take for ever: only plain characters "
                    "with one repetition are taken"
                )
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
