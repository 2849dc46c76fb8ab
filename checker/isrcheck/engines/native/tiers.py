"""A search begins with code that is soon compiled, and goes on with optimized code if it lasts."""

from collections.abc import Callable
from contextlib import suppress

from isrcheck.engines.native.compile import Effort, OptimizingProcess
from isrcheck.engines.native.lowered import Lowered
from isrcheck.engines.native.machine import Machine

# Characters of a provisional text below which optimizing takes less than 0.3 s, most of it for the kernel.
_SHORT = 250_000
_PATIENCE = 0.1  # of the seconds that optimizing will take


def is_worth_it(provisional: Lowered) -> bool:
    """Whether a search should begin with it."""
    return len(provisional.text) > _SHORT


def _seconds(text: str) -> float:
    """That optimizing takes, about: 1.3 for kip-320 (0.5 million characters), 27 for KRaft's election (3.7 million)."""
    millions = len(text) / 1e6
    return 1.5 * millions * (1 + millions)


class TieredMachine(Machine):
    """`optimized` writes the same program for the optimizer; `keep` has later runs begin with that."""

    def __init__(
        self,
        provisional: Lowered,
        optimized: Callable[[], Lowered],
        keep: Callable[[Lowered], object],
        meanwhile: Callable[[], object],
    ) -> None:
        super().__init__(provisional.program, provisional.text, Effort.PROVISIONAL, meanwhile)
        self._optimized, self._keep = optimized, keep
        self._after = _PATIENCE * _seconds(provisional.text)
        self._process: OptimizingProcess | None = None
        self._lowered: Lowered | None = None

    def poll(self, seconds: float) -> None:
        if self._lowered is None and seconds >= self._after:
            self._lowered = self._optimized()
            with suppress(OSError):  # where no process can be started the search goes on as it is
                self._process = OptimizingProcess(self._lowered.text)
        elif self._process is not None and self._lowered is not None and (code := self._process.code()) is not None:
            self.load(code)
            self.close()
            self._keep(self._lowered)

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None
