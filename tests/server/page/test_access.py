"""That the page can be used by all: with keys, a screen reader, on a phone, in the dark, and without a network."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from page_visits import CODE, TELESCOPE, eventually, expect, keep, needs_chromium
from spanlin.server.app import PAGE_FOLDER

if TYPE_CHECKING:
    from page_visits import Visit

pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'spanlin[test]'")
pytestmark = [needs_chromium, pytest.mark.slow]
IN_BOTH_MODES = True


def test_a_phone_shows_all_without_scrolling_sideways(visit: Visit) -> None:
    page = visit(width=360, height=740, text=TELESCOPE)
    fits = "document.documentElement.scrollWidth <= innerWidth"
    eventually(page, lambda: page.evaluate(fits))
    keep(page, "phone")
    expect(page.locator("#table-panel")).to_be_hidden()
    page.get_by_role("tab", name="Span table").tap()
    expect(page.locator("#table-frame canvas")).to_be_visible()
    expect(page.locator("#tree-panel")).to_be_hidden()
    eventually(page, lambda: page.evaluate(fits))
    keep(page, "phone-table")
    page.locator("#table-frame canvas").tap(position={"x": 250, "y": 60})
    expect(page.locator("#menu")).to_be_visible()
    eventually(page, lambda: page.evaluate(fits))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Export").tap()
    eventually(page, lambda: page.evaluate(fits))


def test_a_phone_shows_two_trees_and_folded_ones_without_scrolling_sideways(visit: Visit) -> None:
    page = visit(width=360, height=740, text=TELESCOPE, compare="reading-2")
    page.wait_for_selector("#other-frame [role=treeitem]", state="attached")
    fits = "document.documentElement.scrollWidth <= innerWidth"
    beyond = "all => all.map(one => one.getBoundingClientRect().right - innerWidth).filter(more => more > 0)"
    one, other = (page.locator(name).bounding_box() for name in ("#how", "#export"))
    assert one is not None
    assert other is not None
    assert abs(one["y"] - other["y"]) < 20  # in one row
    buttons = ".tree-panel .head-actions button:not([hidden])"
    assert (page.evaluate(fits), page.eval_on_selector_all(buttons, beyond)) == (True, [])
    page.locator("#tree-frame .phrase-node").first.focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Unfold 1 part")).to_be_visible()
    assert (page.evaluate(fits), page.eval_on_selector_all(buttons, beyond)) == (True, [])
    keep(page, "phone-two-trees")


def test_a_phone_opens_on_the_root_with_decoders_tucked_away(visit: Visit) -> None:
    page = visit(width=360, height=740, text=TELESCOPE)
    expect(page.locator("#tree-frame .phrase-node").first).to_be_in_viewport()
    expect(page.locator("#decoder")).to_be_hidden()
    page.get_by_role("button", name="Readings and decoders").tap()
    expect(page.locator("#decoder")).to_be_visible()
    chosen = visit(width=360, height=740, text=TELESCOPE, decoder="cky")
    expect(chosen.locator("#decoder")).to_be_visible()
    chosen.get_by_role("button", name="Readings and decoders").tap()
    chosen.get_by_role("tab", name="Span table").tap()
    expect(chosen.locator("#table-panel")).to_be_visible()
    expect(chosen.locator("#decoder")).to_be_hidden()


def test_tab_reaches_the_views_in_a_window_too_narrow_for_both(visit: Visit) -> None:
    page = visit(width=800, text=CODE, view="both")
    tree, both = (page.locator(f"#tab-{name}") for name in ("tree", "both"))
    expect(tree).to_have_attribute("tabindex", "0")
    page.set_viewport_size({"width": 1200, "height": 900})
    expect(both).to_have_attribute("tabindex", "0")
    expect(tree).to_have_attribute("tabindex", "-1")
    assert page.get_by_role("tabpanel").count() == 2


@pytest.mark.parametrize(("scheme", "sign"), [("light", "#icon-theme"), ("dark", "#icon-sun")])
def test_the_sign_of_the_theme_is_of_the_other_one(visit: Visit, scheme: str, sign: str) -> None:
    page = visit(scheme=scheme)
    expect(page.locator("#theme use")).to_have_attribute("href", sign)


def test_dark_is_one_click_away_and_remembered(visit: Visit) -> None:
    page = visit(text=TELESCOPE)
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.click("#theme")
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    page.wait_for_selector("[role=treeitem]")
    eventually(page, lambda: page.evaluate(background) == dark)
    page.hover("#tree-frame .phrase-node >> nth=2")
    keep(page, "desktop-dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_its_ground(visit: Visit, scheme: str) -> None:
    page = visit(scheme=scheme)
    pairs = [
        *(("ink", ground) for ground in ("page", "surface", "raised", "accent-soft", "select-soft", "danger-soft")),
        *(("muted", ground) for ground in ("page", "surface", "raised")),
        *((name, ground) for name in ("accent", "select", "danger") for ground in ("surface", f"{name}-soft")),
        *((name, f"{name}-soft") for name in ("likely", "unsure")),
        *((name, "surface") for name in ("left-child", "right-child")),
        ("on-accent", "accent"),
    ]
    for name, ground in pairs:
        one, two = (
            page.evaluate(
                "name => { const e = document.createElement('i'); document.body.append(e);"
                " e.style.color = `var(--${name})`; const c = getComputedStyle(e).color; e.remove();"
                " return c.match(/[\\d.]+/g).slice(0, 3).map(Number); }",
                each,
            )
            for each in (name, ground)
        )
        bright, dim = sorted((_luminance(one), _luminance(two)), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 4.5, (name, ground)  # WCAG 2.2, AA


def _luminance(colour: list[float]) -> float:
    parts = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def test_the_tree_can_be_walked_with_the_keys(visit: Visit) -> None:
    page = visit(text=CODE)
    focused = "document.activeElement.getAttribute('aria-label')"

    def is_focused(label: str) -> bool:
        found: str = page.evaluate(focused)
        return found.startswith(label)

    page.locator("#tree-frame").focus()
    page.keyboard.press("Tab")
    eventually(page, partial(is_focused, "S, clause; She loves writing code .; probability"))
    walk = {
        "ArrowDown": "NP, noun phrase; She;",
        "ArrowRight": "VP, verb phrase; loves",
        "ArrowUp": "S, clause;",
        "End": "., punctuation; .;",
        "ArrowLeft": "NN, noun; code;",
    }
    for key, label in walk.items():
        page.keyboard.press(key)
        eventually(page, partial(is_focused, label))
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    root = page.locator("#tree-frame [role=treeitem]").first
    expect(root).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#tree-frame [role=treeitem]")).to_have_count(1)
    page.keyboard.press("Space")
    expect(root).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    eventually(page, lambda: page.evaluate("document.activeElement.textContent") == "Require this phrase")
    page.keyboard.press("ArrowDown")
    eventually(page, lambda: page.evaluate("document.activeElement.textContent") == "Forbid this phrase")
    page.keyboard.press("Escape")
    eventually(page, lambda: page.evaluate(focused).startswith("VP, verb phrase; loves"))


def test_every_part_of_the_tree_has_a_name_and_a_place_for_a_screen_reader(visit: Visit) -> None:
    page = visit(text=CODE)
    tree = page.get_by_role("tree", name="Constituents of the sentence")
    items = tree.get_by_role("treeitem")
    told = items.evaluate_all("all => all.map(i => [i.getAttribute('aria-level'), i.getAttribute('aria-label')])")
    assert [level for level, _ in told[:3]] == ["1", "2", "3"]
    assert all(label for _, label in told)
    assert items.evaluate_all("all => all.filter(i => i.tabIndex === 0).length") == 1
    unnamed = page.eval_on_selector_all(
        "button, select, input, textarea",
        "all => all.filter(e => e.checkVisibility() && !e.getAttribute('aria-label') && !e.textContent.trim()"
        " && !(e.labels && e.labels.length)).map(e => e.outerHTML)",
    )
    assert unnamed == []


def test_the_picture_pans_and_zooms_by_mouse_and_by_key(visit: Visit) -> None:
    page = visit(text=CODE)
    frame = page.locator("#tree-frame")
    box = frame.bounding_box()
    assert box is not None
    view = "document.querySelector('#tree-frame .tree-svg > g').getAttribute('transform')"
    seen = [page.evaluate(view)]

    def see_another() -> None:
        eventually(page, lambda: page.evaluate(view) != seen[-1])
        seen.append(page.evaluate(view))

    page.mouse.move(box["x"] + 1, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] - 1, box["y"] + 20)
    page.mouse.up()  # outside, before it was a drag
    page.mouse.move(box["x"] + 90, box["y"] + 90, steps=3)
    assert page.evaluate(view) == seen[-1]
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.wheel(0, -200)
    see_another()
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 60, steps=4)
    page.mouse.up()
    see_another()
    frame.focus()
    for key in ("ArrowLeft", "+", "0"):
        page.keyboard.press(key)
        see_another()
    expect(page.locator("#menu")).to_be_hidden()


def test_the_page_names_nothing_outside() -> None:
    files = [path for path in PAGE_FOLDER.rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'`)]*", path.read_text(encoding="utf-8")))
        assert addresses <= {"http://www.w3.org/2000/svg"}, path
