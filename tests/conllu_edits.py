"""Random changes to CoNLL-U that keep its text: other tokens, words, sentences, tags, heads and relations."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import count

from spanlin.dependencies import ConlluSentence, MultiWordToken, Word
from spanlin.dependencies.heads import tree_problem
from spanlin.dependencies.sentence import Row

TAGS = ["NOUN", "VERB", "PUNCT", "DET", "_"]
FEATURES = ["_", "Number=Plur", "Number=Sing|Typo=Yes", "Case=Nom|Number=Sing"]
RELATIONS = ["nsubj", "obj:x", "det", "case", "punct", "aux:pass", "conj", "cc", "unknown"]
_numbers = count()


@dataclass
class Part:
    """A word that can move to another sentence; `head` is the number of another part, None for a root."""

    word: Word
    number: int
    head: int | None


@dataclass
class Token:
    form: str
    parts: list[Part]
    is_multi: bool
    ends_sentence: bool


def random_sentences(generator: random.Random, token_count: int) -> list[ConlluSentence]:
    """Sentences with random words, tags and trees."""
    tokens = []
    for _ in range(token_count):
        form = "".join(generator.choice("abcäİ.é") for _ in range(generator.randint(1, 4)))
        word = Word(form, form, "NOUN", "NN", "_", None, "dep")
        tokens.append(Token(form, [Part(word, next(_numbers), None)], False, generator.random() < 0.2))
    return edited_sentences(_sentences(tokens, generator), generator, 0.3)


def edited_sentences(sentences: list[ConlluSentence], generator: random.Random, rate: float) -> list[ConlluSentence]:
    """A copy in which about this share of the tokens, and as many words, are changed."""
    tokens = _tokens(sentences)
    changed: list[Token] = []
    for token in tokens:
        if generator.random() < rate:
            changed += _resegmented(token, changed, generator)
        else:
            changed.append(token)
        if generator.random() < rate / 4:
            changed[-1].ends_sentence = not changed[-1].ends_sentence
    for token in changed:
        for part in token.parts:
            if generator.random() < rate:
                _retag(part, generator)
    return _sentences(changed, generator)


def _retag(part: Part, generator: random.Random) -> None:
    name = generator.choice(["lemma", "upos", "xpos", "feats", "deprel", "head"])
    if name == "head":
        part.head = -1
        return
    values = {"lemma": ["a", "_"], "upos": TAGS, "xpos": TAGS, "feats": FEATURES, "deprel": RELATIONS}
    part.word = Word(**(part.word._asdict() | {name: generator.choice(values[name])}))


def _resegmented(token: Token, before: list[Token], generator: random.Random) -> list[Token]:
    kind = generator.choice(["split", "merge", "multi", "single", "space"])
    if kind == "merge" and before and not before[-1].ends_sentence:
        last = before.pop()
        form = last.form + token.form
        parts = last.parts[:1] if generator.random() < 0.5 else last.parts + token.parts
        return [_token(form, parts, generator, token.ends_sentence)]
    if kind == "split" and len(token.form) > 1 and not token.is_multi:
        cut = generator.randint(1, len(token.form) - 1)
        rest = Part(token.parts[0].word, next(_numbers), -1)
        first = _token(token.form[:cut], token.parts, generator, False)
        return [first, _token(token.form[cut:], [rest], generator, token.ends_sentence)]
    if kind == "multi":
        added = [Part(token.parts[0].word, next(_numbers), -1) for _ in range(generator.randint(1, 2))]
        return [_token(token.form, token.parts + added, generator, token.ends_sentence)]
    if kind == "single":
        return [_token(token.form, token.parts[:1], generator, token.ends_sentence)]
    if kind == "space" and not token.is_multi and len(token.form) > 1:
        token.form = token.form[0] + generator.choice([" ", "\u00a0"]) + token.form[1:]
        token.parts[0].word = token.parts[0].word._replace(form=token.form)
    return [token]


def _token(form: str, parts: list[Part], generator: random.Random, ends_sentence: bool) -> Token:
    """A token over these words, which are cut from its form, or not even that."""
    plain = "".join(form.split())
    if len(parts) == 1:
        parts[0].word = parts[0].word._replace(form=form)
    elif generator.random() < 0.8:
        cuts = sorted(generator.randint(0, len(plain)) for _ in range(len(parts) - 1))
        for part, start, end in zip(parts, [0, *cuts], [*cuts, len(plain)], strict=True):
            form_of_part = plain[start:end] or "x"
            part.word = part.word._replace(form=form_of_part.upper() if generator.random() < 0.2 else form_of_part)
    return Token(form, parts, len(parts) > 1, ends_sentence)


def _tokens(sentences: list[ConlluSentence]) -> list[Token]:
    tokens: list[Token] = []
    for sentence in sentences:
        numbers = [next(_numbers) for _ in sentence.words]
        parts = [
            Part(word, number, numbers[word.head - 1] if word.head else None)
            for word, number in zip(sentence.words, numbers, strict=True)
        ]
        inside_until = place = 0
        for row in sentence.rows:
            if isinstance(row, MultiWordToken):
                tokens.append(Token(row.form, parts[row.first - 1 : row.last], True, False))
                inside_until = row.last
            elif isinstance(row, Word):
                place += 1
                if place > inside_until:
                    tokens.append(Token(row.form, [parts[place - 1]], False, False))
        tokens[-1].ends_sentence = True
    return tokens


def _sentences(tokens: list[Token], generator: random.Random) -> list[ConlluSentence]:
    tokens[-1].ends_sentence = True
    found = []
    waiting: list[Token] = []
    for token in tokens:
        waiting.append(token)
        if token.ends_sentence:
            found.append(_sentence(waiting, generator))
            waiting = []
    return found


def _sentence(tokens: list[Token], generator: random.Random) -> ConlluSentence:
    parts = [part for token in tokens for part in token.parts]
    heads = _tree(parts, generator)
    rows: list[Row] = []
    place = 0
    for token in tokens:
        if token.is_multi:
            rows.append(MultiWordToken(place + 1, place + len(token.parts), token.form))
        for part in token.parts:
            rows.append(part.word._replace(head=heads[place]))
            place += 1
    return ConlluSentence(tuple(rows))


def _tree(parts: list[Part], generator: random.Random) -> list[int]:
    """The heads that the parts want, as far as they are in the sentence, with cycles and further roots mended."""
    places = {part.number: place for place, part in enumerate(parts, start=1)}
    wanted = [places.get(part.head, -1) if part.head is not None else 0 for part in parts]
    roots = [place for place, head in enumerate(wanted, start=1) if head == 0]
    root = generator.choice(roots) if roots else generator.randint(1, len(parts))
    heads = [head if head > 0 else generator.randint(1, len(parts)) for head in wanted]
    heads[root - 1] = 0
    for place in range(1, len(heads) + 1):
        seen = set()
        at = place
        while at and at not in seen:
            seen.add(at)
            at = heads[at - 1]
        if at:
            heads[at - 1] = root
    assert tree_problem(heads) == ""
    return heads
