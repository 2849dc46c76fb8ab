"""Mutants shared out among processes. One that kills a process of its own twice is given up."""

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

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
        pool.shutdown(wait=False, cancel_futures=True)
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
            except BrokenProcessPool:
                if task not in died:
                    died.append(task)
                    return tasks[position:]
                yield task, lost(task)
                return tasks[position + 1 :]
    return []


def _pool(workers: int, begin: Callable[..., None], arguments: tuple[Any, ...]) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, get_context("spawn"), begin, arguments)
