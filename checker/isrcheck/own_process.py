"""A process of its own for a command that runs a user's file: it has succeeded only if it says so itself.

A file can end the process that imports it, with any exit code and at any time. It cannot end this one, which waits, and
hears over a pipe what the command has to say: a file that ends the process ends it unheard (docs/adr/015).
"""

import os
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from isrcheck.engines.interrupt import INTERRUPTED, SIGNALS, listen

_UNDETERMINED, _MODEL_ERROR = 20, 75
_MOST_BYTES = 1 << 16  # of what a command says: what a pipe holds
_LOADS = b"loads "
_POLL_SECONDS = 0.05
_PATIENCE_SECONDS = 0.5  # beyond the limit, for the command to end an import by itself


class Command:
    """The command in its new process: which files it loads, and how it ends."""

    def __init__(self, says: int, token: str) -> None:
        self._says, self._token, self._process = says, token, os.getpid()

    def loads(self, file: Path) -> None:
        """Tell which file is about to be imported."""
        self._say(_LOADS + os.fsencode(file).replace(b"\n", b"?"))

    def loaded(self, file: Path) -> None:
        """Tell that it was."""
        self._say(b"loaded " + os.fsencode(file).replace(b"\n", b"?"))

    def end(self, code: int) -> NoReturn:
        """The command is complete, and everything is written. Nothing of the file's runs after this."""
        self._say(_complete(self._token, code))
        os._exit(code)

    def _say(self, line: bytes) -> None:
        if os.getpid() == self._process:  # and not a process that the file made
            with suppress(OSError):  # the file closed it
                os.write(self._says, line + b"\n")


def _complete(token: str, code: int) -> bytes:
    return f"ends {token} {code}".encode()


def begin(seconds: float | None = None) -> Command:
    """Go on in a new process. This one waits for it, and ends with the exit code that it says.

    A file of which the import has not ended after so many seconds, if there is a limit, is ended from here.
    """
    heard, says = os.pipe()
    held, watched = os.pipe()
    token = os.urandom(16).hex()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    process = os.fork()
    if process:
        os.close(says)
        os.close(held)
        os._exit(_Waiting(process, heard, token, seconds).code())
    listen()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    os.close(heard)
    os.close(watched)
    with suppress(RuntimeError):  # no memory for a thread; the command goes on without it
        threading.Thread(target=die_with_parent, args=(held,), name="isrcheck parent", daemon=True).start()
    return Command(says, token)


def how_it_would_end(work: Callable[[], object]) -> str | None:
    """Work in a process that is thrown away: None if it comes to its end or raises, else how it ends the process."""
    heard, says = os.pipe()
    with warnings.catch_warnings():
        # This process may have threads, a test runner's; the new one uses none of their locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if not process:
        own = os.getpid()
        with suppress(BaseException):
            work()
        if os.getpid() == own:
            os.write(says, b"x")
        os._exit(0)
    os.close(says)
    _, status = os.waitpid(process, 0)
    os.set_blocking(heard, False)
    with suppress(BlockingIOError):
        if os.read(heard, 1):
            os.close(heard)
            return None
    os.close(heard)
    return how_it_ended(os.waitstatus_to_exitcode(status))


def die_with_parent(held: int) -> None:
    """End this process when the other end of a pipe is closed: by its owner, or by the owner's death."""
    os.read(held, 1)
    os._exit(1)


class _Waiting:
    """The first process: it hands signals on, and judges how the other one ended."""

    def __init__(self, process: int, heard: int, token: str, seconds: float | None) -> None:
        self._process, self._heard, self._token, self._seconds = process, heard, token, seconds
        self._until = None if seconds is None else time.monotonic() + seconds + _PATIENCE_SECONDS
        self._said = b""
        self._is_interrupted = self._is_late = False
        os.set_blocking(heard, False)
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._hand_on)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def _hand_on(self, number: int, frame: FrameType | None) -> None:
        self._is_interrupted = True
        with suppress(ProcessLookupError):
            os.kill(self._process, number)

    def code(self) -> int:
        """The exit code of the command, once its process has ended."""
        status = self._status()
        said = self._listened()
        for code in range(256):
            if said and said[-1] == _complete(self._token, code):
                return code
        ended = os.waitstatus_to_exitcode(status)
        if self._is_interrupted and ended in (INTERRUPTED, *(-number for number in SIGNALS)):
            return INTERRUPTED
        files = [os.fsdecode(line.removeprefix(_LOADS)) for line in said if line.startswith(_LOADS)]
        code, sentence = _judged(ended, files[-1] if files else None)
        if self._is_late:
            sentence = f"undetermined: {files[-1]} was not imported after {self._seconds:g} seconds."
        with suppress(OSError):
            os.write(2, f"isrcheck: {sentence}\n".encode(errors="replace"))
        return code

    def _status(self) -> int:
        """How the other process ended, by itself or because the import of a file took too long."""
        while True:
            process, status = os.waitpid(self._process, 0 if self._until is None else os.WNOHANG)
            if process:
                return status
            said = self._listened()
            if self._until is not None and time.monotonic() >= self._until:
                self._until = None
                if said and said[-1].startswith(_LOADS):
                    self._is_late = True
                    os.kill(self._process, signal.SIGKILL)
            time.sleep(_POLL_SECONDS)

    def _listened(self) -> list[bytes]:
        """What was said up to now."""
        with suppress(OSError):  # nothing was said
            self._said += os.read(self._heard, _MOST_BYTES)
        return self._said.splitlines()


def _judged(ended: int, file: str | None) -> tuple[int, str]:
    """The exit code, and a sentence, for a process that ended without a word."""
    if ended < 0:
        return _UNDETERMINED, f"undetermined: the process of this command {how_it_ended(ended)}{_limit()}."
    if file is None:
        return _UNDETERMINED, f"undetermined: the process of this command {how_it_ended(ended)}."
    return _MODEL_ERROR, (
        f"{file}: the process ended with exit code {ended} and did not say that the command was complete; there is no "
        "verdict.\n  A file that is checked may not end the process (sys.exit, os._exit, os.exec...), nor close files "
        "that it did not open: take the call out."
    )


def how_it_ended(code: int | None) -> str:
    """The end of a process that gave no answer, in words: `was killed (SIGKILL: ...)`."""
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        return f"was killed ({name}{': out of memory, or by somebody' if name == 'SIGKILL' else ''})"
    return f"ended with exit code {code} and no answer"


def _limit() -> str:
    limit = address_space_limit()
    return "" if limit is None else f"; it may use {limit >> 20:,} MiB of address space (ulimit -v)"


def address_space_limit() -> int | None:
    """The bytes of address space that this process may use; None for no limit."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit
