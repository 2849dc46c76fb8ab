"""The compiled code of a program, as functions for Python."""

import ctypes
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from isrcheck.engines.native.compile import Code, Effort, compile_ir
from isrcheck.engines.native.kernel import records
from isrcheck.engines.native.program import BATCH, Program, mark_bits


def record_type(declared: type) -> type[ctypes.Structure]:
    fields = [(name, ctypes.c_uint64) for name in inspect.get_annotations(declared)]
    return type(declared.__name__, (ctypes.Structure,), {"_fields_": fields})


RunRecord = record_type(records.Run)
WorkerRecord = record_type(records.Worker)

Function = Callable[[Any, Any], int]


class Machine:
    """The compiled code of a program. `meanwhile` is called while it is compiled."""

    def __init__(
        self,
        program: Program,
        ir: str,
        effort: Effort = Effort.OPTIMIZED,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        self.program = program
        self.mark_bytes = mark_bits(program.actions) // 8
        self.largest_batch = BATCH * max(program.instances, 1)
        self._more: dict[str, Any] = {}
        self.load(compile_ir(ir, effort, meanwhile=meanwhile))

    def load(self, code: Code) -> None:
        """Code of the same program, between two calls."""
        self._code = code
        self._functions = _functions(code, self.program.functions)

    def extend(self, ir: str, names: Sequence[str]) -> None:
        """Add functions that call the program's own by address."""
        self._extension = compile_ir(ir, poll=lambda: None)
        self._more = _functions(self._extension, names)

    def address(self, name: str) -> int:
        """The address of a function of the code that is loaded now."""
        return self._code.address(name)

    def function(self, name: str) -> Function:
        """Runs without Python's lock."""
        call = self._functions.get(name) or self._more[name]
        return lambda run, worker: call(ctypes.byref(run), ctypes.byref(worker))

    def poll(self) -> None:
        """A search goes on, and calls no function now."""

    def close(self) -> None:
        """End what a search has begun besides."""


def _functions(code: Code, names: Sequence[str]) -> dict[str, Any]:
    kind = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)
    return {name: kind(code.address(name)) for name in names}
