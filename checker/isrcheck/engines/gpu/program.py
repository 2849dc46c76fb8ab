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

TRIPLE = "nvptx64-nvidia-cuda"
OLDEST = 80  # the compute capability from which a warp adds in one instruction, times 10
_NEWEST = 90  # what newer devices run, too
_PTX = "+ptx78"
_REGISTERS = 168  # of a thread at most: with fewer for each, more threads wait for memory at once

# What a thread alone does with memory that it shares; "device" says with which others.
_SHARED = """\
define internal i64 @read(ptr %array, i64 %position) alwaysinline {
  %place = getelementptr i64, ptr %array, i64 %position
  %value = load atomic i64, ptr %place syncscope("device") monotonic, align 8
  ret i64 %value
}
define internal void @write_last(ptr %array, i64 %position, i64 %value) alwaysinline {
  %place = getelementptr i64, ptr %array, i64 %position
  store atomic i64 %value, ptr %place syncscope("device") release, align 8
  ret void
}
define internal i64 @swap_if(ptr %array, i64 %position, i64 %old, i64 %new) alwaysinline {
  %place = getelementptr i64, ptr %array, i64 %position
  %pair = cmpxchg ptr %place, i64 %old, i64 %new syncscope("device") monotonic monotonic
  %before = extractvalue { i64, i1 } %pair, 0
  ret i64 %before
}
define internal ptr @as_compact(ptr %table) alwaysinline {
  ret ptr %table
}
define internal i64 @read_entry(ptr %entries, i64 %place) alwaysinline {
  %at = getelementptr i32, ptr %entries, i64 %place
  %entry = load atomic i32, ptr %at syncscope("device") monotonic, align 4
  %value = zext i32 %entry to i64
  ret i64 %value
}
define internal i64 @swap_entry_if(ptr %entries, i64 %place, i64 %old, i64 %new) alwaysinline {
  %at = getelementptr i32, ptr %entries, i64 %place
  %old32 = trunc i64 %old to i32
  %new32 = trunc i64 %new to i32
  %pair = cmpxchg ptr %at, i32 %old32, i32 %new32 syncscope("device") monotonic monotonic
  %before = extractvalue { i32, i1 } %pair, 0
  %value = zext i32 %before to i64
  ret i64 %value
}
define internal i64 @add(ptr %array, i64 %position, i64 %amount) alwaysinline {
  %place = getelementptr i64, ptr %array, i64 %position
  %before = atomicrmw add ptr %place, i64 %amount syncscope("device") monotonic
  ret i64 %before
}
define internal void @wait_for_others() alwaysinline {
  fence syncscope("device") acq_rel
  ret void
}
define internal i64 @scale(i64 %value, i64 %size) alwaysinline {
  %value.wide = zext i64 %value to i128
  %size.wide = zext i64 %size to i128
  %product = mul i128 %value.wide, %size.wide
  %high = lshr i128 %product, 64
  %place = trunc i128 %high to i64
  ret i64 %place
}
"""

