"""A process of its own for a command that runs a user's file.

A file can end the process that imports it, with any exit code. The first process waits, and believes only what the
command says over a pipe (docs/adr/015).
"""

import os
import resource
import signal
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from isrcheck.process import supervised
from isrcheck.process.interrupt import INTERRUPTED, SIGNALS, listen
from isrcheck.process.supervised import Channel, Child, how_it_ended

_UNDETERMINED, _MODEL_ERROR = 20, 75
_LOADS, _ENDS = b"loads ", b"ends "
_POLL_SECONDS = 0.05
_PATIENCE_SECONDS = 0.5  # beyond the limit, for the command to end an import by itself


class Command:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def begin_loading(self, file: Path) -> None:
        self._channel.say(_LOADS + os.fsencode(file))

    def end_loading(self, file: Path) -> None:
        self._channel.say(b"loaded " + os.fsencode(file))

    def end(self, code: int) -> NoReturn:
        """Say the exit code and end the process at once: no other code of it runs."""
        self._channel.say(_ENDS + str(code).encode())
        os._exit(code)


def begin(seconds: float | None = None) -> Command:
    """Go on in a new process; this one ends with its exit code, and ends imports over a limit."""
    started = supervised.fork()
    if isinstance(started, Child):
        os._exit(_Waiting(started, seconds).code())
    listen()
    supervised.hear_signals()
    return Command(started)


class _Waiting:
    """The wait for another process: hands signals on to it, and judges how it ended."""

    def __init__(self, child: Child, seconds: float | None) -> None:
        self._child = child
        self._seconds = seconds
        self._said_at = time.monotonic()
        self._said: list[bytes] = []
        self._is_interrupted = self._is_late = False
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._hand_on)
        supervised.hear_signals()

    def _hand_on(self, number: int, frame: FrameType | None) -> None:
        self._is_interrupted = True
        self._child.signal(number)

    def code(self) -> int:
        ended = self._await_end()
        if self._said and self._said[-1].startswith(_ENDS):
            return int(self._said[-1].removeprefix(_ENDS))
        if self._is_interrupted and ended in (INTERRUPTED, *(-number for number in SIGNALS)):
            return INTERRUPTED
        files = [os.fsdecode(line.removeprefix(_LOADS)) for line in self._said if line.startswith(_LOADS)]
        code, sentence = _judge(ended, files[-1] if files else None)
        if self._is_late:
            sentence = f"undetermined: {files[-1]} was not imported after {self._seconds:g} seconds."
        with suppress(OSError):
            os.write(2, f"isrcheck: {sentence}\n".encode(errors="replace"))
        return code

    def _await_end(self) -> int:
        """Wait until the other process has ended, by itself or because an import took too long; return how."""
        while True:
            ended = self._child.code()
            if messages := list(self._child.messages(0.0 if ended is not None else _POLL_SECONDS)):
                self._said += messages
                self._said_at = time.monotonic()
            if ended is not None:
                return ended
            if self._seconds is not None and self._is_loading and not self._is_late:
                self._is_late = time.monotonic() > self._said_at + self._seconds + _PATIENCE_SECONDS
                if self._is_late:
                    self._child.signal(signal.SIGKILL)

    @property
    def _is_loading(self) -> bool:
        return bool(self._said) and self._said[-1].startswith(_LOADS)


def _judge(ended: int, file: str | None) -> tuple[int, str]:
    if ended < 0 or file is None:
        bytes_ = address_space_limit() if ended < 0 else None
        limit = "" if bytes_ is None else f"; it may use {bytes_ >> 20:,} MiB of address space (ulimit -v)"
        return _UNDETERMINED, f"undetermined: the process of this command {how_it_ended(ended)}{limit}."
    return _MODEL_ERROR, (
        f"{file}: the process ended with exit code {ended} and did not say that the command was complete; there is no "
        "verdict.\n  A file that is checked may not end the process (sys.exit, os._exit, os.exec...), nor close files "
        "that it did not open: take the call out."
    )


def address_space_limit() -> int | None:
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit
