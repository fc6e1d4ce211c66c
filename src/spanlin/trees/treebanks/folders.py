"""Finding a treebank in a folder: names in either case, id lists, and one clear error for what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from spanlin.errors import TreebankError


def existing_folder(source: Path, what: str) -> Path:
    """Return the folder, or say what was expected there."""
    if source.is_dir():
        return source
    raise TreebankError(f"{source}: {'not a folder' if source.exists() else 'no such folder'}; expected {what}")


def list_folder(folder: Path) -> list[Path]:
    """Return what a folder holds, in order of name; hidden files are not part of a treebank."""
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise TreebankError(f"{folder}: cannot be listed: {error.strerror}") from error


def descend(folder: Path, names: Sequence[str]) -> Path | None:
    """Return the folder below `folder` along `names`, each matched in either case, or None."""
    for name in names:
        if not folder.is_dir():
            return None
        matches = [entry for entry in list_folder(folder) if entry.name.lower() == name.lower() and entry.is_dir()]
        if not matches:
            return None
        folder = matches[0]
    return folder


def find_folder(source: Path, chains: Iterable[Sequence[str]]) -> Path:
    """Return the folder at the end of the longest tail of a chain that is found below `source`.

    With the chain (a, b, c), `source` may be the parent of a, a itself, b, or c.
    """
    for chain in chains:
        for start in range(len(chain)):
            if found := descend(source, chain[start:]):
                return found
    return source


def roots(source: Path) -> list[Path]:
    """Return `source` and the folders right below it: an archive often unpacks into one folder of its own."""
    return [source, *(entry for entry in list_folder(source) if entry.is_dir())]


def read_id_list(path: Path) -> tuple[str, ...]:
    """Return the ids of a list, one per line; blank lines and lines that start with # are skipped."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise TreebankError(f"{path}: no such id list; expected a file with one document id per line") from None
    except OSError as error:
        raise TreebankError(f"{path}: the id list cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TreebankError(f"{path}: the id list is not UTF-8 at byte {error.start}") from error
    ids = tuple(line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))
    if not ids:
        raise TreebankError(f"{path}: the id list is empty; expected one document id per line")
    return ids


def check_disjoint(lists: Mapping[str, Iterable[str]]) -> None:
    """Raise if a document is listed twice, in one split or in two: it might be both trained and tested on."""
    seen: dict[str, str] = {}
    for split, ids in lists.items():
        for document in ids:
            if document in seen:
                raise TreebankError(
                    f"document {document} is listed twice, in {seen[document]} and in {split}; list it once"
                )
            seen[document] = split


def missing_documents(missing: Sequence[str], folder: Path) -> TreebankError:
    """Return the error for listed documents that are not there; it names the first few."""
    named = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
    return TreebankError(f"{folder}: {len(missing)} listed document(s) missing: {named}")
