from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("fastapi")

from bench.service import Load, ServiceError, main, make_requests, measure, put_load


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.jsonl"
    path.write_text('["Dogs", "bark", "."]\n[]\n["Why", "?"]\n["Yes"]\n', encoding="utf-8")
    return path


def test_requests_have_so_many_sentences_and_all_of_them() -> None:
    found = make_requests([["a"], ["b"], ["c"], ["d"]], 2, output="brackets")
    bodies = [json.loads(request.partition(b"\r\n\r\n")[2]) for request in found]
    assert bodies == [{"tokens": [[x], [y]], "format": "brackets"} for x, y in ("ab", "cd")]
    heads = [request.partition(b"\r\n\r\n")[0] for request in found]
    assert all(
        head.endswith(f"{len(request) - len(head) - 4}".encode()) for head, request in zip(heads, found, strict=True)
    )
    assert json.loads(make_requests([["a"], ["b"]], 3, output="json")[0].splitlines()[-1])["tokens"] == [
        ["a"],
        ["b"],
        ["a"],
    ]


def test_percentiles_are_in_milliseconds() -> None:
    load = Load(clients=1, size=4, seconds=2.0, requests=10, latencies=[number / 1000 for number in range(100, 0, -1)])
    assert load.rate == 20
    assert (load.percentile(0), load.percentile(0.5), load.percentile(1)) == (1, 51, 100)


@pytest.mark.parametrize(
    ("answer", "counts"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n]}]}", (1, 0)),
        (b"HTTP/1.1 503 No\r\nContent-Length: 4\r\n\r\n]}]}", (0, 1)),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n]}", (0, 1)),
        (b"", (0, 1)),
    ],
)
def test_an_answer_that_is_not_whole_and_good_is_a_failure(answer: bytes, counts: tuple[int, int]) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(0.05)  # longer than the load lasts, so that there is one request
        writer.write(answer)
        writer.close()

    async def run() -> Load:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            requests = make_requests([["a"]], 1, output="json")
            load = Load(clients=1, size=1)
            await put_load("127.0.0.1", port, requests, load=load, seconds=0.01)
            return load

    load = asyncio.run(run())
    assert (load.requests, load.failures) == counts


def test_a_short_run_has_all_figures_and_no_failures(sentences: Path) -> None:
    [found] = measure(sentences, model="en", clients=2, seconds=0.4, rounds=2, sizes=(3,), output="json")
    assert found["failures"] == 0
    assert found["requests"] > 0
    assert found["rate"] == pytest.approx(3 * found["requests"] / found["seconds"], rel=0.01)
    assert found["ratio"] == pytest.approx(3 * found["rate"] / sum(found["plain_rates"]), rel=0.01)
    assert 0 < found["p50_ms"] <= found["p99_ms"]
    assert found["cpu_ms"] > 0
    json.dumps(found)


def test_what_cannot_be_measured_is_a_one_line_error(tmp_path: Path, sentences: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    result = CliRunner().invoke(main, [str(empty)])
    assert result.exit_code == 1
    assert result.stderr == f"Error: {empty}: no sentences\n"
    with pytest.raises(ServiceError, match=r"the plain parser failed: .*no such model"):
        next(measure(sentences, model="nowhere", clients=1, seconds=0.1, rounds=1, sizes=(1,), output="json"))
