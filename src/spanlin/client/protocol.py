"""What client and service say to each other, without the connection: requests, answers, errors, when to try again."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from spanlin.compact_json import compact_json
from spanlin.errors import (
    ConfigError,
    EvaluationError,
    RequestTooLargeError,
    ServiceBusyError,
    ServiceDownError,
    ServiceError,
    ServiceTimeoutError,
    ServiceTokenError,
)
from spanlin.trees.tree import Tree

_ADDRESS = re.compile(r"https?://[^/\s?#@]+(/[^\s?#]*)?")
_TOKEN = re.compile(r"[!-~]*")
_MOST_RETRIES = 100
_LONGEST_WAIT = 30.0  # seconds, whatever the service asks for
_CONNECT_SECONDS = 10.0
_KINDS: dict[int, type[ServiceError]] = {
    401: ServiceTokenError,
    408: ServiceTimeoutError,
    413: RequestTooLargeError,
    503: ServiceBusyError,
    504: ServiceTimeoutError,
}


@dataclass(frozen=True)
class ServiceModel:
    """The model of a service, and the service's limits by their names in `GET /v1/model`.

    Without dependencies, a model has no `relations` and no `universal_tags`.
    """

    name: str
    version: str
    precision: str
    calibrated: bool
    labels: tuple[str, ...]
    tags: tuple[str, ...]
    decoders: tuple[str, ...]
    limits: Mapping[str, float]
    relations: tuple[str, ...] = ()
    universal_tags: tuple[str, ...] = ()
    dependencies_calibrated: bool = False


class ServiceProtocol:
    """How to talk to the service at an address."""

    def __init__(self, address: str, *, token: str | None, timeout: float, retries: int) -> None:
        token = token or ""  # None is what an environment has that holds no token
        if not isinstance(address, str) or not _is_address(address):
            raise ConfigError(f"{address!r:.80} is not the address of a service: give one such as http://host:8000")
        if not isinstance(token, str) or not _TOKEN.fullmatch(token):
            raise ConfigError("token: may only have visible ASCII characters, and no spaces")
        if not isinstance(timeout, (int, float)) or not 0 < timeout < float("inf"):
            raise ConfigError(f"timeout must be above 0 seconds, got {timeout!r:.80}")
        if not isinstance(retries, int) or not 0 <= retries <= _MOST_RETRIES:
            raise ConfigError(f"retries must be from 0 to {_MOST_RETRIES}, got {retries!r:.80}")
        self._address = address
        self._timeout = timeout
        self._retries = retries
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def connection(self) -> dict[str, Any]:
        """Return how to make httpx's client; a redirect is not followed, for it would get the token."""
        timeout = httpx.Timeout(self._timeout, connect=min(self._timeout, _CONNECT_SECONDS))
        return {"base_url": self._address, "headers": self._headers, "timeout": timeout}

    def request(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Return a request for httpx's client, under a new id, which stays the same when it is tried again."""
        headers = {"X-Request-ID": uuid.uuid4().hex}
        if body is None:
            return {"method": method, "url": path, "headers": headers}
        headers["Content-Type"] = "application/json"
        return {"method": method, "url": path, "headers": headers, "content": compact_json(body)}

    def wait(self, response: httpx.Response, tries: int) -> float | None:
        """Return in how many seconds to try again, after so many tries; None if this is the answer."""
        if response.status_code != 503 or tries > self._retries:
            return None
        given = response.headers.get("Retry-After", "")
        return min(float(given), _LONGEST_WAIT) if re.fullmatch(r"\d{1,9}", given) else 1.0

    def read(self, response: httpx.Response) -> Any:
        """Return an answer's JSON, or raise the error that it is."""
        status, request_id = response.status_code, response.headers.get("X-Request-ID", "")
        try:
            found = response.json()
        except ValueError:
            found = None
        if status == 200 and found is not None:
            return found
        error = found.get("error") if isinstance(found, dict) else None
        if not isinstance(error, dict):
            message = f"{self._address}: status {status}, and not from a spanlin service: is the address right?"
            raise _KINDS.get(status, ServiceError)(message, status=status, request_id=request_id)
        message = " ".join(str(error.get("message", "")).split())
        if status == 401:
            message = "the token is missing or wrong: give the one that the service was started with, as token="
        elif status == 503:
            message += f" (after {self._retries + 1} tries)" if self._retries else ""
        raise _KINDS.get(status, ServiceError)(
            f"{self._address}: {message}", status=status, code=str(error.get("code", "")), request_id=request_id
        )

    def failed(self, error: httpx.HTTPError) -> ServiceError:
        """Return the error for a request that got no answer."""
        if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
            advice = "send less at a time, or give a longer timeout="
            return ServiceTimeoutError(f"{self._address}: no answer within {self._timeout:g} s: {advice}")
        reason = " ".join(str(error).split()) or type(error).__name__
        if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
            advice = "start one with spanlin serve, or correct the address"
            return ServiceDownError(f"{self._address}: no service can be reached ({reason}): {advice}")
        return ServiceDownError(f"{self._address}: the connection broke ({reason}): try again")


def _is_address(address: str) -> bool:
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        return False
    return _ADDRESS.fullmatch(address) is not None and bool(url.host) and (url.port or 0) < 2**16


def evaluation_body(gold: Iterable[Tree | str], predicted: Iterable[Tree | str]) -> dict[str, list[str]]:
    """Return what `POST /v1/evaluate` takes."""
    for name, trees in (("gold", gold), ("predicted", predicted)):
        if isinstance(trees, (str, bytes)) or not isinstance(trees, Iterable):
            raise EvaluationError(f"{name}: give a list of trees, not {trees!r:.60}")
    return {"gold": list(map(str, gold)), "predicted": list(map(str, predicted))}


def read_model(answer: Any) -> ServiceModel:
    """Return the model that `GET /v1/model` describes."""
    try:
        return ServiceModel(
            name=answer["name"],
            version=answer["version"],
            precision=answer["precision"],
            calibrated=answer["calibrated"],
            labels=tuple(answer["labels"]),
            tags=tuple(answer["tags"]),
            decoders=tuple(answer["decoders"]),
            limits=answer["limits"],
            relations=tuple(answer.get("relations", ())),
            universal_tags=tuple(answer.get("universal_tags", ())),
            dependencies_calibrated=answer.get("dependencies_calibrated", False),
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise ServiceError(f"not an answer of a spanlin service: {error!r:.80}") from error
