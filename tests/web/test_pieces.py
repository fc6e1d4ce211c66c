"""Words have the same pieces in JavaScript as in Python, whatever characters they are of."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path

from node_scripts import run_script
from spanlin.runtime.pieces import WordPieces
from spanlin.text import tokenize
from text.nasty_inputs import NASTY_INPUTS

MODEL = Path(__file__).resolve().parents[2] / "src" / "spanlin" / "models" / "en"
SHAPE_STEP = 30522


def test_words_have_the_same_pieces() -> None:
    draw = random.Random(3)
    words = {word for text in NASTY_INPUTS for sentence in tokenize(text) for word in sentence.words}
    words |= {"", "``", "-LCB-", "1\\/2", "[CLS]", "[MASK]x", "İstanbul", "ǅ", "ß", "Ω", "a" * 101, "the" * 60}
    # The two libraries know other versions of Unicode; characters that are new, or now of another kind, may differ.
    old = unicodedata.ucd_3_2_0.category
    known = [char for char in map(chr, range(32, 0x3000)) if "Cn" != old(char) == unicodedata.category(char)]
    words |= {"".join(draw.choices(known[:400] + known, k=5)) for _ in range(3000)}
    ordered = sorted(words)
    (found,) = run_script("split_words.mjs", [ordered], str(MODEL))
    wanted = WordPieces.from_folder(MODEL, shape_step=SHAPE_STEP).split(ordered)
    different = [
        (word, one, list(other)) for word, one, other in zip(ordered, found, wanted, strict=True) if one != list(other)
    ]
    assert different == []
