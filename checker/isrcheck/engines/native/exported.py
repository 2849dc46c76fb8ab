"""The kernel's functions that Python calls, and the modules that the kernel of a program has besides."""

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from isrcheck.engines.native.program import Program

_ALWAYS = (
    "advance", "examine", "refill", "mark_target_states", "trace_back", "digest", "insert_initial", "follow",
    "canonicalize", "locate", "wander", "link", "report_targets", "recount", "expand_next",
)  # fmt: skip


def optional(program: Program) -> tuple[ModuleType, ...]:
    """The modules that a program's kernel has besides."""
    return tuple(import_module(f"isrcheck.engines.native.{name}") for name in _optional(program))


def _optional(program: Program) -> Iterator[str]:
    if program.exchanging:
        yield "kernel.exchange"
    if program.sorting:
        yield "disk.kernel"
    if program.observing:
        yield "behaviours.steps"


def kernel_functions(program: Program) -> tuple[str, ...]:
    """The functions that a program's code has."""
    return (*_ALWAYS, *(name for module in optional(program) for name in module.EXPORTED))
