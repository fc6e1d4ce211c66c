from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanlin.errors import CheckpointError, ConfigError
from spanlin.integrations.spacy import NonConstituentError
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.trees.brackets import parse_tree

spacy = pytest.importorskip("spacy")

# spaCy forks its workers; Python 3.12 and later warn of it where a thread is alive.
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")

TEXT = "The time for action is now.\n\nIt's never too late (to do something).  Yes. "
FIRST = "(S (NP (NP (DT The) (NN time)) (PP (IN for) (NP (NN action)))) (VP (VBZ is) (ADVP (RB now))) (. .))"


def pipeline(**config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("spanlin", config={"threads": 1, **config})
    return nlp


@pytest.fixture(scope="module")
def nlp() -> Any:
    return pipeline()


def facts(doc: Any) -> list[Any]:
    """All that the extensions say of a Doc, in plain values."""
    found: list[Any] = []
    for sentence in doc.sents:
        found.append(sentence._.parse_string)
        for span in sentence._.constituents:
            parent = span._.parent
            children = [(child.start, child.end) for child in span._.children]
            place = None if parent is None else (parent.start, parent.end)
            found.append((span.start, span.end, span._.labels, span._.probability, place, children))
    return found + [(token._.parse_string, token._.labels) for token in doc]


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load(threads=1)


@settings(max_examples=40, deadline=None)
@given(
    text=st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
        st.lists(
            st.sampled_from(
                ["The", " dog", " barks", ".", "\n", "\n\n", "  ", "\t", " (", ")", "!", " -LRB-", "\u00a0"]
            )
        ).map("".join),
    )
)
def test_any_text_gets_the_parsers_own_trees_over_its_tokens(text: str, nlp: Any, parser: Parser) -> None:
    doc = nlp(text)
    sentences = list(doc.sents) if len(doc) else []
    tokens = [[token for token in sentence if not token.is_space] for sentence in sentences]
    parses = parser.parse_tokens([[token.text for token in words] for words in tokens])
    for sentence, words, parsed in zip(sentences, tokens, parses, strict=True):
        if not words:
            assert (sentence._.parse_string, list(sentence._.constituents)) == ("", [])
            continue
        assert sentence._.parse_string in (parsed.brackets(), parsed.brackets()[len("(TOP ") : -1])
        labels: dict[tuple[int, int], tuple[str, ...]] = {(token.i, token.i + 1): () for token in words}
        labels |= {} if sentence._.labels != ("TOP",) else {(words[0].i, words[-1].i + 1): ("TOP",)}
        for found in parsed.constituents():
            place = (words[found.left].i, words[found.right - 1].i + 1)
            labels[place] = (*labels.get(place, ()), found.label)
        assert {(span.start, span.end): span._.labels for span in sentence._.constituents} == labels
        for span in sentence._.constituents:
            assert parse_tree(span._.parse_string).words == tuple(token.text for token in span if not token.is_space)
            assert all(child._.parent == span for child in span._.children)
            assert 0 <= span._.probability <= 1


def test_one_by_one_and_in_a_pipe_docs_get_the_same_trees(nlp: Any) -> None:
    texts = ["The time for action is now.\n\nDogs bark.", "", "Dogs bark", " \n ", "Dogs bark. " * 20]

    def trees(doc: Any) -> list[str]:
        return [sentence._.parse_string for sentence in doc.sents]

    # Clear cases only, and no probabilities: the packaged model's numbers are rounded by what else is in a batch.
    assert [trees(doc) for doc in nlp.pipe(texts)] == [trees(nlp(text)) for text in texts]


def test_a_script_for_benepar_runs_with_one_line_changed(capsys: pytest.CaptureFixture[str]) -> None:
    script = """
import spacy
nlp = spacy.blank("en")
nlp.add_pipe("sentencizer")
nlp.add_pipe("benepar", config={"model": "benepar_en3"})
doc = nlp("The time for action is now. It's never too late to do something.")
sent = list(doc.sents)[0]
print(sent._.parse_string)
print(sent._.labels)
print(list(sent._.children)[0])
for constituent in sent._.constituents:
    if "NP" in constituent._.labels:
        print(constituent, "<", constituent._.parent)
token = doc[3]
print(token._.parse_string, token._.labels, token._.parent)
print(sent._.parent, [len(list(word._.children)) for word in [doc[0:1]]])
"""
    changed = script.replace('nlp.add_pipe("benepar", config={"model": "benepar_en3"})', 'nlp.add_pipe("spanlin")')
    assert sum(one != two for one, two in zip(script.splitlines(), changed.splitlines(), strict=True)) == 1
    exec(changed, {})
    assert capsys.readouterr().out.splitlines() == [
        FIRST,
        "('S',)",
        "The time for action",
        "The time for action < The time for action is now.",
        "The time < The time for action",
        "action < for action",
        "(NP (NN action)) ('NP',) for action",
        "None [0]",
    ]


