"""The files of a corpus: those that files, folders, patterns and cloud addresses name, in a fixed order."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

from spanlin.corpus.stores import FoundFile, Store, is_local, open_address
from spanlin.errors import CorpusError

InputFormat: TypeAlias = Literal["text", "document", "jsonl", "parquet"]
"""`text` has a document on each line; `document` is a single one."""
INPUT_FORMATS: tuple[InputFormat, ...] = get_args(InputFormat)
Compression: TypeAlias = Literal["", "gz", "zst"]

_FORMATS: dict[str, InputFormat] = {
    **dict.fromkeys(("txt", "text"), "text"),
    **dict.fromkeys(("jsonl", "ndjson", "json"), "jsonl"),
    **dict.fromkeys(("parquet", "pq"), "parquet"),
}
_COMPRESSIONS: dict[str, Compression] = {"gz": "gz", "zst": "zst"}
_CREDENTIALS = re.compile(r"://[^/@]*@")
_PATTERN = re.compile(r"[*?\[]")


class CorpusFile(NamedTuple):
    """A file to parse. The output calls it `name`; a worker finds it by `root` and `path`."""

    name: str
    root: str
    path: str
    size: int
    modified: int
    format: InputFormat
    compression: Compression


def find_inputs(
    addresses: Sequence[str],
    *,
    input_format: InputFormat | None = None,
    outside: str = "",
    skipped: list[str] | None = None,
) -> list[CorpusFile]:
    """Return the files, each of them once; those of a folder or a pattern are sorted by name.

    In a folder, only files with a known ending are taken, or all if an `input_format` is given, but none whose name
    starts with `.` or `_`. A text file in a folder is one document; one that is given by name or pattern has a document
    on each line. Files in the output folder, `outside`, are left out. `skipped` gets the names of files with unknown
    endings.
    """
    skipped = [] if skipped is None else skipped
    files: dict[tuple[str, str], CorpusFile] = {}
    for address in addresses:
        count = 0
        for file in _files(address, input_format, skipped, outside):
            if not _is_inside(file.path, address, outside):
                files.setdefault((file.root and file.name, file.path), file)
                count += 1
        if not count:
            if is_local(address) and not _PATTERN.search(address) and not os.path.lexists(open_address(address)[2]):
                raise CorpusError(f"{address}: no such file or folder")
            raise CorpusError(
                f"{address}: no files to parse here; they are known by .txt, .jsonl or .parquet (the first two also "
                "with .gz or .zst behind), or by --input-format"
            )
    return list(files.values())


def _is_inside(path: str, address: str, outside: str) -> bool:
    if not outside or is_local(address) != is_local(outside):
        return False
    folder = open_address(outside)[2]
    if is_local(outside):  # either may be reached by links
        path, folder = os.path.realpath(path), os.path.realpath(folder)
    return path.startswith(folder.rstrip("/") + "/")


def _files(address: str, input_format: InputFormat | None, skipped: list[str], outside: str) -> Iterator[CorpusFile]:
    # In a cloud address, a question mark comes before the options.
    typed, mark, settings = (address, "", "") if is_local(address) else address.partition("?")
    parts = typed.split("/")
    patterns = (number for number, part in enumerate(parts) if _PATTERN.search(part))
    pattern_at = next((number for number in patterns if not _exists("/".join(parts[: number + 1]))), None)
    if pattern_at is not None:
        base = "/".join(parts[:pattern_at]) or ("/" if pattern_at else ".")
        root, store, folder = open_address(base + mark + settings)
        wanted = _expression("/".join(parts[pattern_at:]), address)
        for found in _sorted(store, folder, lambda below: _may_hold(below, parts[pattern_at:], address)):
            if wanted.fullmatch(_below(found.path, folder)):
                yield _input(found, root, base if pattern_at else "", folder, input_format)
        return
    root, store, path = open_address(address)
    single = _look(store, path, address)
    if single is not None:
        yield _input(single, root, address, path, input_format)
        return
    for found in _sorted(store, path, lambda below: not _is_hidden(below)):
        if _is_hidden(_below(found.path, path)):
            continue
        kind = input_format or _format(found.path)[0]
        if kind is None:
            if not _is_inside(found.path, address, outside):
                skipped.append(_name(found, root, address, path))
        else:
            # In folders of text, each file is most often one document with wrapped lines.
            whole = input_format is None and kind == "text"
            yield _input(found, root, address, path, "document" if whole else input_format)


def _exists(address: str) -> bool:
    """Return whether there is a file or folder of that very name, although it looks like a pattern."""
    return is_local(address) and os.path.exists(open_address(address)[2])


def _look(store: Store, path: str, address: str) -> FoundFile | None:
    try:
        return store.find(path)
    except OSError as error:
        raise CorpusError(f"{address}: cannot be read: {str(error).splitlines()[0]}") from error


def _is_hidden(below: str) -> bool:
    return any(part[0] in "._" for part in below.split("/") if part)


def _may_hold(below: str, pattern: Sequence[str], address: str) -> bool:
    """Return whether files that fit a pattern, here its parts, may be in a folder."""
    depth = below.count("/") + 1
    if "**" in pattern[:depth]:
        return True
    return depth < len(pattern) and bool(_expression("/".join(pattern[:depth]), address).fullmatch(below))


def _sorted(store: Store, folder: str, enters: Callable[[str], bool]) -> list[FoundFile]:
    try:
        return sorted(store.walk(folder, enters=lambda path: enters(_below(path, folder))))
    except OSError as error:
        raise CorpusError(f"{folder}: cannot be listed: {str(error).splitlines()[0]}") from error


def _expression(pattern: str, address: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern; `**` matches any number of folders, all else stays inside one."""
    parts = []
    for part in re.findall(r"\*\*/|\*+|\?|\[!?[^]/]+\]|.", pattern, re.DOTALL):
        if part == "**/":
            parts.append("(?:.*/)?")
        elif part[0] == "*":
            parts.append("[^/]*")
        elif part == "?":
            parts.append("[^/]")
        elif len(part) > 1:
            inside = part[1:-1]
            parts.append(
                f"[{'^/' if inside[0] == '!' else ''}{re.escape(inside.lstrip('!')).replace(chr(92) + '-', '-')}]"
            )
        else:
            parts.append(re.escape(part))
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error as error:
        raise CorpusError(f"{address}: not a pattern, and nothing has this name: {error.msg}") from error


