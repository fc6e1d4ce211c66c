"""What the page saves and copies, in a real browser against the real service with the packaged model."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from page_visits import (
    CODE,
    eventually,
    expect,
    needs_chromium,
    parse,
    save,
)
from spanlin.parser import Parser

if TYPE_CHECKING:
    from page_visits import Visit

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'spanlin[test]'")
pytestmark = [needs_chromium, pytest.mark.slow]
IN_BOTH_MODES = True

TRICKY = 'They paid 5% of A&B_C {or} $3 #1 ~ ^ \\ | " <b> -- to [us] (twice) !'


def test_exports_say_what_the_library_says(visit: Visit, reference: Parser) -> None:
    parsed = parse(reference, TRICKY)
    page = visit(text=TRICKY)
    assert save(page, "Brackets").decode() == parsed.brackets() + "\n"
    assert save(page, "LaTeX").decode() == parsed.latex() + "\n"
    told = json.loads(save(page, "JSON"))
    assert told["words"] == list(parsed.words)
    assert "left_log_probs" not in told
    svg = ET.fromstring(save(page, "SVG").decode())
    space = "{http://www.w3.org/2000/svg}"
    spans = [
        (g.get("data-left"), g.get("data-right")) for g in svg.iter(f"{space}g") if g.get("class") == "constituent"
    ]
    assert sorted(spans) == sorted((str(c.left), str(c.right)) for c in parsed.constituents())
    texts = {text.text for text in svg.iter(f"{space}text")}
    assert set(parsed.words) <= texts
    assert "style" not in {name for element in svg.iter() for name in element.attrib}
    png = save(page, "PNG")
    assert png.startswith(b"\x89PNG")
    assert len(png) > 3000


def test_a_picture_that_cannot_be_made_is_told_in_the_dialog(visit: Visit) -> None:
    page = visit(text=CODE)
    page.evaluate("() => { HTMLCanvasElement.prototype.toBlob = (take) => take(null); }")
    page.click("#export")
    page.get_by_role("radio", name="PNG", exact=True).check()
    told = page.locator("#export-dialog").get_by_role("status")
    expect(told).to_have_text("That did not work: the picture is too large. Save it as SVG, or fold parts of the tree.")
    expect(page.locator("#export-preview img")).to_have_count(0)
    page.get_by_role("radio", name="SVG", exact=True).check()
    expect(told).to_be_empty()
    page.get_by_role("radio", name="PNG", exact=True).check()
    page.get_by_role("button", name="Save file").click()
    expect(told).to_contain_text("too large")
    page.get_by_role("radio", name="SVG", exact=True).check()
    page.get_by_role("button", name="Save file").click()
    expect(told).to_have_text("Saved tree.svg")


def test_copying_puts_the_tree_and_the_link_into_the_clipboard(visit: Visit, reference: Parser) -> None:
    page = visit(text=CODE)
    page.click("#export")
    page.get_by_role("radio", name="Brackets", exact=True).check()
    page.get_by_role("button", name="Copy", exact=True).click()
    page.locator("#export-dialog").get_by_role("status").get_by_text("Copied as Brackets").wait_for()
    eventually(
        page, lambda: page.evaluate("navigator.clipboard.readText()") == parse(reference, CODE).brackets() + "\n"
    )
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Link copied").wait_for()
    eventually(page, lambda: page.evaluate("navigator.clipboard.readText()") == page.url)


def test_all_sentences_are_exported_if_asked_for(visit: Visit, reference: Parser) -> None:
    text = "Dogs bark. Cats sleep all day."
    page = visit(text=text)
    page.click("#export")
    page.get_by_role("radio", name="Brackets", exact=True).check()
    page.get_by_label("All sentences of the text").check()
    page.locator("#export-dialog").get_by_role("button", name="Close").click()
    parses = reference.parse(text)
    assert save(page, "Brackets").decode() == "".join(f"{parsed}\n" for parsed in parses)
    assert save(page, "LaTeX").decode() == "\n".join(f"{parsed.latex()}\n" for parsed in parses)
    assert [one["text"] for one in json.loads(save(page, "JSON"))] == [parsed.text for parsed in parses]
