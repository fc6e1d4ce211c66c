"""Bytes to paragraphs: dictionaries, scripture, constitutions, descriptions, and books packed for other programs."""

from __future__ import annotations

import html
import re
import struct
import zlib
from collections.abc import Iterator, Mapping

from experiments.models.en.corpus_markup import join_lines, paragraphs, text_of, x_book


def x_foldoc(data: bytes, path: str) -> Iterator[str]:
    for p in re.split(r"\n\s*\n", text_of(data, path)):
        if p.startswith("   "):
            p = re.sub(r"[{}]", "", join_lines(p.split("\n")))
            p = re.sub(r"^(<[^>]*>,? ?)+", "", p)
            if not re.search(r"https?:|ftp:|@", p):
                yield re.sub(r"^\([^)]{1,60}\) (?=[A-Z])", "", re.sub(r"^\d+\. ", "", p))


def x_wn(data: bytes, path: str) -> Iterator[str]:
    t = re.sub(r"\n {4,}(?!\w+ \d+:|\d+:)\s*", " ", text_of(data, path))
    for l in t.split("\n"):
        l = re.sub(r"\[(syn|ant|also):.*?\]", "", l)
        for e in re.findall(r'"([^"]+)"', l):
            if len(e.split()) >= 4:
                yield e if e[-1:] in ".?!" else e[:1].upper() + e[1:] + "."
        m = re.match(r"\s*(?:\w+ )?\d+: ([^\";]{50,}?)(?:;|$)", l)
        if m:
            yield m.group(1).strip()


def x_gcide(data: bytes, path: str) -> Iterator[str]:
    for p in re.split(r"\n\s*\n", text_of(data, path)):
        if p.startswith(" " * 12):
            q = join_lines(l for l in p.split("\n") if "[1913 Webster]" not in l)
            m = re.match(r"(.*\S)\s*--\s?[A-Z][^-]{1,60}$", q, re.S)
            if m and not re.search(r"[\[\]{}?*]", m.group(1)):
                yield m.group(1)


def x_devil(data: bytes, path: str) -> Iterator[str]:
    for p in paragraphs(text_of(data, path)):
        yield re.sub(r"^[A-Z' -]+, (n|adj|v\.?t|v\.?i|adv|pp|interj)[a-z. ]*\.\s+", "", p)


def x_jargon(data: bytes, path: str) -> Iterator[str]:
    for block in re.split(r"\n[ \t]*\n", text_of(data, path)):
        lines = [l for l in block.split("\n") if l.strip()]
        if lines and all(l.startswith("   ") for l in lines) and len(lines) > 1:
            p = re.sub(r"^[^:]{1,40}: /[^/]+/,? ?|\[\d+\]|^\d+\. (\[[^\]]*\] )?", "", join_lines(lines))
            yield re.sub(r"_([^_ ][^_]*)_", r"\1", re.sub(r"\{([^}]*)\}", r"\1", p))


def x_constitution(data: bytes, path: str) -> Iterator[str]:
    for p in paragraphs(text_of(data, path)):
        yield re.sub(r"^(\d+(\.\d+)*\.?|Section \d+\.?|Article [IVX]+\.?|\*)\s+", "", p)


def x_descriptions(data: bytes, path: str) -> Iterator[str]:
    """Debian's Translation-en: the long descriptions of the packages."""
    for rec in text_of(data, path).split("\n\n"):
        m = re.search(r"^Description-en: .*\n((?: .*\n?)+)", rec, re.M)
        if not m:
            continue
        for block in re.split(r"^ \.$", m.group(1), flags=re.M):
            lines = [l for l in block.split("\n") if l.strip()]
            if lines and not any(l.startswith("  ") or re.match(r" [*-] ", l) for l in lines):
                yield join_lines(lines)


def x_copyright(data: bytes, path: str) -> Iterator[str]:
    t = re.sub(r"^ ?\.$", "", text_of(data, path), flags=re.M)
    t = re.sub(r"^(Files|Copyright|Source|Upstream-[A-Za-z]*|Format|License|Comment)\b.*$", "\n\n", t, flags=re.M)
    for p in paragraphs(t):
        yield re.sub(r"^(\(?[a-z0-9]{1,3}[.)]|[*-])\s+", "", p)


def sword(files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the verses or entries of a SWORD module: indexes of blocks and of verses, and blocks of zlib."""
    for base in sorted({p[:-1] for p in files if p.endswith(("zs", "zv", "zz"))}):
        try:
            s, v, z = (files[base + k] for k in "svz")
        except KeyError:
            continue
        step, fmt = (10, "<IIH") if base.endswith("bz") else (12, "<III")
        blocks: dict[int, bytes] = {}
        seen: set[tuple[int, int]] = set()
        for i in range(0, len(v) - step + 1, step):
            b, off, n = struct.unpack(fmt, v[i : i + step])
            if not n or (b, off) in seen:
                continue
            seen.add((b, off))
            if b not in blocks:
                zo, zn, _ = struct.unpack("<III", s[12 * b : 12 * b + 12])
                try:
                    blocks[b] = zlib.decompress(z[zo : zo + zn])
                except zlib.error:
                    blocks[b] = b""
            yield blocks[b][off : off + n].decode("utf-8", "replace")


def markup(t: str) -> str:
    """Return a SWORD entry without its markup."""
    t = re.sub(r"<(note|title|reference|RF|TS)\b.*?</\1>|<RF>.*?<Rf>|<TS>.*?<Ts>", " ", t, flags=re.S)
    t = re.sub(r"<(lb|p|/p|div|/div|milestone|br|l|/l|lg|/lg)\b[^>]*>|<CM>|<CL>|<br ?/?>", "\n", t)
    return html.unescape(re.sub(r"<[^>]*>", "", t))


def x_sword_bible(files: Mapping[str, bytes]) -> Iterator[str]:
    chunk: list[str] = []
    for verse in sword(files):
        chunk.append(" ".join(markup(verse).replace("¶", " ").split()))
        if len(chunk) == 40:
            yield " ".join(chunk)
            chunk = []
    yield " ".join(chunk)


def x_sword_comm(files: Mapping[str, bytes]) -> Iterator[str]:
    for entry in sword(files):
        for p in re.split(r"\n+", markup(entry)):
            yield re.sub(r"^(Verses? [\d,. -]+\.|[\dIVXivx]+\.|--|- )\s*", "", " ".join(p.split()))


def x_austen(files: Mapping[str, bytes]) -> Iterator[str]:
    """R lazy-load database: zlib blocks of XDR-serialized character vectors (one line of the book each)."""
    rdb = next(v for k, v in files.items() if k.endswith(".rdb"))
    pos = 0
    while True:
        pos = rdb.find(b"\x78", pos)
        if pos < 0:
            return
        try:
            d = zlib.decompressobj()
            raw = d.decompress(rdb[pos:])
        except zlib.error:
            pos += 1
            continue
        pos = len(rdb) - len(d.unused_data)
        lines = [
            raw[m.end() : m.end() + struct.unpack(">I", m.group(1))[0]].decode("utf-8", "replace")
            for m in re.finditer(rb"\x00[\x00-\x04][\x00-\xff]\x09(\x00\x00[\x00-\xff]{2})", raw, re.S)
        ]
        if len(lines) > 1000:
            yield from x_book("\n".join(lines).encode(), "x")
