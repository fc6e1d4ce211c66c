"""Which rows, treebanks and seeds each table is made of."""

from __future__ import annotations

from dataclasses import dataclass

PEERS = {"supar": "SuPar CRF", "supar-argmax": "SuPar CRF, most probable tree", "benepar": "benepar"}
"""Parsers of others: their rows are scored from the trees they predict (`python -m experiments peer`).

SuPar's default is the tree of minimum risk, as it is for our `best-*` rows. Our other rows and benepar take the tree of
the highest score, for which SuPar has another row.
"""

DECODER = "cky"
"""The paper's own numbers are those of exact inference (its Tables 4 and 5 agree)."""

DECODERS = ("cky", "largest", "argmin", "min-change", "minimum-risk")


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table or figure; `source` is its place in the paper. `decoders`: every decoder on the first row's scores.

    `peers` stand in it below our rows, if they are measured.
    """

    name: str
    title: str
    source: str
    rows: tuple[str, ...]
    treebanks: tuple[str, ...] = ("genia",)
    seeds: tuple[int, ...] = (1, 2, 3)
    decoders: bool = False
    peers: tuple[str, ...] = ()


TABLES = {
    table.name: table
    for table in (
        Table(
            name="main",
            title="Main results",
            source="Tables 2 and 3",
            rows=(
                "bilstm",
                "transformer",
                "minilm",
                "minilm-bilstm",
                "minilm-transformer",
                "mpnet",
                "mpnet-bilstm",
                "mpnet-transformer",
            ),
            treebanks=("genia", "craft"),
            peers=tuple(PEERS),
        ),
        Table(
            name="faithful",
            title="The paper's own settings",
            source="sec. 4",
            rows=("paper-bilstm", "paper-bilstm-words", "code-bilstm", "paper-transformer", "code-transformer"),
            treebanks=("genia", "craft"),
            peers=("supar", "supar-argmax"),
        ),
        Table(
            name="recipes",
            title="Our own recipe",
            source="",
            rows=("best-bilstm", "best-bilstm-3", "best-graph", "best-transformer", "best-transformer-wide"),
            treebanks=("genia", "craft"),
            peers=("supar",),
        ),
        Table(name="types", title="Constituent types", source="Table 1", rows=("bilstm", "psn")),
        Table(name="lengths", title="Span length", source="Figure 3", rows=("bilstm", "psn")),
        Table(
            name="ablation",
            title="Ablation",
            source="Table 4",
            rows=("bilstm", "no-mlp", "no-normalization", "label-linearization"),
        ),
        Table(name="inference", title="Inference algorithms", source="Table 5", rows=("bilstm",), decoders=True),
        Table(name="speed", title="Parsing speed", source="Table 6", rows=("bilstm", "transformer", "minilm", "mpnet")),
        Table(
            name="beyond",
            title="Beyond the paper",
            source="",
            rows=(
                "bilstm",
                "right",
                "both",
                "labels-predicted",
                "both-predicted",
                "global",
                "graph-1",
                "graph-2",
                "graph-3",
            ),
        ),
        Table(
            name="settings",
            title="What becomes the default",
            source="",
            rows=("bilstm", "no-mlp", "labels-predicted", "both-predicted", "one-both-predicted"),
            treebanks=("genia", "craft"),
            peers=("supar", "supar-argmax"),
        ),
        Table(
            name="settings-minilm",
            title="What becomes the default, over MiniLM",
            source="",
            rows=("minilm", "minilm-predicted", "minilm-both-predicted", "minilm-one-both-predicted"),
            treebanks=("genia", "craft"),
            peers=("benepar",),
        ),
        Table(name="curve", title="Fewer trees", source="", rows=("share-10", "share-30", "bilstm")),
        Table(
            name="languages",
            title="Other languages",
            source="",
            rows=("scratch", "scratch-transformer"),
            treebanks=("sinica", "greynir-is"),
            peers=("supar", "supar-argmax"),
        ),
    )
}
