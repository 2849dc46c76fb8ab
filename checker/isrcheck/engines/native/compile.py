"""IR text to machine code, kept on disk by the hash of everything that it depends on."""

import hashlib
import os
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from isrcheck.process import budget
from isrcheck.process.interrupt import is_work_left, run_in_background
from isrcheck.user_cache import user_cache

# Characters from which another process optimizes: at 600,000 it takes 0.6 s of CPU, and to start a process 0.1 s.
_LARGE = 1_000_000
_POLL_SECONDS = 0.05


class Effort(Enum):
    OPTIMIZED = "optimized"
    PROVISIONAL = "provisional"  # for a text that is written for it (native/staged.py)
    HASTY = "hasty"


class Code:
    """Machine code in memory, as long as this object; `address` finds its functions."""

    def __init__(self, object_code: bytes) -> None:
        machine = target_machine()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(object_code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))

    def __del__(self) -> None:
        # Giving code back waits for LLVM's lock, which an abandoned compilation holds.
        if is_work_left() and hasattr(self, "_engine"):
            _kept.append(self._engine)


_kept: list[llvm.ExecutionEngine] = []


@cache
def _features() -> tuple[str, str]:
    llvm.set_option("", "-post-RA-scheduler=false")  # takes a twentieth of the time, for code no slower
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def target_machine(effort: int = 2) -> llvm.TargetMachine:
    """The machine that code is for, with all that this processor offers; `effort` is LLVM's optimization, 0 to 3."""
    cpu, features = _features()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu, features=features, opt=effort, reloc="default", codemodel="jitdefault", jit=True
    )


def object_code(ir: str, effort: Effort) -> bytes:
    """The object code of IR.

    LLVM's usual pipeline takes three times as long, for code no faster: the text is mostly straight-line arithmetic.
    Provisional code is made in a fifth of the time, of IR that is written for it (native/staged.py), and hasty code in
    a third; the one is 1.6 times as slow, the other half as fast.
    """
    machine = target_machine(2 if effort is Effort.OPTIMIZED else 0)
    module = _parse(ir, machine)
    passes = llvm.create_new_module_pass_manager()
    if effort is not Effort.HASTY:
        passes.add_always_inliner_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.add_sroa_pass()
    if effort is Effort.OPTIMIZED:
        passes.add_simplify_cfg_pass()
        passes.add_loop_rotate_pass()
        passes.add_loop_unroll_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2)))
    return bytes(machine.emit_object(module))


def _parse(ir: str, machine: llvm.TargetMachine) -> llvm.ModuleRef:
    module = llvm.parse_assembly(ir)
    module.triple = llvm.get_default_triple()
    module.data_layout = str(machine.target_data)
    return module


class CompilingProcess:
    """A process that compiles: `task` is MODULE:FUNCTION; its arguments are the files of its input and its code."""

    def __init__(self, content: bytes, task: str) -> None:
        """Start the process; raises OSError if none can be started."""
        import subprocess  # here: most searches end before
        from tempfile import TemporaryDirectory

        self._folder: TemporaryDirectory[str] = TemporaryDirectory(prefix="isrcheck-")
        source, self._target = Path(self._folder.name) / "program", Path(self._folder.name) / "code"
        source.write_bytes(content)
        module, _, function = task.partition(":")
        begin = f"from isrcheck.process.supervised import end_with_parent; end_with_parent(0); import {module} as it"
        command = [sys.executable, "-c", f"{begin}; it.{function}()", str(source), str(self._target)]
        path = os.pathsep.join(filter(None, sys.path))
        kinds: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
        try:
            environment = {**os.environ, "PYTHONPATH": path}
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, start_new_session=True, **kinds
            )
        except OSError:
            self._folder.cleanup()
            raise

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def code(self) -> bytes | None:
        """The code that the process has written; None while it is under way, and if it failed."""
        return self._target.read_bytes() if self._process.poll() == 0 else None

    def close(self) -> None:
        with self._process as process:
            process.kill()
        self._folder.cleanup()


def compile_ir(
    ir: str,
    effort: Effort = Effort.OPTIMIZED,
    poll: Callable[[], object] = budget.poll,
    meanwhile: Callable[[], object] = lambda: None,
) -> Code:
    """Compile IR, or take its code from the cache; hasty code is not kept. What `poll` raises ends the wait."""
    budget.phase("compiling")
    if len(ir) >= _LARGE and effort is Effort.OPTIMIZED and budget.current().memory is None:
        _compile_elsewhere(ir, poll)
    return run_in_background(lambda: _compile_ir(ir, effort), poll, meanwhile=meanwhile)


def _compile_elsewhere(ir: str, poll: Callable[[], object]) -> None:
    """Have optimized code in the cache, by a process that is killed where the wait ends; none may be there to start."""
    if user_cache().get(_name(ir, Effort.OPTIMIZED)) is not None:
        return
    with suppress(OSError), closing(CompilingProcess(ir.encode(), f"{__name__}:compile_file")) as process:
        while not process.has_ended():
            poll()
            time.sleep(_POLL_SECONDS)
        if (code := process.code()) is not None:
            keep(ir, code)


def compile_file() -> None:
    """Compile in the other process, whose arguments name the files of the IR and of the code."""
    source, target = map(Path, sys.argv[1:])
    target.write_bytes(object_code(source.read_text(encoding="utf-8"), Effort.OPTIMIZED))


def _compile_ir(ir: str, effort: Effort) -> Code:
    if effort is Effort.HASTY:
        return Code(object_code(ir, effort))
    cache, name = user_cache(), _name(ir, effort)
    code = cache.get(name)
    if code is None:
        code = object_code(ir, effort)
        cache.put(name, code)
    return Code(code)


def _name(ir: str, effort: Effort) -> str:
    checksum = hashlib.sha256()
    how = () if effort is Effort.OPTIMIZED else (effort.value,)
    for field in (llvmlite.__version__, llvm.get_default_triple(), *_features(), *how, ir):
        checksum.update(len(field.encode()).to_bytes(8, "little") + field.encode())
    return f"{checksum.hexdigest()}.o"


def keep(ir: str, code: bytes) -> None:
    """Optimized code, for later runs."""
    user_cache().put(_name(ir, Effort.OPTIMIZED), code)
