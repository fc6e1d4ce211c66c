"""Text in SVG: how wide it is, as far as that can be said without a font, and how doubt of it is shown."""

from __future__ import annotations

import math

from spanlin.render.characters import display_width

# In pixels.
FONT = 14
GAP = 16  # between words

_NARROW = frozenset("iIljtfr.,;:'`!|()[]{}/\\-\" *")
_WIDE = frozenset("mwMW@%&")
_DOUBT = "#e8590c"  # orange, to be seen on light and on dark


def text_width(text: str) -> float:
    """Return about how wide a text is, with the gap to its neighbours; rather too wide, for fonts differ."""
    return GAP + FONT * sum(map(_em, text))


def _em(char: str) -> float:
    if char in _NARROW:
        return 0.4
    if char in _WIDE:
        return 0.95
    if char.isascii():
        return 0.7 if char.isupper() else 0.6
    return 0.65 * display_width(char)


def doubt_patch(label: str, middle: float, baseline: float, doubt: float) -> str:
    """Return a patch of colour to lie behind a label, or nothing if there is next to no doubt."""
    if doubt < 0.01:
        return ""
    # By its square root, or one chance in ten of being wrong would hardly show.
    opacity = short_number(0.8 * math.sqrt(doubt), 2)
    width = text_width(label) - GAP + 8
    return (
        f'<rect x="{short_number(middle - width / 2)}" y="{short_number(baseline - FONT)}" '
        f'width="{short_number(width)}" height="{FONT + 5}" rx="3" fill="{_DOUBT}" fill-opacity="{opacity}"/>'
    )


def short_number(value: float, digits: int = 1) -> str:
    """Return a number with at most so many digits behind the point."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")
