from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dependency_trees import head_trees
from exported_networks import export_once
from parsers_with_heads import ParserWithHeads
from spanlin.dependencies import parse_conllu
from spanlin.errors import DependencyError
from spanlin.integrations.spacy_dependencies import SentenceHeads, noun_chunks, set_dependencies
from spanlin.parsed_dependencies import ParsedDependencies
from spanlin.parser import Parser

spacy = pytest.importorskip("spacy")

# Made up for the purpose, annotated as UD's English treebanks would be.
SENTENCES = """
1 Bush Bush PROPN _ _ 2 nsubj _ _
2 met met VERB _ _ 0 root _ _
3 Jennifer _ PROPN _ _ 2 obj _ _
4 M. _ PROPN _ _ 3 flat _ _
5 Day _ PROPN _ _ 3 flat _ SpaceAfter=No
6 , _ PUNCT _ _ 9 punct _ _
7 his _ PRON _ _ 9 nmod:poss _ _
8 new _ ADJ _ _ 9 amod _ _
9 judge _ NOUN _ _ 3 appos _ _
10 of _ ADP _ _ 13 case _ _
11 the _ DET _ _ 13 det _ _
12 tax _ NOUN _ _ 13 compound _ _
13 court _ NOUN _ _ 9 nmod _ _

1 She _ PRON _ _ 6 nsubj _ _
2 is _ AUX _ _ 6 cop _ _
3 my _ PRON _ _ 4 nmod:poss _ _
4 dog _ NOUN _ _ 6 nmod:poss _ _
5 's _ PART _ _ 4 case _ _
6 vet _ NOUN _ _ 0 root _ _
7 and _ CCONJ _ _ 10 cc _ _
8 very _ ADV _ _ 9 advmod _ _
9 old _ ADJ _ _ 10 amod _ _
10 friend _ NOUN _ _ 6 conj _ _
"""
CHUNKS = ["Bush", "Jennifer M. Day", "his new judge", "the tax court", "She", "my dog 's vet", "very old friend"]


def annotated() -> Any:
    """A Doc of the sentences above, its dependencies set."""
    sentences = parse_conllu("\n".join(line.replace(" ", "\t") for line in SENTENCES.strip().splitlines()))
    words = [form for sentence in sentences for form in sentence.forms]
    starts = [number == 0 for sentence in sentences for number in range(len(sentence.words))]
    doc = spacy.tokens.Doc(spacy.blank("en").vocab, words, sent_starts=starts)
    found = []
    for part, sentence in zip(doc.sents, sentences, strict=True):
        arcs = sentence.dependencies
        tags = tuple(word.upos for word in sentence.words)
        parsed = ParsedDependencies(arcs.heads, arcs.relations, tags, (1.0,) * len(arcs), True)
        found.append(SentenceHeads(part, range(part.start, part.end), parsed))
    set_dependencies(doc, found)
    return doc


def test_heads_relations_and_tags_become_spacys() -> None:
    doc = annotated()
    assert [token.head.text for token in doc[:5]] == ["met", "met", "met", "Jennifer", "Jennifer"]
    assert [token.dep_ for token in doc[:5]] == ["nsubj", "ROOT", "obj", "flat", "flat"]
    assert [token.pos_ for token in doc[:3]] == ["PROPN", "VERB", "PROPN"]
    assert [sentence.root.text for sentence in doc.sents] == ["met", "vet"]


def test_noun_chunks_go_by_the_relations_of_ud() -> None:
    doc = annotated()
    doc.noun_chunks_iterator = noun_chunks
    assert [chunk.text for chunk in doc.noun_chunks] == CHUNKS
    second = list(doc.sents)[1]
    assert [chunk.text for chunk in second.noun_chunks] == CHUNKS[4:]


def test_without_dependencies_there_are_no_noun_chunks() -> None:
    doc = spacy.blank("en")("Dogs bark.")
    with pytest.raises(ValueError, match="noun chunks need dependencies, which this Doc does not have"):
        list(noun_chunks(doc))


@st.composite
def sentence_heads(draw: st.DrawFn) -> tuple[list[bool], tuple[int, ...]]:
    """Which tokens are white space, and the heads of the others: a tree of any shape."""
    heads = draw(st.one_of(st.just(()), head_trees()))
    spaces = draw(st.integers(0 if heads else 1, 4))
    return draw(st.permutations([True] * spaces + [False] * len(heads))), heads


@settings(deadline=None)
@given(st.lists(sentence_heads(), min_size=1, max_size=4))
def test_any_trees_leave_the_sentences_as_they_are(sentences: list[tuple[list[bool], tuple[int, ...]]]) -> None:
    words = [" " if is_space else "word" for spaces, _ in sentences for is_space in spaces]
    starts = [number == 0 for spaces, _ in sentences for number in range(len(spaces))]
    doc = spacy.tokens.Doc(spacy.blank("en").vocab, words, sent_starts=starts)
    before = [(part.start, part.end) for part in doc.sents]
    found = []
    for part, (_, heads) in zip(doc.sents, sentences, strict=True):
        places = [token.i for token in part if not token.is_space]
        relations = tuple("dep" if head else "root" for head in heads)
        parsed = ParsedDependencies(heads, relations, ("NOUN",) * len(heads), (1.0,) * len(heads), True)
        found.append(SentenceHeads(part, places, parsed))
    set_dependencies(doc, found)
    assert [(part.start, part.end) for part in doc.sents] == before
    for part, words_of, parsed in found:
        for place, head in zip(words_of, parsed.heads, strict=True):
            assert doc[place].head.i == (words_of[head - 1] if head else place)
        assert sum(token.head == token for token in part) == 1
        assert all(token.pos_ == "SPACE" for token in part if token.is_space)


@pytest.fixture
def with_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    load = Parser.load.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Parser, "load", lambda *given, **options: load(ParserWithHeads, *given, **options))


def pipeline(**config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("spanlin", config={"threads": 1, **config})
    return nlp


@pytest.mark.usefixtures("with_heads")
def test_a_pipeline_sets_dependencies_beside_trees_and_displacy_draws_them(tmp_path: Path) -> None:
    nlp = pipeline(set_dependencies=True)
    nlp.to_disk(tmp_path)
    for made in (nlp, spacy.load(tmp_path)):
        first, empty = made.pipe(["See dogs bark.  Hear\ncats.", ""])
        assert [token.head.text for token in first[:4]] == ["See"] * 4
        assert [token.dep_ for token in first] == ["ROOT", "obj", "obj", "obj", "dep", "ROOT", "dep", "obj", "obj"]
        assert [sentence._.parse_string[:2] for sentence in first.sents] == ["(S", "(S"]
        assert next(chunk.text for chunk in first.noun_chunks) == "dogs"
        assert not len(empty)
        drawn = spacy.displacy.render(first, style="dep", options={"collapse_punct": False})
        assert drawn.count('class="displacy-arc"') == len(first) - 2


@pytest.mark.usefixtures("with_heads")
def test_dependencies_are_set_only_if_asked_for() -> None:
    doc = pipeline()("See dogs bark.")
    assert not doc.has_annotation("DEP")
    assert not doc.has_annotation("POS")


def test_a_model_without_dependencies_is_refused_when_the_pipeline_is_made(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = export_once("encoder", tmp_path_factory).folder
    message = f"^{folder.name}: this model was trained on trees alone and has no dependencies"
    with pytest.raises(DependencyError, match=message):
        pipeline(set_dependencies=True, model=str(folder))
