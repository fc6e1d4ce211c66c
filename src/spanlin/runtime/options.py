"""Which trees a parser is asked for, and what else of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from spanlin.decoding import Decoder
from spanlin.errors import DecodingError
from spanlin.runtime.argument_checks import check_k_best

TreeDecoder: TypeAlias = Literal[Decoder, "labelled"]
"""A decoder of `spanlin.decoding`, or the one that finds the most probable tree by splits and labels together."""

TREE_DECODERS: tuple[TreeDecoder, ...] = get_args(TreeDecoder)

_OBEDIENT: tuple[TreeDecoder, ...] = ("argmin", "labelled")


@dataclass(frozen=True, kw_only=True)
class ParseOptions:
    """Which trees are wanted, and what is wanted of them; what is impossible raises a DecodingError.

    `decoder` makes a tree of the network's scores: see `spanlin.decoding`; "labelled" finds the most probable tree by
    splits and labels together. `root_label` is the label that every tree has right below TOP. `k_best` trees are given,
    the most probable first, the others as `Parsed.alternatives`. `marginals` and `scores` add the arrays of those names
    to `Parsed`.

    Sentences with constraints, and all sentences if several trees are asked for, are decoded by "labelled"; it alone
    gives `Parsed.probability`. With "argmin" and none of the other options a tree is as fast as can be, and with
    "largest" or "strict" nearly so. All else is O(n^3) in a sentence's n words, with O(n^2) memory: some milliseconds
    for thirty words, some tenths of a second for three hundred.
    """

    decoder: TreeDecoder = "argmin"
    root_label: str = ""
    k_best: int = 1
    marginals: bool = False
    scores: bool = False

    def __post_init__(self) -> None:
        if self.decoder not in TREE_DECODERS:
            raise DecodingError(f"unknown decoder {self.decoder!r}: choose one of {', '.join(TREE_DECODERS)}")
        check_k_best(self.k_best)
        if self.k_best > 1 and self.decoder not in _OBEDIENT:
            raise DecodingError(f"k_best ranks trees as 'labelled' does: leave the decoder {self.decoder!r} out")

    @property
    def used_decoder(self) -> TreeDecoder:
        """The decoder of sentences without constraints."""
        return "labelled" if self.k_best > 1 else self.decoder

    def check_constrained(self) -> None:
        """Raise a DecodingError if the decoder does not obey constraints."""
        if self.decoder not in _OBEDIENT:
            raise DecodingError(f"constraints are obeyed by 'labelled': leave the decoder {self.decoder!r} out")
