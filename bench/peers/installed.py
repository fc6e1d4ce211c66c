"""What a user has installed to run a parser: versions and size on disk. Only the standard library, as the protocol."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any


def versions(distributions: Iterable[str]) -> dict[str, str]:
    """Return the versions of what decides the figures."""
    wanted = (*distributions, "torch", "transformers", "tokenizers", "onnxruntime", "numpy")
    found = {"python": sys.version.split()[0]}
    for name in wanted:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def installed_size(distributions: Iterable[str]) -> dict[str, Any]:
    """Return the size on disk of these distributions and all that they require, and which of those are not there.

    A distribution that is only a folder on the path counts by its package's Python files. Requirements for other
    systems or Pythons are not missed.
    """
    total, missing = 0, set[str]()
    waiting: list[tuple[str, frozenset[str], bool]] = [(name, frozenset(), True) for name in distributions]
    seen: set[tuple[str, frozenset[str]]] = set()
    counted: set[str] = set()
    while waiting:
        spelled, extras, needed = waiting.pop()
        name = re.sub(r"[-_.]+", "-", spelled).lower()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            if name not in counted:
                counted.add(name)
                size_there = loaded_bytes(name)
                total += size_there
                missing |= {name} if needed and not size_there else set()
            continue
        if name not in counted:
            counted.add(name)
            total += sum(size(Path(str(path.locate()))) for path in distribution.files or ())
            total += loaded_bytes(name) if is_editable(distribution) else 0
        waiting += wanted_by(distribution, extras)
    return {"install_bytes": total, "install_missing": sorted(missing)}


def wanted_by(distribution: metadata.Distribution, extras: frozenset[str]) -> list[tuple[str, frozenset[str], bool]]:
    """Return the name and extras of each requirement, and whether it holds on every system."""
    found = []
    for requirement in distribution.requires or ():
        parts = re.match(r"([\w.-]+)\s*(?:\[([^\]]*)\])?", requirement)
        marker = requirement.partition(";")[2]
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", marker)
        if parts is not None and (extra is None or extra.group(1) in extras):
            asked = frozenset(item.strip() for item in (parts.group(2) or "").split(",") if item.strip())
            found.append((parts.group(1), asked, not marker.strip()))
    return found


def loaded_bytes(name: str) -> int:
    """Return the size of the Python files of a package of this name that is loaded."""
    file = getattr(sys.modules.get(name.replace("-", "_")), "__file__", None)
    return sum(size(path) for path in Path(file).parent.rglob("*.py")) if file else 0


def is_editable(distribution: metadata.Distribution) -> bool:
    """Return whether the code of the distribution lies outside its list of files."""
    return '"editable": true' in (distribution.read_text("direct_url.json") or "")


def size(path: Path) -> int:
    """Return the bytes of a file, none where there is no such file."""
    return path.stat().st_size if path.is_file() else 0
