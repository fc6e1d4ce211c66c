"""The model in the box: it is there, it is small, it parses whatever it is given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import spanlin
from spanlin import CharacterConstraints, ParseOptions
from spanlin.cli.main import main
from spanlin.parser import Parser
from spanlin.text import tokenize
from text.nasty_inputs import NASTY_INPUTS


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "She loves writing code.",
            "(TOP (S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .)))",
        ),
        (
            "The cat sat on the mat.",
            "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))",
        ),
        (
            "Where did the children go?",
            "(TOP (SBARQ (WHADVP (WRB Where)) (SQ (VBD did) (NP (DT the) (NNS children)) (VP (VB go))) (. ?)))",
        ),
    ],
)
def test_plain_sentences_get_the_trees_they_should(text: str, expected: str, parser: Parser) -> None:
    assert [parsed.brackets() for parsed in parser.parse(text)] == [expected]


def test_the_command_needs_neither_a_model_nor_a_token() -> None:
    found = CliRunner().invoke(main, ["parse"], input="Dogs bark. Cats don't.\n")
    assert found.exit_code == 0
    assert [line.startswith("(TOP (S (NP (NNS ") for line in found.stdout.splitlines()] == [True, True]


def test_an_ambiguous_sentence_has_its_two_readings_first_and_second(parser: Parser) -> None:
    text = "I saw the man with the telescope."
    man, telescope = "(NP (DT the) (NN man))", "(PP (IN with) (NP (DT the) (NN telescope)))"
    noun, verb = (
        f"(TOP (S (NP (PRP I)) (VP (VBD saw) {seen}) (. .)))"
        for seen in (f"(NP {man} {telescope})", f"{man} {telescope}")
    )
    (best,) = parser.parse(text, ParseOptions(k_best=3))
    second, third = best.alternatives
    assert [best.brackets(), second.brackets()] == [verb, noun]
    assert best.probability is not None
    assert second.probability is not None
    assert third.probability is not None
    assert best.probability > second.probability > 2 * third.probability
    place = (text.index("the man"), text.index("."))
    (together,) = parser.parse(text, constraints=CharacterConstraints(required=[place]))
    assert together.brackets() == noun
    (other,) = parser.parse(text, constraints=CharacterConstraints(required=[(*place, "NP")]))
    assert other.brackets() == noun
    # A probability says how likely a phrase was before it was asked for.
    least, least_asked = (min(found.probability for found in one.constituents()) for one in (best, together))
    assert least > 0.5 > least_asked > 0.05


@pytest.mark.parametrize("number", range(len(NASTY_INPUTS)))
def test_any_text_gives_trees_of_exactly_its_tokens(number: int, parser: Parser) -> None:
    text = NASTY_INPUTS[number]
    parses = parser.parse(text)
    assert [parsed.words for parsed in parses] == [sentence.words for sentence in tokenize(text)]
    for parsed in parses:
        assert parsed.tree.words == parsed.words
        assert parsed.offsets is not None
        assert tuple(text[start:end] for start, end in parsed.offsets) == parsed.words
        assert all(0 <= found.probability <= 1 for found in parsed.constituents())


def test_the_package_is_small_and_its_card_speaks_of_data_and_licences() -> None:
    folder = Path(spanlin.__file__).parent / "models" / "en"
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 32_000_000
    card = (folder / "card.md").read_text(encoding="utf-8")
    for word in ("craft", "genia", "gum", "CC BY", "Calibration", "F1", "SHA-256"):
        assert word in card


@pytest.mark.parametrize(("name", "most_bytes"), [("en", 28_000_000), ("en-small", 10_000_000)])
def test_every_packaged_model_is_as_small_as_it_says_and_gives_trees_and_dependencies(
    name: str, most_bytes: int
) -> None:
    parser = Parser.load(name)
    assert sum(path.stat().st_size for path in parser.folder.path.iterdir()) <= most_bytes
    (parsed,) = parser.parse("She loves writing code.")
    assert parsed.brackets().startswith("(TOP (S (NP (PRP She)) (VP (VBZ loves) ")
    assert parsed.heads == (2, 0, 2, 3, 2)
    assert parsed.universal_tags == ("PRON", "VERB", "VERB", "NOUN", "PUNCT")
    assert parsed.calibrated
    assert parsed.dependencies is not None
    assert parsed.dependencies.calibrated


def test_parsing_imports_no_torch() -> None:
    code = (
        "import sys; from spanlin import Parser; Parser.load().parse('Hello there.');"
        "sys.exit(', '.join({'torch', 'transformers', 'onnx', 'matplotlib'} & set(sys.modules)) or 0)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert (found.returncode, found.stderr) == (0, "")
