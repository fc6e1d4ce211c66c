"""What the page does while something else is under way, or has changed behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from page_visits import CODE, drawn, eventually, expect, expected, needs_chromium, parse, wait_for_tree
from spanlin.parser import Parser

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

    from page_visits import Visit

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'spanlin[test]'")
pytestmark = [needs_chromium, pytest.mark.slow]

OTHER = "Dogs that bark often chase small cats ."


def hold(page: Page) -> Callable[[], None]:
    """Hold all parses; return what waits for one that is asked for, and lets it go on."""
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    def release() -> None:
        eventually(page, lambda: len(held) > 0)
        held.pop().continue_()

    page.route("**/v1/parse", keep)
    return release


def verb_phrase(page: Page) -> Locator:
    return page.locator("#tree-frame .phrase-node[data-label=VP][data-left='1'] .label")


def test_a_menu_of_the_old_tree_is_gone_when_the_new_one_comes(visit: Visit, reference: Parser) -> None:
    page = visit(text=CODE)
    release = hold(page)
    # At once, as the page parses when one has not typed for a moment.
    verb_phrase(page).evaluate(
        """(label, text) => {
            const box = document.querySelector("#text");
            box.value = text;
            box.dispatchEvent(new Event("input", { bubbles: true }));
            label.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        }""",
        OTHER,
    )
    expect(page.locator("#menu")).to_be_visible()
    release()
    wait_for_tree(page, expected(parse(reference, OTHER)))
    expect(page.locator("#menu")).to_be_hidden()


def test_a_wish_is_never_for_words_of_another_text(visit: Visit) -> None:
    page = visit(text=CODE)
    release = hold(page)
    page.fill("#text", OTHER)
    page.press("#text", "Control+Enter")
    verb_phrase(page).click()
    expect(page.locator("#menu")).to_be_hidden()
    page.locator("#arcs-frame .arc").nth(1).press("Enter")
    expect(page.locator("#menu")).to_be_hidden()
    release()
    expect(page.locator("#sentence .token")).to_have_count(8)
    page.locator("#arcs-frame .arc").nth(1).press("Enter")
    expect(page.locator("#menu")).to_be_visible()


def test_the_page_lives_on_beside_a_tree_that_could_not_be_had(visit: Visit) -> None:
    page = visit(text="Dogs bark. Cats sleep. Birds sing.", sentence="3")
    page.route("**/v1/parse", lambda route: route.abort())
    page.evaluate("location.hash = 'text=Something+else.&sentence=1'")
    page.get_by_role("alert").get_by_text("The server does not answer.").wait_for()
    page.get_by_role("tab", name="Span table").click()
    expect(page.locator("#table-panel")).to_be_visible()
    expect(page.locator("#picker output")).to_have_text("3 of 3")


def test_how_a_tree_is_drawn_can_be_changed_while_a_sentence_too_far_is_asked_for(visit: Visit) -> None:
    page = visit(text=CODE)
    release = hold(page)
    page.evaluate("location.hash = 'text=Dogs+bark.+Cats+sleep.&sentence=9'")
    page.get_by_label("tags", exact=True).uncheck()
    release()
    expect(page.locator("#picker output")).to_have_text("2 of 2")
    expect(page.get_by_role("alert")).to_be_empty()


def test_the_export_dialog_saves_what_it_shows(visit: Visit) -> None:
    page = visit(text=CODE)
    page.click("#export")
    page.get_by_role("radio", name="Brackets", exact=True).check()
    shown = page.locator("#export-preview").inner_text().strip()
    page.evaluate("location.hash = 'text=Dogs+bark.'")
    expect(page.locator("#sentence .token")).to_have_count(3)
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_text("Copied as Brackets").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").strip() == shown
    page.evaluate("location.hash = ''")
    page.locator("#welcome").wait_for()
    page.get_by_role("radio", name="JSON", exact=True).check()
    expect(page.locator("#export-preview")).to_contain_text("writing")


def test_text_that_is_selected_in_a_dialog_may_be_let_go_beside_it(visit: Visit) -> None:
    page = visit(text=CODE)
    page.click("#export")
    page.get_by_role("radio", name="Brackets", exact=True).check()
    box = page.locator("#export-preview pre").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(20, 20, steps=4)
    page.mouse.up()
    expect(page.locator("#export-dialog")).to_be_visible()
    page.mouse.click(20, 20)
    expect(page.locator("#export-dialog")).to_be_hidden()


def test_the_empty_page_is_not_covered_by_the_whole_screen(visit: Visit) -> None:
    page = visit()
    page.locator("#welcome").get_by_role("button").first.click()
    page.click("#full-screen")
    expect(page.locator("#full-screen")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    page.locator("#welcome").wait_for()
    expect(page.locator("#full-screen")).to_have_attribute("aria-pressed", "false")
    page.locator("#text").click()


def test_an_answer_that_is_no_json_is_told_kindly(visit: Visit, reference: Parser) -> None:
    page = visit(text=CODE)
    page.route("**/v1/parse", lambda route: route.fulfill(status=200, body="<html>", content_type="text/html"))
    page.evaluate("location.hash = 'text=Dogs+bark.'")
    page.get_by_role("alert").get_by_text("answer cannot be read").wait_for()
    page.unroute("**/v1/parse")
    page.get_by_role("button", name="Try again").click()
    wait_for_tree(page, expected(parse(reference, "Dogs bark.")))


def test_who_uses_the_keys_keeps_a_place_when_what_had_the_focus_goes(visit: Visit) -> None:
    page = visit(text=CODE, decoder="labelled", forbid="1.1-4")
    before = drawn(page)
    remove = page.locator("#chips button")
    remove.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#chips")).to_be_hidden()
    eventually(page, lambda: drawn(page) != before)
    eventually(page, lambda: page.evaluate("document.activeElement.getAttribute('role')") == "treeitem")


def test_what_an_older_page_kept_in_the_history_is_read(visit: Visit) -> None:
    page = visit(text=CODE)
    nodes = drawn(page)
    kept = f"{{ text: '{CODE}', decoder: 'argmin', compare: '', sentence: 0, required: [], forbidden: [] }}"
    page.evaluate(f"history.replaceState({{ page: {kept} }}, '')")
    page.reload()
    wait_for_tree(page, nodes)
    expect(page.get_by_role("alert")).to_be_empty()
