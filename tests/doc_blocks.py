"""The code blocks of Markdown pages, and how the marked ones are run.

Examples with `>>>` are doctests. A block below `<!-- run -->` is run as it stands: `python` as a script, `sh` line by
line, and `console` too, with the output it shows. `<!-- run: NAME -->` asks for an optional package first,
`<!-- run without NAME -->` runs where it cannot be imported.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^>]*?) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    mark: str
    language: str
    text: str

    @property
    def runs(self) -> bool:
        return re.fullmatch(r"run(: \w+| without \w+)?", self.mark) is not None

    @property
    def needs(self) -> str:
        return self.mark.partition(": ")[2]

    @property
    def without(self) -> str:
        return self.mark.partition(" without ")[2]


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    found = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(block["mark"] or "", block["language"], block["text"]) for block in found]


def commands(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a console block with the output that each shows."""
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert parts[0] == "", "a console block starts with a command"
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts[1:])]


def shell(command: str, folder: Path, *, without: str = "") -> str:
    """Return what a command prints; `spanlin` is that of the Python that runs the tests, perhaps without a package."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1"}
    if without:
        blocked = folder / f".without-{without}"
        blocked.mkdir(exist_ok=True)
        (blocked / f"{without}.py").write_text(f"raise ModuleNotFoundError('no {without} here', name='{without}')\n")
        environment["PYTHONPATH"] = os.pathsep.join([str(blocked), *filter(None, [os.environ.get("PYTHONPATH")])])
    found = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert found.returncode in {0, 141}, f"{command}: {found.stderr}"
    return found.stdout
