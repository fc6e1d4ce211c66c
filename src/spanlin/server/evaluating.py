"""From a request to evaluate to the score of its trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spanlin.errors import TreeError, TreeSyntaxError
from spanlin.evaluation import score_trees
from spanlin.server.answers import RequestError
from spanlin.server.schema import EvaluateRequest
from spanlin.server.settings import ServerSettings
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Tree


def evaluate(request: EvaluateRequest, settings: ServerSettings) -> dict[str, Any]:
    """Return the score of a request's trees as plain values."""
    if max(len(request.gold), len(request.predicted)) > settings.max_trees:
        raise RequestError(413, f"at most {settings.max_trees} trees can be scored at a time")
    if not all(text.strip() for text in request.gold):
        number = [bool(text.strip()) for text in request.gold].index(False)
        raise RequestError(422, f"gold[{number}]: there is no tree")
    return score_trees(_trees("gold", request.gold), _trees("predicted", request.predicted)).to_dict()


def _trees(name: str, texts: Sequence[str]) -> Iterator[Tree | None]:
    for number, text in enumerate(texts):
        try:
            yield parse_tree(text) if text.strip() else None
        except TreeSyntaxError as error:
            place = f"{name}[{number}], line {error.line}, column {error.column}"
            raise RequestError(422, f"{place}: {error.message}") from error
        except TreeError as error:
            raise RequestError(422, f"{name}[{number}]: {error}") from error
