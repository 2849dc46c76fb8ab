"""One Java process of a cluster."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from isrcheck.errors import IsrcheckError

_LEAN = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Djava.net.preferIPv4Stack=true")
_STOP_SECONDS = 60
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class ClusterError(IsrcheckError):
    """A cluster did not do what was asked of it."""


@contextmanager
def folder_aside() -> Iterator[tuple[Path, Callable[[str], object]]]:
    """Yield a folder that is removed at the end unless an error names it, and a function to tell of further errors."""
    folder, texts = Path(tempfile.mkdtemp(prefix="isrbrokers-")), list[str]()
    try:
        yield folder, texts.append
    except ClusterError as error:
        texts.append(str(error))
        raise
    finally:
        if str(folder) not in "\n".join(texts):
            shutil.rmtree(folder, ignore_errors=True)


@dataclass
class JavaProcess:
    """A process, with the port that it opens once it serves."""

    name: str
    folder: Path
    port: int
    command: Sequence[str]
    started: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin; output goes to FOLDER/stdout.log."""
        if self.is_up():
            return
        with (self.folder / "stdout.log").open("ab") as output:
            self.started = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # an interrupt of ours is not the broker's
            )

    def is_up(self) -> bool:
        """Whether it runs, paused or not."""
        return self.started is not None and self.started.poll() is None

    def wait_until_it_listens(self, seconds: float = 300) -> None:
        """Wait until the node listens. Raises ClusterError if it does not in time, or has ended."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.is_up():
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.5).close()
                return
            except OSError:
                time.sleep(0.1)
        raise ClusterError(f"{self.name} does not listen on port {self.port}: see {self.folder / 'stdout.log'}")

    def wait_until_it_ends(self, meanwhile: Callable[[], object], seconds: float = _STOP_SECONDS) -> None:
        """Wait until the process ends. Raises ClusterError if it does not in time."""
        until = time.monotonic() + seconds
        while self.is_up():
            if time.monotonic() > until:
                raise ClusterError(f"{self.name} did not stop within {seconds:g} seconds")
            meanwhile()
            time.sleep(0.05)

    def signal(self, number: signal.Signals, wait: bool = True) -> None:
        """SIGSTOP pauses and SIGCONT resumes; SIGTERM and SIGKILL end the process, for which this waits."""
        if self.started is None or not self.is_up():
            return
        os.kill(self.started.pid, number)
        if wait and number in (signal.SIGTERM, signal.SIGKILL):
            try:
                self.started.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.started.kill()
                self.started.wait()


@contextmanager
def end_before_us(processes: Iterable[JavaProcess]) -> Iterator[None]:
    """Kill these processes before a signal that ends us: they are in sessions of their own, and would go on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {int(number): handler for number in _ENDING if (handler := signal.getsignal(number)) != signal.SIG_IGN}

    def end(number: int, frame: FrameType | None) -> None:
        for process in processes:
            process.signal(signal.SIGKILL, wait=False)
        handler = before[number]
        if not callable(handler):
            raise SystemExit(128 + number)
        handler(number, frame)

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def java(program: str, jars: Path, main: str, *arguments: str, heap: str, options: Sequence[str] = ()) -> list[str]:
    """The command line of a Java program with a small heap."""
    return [program, f"-Xmx{heap}", *_LEAN, *options, "-cp", f"{jars}/*", main, *arguments]
