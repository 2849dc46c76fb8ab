"""Many pieces of work, a process for each: one that is killed loses its own answer and no other."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from typing import Generic, TypeVar

W = TypeVar("W")
A = TypeVar("A")


@dataclass(frozen=True)
class Lost:
    """A piece of work whose process ended without an answer; `how` is a phrase: "was killed (SIGKILL)"."""

    how: str


@dataclass
class _Running(Generic[W]):
    place: int
    process: ForkServerProcess
    answers: Connection


def each_alone(do: Callable[[W], A], works: Sequence[W], workers: int) -> Iterator[tuple[int, A | Lost]]:
    """(position, answer) of every piece of work, as they come; at most `workers` at a time, in their order.

    `do` is a function of a module, and what it answers can be pickled. Processes still there when the iteration ends
    are killed.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([do.__module__])
    waiting = list(enumerate(works))[::-1]
    running: dict[Connection, _Running[W]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < max(workers, 1):
                place, work = waiting.pop()
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_answer, args=(do, work, theirs), daemon=True)
                process.start()
                theirs.close()
                running[ours] = _Running(place, process, ours)
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                done = running.pop(ready)
                yield done.place, _received(done)
    finally:
        for each in running.values():
            each.process.kill()
            each.process.join()


def _answer(do: Callable[[W], A], work: W, answers: Connection) -> None:
    answers.send(do(work))
    answers.close()


def _received(done: _Running[W]) -> A | Lost:
    try:
        answer: A = done.answers.recv()
    except (EOFError, OSError):
        done.process.join()
        return Lost(_end_of(done.process.exitcode))
    done.process.join()
    return answer


def _end_of(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        return f"was killed ({name}{': out of memory, or by somebody' if name == 'SIGKILL' else ''})"
    return f"ended with code {code} and no answer"
