"""A device played by this processor: the text of a GPU's kernels, compiled for it, run by threads and by warps."""

import ctypes
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.gpu.driver import DeviceError, DeviceFull
from isrcheck.engines.gpu.engine import lower_for_gpu, search_on
from isrcheck.engines.gpu.program import Parameters, join, kernels, run_passes, warps
from isrcheck.engines.native.compile import target_machine
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel

# The functions of a warp where it has one lane: threads that do nothing together.
ALONE = """\
define internal i64 @reserve_one(ptr %array, i64 %position, i64 %is_asked) alwaysinline {
  %old = call i64 @add(ptr %array, i64 %position, i64 %is_asked)
  ret i64 %old
}
define internal i64 @reserve(ptr %array, i64 %position, i64 %amount) alwaysinline {
  %old = call i64 @add(ptr %array, i64 %position, i64 %amount)
  ret i64 %old
}
define internal void @count(ptr %array, i64 %position, i64 %amount) alwaysinline {
  call i64 @add(ptr %array, i64 %position, i64 %amount)
  ret void
}
define internal void @add_up(ptr %array, i64 %position, i64 %amount) alwaysinline {
  call i64 @add(ptr %array, i64 %position, i64 %amount)
  ret void
}
"""


def kernel_for_processor(function: Callable[..., None], marks: int) -> str:
    """Return a function that runs some threads of a kernel one after the other, its arguments in an array."""
    name, parameters = function.__name__, Parameters.of(function)
    loads = []
    for number, (each, kind) in enumerate(parameters.passed):
        loads.append(f"  %{each}.at = getelementptr i64, ptr %its.arguments, i64 {number}")
        loads.append(f"  %{each} = load {kind}, ptr %{each}.at")
    return f"""\
define void @cpu_{name}(ptr %its.arguments, i64 %its.begin, i64 %its.end, i64 %its.threads) {{
entry:
{parameters.own(marks)}
{chr(10).join(loads)}
  br label %its.head
its.head:
  %its.thread = phi i64 [ %its.begin, %entry ], [ %its.next, %its.body ]
  %its.more = icmp ult i64 %its.thread, %its.end
  br i1 %its.more, label %its.body, label %its.done
its.body:
{parameters.call(name, "%its.thread", "%its.threads")}
  %its.next = add i64 %its.thread, 1
  br label %its.head
its.done:
  ret void
}}
"""


def _compile(ir: str, of_warps: str, marks: int) -> Any:
    ir, machine = join(ir, of_warps), target_machine()
    module = llvm.parse_assembly("\n".join([ir, *(kernel_for_processor(each, marks) for each in kernels(ir))]))
    module.triple, module.data_layout = llvm.get_default_triple(), str(machine.target_data)
    run_passes(module, machine)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


@cache
def _compile_alone(ir: str, marks: int) -> Any:
    return _compile(ir, ALONE, marks)


