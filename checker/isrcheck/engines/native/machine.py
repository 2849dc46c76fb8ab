"""A compiled model: the kernel's functions and records as Python sees them."""

import ctypes
import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from isrcheck.engines.common.targets import At
from isrcheck.engines.native.codegen import Program, mark_bits, program
from isrcheck.engines.native.compile import compiled
from isrcheck.engines.native.kernel import exchange, levels, records, states, table, walks
from isrcheck.engines.native.lanes import BATCH
from isrcheck.engines.native.translate import DECLARATIONS, translate
from isrcheck.ir.scalar import ScalarSystem

KERNEL = (records, states, table, levels, walks)
EXPORTED = (
    "advance", "examine", "refill", "aim", "trace_back", "digest", "insert_initial", "follow", "canonicalize", "locate",
    "wander", "link", "weigh", "admit", "recount",
)  # fmt: skip


def _record(declared: type) -> type[ctypes.Structure]:
    fields = [(name, ctypes.c_uint64) for name in inspect.get_annotations(declared)]
    return type(declared.__name__, (ctypes.Structure,), {"_fields_": fields})


RunRecord = _record(records.Run)
WorkerRecord = _record(records.Worker)

Function = Callable[[Any, Any], int]


class Machine:
    """In haste, compiled but not kept."""

    def __init__(self, program: Program, text: str, hasty: bool = False) -> None:
        self.program = program
        self.mark_bytes = mark_bits(program.actions) // 8
        self.largest_batch = BATCH * max(program.instances, 1)
        self._code = compiled(text, hasty)
        kind = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)
        self._functions = {name: kind(self._code.address(name)) for name in _exported(program.exchanging)}

    def function(self, name: str) -> Function:
        """Runs without Python's lock."""
        call = self._functions[name]
        return lambda run, worker: call(ctypes.byref(run), ctypes.byref(worker))


def _exported(exchanging: bool) -> tuple[str, ...]:
    return (*EXPORTED, *exchange.EXPORTED) if exchanging else EXPORTED


@cache
def _kernel_text(constants: tuple[tuple[str, int], ...], mark: str, exchanging: bool) -> str:
    modules = (*KERNEL, exchange) if exchanging else KERNEL
    return translate(modules, dict(constants), {"Marks": mark}, set(_exported(exchanging)))


def text_of(program: Program) -> str:
    constants = (
        ("WORDS", program.words),
        ("INSTANCES", program.instances),
        ("ACTIONS", program.actions),
        ("TARGETS", len(program.targets)),
        ("STATE_TARGETS", sum(each.kind is At.STATE for each in program.targets)),
        ("BATCH", BATCH),
        ("SYMMETRIC", int(program.symmetric)),
    )
    kernel = _kernel_text(constants, f"U{mark_bits(program.actions)}s", program.exchanging)
    declarations = sorted(program.declarations | DECLARATIONS)
    return "\n".join([program.text, kernel, *declarations, ""])


def machine(system: ScalarSystem, names: Sequence[str]) -> Machine:
    made = program(system, names)
    return Machine(made, text_of(made))
