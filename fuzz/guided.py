"""One target under atheris: `python -m fuzz.guided TARGET [libFuzzer's options] [folders]`; see `fuzz.__main__`."""

from __future__ import annotations

import random
import shlex
import sys
import warnings
from pathlib import Path

from fuzz.target import check_in_time, load_target, work_folder


def main() -> None:
    """Fuzz until libFuzzer ends the process."""
    import atheris

    name, *options = sys.argv[1:]
    with atheris.instrument_imports(include=["spanlin", "tomllib"]):
        target = load_target(name)
    warnings.simplefilter("error")
    folders = [Path(option) for option in options if not option.startswith("-")]
    is_merge = any(option.startswith("-merge") for option in options)
    if folders and not is_merge and not any(folders[0].iterdir()):
        for number, raw in enumerate(target.seeds()):
            (folders[0] / f"seed-{number:02}").write_bytes(raw)

    def mutate(raw: bytes, max_size: int, seed: int) -> bytes:
        generator = random.Random(seed)
        if generator.random() < target.blind_share:
            return bytes(atheris.Mutate(raw, max_size))
        for _ in range(generator.choice((1, 1, 1, 2, 4))):
            changed = target.mutate(raw, generator)
            raw = changed if len(changed) <= max_size else raw
        return raw

    def check(raw: bytes) -> None:
        check_in_time(target, bytes(raw))

    itself = _executable(name)
    atheris.Setup([itself, f"-max_len={target.longest}", *options], check, custom_mutator=mutate)
    atheris.Fuzz()


def _executable(name: str) -> str:
    """Return a program that does what this one does: to merge inputs, libFuzzer starts itself again and again."""
    path = work_folder() / "guided"
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m fuzz.guided {name} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return str(path)


if __name__ == "__main__":
    main()
