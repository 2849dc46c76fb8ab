"""Harnesses that are asked side by side, each by a thread of its own; all else is done by the thread that asks."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from types import TracebackType
from typing import Self, TypeVar

from isrbrokers.classes.harness import Harness
from isrcheck.plugin import poll

_T = TypeVar("_T")
_SECONDS = 0.1  # between two looks at the clock


class SideBySide:
    """Some harnesses in one setting, from `with` on. An error or the end of the run's time ends their processes."""

    def __init__(self, harnesses: Sequence[Harness], setting: str) -> None:
        self._harnesses, self._setting = harnesses, setting
        self._idle: SimpleQueue[Harness] = SimpleQueue()
        for each in harnesses:
            self._idle.put(each)
        self._threads = ThreadPoolExecutor(len(harnesses))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            for each in self._harnesses:
                each.kill()
        self._threads.shutdown(cancel_futures=True)

    def ask(self, questions: Iterable[tuple[_T, Sequence[str]]]) -> Iterator[tuple[_T, list[str]]]:
        """Yield the replies to lines, in the order of the questions; some questions are asked ahead."""
        ahead: deque[tuple[_T, Future[list[str]]]] = deque()
        for question, lines in questions:
            ahead.append((question, self._threads.submit(self._replies, lines)))
            if len(ahead) > 2 * len(self._harnesses):
                yield self._next(ahead)
        while ahead:
            yield self._next(ahead)

    def _replies(self, lines: Sequence[str]) -> list[str]:
        harness = self._idle.get()
        try:
            return harness.replies(self._setting, lines)
        finally:
            self._idle.put(harness)

    def _next(self, ahead: deque[tuple[_T, Future[list[str]]]]) -> tuple[_T, list[str]]:
        question, future = ahead.popleft()
        while True:
            poll()
            try:
                return question, future.result(_SECONDS)
            except TimeoutError:
                continue
