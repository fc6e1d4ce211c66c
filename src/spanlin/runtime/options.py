"""Which trees a parser is asked for, and what else of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from spanlin.decoding import Decoder
from spanlin.errors import DecodingError
from spanlin.runtime.argument_checks import read_flag, read_joint_words, read_k_best

TreeDecoder: TypeAlias = Literal[Decoder, "labelled"]
"""A decoder of `spanlin.decoding`, or the one that finds the most probable tree by splits and labels together."""

TREE_DECODERS: tuple[TreeDecoder, ...] = get_args(TreeDecoder)

ParserDecoder: TypeAlias = Literal[TreeDecoder, "joint"]
"""A decoder of trees, or the one that finds the best tree and heads together."""

PARSER_DECODERS: tuple[ParserDecoder, ...] = get_args(ParserDecoder)

_RANKING: tuple[ParserDecoder, ...] = ("argmin", "labelled")
_OBEDIENT: tuple[ParserDecoder, ...] = (*_RANKING, "joint")


@dataclass(frozen=True, kw_only=True)
class ParseOptions:
    """Which trees are wanted, and what is wanted of them; what is impossible raises a DecodingError.

    `decoder` makes a tree of the network's scores: see `spanlin.decoding`; "labelled" finds the most probable tree by
    splits and labels together, and "joint" the best tree and heads in which every constituent has one head, for models
    with dependencies. `root_label` is the label that every tree has right below TOP. `k_best` trees are given,
    the most probable first, the others as `Parsed.alternatives`. `marginals` and `scores` add the arrays of those names
    to `Parsed`.

    Sentences with constraints, and all sentences if several trees are asked for, are decoded by "labelled"; it alone
    gives `Parsed.probability`. With "argmin" and none of the other options a tree is as fast as can be, and with
    "largest" or "strict" nearly so. All else is O(n^3) in a sentence's n words, with O(n^2) memory: some milliseconds
    for thirty words, some tenths of a second for three hundred.

    "joint" costs as much as "labelled" where the best tree and the best heads go together, which it looks at first.
    Where they do not, the pair is searched for: tenths of a second for forty words, and O(n^6) at worst. Sentences of
    more than `joint_words` are not searched: they keep the tree of "labelled", which `Parsed.decoder` then says, and
    their best heads.
    """

    decoder: ParserDecoder = "argmin"
    root_label: str = ""
    k_best: int = 1
    marginals: bool = False
    scores: bool = False
    joint_words: int = 40

    def __post_init__(self) -> None:
        if self.decoder not in PARSER_DECODERS:
            raise DecodingError(f"unknown decoder {self.decoder!r}: choose one of {', '.join(PARSER_DECODERS)}")
        if not isinstance(self.root_label, str):
            raise DecodingError(f"root_label is {self.root_label!r}: give a label, or '' for any")
        # As Python's own, which JSON has too.
        object.__setattr__(self, "k_best", read_k_best(self.k_best))
        object.__setattr__(self, "joint_words", read_joint_words(self.joint_words))
        object.__setattr__(self, "marginals", read_flag("marginals", self.marginals))
        object.__setattr__(self, "scores", read_flag("scores", self.scores))
        if self.k_best > 1 and self.decoder not in _RANKING:
            raise DecodingError(f"k_best always uses the decoder 'labelled': leave out {self.decoder!r}")

    @staticmethod
    def check(options: object) -> None:
        """Raise a DecodingError if something else was given, such as the name of a decoder."""
        if not isinstance(options, ParseOptions):
            raise DecodingError(f"options are {options!r:.60}: give ParseOptions, such as ParseOptions(decoder='cky')")

    @property
    def used_decoder(self) -> ParserDecoder:
        """The decoder of sentences without constraints."""
        return "labelled" if self.k_best > 1 else self.decoder

    def check_constrained(self) -> None:
        """Raise a DecodingError if the decoder does not obey constraints."""
        if self.decoder not in _OBEDIENT:
            raise DecodingError(f"constraints need the decoder 'labelled': leave out {self.decoder!r}")
