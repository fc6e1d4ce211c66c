"""Answers of Python's parser to some requests: what the npm package must answer too, but for the last digits."""

from __future__ import annotations

from typing import Any

from spanlin.decoding import Constraints
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions

REQUESTS: tuple[dict[str, Any], ...] = (
    {"text": "She loves writing code."},
    {"text": "Mr. Hu can't come. Why?\n\n- First item\n- Second item"},
    {"text": "I saw the man with the telescope in the park near the old bank yesterday."},
    {"text": "The 🌕 rose (slowly) over Łódź, didn't it? 👩🏽‍🚀 waved."},
    {"text": "Yes"},
    {"text": " \n "},
    {"texts": ["Dogs bark.", "", "Cats sleep all day. Birds sing."]},
    {"tokens": [["She", "loves", "writing", "code", "."], [], ["Go"], ["-LRB-", "(", "see", "1\\/2", ")"]]},
    {"tokens": [["The", "old", "man", "the", "boats", "."]], "scores": True},
    {"tokens": [["She", "loves", "writing", "code", "."]], "decoder": "labelled", "marginals": True},
    {"tokens": [["She", "loves", "writing", "code", "."]], "k_best": 3},
    {"tokens": [["Time", "flies", "like", "an", "arrow", "."]], "decoder": "cky"},
    {"tokens": [["Time", "flies", "like", "an", "arrow", "."]], "root_label": "NP"},
    {
        "tokens": [["I", "saw", "the", "man", "with", "the", "telescope", "."]],
        "constraints": [{"required": [[1, 4, "VP"]], "forbidden": [[2, 7]]}],
    },
    {"text": "Dogs bark.", "format": "brackets"},
)

# For models with dependencies.
ARC_REQUESTS: tuple[dict[str, Any], ...] = (
    {
        "tokens": [["I", "saw", "the", "man", "with", "the", "telescope", "."]],
        "constraints": [{"required_arcs": [[7, 4]], "forbidden_arcs": [[1, 2]]}],
    },
)


def sample_parses(parser: Parser) -> list[dict[str, Any]]:
    """Return each request with the results of its answer."""
    requests = REQUESTS + (ARC_REQUESTS if parser.has_dependencies else ())
    return [{"request": request, "results": _results(parser, request)} for request in requests]


def _results(parser: Parser, request: dict[str, Any]) -> list[Any]:
    names = ("decoder", "scores", "marginals", "k_best", "root_label")
    options = ParseOptions(**{name: request[name] for name in names if name in request})
    if "tokens" in request:
        constraints: list[Constraints | None] | None = None
        if "constraints" in request:
            constraints = [Constraints(**wanted) for wanted in request["constraints"]]
        items = [[parsed] for parsed in parser.parse_tokens(request["tokens"], options, constraints=constraints)]
    else:
        items = parser.parse(request.get("texts") or [request["text"]], options)
    return [_result(item, as_brackets=request.get("format") == "brackets") for item in items]


def _result(item: list[Parsed], *, as_brackets: bool) -> dict[str, Any]:
    if as_brackets:
        return {"brackets": [parsed.brackets() for parsed in item]}
    return {"sentences": [parsed.to_json() for parsed in item]}
