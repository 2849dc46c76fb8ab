"""A process under supervision: how it starts, what it says, and what its end means.

The child ends with its parent. Each message carries a token that only the two know. Work has succeeded only if a
message says so: a user's file may end the child with any exit code.
"""

import os
import select
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from isrcheck.process.interrupt import SIGNALS, shield, withdraw

_READ_BYTES, _TOKEN_BYTES, _SIZE_BYTES = 1 << 16, 16, 8  # what a pipe holds; parts of a message
_LOOK_SECONDS = 0.05  # between looks: a pipe may stay open
_END_SECONDS = 0.002  # between them, once its pipe is closed
_GRACE_SECONDS = 1.0  # to end by itself


class Channel:
    """The child's end of the pipe."""

    def __init__(self, pipe: int, token: bytes) -> None:
        self._pipe = pipe
        self._token = token
        self._process = os.getpid()

    def say(self, message: bytes) -> None:
        """Tell the parent; silent in a process of the child's, and after the pipe is closed."""
        if os.getpid() != self._process:
            return
        rest = memoryview(self._token + len(message).to_bytes(_SIZE_BYTES, "little") + message)
        with suppress(OSError):
            while rest:
                rest = rest[os.write(self._pipe, rest) :]


class Child:
    """The parent's end of the pipe."""

    def __init__(self, process: int, pipe: int, lifeline: int, token: bytes) -> None:
        self._process, self._pipe, self._lifeline, self._token = process, pipe, lifeline, token
        self._heard = bytearray()
        self._code: int | None = None
        self.is_silent = False  # nothing more can come
        os.set_blocking(pipe, False)

    def fileno(self) -> int:
        """The pipe of the child's messages, which `select` can wait for."""
        return self._pipe

    def messages(self, seconds: float = 0.0) -> Iterator[bytes]:
        """Yield the messages of the child since the last call, after waiting at most so long."""
        if self.is_silent:
            time.sleep(min(seconds, _END_SECONDS))
        else:
            select.select([self], [], [], seconds)
            with suppress(BlockingIOError):
                while data := os.read(self._pipe, _READ_BYTES):
                    self._heard += data
                self.is_silent = True
        head = _TOKEN_BYTES + _SIZE_BYTES
        while len(self._heard) >= head and self._heard.startswith(self._token):
            end = head + int.from_bytes(self._heard[_TOKEN_BYTES:head], "little")
            if len(self._heard) < end:
                return
            message = bytes(self._heard[head:end])
            del self._heard[:end]
            yield message

    def next_message(self, seconds: float) -> bytes | None:
        """The first message; None if there is none for so long."""
        until = time.monotonic() + seconds
        while True:
            is_over = self.code() is not None or self.is_silent
            left = until - time.monotonic()
            for message in self.messages(0.0 if is_over else max(0.0, min(left, _LOOK_SECONDS))):
                return message
            if is_over or left <= 0:
                return None

    def code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self._code is None:
            process, status = os.waitpid(self._process, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if process else None
        return self._code

    def wait(self) -> int:
        while (code := self.code()) is None:
            time.sleep(_END_SECONDS)
        return code

    def signal(self, number: int) -> None:
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self._process, number)

    def kill_group(self) -> None:
        """Kill the group of processes that a child leads: the child, and what it has started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process, signal.SIGKILL)

    def kill(self) -> int:
        """End it, whatever it is doing, and forget it. Returns how it ended."""
        until = time.monotonic() + (_GRACE_SECONDS if self.is_silent else 0.0)
        while self.code() is None and time.monotonic() < until:
            time.sleep(_END_SECONDS)
        if self.code() is None:
            self.signal(signal.SIGKILL)
        code = self.wait()
        for end in (self._pipe, self._lifeline):
            with suppress(OSError):
                os.close(end)
        self._pipe = self._lifeline = -1
        self.is_silent = True
        return code


@shield  # a signal that another thread takes must not leave what libraries do around a fork, such as unlock their locks
def fork() -> Child | Channel:
    """The child in this process, the channel in the child; signals wait until `hear_signals`."""
    heard, says = os.pipe()
    held, lifeline = os.pipe()
    token = os.urandom(_TOKEN_BYTES)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    with warnings.catch_warnings():
        # This process may have threads, a spinner's or a test runner's; the new one uses none of their locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if process:
        os.close(says)
        os.close(held)
        return Child(process, heard, lifeline, token)
    withdraw(BaseException)  # a signal that came before the fork is its parent's
    os.close(heard)
    os.close(lifeline)
    end_with_parent(held)
    return Channel(says, token)


def hear_signals() -> None:
    """Unblock signals after `fork`, when each process has the handlers that it wants."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def end_with_parent(held: int) -> None:
    """End this process when its parent closes the other end of a pipe, or has ended."""
    with suppress(RuntimeError):  # no memory for a thread; the work goes on without it
        threading.Thread(target=_await_end, args=(held,), name="isrcheck parent", daemon=True).start()


def _await_end(held: int) -> None:
    os.read(held, 1)  # nothing is ever written: it returns when the parent closes its end, or has ended
    os._exit(1)


@shield
def _fork_deaf() -> Child | Channel:
    """Fork, and ignore signals in the child."""
    started = fork()
    if isinstance(started, Channel):
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
    hear_signals()
    return started


def start(work: Callable[[Channel], object]) -> Child:
    """Do the work in a child, which leaves signals to its parent."""
    started = _fork_deaf()
    if isinstance(started, Child):
        return started
    code = 1
    try:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - it stays open
        work(started)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def how_it_ended(code: int | None) -> str:
    """The end of a process that gave no answer, in words."""
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        return f"was killed ({name}{': out of memory, or by somebody' if name == 'SIGKILL' else ''})"
    return f"ended with exit code {code} and no answer"
