"""Dependencies on the page: arcs above the words, linked with the tree; in a real browser."""

from __future__ import annotations

import itertools
import random
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from page_visits import CODE, TELESCOPE, eventually, expect, keep, needs_chromium, save
from parsers_with_heads import LIKE_UD, ParserWithHeads
from running_service import run_app
from spanlin.model_folder.lookup import find_model
from spanlin.parser import Parser
from spanlin.render.svg_arcs import arc_levels
from spanlin.server.app import create_app
from trees_alone import trees_alone

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from page_visits import Visit

pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'spanlin[test]'")
pytestmark = [needs_chromium, pytest.mark.slow]

ARCS = "all => all.map(a => [+a.dataset.word, +a.dataset.head, a.querySelector('.relation').firstChild.textContent])"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a service whose model has dependencies."""
    with run_app(create_app(ParserWithHeads.load(threads=1))) as client:
        yield str(client.base_url)


def test_arcs_are_saved_as_pictures(visit: Visit, address: str) -> None:
    page = visit(address, text=TELESCOPE)
    heads, relations, tags = next(value for key, value in LIKE_UD.items() if key.startswith("I saw"))
    svg = ET.fromstring(save(page, "Arcs SVG").decode())
    space = "{http://www.w3.org/2000/svg}"
    arcs = [(int(g.get("data-word", "")), int(g.get("data-head", ""))) for g in svg.iter(f"{space}g") if g.get("class")]
    assert arcs == list(enumerate(heads, start=1))
    texts = [text.text for text in svg.iter(f"{space}text")]
    assert texts[: len(heads)] == list(relations)
    assert texts[-len(heads) :] == list(tags)
    assert texts[len(heads) : -len(heads)] == [*TELESCOPE[:-1].split(), "."]
    assert "style" not in {name for element in svg.iter() for name in element.attrib}
    assert save(page, "Arcs PNG").startswith(b"\x89PNG")
    keep(page, "arcs-exported")


def test_each_word_has_its_arc_with_relation_and_tag(visit: Visit, address: str) -> None:
    page = visit(address, text=TELESCOPE)
    expect(page.locator("#arcs-panel")).to_be_visible()
    heads, relations, tags = next(value for key, value in LIKE_UD.items() if key.startswith("I saw"))
    found = page.eval_on_selector_all("#arcs-frame .arc", ARCS)
    assert found == [[word, head - 1, relations[word]] for word, head in enumerate(heads)]
    shown = page.eval_on_selector_all("#arcs-frame .tag", "all => all.map(t => t.textContent)")
    assert shown == list(tags)
    expect(page.locator("#arcs-promise")).to_have_text("Most probable dependency tree")
    doubted = page.eval_on_selector_all("#arcs-frame .arc .doubt", "all => all.map(t => t.textContent)")
    assert doubted[:2] == ["94%", "88%"]
    page.hover("#tree-frame .phrase-node[data-label=PP] .label >> nth=0")
    keep(page, "arcs")


@pytest.fixture(scope="module")
def address_without(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service whose model has no dependencies."""
    folder = trees_alone(find_model("en"), tmp_path_factory.mktemp("trees-alone") / "en")
    with run_app(create_app(Parser.load(folder, threads=1))) as client:
        yield str(client.base_url)


def test_a_model_without_dependencies_has_no_arcs(visit: Visit, address_without: str) -> None:
    page = visit(address_without, text=CODE)
    expect(page.locator("#arcs-panel")).to_be_hidden()
    page.hover("#tree-frame .phrase-node[data-label=VP][data-left='1'] .label")
    expect(page.locator("#card")).to_contain_text("probable")
    expect(page.locator("#card")).not_to_contain_text("head")
    page.click("#help")
    expect(page.locator("#help-dialog")).to_be_visible()
    expect(page.locator("#help-arcs")).to_be_hidden()
    page.keyboard.press("Escape")
    page.click("#export")
    expect(page.get_by_role("radio", name="SVG")).to_have_count(1)


