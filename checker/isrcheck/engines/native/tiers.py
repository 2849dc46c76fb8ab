"""A search begins with code that is soon compiled, and goes on with optimized code if it lasts."""

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from isrcheck.engines.native.compile import Code, Effort, keep, optimized
from isrcheck.engines.native.compiling_process import CompilingProcess
from isrcheck.engines.native.lowered import Lowered, unpickled
from isrcheck.engines.native.machine import Machine

# Characters of a provisional text below which optimizing takes less than 0.3 s, most of it for the kernel.
_SHORT = 250_000
_PATIENCE = 0.1  # of the seconds that optimizing will take


def is_short(provisional: Lowered) -> bool:
    """Whether it is soon optimized: at once, if an earlier search lasted long enough to be worth that."""
    return len(provisional.text) <= _SHORT


def _seconds(text: str) -> float:
    """That optimizing takes, about: 1.3 for kip-320 (0.5 million characters), 27 for KRaft's election (3.7 million)."""
    millions = len(text) / 1e6
    return 1.5 * millions * (1 + millions)


class TieredMachine(Machine):
    """`pickled` is its program for another process, which optimizes; `keep` has later runs begin with that.

    `lasts` is told when a search goes on for so long that it optimizes.
    """

    def __init__(
        self,
        provisional: Lowered,
        pickled: Callable[[], bytes],
        keep: Callable[[Lowered], object],
        meanwhile: Callable[[], object],
        lasts: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(provisional.program, provisional.text, Effort.PROVISIONAL, meanwhile)
        self._lasts = lasts
        self._provisional, self._pickled, self._keep = provisional, pickled, keep
        self._after = _PATIENCE * _seconds(provisional.text)
        self._process: OptimizingProcess | None = None
        self._has_begun = False

    def poll(self, seconds: float) -> None:
        if not self._has_begun and seconds >= self._after:
            self._has_begun = True
            self._lasts()
            with suppress(OSError):  # where no process can be started the search goes on as it is
                self._process = OptimizingProcess(self._pickled())
        elif self._process is not None and (code := self._process.code()) is not None:
            self.load(Code(code))
            self.close()
            better = self._provisional.optimized()
            keep(better.text, code)
            self._keep(better)

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


class OptimizingProcess(CompilingProcess):
    """Another process that optimizes: in this one nothing else could be compiled meanwhile, and nobody could end it."""

    def __init__(self, pickled: bytes) -> None:
        """Raises OSError if none can be started."""
        super().__init__(pickled, f"{__name__}:optimize_file")


def optimize_file() -> None:
    """For the other process: program and code are named by its arguments."""
    source, made = map(Path, sys.argv[1:])
    made.write_bytes(optimized(unpickled(source.read_bytes()).optimized().text))
