"""Mutants shared out among processes. One that kills a process of its own twice is given up."""

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

from isrcheck.engines.interrupt import SIGNALS

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def through(
    tasks: Iterable[Task],
    work: Callable[[Task], Answer],
    lost: Callable[[Task], Answer],
    workers: int,
    begin: Callable[..., None],
    arguments: tuple[Any, ...],
) -> Iterator[tuple[Task, Answer]]:
    """Each task with its answer, in the order in which they come; `lost` answers for one that no process survives.

    `begin(*arguments)` makes a process ready. Both functions, the tasks and the answers can be sent to another process.
    """
    waiting = list(tasks)
    with _pool(workers, begin, arguments) as pool:
        suspects = yield from _shared(pool, waiting, work)
    died: list[Task] = []
    while suspects:
        suspects = yield from _alone(suspects, died, work, lost, begin, arguments)


def _shared(
    pool: ProcessPoolExecutor, tasks: list[Task], work: Callable[[Task], Answer]
) -> Generator[tuple[Task, Answer], None, list[Task]]:
    """Answers until a process dies; returns the tasks that have none yet."""
    futures = {pool.submit(work, task): task for task in tasks}
    left: list[Task] = []
    try:
        for future in as_completed(futures):
            try:
                yield futures[future], future.result()
            except BrokenProcessPool:
                left.append(futures[future])
    except BaseException:
        _end(pool)
        raise
    return sorted(left, key=tasks.index)


def _alone(
    tasks: list[Task],
    died: list[Task],
    work: Callable[[Task], Answer],
    lost: Callable[[Task], Answer],
    begin: Callable[..., None],
    arguments: tuple[Any, ...],
) -> Generator[tuple[Task, Answer], None, list[Task]]:
    """One after the other in a single process, until it dies; returns the tasks left. `died`: those that killed one."""
    with _pool(1, begin, arguments) as pool:
        for position, task in enumerate(tasks):
            try:
                yield task, pool.submit(work, task).result()
            except KeyboardInterrupt:
                _end(pool)
                raise
            except BrokenProcessPool:
                if task not in died:
                    died.append(task)
                    return tasks[position:]
                yield task, lost(task)
                return tasks[position + 1 :]
    return []


def _pool(workers: int, begin: Callable[..., None], arguments: tuple[Any, ...]) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, get_context("spawn"), _begin, (begin, arguments))


def _begin(begin: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """Make a process ready that leaves signals to its parent, and ends with it."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    begin(*arguments)


def _die_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _end(pool: ProcessPoolExecutor) -> None:
    """End a pool's processes, whatever they are doing. It offers nothing for that before Python 3.14."""
    for process in list(pool._processes.values()):
        process.kill()
    pool.shutdown(wait=True, cancel_futures=True)
