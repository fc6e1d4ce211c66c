"""Sentences of GENIA's kind, for the tests of the treebank and of its XML."""

from __future__ import annotations

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
    """Return the XML of an abstract; the first sentence is its title."""
    title, *text = sentences
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE Annotation SYSTEM "GENIA_tree.dtd">\n'
        "<Annotation><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID>\n<Article>"
        f"<ArticleTitle>{title}</ArticleTitle>\n<Abstract><AbstractText>{''.join(text)}</AbstractText></Abstract>\n"
        "</Article></MedlineCitation></PubmedArticle></PubmedArticleSet></Annotation>\n"
    )
