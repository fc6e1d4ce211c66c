"""Where torch computes."""

from __future__ import annotations

import torch

from spanlin.errors import ConfigError


def choose_device(name: str = "") -> torch.device:
    """Return the device of this name; without one, the first GPU if torch sees any."""
    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # an AssertionError where torch is built without CUDA
        reason = str(error).splitlines()[0]
        if reason.startswith("Expected one of"):  # all devices that torch has ever known
            reason = "there is none of this name"
        raise ConfigError(f"device {name!r} cannot be used: {reason}; choose cpu, cuda or cuda:N") from error
    return device
