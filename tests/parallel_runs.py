"""A training run on two gloo processes; `training/test_distributed.py` runs this as a script.

It starts them as torchrun does, by environment variables, but forks them from one process that has imported torch.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path

WORLD = 2


def work(rank: int, *, port: int, config_path: Path, folder: Path, resume: bool, saves: int) -> None:
    """Be one process of the run; keep its own weights beside the run's."""
    from safetensors.torch import save_file

    from spanlin.config.training import load_config
    from spanlin.training.loop import _Run

    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(WORLD), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    run = _Run(
        load_config(config_path),
        folder,
        resume=resume,
        device="cpu",
        watch=lambda event: os.write(saves, b".") if event.kind == "saved" else None,  # type: ignore[arg-type]
    )
    result = run.train()
    weights = {name: value.contiguous() for name, value in run.model.network.state_dict().items()}
    save_file(weights, folder / f"rank-{rank}.safetensors")
    print(f"rank {rank}: {result.steps} steps, interrupted: {result.interrupted}", flush=True)


def main() -> None:
    import torch

    torch.set_num_threads(1)
    config_path, folder, mode = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    reader, writer = os.pipe()
    processes = []
    for rank in range(WORLD):
        process = os.fork()
        if not process:
            status = 1
            try:
                work(
                    rank,
                    port=port,
                    config_path=config_path,
                    folder=folder,
                    resume=mode == "resume",
                    saves=writer,
                )
                status = 0
            finally:
                os._exit(status)
        processes.append(process)
    if mode == "interrupt":
        os.read(reader, 1)
        os.kill(processes[1], signal.SIGINT)  # not the one that saves
    statuses = [os.waitpid(process, 0)[1] for process in processes]
    sys.exit(any(statuses))


if __name__ == "__main__":
    main()
