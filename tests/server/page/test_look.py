"""How the page lays out trees, and what of them can be folded, hidden and made larger, in a real browser."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from page_visits import (
    CODE,
    TELESCOPE,
    Node,
    drawn,
    eventually,
    expect,
    expected,
    keep,
    needs_chromium,
    parse,
    save,
    wait_for_tree,
)
from spanlin.parser import Parser

if TYPE_CHECKING:
    from page_visits import Visit

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'spanlin[test]'")
pytestmark = [needs_chromium, pytest.mark.slow]
IN_BOTH_MODES = True


def test_a_node_folds_under_a_roof_and_unfolds(visit: Visit) -> None:
    page = visit(text=TELESCOPE)
    before = drawn(page)
    node = page.locator("#tree-frame .phrase-node[data-label=VP]").first
    node.hover()
    node.locator(".toggle").click()
    assert len(drawn(page)) < len(before)
    expect(page.locator("#tree-frame .roof")).to_have_count(1)
    page.get_by_role("button", name="Unfold 1 part").click()
    assert drawn(page) == before


def test_two_hundred_words_are_laid_out(visit: Visit, reference: Parser, request: pytest.FixtureRequest) -> None:
    text = " and ".join(["the old man with the dog that barked saw a cat"] * 17) + " ."
    page = visit(text=text, view="both")
    eventually(page, lambda: page.locator("#sentence .token").count() >= 200)
    # It starts folded, for all of it would be many screens wide.
    page.get_by_role("button", name=re.compile(r"Unfold \d+ parts")).click()
    told = json.loads(save(page, "JSON"))
    nodes: list[Node] = sorted((one["label"], one["left"], one["right"]) for one in told["constituents"])
    wait_for_tree(page, nodes)
    # In so long a sentence, int8 in the tab may choose otherwise where two readings are all but equally probable.
    if request.node.callspec.params["mode"] == "service":
        assert nodes == expected(parse(reference, text))
    page.locator("#table-frame").evaluate("frame => frame.scrollTo(900, 900)")
    page.locator("#table-frame canvas").hover(position={"x": 200, "y": 60})
    expect(page.locator("#card")).to_be_visible()


SENATOR = (
    "The committee that the senator who resigned last week had chaired for years finally published its long awaited "
    "report on the state of the economy ."
)


def test_the_tree_of_a_long_sentence_has_the_width_of_the_page(visit: Visit) -> None:
    page = visit(width=1440, text=SENATOR)
    expect(page.locator("#table-panel")).to_be_hidden()
    frame = page.locator("#tree-frame").bounding_box()
    last = page.locator("#tree-frame .word-node").last.bounding_box()
    assert frame is not None
    assert last is not None
    assert last["x"] + last["width"] <= frame["x"] + frame["width"]
    keep(page, "desktop-wide")


def test_the_frame_is_as_tall_as_the_tree(visit: Visit) -> None:
    page = visit(text="Dogs bark .")
    small = page.locator("#tree-frame").bounding_box()
    page.fill("#text", SENATOR)
    eventually(page, lambda: page.locator("#sentence .token").count() > 20)
    large = page.locator("#tree-frame").bounding_box()
    assert small is not None
    assert large is not None
    assert small["height"] < 300 < large["height"]


def test_tabs_show_the_tree_the_table_or_both(visit: Visit) -> None:
    page = visit(text=CODE)
    tree, table = page.locator("#tree-panel"), page.locator("#table-panel")
    page.get_by_role("tab", name="Span table").click()
    expect(tree).to_be_hidden()
    expect(table).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(tree).to_be_visible()
    expect(table).to_be_visible()
    eventually(page, lambda: "view=both" in page.url)
    page.keyboard.press("ArrowRight")
    expect(tree).to_be_visible()
    expect(table).to_be_hidden()


def test_the_tree_takes_the_whole_screen_and_gives_it_back(visit: Visit) -> None:
    page = visit(text=TELESCOPE)
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("document.fullscreenElement !== null")
    box = "(({ width, height }) => [width, height])(document.querySelector('#tree-panel').getBoundingClientRect())"
    eventually(page, lambda: page.evaluate(box) == page.evaluate("[innerWidth, innerHeight]"))
    page.hover("#tree-frame .phrase-node[data-label=VP] .label")
    expect(page.locator("#card")).to_be_visible()
    for _ in range(20):  # what is covered cannot be reached
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('body, #tree-panel *')")
    page.evaluate("location.hash += '&decoder=strict&require=1.2-7'")
    page.get_by_role("button", name="Close this message").click()  # and a message is on top
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("document.fullscreenElement === null")
    page.locator("#text").focus()
    expect(page.locator("#composer")).to_be_in_viewport()


def test_tags_and_probabilities_can_be_hidden_and_branches_slanted(visit: Visit) -> None:
    page = visit(text=TELESCOPE)
    tags = page.locator("#tree-frame .tag")
    edges = "edges => edges.map(edge => edge.getAttribute('d')).join('')"
    expect(tags.first).to_have_text("PRP")
    assert page.locator("#tree-frame .doubt").count() > 0
    page.get_by_label("tags", exact=True).uncheck()
    expect(tags.first).to_have_text("")
    page.get_by_label("probabilities", exact=True).uncheck()
    expect(page.locator("#tree-frame .doubt")).to_have_count(0)
    expect(page.locator("#sureness")).to_be_hidden()
    page.get_by_label("slanted branches").check()
    assert "Q" not in page.eval_on_selector_all("#tree-frame .edge", edges)
    # No branch goes through a label that it does not lead to.
    crossed = page.evaluate(
        """() => [...document.querySelectorAll('#tree-frame .edge')].flatMap(edge => {
          const parts = edge.getAttribute('d').match(/-?[\\d.]+/g)?.map(Number) ?? [];
          if (parts.length < 4) return [];
          const [x0, y0, x1, y1] = parts;
          return [...document.querySelectorAll('#tree-frame .phrase-node')].filter(node => {
            const [x, y] = node.style.transform.match(/-?[\\d.]+/g).map(Number);
            const at = x0 + (x1 - x0) * (y - y0) / (y1 - y0);
            return y > y0 + 1 && y < y1 - 1 && Math.abs(at - x) < 16;
          }).map(node => node.dataset.label);
        })"""
    )
    assert crossed == []
    assert "Q" not in save(page, "SVG").decode().partition("<path d=")[2].partition(" fill")[0]
    again = visit()
    again.goto(page.url)
    again.wait_for_selector("[role=treeitem]", state="attached")
    expect(again.get_by_label("slanted branches")).to_be_checked()
    expect(again.get_by_label("tags", exact=True)).not_to_be_checked()
    keep(again, "desktop-slanted")
