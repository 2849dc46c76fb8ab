"""The GPU engine as the others are asked. What it sees is traced by the native engine, which the reference replays."""

import hashlib
import sys
import time
from collections.abc import Callable
from contextlib import closing
from math import inf
from pathlib import Path as File

from isrcheck.engines.common.targets import At, targets_of
from isrcheck.engines.contract import Limits, Request, Searched
from isrcheck.engines.gpu.codegen import model_ir
from isrcheck.engines.gpu.driver import Cuda, Device, DeviceError
from isrcheck.engines.gpu.layout import Layout
from isrcheck.engines.gpu.program import gpu_ir, is_queued, ptx_name, ptx_of, whole_ir
from isrcheck.engines.gpu.search import GpuSearch
from isrcheck.engines.native import engine as native
from isrcheck.engines.native.compile import CompilingProcess
from isrcheck.engines.native.lowered import KeptLowering, Lowered
from isrcheck.engines.native.program import Program
from isrcheck.errors import Disagreement, IsrcheckError, UsageError
from isrcheck.ir.frozen import replace
from isrcheck.ir.pack import pack_scalars
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel
from isrcheck.process import budget
from isrcheck.process.interrupt import run_in_background
from isrcheck.user_cache import user_cache

__all__ = ["search"]

_POLL_SECONDS = 0.05


def search(model: BoundModel, request: Request, open_device: Callable[[], Device] = Cuda) -> Searched:
    """Explore a model on a GPU. Raises UsageError, ModelError or FoundFault."""
    with closing(open_device()) as device:
        prepared = _prepare(model, request)
        try:
            device.load(code_for(prepared, device))
        except DeviceError as error:
            raise UsageError(
                f"the driver of the {device.name} refuses the kernel: {error}. Use --engine native."
            ) from None
        return search_on(device, model, request, prepared)


def _prepare(model: BoundModel, request: Request) -> Lowered:
    """The lowered model with the kernel's text, from the cache if it is there."""
    store = KeptLowering(model, request, "gpu")
    kept = store.load()
    if kept is None:
        kept = lower_for_gpu(lower(model, request.properties), request.properties)
        store.keep(kept)
    return kept


def lower_for_gpu(system: ScalarSystem, properties: tuple[str, ...]) -> Lowered:
    """Lower a system for a search of these properties; raises TooWide."""
    packing = pack_scalars(system.scalars)
    program = Program(
        ir="",
        words=packing.words,
        instances=len(system.instances),
        targets=targets_of(system, properties),
        packing=packing,
        actions=len(system.actions),
        symmetric=False,
        constrained=system.outside is not None,
        more=(),
        declarations=frozenset(),
    )
    layout = layout_of(system, program)
    model = model_ir(system, packing, layout)
    return Lowered(system, properties, program, whole_ir(model, layout.constants))


def layout_of(system: ScalarSystem, program: Program) -> Layout:
    live = tuple(position for position, each in enumerate(system.instances) if each.guard.high)
    return Layout.of(program.packing, program.actions, program.instances, program.targets, live)


def code_for(prepared: Lowered, device: Device) -> bytes:
    """The machine code of a program for a device, from the cache if it is there. Raises DeviceError."""
    budget.phase("compiling")
    ptx = _ptx(gpu_ir(prepared.ir, prepared.program.actions + 1), device.capability)
    key = hashlib.sha256(f"{device.name} {device.capability} {device.version}".encode() + ptx).hexdigest()
    cache, name = user_cache(), f"{key}.cubin"
    code = cache.get(name)
    if code is None:
        code = run_in_background(lambda: device.compile(ptx), budget.poll)
        cache.put(name, code)
    return code


def _ptx(ir: str, capability: int) -> bytes:
    """The PTX of a text, from the cache or from a process that is killed where the wait ends."""
    cache, name = user_cache(), ptx_name(ir, capability)
    if (kept := cache.get(name)) is not None:
        return kept
    try:
        ptx = _compile_elsewhere(f"{capability}\n{ir}".encode())
    except OSError:  # no process can be started
        ptx = run_in_background(lambda: ptx_of(ir, capability), budget.poll)
    if ptx is None:
        raise IsrcheckError(
            "LLVM made no code of the kernel for the GPU. This is an error in isrcheck; please report it."
        )
    cache.put(name, ptx)
    return ptx


def _compile_elsewhere(content: bytes) -> bytes | None:
    """The PTX of a capability and a text, by another process; None if it failed. Raises OSError."""
    with closing(CompilingProcess(content, f"{__name__}:compile_file")) as process:
        while not process.has_ended():
            budget.poll()
            time.sleep(_POLL_SECONDS)
        return process.code()


def compile_file() -> None:
    """Compile in the other process, whose arguments name the files of the IR and of the PTX."""
    source, target = map(File, sys.argv[1:])
    capability, _, ir = source.read_text(encoding="utf-8").partition("\n")
    target.write_bytes(ptx_of(ir, int(capability)))


def search_on(device: Device, model: BoundModel, request: Request, prepared: Lowered) -> Searched:
    """Search with the kernels that a device has loaded."""
    layout = layout_of(prepared.system, prepared.program)
    with closing(GpuSearch(device, layout, is_queued(prepared.ir), prepared.system, request)) as on_gpu:
        answer = _answer(on_gpu, on_gpu.run())
        return _with_paths(on_gpu, answer, model, request)


def _answer(on_gpu: GpuSearch, cut: str | None) -> Searched:
    sizes = zip(on_gpu.levels[: on_gpu.complete], on_gpu.outside, strict=False)
    levels = tuple(size - outside for size, outside in sizes)
    levels = levels[:-1] if levels and not levels[-1] else levels
    outside = sum(on_gpu.outside)
    return Searched(
        distinct=on_gpu.distinct - outside,
        generated=on_gpu.generated,
        depth=len(levels),
        levels=levels,
        pruned=on_gpu.pruned,
        outside=outside,
        digest=f"{on_gpu.digest:032x}" if cut is None else None,
        cut=cut,
        interrupted=on_gpu.policy.interrupted,
        action_generated=tuple(on_gpu.steps_by_action),
        action_distinct=tuple(on_gpu.reached_by_action),
        seconds=on_gpu.policy.seconds,
    )


def _with_paths(on_gpu: GpuSearch, answer: Searched, model: BoundModel, request: Request) -> Searched:
    """The answer with the paths to what was seen, which the native engine searches for again in the first levels.

    A fault in the model is raised by that search.
    """
    targets = on_gpu.seen_targets.levels_for_paths()
    if not targets:
        return answer
    levels = 1 + max(level + (target.kind is not At.STATE) for target, level in targets.items())
    left = on_gpu.policy.seconds_for_traces
    limits = Limits(depth=levels, seconds=left if left < inf else None, memory=request.limits.memory)
    again = native.search(model, replace(request, limits=limits, stop_at_first=False, disk=None))
    names = {target.name for target in targets if not target.fault}
    missing = [*sorted(names - set(again.paths)), *["an error in the model"] * (len(names) < len(targets))]
    if missing and (again.cut is None or again.depth >= levels):
        raise Disagreement(f"the gpu engine sees {missing[0]} within {levels} levels, and the native engine does not.")
    if answer.cut is None and (unseen := sorted(set(again.paths) - names)):
        raise Disagreement(f"the native engine sees {unseen[0]} within {levels} levels, and the gpu engine does not.")
    cut = answer.cut or (again.cut if missing else None)
    paths = {name: path for name, path in again.paths.items() if name in names}
    return replace(answer, paths=paths, untold=again.untold, cut=cut, digest=None if cut else answer.digest)
