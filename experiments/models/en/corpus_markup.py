"""Bytes to paragraphs: plain text, books, plays, HTML, XML and Perl's documentation."""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Iterable, Iterator
from typing import Any

import lxml.etree  # type: ignore[import-untyped]
import lxml.html  # type: ignore[import-untyped]


def text_of(data: bytes, path: str) -> str:
    """Return a file's text, unpacked."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    elif path.endswith(".bz2"):
        data = bz2.decompress(data)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace").replace("\r\n", "\n").replace("\r", "\n")


def join_lines(lines: Iterable[str]) -> str:
    """Return a paragraph of these lines; a word that a hyphen divides stays whole."""
    out = ""
    for l in lines:
        l = l.strip()
        if not l:
            continue
        if out.endswith("-") and not out.endswith("--") and out[-2:-1].isalpha():
            out += l
        else:
            out += (" " if out else "") + l
    return out


def paragraphs(text: str) -> Iterator[str]:
    """Yield what empty lines divide."""
    for block in re.split(r"\n[ \t]*\n", text):
        lines = [l for l in block.split("\n") if l.strip()]
        if lines:
            yield join_lines(lines)


def x_plain(data: bytes, path: str) -> Iterator[str]:
    yield from paragraphs(text_of(data, path))


def x_lines(data: bytes, path: str) -> Iterator[str]:
    yield from text_of(data, path).split("\n")


def x_prose(data: bytes, path: str) -> Iterator[str]:
    """Plain text manuals: only flush-left or evenly indented blocks that look like prose."""
    for block in re.split(r"\n[ \t]*\n", text_of(data, path)):
        lines = [l for l in block.split("\n") if l.strip()]
        if not lines or any(re.search(r"\S {3,}\S|\t\S.*\t|[|_=~^#*-]{3,}", l) for l in lines):
            continue
        yield join_lines(lines)


def gutenberg(text: str) -> str:
    """Return the text between Project Gutenberg's header and footer; several books may be in one file."""
    start = re.compile(
        r"^.*(\*\*\* ?START OF TH|\*END\*? ?THE SMALL PRINT|END THE SMALL PRINT|END\*THE SMALL).*$", re.M
    )
    end = re.compile(
        r"^.*(\*\*\* ?END OF TH|End of (the )?Project Gutenberg|End of this Etext|END OF THE PROJECT).*$", re.M | re.I
    )
    starts = [m.end() for m in start.finditer(text)]
    if not starts:
        m = end.search(text)
        return text[: m.start()] if m and m.start() > 2000 else text
    out = []
    for s in starts:
        m = end.search(text, s + 200)
        nxt = min([x for x in starts if x > s] or [len(text)])
        out.append(text[s : min(m.start() if m else len(text), nxt)])
    return "\n\n".join(out)


def x_book(data: bytes, path: str) -> Iterator[str]:
    t = gutenberg(text_of(data, path))
    t = re.sub(r"_([^_\n]{1,300})_", r"\1", t).replace("_", "")
    t = re.sub(r"\[(Illustration|Footnote|\d+)[^\]]*\]|\{\d+\}", " ", t)
    for p in paragraphs(t):
        if not re.search(r"gutenberg|etext|e-text|copyright", p, re.I):
            yield p


def x_hyphenated_book(data: bytes, path: str) -> Iterator[str]:
    t = re.sub(r"([a-z])-\n([a-z])", r"\1\2", gutenberg(text_of(data, path)))
    yield from x_book(t.encode(), "x")