def test_pointing_at_a_constituent_shows_its_head(visit: Visit, address: str) -> None:
    page = visit(address, text=CODE)
    page.hover("#tree-frame .phrase-node[data-label=VP][data-left='1'] .label")
    expect(page.locator("#card")).to_contain_text("head: loves")
    expect(page.locator("#arcs-frame .arc-word.head .word")).to_have_text(["loves"])
    expect(page.locator("#arcs-frame .arc-word.lit .word")).to_have_text(["loves", "writing", "code"])
    expect(page.locator("#arcs-frame .arc.in-span .relation")).to_have_count(2)
    page.hover("h1")
    expect(page.locator("#arcs-frame .lit")).to_have_count(0)
    page.locator("#sentence .token").nth(3).hover()
    expect(page.locator("#arcs-frame .arc-word.head .word")).to_have_text(["code"])


def test_pointing_at_an_arc_shows_the_words_that_belong_to_it(visit: Visit, address: str) -> None:
    page = visit(address, text=CODE)
    page.hover("#arcs-frame .arc[data-word='2'] .relation")
    card = page.locator("#card")
    expect(card).to_contain_text("xcomp clausal complement without a subject")
    expect(card).to_contain_text("writing ← loves")
    expect(card).to_contain_text("88.0% probable")
    expect(page.locator("#sentence .lit")).to_have_text(["writing", "code"])
    expect(page.locator("#tree-frame .phrase-node.same-span").first).to_have_attribute("data-left", "2")
    expect(page.locator("#arcs-frame .arc.pointed")).to_have_attribute("data-word", "2")
    page.hover("h1")
    expect(card).to_be_hidden()
    expect(page.locator("#arcs-frame .pointed")).to_have_count(0)


