"""Chinese Treebank 5.1, split by article number; GB or UTF-8 files with markup around the trees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from spanlin.errors import TreebankError, TreeSyntaxError
from spanlin.trees.brackets import OnBad, read_trees
from spanlin.trees.tree import Tree
from spanlin.trees.treebanks.folders import existing_folder, find_folder, list_folder, roots
from spanlin.trees.treebanks.treebank import NamedBytes, Remarks, Treebank, TreebankDocument, guarded, whole

# The division that parsers are scored on (Liu & Zhang 2017). Articles 400-439, which some add to train, are in no
# split: the known count of train is without them.
_ARTICLES = {
    "train": (range(1, 271), range(440, 1152)),
    "dev": (range(301, 326),),
    "test": (range(271, 301),),
}
_CHAINS = (("data", "bracketed"), ("data", "utf-8", "bracketed"))
_ARTICLE_FILE = re.compile(r"chtb_(\d{3,4})\.[a-z]+", re.IGNORECASE)
_EXPECTED = "the CTB 5.1 root, or its folder bracketed with chtb_001.fid and so on"


def find_ctb(source: Path) -> Treebank:
    """Return the Chinese Treebank below `source`: the LDC root, its `bracketed` folder, or one between."""
    existing_folder(source, _EXPECTED)
    articles: dict[int, Path] = {}
    for root in roots(source):
        for path in list_folder(find_folder(root, _CHAINS)):
            if match := _ARTICLE_FILE.fullmatch(path.name):
                number = int(match[1])
                if number in articles:
                    raise TreebankError(f"{path}: a second copy of {articles[number]}; keep one of them")
                articles[number] = path
        if articles:
            break
    else:
        raise TreebankError(f"{source}: no chtb_*.fid files; expected {_EXPECTED}")
    documents = []
    for split, ranges in _ARTICLES.items():
        numbers = [number for numbers in ranges for number in numbers if number in articles]
        if not numbers:
            wanted = ", ".join(f"{numbers[0]:03}-{numbers[-1]:03}" for numbers in ranges)
            raise TreebankError(f"{source}: no article of {split} is there; expected chtb_{wanted}")
        documents += [_document(articles[number], split) for number in numbers]
    return Treebank(
        name="ctb",
        source=source,
        splits=tuple(_ARTICLES),
        documents=tuple(documents),
        known_counts={"train": 17_544, "dev": 352, "test": 348},
        release="CTB 5.1 (LDC2005T01U01), articles 001-270 and 440-1151, 301-325, 271-300",
        left_out=len(articles) - len(documents),
    )


def _document(path: Path, split: str) -> TreebankDocument:
    def read(on_bad: OnBad | None, _remarks: Remarks) -> Iterator[Tree]:
        return guarded(read_article(on_bad), path)

    def read_article(on_bad: OnBad | None) -> Iterator[Tree]:
        trees = blank_markup(path.read_bytes())
        try:
            trees = to_utf8(trees)
        except UnicodeDecodeError as error:
            before = trees[: error.start]
            bad = TreeSyntaxError(
                "neither UTF-8 nor GB 18030",
                source=str(path),
                line=before.count(b"\n") + 1,
                column=len(before.rpartition(b"\n")[2]) + 1,
            )
            if on_bad is None:
                raise bad from error
            # Only the trees whose bytes are not characters are bad; the others of the article are read.
            trees = b"\n".join(map(_to_utf8_if_possible, trees.split(b"\n")))
        yield from read_trees(NamedBytes(trees, str(path)), on_bad=on_bad)

    return TreebankDocument(name=path.stem, path=path, read=read, split_of=whole(split))


def to_utf8(text: bytes) -> bytes:
    """Return UTF-8 text as it is, and other text as if it were GB 18030 (which holds GB 2312 and GBK).

    GB text is next to never UTF-8 by accident: every pair of its bytes would have to be a UTF-8 sequence.
    """
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("gb18030").encode()
    return text


def _to_utf8_if_possible(line: bytes) -> bytes:
    try:
        return to_utf8(line)
    except UnicodeDecodeError:
        return line


def blank_markup(text: bytes) -> bytes:
    """Return the text with only its trees left; what is removed leaves an empty line, for the line numbers.

    Markup starts its line, and so does the bracket of a tree. Between <S ...> and </S> every line is kept, so that
    broken trees are found and not skipped. None of these characters is ever part of a GB character.
    """
    lines = []
    in_sentence = False
    for line in text.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n"):
        start = line.lstrip()
        kept = line if in_sentence or start.startswith((b"(", b")")) else b""
        if start.startswith(b"<"):
            opening = re.match(rb"\s*<S(?:\s[^>]*)?>", line)
            in_sentence = opening is not None
            kept = b" " * opening.end() + line[opening.end() :] if opening else b""
        if b"</S>" in kept:
            in_sentence = False
            kept = kept.partition(b"</S>")[0]
        lines.append(kept)
    return b"\n".join(lines)
