"""The service: any request is answered, by a 200 that is true to its input or a 4xx of one form, and never by a 500.

An input is a request as HTTP writes it, but the head is read by a few lines here: the reader of real connections is not
ours. The application with its queue and workers is the real one, over a tiny model.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, get_args
from urllib.parse import unquote

from fastapi import FastAPI

from fuzz.folder_edits import MODEL
from fuzz.target import Target, damage
from fuzz.watch import watched
from spanlin.decoding.decode import Decoder
from spanlin.parser import Parser
from spanlin.server.app import create_app
from spanlin.server.settings import ServerSettings
from spanlin.trees.brackets import parse_tree

_SETTINGS = ServerSettings(time_limit=50, max_body_bytes=20_000, max_sentences=200, max_words=2_000, max_cells=20_000)
_HEADERS = {b"x-content-type-options", b"content-security-policy", b"x-frame-options"}

_JSON = b"POST /v1/parse\nContent-Type: application/json\n\n"
_SCORE = b"POST /v1/evaluate\nContent-Type: application/json\n\n"
_TEXTS = ["She loves writing code.", "No. 5? Yes!", "", " ", "a\n\nb", "(", "-LRB-", "\ud800", "\x00", "😀"]
_TEXTS += ["The dog saw it ."]
_TREES = [
    "(S (NP (DT The) (NN dog)) (VP (VBZ saw)))",
    "(TOP (S (A a) (B b)))",
    "(A",
    "",
    "(A a)",
    "((A a) (B b))",
    "(-LRB- ()",
]
_KEYS = ["text", "texts", "tokens", "format", "decoder", "root_label", "k_best", "scores", "marginals", "constraints"]
_KEYS += ["item", "sentence", "required", "forbidden", "gold", "predicted", "offsets", "x", ""]
_DECODERS = [*get_args(Decoder), "left"]
_VALUES: list[Any] = [None, True, False, 0, 1, -1, 2, 3, 20, 21, 10**6, 10**30, 1.5, 1e308, "json", "brackets", "NP"]
_VALUES += ["S", "utf-16"]
_VALUES += ["X", "∅", [], {}, [[]], [0, 1], [0, 2], [1, 3], [2, 1], [0, 99], [["a"]], [["The", "dog", "saw"]]]
_VALUES += [[[""], ["a"]]]
_VALUES += [
    *_TEXTS,
    *_TREES,
    *_DECODERS,
    [_TREES[0]],
    ["a b c d e f g h i j k l m"],
    [{"required": [[0, 2]]}],
    ["a"] * 600,
]
_VALUES += [[{"item": 0, "sentence": 0, "forbidden": [[0, 2], [1, 3]]}], "a " * 600, "x" * 1_100, [["w"] * 501]]
_HEAD_PARTS = [b"GET ", b"HEAD ", b"OPTIONS ", b"PUT ", b"POST ", b"/", b"/health", b"/metrics", b"/v1/model"]
_HEAD_PARTS += [b"/static/"]
_HEAD_PARTS += [
    b"../",
    b"%2e%2e/",
    b"%00",
    b"app.js",
    b"?q=1",
    b"Content-Type: text/plain\n",
    b"Content-Encoding: gzip\n",
]
_HEAD_PARTS += [
    b"Content-Length: 99999999999999999999\n",
    b"Content-Length: -1\n",
    b"Transfer-Encoding: chunked\n",
    b"\n",
]
_HEAD_PARTS += [
    b"Range: bytes=0-1,5-\n",
    b"If-Modified-Since: x\n",
    b"Origin: http://a\n",
    b"/docs",
    b"/openapi.json",
    b";",
]
_BODY_PARTS = [b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\\u", b"\\ud800", b"NaN", b"1e999", b"\x00", b"\xff"]
_BODY_PARTS += [b"-"]
_BODY_PARTS += [b'"text": "a", ', b"[" * 1_200, b"9" * 400, b"null", b"\xed\xa0\x80", b"\xef\xbb\xbf", b" ", b"\n"]


class _Answer(NamedTuple):
    status: int
    headers: dict[bytes, bytes]
    body: bytes


@cache
def _service() -> tuple[FastAPI, asyncio.AbstractEventLoop]:
    """Return the application, its workers started, and the loop that it runs in."""
    app = create_app(Parser.load(MODEL, threads=1), _SETTINGS)
    app.state.batcher.start()
    loop = asyncio.new_event_loop()
    atexit.register(loop.close)
    return app, loop


def _check(raw: bytes) -> None:
    head, _, body = raw.partition(b"\n\n")
    first, *lines = head.decode("latin-1").split("\n")
    method, _, target = first.partition(" ")
    path, _, query = target.partition("?")
    pairs = [line.partition(":") for line in lines]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method.upper() or "GET",
        "scheme": "http",
        "path": unquote(path) or "/",
        "raw_path": path.encode("latin-1"),
        "query_string": query.encode("latin-1"),
        "root_path": "",
        "headers": [
            (name.strip().lower().encode("latin-1"), value.strip().encode("latin-1")) for name, _, value in pairs
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    app, loop = _service()
    with watched():
        answer = loop.run_until_complete(_asked(app, scope, body))
    assert not app.state.batcher.waiting, "nothing is left in the queue"
    _check_answer(scope, body, answer)


async def _asked(app: FastAPI, scope: dict[str, Any], body: bytes) -> _Answer:
    """Return the answer to one request whose body comes in two parts."""
    half = len(body) // 2
    parts: Iterator[dict[str, Any]] = iter(
        [
            {"type": "http.request", "body": body[:half], "more_body": True},
            {"type": "http.request", "body": body[half:], "more_body": False},
        ]
    )
    status = 0
    headers: dict[bytes, bytes] = {}
    answer = b""

    async def receive() -> Any:
        with contextlib.suppress(StopIteration):
            return next(parts)
        return await asyncio.Event().wait()  # the client stays, and has no more to say

    async def send(message: Any) -> None:
        nonlocal status, answer, headers
        if message["type"] == "http.response.start":
            status, headers = message["status"], dict(message["headers"])
        else:
            answer += message.get("body", b"")

    await app(scope, receive, send)
    return _Answer(status, headers, answer)


def _check_answer(scope: dict[str, Any], body: bytes, answer: _Answer) -> None:
    assert 200 <= answer.status < 500, f"{answer.status}: {answer.body[:300]!r}"
    assert answer.headers.keys() >= _HEADERS
    if scope["method"] == "HEAD" or answer.headers.get(b"content-type") != b"application/json":
        is_page = answer.status in (200, 206, 304, 400, 416)
        assert scope["method"] == "HEAD" or is_page, "what is not JSON is the page, its files or figures"
        return
    found = json.loads(answer.body)
    if answer.status >= 400:
        assert found.keys() == {"error"}
        assert found["error"].keys() == {"code", "message", "request_id"}
        assert len(found["error"]["message"].splitlines()) == 1, "an error is one line"
        assert len(answer.body) < 2_000, "an error does not repeat its input at length"
    elif scope["path"] == "/v1/parse":
        _check_parse(json.loads(body), found)


def _check_parse(asked: dict[str, Any], found: dict[str, Any]) -> None:
    """Check that parses are of what was asked for."""
    items: list[Any] = [asked["text"]] if "text" in asked else asked.get("texts", asked.get("tokens", []))
    assert len(found["results"]) == len(items)
    for item, result in zip(items, found["results"], strict=True):
        for line in result.get("brackets", ()):
            if line:
                parse_tree(line)
        for sentence in result.get("sentences", ()):
            words = sentence["words"]
            assert len(words) == len(sentence["tags"])
            if isinstance(item, str):
                assert words == _sliced(item, sentence["offsets"], asked.get("offsets")), "offsets point at the words"
            else:
                assert words == item, "tokens stay as they are"
            if words:
                assert parse_tree(sentence["brackets"]).words == tuple(words), "the tree is over the words"


def _sliced(text: str, offsets: list[list[int]], unit: str | None) -> list[str]:
    if unit != "utf-16":
        return [text[start:end] for start, end in offsets]
    raw = text.encode("utf-16-le", "surrogatepass")
    return [raw[2 * start : 2 * end].decode("utf-16-le", "surrogatepass") for start, end in offsets]


def _mutate(raw: bytes, generator: random.Random) -> bytes:
    head, _, body = raw.partition(b"\n\n")
    kind = generator.randrange(10)
    if kind == 0:
        return damage(head, generator, _HEAD_PARTS) + b"\n\n" + body
    if kind == 1:
        return head + b"\n\n" + damage(body, generator, _BODY_PARTS)
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = {"text": generator.choice(_TEXTS)}
    return head + b"\n\n" + json.dumps(_changed(value, generator)).encode()


def _changed(value: Any, generator: random.Random) -> Any:
    """Return a value of JSON with one place changed, perhaps deep inside."""
    if isinstance(value, dict) and generator.randrange(6):
        key = generator.choice([*value, generator.choice(_KEYS)])
        if generator.randrange(6) == 0:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: _changed(value.get(key), generator)}
    if isinstance(value, list) and value and generator.randrange(3):
        place = generator.randrange(len(value))
        return [*value[:place], _changed(value[place], generator), *value[place + generator.randrange(2) :]]
    if isinstance(value, str) and generator.randrange(2):
        place = generator.randrange(len(value) + 1)
        return value[:place] + str(generator.choice(_TEXTS)) + value[place:]
    return generator.choice(_VALUES)


def _seeds() -> list[bytes]:
    generator = random.Random(1)
    bodies: list[Any] = [{"text": text} for text in _TEXTS] + [{"tokens": [["The", "dog", "saw"], ["a"]]}]
    bodies += [{"text": _TEXTS[0], key: value} for key, value in (("k_best", 3), ("scores", True), ("marginals", True))]
    bodies += [{"texts": _TEXTS[:3], "decoder": decoder} for decoder in _DECODERS]
    bodies += [{"tokens": [["a", "b", "c"]], "constraints": [{"required": [[0, 2]], "forbidden": [[1, 3]]}]}]
    bodies += [{"tokens": [["a", "b", "c"]], "constraints": [{"required_arcs": [[1, 2]], "forbidden_arcs": [[3, 0]]}]}]
    pages = [b"GET " + path for path in (b"/", b"/health", b"/metrics", b"/v1/model", b"/docs", b"/static/app.js")]
    found = [_JSON + json.dumps(body).encode() for body in bodies] + [page + b"\n\n" for page in pages]
    found += [_SCORE + json.dumps({"gold": [tree], "predicted": [_TREES[0]]}).encode() for tree in _TREES]
    return found + [_mutate(generator.choice(found), generator) for _ in range(20)]


TARGET = Target(check=_check, mutate=_mutate, seeds=_seeds, longest=6_000, blind_share=0.1)
