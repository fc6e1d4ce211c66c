"""What the service says of a sentence does not depend on what else it is asked meanwhile."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from spanlin.parser import Parser
from stable_parses import TOLERANCE
from varied_sentences import varied_sentences

CLIENTS = 16
# What is not Unicode cannot be sent, and the service refuses words without characters.
SENTENCES = [words for words in varied_sentences(120) if all(words) and all(map(str.isprintable, words))]


def test_clients_at_once_get_what_each_sentence_alone_gets(client: httpx.Client, parser: Parser) -> None:
    alone = [parser.parse_tokens([words])[0] for words in SENTENCES]

    def ask(seed: int) -> list[tuple[int, dict[str, Any]]]:
        draw = random.Random(seed)
        found: list[tuple[int, dict[str, Any]]] = []
        for size in (1, 3, 16, 40):
            places = draw.sample(range(len(SENTENCES)), size)
            answer = client.post("/v1/parse", json={"tokens": [SENTENCES[place] for place in places]})
            assert answer.status_code == 200, answer.text
            results = [result["sentences"][0] for result in answer.json()["results"]]
            found += zip(places, results, strict=True)
        return found

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = [pair for found in pool.map(ask, range(CLIENTS)) for pair in found]
    assert len(answers) == CLIENTS * 60
    for place, answer in answers:
        expected = alone[place]
        assert answer["brackets"] == expected.brackets()
        assert answer["tags"] == list(expected.tags)
        found = [constituent["probability"] for constituent in answer["constituents"]]
        wanted = [constituent.probability for constituent in expected.constituents()]
        assert found == pytest.approx(wanted, rel=0, abs=TOLERANCE)
