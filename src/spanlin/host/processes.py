"""Processes that read text and write results for one parser, whose backend they share."""

from __future__ import annotations

import logging
import os
import queue
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from spanlin.errors import ProcessError
from spanlin.host.backend_server import BackendListener
from spanlin.host.tasks import Answer, BlockParser, Task, TaskError
from spanlin.model_folder.folder import ModelFolder
from spanlin.runtime.backend import Backend
from spanlin.runtime.onnx import available_cores
from spanlin.runtime.thread_switches import quick_switches

_LARGE = 10_000  # sentences; a stream of fewer is done before processes have started
_MOST = 14
_AHEAD = 4  # blocks that wait for a process
_LEAVING = 5.0  # seconds for processes to end by themselves

_WORKER = f"{__package__}.worker"  # it needs the parser, which needs this: so it is only named

_LOG = logging.getLogger(__name__)

BlockType = TypeVar("BlockType")
Result = TypeVar("Result")


def usual_processes(device: str) -> int:
    """Return how many processes pay beside one that runs a network on this device: none beside a CPU's.

    There, the network itself needs all cores.
    """
    cores = available_cores()
    return min(cores - 1, _MOST) if device.startswith("cuda") and cores > 3 else 0


class HostProcesses:
    """Processes for one backend, started when they are first needed; they end with this process, or when it says so."""

    def __init__(self, folder: ModelFolder, backend: Backend, count: int) -> None:
        self.count = count
        self.done_again = 0
        """How many blocks this process had to parse itself, as another one failed on them."""
        self._folder = folder
        self._backend = backend
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._end: Callable[[], object] = lambda: None

    def start(self) -> None:
        """Start them, unless they run, or raise a ProcessError; this does not wait for them."""
        with self._lock:
            if self._running is None:
                try:
                    self._running = _Running(self._folder, self._backend, self.count)
                except OSError as error:  # such as too many processes
                    raise ProcessError(f"processes that read text cannot be started: {error}") from error
                self._end = weakref.finalize(self, self._running.close)

    def wait(self, seconds: float = 60.0) -> None:
        """Start them, and wait until all are ready."""
        self.start()
        running = self._running
        assert running is not None
        end = time.monotonic() + seconds
        while running.ready < self.count:
            running.check()
            if time.monotonic() > end:
                raise ProcessError(f"{self.count - running.ready} processes have not started in {seconds:g} seconds")
            time.sleep(0.01)

    def close(self) -> None:
        """End them; they start again when they are needed."""
        with self._lock:
            end, self._running = self._end, None
        end()  # which is kept no longer

    def run(
        self, parser: BlockParser, blocks: Iterable[BlockType], task: Task[Result]
    ) -> Generator[tuple[BlockType, Result]]:
        """Yield each block with what a task makes of it, in order.

        Until processes are ready, this one does the work; they are started when that gets long. Memory holds some
        blocks for each process.
        """
        before = 0  # sentences
        may_start = True
        waiting: deque[tuple[BlockType, Future[Answer[Result]]]] = deque()

        def first() -> tuple[BlockType, Result]:
            nonlocal before
            block, future = waiting[0]
            try:
                answer = future.result()
            except ProcessError:
                self.close()
                raise
            except Exception as error:
                # The number of a sentence is part of some messages, and only known here. What is no block that
                # another process can read is one for this process, too.
                if isinstance(error, TaskError) and not error.is_mistake:
                    self.done_again += 1
                    _LOG.warning("a process failed, so this one does its work, more slowly: %s", error)
                answer = task(parser, block, before)
            waiting.popleft()
            before += answer.sentences
            return block, answer.result

        with quick_switches():
            try:
                source, error = iter(blocks), None
                while True:
                    try:
                        block = next(source)
                    except StopIteration:
                        break
                    except Exception as caught:  # raised after all that came before
                        error = caught
                        break
                    running = self._running
                    if running is not None and running.ready:
                        waiting.append((block, running.submit(task, block)))
                        while len(waiting) > self.count + _AHEAD or (waiting and waiting[0][1].done()):
                            yield first()
                        continue
                    while waiting:
                        yield first()
                    answer = task(parser, block, before)
                    before += answer.sentences
                    yield block, answer.result
                    if running is None and may_start and before >= _LARGE:
                        may_start = self._has_started()
                while waiting:
                    yield first()
                if error is not None:
                    raise error
            finally:
                for _, future in waiting:
                    future.cancel()

    def _has_started(self) -> bool:
        """Start them; if that fails, log it, as this process can do without."""
        try:
            self.start()
        except ProcessError as error:
            _LOG.warning("this process does all the work, more slowly: %s", error)
            return False
        return True


