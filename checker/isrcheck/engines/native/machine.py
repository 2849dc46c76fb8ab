"""A compiled model: the kernel's functions and records as Python sees them."""

import ctypes
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from types import ModuleType
from typing import Any

from isrcheck.engines.common.targets import At
from isrcheck.engines.native import dialect
from isrcheck.engines.native import translate as translation
from isrcheck.engines.native.behaviours import steps
from isrcheck.engines.native.codegen import Program, mark_bits, program
from isrcheck.engines.native.compile import Code, Effort, compiled
from isrcheck.engines.native.disk import kernel as sorted_states
from isrcheck.engines.native.kernel import exchange, levels, records, states, stubborn, table, units, walks
from isrcheck.engines.native.lanes import BATCH
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.user_cache import user_cache

KERNEL = (records, units, states, table, levels, walks)
EXPORTED = (
    "advance", "examine", "refill", "aim", "trace_back", "digest", "insert_initial", "follow", "canonicalize", "locate",
    "wander", "link", "weigh", "admit", "recount", "expand_next",
)  # fmt: skip
CONSTANTS = (
    "WORDS",
    "INSTANCES",
    "ACTIONS",
    "TARGETS",
    "STATE_TARGETS",
    "BATCH",
    "SYMMETRIC",
    "CONSTRAINED",
    "KEY",
    "OWN",
    "VIEWED",
    "SETS",
)


def record_type(declared: type) -> type[ctypes.Structure]:
    fields = [(name, ctypes.c_uint64) for name in inspect.get_annotations(declared)]
    return type(declared.__name__, (ctypes.Structure,), {"_fields_": fields})


RunRecord = record_type(records.Run)
WorkerRecord = record_type(records.Worker)

Function = Callable[[Any, Any], int]


class Machine:
    """`meanwhile` is done while it is compiled."""

    def __init__(
        self,
        program: Program,
        text: str,
        effort: Effort = Effort.OPTIMIZED,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        self.program = program
        self.mark_bytes = mark_bits(program.actions) // 8
        self.largest_batch = BATCH * max(program.instances, 1)
        self._more: dict[str, Any] = {}
        self.load(compiled(text, effort, meanwhile=meanwhile))

    def load(self, code: Code) -> None:
        """Code of the same program, between two calls."""
        self._code = code
        self._functions = _functions(code, _exported(_optional(self.program)))

    def extend(self, text: str, names: Sequence[str]) -> None:
        """With functions that call the program's own by address."""
        self._extension = compiled(text, poll=lambda: None)
        self._more = _functions(self._extension, names)

    def address(self, name: str) -> int:
        """Of a function of the code that is loaded now."""
        return self._code.address(name)

    def function(self, name: str) -> Function:
        """Runs without Python's lock."""
        call = self._functions.get(name) or self._more[name]
        return lambda run, worker: call(ctypes.byref(run), ctypes.byref(worker))

    def poll(self, seconds: float) -> None:
        """A search has lasted so long, and calls no function now."""

    def close(self) -> None:
        """At the end of a search."""


def _functions(code: Code, names: Sequence[str]) -> dict[str, Any]:
    kind = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)
    return {name: kind(code.address(name)) for name in names}


def _optional(program: Program) -> tuple[ModuleType, ...]:
    """What a program's kernel has besides."""
    chosen = (
        (program.exchanging, exchange),
        (program.sorting, sorted_states),
        (program.observing, steps),
        (program.reduction, stubborn),
    )
    return tuple(module for is_chosen, module in chosen if is_chosen)


def _exported(optional: Iterable[ModuleType]) -> tuple[str, ...]:
    return (*EXPORTED, *(name for module in optional for name in module.EXPORTED))


@cache
def _kernel_text(mark: str, optional: tuple[ModuleType, ...]) -> str:
    """With {NAME} for each of the model's constants; kept by its sources, since translating takes 0.06 s."""
    modules = (*KERNEL, *optional)
    sources = map(inspect.getsource, (*modules, dialect, translation))
    key = "\n".join((mark, sys.version, *CONSTANTS, *sources))
    cache, name = user_cache(), f"{hashlib.sha256(key.encode()).hexdigest()}.ll"
    if (kept := cache.get(name)) is not None:
        return kept.decode()
    constants = {constant: f"{{{constant}}}" for constant in CONSTANTS}
    text = translation.translate(modules, constants, {"Marks": mark}, set(_exported(optional)))
    cache.put(name, text.encode())
    return text


def text_of(program: Program) -> str:
    of_states = sum(each.kind is At.STATE for each in program.targets)
    sizes = (program.words, program.instances, program.actions, len(program.targets), of_states)
    words = (program.key or program.words, program.words - program.key, int(program.key > 0))
    sets = program.reduction.row_words if program.reduction else 1
    values = (*sizes, BATCH, int(program.symmetric), int(program.constrained), *words, sets)
    kernel = _kernel_text(f"U{mark_bits(program.actions)}s", _optional(program))
    for name, value in zip(CONSTANTS, values, strict=True):
        kernel = kernel.replace(f"{{{name}}}", str(value))
    declarations = sorted(program.declarations | translation.DECLARATIONS)
    return "\n".join([program.text, kernel, *declarations, ""])


def machine(system: ScalarSystem, names: Sequence[str]) -> Machine:
    made = program(system, names)
    return Machine(made, text_of(made))