class EmulatedDevice:
    """A device with `memory` bytes. Its warps have one lane, or several that are threads of this process.

    `workers` threads run at once where a warp has one lane; where it has more, all is slow. A search compiles
    nothing for it: `use` takes the text.
    """

    name, version, capability, processors = "emulator", 1, 90, 1

    def __init__(self, memory: int = 64 << 20, workers: int = 1, lanes: int = 1) -> None:
        self._memory, self._workers, self._lanes = memory, workers, lanes
        self._buffers: dict[int, Any] = {}
        self._pool = ThreadPoolExecutor(max(lanes, workers))
        self._engine: Any = None
        self._warp = _Warp(lanes)
        self.launches: list[str] = []

    def use(self, ir: str, marks: int) -> None:
        """Compile the kernels of a text."""
        if self._lanes == 1:
            self._engine = _compile_alone(ir, marks)
        else:
            self._engine = _compile(ir, self._warp.name_in(warps(self._lanes)), marks)

    def free_bytes(self) -> int:
        return self._memory - sum(len(each) for each in self._buffers.values())

    def allocate(self, size: int) -> int:
        if size > self.free_bytes():
            raise DeviceFull("allocate: out of memory")
        buffer = ctypes.create_string_buffer(size + 64)
        address = (ctypes.addressof(buffer) + 63) & ~63
        self._buffers[address] = buffer
        return address

    def release(self, address: int) -> None:
        del self._buffers[address]

    def zero(self, address: int, size: int) -> None:
        ctypes.memset(address, 0, size)

    def copy(self, target: int, source: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    def read(self, address: int, words: int) -> list[int]:
        return list((ctypes.c_uint64 * words).from_address(address))

    def write(self, address: int, words: Sequence[int]) -> None:
        (ctypes.c_uint64 * len(words)).from_address(address)[:] = list(words)

    def compile(self, ptx: bytes) -> bytes:
        return ptx

    def load(self, code: bytes) -> None:
        """Accept code for a GPU, which this device does not run."""

    def launch(self, kernel: str, arguments: Sequence[int], threads: int) -> None:
        if self._engine is None:
            raise DeviceError("launch: no text was given")
        self.launches.append(kernel)
        address = self._engine.get_function_address(f"cpu_{kernel}")
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_uint64] * 3)(address)
        given = (ctypes.c_uint64 * len(arguments))(*arguments)
        at_once = max(self._lanes, self._workers)
        total = max(-(-threads // at_once) * at_once, at_once) if kernel == "step" else at_once
        share = total // at_once

        def run(number: int) -> None:
            self._warp.lane.number = number
            function(ctypes.addressof(given), number * share, (number + 1) * share, total)

        for _ in self._pool.map(run, range(at_once)):
            pass

    def close(self) -> None:
        self._pool.shutdown()
        self._buffers.clear()


def search(model: BoundModel, request: Request, device: EmulatedDevice | None = None) -> Searched:
    """Search as the gpu engine does, on an emulated device. Raises ModelError or FoundFault."""
    prepared = lower_for_gpu(lower(model, request.properties), request.properties)
    with closing(device or EmulatedDevice()) as emulated:
        emulated.use(prepared.ir, prepared.program.actions + 1)
        return search_on(emulated, model, request, prepared)


class _Lane(threading.local):
    number = 0


class _Warp:
    """Functions of the lanes of a warp, which compiled code calls: all lanes meet in each."""

    def __init__(self, lanes: int) -> None:
        self.lane = _Lane()
        self._lanes, self._barrier, self._values = lanes, threading.Barrier(lanes), [0] * lanes
        word32, flag = ctypes.c_uint32, ctypes.c_bool
        kinds: dict[str, tuple[Any, ...]] = {
            "read.ptx.sreg.laneid": (word32,),
            "redux.sync.add": (word32, word32, word32),
            "vote.ballot.sync": (word32, word32, flag),
            "shfl.sync.up.i32": (word32, *[word32] * 4),
            "shfl.sync.bfly.i32": (word32, *[word32] * 4),
            "shfl.sync.idx.i32": (word32, *[word32] * 4),
        }
        functions: tuple[Any, ...] = (self._laneid, self._add, self._ballot, self._up, self._butterfly, self._index)
        cfunction: Any = ctypes.CFUNCTYPE
        self._callbacks = {
            name: cfunction(*kind)(function) for (name, kind), function in zip(kinds.items(), functions, strict=True)
        }

    def name_in(self, ir: str) -> str:
        """Return a text that calls these functions in place of a GPU's instructions."""
        for name, callback in self._callbacks.items():
            symbol = f"emulated.{id(self)}.{name}"
            llvm.add_symbol(symbol, ctypes.cast(callback, ctypes.c_void_p).value)
            ir = ir.replace(f"@llvm.nvvm.{name}(", f'@"{symbol}"(')
        return ir

    def _exchange(self, value: int) -> list[int]:
        """Return the values of all lanes, each of which gives its own."""
        self._values[self.lane.number] = value
        self._barrier.wait()
        values = list(self._values)
        self._barrier.wait()
        return values

    def _laneid(self) -> int:
        return self.lane.number

    def _add(self, value: int, mask: int) -> int:
        return sum(self._exchange(value)) % 2**32

    def _ballot(self, mask: int, truth: bool) -> int:
        return sum(1 << lane for lane, each in enumerate(self._exchange(int(truth))) if each)

    def _up(self, mask: int, value: int, distance: int, clamp: int) -> int:
        values, own = self._exchange(value), self.lane.number
        return values[own - distance] if own >= distance else values[own]

    def _butterfly(self, mask: int, value: int, distance: int, clamp: int) -> int:
        return self._exchange(value)[self.lane.number ^ distance]

    def _index(self, mask: int, value: int, lane: int, clamp: int) -> int:
        return self._exchange(value)[lane % self._lanes]
