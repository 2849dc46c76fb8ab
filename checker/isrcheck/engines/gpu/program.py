"""The whole text of the kernels of one model, for a GPU or for the processor, and the PTX that a driver takes."""

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import llvmlite
import llvmlite.binding as llvm

from isrcheck.engines.gpu import compact, kernel, levels
from isrcheck.engines.native.translate import translate
from isrcheck.files import read_beside

TRIPLE = "nvptx64-nvidia-cuda"
OLDEST = 80  # the compute capability from which a warp adds in one instruction, times 10
_NEWEST = 90  # what newer devices run, too
_PTX = "+ptx78"
_REGISTERS = 168  # of a thread at most: with fewer for each, more threads wait for memory at once

_PLACES = "".join(f"declare i32 @llvm.nvvm.read.ptx.sreg.{each}.x()\n" for each in ("tid", "ctaid", "ntid", "nctaid"))


@cache
def warps(lanes: int = 32) -> str:
    """Return the functions of a warp of so many lanes: a power of 2, and 32 on every GPU."""
    ir = read_beside(__file__, "warp.ll").replace("LAST_LANE", str(lanes - 1))
    return ir.replace("LANES", str(lanes)).replace("HALF", str(lanes // 2))


@cache
def _kernel_ir(constants: tuple[tuple[str, str], ...]) -> str:
    return translate((kernel, compact, levels), dict(constants), {}, set())


def whole_ir(model: str, constants: dict[str, str]) -> str:
    """Return the text of a model and the kernel, without what is its target's: warps, and how a kernel begins."""
    return "\n".join([model, _kernel_ir(tuple(constants.items())), read_beside(__file__, "shared.ll")])


def join(ir: str, more: str) -> str:
    """Return a text with another, which may declare what is declared already."""
    declared = {line for line in ir.splitlines() if line.startswith("declare ")}
    return "\n".join([ir, *(line for line in more.splitlines() if line not in declared), ""])


def is_queued(ir: str) -> bool:
    """Whether the steps of a text's kernels are queued by instance before they are taken."""
    return "define internal void @queue_state(" in ir


def kernels(ir: str) -> list[Callable[..., None]]:
    """The kernels of a search by a text; there is a compact table only of states of one or two words."""
    ways = (kernel.queue, kernel.step) if is_queued(ir) else (kernel.expand,)
    of_tables = (kernel.refill, kernel.clear_stamps, compact.convert, compact.clear_entry_marks)
    return [levels.insert, levels.examine, *of_tables, *ways]


@dataclass(frozen=True)
class Parameters:
    """The parameters of a kernel, but for its thread: those that are passed, with their types, and the whole call."""

    passed: tuple[tuple[str, str], ...]
    has_own: bool

    @classmethod
    def of(cls, function: Callable[..., None]) -> "Parameters":
        names = inspect.signature(function).parameters.values()
        passed = [each for each in names if each.name not in ("own", "thread", "threads")]
        kinds = tuple((each.name, "i64" if each.annotation is int else "ptr") for each in passed)
        return cls(kinds, any(each.name == "own" for each in names))

    def own(self, marks: int) -> str:
        """Return the line that takes memory of the thread alone."""
        return f"  %own = alloca [{marks} x i32]" if self.has_own else ""

    def call(self, name: str, thread: str, threads: str) -> str:
        given = [f"{kind} %{each}" for each, kind in self.passed] + ["ptr %own"] * self.has_own
        return f"  call void @{name}({', '.join(given)}, i64 {thread}, i64 {threads})"


def _kernel_for_gpu(function: Callable[..., None], marks: int) -> str:
    name, parameters = function.__name__, Parameters.of(function)
    own = ", ".join(f"{kind}{' noalias' if kind == 'ptr' else ''} %{each}" for each, kind in parameters.passed)
    lines = [
        read_beside(__file__, "thread.ll"),
        parameters.own(marks),
        parameters.call(name, "%thread", "%threads"),
        "  ret void",
        "}",
        "",
    ]
    return "\n".join([f'define ptx_kernel void @gpu_{name}({own}) "nvvm.maxnreg"="{_REGISTERS}" {{', *lines])


def gpu_ir(ir: str, marks: int) -> str:
    """Return the text of a GPU's kernels, each named `gpu_` and its function's name."""
    return "\n".join([join(ir, warps()), _PLACES, *(_kernel_for_gpu(each, marks) for each in kernels(ir))])


def ptx_name(ir: str, capability: int) -> str:
    """The name in the cache of a text's PTX for GPUs from a compute capability on (times 10)."""
    key = "\n".join((llvmlite.__version__, str(capability), _PTX, ir))
    return f"{hashlib.sha256(key.encode()).hexdigest()}.ptx"


def ptx_of(ir: str, capability: int) -> bytes:
    """Compile a text for GPUs from a compute capability on (times 10)."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(cpu=f"sm_{min(capability, _NEWEST)}", features=_PTX, opt=3)
    # The layout of data comes before the text is parsed: what has no alignment gets one of that layout.
    module = llvm.parse_assembly(f'target datalayout = "{machine.target_data}"\ntarget triple = "{TRIPLE}"\n{ir}')
    run_passes(module, machine)
    return str(machine.emit_assembly(module)).encode()


def run_passes(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Have everything in the kernels themselves, and no memory for what a register holds."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_loop_rotate_pass()
    passes.add_loop_unroll_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2)))
