"""The server's end of the process that reads: it is started again when it ends or stops answering."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count

from msgspec import DecodeError
from msgspec.json import decode, encode

from isrcheck.editor.facts import Cancelling, Indexing, Naming, ReadFile, ReadingAnswer, ReadingEnded, ReadingResult

_LONGEST_LINE = 1 << 28  # bytes of an answer: the facts of a hundred large models
_GRACE_SECONDS = 5.0  # beyond the limits of all that was asked, for a process that starts on a busy machine
_ATTEMPTS = 3

Asked = ReadFile | Indexing | Naming


@dataclass(frozen=True)
class ServerLimits:
    """The limits of the processes that the server starts. Sizes are bytes."""

    reading_seconds: float
    reading_memory: int
    run_seconds: float
    run_memory: int


class Readers:
    """One warm process, which forks one for each request. `log` is told what is replaced."""

    def __init__(self, limits: ServerLimits, log: Callable[[str], object]) -> None:
        self._limits = limits
        self._log = log
        self._numbers = count(1)
        self._process: Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._waiting: dict[int, asyncio.Future[ReadingResult]] = {}

    async def ask(self, request: Callable[[int], Asked]) -> ReadingResult:
        """The answer; when this is cancelled the work ends too."""
        for _ in range(_ATTEMPTS):
            number = next(self._numbers)
            try:
                return await self._send_request(request(number))
            except ConnectionError:
                self._log("the process that reads model files ended; another one was started")
            except TimeoutError:
                self._log("the process that reads model files did not answer and was replaced")
                self._kill()
            except asyncio.CancelledError:
                self._give_up(number)
                raise
            finally:
                self._waiting.pop(number, None)
        return ReadingEnded("the processes that read model files ended again and again; nothing is known of the file.")

    async def _send_request(self, request: Asked) -> ReadingResult:
        async with self._starting:
            process = await self._ensure_process()
        answer = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = answer
        assert process.stdin is not None
        process.stdin.write(encode(request) + b"\n")
        patience = self._limits.reading_seconds * (1 + len(self._waiting)) + _GRACE_SECONDS
        return await asyncio.wait_for(answer, patience)

    async def _ensure_process(self) -> Process:
        if self._process is not None and self._listening is not None and not self._listening.done():
            return self._process
        words = [str(self._limits.reading_seconds), str(self._limits.reading_memory)]
        # -P: the folder in which an editor starts the server may have a module of any name
        command = [sys.executable, "-P", "-m", "isrcheck.editor.reading", *words]
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=_LONGEST_LINE
        )
        self._listening = asyncio.create_task(self._listen(self._process))
        return self._process

    async def _listen(self, process: Process) -> None:
        assert process.stdout is not None
        with suppress(ConnectionError, ValueError):  # a line beyond the limit
            while line := await process.stdout.readline():
                with suppress(DecodeError):
                    answer = decode(line, type=ReadingAnswer)
                    future = self._waiting.get(answer.id)
                    if future is not None and not future.done():
                        future.set_result(answer.answer)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionError())

    def _give_up(self, number: int) -> None:
        if self._process is not None and self._process.stdin is not None and self._process.returncode is None:
            self._process.stdin.write(encode(Cancelling(number)) + b"\n")

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """End the process; what is being read is not waited for."""
        self._kill()
        if self._process is not None:
            await self._process.wait()
