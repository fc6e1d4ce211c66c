"""Small CoNLL-U texts and sentences that several test files share."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from spanlin.dependencies import ConlluSentence, EmptyNode, MultiWordToken, Word
from spanlin.dependencies.sentence import Row

DOGS = (
    "# newdoc id = dogs\n"
    "# sent_id = dogs-1\n"
    "# text = Dogs don't bark.\n"
    "# a remark without a value\n"
    "1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t4:nsubj|5.1:nsubj\t_\n"
    "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tdo\tdo\tAUX\tVBP\tMood=Ind|Tense=Pres\t4\taux\t_\t_\n"
    "3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_\n"
    "4\tbark\tbark\tVERB\tVB\tVerbForm=Inf\t0\troot\t_\tSpaceAfter=No\n"
    "5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_\n"
    "5.1\tbark\tbark\tVERB\t_\t_\t_\t_\t4:conj\t_\n"
    "\n"
)

OFFICIAL_METRICS = (
    "Tokens",
    "Sentences",
    "Words",
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "UAS",
    "LAS",
    "CLAS",
    "MLAS",
    "BLEX",
)
"""What the official evaluation of Universal Dependencies reports, in its order."""


def small_sentence(*arcs: tuple[int, str], forms: Sequence[str] = "abcdefghij") -> str:
    """A sentence with these heads and relations, its words single letters unless other forms are given."""
    lines = [
        f"{number}\t{form}\t{form}\tNOUN\tNN\t_\t{head}\t{relation}\t_\t_\n"
        for number, (form, (head, relation)) in enumerate(zip(forms, arcs, strict=False), start=1)
    ]
    return "".join((*lines, "\n"))


_column = st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=6)
_text_columns = st.tuples(_column, _column, _column, _column, _column)


@st.composite
def conllu_sentences(draw: st.DrawFn) -> ConlluSentence:
    """Sentences in which every column may be any text, with multi-word tokens and empty nodes between the words."""
    word_count = draw(st.integers(1, 6))
    rows: list[Row] = []
    inside_until = 0

    def add_empty_nodes(after: int) -> None:
        for number in range(1, draw(st.integers(0, 2)) + 1):
            rows.append(EmptyNode(after, number, *draw(_text_columns), *draw(st.tuples(*[_column] * 4))))

    add_empty_nodes(0)
    for number in range(1, word_count + 1):
        if number > inside_until and draw(st.booleans()):
            inside_until = draw(st.integers(number, word_count))
            rows.append(
                MultiWordToken(number, inside_until, *draw(_text_columns), *draw(st.tuples(*[_column] * 4))),
            )
        head = draw(st.none() | st.integers(0, 12))
        rows.append(Word(*draw(_text_columns), head, *draw(st.tuples(*[_column] * 3))))
        add_empty_nodes(number)
    comments = draw(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"])), max_size=3))
    return ConlluSentence(tuple(rows), tuple(f"#{comment}" for comment in comments))
