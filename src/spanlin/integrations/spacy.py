"""The parser as a component of spaCy's pipelines: `nlp.add_pipe("spanlin")`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NoReturn

from spanlin.errors import ConfigError
from spanlin.integrations.plain_parse import make_plain
from spanlin.integrations.reloading import ReloadingParser
from spanlin.integrations.spacy_dependencies import SentenceHeads, noun_chunks, set_dependencies
from spanlin.integrations.spacy_extensions import (
    PARSE,
    SPAN_GETTERS,
    TOKEN_GETTERS,
    NonConstituentError,
    NonConstituentException,
    NotParsedError,
    set_extensions,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span  # type: ignore[import-not-found, unused-ignore]

__all__ = [
    "NonConstituentError",
    "NonConstituentException",
    "NotParsedError",
    "SpanlinComponent",
    "create",
    "set_extensions",
]

OnError = Callable[[str, Any, "list[Doc]", Exception], Any]


class SpanlinComponent:
    """Parses each sentence of a Doc, of spaCy's own tokens; white space tokens are left out."""

    def __init__(self, name: str, parser: ReloadingParser, *, set_tags: bool, set_dependencies: bool) -> None:
        self.name = name
        self._parser = parser
        self._set_tags = set_tags
        self._set_dependencies = set_dependencies
        self._on_error: OnError = _raise

    def __call__(self, doc: Doc) -> Doc:
        """Return the Doc with its parses."""
        _check(doc)
        self._parse([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Yield the Docs in order; the sentences of `batch_size` Docs are parsed together."""
        source = iter(stream)
        while docs := list(itertools.islice(source, batch_size)):
            ready = []
            for doc in docs:
                try:
                    _check(doc)
                except ConfigError as error:
                    self._on_error(self.name, self, [doc], error)
                else:
                    ready.append(doc)
            try:
                self._parse(ready)
            except Exception as error:  # whatever it is, spaCy's user may have said what to do about it
                self._on_error(self.name, self, ready, error)
            else:
                yield from ready

    def set_error_handler(self, error_handler: OnError) -> None:
        """Let spaCy say what becomes of Docs that cannot be parsed."""
        self._on_error = error_handler

    def get_error_handler(self) -> OnError:
        """Return what is called with Docs that cannot be parsed."""
        return self._on_error

    def _parse(self, docs: Sequence[Doc]) -> None:
        sentences: list[Span] = [sentence for doc in docs if len(doc) for sentence in doc.sents]
        tokens = [[token for token in sentence if not token.is_space] for sentence in sentences]
        parses = self._parser.get().parse_tokens([[token.text for token in words] for words in tokens])
        heads: dict[int, list[SentenceHeads]] = {}
        for sentence, words, parsed in zip(sentences, tokens, parses, strict=True):
            places = [token.i - sentence.start for token in words]
            plain = make_plain(parsed, tokens=places, token_count=len(sentence))
            sentence._.set(PARSE, plain._asdict())
            if self._set_tags:
                for token, tag in zip(words, parsed.tags, strict=True):
                    token.tag_ = tag
            if self._set_dependencies and parsed.dependencies is not None:
                found = SentenceHeads(sentence, [token.i for token in words], parsed.dependencies)
                heads.setdefault(id(sentence.doc), []).append(found)
        # Last, and for whole Docs: spaCy makes the sentences anew, the same ones.
        for doc in docs:
            if id(doc) in heads:
                set_dependencies(doc, heads[id(doc)])


def create(
    nlp: Any, name: str, model: str, threads: int, *, set_tags: bool, set_dependencies: bool
) -> SpanlinComponent:
    """Return a component. `model` is whatever `Parser.load` takes; `threads` 0 is every core.

    With `set_tags` the words' `tag_` is the parser's tag, whatever it was before; with `set_dependencies`, so are
    `head`, `dep_` and `pos_`, and noun chunks go by them.
    """
    set_extensions()
    parser = ReloadingParser(model, threads=threads)
    if set_dependencies:
        parser.get().check_dependencies()
        nlp.vocab.get_noun_chunks = noun_chunks  # spaCy's own for English know none of UD's relations
    return SpanlinComponent(name, parser, set_tags=set_tags, set_dependencies=set_dependencies)


def _check(doc: Doc) -> None:
    if len(doc) and not doc.has_annotation("SENT_START"):
        raise ConfigError('no sentence boundaries: nlp.add_pipe("sentencizer"), or a parser, before "spanlin"')


def _raise(_name: str, _component: Any, _docs: list[Doc], error: Exception) -> NoReturn:
    raise error


# spaCy finds this module by its entry point. Tools that import all there is must not need spaCy.
if find_spec("spacy"):
    from spacy.language import Language  # type: ignore[import-not-found, unused-ignore]

    Language.factory(
        "spanlin",
        default_config={"model": "en", "threads": 0, "set_tags": False, "set_dependencies": False},
        assigns=[*(f"span._.{name}" for name in SPAN_GETTERS), *(f"token._.{name}" for name in TOKEN_GETTERS)],
        requires=["doc.sents"],
        func=create,
    )