# What the threads of a warp do together: one of them asks the memory for all.
_WARPS = """\
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.ctpop.i32(i32)
define internal i64 @lane_value(i64 %value, i32 %lane) alwaysinline {
  %low = trunc i64 %value to i32
  %up = lshr i64 %value, 32
  %high = trunc i64 %up to i32
  %its.low = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %low, i32 %lane, i32 31)
  %its.high = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %high, i32 %lane, i32 31)
  %low64 = zext i32 %its.low to i64
  %high64 = zext i32 %its.high to i64
  %upper = shl i64 %high64, 32
  %result = or i64 %low64, %upper
  ret i64 %result
}
define internal i64 @reserve_one(ptr %array, i64 %position, i64 %is_asked) alwaysinline {
entry:
  %asked = icmp ne i64 %is_asked, 0
  %mask = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %asked)
  %any = icmp ne i32 %mask, 0
  br i1 %any, label %some, label %end
some:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %is.first = icmp eq i32 %lane, 0
  br i1 %is.first, label %ask, label %share
ask:
  %total = call i32 @llvm.ctpop.i32(i32 %mask)
  %total64 = zext i32 %total to i64
  %old = call i64 @add(ptr %array, i64 %position, i64 %total64)
  br label %share
share:
  %own = phi i64 [ 0, %some ], [ %old, %ask ]
  %first = call i64 @lane_value(i64 %own, i32 0)
  %bit = shl i32 1, %lane
  %below = sub i32 %bit, 1
  %before = and i32 %mask, %below
  %rank = call i32 @llvm.ctpop.i32(i32 %before)
  %rank64 = zext i32 %rank to i64
  %place = add i64 %first, %rank64
  br label %end
end:
  %result = phi i64 [ 0, %entry ], [ %place, %share ]
  ret i64 %result
}
define internal i64 @reserve(ptr %array, i64 %position, i64 %amount) alwaysinline {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %own = trunc i64 %amount to i32
  br label %head
head:
  %d = phi i32 [ 1, %entry ], [ %twice, %head ]
  %sum = phi i32 [ %own, %entry ], [ %more, %head ]
  %from = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %sum, i32 %d, i32 0)
  %has = icmp uge i32 %lane, %d
  %plus = select i1 %has, i32 %from, i32 0
  %more = add i32 %sum, %plus
  %twice = shl i32 %d, 1
  %again = icmp ult i32 %twice, LANES
  br i1 %again, label %head, label %summed
summed:
  %is.last = icmp eq i32 %lane, LAST_LANE
  br i1 %is.last, label %ask, label %share
ask:
  %total64 = zext i32 %more to i64
  %old = call i64 @add(ptr %array, i64 %position, i64 %total64)
  br label %share
share:
  %known = phi i64 [ 0, %summed ], [ %old, %ask ]
  %first = call i64 @lane_value(i64 %known, i32 LAST_LANE)
  %before = sub i32 %more, %own
  %before64 = zext i32 %before to i64
  %result = add i64 %first, %before64
  ret i64 %result
}
define internal void @count(ptr %array, i64 %position, i64 %amount) alwaysinline {
entry:
  %own = trunc i64 %amount to i32
  %total = call i32 @llvm.nvvm.redux.sync.add(i32 %own, i32 -1)
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %is.first = icmp eq i32 %lane, 0
  %any = icmp ne i32 %total, 0
  %asks = and i1 %is.first, %any
  br i1 %asks, label %ask, label %end
ask:
  %total64 = zext i32 %total to i64
  call i64 @add(ptr %array, i64 %position, i64 %total64)
  br label %end
end:
  ret void
}
define internal void @add_up(ptr %array, i64 %position, i64 %amount) alwaysinline {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  br label %head
head:
  %d = phi i32 [ HALF, %entry ], [ %half, %head ]
  %sum = phi i64 [ %amount, %entry ], [ %more, %head ]
  %low = trunc i64 %sum to i32
  %up = lshr i64 %sum, 32
  %high = trunc i64 %up to i32
  %its.low = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %low, i32 %d, i32 31)
  %its.high = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %high, i32 %d, i32 31)
  %low64 = zext i32 %its.low to i64
  %high64 = zext i32 %its.high to i64
  %upper = shl i64 %high64, 32
  %its = or i64 %low64, %upper
  %more = add i64 %sum, %its
  %half = lshr i32 %d, 1
  %again = icmp ne i32 %half, 0
  br i1 %again, label %head, label %summed
summed:
  %is.first = icmp eq i32 %lane, 0
  %any = icmp ne i64 %more, 0
  %asks = and i1 %is.first, %any
  br i1 %asks, label %ask, label %end
ask:
  call i64 @add(ptr %array, i64 %position, i64 %more)
  br label %end
end:
  ret void
}
"""
_THREAD = """\
  %at.tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at.block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %at.size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %at.blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %at.first = mul i32 %at.block, %at.size
  %at.thread = add i32 %at.first, %at.tid
  %at.threads = mul i32 %at.blocks, %at.size
  %thread = zext i32 %at.thread to i64
  %threads = zext i32 %at.threads to i64"""
_PLACES = "".join(f"declare i32 @llvm.nvvm.read.ptx.sreg.{each}.x()\n" for each in ("tid", "ctaid", "ntid", "nctaid"))


@cache
def warps(lanes: int = 32) -> str:
    """Return the functions of a warp of so many lanes: a power of 2, and 32 on every GPU."""
    return _WARPS.replace("LAST_LANE", str(lanes - 1)).replace("LANES", str(lanes)).replace("HALF", str(lanes // 2))


@cache
def _kernel_ir(constants: tuple[tuple[str, str], ...]) -> str:
    return translate((kernel, compact, levels), dict(constants), {}, set())


def whole_ir(model: str, constants: dict[str, str]) -> str:
    """Return the text of a model and the kernel, without what is its target's: warps, and how a kernel begins."""
    return "\n".join([model, _kernel_ir(tuple(constants.items())), _SHARED])


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
    lines = [_THREAD, parameters.own(marks), parameters.call(name, "%thread", "%threads"), "  ret void", "}", ""]
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
