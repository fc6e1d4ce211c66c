"""Numbers in README and docs: parts between markers are made from `templates/NAME.md`, with values from kept files.

<!-- numbers: NAME -->
The packaged model has a dev F1 of 89.8.
<!-- /numbers -->
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from experiments import joint_table
from experiments.placeholders import Placeholders
from spanlin.errors import EvaluationError

ROOT = Path(__file__).parents[1]
TEMPLATES = Path(__file__).parent / "templates"
_BLOCK = re.compile(r"^<!-- numbers: ([\w-]+) -->\n(.*?)^<!-- /numbers -->$", re.MULTILINE | re.DOTALL)


def pages(root: Path = ROOT) -> list[Path]:
    """Return the pages that may have numbers."""
    docs = [path for path in sorted((root / "docs").glob("*.md")) if path.name != "paper-tables.md"]
    return [root / "README.md", *docs, root / "experiments" / "README.md"]


def filled(text: str, values: Placeholders, templates: Path = TEMPLATES) -> str:
    """Return a page with all parts between markers made anew."""

    def part(match: re.Match[str]) -> str:
        path = templates / f"{match[1]}.md"
        if not path.exists():
            raise EvaluationError(f"there is no {path.name} in experiments/templates for its marker")
        made = values.fill(path.read_text(encoding="utf-8").strip(), f"templates/{path.name}")
        return f"<!-- numbers: {match[1]} -->\n{made}\n<!-- /numbers -->"

    return _BLOCK.sub(part, text)


def names_in(text: str) -> list[str]:
    """Return the names of the parts of a page."""
    return [match[1] for match in _BLOCK.finditer(text)]


def made_pages(values: Placeholders, root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Yield each page and what it should say, the table of `joint/` included."""
    for path in pages(root):
        text = filled(path.read_text(encoding="utf-8"), values)
        if joint_table.START in text:
            text = joint_table.page_with(text, joint_table.section())
        yield path, text
