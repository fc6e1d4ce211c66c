"""What a target is, and which there are."""

from __future__ import annotations

import atexit
import importlib
import random
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

SLOWEST = 5.0
"""Seconds of a processor that one input may take; the clock would count those of a busy machine too."""
CORPUS = Path(__file__).parent / "corpus"
NEEDS: dict[str, tuple[str, ...]] = {
    "brackets": (),
    "config": ("torch",),
    "conllu": (),
    "folder": (),
    "request": ("fastapi", "prometheus_client"),
    "splitter": (),
}
"""The six targets, and what must be installed for each beyond the light install."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """Something that reads untrusted bytes."""

    check: Callable[[bytes], None]
    """Raises if anything comes of these bytes but what is promised."""
    mutate: Callable[[bytes, random.Random], bytes]
    """Makes one change that keeps most of the format, so that what lies behind the first check is reached."""
    seeds: Callable[[], Sequence[bytes]]
    """Makes the inputs to begin with."""
    longest: int
    """Bytes of an input."""
    blind_share: float
    """Of the mutations, how many are left to the fuzzer, which knows nothing of the format."""


def load_target(name: str) -> Target:
    """Return a target; what it tests is imported only now."""
    target: Target = importlib.import_module(f"fuzz.{name}").TARGET
    return target


def check_in_time(target: Target, raw: bytes) -> None:
    """Raise if an input breaks a promise of a target, or takes too long."""
    start = time.process_time()
    target.check(raw)
    taken = time.process_time() - start
    assert taken < SLOWEST, f"it took {taken:.1f} s"


def kept_inputs(name: str) -> list[Path]:
    """Return the kept inputs of a target."""
    return sorted(path for path in (CORPUS / name).iterdir() if path.is_file())


def work_folder() -> Path:
    """Return a new folder that is gone when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="spanlin-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def is_drawn(raw: bytes, one_in: int) -> bool:
    """Tell whether a costly check is due for this input: always the same answer for the same bytes."""
    return zlib.crc32(raw) % one_in == 0


def damage(raw: bytes, generator: random.Random, tokens: Sequence[bytes]) -> bytes:
    """Return the bytes with one random change: something cut, copied, put in or made noise."""
    start, end = sorted(generator.choices(range(len(raw) + 1), k=2))
    near = min(end, start + generator.randrange(4))
    match generator.randrange(7):
        case 0:
            return raw[:start] + raw[near:]
        case 1 | 2:
            return raw[:start] + generator.choice(tokens) + raw[start:]
        case 3:
            return raw[:start] + generator.choice(tokens) + raw[near:]
        case 4:
            return raw[:end] + raw[start:]
        case 5:
            return raw[:start] + raw[end:]
        case _:
            return raw[:start] + generator.randbytes(generator.randrange(1, 4)) + raw[near:]