class _Running:
    """Processes that have been started."""

    def __init__(self, folder: ModelFolder, backend: Backend, count: int) -> None:
        self._folder = folder
        self._tasks: queue.SimpleQueue[tuple[Future[Any], Any, Any] | None] = queue.SimpleQueue()
        self._error: ProcessError | None = None
        self._closed = False
        self.ready = 0
        """How many have said so."""
        _LOG.info("starting %d processes that read text", count)
        # Each opens some connections at once.
        self._listener = BackendListener(backend, others=self._welcome, expected=4 * count)
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(count):
                self._processes.append(_start(self._listener.address, self._listener.key))
        except BaseException:
            self.close()
            raise

    def submit(self, task: Task[Result], block: Any) -> Future[Answer[Result]]:
        """Give a task to the next process that is free."""
        future: Future[Answer[Result]] = Future()
        self._tasks.put((future, task, block))
        if self._error is not None:
            self._give_up(self._error)
        return future

    def check(self) -> None:
        """Raise a ProcessError if a process has ended."""
        for process in self._processes:
            status = process.poll()
            if status is not None and not self._closed:
                raise ProcessError(_describe(status))

    def close(self) -> None:
        """End all processes."""
        self._closed = True
        self._give_up(ProcessError("the processes that read text were ended before they had finished"))
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.close()  # which ends it
        end = time.monotonic() + _LEAVING
        for process in self._processes:
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._listener.close()

    def _welcome(self, connection: Connection[Any, Any]) -> None:
        connection.send(self._folder)
        # Not a pool's thread, which would have to end before this process can.
        threading.Thread(target=self._serve, args=(connection,), name="spanlin-process", daemon=True).start()
        self.ready += 1
        if self._error is not None:  # it came too late to be counted among those that must end
            self._tasks.put(None)

    def _serve(self, connection: Connection[Any, Any]) -> None:
        """Have one process do tasks until there are no more."""
        with connection:
            while (given := self._tasks.get()) is not None:
                future, task, block = given
                if not future.set_running_or_notify_cancel():
                    continue
                try:
                    future.set_result(self._ask(connection, task, block))
                except ProcessError as error:
                    future.set_exception(error)
                    self._give_up(error)
                except BaseException as error:
                    future.set_exception(error)

    def _give_up(self, error: ProcessError) -> None:
        """Let all tasks fail, those to come too."""
        self._error = self._error or error
        with suppress(queue.Empty):
            while True:
                given = self._tasks.get_nowait()
                if given is not None and given[0].set_running_or_notify_cancel():
                    given[0].set_exception(self._error)
        for _ in range(self.ready):
            self._tasks.put(None)

    def _ask(self, connection: Connection[Any, Any], task: Task[Result], block: Any) -> Answer[Result]:
        try:
            connection.send((task, block))  # if it cannot be pickled, nothing of it is sent
            error, answer = connection.recv()
        except (EOFError, OSError):
            raise self._lost() from None
        if error is not None:
            raise error
        found: Answer[Result] = answer
        return found

    def _lost(self) -> ProcessError:
        end = time.monotonic() + 1.0
        while time.monotonic() < end and not self._closed:
            for process in self._processes:
                status = process.poll()
                if status is not None:
                    return ProcessError(_describe(status))
            time.sleep(0.01)
        return ProcessError("a process that reads text for the parser does not answer")


def _start(address: Any, key: bytes) -> subprocess.Popen[bytes]:
    """Start a process that ends when its input does."""
    # It finds what this process finds. It is one of many, so that libraries should start no threads of their own.
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path),
        "TOKENIZERS_PARALLELISM": "false",
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", _WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=environment,
        # Ctrl-C is for the process that has started it.
        start_new_session=os.name == "posix",
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )
    assert process.stdin is not None
    process.stdin.write(key.hex().encode() + b"\n" + repr(address).encode() + b"\n")
    process.stdin.flush()
    return process


def _describe(status: int) -> str:
    how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
    return f"a process that reads text for the parser {how}: parse with processes=0 to do without"
