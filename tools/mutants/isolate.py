"""Work in a forked process: whatever a text does to Python, and however long it takes, the fuzzer goes on."""

import os
import pickle
import select
import signal
import sys
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Slow(Exception):
    """The work took too long."""


class Died(Exception):
    """The process ended without an answer; the text says how."""


def isolate(work: Callable[[], T], seconds: float) -> T:
    """Return what the work returns. Raises Slow or Died; an exception of the work's own is the text of Died."""
    source, sink = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(source)
        _work(work, sink)
    os.close(sink)
    try:
        answer = _all(source, child, seconds)
    finally:
        os.close(source)
        _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        raise Died(f"the process was ended by {signal.Signals(os.WTERMSIG(status)).name}")
    if not answer:
        raise Died("")
    good, value = pickle.loads(answer)
    if not good:
        raise Died(value)
    result: T = value
    return result


def _work(work: Callable[[], T], sink: int) -> None:
    """The child: never returns."""
    status = 1
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        sys.setrecursionlimit(1000)
        try:
            answer: tuple[bool, object] = (True, work())
        except BaseException as error:
            import traceback

            answer = (False, "".join(traceback.format_exception(error)[-12:]))
        with os.fdopen(sink, "wb") as stream:
            pickle.dump(answer, stream)
        status = 0
    finally:
        os._exit(status)


def _all(source: int, child: int, seconds: float) -> bytes:
    """Everything that the child writes. Raises Slow, the child ended, if it is not there in time."""
    answer = b""
    while True:
        ready, _, _ = select.select([source], [], [], seconds)
        if not ready:
            os.kill(child, signal.SIGKILL)
            raise Slow
        piece = os.read(source, 1 << 16)
        if not piece:
            return answer
        answer += piece
