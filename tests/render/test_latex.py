from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanlin
from spanlin.errors import ConfigError
from spanlin.render.characters import visible
from spanlin.render.latex import STYLES, LatexStyle, latex_tree
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Leaf, Tree
from strategies import trees

HERE = Path(__file__).parent
PAGE = Path(spanlin.__file__).parent / "server" / "static"
# What `latex_tree` and the page must both give, byte for byte. A constituent is a list of its label and its children, a
# word one of its tag and itself.
CASES = json.loads((HERE / "latex_cases.json").read_text(encoding="utf-8"))

COMMANDS = {
    r"\textbackslash{}": "\\",
    r"\textasciicircum{}": "^",
    r"\textasciitilde{}": "~",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\char34{}": '"',
    **{f"\\{char}": char for char in "{}$&#_% "},
}
TOKEN = re.compile("|".join([*map(re.escape, COMMANDS), r"\{\}", "."]), re.DOTALL)


def texts_in_braces(nodes: str) -> list[str]:
    """What LaTeX would show of each group; fails at an unbalanced brace or a special character without escape."""
    texts: list[str] = []
    is_open = False
    for token in TOKEN.findall(nodes):
        if token == "{}":
            if not is_open:
                texts.append("")
        elif token == "{":
            assert not is_open
            is_open = True
            texts.append("")
        elif token == "}":
            assert is_open
            is_open = False
        elif is_open:
            assert token in COMMANDS or token not in "\\{}$&#_%^~ \n"
            texts[-1] += COMMANDS.get(token, token)
        else:
            assert token in "[]. \n"
    assert not is_open
    return texts


SPECIAL_TREES = st.builds(
    lambda label, tag, word: Tree(label, (Leaf(tag, word),)), *[st.text("\\{}$&#_%^~<>|\"-,?!` []=a'", max_size=8)] * 3
)


@given(st.one_of(trees, SPECIAL_TREES), st.sampled_from(STYLES))
def test_every_text_is_in_its_own_braces_in_order_and_reads_as_it_should(tree: Tree, style: LatexStyle) -> None:
    first, *nodes, last = latex_tree(tree, style).split("\n")
    environment = "forest" if style == "forest" else "tikzpicture"
    assert (first, last) == (f"\\begin{{{environment}}}", f"\\end{{{environment}}}")
    expected = []
    for node in tree.preorder():
        expected += [node.tag, node.word] if isinstance(node, Leaf) else [node.label]
    assert texts_in_braces("\n".join(nodes).removeprefix("\\Tree ")) == [visible(text) for text in expected]


@given(trees, st.sampled_from(STYLES))
def test_square_brackets_are_those_of_the_tree(tree: Tree, style: LatexStyle) -> None:
    bare = re.sub(r"\{(?:\\.|\{\}|[^{}])*\}", "", latex_tree(tree, style))
    node_count = len(list(tree.preorder()))
    brackets = node_count + (len(tree.leaves) if style == "forest" else 0)
    assert (bare.count("["), bare.count("]")) == (brackets, brackets)
    assert "\n\n" not in bare


def test_qtree_closes_after_a_space() -> None:
    tree = parse_tree("(S (NP (NNS Cats)) (VP (VBP sleep) (. -RRB-)))")
    assert latex_tree(tree, "tikz-qtree").split("\n") == [
        "\\begin{tikzpicture}",
        "\\Tree [.{S}",
        "  [.{NP} [.{NNS} {Cats} ] ]",
        "  [.{VP}",
        "    [.{VBP} {sleep} ]",
        "    [.{.} {)} ] ] ]",
        "\\end{tikzpicture}",
    ]


def test_dashes_and_commas_are_not_joined_by_the_font() -> None:
    tree = parse_tree("(X (: ---) (X ,,) (X ?`))")
    assert texts_in_braces(latex_tree(tree).split("\n", 1)[1].rsplit("\n", 1)[0]) == [
        "X",
        ":",
        "---",
        "X",
        ",,",
        "X",
        "?`",
    ]
    assert "{-{}-{}-}" in latex_tree(tree)
    assert "{,{},}" in latex_tree(tree)
    assert "{?{}`}" in latex_tree(tree)


def test_depth_has_no_limit() -> None:
    tree = Tree("A", (Leaf("X", "x"),))
    for _ in range(10_000):
        tree = Tree("A", (Leaf("X", "x"), tree))
    assert latex_tree(tree).count("{x}") == 10_001


def test_an_unknown_style_is_named() -> None:
    style: Any = "qtree"
    with pytest.raises(ConfigError, match="style must be one of forest, tikz-qtree, got 'qtree'"):
        latex_tree(parse_tree("(S (X x))"), style)


def as_node(listed: list[Any]) -> Tree | Leaf:
    label, *children = listed
    if isinstance(children[0], str):
        return Leaf(label, children[0])
    return Tree(label, tuple(map(as_node, children)))


def as_tree(listed: list[Any]) -> Tree:
    tree = as_node(listed)
    assert isinstance(tree, Tree)
    return tree


def as_answer(tree: Tree) -> dict[str, Any]:
    """The parts of the service's answer that the page makes its tree of."""
    spans = list(tree.constituents())[::-1]  # so each is before those in it
    ordered = sorted(spans, key=lambda span: (span.left, -span.right))
    return {
        "words": tree.words,
        "tags": tree.tags,
        "tag_probabilities": [1.0] * len(tree.words),
        "brackets": f"({tree.label} ...",
        "constituents": [
            {"label": span.label, "left": span.left, "right": span.right, "probability": 1.0} for span in ordered[1:]
        ],
    }


def random_listed(generator: random.Random, depth: int) -> list[Any]:
    def text() -> str:
        return "".join(generator.choices("\\{}$&#_%^~<>|\"-,?!` []=a'é日😀\n\u202e\ud800", k=generator.randrange(6)))

    if not depth or generator.random() < 0.3:
        return [text(), text()]
    return [text(), *(random_listed(generator, depth - 1) for _ in range(generator.choice([1, 1, 2, 3])))]


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_the_table_of_cases(case: dict[str, Any]) -> None:
    assert latex_tree(as_tree(case["tree"])).split("\n") == case["latex"]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node, to run the page's own code")
def test_the_page_gives_the_same_byte_for_byte(tmp_path: Path) -> None:
    generator = random.Random(1)
    trees = [as_tree(case["tree"]) for case in CASES]
    trees += [as_tree(["TOP", random_listed(generator, 4), ["X", "x"]]) for _ in range(300)]
    shutil.copytree(PAGE, tmp_path / "page")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    done = subprocess.run(
        ["node", str(HERE / "page_latex.mjs"), str(tmp_path / "page")],
        input=json.dumps(list(map(as_answer, trees))),
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    found = json.loads(done.stdout)
    assert found[: len(CASES)] == ["\n".join([*case["latex"], ""]) for case in CASES]
    assert found == [latex_tree(tree) + "\n" for tree in trees]