def _below(path: str, folder: str) -> str:
    return path[len(folder.rstrip("/")) :].lstrip("/")


def _input(found: FoundFile, root: str, address: str, folder: str, input_format: InputFormat | None) -> CorpusFile:
    name = _name(found, root, address, folder)
    kind, compression = _format(found.path)
    kind = input_format or kind
    if kind is None:
        raise CorpusError(f"{name}: its ending does not say its format; give --input-format {'|'.join(INPUT_FORMATS)}")
    return CorpusFile(name, root, found.path, found.size, found.modified, kind, compression)


def _name(found: FoundFile, root: str, address: str, folder: str) -> str:
    """Return the file's name in the output: what the user typed, and what was found below that."""
    below = _below(found.path, folder)
    # Neither the options of an address nor its credentials (before an @) belong in an output.
    typed = _CREDENTIALS.sub("://", address.partition("?")[0]).rstrip("/") if root else address.rstrip("/")
    return f"{typed}/{below}" if below and typed else below or typed


def _format(path: str) -> tuple[InputFormat | None, Compression]:
    """Return what a file's ending says; Parquet is compressed inside, if at all."""
    stem, _, ending = path.rpartition("/")[2].lower().rpartition(".")
    compression = _COMPRESSIONS.get(ending, "")
    if compression:
        ending = stem.rpartition(".")[2]
    kind = _FORMATS.get(ending)
    return (None if compression and kind == "parquet" else kind), compression
