"""From a request to parse to its sentences, checked against the limits, and the work to do on them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from spanlin.decoding import Constraints
from spanlin.runtime.options import ParseOptions
from spanlin.server.answers import RequestError
from spanlin.server.jobs import Work
from spanlin.server.schema import ParseRequest, SentenceConstraints
from spanlin.server.settings import ServerSettings
from spanlin.text import Sentence, iter_sentences

_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")  # what UTF-16 writes as a pair of surrogates


class RequestSentences(NamedTuple):
    """All sentences of a request. `counts` has the number of each item; `found` is empty for tokens."""

    work: Work
    words: list[Sequence[str]]
    found: list[Sentence]
    counts: list[int]
    constraints: list[Constraints | None]


def read_sentences(request: ParseRequest, settings: ServerSettings) -> RequestSentences:
    """Return the sentences of a request, or raise a RequestError if they are not within the limits."""
    name, items = _items(request)
    if len(items) > settings.max_items:
        raise RequestError(
            413, f"{name}: {len(items)} items, but at most {settings.max_items} per request: send several"
        )
    if request.k_best > settings.max_k_best:
        raise RequestError(422, f"k_best: at most {settings.max_k_best}, got {request.k_best}")
    if request.format == "brackets":
        more = {"k_best": request.k_best > 1, "scores": request.scores, "marginals": request.marginals}
        for key in filter(more.get, more):
            raise RequestError(422, f"{key}: format brackets gives one tree per sentence; ask for format json")
    words: list[Sequence[str]] = []
    found: list[Sentence] = []
    counts = []
    for number, item in enumerate(items):
        if isinstance(item, str):
            before = len(words)
            pairs = _places_of_pairs(item) if request.offsets == "utf-16" else []
            for sentence in iter_sentences(item, longest_sentence=settings.max_sentence_words):
                words.append(sentence.words)
                found.append(_in_units(sentence, pairs))
                if len(words) > settings.max_sentences:
                    raise RequestError(413, f"more than {settings.max_sentences} sentences: send several requests")
            counts.append(len(words) - before)
        else:
            if len(item) > settings.max_sentence_words:
                raise RequestError(
                    422, f"tokens[{number}]: {len(item)} words, but a sentence may have {settings.max_sentence_words}"
                )
            words.append(item)
            counts.append(1)
    if len(words) > settings.max_sentences:
        raise RequestError(
            413, f"{len(words)} sentences, but at most {settings.max_sentences} per request: send several"
        )
    word_count = sum(map(len, words))
    if word_count > settings.max_words:
        raise RequestError(413, f"{word_count} words, but at most {settings.max_words} per request: send several")
    _check_words(words, settings.max_word_characters)
    options = ParseOptions(
        decoder=request.decoder,
        root_label=request.root_label,
        k_best=request.k_best,
        scores=request.scores,
        marginals=request.marginals,
    )
    work = Work(trees_only=request.format == "brackets", options=options, constrained=bool(request.constraints))
    if not work.plain:
        _check_cost(request, words, settings)
    constraints = _constraints(request.constraints, counts) if work.constrained else []
    return RequestSentences(work, words, found, counts, constraints)


def _items(request: ParseRequest) -> tuple[str, Sequence[str] | Sequence[Sequence[str]]]:
    given = [name for name in ("text", "texts", "tokens") if name in request.model_fields_set]
    if len(given) != 1:
        raise RequestError(422, f"give one of text, texts and tokens, got {' and '.join(given) or 'none'}")
    return ("texts", [request.text]) if given == ["text"] else (given[0], request.texts or request.tokens)


def _places_of_pairs(text: str) -> list[int]:
    return [match.start() for match in _TWO_UNITS.finditer(text)]


def _in_units(sentence: Sentence, pairs: Sequence[int]) -> Sentence:
    """Return the sentence with its words one further for each of the text's `pairs` before them."""
    if not pairs:
        return sentence
    starts, ends = (
        tuple(place + bisect_left(pairs, place) for place in side) for side in (sentence.starts, sentence.ends)
    )
    return replace(sentence, starts=starts, ends=ends)


def _check_words(sentences: Sequence[Sequence[str]], limit: int) -> None:
    for number, words in enumerate(sentences, start=1):
        longest = max(map(len, words), default=0)
        if longest > limit:
            raise RequestError(
                422, f"sentence {number} has a word of {longest} characters, but at most {limit} are allowed: cut it"
            )


def _check_cost(request: ParseRequest, sentences: Sequence[Sequence[str]], settings: ServerSettings) -> None:
    """Raise if a request for more than plain trees would take too long, or give too long an answer."""
    cells = request.k_best * sum(len(words) ** 2 for words in sentences)
    if cells > settings.max_cells:
        raise RequestError(
            413,
            f"the squared lengths of the sentences, times k_best, come to {cells}, but at most {settings.max_cells} "
            "are allowed for more than plain trees: send several requests",
        )
    kinds = ((one.required, one.forbidden, one.required_arcs, one.forbidden_arcs) for one in request.constraints)
    spans = sum(len(kind) for one in kinds for kind in one)
    if spans > settings.max_spans:
        raise RequestError(413, f"constraints: {spans} spans and arcs, but at most {settings.max_spans} per request")


def _constraints(wanted: Sequence[SentenceConstraints], counts: Sequence[int]) -> list[Constraints | None]:
    """Return the constraints of each sentence of the request."""
    found: list[Constraints | None] = [None] * sum(counts)
    for place, one in enumerate(wanted):
        if one.item >= len(counts):
            raise RequestError(422, f"constraints[{place}]: there is no item {one.item} (of {len(counts)}, from 0)")
        if one.sentence >= counts[one.item]:
            raise RequestError(
                422,
                f"constraints[{place}]: item {one.item} has no sentence {one.sentence} (of {counts[one.item]}, from 0)",
            )
        sentence = sum(counts[: one.item]) + one.sentence
        before = found[sentence] or Constraints()
        found[sentence] = Constraints(
            required=(*before.required, *one.required),
            forbidden=(*before.forbidden, *one.forbidden),
            required_arcs=(*before.required_arcs, *one.required_arcs),
            forbidden_arcs=(*before.forbidden_arcs, *one.forbidden_arcs),
        )
    return found
