"""A client of the service that `spanlin serve` runs; needs httpx."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spanlin.errors import missing_extra

if TYPE_CHECKING:
    from spanlin.client.asynchronous import AsyncClient
    from spanlin.client.protocol import ServiceModel
    from spanlin.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "ServiceModel"]

# Imported when asked for: tools that import every package must not need httpx.
_LATER = {
    "AsyncClient": "spanlin.client.asynchronous",
    "Client": "spanlin.client.synchronous",
    "ServiceModel": "spanlin.client.protocol",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'spanlin.client' has no attribute {name!r}")
    try:
        return getattr(import_module(_LATER[name]), name)
    except ModuleNotFoundError as error:
        raise missing_extra("the client needs httpx", "client") from error
