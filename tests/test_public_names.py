from __future__ import annotations

import re
from pathlib import Path

import pytest

import spanlin


def test_all_names_every_public_name() -> None:
    import types

    public = {
        name
        for name, value in vars(spanlin).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    } - {"annotations", "import_module", "TYPE_CHECKING"}
    later = {"CharacterConstraints", "Constraints", "ParseOptions", "Parsed", "Parser"}
    assert public | {"__version__"} | later == set(spanlin.__all__)
    assert all(getattr(spanlin, name) is not None for name in spanlin.__all__)


def test_importing_spanlin_does_not_import_what_only_parsing_needs() -> None:
    import subprocess
    import sys

    code = (
        "import sys, spanlin; print([name for name in ('onnxruntime', 'torch', 'tokenizers') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_changelog_starts_with_this_version_or_what_is_unreleased() -> None:
    changelog = Path(__file__).parent.parent / "CHANGELOG.md"
    if not changelog.exists():
        pytest.skip("installed without its changelog")
    headings = re.findall(r"^## \[?([^\]\s]+)", changelog.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert spanlin.__version__ in headings
