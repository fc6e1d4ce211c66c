"""The parser's network in torch, for a GPU; on a CPU it works too, slowly."""

from __future__ import annotations

import threading
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from spanlin.errors import CheckpointError, ConfigError
from spanlin.network.config import NetworkConfig
from spanlin.network.config_table import config_from_table
from spanlin.network.device import choose_device
from spanlin.network.encoders.native import NativeEncoder, NativeSizes
from spanlin.network.graph import ParserGraph
from spanlin.network.network import ParserNetwork, VocabularySizes
from spanlin.runtime.backend import OUTPUTS, Ints, ParseArrays
from spanlin.runtime.folder import WEIGHTS, ModelFolder
from spanlin.runtime.piece_rows import PieceRows


class TorchBackend:
    """Runs a model folder's weights: in bfloat16 on a GPU, in fp32 on a CPU."""

    def __init__(self, folder: ModelFolder, *, device: str) -> None:
        self._device = choose_device(device)
        dtype = torch.bfloat16 if self._device.type == "cuda" else torch.float32
        self._graph = ParserGraph(_network(folder), treebank=_treebank(folder)).eval().to(self._device, dtype)
        self._lock = threading.Lock()  # one stream of work keeps a GPU busy; two would only take turns

    @torch.inference_mode()
    def run(self, rows: PieceRows, word_counts: Ints) -> ParseArrays:
        """Return the parses of a batch."""
        arrays = (rows.pieces, rows.piece_counts, rows.first_pieces, rows.last_pieces, word_counts)
        inputs = [torch.from_numpy(array) for array in arrays]
        with self._lock:
            found: tuple[Tensor, ...] = self._graph(*(tensor.to(self._device, non_blocking=True) for tensor in inputs))
            arrays_out = [tensor.cpu().numpy() for tensor in found]
        return ParseArrays(**dict(zip(OUTPUTS, arrays_out, strict=True)))


def _network(folder: ModelFolder) -> ParserNetwork:
    path: Path = folder.path / WEIGHTS
    details = folder.details
    if "network" not in details or not path.is_file():
        raise CheckpointError(f"{folder.path}: exported without weights for torch: export it again with --with-weights")
    try:
        config = config_from_table(NetworkConfig, details["network"])
        encoder = NativeEncoder(NativeSizes.from_table(details["encoder"], str(folder.path)))
        sizes = VocabularySizes(
            words=0,
            chars=0,
            input_tags=0,
            labels=len(folder.labels),
            tags=len(folder.tags),
            treebanks=len(details["treebanks"]),
        )
        network = ParserNetwork(config, sizes, pretrained=encoder)
        network.load_state_dict({name: value.float() for name, value in load_file(path).items()})
    except (KeyError, TypeError, RuntimeError, OSError, ConfigError, SafetensorError) as error:
        raise CheckpointError(
            f"{folder.path}: its weights do not fit its manifest: {str(error).splitlines()[0]}"
        ) from error
    return network


def _treebank(folder: ModelFolder) -> int:
    name, known = folder.details.get("treebank", ""), folder.details["treebanks"]
    return known.index(name) + 1 if name in known else 0
