"""A lowered model as a search needs it, kept in the user's cache and believed while nothing that decides it changed.

A file's name is a hash of all that lowering reads: the model as read and bound, its constants, and what is asked. Its
first line names the files of isrcheck, and of all packages with models if it is of one, by the times of their last
changes, and the Python and the llvmlite that made it.
The rest is a pickle, which may run anything; so may the machine code beside it, in the same folder of the user's own.

A search begins with code that is soon compiled, and goes on with optimized code if it lasts.
"""

import hashlib
import io
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import msgspec

import isrcheck
from isrcheck.engines.common.evaluate import arguments_first, nodes_of
from isrcheck.engines.contract import Request
from isrcheck.engines.native.compile import Code, CompilingProcess, Effort, keep, object_code
from isrcheck.engines.native.machine import Machine
from isrcheck.engines.native.program import Program
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ModelIR
from isrcheck.ir.scalar import Node, ScalarSystem
from isrcheck.packages import files_of, packages_with_models, stamps
from isrcheck.passes.bind import BoundModel
from isrcheck.place import Place
from isrcheck.user_cache import user_cache
from isrcheck.version import __version__

_MARGIN_NS = 2_000_000_000  # for the imports before isrcheck notes the time, and file systems that round it


@dataclass(frozen=True, slots=True)
class Lowered:
    """A system, and the program that searches it for properties."""

    system: ScalarSystem
    properties: tuple[str, ...]
    program: Program
    ir: str
    provisional: bool = False  # quickly compiled, slowly searched

    @classmethod
    def of(
        cls,
        system: ScalarSystem,
        properties: tuple[str, ...],
        symmetry: bool = False,
        provisional: bool = False,
        more: tuple[str, ...] = (),
    ) -> "Lowered":
        """Lower a system for a search of these properties; raises TooWide."""
        from isrcheck.engines.native.codegen import program  # here: what was kept needs none of these
        from isrcheck.engines.native.kernel_text import text_of
        from isrcheck.engines.native.lanes import Batch
        from isrcheck.engines.native.staged import StagedBatch

        batch = StagedBatch if provisional else Batch
        compiled = program(system, properties, symmetry, more, batch=batch)
        return cls(system, properties, compiled, text_of(compiled), provisional)

    def for_optimizer(self) -> "Lowered":
        """A copy with IR for the optimizer; the lowering itself if it has that."""
        return Lowered.of(self.system, self.properties, self.program.symmetric) if self.provisional else self

    def machine(self, effort: Effort = Effort.OPTIMIZED) -> Machine:
        return Machine(self.program, self.ir, effort)

    def to_bytes(self) -> bytes:
        """Pickle it without the arguments of instances, which no search reads and whose classes may be a user's."""
        system = self.system
        instances = tuple(replace(each, arguments=()) for each in system.instances)
        bare = replace(self, system=replace(system, instances=instances), program=replace(self.program, ir=""))
        content = io.BytesIO()
        writer = pickle.Pickler(content, pickle.HIGHEST_PROTOCOL)
        writer.dispatch_table = {Node: lambda n: (Node, (n.op, n.args, n.value, n.low, n.high, n.index))}
        nodes = list(arguments_first(_nodes(system)))  # so that none is reached through others, however deep they are
        writer.dump((nodes, bare))
        return content.getvalue()


def read_lowered(content: bytes) -> Lowered:
    _, kept = pickle.loads(content)
    if not isinstance(kept, Lowered):
        raise pickle.UnpicklingError("this is not a program")
    return kept


