from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.text import tokenize_sentence
from spanlin.text.patterns import token_pattern

# The tokens of the first column, whose blanks are those of the text alone, are those of the second.
PENN = [
    ("I can't, won't, don't.", "I ca n't , wo n't , do n't ."),
    ("They’ll say it’s fine; we’d’ve", "They ’ll say it ’s fine ; we ’d ’ve"),
    ("You cannot, gonna, wanna, dont", "You can not , gon na , wan na , do nt"),
    ("CAN'T GONNA", "CA N'T GON NA"),
    ("'Tis rock 'n' roll, y'all", "'T is rock 'n' roll , y' all"),
    ("goin' on, 'cause of 'em", "goin' on , 'cause of 'em"),
    ("Ann's, James' and O'Neill's o'clock", "Ann 's , James ' and O'Neill 's o'clock"),
    ("Jr.'s, Inc.’s, the U.S.'s", "Jr. 's , Inc. ’s , the U.S. 's"),
    ("10%'s (x)'s [y]'s \"z\"'s Yahoo!'s", "10 % 's ( x ) 's [ y ] 's \" z \" 's Yahoo ! 's"),
    ("'So it's \"no.\"'", "' So it 's \" no . \" '"),
    ('She said, "Go \'way!"', 'She said , " Go \' way ! "'),
    ("“So ‘this’ it is.”", "“ So ‘ this ’ it is . ”"),
    ("(a [b] {c})", "( a [ b ] { c } )"),
    ("Well... no… yes--or—perhaps", "Well ... no … yes -- or — perhaps"),
    ("Why?! No!!!", "Why ?! No !!!"),
    ("$5, £3.50, US$1,000,000.25", "$ 5 , £ 3.50 , US$ 1,000,000.25"),
    ("25% of 1.5 or .5 [13,14]", "25 % of 1.5 or .5 [ 13 , 14 ]"),
    ("-5 but 3-5 and (−2.5)", "-5 but 3 - 5 and ( −2.5 )"),
    ("10%-20.5%, 8:00 a.m.-4:30 p.m.", "10 % - 20.5 % , 8:00 a.m. - 4:30 p.m."),
    ("-1/2, (-5) [-5,6] -5.5 -1,000 -10:30", "-1/2 , ( -5 ) [ -5 , 6 ] -5.5 -1,000 - 10:30"),
    ("10:30am 5km 20th 1980s '90s 80's", "10:30 am 5 km 20th 1980s '90s 80's"),
    ("12/31/1999, 2020-05-12, 1/2", "12/31/1999 , 2020-05-12 , 1/2"),
    ("555-1234, 212-555-1234", "555-1234 , 212-555-1234"),
    ("1990–1995", "1990 – 1995"),
    ("Mr. J. R. Hu of the U.S., e.g.", "Mr. J. R. Hu of the U.S. , e.g."),
    ("Smith et al., Jr., Ph.D., etc.)", "Smith et al. , Jr. , Ph.D. , etc. )"),
    ("No. 5 is a no.", "No. 5 is a no ."),
    ("Take vitamin C.", "Take vitamin C ."),
    ("https://a.org/b_(c)?d=e, (www.x.com/y).", "https://a.org/b_(c)?d=e , ( www.x.com/y ) ."),
    ("Mail a.b+c@d.co.uk! See x.org.", "Mail a.b+c@d.co.uk ! See x.org ."),
    ("@me #tag #1 doi:10.1/x.", "@me #tag # 1 doi:10.1/x ."),
    ("👩‍👩‍👧👍🏽 🇬🇧🇫🇷 1️⃣ ❤️!", "👩‍👩‍👧 👍🏽 🇬🇧 🇫🇷 1️⃣ ❤️ !"),
    ("ok :) ;-) <3", "ok :) ;-) <3"),
    ("AT&T, R&D, C++, C#, Node.js v1.2.3", "AT&T , R&D , C++ , C# , Node.js v1.2.3"),
    ("<b>x</b> &amp; a->b a<=b", "<b> x </b> &amp; a -> b a <= b"),
    ("naïve e\u0301cole नमस्ते", "naïve e\u0301cole नमस्ते"),
    ("\ufeffno\x00thing shows", "no thing shows"),
    ("a,b;c:d", "a , b ; c : d"),
    ("th- uh-huh", "th- uh-huh"),
]
HYPHENS = [
    ("adult-learned", "adult - learned", "adult-learned"),
    ("state-of-the-art", "state - of - the - art", "state-of-the-art"),
    ("mother-in-law's", "mother - in - law 's", "mother-in-law 's"),
    ("non-profit e-mail", "non-profit e-mail", "non-profit e-mail"),
    ("U.S.-style", "U.S. - style", "U.S. - style"),
    ("and/or", "and / or", "and/or"),
    ("30-year-old", "30 - year - old", "30-year-old"),
]


def tokens(text: str, *, split_hyphens: bool = True) -> str:
    return " ".join(token.text for token in tokenize_sentence(text, split_hyphens=split_hyphens))


@pytest.mark.parametrize(("text", "expected"), PENN)
def test_tokens_are_those_of_a_treebank(text: str, expected: str) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(("text", "split", "whole"), HYPHENS)
def test_hyphenated_words_are_split_or_whole_as_asked(text: str, split: str, whole: str) -> None:
    assert tokens(text) == split
    assert tokens(text, split_hyphens=False) == whole


@pytest.mark.parametrize("split_hyphens", [True, False])
@given(
    st.text(
        st.one_of(st.characters(exclude_categories=["Zs", "Zl", "Zp", "Cc"]), st.sampled_from("'-./:()1aA")), min_size=1
    )
)
def test_the_matches_leave_no_character_out(split_hyphens: bool, run: str) -> None:
    pattern = token_pattern(split_hyphens=split_hyphens)
    assert "".join(match[0] for match in pattern.finditer(run)) == run
