"""What a parser says of a sentence: its tree, and how sure it is of each part."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from spanlin.compact_json import compact_json
from spanlin.decimals import round_all
from spanlin.errors import DependencyError, SpanlinError
from spanlin.parsed_conllu import parse_to_conllu
from spanlin.parsed_constituents import Columns, Constituent, columns_of, constituents_to_json, place_constituents
from spanlin.parsed_dependencies import DependencyRecord, ParsedDependencies
from spanlin.parsed_json import FloatArray, log_probs_to_rows, marginals_to_spans, read_fields, read_line
from spanlin.render.columns import columns_tree
from spanlin.render.latex import LatexStyle, latex_tree
from spanlin.render.nltk import nltk_dependencies, nltk_tree
from spanlin.render.notebook import notebook_html, notebook_svg
from spanlin.render.pretty import pretty_tree
from spanlin.render.pretty_arcs import pretty_arcs
from spanlin.render.svg import svg_tree
from spanlin.render.svg_arcs import svg_arcs
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import LabelledSpan, Tree

if TYPE_CHECKING:
    from spanlin.runtime.results import Record
    from spanlin.text.tokens import Sentence

_OF_RECORDS = (
    *("tags", "tag_probabilities", "spans", "splits"),
    *("left_boundaries", "right_boundaries", "dependencies"),
)


class Parsed:
    """The parse of one sentence. Words that were given come back as they were; so does the text they stand in.

    Two are equal if they are of the same words at the same place, or both of no text, and have the same tree, tags and
    labels included, and the same dependencies, if any. How probable they are, and what was asked for besides, makes no
    difference.
    """

    _record: Record
    _dependency_record: DependencyRecord | None

    def __init__(
        self,
        *,
        words: tuple[str, ...],
        tags: tuple[str, ...],
        tag_probabilities: tuple[float, ...],
        brackets: str,
        spans: tuple[tuple[str, int, int, float], ...],
        sentence: Sentence | None = None,
        decoder: str = "argmin",
        certified: bool = False,
        calibrated: bool = False,
        splits: tuple[tuple[int, int], ...] = (),
        left_boundaries: tuple[int, ...] | None = None,
        right_boundaries: tuple[int, ...] | None = None,
        probability: float | None = None,
        log_probability: float | None = None,
        left_boundary_log_probs: FloatArray | None = None,
        right_boundary_log_probs: FloatArray | None = None,
        marginals: FloatArray | None = None,
        alternatives: tuple[Parsed, ...] = (),
        dependencies: ParsedDependencies | None = None,
    ) -> None:
        self.words = words
        self.tags = tags
        self.tag_probabilities = tag_probabilities
        self.spans = spans
        self.decoder = decoder
        """The rule that made a tree of the scores: see `spanlin.decoding`."""
        self.certified = certified
        """True if provably no tree that the constraints allow is more probable, by what the decoder goes by.

        That is splits and labels for `labelled`, these and the heads together for `joint`, splits alone for every other
        decoder.
        """
        self.calibrated = calibrated
        """Whether the probabilities of constituents and trees were fitted on gold trees.

        If not, they are the network's own and not to be taken literally; see `spanlin calibrate`.
        """
        self.splits = splits
        self.left_boundaries = left_boundaries
        self.right_boundaries = right_boundaries
        self.probability = probability
        """The chance that this is the right tree, labels included, of all that the constraints allow.

        None unless the decoder is `labelled`, as it is with constraints or if several trees were asked for, or `joint`.
        """
        self.log_probability = log_probability
        """Of the tree without its labels, by its boundaries; None where it took no scores of boundaries to find it."""
        self.left_boundary_log_probs = left_boundary_log_probs
        """If scores were asked for: (n, n), log P(i|j) in row j-1 and column i, -inf where i >= j."""
        self.right_boundary_log_probs = right_boundary_log_probs
        """If scores were asked for: (n, n), log P(j|i) in row i and column j-1, -inf where i >= j."""
        self.marginals = marginals
        """If asked for: (n+1, n+1), the probability of a constituent over words i to j, whatever its label."""
        self.alternatives = alternatives
        """If more than one tree was asked for: the others, the most probable first."""
        self.dependencies = dependencies
        self._brackets = brackets
        self.sentence = sentence

    @classmethod
    def _from_record(
        cls,
        record: Record,
        dependencies: DependencyRecord | None,
        *,
        words: tuple[str, ...],
        brackets: str,
        decoder: str,
        certified: bool,
        calibrated: bool,
        probability: float | None,
        log_probability: float | None,
        left_boundary_log_probs: FloatArray | None,
        right_boundary_log_probs: FloatArray | None,
        marginals: FloatArray | None,
        alternatives: tuple[Parsed, ...],
    ) -> Parsed:
        """Return a parse of words that makes the rest of what it is of these records, each part when first asked."""
        parsed = cls.__new__(cls)
        parsed._record = record
        parsed._dependency_record = dependencies
        parsed.words = words
        parsed._brackets = brackets
        parsed.decoder = decoder
        parsed.certified = certified
        parsed.calibrated = calibrated
        parsed.probability = probability
        parsed.log_probability = log_probability
        parsed.left_boundary_log_probs = left_boundary_log_probs
        parsed.right_boundary_log_probs = right_boundary_log_probs
        parsed.marginals = marginals
        parsed.alternatives = alternatives
        parsed._sentence = None
        return parsed

    # Whoever makes a parse gives these; of a record, they are made when first asked for.

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tag of each word."""
        return self._record.tags()

    @cached_property
    def tag_probabilities(self) -> tuple[float, ...]:
        """How probable each tag is."""
        return self._record.tag_probabilities()

    @cached_property
    def spans(self) -> tuple[tuple[str, int, int, float], ...]:
        """Label, edges and probability of each constituent, each before those inside it."""
        return self._record.spans()

    @cached_property
    def splits(self) -> tuple[tuple[int, int], ...]:
        """The span that the binary tree divides at each split point 1..n-1; without a label it is not a constituent."""
        return self._record.splits()

    @cached_property
    def left_boundaries(self) -> tuple[int, ...] | None:
        """The network's D: for each split point 1..n where the longest span that ends there most probably starts.

        They need not be the tree's: not all of them may fit together. None if the model does not score this side.
        """
        return self._record.left_boundaries()

    @cached_property
    def right_boundaries(self) -> tuple[int, ...] | None:
        """For each split point 0..n-1, where the longest span that starts there most probably ends; or None."""
        return self._record.right_boundaries()

    @cached_property
    def dependencies(self) -> ParsedDependencies | None:
        """Heads, relations and universal tags; None if the parser was trained on trees alone."""
        return None if self._dependency_record is None else self._dependency_record.dependencies()

    def __getstate__(self) -> dict[str, Any]:
        # Everything is made first, as records stay behind: they share their names with all parses of a parser.
        for name in _OF_RECORDS:
            getattr(self, name)
        return {name: value for name, value in self.__dict__.items() if not name.endswith("_record")}

    @property
    def sentence(self) -> Sentence | None:
        """The sentence as it was found in a text; None if words were given instead of a text."""
        return self._sentence

    @sentence.setter
    def sentence(self, sentence: Sentence | None) -> None:
        self._sentence = sentence
        for other in self.alternatives:
            other.sentence = sentence

    @property
    def offsets(self) -> tuple[tuple[int, int], ...] | None:
        """Where each word starts and ends in the text, if a text was parsed."""
        return None if self._sentence is None else self._sentence.offsets

    @property
    def text(self) -> str:
        """The sentence as it stands in the text, line breaks included; words that were given, with spaces between."""
        return " ".join(self.words) if self._sentence is None else self._sentence.text

    @property
    def heads(self) -> tuple[int, ...] | None:
        """The word that governs each word, counted from 1, 0 for the root; None if the parser has no dependencies."""
        return None if self.dependencies is None else self.dependencies.heads

    @property
    def relations(self) -> tuple[str, ...] | None:
        """The relation of each word to its head, such as nsubj; None if the parser has no dependencies."""
        return None if self.dependencies is None else self.dependencies.relations

    @property
    def universal_tags(self) -> tuple[str, ...] | None:
        """The universal part of speech of each word, such as NOUN; None if the parser has no dependencies."""
        return None if self.dependencies is None else self.dependencies.universal_tags

    @property
    def arc_probabilities(self) -> tuple[float, ...] | None:
        """The chance that each word's head is right; None if the parser has no dependencies."""
        return None if self.dependencies is None else self.dependencies.arc_probabilities

    def brackets(self) -> str:
        """Return the tree as one line of brackets; an empty line for a sentence without words."""
        return self._brackets

    @cached_property
    def tree(self) -> Tree:
        """The tree as an object."""
        if not self.words:
            raise SpanlinError("a sentence without words has no tree")
        return parse_tree(self._brackets)

    def constituents(self) -> list[Constituent]:
        """Return the labelled phrases, each before those inside it."""
        return place_constituents(self._columns(), self.words, self._sentence)

    def pretty(self) -> str:
        """Return the tree drawn with box characters for a terminal, one line a word."""
        return pretty_tree(self.tree)

    def svg(self) -> str:
        """Return the tree as an SVG element; it shows how probable each constituent is."""
        return svg_tree(self.tree, self._probabilities())

    def pretty_arcs(self) -> str:
        """Return the dependencies drawn with box characters for a terminal, one line a word.

        A DependencyError if the parser has no dependencies.
        """
        found = self._need_dependencies()
        return pretty_arcs(self.words, found.tree, tags=found.universal_tags)

    def svg_arcs(self) -> str:
        """Return the dependencies as an SVG element, arcs above the words; it shows how probable each is.

        A DependencyError if the parser has no dependencies.
        """
        found = self._need_dependencies()
        return svg_arcs(self.words, found.tree, tags=found.universal_tags, probabilities=found.arc_probabilities)

    def latex(self, style: LatexStyle = "forest") -> str:
        """Return the tree as LaTeX, for a document that loads the package of that name."""
        return latex_tree(self.tree, style)

    def columns(self) -> str:
        """Return a line for each word with the word, its tag and its part of the brackets, as in CoNLL's files."""
        return columns_tree(self.tree)

    def to_conllu(self, *, sent_id: str = "") -> str:
        """Return the sentence in CoNLL-U, with the empty line that ends it; `sent_id` becomes a comment.

        Universal tags, Penn tags, heads and relations have their columns, and the tree is the comment `constituency`.
        If a text was parsed, tokens have their offsets (TokenRange) and no space after them where there was none
        (SpaceAfter=No), and contractions are multi-word tokens, as in UD's English treebanks: `2-3 don't`. White space
        is written as single spaces, and characters in their composed form (NFC).

        A DependencyError if the parser has no dependencies.
        """
        return parse_to_conllu(
            self.words,
            self.tags,
            self._need_dependencies(),
            brackets=self._brackets,
            offsets=self.offsets,
            sent_id=sent_id,
        )

    def to_json(self) -> dict[str, Any]:
        """Return all that is known of the sentence as what `json.dumps` takes.

        Probabilities have six decimals. What was not asked for is left out; an impossible log-probability is None.
        `marginals` are left and right edge and probability of each constituent, if it is 0.0005 or more.
        """
        found: dict[str, Any] = {
            "text": self.text,
            "words": list(self.words),
            "tags": list(self.tags),
            "tag_probabilities": round_all(self.tag_probabilities, 6),
            "offsets": None if self.offsets is None else [list(place) for place in self.offsets],
            "brackets": self._brackets,
            "constituents": constituents_to_json(self._columns(), self.words, self._sentence),
            "calibrated": self.calibrated,
            "decoder": self.decoder,
            "certified": self.certified,
            "left_boundaries": None if self.left_boundaries is None else list(self.left_boundaries),
            "right_boundaries": None if self.right_boundaries is None else list(self.right_boundaries),
        }
        if self.probability is not None:
            found["probability"] = round(self.probability, 6)
        if self.log_probability is not None:
            found["log_probability"] = round(self.log_probability, 6)
        if self.left_boundary_log_probs is not None or self.right_boundary_log_probs is not None:
            found["splits"] = [list(split) for split in self.splits]
        if self.left_boundary_log_probs is not None:
            found["left_log_probs"] = log_probs_to_rows(self.left_boundary_log_probs)
        if self.right_boundary_log_probs is not None:
            found["right_log_probs"] = log_probs_to_rows(self.right_boundary_log_probs)
        if self.marginals is not None:
            found["marginals"] = marginals_to_spans(self.marginals)
        if self.dependencies is not None:
            found |= self.dependencies.to_json()
        if self.alternatives:
            found["alternatives"] = [other.to_json() for other in self.alternatives]
        return found

    def to_json_line(self) -> str:
        """Return `to_json` as JSON on one line, as `spanlin parse --format json` prints it."""
        return compact_json(self.to_json()).decode()

    @classmethod
    def from_json(cls, found: Mapping[str, Any] | str) -> Parsed:
        """Return the parse of which `to_json` gave this, or `to_json_line`, with probabilities of six decimals."""
        table: Mapping[str, Any] = read_line(found) if isinstance(found, str) else found
        others = table.get("alternatives", ()) if isinstance(table, Mapping) else ()
        return cls(**read_fields(table), alternatives=tuple(map(cls.from_json, others)))

    def to_nltk(self) -> Any:
        """Return the tree as an `nltk.Tree`; needs NLTK."""
        return nltk_tree(self.tree)

    def to_nltk_dependencies(self) -> Any:
        """Return heads and relations as an `nltk.parse.DependencyGraph`; needs NLTK.

        A DependencyError if the parser has no dependencies.
        """
        found = self._need_dependencies()
        return nltk_dependencies(self.words, found.tree, tags=self.tags, universal_tags=found.universal_tags)

    def _repr_svg_(self) -> str | None:
        return notebook_svg(self.tree, self._probabilities()) if self.words else None

    def _repr_html_(self) -> str | None:
        return notebook_html(self.tree, self._probabilities()) if self.words else None

    def _need_dependencies(self) -> ParsedDependencies:
        if self.dependencies is None:
            raise DependencyError(
                "this parse has no dependencies, as its model was trained on trees alone: "
                "use one that was trained with them"
            )
        return self.dependencies

    def _columns(self) -> Columns:
        # `spans` is left unmade where nobody asked for it.
        record = self.__dict__.get("_record")
        return columns_of(self.spans) if record is None else record.columns()

    def _probabilities(self) -> dict[LabelledSpan, float]:
        return {LabelledSpan(left, right, label): probability for label, left, right, probability in self.spans}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parsed):
            return NotImplemented
        mine, its = (
            (
                one.words,
                one._brackets,
                one.sentence and (one.sentence.starts, one.sentence.text),
                one.dependencies and (one.heads, one.relations, one.universal_tags),
            )
            for one in (self, other)
        )
        return mine == its

    def __hash__(self) -> int:
        return hash((self.words, self._brackets))

    def __str__(self) -> str:
        """The tree on one line, in brackets."""
        return self._brackets

    def __repr__(self) -> str:
        return f"<Parsed {self._brackets}>"
