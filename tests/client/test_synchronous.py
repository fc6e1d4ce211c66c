from __future__ import annotations

import itertools
import json
import socket
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from client.conftest import TOKEN, Scripted
from spanlin.client import Client, batches
from spanlin.client.batches import Batch
from spanlin.decoding import Constraints
from spanlin.errors import (
    ConfigError,
    ConstraintError,
    RequestTooLargeError,
    ServiceBusyError,
    ServiceDownError,
    ServiceError,
    ServiceTimeoutError,
    ServiceTokenError,
    SpanlinError,
)
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions

TEXTS = ["The dog didn't\nbark. Why (not)?", "", "😀 She saw the man with the telescope."]
BUSY = json.dumps({"error": {"code": "overloaded", "message": "9 sentences are waiting already", "request_id": "x"}})
ANSWER: tuple[int, dict[str, str], bytes] = (200, {}, b'{"model": "en", "results": [{"sentences": []}]}')


@pytest.fixture
def client(address: str) -> Iterator[Client]:
    with Client(address, token=TOKEN) as client:
        yield client


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the client has waited, without waiting."""
    seconds: list[float] = []
    monkeypatch.setattr("time.sleep", seconds.append)
    return seconds


def test_the_client_gives_what_the_parser_gives(client: Client, parser: Parser) -> None:
    assert client.parse(TEXTS[0]) == parser.parse(TEXTS[0])
    assert client.parse(TEXTS) == parser.parse(TEXTS)
    assert client.parse([]) == []
    (dog, _), _, (saw,) = client.parse(TEXTS)
    assert dog.text == "The dog didn't\nbark."
    assert dog.calibrated is True
    assert dog.constituents()[1].text == "The dog"
    assert saw.offsets is not None
    assert saw.offsets[0] == (0, 1)
    sentences = [["Dogs", "bark"], [], ["(", "\ud800", "a b", "日本"]]
    assert client.parse_tokens(sentences) == parser.parse_tokens(sentences)


def test_options_and_constraints_go_along(client: Client, parser: Parser) -> None:
    options = ParseOptions(k_best=3, marginals=True, scores=True, root_label="FRAG")
    (mine,), (its,) = client.parse("Another day.", options), parser.parse("Another day.", options)
    assert (mine, mine.alternatives, mine.decoder) == (its, its.alternatives, "labelled")
    assert mine.marginals is not None
    assert its.marginals is not None
    assert np.abs(mine.marginals - its.marginals).max() <= 0.0005
    words = ["She", "saw", "the", "man", "with", "the", "telescope", "."]
    wanted = Constraints(required=[(2, 7, "NP")], forbidden=[(0, 2)])
    found = client.parse_tokens([["Yes"], words], constraints=[None, wanted])
    assert found == parser.parse_tokens([["Yes"], words], constraints=[None, wanted])
    assert (2, 7, "NP") in [(one.left, one.right, one.label) for one in found[1].constituents()]


def test_any_number_of_sentences_is_sent_a_few_at_a_time(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    read = Batch.read
    monkeypatch.setattr(Batch, "read", lambda batch, answer: sent.append(len(batch.items)) or read(batch, answer))  # type: ignore[func-returns-value]
    endless = (["word", str(number)] for number in itertools.count())
    first = list(itertools.islice(client.stream_tokens(endless), 250))
    assert [parsed.words[1] for parsed in first] == list(map(str, range(250)))
    assert sent == [200, 200]
    monkeypatch.setattr(batches, "_MOST_CHARACTERS", 25)
    assert len(list(client.stream_texts(["Dogs bark.", "Yes.", "Cats sleep all day long.", "No."]))) == 4
    assert sent[2:] == [2, 1, 1]


def test_batches_are_halved_until_the_service_takes_them(small_address: str) -> None:
    with Client(small_address) as client:
        found = client.parse_tokens([["a", str(number)] for number in range(20)])
        assert [parsed.words[1] for parsed in found] == list(map(str, range(20)))
        with pytest.raises(RequestTooLargeError, match="more than 3 sentences") as caught:
            client.parse(["Yes.", "One. Two. Three. Four. Five."])
        assert (caught.value.status, caught.value.code) == (413, "too_large")
        with pytest.raises(ServiceError, match="8 words, but a sentence may have 7") as refused:
            client.parse_tokens([["a"] * 8])
        assert (refused.value.status, refused.value.code) == (422, "unprocessable")
        assert len(refused.value.request_id) == 32


def test_trees_are_scored_and_the_model_is_described(client: Client, parser: Parser) -> None:
    (tree,) = (parsed.tree for parsed in parser.parse("Dogs bark."))
    assert client.evaluate([tree], [str(tree)])["f1"] == 100
    model = client.model()
    assert (model.name, "NP" in model.labels, model.limits["max_sentences"]) == ("en", True, 2000)
    assert model.calibrated is True


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_wrong_token_is_named(address: str, token: str) -> None:
    with Client(address, token=token) as client, pytest.raises(ServiceTokenError) as caught:
        client.parse("Yes.")
    assert str(caught.value).startswith(f"{address}: the token is missing or wrong: give the one that")
    assert caught.value.status == 401


def test_where_no_service_is_that_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Client(f"http://127.0.0.1:{port}") as client, pytest.raises(ServiceDownError) as caught:
        client.parse("Yes.")
    assert str(caught.value).startswith(f"http://127.0.0.1:{port}: no service can be reached (")
    assert str(caught.value).endswith("): start one with spanlin serve, or correct the address")
    assert "\n" not in str(caught.value)


def test_no_answer_in_time_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Client(address, timeout=0.1) as client, pytest.raises(ServiceTimeoutError, match=r"within 0\.1 s: send"):
            client.parse("Yes.")


def test_a_busy_service_is_asked_again_when_it_says(slept: list[float]) -> None:
    busy = BUSY.encode()
    answers = [(503, {"Retry-After": "7"}, busy), (503, {}, busy), (503, {"Retry-After": "9999"}, busy), ANSWER]
    with Scripted(answers).run() as service, Client(service.address) as client:
        assert client.parse("") == []
    assert slept == [7, 1, 30]
    assert len({asked["x-request-id"] for asked in service.asked}) == 1


def test_a_service_that_stays_busy_is_left_alone(slept: list[float]) -> None:
    answers = [(503, {"Retry-After": "1", "X-Request-ID": "abc"}, BUSY.encode())]
    with Scripted(answers).run() as service, Client(service.address, retries=2) as client:
        with pytest.raises(ServiceBusyError, match=r"9 sentences are waiting already \(after 3 tries\)$") as caught:
            client.parse("Yes.")
        assert (len(service.asked), slept, caught.value.request_id) == (3, [1, 1], "abc")


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        ((502, {}, b"<h1>Bad gateway</h1>\n"), ServiceError, "status 502, and not from a spanlin service: is the"),
        ((307, {"Location": "http://127.0.0.1:1/"}, b""), ServiceError, "status 307, and not from"),
        ((504, {}, b'{"error": {"message": "not\\ndone"}}'), ServiceTimeoutError, "not done"),
        ((200, {}, b"hello"), ServiceError, "status 200, and not from a spanlin service"),
        ((200, {}, b'{"results": []}'), ServiceError, "not an answer of a spanlin service: 0 results for 1 items"),
        ((200, {}, b'["hello"]'), ServiceError, "not an answer of a spanlin service: "),
        ((200, {}, b'{"results": [{"sentences": [{}]}]}'), ServiceError, "not a sentence as Parsed.to_json gives it"),
        ((0, {}, b""), ServiceDownError, "the connection broke ("),
    ],
)
def test_odd_answers_are_one_line_errors(
    answer: tuple[int, dict[str, str], bytes], kind: type[SpanlinError], message: str
) -> None:
    with Scripted([answer]).run() as service, Client(service.address, token=TOKEN) as client:
        with pytest.raises(kind) as caught:
            client.parse("Yes.")
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(service.asked) == 1


def test_wrong_settings_are_errors_before_anything_is_sent() -> None:
    for wrong in ({"address": "localhost:8000"}, {"token": "a b"}, {"timeout": 0}, {"retries": -1}):
        with pytest.raises(ConfigError):
            Client(**wrong)


def test_what_can_be_no_request_is_not_sent(client: Client) -> None:
    with pytest.raises(SpanlinError, match=r"sentences\[1\] is a string, 'bark', but a sentence is a list of words"):
        client.parse_tokens([["Dogs"], "bark"])
    with pytest.raises(SpanlinError, match="give a text, or a list of texts, not None"):
        client.parse(None)  # type: ignore[call-overload]
    with pytest.raises(ConstraintError, match="one set of constraints for all sentences"):
        client.parse_tokens([["Dogs"]], constraints=Constraints())  # type: ignore[arg-type]


def test_importing_the_client_does_not_import_what_only_parsing_needs() -> None:
    code = "import sys; from spanlin.client import Client; print({'onnxruntime', 'tokenizers'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_without_httpx_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['httpx'] = None\nimport spanlin.client\n"
        "try:\n    from spanlin.client import Client\nexcept spanlin.SpanlinError as error:\n    print(error)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found == "the client needs httpx: pip install 'spanlin[client]'\n"
