"""The docs site takes the page without a server along, if it has been built."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

HOOK = Path(__file__).parents[2] / "docs" / "try_page.py"

pytestmark = pytest.mark.skipif(not HOOK.exists(), reason="installed without its docs")


@pytest.fixture
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("try_page", HOOK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_page_that_was_built_comes_along(hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page"
    (page / "tab").mkdir(parents=True)
    (page / "index.html").write_text("the page", encoding="utf-8")
    monkeypatch.setattr(hook, "PAGE", page)
    assert 'href="../try/"' in hook.on_page_markdown("a\n<!-- try -->\nb")
    hook.on_post_build({"site_dir": str(tmp_path / "site")})
    assert (tmp_path / "site" / "try" / "index.html").read_text(encoding="utf-8") == "the page"


def test_a_page_that_was_not_built_is_told(hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "PAGE", tmp_path / "none")
    assert "npm run page" in hook.on_page_markdown("a\n<!-- try -->\nb")
    hook.on_post_build({"site_dir": str(tmp_path / "site")})
    assert not (tmp_path / "site").exists()


def test_the_page_of_the_docs_has_the_place_for_it() -> None:
    assert "<!-- try -->" in (HOOK.parent / "try-it.md").read_text(encoding="utf-8")
