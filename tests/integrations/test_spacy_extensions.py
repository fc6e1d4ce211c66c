"""What spans and tokens of a Doc say of a parse that was put there by hand."""

from __future__ import annotations

from typing import Any

import pytest

from spanlin.integrations.plain_parse import make_plain
from spanlin.integrations.spacy_extensions import (
    PARSE,
    SPAN_GETTERS,
    NonConstituentError,
    NonConstituentException,
    NotParsedError,
    set_extensions,
)
from spanlin.parsed import Parsed

spacy = pytest.importorskip("spacy")

PARSED = Parsed(
    words=("Old", "(", "dogs", "bark"),
    tags=("JJ", "-LRB-", "NNS", "VBP"),
    tag_probabilities=(0.5, 0.25, 1.0, 0.75),
    brackets="(TOP (S (NP (JJ Old) (-LRB- -LRB-) (NNS dogs)) (VP (VBP bark))))",
    spans=(("S", 0, 4, 0.9), ("NP", 0, 3, 0.8), ("VP", 3, 4, 0.7)),
)
NP = "(NP (JJ Old) (-LRB- -LRB-) (NNS dogs))"


@pytest.fixture
def doc() -> Any:
    """Return `Yes \\n Old (  dogs bark \\n` in two sentences, of which the second is parsed."""
    set_extensions()
    words = ["Yes", "\n", "Old", "(", " ", "dogs", "bark", "\n"]
    made = spacy.tokens.Doc(spacy.blank("en").vocab, words=words, sent_starts=[True, True] + [False] * 6)
    _, sentence = made.sents
    sentence._.set(PARSE, make_plain(PARSED, tokens=[1, 2, 4, 5], token_count=7)._asdict())
    return made


def test_a_span_knows_its_subtree_whatever_white_space_is_around_it(doc: Any) -> None:
    for start, end in ((2, 7), (1, 8), (2, 8), (1, 7)):
        span = doc[start:end]
        assert span._.parse_string == f"(S {NP} (VP (VBP bark)))"
        assert (span._.labels, span._.probability, span._.parent) == (("S",), 0.9, None)
        assert [(child.start, child.end) for child in span._.children] == [(2, 6), (6, 7)]
        assert [(one.start, one.end) for one in span._.constituents] == [(2, 7), (2, 6), (2, 3), (3, 4), (5, 6), (6, 7)]
    assert doc[2:6]._.parse_string == NP
    assert doc[6:7]._.labels == ("VP",)
    assert (doc[2:6]._.parent.start, doc[2:6]._.parent.end) == (2, 7)


def test_a_token_says_what_its_span_does(doc: Any) -> None:
    for token in doc[1:]:
        alone = doc[token.i : token.i + 1]
        assert [span.text for span in token._.constituents] == ([] if token.is_space else [token.text])
        assert list(token._.children) == list(alone._.children) == []
        for name in ("parse_string", "labels", "parent"):
            assert getattr(token._, name) == getattr(alone._, name)
    assert (doc[3]._.parse_string, doc[3]._.labels, doc[3]._.probability) == ("(-LRB- -LRB-)", (), 0.25)


def test_white_space_has_no_place_in_the_tree(doc: Any) -> None:
    for space in (doc[1:2], doc[4:5]):
        assert (space._.parse_string, space._.labels, space._.parent) == ("", (), None)
        assert list(space._.constituents) == list(space._.children) == []
        with pytest.raises(NonConstituentError, match=r"white space \(tokens \d to \d\) has no probability"):
            _ = space._.probability


def test_what_is_no_constituent_says_so(doc: Any) -> None:
    for name in SPAN_GETTERS:
        with pytest.raises(NonConstituentError, match=r"'Old \(' \(tokens 2 to 4\) is not a constituent: go down"):
            getattr(doc[2:4]._, name)
    with pytest.raises(NonConstituentException, match="is not a constituent"):  # as benepar calls it
        _ = doc[5:7]._.labels
    with pytest.raises(NonConstituentError, match="an empty Span is not a constituent"):
        _ = doc[2:2]._.labels


def test_what_is_not_parsed_says_so(doc: Any) -> None:
    plain = spacy.blank("en")
    with pytest.raises(NotParsedError, match="no sentence boundaries and no parse: add"):
        _ = plain("Dogs bark.")[:]._.labels
    with pytest.raises(NotParsedError, match="the sentence at token 0 has no parse: add"):
        _ = doc[0]._.labels
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
    with pytest.raises(NotParsedError, match="the tokens of the sentence at token 1 were changed: parse it again"):
        _ = doc[2:6]._.labels


def test_replacing_an_extension_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    set_extensions()
    assert caplog.messages == []
    spacy.tokens.Token.set_extension("labels", default=None, force=True)
    set_extensions()
    set_extensions()
    assert caplog.messages == ["Token._.labels was another extension; spanlin replaces it"]
