"""A search begins with code that is soon compiled, and goes on with optimized code if it lasts."""

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from isrcheck.engines.native.compile import Code, Effort, keep, optimize
from isrcheck.engines.native.compiling_process import CompilingProcess
from isrcheck.engines.native.lowered import Lowered, read_lowered
from isrcheck.engines.native.machine import Machine

# Characters of a provisional text below which optimizing takes less than 0.3 s, most of it for the kernel.
_SHORT = 250_000
_PATIENCE = 0.1  # of the seconds that optimizing will take


def is_short(provisional: Lowered) -> bool:
    """Whether it is soon optimized: at once, if an earlier search lasted long enough to be worth that."""
    return len(provisional.ir) <= _SHORT


def _seconds(ir: str) -> float:
    """The seconds of optimizing, about: 0.5 for kip-320 at four replicas (0.4 million characters), 5 for KRaft (4)."""
    return 1.3 * len(ir) / 1e6


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
        super().__init__(provisional.program, provisional.ir, Effort.PROVISIONAL, meanwhile)
        self._lasts = lasts
        self._provisional, self._pickled, self._keep = provisional, pickled, keep
        self._after = _PATIENCE * _seconds(provisional.ir)
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
            better = self._provisional.for_optimizer()
            keep(better.ir, code)
            self._keep(better)

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


class OptimizingProcess(CompilingProcess):
    """Another process that optimizes: in this one nothing else could be compiled meanwhile, and nobody could end it."""

    def __init__(self, pickled: bytes) -> None:
        """Start the process; raises OSError if none can be started."""
        super().__init__(pickled, f"{__name__}:optimize_file")


def optimize_file() -> None:
    """Optimize in the other process, whose arguments name the files of the program and of the code."""
    source, target = map(Path, sys.argv[1:])
    target.write_bytes(optimize(read_lowered(source.read_bytes()).for_optimizer().ir))
