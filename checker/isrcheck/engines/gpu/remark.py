"""The remark that a GPU is there, in a search by the native engine that takes long."""

from collections.abc import Callable
from pathlib import Path

from isrcheck.engines.contract import Progress, Request
from isrcheck.ir.frozen import replace

AFTER_SECONDS = 10.0  # of search: a shorter one gains nothing, for a GPU's kernels are compiled first
REMARK = "This machine has a GPU of NVIDIA's: --engine gpu may search this much faster (docs/gpu.md)."


def suits_gpu(request: Request, engine: str) -> bool:
    """Whether the gpu engine could search what the native engine is asked."""
    return engine == "native" and not (request.symmetry or request.disk or request.temporal or request.visited)


def is_gpu_here() -> bool:
    """Whether a driver of NVIDIA's has made a device file; nothing is loaded."""
    return any(Path("/dev").glob("nvidia[0-9]*"))


class GpuRemark:
    """Progress that is handed on, once with the remark, if a GPU is there when the search has taken so long."""

    def __init__(self, tell: Callable[[Progress], object]) -> None:
        self._tell, self._is_due = tell, True

    def __call__(self, progress: Progress) -> None:
        if self._is_due and not progress.phase and progress.seconds >= AFTER_SECONDS:
            self._is_due = False
            if is_gpu_here():
                progress = replace(progress, remark=REMARK)
        self._tell(progress)
