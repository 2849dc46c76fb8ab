"""Mutants shared out among processes. One that kills its process twice is given up."""

import pickle
import select
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from isrcheck.supervised import Channel, Child, start

_LOOK_SECONDS = 0.05

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class _Lane(Generic[Task]):
    """Tasks for one process at a time, in order."""

    def __init__(self, tasks: Sequence[Task], work: Callable[[Task], Any]) -> None:
        self.tasks = list(tasks)
        self._work = work
        self._has_died = False
        self.child = self._begun()

    def _begun(self) -> Child:
        def answer(channel: Channel) -> None:
            for task in self.tasks:
                channel.say(_answer(self._work, task))

        return start(answer)

    def answers(self, lost: Callable[[Task], Any]) -> Iterator[tuple[Task, Any]]:
        """What has been answered; a task that has killed its process is tried once more, then `lost` answers."""
        is_over = self.child.code() is not None
        for message in self.child.messages():
            answer, error = pickle.loads(message)
            if error is not None:
                raise error
            self._has_died = False
            yield self.tasks.pop(0), answer
        if not (is_over or self.child.is_silent):
            return
        self.child.kill()
        if self.tasks and self._has_died:
            yield self.tasks[0], lost(self.tasks.pop(0))
        self._has_died = not self._has_died
        if self.tasks:
            self.child = self._begun()


def _answer(work: Callable[[Task], Any], task: Task) -> bytes:
    try:
        return pickle.dumps((work(task), None))
    except Exception as error:
        return pickle.dumps((None, error))


def through(
    tasks: Sequence[Task], work: Callable[[Task], Answer], lost: Callable[[Task], Answer], workers: int
) -> Iterator[tuple[Task, Answer]]:
    """Each task with its answer, in the order in which they come; an error that work raises is raised here.

    One process has every n-th task. A task that kills its process is tried again in a new one, and `lost` answers for
    one that does so twice.
    """
    lanes = [_Lane(tasks[first::workers], work) for first in range(min(workers, len(tasks)))]
    try:
        while running := [lane for lane in lanes if lane.tasks]:
            select.select([lane.child for lane in running], [], [], _LOOK_SECONDS)
            for lane in running:
                yield from lane.answers(lost)
    finally:
        for lane in lanes:
            lane.child.kill()
