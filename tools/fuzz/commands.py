"""Commands of isrcheck in forked processes, which have its modules already, and what each said."""

import contextlib
import json
import os
import pickle
import re
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
DOCUMENTED = frozenset((0, 2, 10, 11, 12, 13, 20, 21, 22, 75))
SLOW = -1  # no exit code: ended by the fuzzer


class Ending:
    """How a command ended: its exit code, its outcome in JSON if there is one, and what it printed."""

    def __init__(self, words: Sequence[str], code: int, printed: str, outcome: dict[str, Any] | None) -> None:
        self.words, self.code, self.printed, self.outcome = list(words), code, printed, outcome

    @property
    def fault(self) -> str:
        """The fault of the ending itself, whatever the model: empty if there is none."""
        if self.code == SLOW:
            return ""
        if "Traceback (most recent call last)" in self.printed:
            last = [line for line in self.printed.splitlines() if re.match(r"[\w.]+(Error|Exception)\b|\w+: ", line)]
            return f"traceback {last[-1].split(':')[0] if last else ''}"
        if self.code not in DOCUMENTED:
            return f"exit {self.code}"
        return ""

    @property
    def verdicts(self) -> dict[str, tuple[str, int | None]]:
        """The verdict of each property with the length of its trace."""
        listed = (self.outcome or {}).get("properties", [])
        return {p["name"]: (p["verdict"], (p.get("trace") or {}).get("length")) for p in listed}


def run_command(words: Sequence[str], seconds: float) -> Ending:
    """Run `isrcheck WORDS --json FILE`, killed after so many seconds; return how it ended."""
    with tempfile.TemporaryDirectory(prefix="isrcheck-fuzz-run-") as folder:
        log, file = Path(folder, "log"), Path(folder, "outcome.json")
        code = _run_forked([*words, "--json", str(file)], log, seconds)
        printed = log.read_text(encoding="utf-8", errors="replace")
        outcome = None
        if file.exists():
            with contextlib.suppress(ValueError):
                outcome = json.loads(file.read_text(encoding="utf-8"))
        return Ending(words, code, printed, outcome)


def _run_forked(words: list[str], log: Path, seconds: float) -> int:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _call(words, log)
    status = _wait(child, seconds)
    if status is None:
        return SLOW
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _call(words: list[str], log: Path) -> None:
    """The child: never returns."""
    code = 70
    try:
        os.setpgid(0, 0)
        sink = os.open(log, os.O_WRONLY | os.O_CREAT)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        sys.argv = ["isrcheck", *words]
        from isrcheck.cli import main

        _emulate_gpu()
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 70
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _emulate_gpu() -> None:
    """Have this processor play the GPU that few machines have, in the child alone."""
    from tools.gpu.emulator import search

    from isrcheck.engines.gpu import engine

    vars(engine)["search"] = search


def _wait(child: int, seconds: float) -> int | None:
    """Return a child's status; None if it was killed, with its children, after so many seconds."""
    ends = time.monotonic() + seconds
    pause = 0.002
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(pause)
        pause = min(0.05, pause * 1.5)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def run_in_process(work: Callable[[], T], seconds: float) -> T | None:
    """The answer of work in a process of its own; None after so many seconds. Raises its error as RuntimeError."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.setpgid(0, 0)
            os.close(source)
            try:
                answer: tuple[bool, Any] = (True, work())
            except BaseException as error:
                answer = (False, f"{type(error).__name__}: {error}")
            with os.fdopen(sink, "wb") as stream:
                pickle.dump(answer, stream)
        os._exit(0)
    os.close(sink)
    ready, _, _ = select.select([source], [], [], seconds)
    with os.fdopen(source, "rb") as stream:
        if not ready:
            os.killpg(child, signal.SIGKILL)
        answered = stream.read() if ready else b""
    os.waitpid(child, 0)
    if not answered:
        return None
    good, value = pickle.loads(answered)
    if not good:
        raise RuntimeError(value)
    result: T = value
    return result


@contextlib.contextmanager
def slots_everywhere() -> Iterator[None]:
    """Keep every set and map of a model in slots, and only one to begin with, however few elements it may have."""
    from isrcheck.ir import slots

    changed: dict[str, Any] = {"FEW": 0, "FEW_READ": 0, "FIRST_SLOTS": 1, "masks_are_less": lambda of, count: False}
    before = {name: getattr(slots, name) for name in changed}
    vars(slots).update(changed)
    try:
        yield
    finally:
        vars(slots).update(before)


def load_isrcheck() -> None:
    """Import what forked commands need, once."""
    import tools.gpu.emulator  # noqa: F401  # and what plays a GPU

    import isrcheck.cli
    import isrcheck.commands.check
    import isrcheck.commands.prove
    import isrcheck.engines.native.engine
    import isrcheck.engines.reference
    import isrcheck.run.deciding  # noqa: F401  # so that forked processes have them
