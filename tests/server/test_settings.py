from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from spanlin.errors import ConfigError
from spanlin.server.settings import LIMITS, ServerSettings


def test_defaults_hold_together_and_all_limits_are_told() -> None:
    limits = ServerSettings().limits()
    assert tuple(limits) == LIMITS
    assert all(value > 0 for value in limits.values())


@pytest.mark.parametrize(
    ("name", "value"),
    [(item.name, value) for item in fields(ServerSettings) if item.type in {"int", "float"} for value in (0, -1)],
)
def test_a_number_must_be_above_zero(name: str, value: int) -> None:
    changed: dict[str, Any] = {name: value}
    with pytest.raises(ConfigError, match=rf"server\.{name} must be above 0, got {value}"):
        ServerSettings(**changed)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_time_must_be_a_number(value: float) -> None:
    with pytest.raises(ConfigError, match="time_limit"):
        ServerSettings(time_limit=value)


@pytest.mark.parametrize("unit", ["sentences", "words"])
def test_the_queue_must_hold_the_largest_request(unit: str) -> None:
    limits: dict[str, Any] = {f"max_{unit}": 10, f"queue_{unit}": 10}
    assert ServerSettings(**limits)
    with pytest.raises(ConfigError, match=f"queue_{unit} must be at least max_{unit}, 10, got 9"):
        ServerSettings(**limits | {f"queue_{unit}": 9})


@pytest.mark.parametrize("token", ["two words", "tab\t", "line\n", "ä"])
def test_a_token_has_only_what_a_header_can_carry(token: str) -> None:
    with pytest.raises(ConfigError, match="visible ASCII") as caught:
        ServerSettings(token=token)
    assert token not in str(caught.value)


@pytest.mark.parametrize("origin", ["*", "https://example.org", "http://localhost:5173"])
def test_an_origin_is_written_as_a_browser_does(origin: str) -> None:
    assert ServerSettings(cors_origins=(origin,)).cors_origins == (origin,)


@pytest.mark.parametrize("origin", ["example.org", "https://example.org/", "https://a b", "ftp://x", ""])
def test_what_is_no_origin_is_an_error(origin: str) -> None:
    with pytest.raises(ConfigError, match="is not an origin; write it as a browser does"):
        ServerSettings(cors_origins=(origin,))


def test_settings_cannot_be_changed_later() -> None:
    settings: Any = ServerSettings()
    with pytest.raises(AttributeError):
        settings.token = "other"
