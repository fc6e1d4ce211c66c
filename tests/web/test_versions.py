"""The npm package has the version of the Python package, and no address of a registry."""

from __future__ import annotations

import json
from pathlib import Path

import spanlin

WEB = Path(__file__).resolve().parents[2] / "web"


def test_the_npm_package_has_our_version() -> None:
    package = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    assert package["version"] == lock["version"] == lock["packages"][""]["version"] == spanlin.__version__
    assert f'VERSION = "{spanlin.__version__}"' in (WEB / "src" / "version.ts").read_text(encoding="utf-8")


def test_the_lock_file_names_no_host() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    assert not [name for name, one in lock["packages"].items() if "resolved" in one]
