"""Requests as an enemy would send them, byte for byte, in seeded families; each with the statuses that are right."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

Statuses = frozenset[int]
Generator = random.Random

BAD, WRONG, LARGE = frozenset([400]), frozenset([422]), frozenset([413])
FINE = frozenset([200])
NOT_THERE = frozenset([404])
MARKUP = "<script>alert(1)</script>"


class Hostile(NamedTuple):
    """`pieces` are sent one after the other with `pause` seconds between; `cut` closes our side after the last.

    `raw` tells that it is no HTTP: the server's own line is the answer, or the connection is closed.
    """

    family: str
    pieces: tuple[bytes, ...]
    statuses: Statuses
    pause: float = 0.0
    cut: bool = False
    raw: bool = False


def request(
    body: bytes,
    path: str = "/v1/parse",
    *,
    method: str = "POST",
    kind: str | None = "application/json",
    headers: dict[str, str] | None = None,
    length: str | None = "",
) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += [f"Content-Type: {kind}"] * (kind is not None)
    lines += [f"Content-Length: {length or len(body)}"] * (length is not None)
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def parse(value: object) -> bytes:
    return request(json.dumps(value).encode())


def tokens(*words: str) -> dict[str, object]:
    return {"tokens": [list(words)]}


FOUR = tokens("She", "loves", "code", ".")
GOOD = b'{"text": "She loves writing code."}'


def malformed_json(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    fixed = [b"", b" ", b"{", b"}", b"null,", b"{'text': 'a'}", b'{"text": "a",}', b"\x00", b'{"text": "a"}{}', b"//"]
    fixed += [
        b'{"text": "\x01"}',
        b'{"text": "\\x41"}',
        b'{"text": "\\u12"}',
        b"\xef\xbb\xbf{}",
        b'{"text": "a"',
        b"+1",
    ]
    for body in fixed:
        yield request(body), BAD
    while True:
        cut = generator.randrange(1, len(GOOD) - 1)
        yield request(GOOD[:cut]), BAD


def bad_utf8(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    bad = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\xaf", b"\xfe\xff", b"\x80"]
    while True:
        place = generator.randrange(10, 30)
        yield request(GOOD[:place] + generator.choice(bad) + GOOD[place:]), BAD


def deep(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    while True:
        depth = generator.choice((2_000, 50_000, 400_000))
        opening, closing = generator.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'{"tokens":[', b"]}")))
        depth = min(depth, 900_000 // len(opening + closing))
        closed = closing * depth if generator.random() < 0.5 else b""
        yield request(opening * depth + b"1" + closed), frozenset([400, 422])


def numbers(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    keys = ["k_best", "text", "tokens", "scores"]
    values = [("NaN", BAD), ("Infinity", BAD), ("-Infinity", BAD), ("1e999", WRONG), ("-1e999", WRONG), ("-0", WRONG)]
    values += [
        ("9" * 4_000, WRONG),
        ("9" * 100_000, BAD),
        ("1e-999", WRONG),
        ("0x10", BAD),
        ("1.0e0", WRONG),
        ("01", BAD),
    ]
    while True:
        key = generator.choice(keys)
        value, statuses = generator.choice(values)
        rest = "" if key in ("text", "tokens") else ', "text": "Yes."'
        yield request(f'{{"{key}": {value}{rest}}}'.encode()), statuses


def duplicate_keys(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    while True:
        key = generator.choice(("text", "k_best", "format", "constraints"))
        value = {"text": '"Yes."', "k_best": "1", "format": '"json"', "constraints": "[]"}[key]
        rest = "" if key == "text" else '"text": "Yes.", '
        yield request(f'{{{rest}"{key}": {value}, "{key}": {value}}}'.encode()), BAD


def wrong_types(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    odd: list[object] = [None, True, 1, 1.5, {}, {"a": 1}, [[[]]], [None], [{}]]
    whole: tuple[object, ...] = (None, True, 1, "text", [], 1.5, [FOUR])
    for value in whole:
        yield parse(value), WRONG
    while True:
        key = generator.choice(("text", "texts", "tokens", "format", "decoder", "root_label", "k_best", "constraints"))
        value = generator.choice([item for item in odd if not (key == "k_best" and item == 1 and item is not True)])
        yield parse({"text": "Yes.", key: value}), WRONG


def unknown_keys(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    names = ["__proto__", "constructor", "Text", "text ", "", "\u0000", MARKUP, "model", "path", "a" * 10_000, "\ud800"]
    while True:
        yield parse({"text": "Yes.", generator.choice(names): generator.choice((1, "x", None))}), WRONG


def odd_characters(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    odd = ["\ud800", "\udfff\ud800", "\x00", "\x1b[2J", "\r\nSet-Cookie: a=b", "\u202e", "\ufeff", "\u2028", "😀" * 40]
    odd += ["(", ")", "((", "-LRB-", " ", "", "\n", "\u0300" * 200, "ﷺ" * 50, "\U000e0041", "a\tb", "<!--", "'\"`;--"]
    while True:
        words = generator.choices(odd, k=generator.randrange(1, 9))
        if generator.random() < 0.5:
            yield parse({"text": " ".join(words), "format": generator.choice(("json", "brackets"))}), FINE
        else:
            yield parse(tokens(*words)), FINE


def markup(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    parts = [MARKUP, "<img src=x onerror=alert(1)>", "</script>", "{{7*7}}", "${7*7}", "<svg/onload=alert(1)>", "&lt;"]
    while True:
        some = generator.choices(parts, k=3)
        yield generator.choice(
            (
                (parse(tokens(*some)), FINE),
                (parse({"text": " ".join(some)}), FINE),
                (parse({"text": "Yes.", "root_label": some[0]}), WRONG),
                (parse({"text": "Yes.", "decoder": some[0]}), WRONG),
                (parse({"text": "Yes.", "format": some[0]}), WRONG),
                (request(b"", f"/{some[0].replace(' ', '%20')}", method="GET"), NOT_THERE),
                (request(b"", f"/?q={some[0].replace(' ', '%20')}", method="GET"), FINE),
                (request(json.dumps({"gold": some, "predicted": some}).encode(), "/v1/evaluate"), WRONG),
            )
        )


def gigantic(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    while True:
        yield generator.choice(
            (
                (parse(tokens("a" * generator.randrange(1_001, 900_000))), WRONG),
                (parse({"text": "a" * generator.randrange(1_001, 900_000)}), WRONG),
                (parse({"tokens": [["a"] * generator.randrange(501, 150_000)]}), WRONG),
                (parse({"tokens": [["a"]] * generator.randrange(1_001, 60_000)}), LARGE),
                (parse({"texts": ["a."] * generator.randrange(1_001, 60_000)}), LARGE),
                (parse({"text": "a " * 100_000}), LARGE),
                (parse({"text": "A b. " * 50_000}), LARGE),
                (parse({"text": "x" * 1_000_001}), LARGE),
                (parse({"tokens": [["a"] * 400] * 400}), LARGE),
                (parse({"text": "Yes.", "root_label": "X" * 50_000}), WRONG),
            )
        )


def long_runs(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    """Texts that a careless splitter takes squared time for."""
    while True:
        one = generator.choice(
            (".", "...", "'", "-", "a.", "(", '"', "&", "http://", "@", "a@", "1,", "…", "\n", "é", "#")
        )
        text = one * (60_000 // len(one))
        yield parse({"text": text, "format": "brackets"}), frozenset([200, 413, 422, 504])


def spans(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    bad: list[object] = [[0, 99], [-1, 2], [2, 1], [1, 1], [4, 5], [0, 10**6], [0, 10**30], [True, 2], [0.0, 2.0]]
    bad += [[0], [0, 1, 2], [], ["0", "2"], [None, 1], {"left": 0}, 7, "0-2", [[0, 2]]]
    while True:
        kind = generator.choice(("required", "forbidden"))
        kind = generator.choice((kind, f"{kind}_arcs"))
        # Word 2 under word 1 is an arc like any other.
        wrong = [one for one in bad if one != [2, 1] or not kind.endswith("arcs")]
        yield parse(FOUR | {"constraints": [{kind: [generator.choice(wrong)]}]}), WRONG


def impossible(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    cases: list[object] = [
        [{"required": [[0, 2], [1, 3]]}],
        [{"required": [[0, 2]], "forbidden": [[0, 2]]}],
        [{"required": [[0, 4, "NP"]], "forbidden": [[0, 4, "NP"]]}],
        [{"item": 1, "required": [[0, 2]]}],
        [{"sentence": 1, "required": [[0, 2]]}],
        [{"item": -1}],
        [{"item": 10**20}],
        [{"sentence": True}],
        [{"colour": 1}],
        [{"required": [[0, 2]]}, {"required": [[1, 3]]}],
        [7],
        {"required": [[0, 2]]},
        [{"required": [[0, 2, "NOPE"]]}],
        [{"forbidden": [[1, 2, "NOPE"]]}],
        [{"required_arcs": [[1, 2], [1, 3]]}],
        [{"required_arcs": [[1, 2], [2, 1]]}],
        [{"required": [[0, 2]], "required_arcs": [[1, 0]], "forbidden_arcs": [[1, 0]]}],
        [{"forbidden_arcs": [[1, 0], [1, 2], [1, 3], [1, 4]]}],
    ]
    while True:
        yield parse(FOUR | {"constraints": generator.choice(cases)}), WRONG


def many_spans(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    while True:
        count = generator.randrange(501, 40_000)
        kind = generator.choice(("forbidden", "forbidden_arcs"))
        yield parse(FOUR | {"constraints": [{kind: [[0, 2]] * count}]}), LARGE
        yield parse({"tokens": [["a"] * 500] * 5, "marginals": True}), LARGE
        yield parse({"tokens": [["a"] * 400], "k_best": 20}), LARGE


def k_best(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    while True:
        value = generator.choice((0, -1, 21, 1_001, 10**18, -(10**30), 1.5, "2", True, None, [2]))
        yield parse(FOUR | {"k_best": value}), WRONG
        yield parse(FOUR | {"k_best": 2, "decoder": generator.choice(("sample", "", "greedy ", "CKY"))}), WRONG
        yield parse(FOUR | {"root_label": generator.choice(("NOPE", "NP VP", "(S", "\n", "∅"))}), WRONG


def kinds(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    names: list[str | None] = [
        None,
        "",
        "text/plain",
        "text/html",
        "application/xml",
        "multipart/form-data; boundary=x",
    ]
    names += ["application/x-www-form-urlencoded", "application/jsonx", "json", "application/json, text/plain", "*/*"]
    names += ["x" * 5_000, "application/octet-stream", ";application/json"]
    while True:
        yield request(GOOD, kind=generator.choice(names)), frozenset([415])


def charsets(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    while True:
        code = generator.choice(("utf-16", "utf-16-le", "utf-32", "utf-7", "cp037"))
        body = GOOD.decode().encode(code) if code != "utf-7" else b"+AHsAfQ-"
        yield request(body, kind=f"application/json; charset={code}"), BAD
        yield request(gzip.compress(bytes(10**6)), headers={"Content-Encoding": "gzip"}), frozenset([400, 415])
        yield (
            request(GOOD, headers={"Content-Encoding": generator.choice(("gzip", "br", "deflate, gzip"))}),
            frozenset([415]),
        )


def paths(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    ups = [
        "../",
        "..%2f",
        "%2e%2e/",
        "%2e%2e%2f",
        "..\\",
        "..%5c",
        "....//",
        "%252e%252e%252f",
        "..;/",
        "/../",
        "%c0%ae%c0%ae/",
    ]
    ends = ["app.py", "settings.py", "etc/passwd", "%00", "app.js%00.py", "", ".", "../pyproject.toml", "C:/x", "~root"]
    while True:
        path = "/static/" + generator.choice(ups) * generator.randrange(1, 9) + generator.choice(ends)
        yield request(b"", path, method="GET", length=None), frozenset([404, 400, 405])
        path = "/" + generator.choice(ups) * 3 + generator.choice(ends[:4])
        yield request(b"", path, method="GET", length=None), frozenset([404, 400])
        yield request(b"", f"/static//etc/{generator.choice(('passwd', 'hostname'))}", method="GET"), NOT_THERE


def methods(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    while True:
        method = generator.choice(("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"))
        path = generator.choice(("/v1/parse", "/v1/evaluate"))
        yield request(b"", path, method=method), frozenset([405, 400])
        yield request(GOOD, generator.choice(("/health", "/v1/model", "/metrics", "/"))), frozenset([405])


def injections(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    while True:
        evil = generator.choice(("%0d%0aSet-Cookie:%20a=b", "%0d%0a%0d%0a<html>", "%00", "%0a", "x" * 8_000))
        yield request(b"", f"/nothing{evil}", method="GET"), NOT_THERE
        yield request(b"", f"/health?x={evil}", method="GET"), FINE
        headers = {"X-Forwarded-Host": "evil.example", "Origin": "https://evil.example", "Host": "evil.example"}
        yield request(b"", "/v1/parse/", method="GET", headers=headers), frozenset([404, 405, 400])


def trees(generator: Generator) -> Iterator[tuple[bytes, Statuses]]:
    def evaluate(gold: object, predicted: object) -> bytes:
        return request(json.dumps({"gold": gold, "predicted": predicted}).encode(), "/v1/evaluate")

    good = "(TOP (S (NP (NNS Dogs)) (VP (VBP bark))))"
    deep_tree = "(A " * 100_000 + "(B b)" + ")" * 100_000
    wide = "(S " + "(N a) " * 100_000 + ")"
    bad = ["(", ")", "(S", "(S (A a)", "(S (A a)))", "S", "((((", "(S )", "(S a (B b))", "\x00", "(A a) (B b)", MARKUP]
    yield evaluate([deep_tree], [deep_tree]), frozenset([200, 413, 422, 504])
    yield evaluate([wide[:400_000] + ")"], [good]), frozenset([200, 422])
    yield evaluate([wide[: 6 * 60_000 + 3] + ")"], [wide[: 6 * 60_000 + 3] + ")"]), frozenset([200, 504])
    yield evaluate([good], ["(A " * 200_000]), WRONG
    yield evaluate([], []), frozenset([200, 422])
    yield evaluate(["(A a)"] * 5_001, []), LARGE
    while True:
        text = generator.choice(bad)
        gold, predicted = ([text], [good]) if generator.random() < 0.5 else ([good], [text])
        yield evaluate(gold, predicted), WRONG
        yield evaluate(generator.choice((None, 1, "x", [1], [None], {})), [good]), WRONG
        yield evaluate([good] * 2, [good]), frozenset([200, 422])


FAMILIES: dict[Callable[[Generator], Iterator[tuple[bytes, Statuses]]], int] = {
    malformed_json: 36,
    bad_utf8: 40,
    deep: 20,
    numbers: 36,
    duplicate_keys: 12,
    wrong_types: 50,
    unknown_keys: 20,
    odd_characters: 75,
    markup: 60,
    gigantic: 30,
    long_runs: 16,
    spans: 36,
    impossible: 20,
    many_spans: 9,
    k_best: 24,
    kinds: 20,
    charsets: 18,
    paths: 100,
    methods: 24,
    injections: 24,
    trees: 36,
}


def raw_requests() -> Iterator[Hostile]:
    """What is wrong below JSON: lengths, chunks, slow and broken connections, no HTTP at all."""
    opening = b"POST /v1/parse HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
    chunked = opening + b"Transfer-Encoding: chunked\r\n\r\n"

    def made(family: str, *pieces: bytes, statuses: Statuses = BAD, **more: object) -> Hostile:
        return Hostile(family, pieces, statuses, **more)  # type: ignore[arg-type]

    for length in ("-1", "1e3", "0x10", "abc", "9" * 30, "1, 2", "١٢"):
        yield made(
            "bad_length",
            request(GOOD, length=None).replace(b"\r\n\r\n", b"\r\nContent-Length: " + length.encode() + b"\r\n\r\n", 1),
            raw=True,
        )
    for length in ("99999999999", "1000001"):
        yield made("long_length", request(GOOD, length=length), statuses=LARGE)
    for length in ("50", "500000"):
        yield made("body_cut", request(GOOD, length=length), cut=True, raw=True)
        yield made("body_never_comes", request(b"{", length=length), statuses=frozenset([408]))
    for count in (3, 9):
        yield made("slow_body", request(b"", length="1000"), *([b" "] * count), pause=0.3, statuses=frozenset([408]))
    yield made("chunk_cut", chunked + b'5\r\n{"te', cut=True, raw=True)
    yield made("chunk_never_ends", chunked + b'5\r\n{"te', statuses=frozenset([408]))
    yield made("chunk_bad_size", chunked + b"zz\r\n{}\r\n0\r\n\r\n", raw=True)
    yield made("chunk_huge_size", chunked + b"f" * 40 + b"\r\n{}", raw=True)
    yield made(
        "chunks_too_large", chunked + (b"10000\r\n" + b"x" * 65_536 + b"\r\n") * 20 + b"0\r\n\r\n", statuses=LARGE
    )
    yield made("chunk_good", chunked + f"{len(GOOD):x}\r\n".encode() + GOOD + b"\r\n0\r\n\r\n", statuses=FINE)
    both = opening + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n"
    yield made("smuggled", both, raw=True)
    yield made("two_lengths", opening + b"Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}", raw=True)
    for junk in (
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"\x00" * 100,
        b"SSH-2.0-x\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ):
        yield made("no_http", junk, cut=True, raw=True)
    yield made("header_without_colon", b"GET /health HTTP/1.1\r\nHost\r\n\r\n", raw=True)
    yield made(
        "header_huge",
        b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        statuses=frozenset([200, 400, 431]),
        raw=True,
    )
    yield made(
        "headers_many",
        b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + b"X-A: b\r\n" * 20_000 + b"\r\n",
        statuses=frozenset([200, 400, 431]),
        raw=True,
    )
    yield made(
        "pipelined",
        request(b"", "/health", method="GET").replace(b"Connection: close\r\n", b"") * 50
        + request(b"", "/nothing", method="GET"),
        statuses=frozenset([200, 404]),
    )
    yield made("null_in_header", b"GET /health HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n", raw=True)
    yield made("expects", request(GOOD, headers={"Expect": "100-continue"}), statuses=frozenset([100, 200]))
    yield made(
        "upgrades",
        request(b"", "/v1/parse", method="GET", headers={"Upgrade": "websocket", "Sec-WebSocket-Key": "x"}),
        statuses=frozenset([400, 405, 426]),
    )


def hostile_requests(seed: int) -> list[Hostile]:
    """Return all of them, no two alike, and always the same for a seed."""
    found = list(raw_requests())
    for family, count in FAMILIES.items():
        drawn = family(random.Random(f"{seed} {family.__name__}"))
        some = dict(next(drawn) for _ in range(3 * count))  # the small families have no more than a few
        found += [Hostile(family.__name__, (raw,), statuses) for raw, statuses in list(some.items())[:count]]
    return found