class KeptLowering:
    """The file for one model with its constants and one request, if it may have one."""

    def __init__(self, model: BoundModel, request: Request, target: str = "") -> None:
        content = io.BytesIO()
        self._read = _Content(content, model.ir)
        self._pickled: tuple[Lowered | None, bytes] = None, b""
        self._name = ""  # as where something has no pickle
        with suppress(Exception):
            self._read.dump((model, request.properties, request.symmetry, request.deadlock, target))
            content.write(Path(model.ir.at.file).read_bytes())
            self._name = f"{hashlib.sha256(content.getvalue()).hexdigest()}.lowered"

    def _origin(self) -> bytes | None:
        packages = self._read.packages()
        return None if packages is None else _origin(packages)

    def load(self) -> Lowered | None:
        """The kept lowering, without the arguments of its instances; None if it is not there or may not be believed."""
        content = user_cache().get(self._name)
        origin = self._origin() if content is not None else None
        if content is None or origin is None or not content.startswith(origin):
            return None
        try:
            self._pickled = read_lowered(content[len(origin) :]), content[len(origin) :]
        except Exception:
            return None
        return self._pickled[0]

    def keep(self, lowered: Lowered) -> None:
        """Keep a lowering for later runs, which believe that symmetry was checked."""
        origin = self._origin() if self._name else None
        if origin is None:
            return
        self._pickled = lowered, lowered.to_bytes()
        user_cache().put(self._name, origin + self._pickled[1])

    def note_long_search(self) -> None:
        """Note for later runs that a search goes on for so long that optimized code is worth the wait."""
        if self._name:
            user_cache().put(f"{self._name}.lasts", b"")

    def earlier_search_was_long(self) -> bool:
        """Whether an earlier search went on for so long."""
        return bool(self._name) and user_cache().get(f"{self._name}.lasts") is not None

    def bytes_of(self, lowered: Lowered) -> bytes:
        """The bytes of a lowering, as they were read or written here, if they were."""
        known, content = self._pickled
        return content if known is lowered else lowered.to_bytes()


def _nodes(system: ScalarSystem) -> Iterator[Node]:
    for each in system.instances:
        yield from (each.guard, each.pruned, *(node for _, node in each.updates))
        yield from () if each.position is None else (each.position,)
        yield from (fault.condition for fault in each.faults)
    yield from () if system.outside is None else (system.outside,)
    yield from (node for p in system.properties for condition in p.conditions for node in nodes_of(condition))
    yield from (node for symmetry in system.symmetries for swap in symmetry.swaps for node in swap)


@cache
def _origin(packages: frozenset[str]) -> bytes | None:
    """The first line: what made a lowering; None if a file of it may have changed since it was imported.

    Files are as they were while none has another time of its last change. To read them all takes 0.04 s.
    """
    files = list(stamps(packages))
    makers = repr((__version__, sys.version, llvmlite.__version__, msgspec.__version__, files))
    is_old = max(stamp.changed_ns for stamp in files) < isrcheck.IMPORTED_NS - _MARGIN_NS
    return f"{hashlib.sha256(makers.encode(errors='surrogateescape')).hexdigest()}\n".encode() if is_old else None


class _Content(pickle.Pickler):
    """All that is in a model, classes and functions by their names; and which packages and files they are in."""

    def __init__(self, content: io.BytesIO, ir: ModelIR) -> None:
        super().__init__(content, pickle.HIGHEST_PROTOCOL)
        self.fast = True  # no memo: which strings are one object depends on whether a file was compiled before
        self._own, self._file = ir.cls.__module__, ir.at.file
        self._packages, self._files = set[str](), set[str]()

    def packages(self) -> frozenset[str] | None:
        """The packages whose texts decide what is in it; None if others do.

        They are isrcheck, or all packages with models, which takes 0.03 s to find. Python's own, msgspec and the
        model's file are known otherwise.
        """
        own = frozenset({isrcheck.__name__})
        return next((packages for packages in map(self._all_in, (lambda: own, packages_with_models)) if packages), None)

    def _all_in(self, known: Callable[[], frozenset[str]]) -> frozenset[str] | None:
        packages = known()
        if not self._packages <= packages | sys.stdlib_module_names | {msgspec.__name__}:
            return None
        files = self._files - {self._file}
        is_known = not files or files <= {str(file) for package in packages for file in files_of(package)}
        return packages if is_known else None

    def persistent_id(self, value: Any) -> Any:
        """An identity that is equal in every process, whatever the order of a set."""
        return sorted(value, key=repr) if type(value) is frozenset else None

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Place):
            self._files.add(value.file)
        if isinstance(value, tuple):  # a record, in whose class pickle would leave a name
            return type(value), tuple(value)
        if not isinstance(value, type | FunctionType) or value.__module__ == "builtins":
            return NotImplemented
        is_ours = value.__module__.startswith(f"{isrcheck.__name__}.")  # whose bases are of pinned libraries
        bases = (value,) if is_ours else getattr(value, "__mro__", (value,))
        modules = {base.__module__ for base in bases} - {self._own}
        self._packages |= {module.partition(".")[0] for module in modules}
        is_own = value.__module__ == self._own  # whose name is another in every process, for a user's file
        return sys.intern, (f"{'' if is_own else value.__module__}:{value.__qualname__}",)


