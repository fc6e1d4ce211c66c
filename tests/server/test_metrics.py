"""What Prometheus gets to see."""

from __future__ import annotations

import httpx

from spanlin.server.metrics import Metrics


def read(text: str) -> dict[str, float]:
    lines = text.splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line[0] != "#"}


def test_each_service_has_its_own_figures() -> None:
    waiting = 7
    one, two = Metrics(lambda: waiting), Metrics(lambda: 0)
    one.answered("/v1/parse", 200, 0.02)
    one.answered("/v1/parse", 422, 3.0)
    one.parsed(3)
    one.parsed(100)
    found, other = read(one.text().decode()), read(two.text().decode())
    assert found['spanlin_requests_total{route="/v1/parse",status="200"}'] == 1
    assert found['spanlin_request_seconds_count{route="/v1/parse"}'] == 2
    assert found['spanlin_request_seconds_bucket{le="0.025",route="/v1/parse"}'] == 1
    assert (found["spanlin_sentences_total"], found["spanlin_batch_sentences_count"]) == (103, 2)
    assert found['spanlin_batch_sentences_bucket{le="4.0"}'] == 1
    assert found["spanlin_queue_sentences"] == 7
    assert (other["spanlin_sentences_total"], other["spanlin_queue_sentences"]) == (0, 0)
    waiting = 8  # it is asked for when the figures are
    assert read(one.text().decode())["spanlin_queue_sentences"] == 8


def test_requests_sentences_and_batches_are_counted(client: httpx.Client) -> None:
    before = read(client.get("/metrics").text)
    client.post("/v1/parse", json={"texts": ["Dogs bark. Cats don't.", "Why?"]})
    client.post("/v1/parse", json={})
    client.get("/nothing")
    after = read(client.get("/metrics").text)

    def growth(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert growth("spanlin_sentences_total") == 3
    assert growth("spanlin_batch_sentences_sum") == 3
    assert growth('spanlin_requests_total{route="/v1/parse",status="200"}') == 1
    assert growth('spanlin_requests_total{route="/v1/parse",status="422"}') == 1
    assert growth('spanlin_requests_total{route="other",status="404"}') == 1
    assert growth('spanlin_request_seconds_count{route="/v1/parse"}') == 2
    assert after["spanlin_queue_sentences"] == 0
