"""That the page tells kindly what went wrong, and loses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from page_visits import CODE, drawn, eventually, expect, expected, needs_chromium, parse, wait_for_tree
from spanlin.parser import Parser
from spanlin.server.app import create_app
from spanlin.server.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, Route

    from page_visits import Visit

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'spanlin[test]'")
pytestmark = [needs_chromium, pytest.mark.slow]


def test_a_link_of_nonsense_is_taken_as_an_empty_page(visit: Visit) -> None:
    page = visit()
    page.goto(f"{page.url.partition('#')[0]}#decoder=%00<b>&sentence=-4&require=x&side=up&view=%F0%9F%98%80")
    page.reload()
    page.locator("#welcome").wait_for()
    eventually(page, lambda: page.locator("#decoder option").count() >= 6)


def test_nothing_to_parse_is_told_kindly(visit: Visit) -> None:
    page = visit()
    page.get_by_role("button", name="Parse", exact=True).click()
    page.get_by_role("alert").get_by_text("There is nothing to parse yet.").wait_for()
    eventually(page, lambda: page.evaluate("document.activeElement.id") == "text")


@pytest.fixture
def early(visit: Visit) -> tuple[Page, Callable[[], None]]:
    """The page before the service has said what its model can do, and what lets it say so."""
    page = visit()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    def release() -> None:
        eventually(page, lambda: len(held) > 0)
        held[0].continue_()
        page.locator("#model").get_by_text("spanlin").wait_for()

    page.route("**/v1/model", hold)
    page.reload()
    return page, release


def test_who_asks_for_nothing_before_the_model_is_known_is_told_so(early: tuple[Page, Callable[[], None]]) -> None:
    page, release = early
    page.get_by_role("button", name="Parse", exact=True).click()
    notice = page.get_by_role("alert").get_by_text("There is nothing to parse yet.")
    notice.wait_for()
    release()
    page.wait_for_timeout(100)
    expect(notice).to_be_visible()


def test_who_types_before_the_model_is_known_gets_a_tree(
    early: tuple[Page, Callable[[], None]], reference: Parser
) -> None:
    page, release = early
    page.fill("#text", "Dogs bark.")
    page.press("#text", "Control+Enter")
    page.wait_for_timeout(300)  # as long as an answer to it would take
    release()
    wait_for_tree(page, expected(parse(reference, "Dogs bark.")))
    expect(page.get_by_role("alert")).to_be_empty()


def test_a_link_opened_before_the_model_is_known_keeps_its_choices(early: tuple[Page, Callable[[], None]]) -> None:
    page, release = early
    page.goto(f"{page.url.partition('#')[0]}#text=She+loves+writing+code+.&decoder=labelled&forbid=1.2-4&compare=cky")
    page.wait_for_timeout(300)
    release()
    page.locator("#compare-pane").wait_for()
    expect(page.locator("#decoder")).to_have_value("labelled")
    expect(page.locator("#chips .forbidden")).to_have_count(1)
    assert "forbid=1.2-4" in page.url


def test_what_was_told_goes_with_the_text(visit: Visit) -> None:
    page = visit()
    page.get_by_role("button", name="Parse", exact=True).click()
    notice = page.get_by_role("alert")
    notice.get_by_text("There is nothing to parse yet.").wait_for()
    page.fill("#text", "Dogs bark.")
    page.locator("#result").wait_for()
    expect(notice).to_be_empty()
    page.route("**/v1/parse", lambda route: route.abort())
    page.fill("#text", "Cats meow.")
    notice.get_by_text("The server does not answer.").wait_for()
    page.fill("#text", "")
    page.locator("#welcome").wait_for()
    expect(notice).to_be_empty()


def test_a_server_that_is_down_at_first_can_be_asked_again(visit: Visit, reference: Parser) -> None:
    page = visit()
    page.route("**/v1/**", lambda route: route.abort())
    page.goto(f"{page.url}#text=Dogs+bark.")
    page.reload()
    page.get_by_role("alert").get_by_text("The server does not answer.").wait_for()
    expect(page.locator("#text")).to_have_value("Dogs bark.")
    page.unroute("**/v1/**")
    page.get_by_role("button", name="Try again").click()
    wait_for_tree(page, expected(parse(reference, "Dogs bark.")))


def test_a_decoder_that_refuses_leaves_the_tree_and_the_choice_as_they_were(visit: Visit) -> None:
    page = visit(text="Old teachers and students with dogs that bark and cats that meow or whatever walk.")
    before = drawn(page)
    error = {"error": {"code": "unprocessable", "message": "boundaries 3 and 7 cross"}}
    page.route("**/v1/parse", lambda route: route.fulfill(status=422, json=error))
    page.select_option("#decoder", "strict")
    page.get_by_role("alert").get_by_text("boundaries 3 and 7 cross").wait_for()
    expect(page.locator("#decoder")).to_have_value("argmin")
    assert drawn(page) == before
    assert "strict" not in page.url


def test_a_busy_server_is_asked_again(visit: Visit, reference: Parser) -> None:
    page = visit(text=CODE)
    answers = iter([503])

    def once(route: Route) -> None:
        if next(answers, None):
            error = {"error": {"code": "busy", "message": "too many requests at a time; try again"}}
            route.fulfill(status=503, json=error, headers={"Retry-After": "1"})
        else:
            route.continue_()

    page.route("**/v1/parse", once)
    page.fill("#text", "Dogs bark.")
    page.press("#text", "Control+Enter")
    page.get_by_text("The server is busy.").wait_for()
    wait_for_tree(page, expected(parse(reference, "Dogs bark.")))
    expect(page.get_by_role("alert")).to_be_empty()


def test_a_countdown_ends_when_something_else_is_asked(visit: Visit) -> None:
    page = visit(text=CODE)
    held: list[Route] = []

    def busy_once(route: Route) -> None:
        if held:
            return  # never answered
        held.append(route)
        error = {"error": {"code": "busy", "message": "too many requests at a time; try again"}}
        route.fulfill(status=503, json=error, headers={"Retry-After": "30"})

    page.route("**/v1/parse", busy_once)
    page.fill("#text", "Dogs bark.")
    page.press("#text", "Control+Enter")
    button = page.locator("#notices button").first
    expect(button).to_contain_text("Try again (in ")
    page.fill("#text", "Cats sleep.")
    page.press("#text", "Control+Enter")
    expect(button).to_have_text("Try again")


def test_failures_are_told_kindly_and_the_text_is_kept(visit: Visit) -> None:
    page = visit(text=CODE)
    before = drawn(page)
    failures = {
        413: "That is more text than this server takes at once.",
        422: "That cannot be done.",
        500: "The server stumbled.",
        504: "That took too long.",
        0: "The server does not answer.",
    }
    status = 0

    def fail(route: Route) -> None:
        if not status:
            route.abort()
        elif status == 500:  # as a proxy may answer
            route.fulfill(status=500, body="<html>", content_type="text/html")
        else:
            route.fulfill(status=status, json={"error": {"code": "x", "message": "what to do about it"}})

    page.route("**/v1/parse", fail)
    page.fill("#text", "Dogs bark.")
    alert = page.get_by_role("alert")
    for status, title in failures.items():
        page.press("#text", "Control+Enter")
        alert.get_by_text(title).wait_for()
        if status not in {0, 500}:
            expect(alert).to_contain_text("what to do about it")
        expect(page.locator("#text")).to_have_value("Dogs bark.")
        assert drawn(page) == before
        expect(page.get_by_role("button", name="Try again")).to_have_count(int(status in {0, 504}))
    page.unroute("**/v1/parse")
    page.get_by_role("button", name="Try again").click()
    sync_api.expect(page.locator("#sentence .token")).to_have_count(3)


def test_going_back_from_a_text_that_failed_halfway_shows_the_tree_of_before(visit: Visit, reference: Parser) -> None:
    page = visit(text=CODE, compare="cky")
    wait_for_tree(page, expected(parse(reference, CODE)), "#other-frame")

    def fail_at_the_second(route: Route) -> None:
        if '"tokens"' in (route.request.post_data or ""):
            route.fulfill(status=500, json={"error": {"code": "x", "message": "no"}})
        else:
            route.continue_()

    page.route("**/v1/parse", fail_at_the_second)
    page.fill("#text", "Dogs bark.")
    page.press("#text", "Control+Enter")
    alert = page.get_by_role("alert")
    alert.get_by_text("The server stumbled.").wait_for()
    page.unroute("**/v1/parse")
    page.go_back()
    expect(alert).to_be_empty()
    expect(page.locator("#sentence .token")).to_have_count(5)
    assert drawn(page) == expected(parse(reference, CODE))


def test_a_text_that_is_too_long_for_the_service_is_told_kindly(visit: Visit) -> None:
    page = visit(text=CODE)
    page.fill("#text", "word " * 230_000)
    page.press("#text", "Control+Enter")
    page.get_by_role("alert").get_by_text("That is more text than this server takes at once.").wait_for()


def test_a_token_is_asked_for_and_kept_for_the_tab(
    visit: Visit, reference: Parser, running: Callable[..., Any]
) -> None:
    with running(create_app(Parser.load(threads=1), ServerSettings(token="open-sesame"))) as client:
        page = visit(str(client.base_url))
        box = page.get_by_role("dialog", name="This server asks for a token").get_by_label("Token")
        box.fill("open„sesame“")
        page.get_by_role("button", name="Use it").click()
        expect(page.locator("#token-told")).to_contain_text("no spaces. Copy it again.")
        box.fill("open-barley")
        box.press("Enter")
        box = page.get_by_role("dialog", name="The server did not accept this token").get_by_label("Token")
        expect(box).to_have_value("")
        expect(page.locator("#token-told")).to_be_empty()
        page.reload()  # that token is forgotten
        box = page.get_by_role("dialog", name="This server asks for a token").get_by_label("Token")
        box.fill("typed, but not used")
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("alert").get_by_text("This server asks for a token.").wait_for()
        page.get_by_role("button", name="Try again").click()
        box.fill("open-sesame")
        page.get_by_role("button", name="Use it").click()
        page.fill("#text", CODE)
        page.press("#text", "Control+Enter")
        wait_for_tree(page, expected(parse(reference, CODE)))
        assert "sesame" not in page.url
        page.reload()
        wait_for_tree(page, expected(parse(reference, CODE)))
