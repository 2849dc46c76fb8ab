"""A compiled model: the kernel's functions and records as Python sees them."""

import ctypes
import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from isrcheck import budget
from isrcheck.engines.common.targets import At
from isrcheck.engines.native.batch import BATCH
from isrcheck.engines.native.codegen import Program, mark_bits, program
from isrcheck.engines.native.compile import Code, compiled
from isrcheck.engines.native.kernel import (
    digest,
    exchange,
    graph,
    insertion,
    kept,
    levels,
    records,
    single,
    states,
    table,
    walks,
)
from isrcheck.engines.native.translate import DECLARATIONS, translate
from isrcheck.ir.scalar import ScalarSystem

KERNEL = (records, states, insertion, levels, kept, table, graph, digest, single, walks)
EXPORTED = (
    "advance", "examine", "refill", "aim", "trace_back", "digest", "insert_initial", "follow", "canonicalize", "locate",
    "wander", "link", "weigh", "admit", "recount",
)  # fmt: skip


def _record(declared: type) -> type[ctypes.Structure]:
    """A C structure of words with the fields of a kernel's record."""
    fields = [(name, ctypes.c_uint64) for name in inspect.get_annotations(declared)]
    return type(declared.__name__, (ctypes.Structure,), {"_fields_": fields})


RunRecord = _record(records.Run)
WorkerRecord = _record(records.Worker)

Function = Callable[[Any, Any], int]


class Machine:
    """The machine code for one model and the properties that a search asks for."""

    def __init__(self, made: Program, actions: int, code: Code, exported: Sequence[str] = EXPORTED) -> None:
        self.program = made
        self.actions = actions
        self.mark_bytes = mark_bits(actions) // 8
        self.largest_batch = BATCH * max(made.instances, 1)
        self._code = code
        kind = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)
        self._functions = {name: kind(code.address(name)) for name in exported}

    def function(self, name: str) -> Function:
        """A kernel function of a run and a worker; it runs without the interpreter's lock."""
        call = self._functions[name]
        return lambda run, worker: call(ctypes.byref(run), ctypes.byref(worker))


@cache
def _kernel_text(constants: tuple[tuple[str, int], ...], mark: str, exchanging: bool) -> str:
    modules = (*KERNEL, exchange) if exchanging else KERNEL
    exported = {*EXPORTED, *exchange.EXPORTED} if exchanging else {*EXPORTED}
    return translate(modules, dict(constants), {"Marks": mark}, exported)


def text_of(made: Program, system: ScalarSystem, exchanging: bool = False) -> str:
    """The whole IR module: the model's own functions and the kernel around them, exchange included if asked."""
    constants = (
        ("WORDS", made.words),
        ("INSTANCES", made.instances),
        ("ACTIONS", len(system.actions)),
        ("TARGETS", len(made.targets)),
        ("STATE_TARGETS", sum(each.kind is At.STATE for each in made.targets)),
        ("BATCH", BATCH),
        ("SYMMETRIC", int(made.symmetric)),
    )
    body = _kernel_text(constants, f"U{mark_bits(len(system.actions))}s", exchanging)
    declarations = sorted(made.declarations | DECLARATIONS)
    return "\n".join([made.text, body, *declarations, ""])


def machine(
    system: ScalarSystem, names: Sequence[str], symmetry: bool = False, poll: Callable[[], object] = budget.poll
) -> Machine:
    """The machine that searches this system for these properties, compiled now or before; `poll` as in `compiled`."""
    return machine_of(program(system, names, symmetry), system, poll=poll)


def machine_of(
    made: Program, system: ScalarSystem, hasty: bool = False, poll: Callable[[], object] = budget.poll
) -> Machine:
    """The machine that runs a program that was made of this system; `hasty` and `poll` as in `compiled`."""
    return Machine(made, len(system.actions), compiled(text_of(made, system), hasty, poll))


def exchanging_machine(made: Program, actions: int, text: str) -> Machine:
    """The machine that also takes states in and hands them out, from its text, so that no model need be at hand."""
    return Machine(made, actions, compiled(text), (*EXPORTED, *exchange.EXPORTED))
