from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from udtools import Validator

from oracles.conllu_rows import conllu_by_rows
from spanlin.dependencies import parse_conllu
from spanlin.errors import DependencyError
from spanlin.parsed import Parsed
from spanlin.parsed_conllu import is_contracted
from spanlin.parsed_dependencies import ParsedDependencies
from spanlin.text import Sentence, iter_sentences
from spanlin.trees.escapes import escape_word

VALIDATOR = Validator(lang="ud", level=2, output=None)


def chain(words: tuple[str, ...], sentence: Sentence | None = None, tags: tuple[str, ...] = ()) -> Parsed:
    """A parse in which each word governs the next."""
    count = len(words)
    return Parsed(
        words=words,
        tags=tags or ("NN",) * count,
        tag_probabilities=(1.0,) * count,
        brackets=f"(TOP (NP {' '.join(f'(NN {escape_word(word)})' for word in words)}))",
        spans=(),
        sentence=sentence,
        dependencies=ParsedDependencies(
            heads=tuple(range(count)),
            relations=("root", *("nmod",) * (count - 1)),
            universal_tags=("NOUN",) * count,
            arc_probabilities=(1.0,) * count,
            certified=True,
        ),
    )


def of_text(text: str, *tags: str) -> Parsed:
    (sentence,) = iter_sentences(text)
    return chain(sentence.words, sentence, tags)


def problems(conllu: str) -> list[str]:
    """What the official validator says at its first two levels."""
    state = VALIDATOR.validate_file_handle(io.StringIO(conllu, newline="\n"))
    VALIDATOR.validate_end(state)
    return [str(found.testid) for found in state.error_tracker]


def test_a_text_keeps_its_spaces_and_offsets_and_contractions_are_multi_word_tokens() -> None:
    conllu = of_text("  Dogs don't\nbark.", "NNS", "VBP", "RB", "VB", ".").to_conllu(sent_id="dogs-1")
    assert conllu.splitlines() == [
        "# sent_id = dogs-1",
        "# text = Dogs don't bark.",
        "# constituency = (TOP (NP (NN Dogs) (NN do) (NN n't) (NN bark) (NN .)))",
        "1\tDogs\t_\tNOUN\tNNS\t_\t0\troot\t_\tTokenRange=2:6",
        "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tTokenRange=7:12",
        "2\tdo\t_\tNOUN\tVBP\t_\t1\tnmod\t_\tTokenRange=7:9",
        "3\tn't\t_\tNOUN\tRB\t_\t2\tnmod\t_\tTokenRange=9:12",
        "4\tbark\t_\tNOUN\tVB\t_\t3\tnmod\t_\tSpaceAfter=No|TokenRange=13:17",
        "5\t.\t_\tNOUN\t.\t_\t4\tnmod\t_\tTokenRange=17:18",
        "",
    ]
    assert conllu.endswith("\n\n")
    assert problems(conllu) == []


def test_a_contraction_before_a_mark_says_that_no_space_follows() -> None:
    rows = [line.split("\t") for line in of_text("It wouldn't've, he said.").to_conllu().splitlines()[2:]]
    assert [(row[0], row[1], row[-1]) for row in rows[1:5]] == [
        ("2-4", "wouldn't've", "SpaceAfter=No|TokenRange=3:14"),
        ("2", "would", "TokenRange=3:8"),
        ("3", "n't", "TokenRange=8:11"),
        ("4", "'ve", "TokenRange=11:14"),
    ]


def test_given_words_have_spaces_between_and_no_offsets() -> None:
    lines = chain(("do", "n't", "bark", ".")).to_conllu().splitlines()
    assert lines[0] == "# text = do n't bark ."
    assert [line.split("\t")[-1] for line in lines[2:6]] == ["_"] * 4


def test_several_sentences_are_one_valid_file() -> None:
    text = "I can't. “Gonna try?” (We'll see…) The dogs' 5kg bone isn't O'Neill's!\n\nYes:no #1 & _ é e\u0301"
    made = "".join(
        chain(found.words, found).to_conllu(sent_id=f"text-{number}")
        for number, found in enumerate(iter_sentences(text), start=1)
    )
    assert problems(made) == []
    assert "\n2-3\tcan't\t" in made
    assert "\n2-3\tGonna\t" in made
    assert re.sub(r"\s+", "", text.replace("e\u0301", "é")) == re.sub(
        r"\s+", "", "".join(sentence.text for sentence in parse_conllu(made))
    )


