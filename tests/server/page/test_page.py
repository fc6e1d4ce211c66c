"""What the page shows and does, in a real browser against the real service with the packaged model.

Screenshots are kept in the folder that SPANLIN_SCREENSHOTS names, if it is set.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
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
    wish_by_dragging,
)
from spanlin.decoding import Constraints
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.trees.tree import Span

if TYPE_CHECKING:
    from page_visits import Visit

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'spanlin[test]'")
pytestmark = [needs_chromium, pytest.mark.slow]
IN_BOTH_MODES = True

# Some that decoders are likely to disagree on; which ones do is asked of the parser itself.
HARD = (
    "Old teachers and students with dogs that bark and cats that meow or whatever walk.",
    "Rice flies like sand but time flies like an arrow and fruit flies like bananas in bowls on tables.",
    "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.",
    "That that is is that that is not is not is that it it is.",
)
DECODERS = ("largest", "cky", "min-change", "minimum-risk")


def test_a_sentence_becomes_the_parsers_tree(visit: Visit, reference: Parser) -> None:
    page = visit()
    expect(page.locator("#welcome")).to_be_visible()
    page.fill("#text", TELESCOPE)
    page.get_by_role("button", name="Parse", exact=True).click()
    wait_for_tree(page, expected(parse(reference, TELESCOPE)))
    words = page.eval_on_selector_all("#tree-frame .word-node .word", "all => all.map(t => t.textContent)")
    assert words == list(parse(reference, TELESCOPE).words)
    expect(page.locator("#welcome")).to_be_hidden()
    page.hover("#tree-frame .phrase-node >> nth=2")
    keep(page, "desktop-light")
    page.get_by_role("tab", name="Side by side").click()
    expect(page.locator("#table-panel")).to_be_visible()
    page.hover("#tree-frame .phrase-node >> nth=2")
    keep(page, "side-by-side")  # docs/page.png


def test_typing_parses_after_a_pause_and_ctrl_enter_at_once(visit: Visit, reference: Parser) -> None:
    page = visit()
    page.locator("#text").press_sequentially("Dogs bark.")
    wait_for_tree(page, expected(parse(reference, "Dogs bark.")))
    page.fill("#text", CODE)
    page.press("#text", "Control+Enter")
    wait_for_tree(page, expected(parse(reference, CODE)))


def test_an_example_is_one_click_away(visit: Visit, reference: Parser) -> None:
    page = visit()
    page.locator("#welcome").get_by_role("button", name=CODE).click()
    wait_for_tree(page, expected(parse(reference, CODE)))
    expect(page.locator("#text")).to_have_value(CODE)


def test_hovering_a_node_tells_label_words_and_probability(visit: Visit, reference: Parser) -> None:
    page = visit(text=CODE)
    page.hover("#tree-frame .phrase-node[data-label=VP][data-left='1'] .label")
    expect(page.locator("#card")).to_contain_text("verb phrase")
    card = page.locator("#card").inner_text()
    [probability] = [c.probability for c in parse(reference, CODE).constituents() if (c.label, c.left) == ("VP", 1)]
    assert "VP verb phrase" in card
    assert "loves writing code" in card
    assert "over 99.9%" in card if probability >= 0.9995 else f"{probability:.1%}" in card
    expect(page.locator("#sentence .lit")).to_have_text(["loves", "writing", "code"])
    page.hover("h1")
    expect(page.locator("#card")).to_be_hidden()


def test_hovering_a_cell_lights_its_span_in_tree_and_sentence(visit: Visit) -> None:
    page = visit(text=CODE, view="both")
    box = page.locator("#table-frame").bounding_box()
    assert box is not None
    card = page.locator("#card")
    for x, y in itertools.product(range(20, int(box["width"]), 24), range(60, int(box["height"]), 24)):
        page.mouse.move(box["x"] + x, box["y"] + y)
        told = card.text_content() or ""
        if "P(1 | 4)" in told:
            break
    assert "P(1 | 4) =" in told
    assert "VP in the tree" in told
    lit = page.locator("#tree-frame .same-span")
    eventually(
        page, lambda: [lit.first.get_attribute("data-left"), lit.first.get_attribute("data-right")] == ["1", "4"]
    )
    expect(page.locator("#sentence .lit")).to_have_count(3)


def test_the_table_can_be_walked_with_the_keys(visit: Visit) -> None:
    page = visit(text=CODE, view="both")
    page.locator("#table-in").focus()
    page.keyboard.press("Tab")
    told = page.locator("#table-told")
    expect(told).to_contain_text("She loves writing code .")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    eventually(page, lambda: told.inner_text().startswith("loves writing code; P(1 | 4) = "))
    expect(page.locator("#tree-frame .same-span[data-left='1'][data-right='4']")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Require this phrase")).to_be_visible()


def test_the_boundaries_are_told_as_text_too(visit: Visit, reference: Parser) -> None:
    page = visit(text=CODE, view="both")
    page.get_by_text("The boundaries as text").click()
    cells = page.locator("#boundary-list tbody tr > :nth-child(2)")
    expect(cells).to_have_text(["0", "1", "2", "1", "0"])  # the paper's Figure 1
    page.locator("#sides input[value=right]").check()
    expect(cells).to_have_text(["5", "5", "4", "4", "5"])
    eventually(page, lambda: "side=right" in page.url)


@pytest.fixture
def disagreement(reference: Parser) -> tuple[str, str]:
    """A text and a decoder that does not give the greedy tree."""
    for text in HARD:
        for decoder in DECODERS:
            if expected(parse(reference, text, decoder=decoder)) != expected(parse(reference, text)):
                return text, decoder
    raise AssertionError("the decoders agree on all of these: find another sentence")


def test_another_decoder_gives_its_own_tree(visit: Visit, reference: Parser, disagreement: tuple[str, str]) -> None:
    text, decoder = disagreement
    page = visit(text=text)
    wait_for_tree(page, expected(parse(reference, text)))
    page.select_option("#decoder", decoder)
    wait_for_tree(page, expected(parse(reference, text, decoder=decoder)))
    page.go_back()
    wait_for_tree(page, expected(parse(reference, text)))
    expect(page.locator("#decoder")).to_have_value("argmin")
    page.go_forward()
    wait_for_tree(page, expected(parse(reference, text, decoder=decoder)))
    page.select_option("#decoder", "cky")
    page.wait_for_selector("#promise [data-certified=true]")
    expect(page.locator("#promise")).to_contain_text("Most probable tree")


def test_two_decoders_are_compared_and_their_differences_counted(
    visit: Visit, reference: Parser, disagreement: tuple[str, str]
) -> None:
    text, decoder = disagreement
    one, two = (expected(parse(reference, text, decoder=name)) for name in ("argmin", decoder))
    page = visit(text=text)
    page.select_option("#compare", decoder)
    wait_for_tree(page, two, "#other-frame")
    wait_for_tree(page, one)
    count = len(set(one) ^ set(two))
    eventually(page, lambda: page.locator("#difference").inner_text().startswith(f"{count} constituent"))
    expect(page.locator(".tree-frame .differs")).to_have_count(count)
    expect(page.locator("#tree-frame .differs")).to_have_count(len(set(one) - set(two)))
    keep(page, "compare")
    page.select_option("#compare", "argmin")
    page.get_by_text("Both trees are the same.").wait_for()
    page.select_option("#compare", "")
    page.locator("#compare-pane").wait_for(state="hidden")


def constrained(parser: Parser, text: str, *, required: Sequence[Span] = (), forbidden: Sequence[Span] = ()) -> Parsed:
    wanted = Constraints(required, forbidden)
    [parsed] = parser.parse_tokens([parse(parser, text).words], constraints=[wanted])
    return parsed


def covered(span: Span, nodes: Sequence[Node]) -> bool:
    return any(span == node[1:] for node in nodes)


def test_a_required_span_comes_into_the_tree_and_goes_with_its_chip(visit: Visit, reference: Parser) -> None:
    before = expected(parse(reference, TELESCOPE))
    spans = [Span(2, 7), Span(1, 7), Span(2, 10), Span(7, 14), Span(5, 10)]
    trees = [(span, expected(constrained(reference, TELESCOPE, required=[span]))) for span in spans]
    # One that is not in the tree yet, and gets a label when it has to be.
    span, after = next((span, after) for span, after in trees if covered(span, after) and not covered(span, before))
    page = visit(text=TELESCOPE)
    wish_by_dragging(page, *span, "Require this phrase")
    wait_for_tree(page, after)
    eventually(
        page,
        lambda: page.locator(f"#tree-frame .required[data-left='{span.left}'][data-right='{span.right}']").count() >= 1,
    )
    chip = page.locator("#chips .required")
    expect(chip).to_contain_text("required")
    keep(page, "constraint")
    chip.get_by_role("button").click()
    wait_for_tree(page, before)
    expect(page.locator("#chips .chip")).to_have_count(0)


def test_a_forbidden_node_leaves_the_tree(visit: Visit, reference: Parser) -> None:
    page = visit(text=TELESCOPE)
    label, *ends = next(node for node in expected(parse(reference, TELESCOPE)) if 2 < node[2] - node[1] < 14)
    span = Span(*ends)
    page.click(
        f"#tree-frame .phrase-node[data-label={label}][data-left='{span.left}'][data-right='{span.right}'] .label"
    )
    page.get_by_role("menuitem", name="Forbid this phrase").click()
    page.locator("#chips .forbidden").wait_for()
    wait_for_tree(page, expected(constrained(reference, TELESCOPE, forbidden=[span])))
    assert not covered(span, drawn(page))
    assert f"forbid=1.{span.left}-{span.right}" in page.url


AMBIGUOUS = "I saw the man with the telescope."
HAT = "They like the man with the red hat."  # whose first reading has a phrase more than the second


def test_the_second_reading_is_a_choice_away_and_forbidding_the_first_gives_it(visit: Visit, reference: Parser) -> None:
    best = parse(reference, HAT, k_best=2)
    [second] = best.alternatives
    phrase = ("NP", 2, 8)
    assert phrase in expected(best)
    assert set(expected(best)) - set(expected(second)) == {phrase}
    page = visit(text=HAT)
    wait_for_tree(page, expected(best))
    page.select_option("#compare", "reading-2")
    wait_for_tree(page, expected(second), "#other-frame")
    expect(page.locator("#other-title")).to_have_text("Second reading")
    expect(page.locator("#other-promise")).to_contain_text(f"{second.probability:.1%}")
    eventually(page, lambda: page.locator("#difference").inner_text().startswith("1 constituent differs"))
    keep(page, "second-reading")
    again = visit()
    again.goto(page.url)
    wait_for_tree(again, expected(second), "#other-frame")
    page.select_option("#compare", "")
    page.click("#tree-frame .phrase-node[data-label=NP][data-left='2'][data-right='8'] .label")
    page.get_by_role("menuitem", name="Forbid this phrase").click()
    wait_for_tree(page, expected(second))
    expect(page.locator("#promise")).to_contain_text("Most probable tree under your constraints")


def test_a_constraint_moves_to_a_decoder_that_obeys_it(visit: Visit, reference: Parser) -> None:
    page = visit(text=AMBIGUOUS, decoder="cky")
    wish_by_dragging(page, 2, 7, "Forbid this phrase")
    wait_for_tree(page, expected(constrained(reference, AMBIGUOUS, forbidden=[Span(2, 7)])))
    expect(page.locator("#decoder")).to_have_value("labelled")
    # Another decoder can still be compared with: it knows nothing of the constraint.
    page.select_option("#compare", "cky")
    wait_for_tree(page, expected(parse(reference, AMBIGUOUS, decoder="cky")), "#other-frame")
    page.select_option("#decoder", "cky")
    page.get_by_role("alert").get_by_text("the tree stays as it was").wait_for()
    expect(page.locator("#decoder")).to_have_value("labelled")


def test_what_no_tree_has_is_told_and_the_tree_stays(visit: Visit) -> None:
    page = visit(text=TELESCOPE, require="1.2-7")
    before = drawn(page)
    wish_by_dragging(page, 5, 9, "Require this phrase")
    notice = page.get_by_role("alert")
    notice.get_by_text("the tree stays as it was").wait_for()
    expect(notice).to_contain_text("cross")
    assert drawn(page) == before
    expect(page.locator("#chips .chip")).to_have_count(1)
    notice.get_by_role("button", name="Close").click()
    expect(notice).to_be_empty()


def test_a_link_whose_wishes_no_tree_has_opens_with_the_tree_without_them(visit: Visit, reference: Parser) -> None:
    page = visit(text=TELESCOPE, decoder="labelled", require="1.2-7 1.5-9", side="right")
    wait_for_tree(page, expected(parse(reference, TELESCOPE)))
    notice = page.get_by_role("alert")
    notice.get_by_text("this is the tree without your choices").wait_for()
    expect(notice).to_contain_text("cross")
    expect(page.locator("#decoder")).to_have_value("argmin")
    expect(page.locator("#chips .chip")).to_have_count(0)
    assert "require" not in page.url
    assert "side=right" in page.url


def test_a_link_brings_back_all_that_one_sees(visit: Visit, disagreement: tuple[str, str]) -> None:
    text, decoder = disagreement
    page = visit(text=f"{CODE} {text}", decoder="cky", view="both")
    page.get_by_role("button", name="Next sentence").click()
    sync_api.expect(page.locator("#picker output")).to_have_text(re.compile("^2 of"))
    page.select_option("#compare", decoder)
    page.locator("#compare-pane").wait_for()
    wish_by_dragging(page, 1, 4, "Forbid this phrase")
    page.locator("#chips .forbidden").wait_for()
    page.locator("#sides input[value=right]").check()

    again = visit()
    again.goto(page.url)
    again.locator("#compare-pane").wait_for()
    for selector in ("#text", "#decoder", "#compare", "#picker select"):
        assert again.input_value(selector) == page.input_value(selector)
    expect(again.locator("#sides input:checked")).to_have_attribute("value", "right")
    assert again.locator("#chips").inner_text() == page.locator("#chips").inner_text()
    for frame in ("#tree-frame", "#other-frame"):
        wait_for_tree(again, drawn(page, frame), frame)


def test_a_long_text_has_its_tables_sentence_by_sentence(visit: Visit) -> None:
    text = "Dogs bark at the old man. Cats do not. " * 90
    page = visit(text=text)
    output = page.locator("#picker output")
    sync_api.expect(output).to_have_text("1 of 180")
    for words in (7, 4):
        sync_api.expect(page.locator("#sentence .token")).to_have_count(words)
        expect(page.locator("#table-missing")).to_be_hidden()
        told = json.loads(save(page, "JSON"))
        assert [text[start:end] for start, end in told["offsets"]] == told["words"]
        assert told["text"] in text
        page.get_by_role("button", name="Next sentence").click()


def test_clicks_beyond_the_first_and_the_last_sentence_do_nothing(visit: Visit) -> None:
    page = visit(text="Dogs bark. Cats sleep. Birds sing.", sentence="2")
    for name, place in (("Previous sentence", "1 of 3"), ("Next sentence", "3 of 3")):
        twice = "button => { for (let click = 0; click < 4; click += 1) button.click(); }"
        page.get_by_role("button", name=name).evaluate(twice)
        sync_api.expect(page.locator("#picker output")).to_have_text(place)
    assert "sentence=3" in page.url


def test_other_scripts_and_emoji_come_through(visit: Visit, reference: Parser) -> None:
    text = "هذا الكتاب 👨‍👩‍👧 مفيد , שלום & <b>x</b> \u202eok 犬 ."
    page = visit(text=text)
    words = parse(reference, text).words
    expect(page.locator("#sentence .token")).to_have_count(len(words))
    eventually(page, lambda: "👨‍👩‍👧" in (page.locator("#tree-frame").text_content() or ""))
    expect(page.locator("#sentence b")).to_have_count(0)
    assert save(page, "Brackets").decode() == parse(reference, text).brackets() + "\n"


def test_every_example_has_a_tree(visit: Visit) -> None:
    page = visit(text=CODE)
    for name in page.locator("#examples button").all_inner_texts():
        page.get_by_role("button", name=name, exact=True).click()
        eventually(page, lambda: not page.evaluate("document.body.classList.contains('busy')"))
        expect(page.locator("#tree-frame [role=treeitem]").first).to_be_visible()


def test_a_pasted_tree_is_compared_with_the_parsers(visit: Visit, reference: Parser) -> None:
    mine = "( (S (NP-SBJ-1 (PRP She)) (VP (VBZ loves) (VP (VBG writing) (NP (NN code)) (-NONE- *T*-1))) (. .)) )"
    page = visit(text=mine)
    wait_for_tree(page, expected(parse(reference, CODE)))
    page.locator("#compare-pane").wait_for()
    yours: list[Node] = [("NP", 0, 1), ("NP", 3, 4), ("S", 0, 5), ("VP", 1, 4), ("VP", 2, 4)]
    wait_for_tree(page, yours, "#other-frame")
    expect(page.locator("#other-title")).to_have_text("Your tree")
    expect(page.locator("#compare option").first).to_have_text("Your tree")
    expect(page.locator("#other-frame .phrase-node.unknown")).to_have_count(len(yours))
    expect(page.locator("#tree-frame .phrase-node.unknown")).to_have_count(0)
    expect(page.get_by_role("tree", name="Constituents of the other tree")).to_be_visible()
    expect(page.locator("#other-promise")).to_have_text("Agreement: F1 90.9%")
    expect(page.locator("#difference")).to_have_attribute("data-count", "1")
    wish_by_dragging(page, 2, 4, "Forbid this phrase")
    page.locator("#chips .forbidden").wait_for()
    eventually(page, lambda: ("VP", 2, 4) not in drawn(page))


def test_text_in_brackets_is_not_a_tree(visit: Visit) -> None:
    page = visit(text="(Dogs bark.) (He said so.)")
    expect(page.locator("#compare-pane")).to_be_hidden()
    assert "(" in page.locator("#sentence .token").all_inner_texts()
