"""The warm process that reads for an editor: it has the reader imported, and forks a process for each request.

It imports nothing of a user's. Requests come on standard input and answers leave on standard output, a line of JSON
each; the processes that it forks have neither.
"""

import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from msgspec import DecodeError
from msgspec.json import Decoder, encode

from isrcheck.catalogue import offers
from isrcheck.editor.facts import Cancelling, ReadFile, ReadingEnded, ReadingRequest, ReadingResult
from isrcheck.editor.reading.file_facts import facts_of
from isrcheck.editor.reading.load import take_unsaved
from isrcheck.process import supervised
from isrcheck.process.supervised import Channel, Child, how_it_ended

_POLL_SECONDS = 0.01  # between looks at processes whose pipe is closed, or whose time may be over
_READ_BYTES = 1 << 16
_MOST_AT_ONCE = 2


@dataclass(frozen=True)
class ReadingLimits:
    """The limits of one reading process."""

    seconds: float
    memory: int  # bytes of address space


@dataclass
class _Work:
    child: Child
    deadline: float


@dataclass
class Host:
    limits: ReadingLimits
    answers: int  # the descriptor to write to
    _waiting: list[ReadFile] = field(default_factory=list)
    _running: dict[int, _Work] = field(default_factory=dict)
    _heard: bytearray = field(default_factory=bytearray)
    _decoder: Decoder[ReadingRequest] = field(default_factory=lambda: Decoder(ReadingRequest))

    def serve(self) -> None:
        """Answer requests until standard input ends."""
        offers()  # which every reading asks for
        while self._hear():
            self._start()
            self._collect()
        for work in self._running.values():
            _end(work.child)

    def _hear(self) -> bool:
        """Take requests, waiting for one or for an answer; whether there may be more."""
        speaking = [work.child.fileno() for work in self._running.values() if not work.child.is_silent]
        ready, _, _ = select.select([0, *speaking], [], [], _POLL_SECONDS if self._running else None)
        if 0 not in ready:
            return True
        data = os.read(0, _READ_BYTES)
        self._heard += data
        *lines, rest = self._heard.split(b"\n")
        self._heard = bytearray(rest)
        for line in lines:
            with suppress(DecodeError):
                self._take(self._decoder.decode(line))
        return bool(data)

    def _take(self, request: ReadingRequest) -> None:
        if not isinstance(request, Cancelling):
            self._waiting.append(request)
            return
        self._waiting = [each for each in self._waiting if each.id != request.id]
        if work := self._running.pop(request.id, None):
            _end(work.child)

    def _start(self) -> None:
        while self._waiting and len(self._running) < _MOST_AT_ONCE:
            request = self._waiting.pop(0)
            child = supervised.start(self._work_on(request))
            self._running[request.id] = _Work(child, time.monotonic() + self.limits.seconds)

    def _work_on(self, request: ReadFile) -> Callable[[Channel], None]:
        def work(channel: Channel) -> None:
            self._confine()
            channel.say(encode(answer_to(request, self.limits)))
            os._exit(0)  # no exit handler of the file's

        return work

    def _confine(self) -> None:
        """Keep the output of a file out of the protocol, and its resources within the limits."""
        os.setsid()  # the leader of what the file may start
        os.close(self.answers)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        resource.setrlimit(resource.RLIMIT_AS, (self.limits.memory, self.limits.memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def _collect(self) -> None:
        for number, work in list(self._running.items()):
            ended = work.child.code() is not None
            answer = next(work.child.messages(), None)
            if answer is None and not ended and time.monotonic() < work.deadline:
                continue
            del self._running[number]
            is_late = answer is None and not ended
            code = _end(work.child)
            self._say(number, answer or encode(self._why_it_ended(code, is_late)))

    def _why_it_ended(self, code: int, is_late: bool) -> ReadingEnded:
        limits = self.limits
        if is_late:
            late = f"the file was not read within {limits.seconds:g} seconds"
            return ReadingEnded(
                f"{late}: it may run for ever when it is imported.",
                "Take out of it what runs long when it is imported.",
            )
        if code < 0:
            return ReadingEnded(
                f"the process that read the file {how_it_ended(code)}; it may use {limits.memory >> 20:,} MiB.",
                "Make no large value when the file is imported.",
            )
        return ReadingEnded(
            f"the process that read the file ended with exit code {code} and said nothing of it.",
            "A file may not end the process (sys.exit, os._exit, os.exec...), nor write to or close files that it did "
            "not open: take the call out.",
        )

    def _say(self, number: int, answer: bytes) -> None:
        rest = memoryview(b'{"id":%d,"answer":%s}\n' % (number, answer))
        while rest:
            rest = rest[os.write(self.answers, rest) :]


def _end(child: Child) -> int:
    """Kill a process with all that it started in its group; return how it ended by itself, if it did."""
    child.kill_group()
    child.signal(signal.SIGKILL)
    return child.kill()


def answer_to(request: ReadFile, limits: ReadingLimits) -> ReadingResult:
    """Answer one request, in a process of its own."""
    try:
        take_unsaved(request.unsaved)
        return facts_of(request, limits.memory)
    except MemoryError:
        sentence = f"the file takes more than the {limits.memory >> 20:,} MiB that it may use while it is read."
        return ReadingEnded(sentence, "Make no large value when the file is imported.")
    except Exception:
        return ReadingEnded(f"a fault of isrcheck itself, nothing is known of the file:\n{traceback.format_exc()}")


def main(words: list[str]) -> None:
    """Serve with limits given as words: seconds and bytes."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what is printed stays out of the answers
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's to hear
    Host(ReadingLimits(float(words[0]), int(words[1])), answers).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
