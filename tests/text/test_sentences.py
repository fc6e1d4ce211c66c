from __future__ import annotations

import pytest

from spanlin.text import tokenize

# A bar stands where a sentence ends; the text has a blank there, or nothing before a line break.
TEXTS = [
    "One. | Two! | Three? | Four",
    "Mr. Smith met Dr. Brown. | They left.",
    "He came at 5 p.m. | The end.",
    "He lives in the U.S. | He likes it.",
    "The U.S. Army came.",
    "J. R. R. Tolkien wrote it. | I read it.",
    "See Fig. 3 and p. 5. | No. | It was No. 7.",
    "Take plan B. | We all do.",
    '"Stop!" she said. | "Why?" | "Now."',
    "“Are you there?” Betty asked. | “Yes.” | She was.",
    "He died. [4] | She lived. [2][3] | The end.",
    "(He left.) | [She stayed.] | They met.",
    "Wait ... what? | Yes … | But no.",
    "I don't know . . . yet. | It goes on. . . . | But how?",
    "“I . . .” she said. | He read [. . .] no more. . . | It ended.",
    "A 5 min. walk at max. speed, est. 1999. | It took 5 min. | We sat down.",
    "The 3rd ed. of 2001 (2 tbsp. sugar, $3 mil. last year, 5 pct. of apt. 3).",
    "The avg. price of the orig. plan in sect. 5. | It was apt. | see above.",
    '"I\'m going." she said. | "You are." | He left.',
    "Yahoo! is a name.",
    "we went home. | then we slept.",
    "1. Whisk the eggs. | 2. Eat them.",
    "He was 25. | She was not.",
    "I thought you — | What? | No — I did.",
    "你好。|世界!|",
    "Left.|Then right?|Now!",
    "A wrapped line of text that goes on\nin the next one. | And another.",
    "Heading\n|The text below the heading is so long that the heading was no wrapped line.",
    "Shopping:\n|- eggs\n|- milk\n|- bread",
    "# Title\n|text of it",
    "end of one\n\n|start of the next",
    "end of one\r\n \t\r\n|start of the next",
    "one page\x0c|another page",
    "one paragraph\u2029|another",
    "1. First of all\n|2. Second of all\n|3. Third",
    "Jane Doe\n|12 Long Street\n|Oxford",
    "Prof. A. Smith came. | A. Jones left.",
    "Dr. A. B. Smith met J. A. Brown.",
    'He is George "I. M." Pei. | I. M. Pei agrees.',
    "Mr. A.B. Smith and Mr. I.M. Pei met at 5 p.m. | A man saw them.",
    "It was held otherwise (9th Cir. 1997). | The 2nd Cir. | It agreed.",
    "The co. was founded in 1901. | He left the co. | It grew.",
    "Wm. Penn met Geo. Fox. | Chas. and Thos. did not.",
    "Id. at 6. | See Id. at 7, n. 2.",
    "Show your ID. | Smith has his id. | then go.",
    "Yahoo! Inc. grew. | He left Yahoo! Inc. | The end! | Include it.",
    "We meet at 5 p.m. | Let's go.",
    "We met at 5 p.m. | She’s late, etc. | They'll come.",
]


@pytest.mark.parametrize("marked", TEXTS)
def test_sentences_end_where_a_reader_would_end_them(marked: str) -> None:
    expected = ["".join(part.split()) for part in marked.split("|")]
    text = marked.replace(" | ", " ").replace("|", "")
    found = ["".join(sentence.words) for sentence in tokenize(text)]
    assert found == [part for part in expected if part]


def test_rows_of_a_table_are_sentences_of_their_own() -> None:
    rows = ["| name | age |", "|------|-----|", "| ann | 12 |"]
    found = ["".join(sentence.words) for sentence in tokenize("\n".join(rows))]
    assert found == [row.replace(" ", "") for row in rows]


def test_lines_of_one_paragraph_each_are_not_joined() -> None:
    long_line = "Some words that fill a line " * 10
    assert len(tokenize(f"{long_line}\nA heading\n{long_line}")) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Prof. A. Smith", "Prof. A. Smith"),
        ("Dr. A. B. Smith", "Dr. A. B. Smith"),
        ("(9th Cir. 1997)", "( 9th Cir. 1997 )"),
        ("The co. was founded", "The co. was founded"),
        ("Wm. Penn", "Wm. Penn"),
        ("Id. at 6", "Id. at 6"),
        ("Yahoo! Inc.", "Yahoo ! Inc."),
        ("5 p.m. Let's go.", "5 p.m. | Let 's go ."),
        ("my ID. Smith", "my ID . | Smith"),
    ],
)
def test_the_full_stop_of_an_abbreviation_is_part_of_its_token(text: str, expected: str) -> None:
    assert " | ".join(" ".join(sentence.words) for sentence in tokenize(text)) == expected
