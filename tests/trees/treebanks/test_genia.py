from __future__ import annotations

import tempfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import TreebankError, TreeSyntaxError
from spanlin.trees.tree import Leaf, Node, Tree
from spanlin.trees.treebanks import find_genia, prepare_treebank
from spanlin.trees.treebanks.genia_xml import read_genia_xml
from spanlin.trees.treebanks.preparation import clean_with_root
from spanlin.trees.treebanks.treebank import Remarks

TITLE = (
    '<sentence id="s1"><cons cat="NP"><cons cat="NP" role="SBJ"><tok cat="NN">Cats</tok></cons> '
    '<cons cat="PRN"><tok cat="LRB">(</tok><tok cat="PRPP">its</tok><tok cat="RRB">)</tok></cons>'
    '<cons cat="NP" null="NONE" ref="i1"/><tok cat="COMMA">,</tok> <tok cat="LQT">``</tok><tok cat="RQT">\'\'</tok>'
    '<tok cat="COLON">;</tok><tok cat="WPP">whose</tok><tok cat="PERIOD">.</tok></cons></sentence>'
)
TITLE_TREE = (
    "(TOP (NP (NP (NN Cats)) (PRN (-LRB- -LRB-) (PRP$ its) (-RRB- -RRB-)) "
    "(, ,) (`` ``) ('' '') (: ;) (WP$ whose) (. .)))"
)
SLEEP = '<sentence id="s2"><cons cat="S"><cons cat="VP"><tok cat="VBP">sleep</tok></cons></cons></sentence>'


def abstract(*sentences: str) -> str:
    title, *text = sentences
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE Annotation SYSTEM "GENIA_tree.dtd">\n'
        "<Annotation><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID>\n<Article>"
        f"<ArticleTitle>{title}</ArticleTitle>\n<Abstract><AbstractText>{''.join(text)}</AbstractText></Abstract>\n"
        "</Article></MedlineCitation></PubmedArticle></PubmedArticleSet></Annotation>\n"
    )


def make_genia(root: Path, **ids: str) -> Path:
    lists = {"train": "00000012 00000011", "dev": "00000021", "test": "00000031"} | ids
    (root / "original/GENIA_treebank_v1").mkdir(parents=True)
    (root / "mclosky").mkdir()
    (root / "metadata").mkdir()
    for split, names in lists.items():
        (root / f"mclosky/{split}.pmids").write_text("\n".join(names.split()) + "\n", encoding="utf-8")
    for name in ("11", "12", "21", "31", "41", "99"):
        path = root / f"original/GENIA_treebank_v1/{name}.xml"
        path.write_text(abstract(TITLE.replace("Cats", f"Cats{name}"), SLEEP), encoding="utf-8")
        (root / f"metadata/{name}.xml").write_text("<PubmedArticle/>", encoding="utf-8")
    return root


def read(text: str, *, bad: list[TreeSyntaxError] | None = None, remarks: Remarks | None = None) -> list[Tree]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "1.xml"
        path.write_text(text, encoding="utf-8")
        on_bad = None if bad is None else bad.append
        return list(read_genia_xml(path, on_bad=on_bad, remarks=remarks or Remarks()))


# What XML 1.0 can hold, without what GENIA cannot: a word with white space at its edges or doubled within.
xml_words = st.text(
    st.characters(min_codepoint=33, exclude_categories=["Cs", "Cc", "Cn", "Zs", "Zl", "Zp"]), min_size=1
)
leaves = st.builds(Leaf, st.sampled_from(["NN", "VB", "JJ"]), xml_words)
empty = st.just(Tree("NP", ()))
nodes: st.SearchStrategy[Node] = st.recursive(
    st.one_of(leaves, empty),
    lambda children: st.builds(Tree, st.sampled_from(["NP", "VP", "S"]), st.lists(children, max_size=3).map(tuple)),
    max_leaves=10,
)


def to_xml(node: Node) -> str:
    if isinstance(node, Leaf):
        return f"<tok cat={quoteattr(node.tag)}>{escape(node.word)}</tok>"
    return f"<cons cat={quoteattr(node.label)}>{' '.join(map(to_xml, node.children))}</cons>"


@given(st.lists(st.lists(nodes, max_size=3), min_size=1, max_size=4))
def test_xml_gives_the_tree_without_what_has_no_words(sentences: list[list[Node]]) -> None:
    texts = [f"<sentence id='s'>{''.join(map(to_xml, children))}</sentence>" for children in sentences]
    remarks = Remarks()
    found = read(abstract(*texts), remarks=remarks)
    expected = [clean_with_root(Tree("TOP", tuple(children))) for children in sentences]
    assert [clean_with_root(tree) for tree in found] == expected
    assert remarks.lines() == ()


def test_penn_tags_are_restored_and_null_elements_dropped() -> None:
    assert [str(clean_with_root(tree)) for tree in read(abstract(TITLE, SLEEP))] == [
        TITLE_TREE,
        "(TOP (S (VP (VBP sleep))))",
    ]


def test_a_file_longer_than_one_chunk_is_read_whole() -> None:
    assert len(read(abstract(*[TITLE] * 500))) == 500


