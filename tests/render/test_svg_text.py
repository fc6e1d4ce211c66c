from __future__ import annotations

from spanlin.render.svg_text import GAP, doubt_patch, short_number, text_width


def test_width_goes_by_the_letters() -> None:
    assert text_width("") == GAP
    assert text_width("il") < text_width("ab") < text_width("MW") < text_width("犬犬犬")


def test_numbers_are_as_short_as_can_be() -> None:
    assert [short_number(value) for value in (2.0, 2.04, 2.25, 10.0)] == ["2", "2", "2.2", "10"]
    assert short_number(0.456, 2) == "0.46"


def test_more_doubt_is_more_colour_and_hardly_any_is_none() -> None:
    assert doubt_patch("NP", 50, 20, 0.009) == ""
    assert 'fill-opacity="0.8"' in doubt_patch("NP", 50, 20, 1.0)
    assert 'fill-opacity="0.4"' in doubt_patch("NP", 50, 20, 0.25)