# Words as they can only be given, not found in a text; U+FFFD is what the validator takes for broken UTF-8.
odd_words = st.lists(st.text(st.characters(exclude_characters="\ufffd", exclude_categories=["Cs"]), max_size=5))


@given(words=odd_words.filter(bool), joined=st.booleans())
def test_any_words_make_a_valid_sentence(words: list[str], joined: bool) -> None:
    sentence = None
    if joined:
        ends = [sum(map(len, words[: number + 1])) for number in range(len(words))]
        sentence = Sentence(tuple(words), (0, *ends[:-1]), tuple(ends), "".join(words))
    conllu = chain(tuple(words), sentence).to_conllu(sent_id="1")
    assert problems(conllu) == []
    (again,) = parse_conllu(conllu)
    assert again.dependencies.heads == tuple(range(len(words)))


odd_text = st.text(st.sampled_from("ab5 '’.-n\tt\u0301é\n\ud800"), min_size=1).filter(str.strip)


@given(
    text=odd_text, relations=st.sampled_from(["root", "root:x", "rooted", "nmod"]), tag=st.sampled_from(["POS", "NN"])
)
def test_lines_are_those_of_rows_that_are_written_one_by_one(text: str, relations: str, tag: str) -> None:
    for sentence in iter_sentences(text):
        for place in (sentence, None):
            parsed = chain(sentence.words, place, (tag,) * len(sentence.words))
            assert parsed.dependencies is not None
            parsed.dependencies = replace(parsed.dependencies, relations=(relations,) * len(parsed.words))
            assert parsed.to_conllu(sent_id="1") == conllu_by_rows(parsed, sent_id="1")


@pytest.mark.parametrize("tag", ["", "N\tN", "N\nN", "N\rN"])
def test_a_tag_that_would_break_its_line_is_refused(tag: str) -> None:
    with pytest.raises(DependencyError, match=r"^xpos of 2 is '.*': it must be text without tabs or line ends$"):
        chain(("Dogs", "bark"), tags=("NN", tag)).to_conllu()


def test_only_the_root_has_the_relation_root_whatever_a_network_says() -> None:
    parsed = chain(("Dogs", "bark", "."))
    assert parsed.dependencies is not None
    parsed.dependencies = replace(parsed.dependencies, relations=("nsubj", "root", "punct"))
    conllu = parsed.to_conllu(sent_id="1")
    assert [word.deprel for word in parse_conllu(conllu)[0].words] == ["root", "dep", "punct"]
    assert problems(conllu) == []


def test_half_a_character_is_written_as_what_stands_for_it() -> None:
    conllu = chain(("a", "\ud800b")).to_conllu()
    assert "\n2\t\ufffdb\t" in conllu
    conllu.encode()


@pytest.mark.parametrize(
    ("before", "word", "tag", "contracted"),
    [
        ("do", "n't", "RB", True),
        ("can", "not", "RB", True),
        ("dog", "'s", "POS", True),
        ("dogs", "’", "POS", True),
        ("1990", "'s", "POS", True),
        ("dogs", "'", "''", False),
        ("5", "kg", "NN", False),
        ("bark", ".", ".", False),
        (")", "'s", "POS", False),
        ("a b", "n't", "RB", False),
    ],
)
def test_contractions_are_those_of_english_treebanks(before: str, word: str, tag: str, contracted: bool) -> None:
    assert is_contracted(before, word, tag) == contracted


def test_a_parse_without_dependencies_says_why_it_cannot_be_written() -> None:
    parsed = chain(("Dogs",))
    parsed.dependencies = None
    with pytest.raises(DependencyError, match=r"^this parse has no dependencies, as its model was trained on trees"):
        parsed.to_conllu()


def test_a_sentence_without_words_cannot_be_written() -> None:
    empty = chain(("Dogs",))
    empty.words = ()
    with pytest.raises(DependencyError, match=r"^a sentence without words cannot be written as CoNLL-U$"):
        empty.to_conllu()


@pytest.mark.parametrize("sent_id", ["a b", " a", "a\n1\tx", "\t"])
def test_a_sent_id_has_no_white_space(sent_id: str) -> None:
    with pytest.raises(DependencyError, match=r"^the sent_id .* has white space: use another sign, such as -$"):
        chain(("Dogs",)).to_conllu(sent_id=sent_id)
