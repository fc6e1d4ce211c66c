"""One virtual environment a peer, made on demand from the package registry by the pins below."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

COMMON_PINS = ("torch==2.13.0", "transformers==4.57.6", "tokenizers==0.22.2", "numpy==2.4.6")
"""The newest transformers that the peers' own code, plus the runners' small patches, gets along with."""

PINS: dict[str, tuple[str, ...]] = {
    "benepar": ("benepar==0.2.0", "torch-struct==0.5", "nltk==3.10.4", "spacy==3.8.18"),
    "supar": ("supar==1.1.4", "nltk==3.10.4", "dill==0.4.1", "stanza==1.15.0"),
    "stanza": ("stanza==1.14.0",),
}

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
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines()[-1:]
        raise InstallError(f"pip: {errors[0] if errors else done.returncode}"[:300])
    stamp.write_text(json.dumps(pins), encoding="utf-8")
    return python


def own_python() -> Path:
    """Return the Python that runs this, for our own parser."""
    return Path(sys.executable)