def test_white_space_tokens_have_no_place_in_the_tree(nlp: Any) -> None:
    doc = nlp(TEXT)
    first, second, third = doc.sents
    assert first._.parse_string == FIRST
    assert second[0].text == "\n\n"
    (whole, *_) = second._.constituents
    assert whole.text == "It's never too late (to do something)."
    assert (whole._.labels, whole._.parse_string) == (second._.labels, second._.parse_string)
    assert "(-LRB- -LRB-)" in whole._.parse_string
    assert (third[0].text, parse_tree(third._.parse_string).words) == (" ", ("Yes", "."))
    space = second[0]
    assert (space._.parse_string, space._.labels, space._.parent) == ("", (), None)
    inside = nlp("The  old\ndog barks.")
    (sentence,) = inside.sents
    assert [span.text for span in sentence._.children] == ["The  old\ndog", "barks", "."]
    assert inside[0:5]._.labels == ("NP",)


def test_a_doc_of_white_space_or_nothing_is_fine(nlp: Any) -> None:
    assert len(nlp("")) == 0
    for sentence in nlp(" \n\t ").sents:
        assert (sentence._.parse_string, sentence._.labels, sentence._.parent) == ("", (), None)
        assert list(sentence._.constituents) == list(sentence._.children) == []
        with pytest.raises(NonConstituentError, match="white space"):
            _ = sentence._.probability


def test_probabilities_are_the_parsers_own(nlp: Any, parser: Parser) -> None:
    doc = nlp("She loves writing code.")
    (parsed,) = parser.parse_tokens([[token.text for token in doc]])
    for found in parsed.constituents():
        assert doc[found.left : found.right]._.probability == found.probability
    assert doc[1]._.probability == parsed.tag_probabilities[1]


def test_tags_are_set_only_where_asked(nlp: Any) -> None:
    assert [token.tag_ for token in nlp("Dogs bark.")] == ["", "", ""]
    assert [token.tag_ for token in pipeline(set_tags=True)("Dogs\n bark.")] == ["NNS", "", "VBP", "."]


