"""Models on Hugging Face's hub, `hf:owner/name`: fetched once, into the cache that all of the hub's tools share.

Only the files that the manifest lists are fetched. What they may hold is checked afterwards, as of any other folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spanlin.errors import CheckpointError, missing_extra
from spanlin.model_folder.manifest import MANIFEST, read_files
from spanlin.model_folder.plain_files import require_plain_file, require_size
from spanlin.model_folder.strict_json import read_strictly

PREFIX = "hf:"
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_]|[.-](?![.-])){0,95}"
_REVISION = r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,199}"
_NAME = re.compile(rf"{PREFIX}(?P<repository>{_PART}/{_PART})(?:@(?P<revision>{_REVISION}))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def fetch_model(name: str) -> Path:
    """Return the folder of a model on the hub: from the cache if it is there, else after fetching it.

    Without a revision it is the newest commit of the branch main. If the hub does not answer, or HF_HUB_OFFLINE is set,
    a branch or tag is what it was when it was fetched last. A commit that is in the cache is not asked for again.
    """
    found = _NAME.fullmatch(name)
    if not found or ".." in name:
        shown = ascii(name)[:100]
        raise CheckpointError(f"{shown}: not a name on the hub; write hf:owner/name or hf:owner/name@revision")
    hub = _Repository(name, found["repository"])
    with _no_progress_bars():
        manifest = hub.fetch(MANIFEST, found["revision"] or "main")
        if manifest.parent.parent.name != "snapshots" or not _COMMIT.fullmatch(manifest.parent.name):
            raise CheckpointError(f"{manifest}: is not where the hub's cache has its files; update huggingface_hub")
        for file in _listed_files(manifest, name):
            hub.fetch(file, manifest.parent.name)
    return manifest.parent


def pinned_name(folder: Path) -> str | None:
    """Return the name, with its commit, of a model whose folder is in the hub's cache; None for any other folder."""
    repository = folder.parent.parent.name.removeprefix("models--").replace("--", "/", 1)
    name = f"{PREFIX}{repository}@{folder.name}"
    is_cached = folder.parent.name == "snapshots" and _COMMIT.fullmatch(folder.name) and _NAME.fullmatch(name)
    return name if is_cached else None


def _listed_files(manifest: Path, name: str) -> list[str]:
    """Return the files to fetch, all of them plain names."""
    require_plain_file(manifest)
    source = f"{name}: {MANIFEST}"
    table = read_strictly(manifest.read_bytes(), source)
    if not isinstance(table, dict) or not {"format", "files"} <= table.keys():
        raise CheckpointError(f"{name}: is not a model for spanlin: its {MANIFEST} is of another kind")
    return sorted(read_files(table, source))


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    """Keep the hub's library from printing, for a library of ours does not."""
    try:
        from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
    except ImportError as error:
        raise missing_extra("models on the hub need huggingface_hub", "hub") from error
    if are_progress_bars_disabled():
        yield
        return
    disable_progress_bars()
    try:
        yield
    finally:
        enable_progress_bars()


@dataclass(frozen=True)
class _Repository:
    """A repository on the hub, and what the user calls it."""

    name: str
    repository: str

    def fetch(self, file: str, revision: str) -> Path:
        """Return a file's path in the cache."""
        from huggingface_hub import hf_hub_download, try_to_load_from_cache

        cached = try_to_load_from_cache(self.repository, file, revision=revision)
        if isinstance(cached, str) and _COMMIT.fullmatch(revision):
            return Path(cached)
        try:
            self._require_sensible_size(file, revision)
            return Path(hf_hub_download(self.repository, file, revision=revision, library_name="spanlin"))
        except CheckpointError:
            raise
        except Exception as error:  # of the hub's library, of its HTTP library, of the network, of the disk
            if reason := self._refusal(error, file, revision):
                raise CheckpointError(f"{self.name}: {reason}") from error
            if isinstance(cached, str):
                return Path(cached)
            first = next(iter(str(error).splitlines()), "")
            why = first[:200] if first and first.isprintable() else type(error).__name__
            raise CheckpointError(
                f"{self.name}: {file} is not in the cache, and cannot be fetched ({why}); "
                "try again with a connection to the hub"
            ) from error

    def _require_sensible_size(self, file: str, revision: str) -> None:
        """Raise a CheckpointError before a file is fetched that would be refused for its size."""
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        found = get_hf_file_metadata(hf_hub_url(self.repository, file, revision=revision), library_name="spanlin")
        require_size(f"{self.name}: {file}", file, found.size or 0)

    def _refusal(self, error: Exception, file: str, revision: str) -> str:
        """Return why the hub refuses, and what to do; nothing if it was not asked or does not answer."""
        from huggingface_hub.errors import (
            EntryNotFoundError,
            GatedRepoError,
            LocalEntryNotFoundError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )

        if isinstance(error, LocalEntryNotFoundError):
            return ""
        if isinstance(error, GatedRepoError):
            return "its owner gives access on request: ask for it on the model's page, then log in with `hf auth login`"
        if isinstance(error, RepositoryNotFoundError):
            return "no such model on the hub, or it is private: check the name, or log in with `hf auth login`"
        if isinstance(error, RevisionNotFoundError):
            return f"has no revision {revision}: give a branch, a tag or a commit"
        if isinstance(error, EntryNotFoundError):
            return f"is not a model for spanlin: it has no {file}"
        if getattr(getattr(error, "response", None), "status_code", None) in (401, 403):
            return "you have no permission to read it: log in with `hf auth login`"
        return ""