# Characters of a provisional text below which optimizing takes less than 0.3 s, most of it for the kernel.
_SHORT = 250_000
# CPU seconds of a search for each that optimizing will take. The rest takes two thirds of the time then, so that a
# search that ends just after has paid twice, and no search pays more.
_PATIENCE = 4.0


def is_short(provisional: Lowered) -> bool:
    """Whether it is soon optimized: at once, if an earlier search lasted long enough to be worth that."""
    return len(provisional.ir) <= _SHORT


def _seconds(ir: str) -> float:
    """The seconds of optimizing, about: 0.5 for kip-320 at four replicas (0.4 million characters), 5 for KRaft (4)."""
    return 1.3 * len(ir) / 1e6


class TieredMachine(Machine):
    """A machine that starts unoptimized. `pickled` is its program for a process that optimizes, `keep` stores that.

    `lasts` is told when a search goes on for so long that a later one of the same program, which `has_lasted`, is to be
    optimized at once.
    """

    def __init__(
        self,
        provisional: Lowered,
        pickled: Callable[[], bytes],
        keep: Callable[[Lowered], object],
        meanwhile: Callable[[], object],
        lasts: Callable[[], object] = lambda: None,
        has_lasted: bool = False,
    ) -> None:
        super().__init__(provisional.program, provisional.ir, Effort.PROVISIONAL, meanwhile)
        self._lasts = lasts
        self._provisional, self._pickled, self._keep = provisional, pickled, keep
        patience = _PATIENCE * _seconds(provisional.ir)
        self._after, self._note_after = 0.0 if has_lasted else patience, patience / 2
        self._process: OptimizingProcess | None = None
        self._has_begun = self._is_noted = False
        self._ready_at = time.process_time()

    def poll(self) -> None:
        taken = time.process_time() - self._ready_at
        if not self._is_noted and taken >= self._note_after:
            self._is_noted = True
            self._lasts()
        if not self._has_begun and taken >= self._after:
            self._has_begun = True
            with suppress(OSError):  # where no process can be started the search goes on as it is
                self._process = OptimizingProcess(self._pickled())
        elif self._process is not None and (code := self._process.code()) is not None:
            self.load(Code(code))
            self.close()
            better = self._provisional.for_optimizer()
            keep(better.ir, code)
            self._keep(better)

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


class OptimizingProcess(CompilingProcess):
    """Another process that optimizes: in this one nothing else could be compiled meanwhile, and nobody could end it."""

    def __init__(self, pickled: bytes) -> None:
        """Start the process; raises OSError if none can be started."""
        super().__init__(pickled, f"{__name__}:optimize_file")


def optimize_file() -> None:
    """Optimize in the other process, whose arguments name the files of the program and of the code."""
    source, target = map(Path, sys.argv[1:])
    lowered = read_lowered(source.read_bytes()).for_optimizer()
    target.write_bytes(object_code(lowered.ir, Effort.OPTIMIZED))