def x_play(data: bytes, path: str) -> Iterator[str]:
    """Drama: a line in capitals names the speaker and starts a new paragraph."""
    t = gutenberg(text_of(data, path))
    t = re.sub(r"^[A-Z][A-Z .'\[\]]+$", "", t, flags=re.M)
    t = re.sub(r"^\s*[A-Z][A-Za-z. ]{1,20}\.\s{1,4}(?=[A-Z])", "\n", t, flags=re.M)
    t = re.sub(r"^\s*(Enter|Exit|Exeunt|Re-enter|ACT|SCENE)\b.*$", "\n", t, flags=re.M)
    for p in paragraphs(re.sub(r"\[[^\]]*\]", "", t)):
        if not re.search(r"gutenberg|etext|copyright", p, re.I):
            yield p


BLOCK = {
    "p",
    "para",
    "simpara",
    "li",
    "dd",
    "blockquote",
    "td",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "title",
    "div",
    "item",
    "dt",
    "th",
    "section",
    "listitem",
    "note",
    "body",
    "page",
    "article",
}
DROP = {
    "script",
    "style",
    "pre",
    "code-block",
    "table",
    "nav",
    "header",
    "footer",
    "screen",
    "programlisting",
    "head",
    "title",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dt",
    "subtitle",
    "titleText",
    "copyrightText",
    "standardLicenseHeader",
    "literallayout",
    "synopsis",
    "info",
    "example",
    "notes",
    "crossRefs",
    "obsoletedBys",
}


def flat(root: Any) -> list[str]:
    """Return the paragraphs under an element: the text of block elements, inline markup dropped."""
    out: list[str] = []
    cur: list[str] = []

    def flush() -> None:
        s = " ".join("".join(cur).split())
        if s:
            out.append(s)
        cur.clear()

    def walk(e: Any) -> None:
        tag = e.tag.split("}")[-1] if isinstance(e.tag, str) else None
        if tag is None:
            return
        if tag in DROP or {"nav", "navheader", "navfooter", "navigation", "toc", "toctree-wrapper"} & set(
            (e.get("class") or "").split()
        ):
            flush()
            return
        block = tag in BLOCK
        if block:
            flush()
        if tag == "br":
            cur.append(" ")
        cur.append(e.text or "")
        for c in e:
            walk(c)
            cur.append(c.tail or "")
        if block:
            flush()

    walk(root)
    flush()
    return out


def x_html(data: bytes, path: str) -> Iterator[str]:
    t = text_of(data, path)
    t = re.sub(r"^<\?xml[^>]*\?>", "", t)
    root = lxml.html.fromstring(t)
    body = root.find("body")
    yield from flat(root if body is None else body)


def x_html_tables(data: bytes, path: str) -> Iterator[str]:
    """Pages laid out with tables."""
    yield from x_html(re.sub(r"(?i)</?(table|tr|tbody)\b[^>]*>", "", text_of(data, path)).encode(), path)


def x_xml(data: bytes, path: str) -> Iterator[str]:
    parser = lxml.etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    root = lxml.etree.fromstring(data, parser)
    if root is not None:
        yield from flat(root)


def x_afaq(data: bytes, path: str) -> Iterator[str]:
    for p in x_html(data, path):
        p = re.sub(r"\[[^\]]{0,160}?(p\.|pp\.|Op\. ?Cit|ibid|vol\.|quoted by)[^\]]*\]", "", p, flags=re.I)
        yield re.sub(r"\s+([.,;])", r"\1", p)


def x_pod(data: bytes, path: str) -> Iterator[str]:
    t = text_of(data, path)
    t = re.sub(r"^=begin.*?^=end[^\n]*", "", t, flags=re.M | re.S)
    for p in re.split(r"\n\s*\n", t):
        if p.startswith(("=", " ", "\t")):
            continue
        for _ in range(3):
            p = re.sub(r"\bL<(?:[^<>|]*\|)?([^<>]*)>", r"\1", p)
            p = re.sub(r"\b[BCFIS]<(?:<+ )?([^<>]*?)(?: >+)?>", r"\1", p)
            p = re.sub(r"\b[XZ]<[^<>]*>", "", p)
            p = p.replace("E<gt>", "").replace("E<lt>", "")
        yield join_lines(p.split("\n"))
