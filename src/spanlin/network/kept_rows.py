"""A tensor of a batch that stays on the GPU: to fetch all of it takes longer than to make it, and few need any."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class KeptRows:
    """Gives what is asked for by indices, as a NumPy array does.

    The values must be complete: they are read on a stream of its own, so that nobody waits for other batches, and
    nothing is written to them. Work is started under the lock, and waited for without it.
    """

    def __init__(self, values: Tensor, lock: threading.Lock, stream: Any) -> None:
        self._values = values
        self._lock = lock
        self._stream = stream

    @property
    def shape(self) -> tuple[int, ...]:
        """How large the whole is."""
        return tuple(self._values.shape)

    @torch.inference_mode()
    def __getitem__(self, key: Any) -> NDArray[np.float32]:
        """Return what stands at these indices: numbers, slices, or arrays that are broadcast together."""
        parts = key if isinstance(key, tuple) else (key,)
        with torch.cuda.stream(self._stream):
            indices = tuple(
                torch.tensor(part, device=self._values.device) if isinstance(part, np.ndarray) else part
                for part in parts
            )
            with self._lock:
                wanted = self._values[indices].float()  # NumPy has no bfloat16
            found: NDArray[np.float32] = wanted.cpu().numpy()
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        found: NDArray[Any] = self[...].astype(dtype or np.float32, copy=False)
        return found