def test_a_pipe_parses_the_sentences_of_a_batch_in_one_call(nlp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    plain = Parser.parse_tokens

    def counted(self: Parser, sentences: Sequence[Sequence[str]]) -> list[Parsed]:
        sizes.append(len(sentences))
        return plain(self, sentences)

    monkeypatch.setattr(Parser, "parse_tokens", counted)
    texts = ["Dogs bark. Cats sleep."] * 25
    docs = list(nlp.pipe(texts, batch_size=10))
    assert sizes == [20, 20, 10]
    assert [doc.text for doc in docs] == texts
    assert all(sentence._.labels == ("S",) for doc in docs for sentence in doc.sents)


def test_a_pipe_takes_no_more_docs_than_it_needs(nlp: Any) -> None:
    taken = 0

    def endless() -> Any:
        nonlocal taken
        while True:
            taken += 1
            yield "Dogs bark."

    found = nlp.pipe(endless(), batch_size=5)
    for _ in range(3):
        next(found)
    assert taken <= 20


def test_two_processes_give_the_same_docs(nlp: Any) -> None:
    texts = [TEXT, "", "Dogs bark.", "Cats don't.\n"] * 3
    found = list(nlp.pipe(texts, n_process=2, batch_size=2))
    assert [facts(doc) for doc in found] == [facts(doc) for doc in nlp.pipe(texts, batch_size=2)]


@pytest.mark.slow
def test_spawned_processes_work_too() -> None:
    code = (
        "import multiprocessing, spacy\n"
        "multiprocessing.set_start_method('spawn')\n"
        "nlp = spacy.blank('en')\n"
        "nlp.add_pipe('sentencizer')\n"
        "nlp.add_pipe('spanlin')\n"
        "docs = nlp.pipe(['Dogs bark.', 'Cats sleep.'] * 2, n_process=2, batch_size=1)\n"
        "print(*[sentence._.labels[0] for doc in docs for sentence in doc.sents])\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert (found.stdout, found.returncode) == ("S S S S\n", 0), found.stderr


def test_docs_survive_bytes_pickle_and_docbin(nlp: Any) -> None:
    doc = nlp(TEXT)
    expected = facts(doc)
    from_bytes = spacy.tokens.Doc(spacy.blank("en").vocab).from_bytes(doc.to_bytes())
    assert facts(from_bytes) == expected
    assert facts(pickle.loads(pickle.dumps(doc))) == expected
    assert facts(doc.copy()) == expected
    box = spacy.tokens.DocBin(store_user_data=True, docs=[doc, nlp(""), doc])
    first, empty, second = spacy.tokens.DocBin().from_bytes(box.to_bytes()).get_docs(spacy.blank("en").vocab)
    assert (facts(first), facts(empty), facts(second)) == (expected, [], expected)
    again = spacy.tokens.Doc(nlp.vocab).from_bytes(from_bytes.to_bytes())
    assert facts(again) == expected


def test_parses_move_along_when_docs_are_joined_or_cut(nlp: Any) -> None:
    doc, other = nlp("Dogs bark. Cats sleep."), nlp("She loves writing code.")
    joined = spacy.tokens.Doc.from_docs([doc, other])
    assert [sentence._.parse_string for sentence in joined.sents] == [
        sentence._.parse_string for one in (doc, other) for sentence in one.sents
    ]
    _, second = doc.sents
    cut = second.as_doc(copy_user_data=True)
    assert [sentence._.parse_string for sentence in cut.sents] == [second._.parse_string]


def test_saved_docs_are_read_in_a_program_without_a_parser(nlp: Any, tmp_path: Path) -> None:
    path = tmp_path / "doc"
    nlp("Dogs bark.").to_disk(path)
    code = (
        "import sys, spacy; from spanlin.integrations.spacy import set_extensions; set_extensions()\n"
        "doc = spacy.tokens.Doc(spacy.blank('en').vocab).from_disk(sys.argv[1])\n"
        "print(next(doc.sents)._.parse_string)"
    )
    arguments = [sys.executable, "-c", code, str(path)]
    found = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=120)
    assert found.stdout == "(S (NP (NNS Dogs)) (VP (VBP bark)) (. .))\n", found.stderr


def test_a_pipeline_survives_disk_and_bytes(tmp_path: Path) -> None:
    nlp = pipeline(set_tags=True)
    expected = facts(nlp(TEXT))
    nlp.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    assert loaded.config["components"]["spanlin"] == {
        "factory": "spanlin",
        "model": "en",
        "threads": 1,
        "set_tags": True,
        "set_dependencies": False,
    }
    assert facts(loaded(TEXT)) == expected
    assert loaded("Dogs bark.")[0].tag_ == "NNS"
    assert facts(pipeline().from_disk(tmp_path / "pipeline")(TEXT)) == expected
    assert facts(pipeline().from_bytes(nlp.to_bytes())(TEXT)) == expected


def test_a_component_is_pickled_without_its_session(nlp: Any) -> None:
    data = pickle.dumps(nlp.get_pipe("spanlin"))
    assert len(data) < 2000
    component = pickle.loads(data)
    doc = spacy.blank("en")("Dogs bark.")
    doc[0].is_sent_start = True
    doc[1].is_sent_start = doc[2].is_sent_start = False
    assert component(doc)[0:3]._.labels == ("S",)


def test_a_very_long_sentence_is_parsed(nlp: Any) -> None:
    doc = spacy.tokens.Doc(nlp.vocab, words=["the", "dog", "and", "\n"] * 500, sent_starts=[True] + [False] * 1999)
    (sentence,) = nlp.get_pipe("spanlin")(doc).sents
    assert len(parse_tree(sentence._.parse_string).words) == 1500
    assert sum(len(span) == 1 for span in sentence._.constituents) == 1500
    deepest = doc[998]
    span = deepest._.parent
    while (parent := span._.parent) is not None:
        assert (parent.start <= span.start, parent.end >= span.end) == (True, True)
        span = parent
    assert (span.start, span.end) == (0, 1999)


def test_without_sentence_boundaries_the_way_out_is_named() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("spanlin", config={"threads": 1})
    message = 'no sentence boundaries: nlp.add_pipe\\("sentencizer"\\), or a parser, before "spanlin"'
    with pytest.raises(ConfigError, match=message):
        nlp("Dogs bark.")
    with pytest.raises(ConfigError, match=message):
        list(nlp.pipe(["Dogs bark."]))
    assert len(nlp("")) == 0


def test_spacys_error_handler_is_asked(nlp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    component = pickle.loads(pickle.dumps(nlp.get_pipe("spanlin")))
    seen: list[tuple[str, int, str]] = []
    component.set_error_handler(lambda name, _, docs, error: seen.append((name, len(docs), type(error).__name__)))
    docs = [spacy.blank("en")("Dogs bark."), nlp.make_doc("")]
    assert [len(doc) for doc in component.pipe(docs)] == [0]
    assert seen == [("spanlin", 1, "ConfigError")]
    monkeypatch.setattr(Parser, "parse_tokens", lambda self, sentences: 1 // 0)
    assert list(component.pipe(docs[1:])) == []
    assert seen[1:] == [("spanlin", 1, "ZeroDivisionError")]


def test_wrong_settings_are_errors_when_the_component_is_added() -> None:
    nlp = spacy.blank("en")
    with pytest.raises(CheckpointError, match="benepar_en3: no such model"):
        nlp.add_pipe("spanlin", config={"model": "benepar_en3"})
    with pytest.raises(ConfigError, match=r"threads must be 0 \(every core\) or more, got -1"):
        nlp.add_pipe("spanlin", config={"threads": -1})


def test_replacing_an_extension_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    spacy.tokens.Span.set_extension("labels", default=None, force=True)
    pipeline()
    assert caplog.messages == ["Span._.labels was another extension; spanlin replaces it"]
    pipeline()
    assert len(caplog.messages) == 1
