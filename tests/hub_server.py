"""A server that answers as Hugging Face's hub does, as far as fetching files goes; the client is the real library."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_LARGE = ".onnx"  # the end of the names of files that the hub keeps elsewhere and redirects to
_STORED = re.compile(r"/stored/(?P<sum>[0-9a-f]{64})/(?P<file>.+)")
_FILE = re.compile(r"/(?P<repository>[\w.-]+/[\w.-]+)/resolve/(?P<revision>[^/]+)/(?P<file>.+)")


@dataclass
class Repository:
    """Commits with their files, and the branches and tags that lead to them."""

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    revisions: dict[str, str] = field(default_factory=dict)
    token: str = ""  # which a reader must have
    is_gated: bool = False
    claimed_size: int | None = None

    def commit(self, files: dict[str, bytes], *revisions: str) -> str:
        """Add a commit, let branches or tags lead to it, and return its name."""
        listing = repr(sorted((name, hashlib.sha1(data).hexdigest()) for name, data in files.items()))
        name = hashlib.sha1(listing.encode()).hexdigest()
        self.commits[name] = files
        self.revisions |= dict.fromkeys(revisions, name)
        return name


@dataclass
class Hub:
    """Repositories by name; `requests` are those for files, as (method, path); a hub that is `down` answers 503."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    down: bool = False
    address: str = ""

    def fetched(self) -> list[str]:
        """Return the names of the files whose bytes were asked for, sorted."""
        return sorted(path.rpartition("/")[2] for method, path in self.requests if method == "GET")

    def stored(self, wanted: str) -> bytes:
        """Return the bytes of a large file by their sum."""
        files = [
            data for one in self.repositories.values() for commit in one.commits.values() for data in commit.values()
        ]
        return next(data for data in files if hashlib.sha256(data).hexdigest() == wanted)

    def forget(self) -> None:
        """Forget the requests so far."""
        self.requests.clear()


@contextmanager
def run_hub() -> Iterator[Hub]:
    """Run a hub in this process."""
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(has_body=False)

        def do_GET(self) -> None:
            self._answer(has_body=True)

        def log_message(self, *_arguments: object) -> None:
            pass

        def _answer(self, *, has_body: bool) -> None:
            found = _FILE.fullmatch(self.path)
            stored = _STORED.fullmatch(self.path)
            if found or stored:  # the library may have other questions
                hub.requests.append((self.command, self.path))
            repository = hub.repositories.get(found["repository"]) if found else None
            if hub.down:
                self._refuse(503, "")
            elif stored:
                self._send(hub.stored(stored["sum"]), {}, has_body=has_body)
            elif found is None:
                self._refuse(404, "")
            elif repository is None or (
                repository.token and self.headers.get("Authorization") != f"Bearer {repository.token}"
            ):
                self._refuse(401, "RepoNotFound")  # the hub does not tell the two apart
            elif repository.is_gated:
                self._refuse(403, "GatedRepo")
            else:
                self._give(repository, found["revision"], found["file"], has_body=has_body)

        def _give(self, repository: Repository, revision: str, file: str, *, has_body: bool) -> None:
            commit = repository.revisions.get(revision, revision)
            if commit not in repository.commits:
                self._refuse(404, "RevisionNotFound")
            elif file not in repository.commits[commit]:
                self._refuse(404, "EntryNotFound", commit)
            else:
                data = repository.commits[commit][file]
                headers = {"X-Repo-Commit": commit, "ETag": f'"{hashlib.sha1(data).hexdigest()}"'}
                if not file.endswith(_LARGE):
                    self._send(data, headers, has_body=has_body, claimed_size=repository.claimed_size)
                    return
                stored = hashlib.sha256(data).hexdigest()
                elsewhere = hub.address.replace("127.0.0.1", "localhost")  # another host, as far as clients can tell
                self.send_response(302)
                for name, value in {
                    **headers,
                    "X-Linked-ETag": f'"{stored}"',
                    "X-Linked-Size": str(len(data)),
                    "Location": f"{elsewhere}/stored/{stored}/{file}",
                    "Content-Length": "0",
                }.items():
                    self.send_header(name, value)
                self.end_headers()

        def _send(
            self, data: bytes, headers: dict[str, str], *, has_body: bool, claimed_size: int | None = None
        ) -> None:
            self.send_response(200)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data) if claimed_size is None or has_body else claimed_size))
            self.end_headers()
            if has_body:
                self.wfile.write(data)

        def _refuse(self, status: int, code: str, commit: str = "") -> None:
            self.send_response(status)
            if code:
                self.send_header("X-Error-Code", code)
                self.send_header("X-Error-Message", f"said by the hub: {code}")
            if commit:
                self.send_header("X-Repo-Commit", commit)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join(30)
