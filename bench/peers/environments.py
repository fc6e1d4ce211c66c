"""Where a peer's packages come from: an environment made on demand from the package registry, or a carried folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable, Sequence
from pathlib import Path

COMMON_PINS = ("torch==2.13.0", "transformers==4.57.6", "tokenizers==0.22.2", "numpy==2.4.6")
"""The newest transformers that the peers' own code, plus the runners' small patches, gets along with."""

PINS: dict[str, tuple[str, ...]] = {
    "benepar": ("benepar==0.2.0", "torch-struct==0.5", "nltk==3.10.4", "spacy==3.8.18"),
    "supar": ("supar==1.1.4", "nltk==3.10.4", "dill==0.4.1", "stanza==1.15.0"),
    "stanza": ("stanza==1.14.0",),
}

_NLTK = ("nltk==3.10.4", "defusedxml==0.7.1", "joblib==1.6.0")

PLAIN_FILES: dict[str, tuple[str, ...]] = {
    "benepar": ("benepar==0.2.0", "torch-struct==0.5", *_NLTK),
    "supar": ("supar==1.1.4", "dill==0.4.1", *_NLTK),
    "stanza": (
        *("stanza==1.14.0", "emoji==2.16.0", "platformdirs==4.14.5", "udtools==0.2.9", "udapi==0.5.2"),
        *("colorama==0.4.6", "termcolor==3.3.0", "requests==2.32.5", "urllib3==2.8.0", "certifi==2026.10.18"),
        *("idna==3.20", "charset-normalizer==3.5.2"),
    ),
}
"""What a Python that has torch, transformers and their requirements lacks to run a peer; no more than it imports."""

NOT_WANTED = ("**/*.so", "bin", "docs", "**/test", "**/tests", "stanza/pipeline/demo", "emoji/unicode_codes/emoji_*")
"""What is left out of a folder to carry: code for this very Python, which has a plain twin, and what no peer loads."""

STAMP = "spanlin-bench-pins.json"


class InstallError(Exception):
    """A peer cannot be installed; the message is one line."""


def python_of(peer: str, folder: Path) -> Path:
    """Return the Python of the peer's environment, made first if it is not there or has other pins."""
    home = folder / peer
    python = home / "bin" / "python"
    pins = [*COMMON_PINS, *PINS[peer]]
    stamp = home / STAMP
    if stamp.exists() and json.loads(stamp.read_text(encoding="utf-8")) == pins:
        return python
    venv.create(home, clear=True, with_pip=True)
    run_pip([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins])
    stamp.write_text(json.dumps(pins), encoding="utf-8")
    return python


def pack(peers: Iterable[str], folder: Path) -> None:
    """Put what the peers lack beside torch and transformers into a folder, to be carried to where no registry is."""
    wanted = sorted({pin for peer in peers for pin in PLAIN_FILES[peer]})
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    run_pip([*command, "--no-deps", "--upgrade", "--target", str(folder), *wanted])
    prune(folder)


def prune(folder: Path) -> None:
    """Remove what is not wanted there."""
    for path in [path for pattern in NOT_WANTED for path in folder.glob(pattern)]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def packed(folder: Path) -> list[str]:
    """Return the distributions of such a folder with their versions."""
    return sorted(path.stem for path in folder.glob("*.dist-info"))


def run_pip(command: Sequence[str]) -> None:
    """Run a pip command; its first error becomes ours."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines()[-1:]
        raise InstallError(f"pip: {errors[0] if errors else done.returncode}"[:300])


def own_python() -> Path:
    """Return the Python that runs this, for our own parser."""
    return Path(sys.executable)
