"""A sentence of CoNLL-U: comments, words, multi-word tokens and empty nodes, kept as they stand in the file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from spanlin.dependencies.heads import Dependencies
from spanlin.dependencies.text_offsets import TextToken, token_offsets
from spanlin.errors import DependencyError

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
EMPTY = "_"


class Word(NamedTuple):
    """A word, with the columns of CoNLL-U under their names; `_` and None stand for an empty one."""

    form: str
    lemma: str = EMPTY
    upos: str = EMPTY
    xpos: str = EMPTY
    feats: str = EMPTY
    head: int | None = None
    deprel: str = EMPTY
    deps: str = EMPTY
    misc: str = EMPTY


class MultiWordToken(NamedTuple):
    """A token that is several words, `first` to `last`, such as *don't*; it stands right before the first of them."""

    first: int
    last: int
    form: str
    lemma: str = EMPTY
    upos: str = EMPTY
    xpos: str = EMPTY
    feats: str = EMPTY
    head: str = EMPTY
    deprel: str = EMPTY
    deps: str = EMPTY
    misc: str = EMPTY


class EmptyNode(NamedTuple):
    """A node of the enhanced graph that is not in the text: number 1, 2, ... of those after the word `after`."""

    after: int
    number: int
    form: str = EMPTY
    lemma: str = EMPTY
    upos: str = EMPTY
    xpos: str = EMPTY
    feats: str = EMPTY
    head: str = EMPTY
    deprel: str = EMPTY
    deps: str = EMPTY
    misc: str = EMPTY


Row: TypeAlias = Word | MultiWordToken | EmptyNode


@dataclass(frozen=True)
class ConlluSentence:
    """One sentence: `rows` in the order of the file, and `comments`, each a whole line with its `#`."""

    rows: tuple[Row, ...]
    comments: tuple[str, ...] = ()

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words, which heads count from 1."""
        return tuple(row for row in self.rows if isinstance(row, Word))

    @cached_property
    def multi_word_tokens(self) -> tuple[MultiWordToken, ...]:
        """The tokens that are several words."""
        return tuple(row for row in self.rows if isinstance(row, MultiWordToken))

    @cached_property
    def empty_nodes(self) -> tuple[EmptyNode, ...]:
        """The nodes that only the enhanced graph has."""
        return tuple(row for row in self.rows if isinstance(row, EmptyNode))

    @property
    def forms(self) -> tuple[str, ...]:
        """The strings of the words."""
        return tuple(word.form for word in self.words)

    @property
    def dependencies(self) -> Dependencies:
        """The heads and relations of the words; a DependencyError if a word has no head."""
        heads = []
        for number, word in enumerate(self.words, start=1):
            if word.head is None:
                raise DependencyError(f"word {number}, {word.form!r:.40}, has no head")
            heads.append(word.head)
        return Dependencies(tuple(heads), tuple(word.deprel for word in self.words))

    def with_dependencies(self, dependencies: Dependencies) -> ConlluSentence:
        """Return the sentence with these heads and relations in place of its own, and without enhanced ones."""
        if len(dependencies) != len(self.words):
            raise DependencyError(f"dependencies of {len(dependencies)} words for a sentence of {len(self.words)}")
        arcs = iter(zip(dependencies.heads, dependencies.relations, strict=True))
        rows: list[Row] = []
        for row in self.rows:
            if isinstance(row, Word):
                head, relation = next(arcs)
                rows.append(row._replace(head=head, deprel=relation, deps=EMPTY))
            elif isinstance(row, MultiWordToken):
                rows.append(row)
        return dataclasses.replace(self, rows=tuple(rows))

    def comment(self, key: str) -> str | None:
        """Return the value of the first comment `# key = value`; an empty string for `# key`, None if there is none."""
        for line in self.comments:
            name, _, value = line[1:].partition("=")
            if name.strip() == key:
                return value.strip()
        return None

    @property
    def sent_id(self) -> str | None:
        """The value of the comment `# sent_id`."""
        return self.comment("sent_id")

    @cached_property
    def text(self) -> str:
        """The value of the comment `# text`; if there is none, the tokens joined as SpaceAfter says."""
        given = self.comment("text")
        return given if given is not None else self.joined_text

    @property
    def joined_text(self) -> str:
        """The tokens with a space after each that does not have SpaceAfter=No, as `# text` should have it."""
        pieces = []
        for token in self._text_tokens():
            pieces += [token.form, " " if token.space_after else ""]
        return "".join(pieces[:-1])

    @cached_property
    def offsets(self) -> tuple[tuple[int, int], ...]:
        """Where each word starts and ends in `text`; a DependencyError if the text does not have the tokens.

        The words of a multi-word token have places of their own if they make up its form (*do* and *n't*), and
        otherwise all of them its place.
        """
        return token_offsets(self.text, self._text_tokens())

    def _text_tokens(self) -> Iterator[TextToken]:
        """Yield what stands in the text: multi-word tokens, and the words that are not part of one."""
        words = self.words
        number = inside_until = 0
        for row in self.rows:
            if isinstance(row, MultiWordToken):
                parts = tuple(word.form for word in words[row.first - 1 : row.last])
                yield TextToken(row.form, parts, has_space_after(row))
                inside_until = row.last
            elif isinstance(row, Word):
                number += 1
                if number > inside_until:
                    yield TextToken(row.form, (row.form,), has_space_after(row))


def has_space_after(row: Word | MultiWordToken) -> bool:
    """Return whether a space follows the token in the text: unless its misc column says no."""
    return "SpaceAfter=No" not in row.misc or "SpaceAfter=No" not in row.misc.split("|")