def test_constituents_ten_thousand_levels_deep_are_read() -> None:
    deep = '<cons cat="X">' * 10_000 + '<tok cat="NN">dog</tok>' + "</cons>" * 10_000
    (tree,) = read(abstract(f"<sentence>{deep}</sentence>"))
    assert tree.height == 10_001


@pytest.mark.parametrize("with_ids", [False, True])
def test_genia_follows_the_id_lists_whatever_their_leading_zeros(tmp_path: Path, with_ids: bool) -> None:
    root = make_genia(tmp_path / "genia")
    if with_ids:
        (root / "mclosky").rename(tmp_path / "lists")
    treebank = find_genia(root, ids=tmp_path / "lists" if with_ids else None)
    assert [(document.name, document.split_of(0)) for document in treebank.documents] == [
        ("12", "train"),
        ("11", "train"),
        ("21", "dev"),
        ("31", "test"),
    ]
    assert treebank.left_out == 2
    preparation = prepare_treebank(treebank, tmp_path / "out")
    assert (tmp_path / "out/dev.txt").read_text(encoding="utf-8").splitlines() == [
        TITLE_TREE.replace("Cats", "Cats21"),
        "(TOP (S (VP (VBP sleep))))",
    ]
    assert [difference.known for difference in preparation.differences] == [14_326, 1_361, 1_360]


def test_future_use_gets_its_own_file(tmp_path: Path) -> None:
    treebank = find_genia(make_genia(tmp_path / "genia", future_use="41"))
    assert treebank.splits == ("train", "dev", "test", "future_use")
    prepare_treebank(treebank, tmp_path / "out")
    assert "Cats41" in (tmp_path / "out/future_use.txt").read_text(encoding="utf-8")


def test_a_sentence_without_words_is_dropped_and_counted(tmp_path: Path) -> None:
    root = make_genia(tmp_path / "genia")
    text = abstract(TITLE, '<sentence id="s3"><cons cat="NP" null="NONE"/></sentence>', SLEEP)
    (root / "original/GENIA_treebank_v1/21.xml").write_text(text, encoding="utf-8")
    dev = prepare_treebank(find_genia(root), tmp_path / "out").splits[1]
    assert (dev.sentences, dev.dropped) == (2, {"no words after cleaning": 1})


def test_text_and_elements_that_the_format_does_not_know_are_reported() -> None:
    remarks = Remarks()
    text = abstract(SLEEP.replace("<tok", "well <odd><tok", 1).replace("</tok>", "</tok></odd>", 1), SLEEP)
    assert [tree.words for tree in read(text, remarks=remarks)] == [("sleep",), ("sleep",)]
    first, second = remarks.lines()
    assert first.startswith("text outside <tok>, left out: 1, first in ")
    assert first.endswith("'well'")
    assert second.startswith("element <odd> inside a sentence, only its words kept: 1, first in ")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("<sentence><cons><tok cat='NN'>dog</tok></cons></sentence>", r"1\.xml:4:34: a <cons> without its cat"),
        ("<sentence><tok cat='NN'>a<tok cat='NN'>b</tok></tok></sentence>", "a <tok> inside a <tok>"),
        ("<sentence><sentence><tok cat='NN'>a</tok></sentence></sentence>", "a <sentence> inside a <sentence>"),
    ],
)
def test_a_broken_sentence_is_an_error_or_skipped(broken: str, message: str) -> None:
    with pytest.raises(TreeSyntaxError, match=message):
        read(abstract(broken, SLEEP))
    bad: list[TreeSyntaxError] = []
    trees = read(abstract(TITLE, broken, SLEEP), bad=bad)
    assert len(bad) == 1
    assert trees[0].words[0] == "Cats"
    assert trees[-1].words == ("sleep",)


def test_xml_that_is_not_well_formed_names_its_place_and_ends_the_file() -> None:
    text = abstract(TITLE, SLEEP).replace("</cons></cons></sentence></Abs", "</cons></sentence></Abs")
    with pytest.raises(
        TreeSyntaxError, match=r"1\.xml:5:\d+: not well-formed XML: mismatched tag; the rest of the file"
    ):
        read(text)
    bad: list[TreeSyntaxError] = []
    assert len(read(text, bad=bad)) == 1
    assert len(bad) == 1


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ({"dev": "00000021 00000022"}, r"GENIA_treebank_v1: 1 listed document\(s\) missing: 22\.xml"),
        ({"dev": "00000011"}, "document 11 is listed twice, in train and in dev"),
        ({"dev": "x1"}, r"dev\.pmids: 'x1' is not a PubMed id; expected digits"),
    ],
)
def test_id_lists_that_do_not_fit_are_errors(tmp_path: Path, ids: dict[str, str], message: str) -> None:
    with pytest.raises(TreebankError, match=message):
        find_genia(make_genia(tmp_path / "genia", **ids))


def test_missing_lists_and_missing_xml_are_errors(tmp_path: Path) -> None:
    root = make_genia(tmp_path / "genia")
    with pytest.raises(TreebankError, match=r"metadata: no XML files with <cons> elements"):
        find_genia(root / "metadata", ids=root / "mclosky")
    with pytest.raises(TreebankError, match=r"no train\.pmids; give the folder that holds .* with --ids"):
        find_genia(root / "original")
