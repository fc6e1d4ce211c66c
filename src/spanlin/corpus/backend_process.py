"""`python -m spanlin.corpus.backend_process`: runs the network of a model for the workers of a corpus.

The one answer is the `address` at which it is, with the `key` to it, or why the whole run must `stop`.
"""

from __future__ import annotations

import os
import threading

from spanlin.corpus.child_process import ParentProcess
from spanlin.errors import SpanlinError
from spanlin.host.backend_server import BackendListener
from spanlin.parser import Parser


def main() -> None:
    """Run the network until the parent process is gone."""
    parent = ParentProcess()
    try:
        parser = Parser.load(parent.task["model"], device=parent.task["device"], processes=0)
    except SpanlinError as error:
        parent.answer(stop=str(error))
        os._exit(0)
    listener = BackendListener(parser.backend, expected=4 * parent.task["workers"])
    parent.answer(address=repr(listener.address), key=listener.key.hex())
    threading.Event().wait()


if __name__ == "__main__":
    main()
