"""GENIA's XML to trees: <cons cat="NP"> is a constituent, <tok cat="NN"> a word, and what has no word is empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from spanlin.errors import TreeSyntaxError
from spanlin.trees.brackets import OnBad
from spanlin.trees.tree import Leaf, Node, Tree
from spanlin.trees.treebanks.treebank import Remarks

# An XML name cannot hold punctuation, so GENIA spells out these tags of the Penn Treebank.
_PENN_TAGS = {
    "PERIOD": ".",
    "COMMA": ",",
    "COLON": ":",
    "LRB": "-LRB-",
    "RRB": "-RRB-",
    "LQT": "``",
    "RQT": "''",
    "PRPP": "PRP$",
    "WPP": "WP$",
}
_CHUNK = 1 << 16


def read_genia_xml(path: Path, *, on_bad: OnBad | None, remarks: Remarks) -> Iterator[Tree]:
    """Yield a tree for each <sentence>, with the root TOP; one without words has no children.

    With `on_bad`, a broken sentence is skipped; XML that is not well-formed ends the file, for nothing after the
    break can be trusted.
    """
    builder = _SentenceBuilder(str(path), on_bad, remarks)
    with path.open("rb") as stream:
        ended = False
        while not ended:
            chunk = stream.read(_CHUNK)
            ended = not chunk
            try:
                builder.parser.Parse(chunk, ended)
            except expat.ExpatError as error:
                yield from builder.take_finished()
                problem = f"not well-formed XML: {expat.errors.messages[error.code]}; the rest of the file is not read"
                bad = TreeSyntaxError(problem, source=str(path), line=error.lineno, column=error.offset + 1)
                if on_bad is None:
                    raise bad from error
                on_bad(bad)
                return
            yield from builder.take_finished()


class _SentenceBuilder:
    """Builds the tree of the open sentence, and keeps finished ones until they are taken."""

    def __init__(self, source: str, on_bad: OnBad | None, remarks: Remarks) -> None:
        self.source = source
        self.on_bad = on_bad
        self.remarks = remarks
        self.finished: list[Tree] = []
        self.in_sentence = False
        self.broken = False
        self.open: list[tuple[str, list[Node]]] = []  # label and children so far, the root first
        self.tag: str | None = None  # of the word that is open
        self.text: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters

    def take_finished(self) -> list[Tree]:
        finished, self.finished = self.finished, []
        return finished

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sentence":
            if self.in_sentence:
                self.bad("a <sentence> inside a <sentence>")
            self.in_sentence, self.broken = True, False
            self.open = [("TOP", [])]
            self.tag = None
        elif self.in_sentence and not self.broken:
            if self.tag is not None:
                self.bad(f"a <{name}> inside a <tok>, which should hold one word")
            elif name not in ("cons", "tok"):
                self.remarks.add(f"element <{name}> inside a sentence, only its words kept", self.place())
            elif not attributes.get("cat"):
                self.bad(f"a <{name}> without its cat attribute")
            elif name == "cons":
                self.open.append((attributes["cat"], []))
            else:
                self.tag = attributes["cat"]
                self.text = []

    def end(self, name: str) -> None:
        if not self.in_sentence:
            return
        if name == "sentence":
            if not self.broken:
                self.finished.append(Tree("TOP", tuple(self.open[0][1])))
            self.in_sentence = False
        elif self.broken:
            return
        elif name == "cons":
            label, children = self.open.pop()
            if children:
                self.open[-1][1].append(Tree(label, tuple(children)))
        elif name == "tok":
            assert self.tag is not None
            if word := " ".join("".join(self.text).split()):
                self.open[-1][1].append(Leaf(_PENN_TAGS.get(self.tag, self.tag), word))
            self.tag = None

    def characters(self, text: str) -> None:
        if self.tag is not None:
            self.text.append(text)
        elif self.in_sentence and not self.broken and not text.isspace():
            self.remarks.add("text outside <tok>, left out", f"{self.place()}: {text.strip()!r}")

    def bad(self, problem: str) -> None:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        error = TreeSyntaxError(problem, source=self.source, line=line, column=column)
        if self.on_bad is None:
            raise error
        self.broken = True
        self.on_bad(error)

    def place(self) -> str:
        return f"{self.source}:{self.parser.CurrentLineNumber}:{self.parser.CurrentColumnNumber + 1}"