def test_arcs_are_walked_with_the_keys_and_told_to_a_screen_reader(visit: Visit, address: str) -> None:
    page = visit(address, text=CODE)
    items = page.get_by_role("list", name="Dependencies of the sentence").get_by_role("listitem")
    expect(items).to_have_count(5)
    assert items.evaluate_all("all => all.filter(i => i.tabIndex === 0).length") == 1
    focused = "document.activeElement.getAttribute('aria-label')"
    items.nth(1).focus()
    told = ["root, root of the sentence; loves is the root; probability 94.0%"]
    assert page.evaluate(focused) == told[0]
    for key, label in {
        "ArrowRight": "xcomp, clausal complement without a subject; writing depends on loves; probability 88.0%",
        "ArrowDown": "obj, object; code depends on writing; probability 82.0%",
        "ArrowUp": "xcomp,",
        "Home": "nsubj, subject; She depends on loves; probability 100.0%",
        "ArrowLeft": "nsubj,",
        "End": "punct, punctuation; .",
    }.items():
        page.keyboard.press(key)
        eventually(page, lambda label=label: page.evaluate(focused).startswith(label))  # type: ignore[misc]
    assert items.evaluate_all("all => all.filter(i => i.tabIndex === 0).length") == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_the_arcs_and_not_the_page(visit: Visit, address: str, scheme: str) -> None:
    page = visit(address, width=360, height=740, scheme=scheme, text=TELESCOPE)
    expect(page.locator("#arcs-panel")).to_be_visible()
    eventually(page, lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
    assert page.locator("#arcs-frame").evaluate("frame => frame.scrollWidth > frame.clientWidth")
    keep(page, f"arcs-phone-{scheme}")


def descendants(heads: tuple[int, ...], word: int) -> set[int]:
    found = {word}
    for _ in heads:
        found |= {index for index, head in enumerate(heads) if head - 1 in found}
    return found


def test_the_page_reads_heads_as_the_library_does(visit: Visit, address: str) -> None:
    page = visit(address)
    chance = random.Random(5)
    for count in [1, 2, *(chance.randint(3, 12) for _ in range(30))]:
        order = chance.sample(range(1, count + 1), count)
        heads = [0] * count
        for number, word in enumerate(order[1:], start=1):
            heads[word - 1] = order[chance.randrange(number)]
        levels, spans, ends, tops = page.evaluate(
            """async heads => {
              const arcs = await import("/static/arcs.js");
              const spans = heads.map((_, word) => arcs.spanOfWord(heads, word));
              return [arcs.arcLevels(heads), spans.map((span) => [span.left, span.right]), arcs.arcEnds(heads),
                      spans.map((span) => arcs.headsOfSpan(heads, span))];
            }""",
            heads,
        )
        assert levels == arc_levels(heads)
        for word in range(count):
            under = descendants(tuple(heads), word)
            assert spans[word] == [min(under), max(under) + 1]
            inside = set(range(*spans[word]))
            assert tops[word] == [index for index in sorted(inside) if heads[index] - 1 not in inside]
        touching = [[arc for arc in range(count) if word in (arc, heads[arc] - 1)] for word in range(count)]
        assert [sorted(arcs) for arcs in ends] == touching
        for word, arcs in enumerate(ends):
            others = [heads[arc] - 1 if arc == word else arc for arc in arcs if heads[arc] or arc != word]
            lefts, rights = [x for x in others if x < word], [x for x in others if x > word]
            assert others == lefts + rights
            assert all(one > two for side in (lefts, rights) for one, two in itertools.pairwise(side))


def heads_of(page: Page) -> list[int]:
    found: list[int] = page.eval_on_selector_all("#arcs-frame .arc", "all => all.map(a => +a.dataset.head + 1)")
    return found


def test_a_forbidden_arc_goes_and_comes_back_with_its_chip(visit: Visit, address: str) -> None:
    page = visit(address, text=CODE)
    before = [2, 0, 2, 3, 2]
    eventually(page, lambda: heads_of(page) == before)
    page.click("#arcs-frame .arc[data-word='2'] .relation")
    expect(page.locator("#menu")).to_contain_text("writing ← loves")
    page.get_by_role("menuitem", name="Forbid this head").click()
    eventually(page, lambda: heads_of(page)[2] not in (2, 0))
    chip = page.locator("#chips .forbidden")
    expect(chip).to_contain_text("writing ← loves")
    expect(page.locator("#arcs-promise")).to_have_text("Most probable dependency tree under your constraints")
    expect(page.locator("#promise")).not_to_contain_text("constraints")
    assert "forbid-arcs=1.3-2" in page.url
    keep(page, "arc-forbidden")
    again = visit(address)
    again.goto(page.url)
    eventually(again, lambda: heads_of(again) == heads_of(page))
    chip.get_by_role("button", name="Remove: forbidden writing ← loves").click()
    eventually(page, lambda: heads_of(page) == before)
    expect(page.locator("#chips .chip")).to_have_count(0)


def test_an_arc_is_required_with_the_keys_and_marked(visit: Visit, address: str) -> None:
    page = visit(address, text=CODE, decoder="cky")
    page.get_by_role("listitem", name="obj, object; code depends on writing").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#menu")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#chips .required")).to_contain_text("code ← writing")
    expect(page.locator("#decoder")).to_have_value("labelled")
    required = page.locator("#arcs-frame .arc.required")
    expect(required).to_have_attribute("data-word", "3")
    assert str(required.get_attribute("aria-label")).endswith("; required")
    page.click("#arcs-frame .arc[data-word='3'] .relation")
    page.get_by_role("menuitem", name="No longer require it").click()
    expect(page.locator("#chips .chip")).to_have_count(0)
    expect(page.locator("#arcs-frame .arc.required")).to_have_count(0)


def test_a_word_is_made_the_root_and_another_takes_its_place(visit: Visit, address: str) -> None:
    page = visit(address, text=CODE)
    for word, name in ((3, "code"), (0, "She")):
        page.click(f"#arcs-frame .arc[data-word='{word}'] .relation")
        page.get_by_role("menuitem", name=f"Make “{name}” the root").click()
        eventually(page, lambda word=word: heads_of(page)[word] == 0)  # type: ignore[misc]
        expect(page.locator("#chips .required")).to_have_text([f"required{name} is the root"])


def test_a_wish_that_no_dependency_tree_meets_leaves_all_as_it_was(visit: Visit, address: str) -> None:
    page = visit(address, text="Dogs bark")
    page.click("#arcs-frame .arc[data-word='1'] .relation")
    page.get_by_role("menuitem", name="Forbid this head").click()
    eventually(page, lambda: heads_of(page) == [2, 0])
    page.click("#arcs-frame .arc[data-word='0'] .relation")
    page.get_by_role("menuitem", name="Forbid this head").click()
    expect(page.locator("#notices")).to_contain_text("no dependency tree of 2 words is left by what forbids")
    expect(page.locator("#chips .forbidden")).to_have_count(1)
    assert heads_of(page) == [2, 0]


def test_a_link_with_arcs_opens_where_the_model_has_none(visit: Visit, address_without: str) -> None:
    page = visit(address_without, text=CODE, **{"require-arcs": "1.1-2", "forbid-arcs": "1.2-0 7 1.3-3"})
    expect(page.locator("#tree-frame .phrase-node").first).to_be_visible()
    expect(page.locator("#chips .chip")).to_have_count(0)
