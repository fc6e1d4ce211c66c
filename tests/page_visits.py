"""What there is to be seen and done on the service's page, in a real browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page
    from playwright.sync_api._generated import LocatorAssertions

    Visit: TypeAlias = Callable[..., Page]

CHROMIUM = os.environ.get("SPANLIN_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: install it, or name it in SPANLIN_CHROMIUM")

CODE = "She loves writing code ."
TELESCOPE = "I saw the man with the telescope in the park near the old bank yesterday."

Node: TypeAlias = tuple[str, int, int]


def keep(page: Page, name: str) -> None:
    """Keep a screenshot, if someone wants to look at it."""
    folder = os.environ.get("SPANLIN_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        if page.locator("meta[name=spanlin-model]").count():  # the page without a server
            name = f"tab-{name}"
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def parse(parser: Parser, text: str, **options: Any) -> Parsed:
    """Return the parse of a text of one sentence."""
    [parsed] = parser.parse(text, ParseOptions(**options))
    return parsed


def expected(parsed: Parsed) -> list[Node]:
    """Return the constituents of a parse, sorted."""
    return sorted((found.label, found.left, found.right) for found in parsed.constituents())


def drawn(page: Page, frame: str = "#tree-frame") -> list[Node]:
    """Return the constituents of the drawing, sorted."""
    found = page.eval_on_selector_all(
        f"{frame} .phrase-node", "nodes => nodes.map(n => [n.dataset.label, +n.dataset.left, +n.dataset.right])"
    )
    return sorted((label, left, right) for label, left, right in found)


def expect(locator: Locator) -> LocatorAssertions:
    """Return what can be said of a part of the page and be waited for: a busy machine is late."""
    from playwright.sync_api import expect as expect_in_time

    expect_in_time.set_options(timeout=15_000)
    return expect_in_time(locator)


def eventually(page: Page, is_so: Callable[[], bool]) -> None:
    """Wait until something is so, and fail if it never is."""
    for _ in range(600):
        if is_so():
            return
        page.wait_for_timeout(25)
    assert is_so()


def wait_for_tree(page: Page, nodes: list[Node], frame: str = "#tree-frame") -> None:
    """Wait until the drawing has just these constituents."""
    eventually(page, lambda: drawn(page, frame) == nodes)


def wish_by_dragging(page: Page, left: int, right: int, item: str) -> None:
    """Drag over the words of a span and pick an item of the menu that opens."""
    tokens = page.locator("#sentence .token")
    tokens.nth(left).hover()
    page.mouse.down()
    tokens.nth(right - 1).hover()
    page.mouse.up()
    page.get_by_role("menuitem", name=item).click()


def save(page: Page, kind: str) -> bytes:
    """Export in a format and return what was saved."""
    page.click("#export")
    page.get_by_role("radio", name=kind, exact=True).check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save file").click()
    content = Path(download.value.path()).read_bytes()
    page.locator("#export-dialog").get_by_role("button", name="Close").click()
    return content
