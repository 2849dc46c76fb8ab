"""Failures that end a command early, each as an exit code and one sentence that no reader takes for a verdict."""

import errno
import traceback
from collections.abc import Iterator

from isrcheck.errors import LESS_DEEP, TOO_DEEP, IsrcheckError, ModelError, UsageError
from isrcheck.place import Place
from isrcheck.process.budget import OutOfBudget
from isrcheck.process.interrupt import INTERRUPTED, under_way
from isrcheck.process.own_process import address_space_limit

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EPIPE, errno.EIO)
_UNDETERMINED, _FAULT = 20, 70
BROKEN_PIPE = 141  # 128 + SIGPIPE, as a shell says it of other programs
# What is under way in a function of such a module, unless one that it has called says more. A longer name goes first.
_PHASES = {
    "isrcheck.catalogue": "reading the model",
    "isrcheck.lang": "reading the model",
    "isrcheck.ir.check": "checking the model's domains",
    "isrcheck.passes": "lowering the model",
    "isrcheck.engines.native.codegen": "generating code",
    "isrcheck.engines.native.translate": "generating code",
    "isrcheck.engines.native.compile": "compiling the model",
    "isrcheck.engines.native.search": "searching",
    "isrcheck.engines.native.behaviours": "looking for cycles",
    "isrcheck.engines.native.disk": "searching on disk",
    "isrcheck.engines.native.simulate": "walking",
    "isrcheck.engines.native.trace": "finding a trace",
    "isrcheck.engines.explore": "searching",
    "isrcheck.engines.reference": "searching",
    "isrcheck.engines.spark": "searching on Spark",
    "isrcheck.engines.spark.session": "starting Spark",
    "isrcheck.engines.spark.trace": "finding a trace",
    "isrcheck.engines.symbolic": "solving with z3",
    "isrcheck.proofs": "proving",
    "isrcheck.proofs.relational": "lowering the model",
    "isrcheck.proofs.solvers": "solving with z3 and cvc5",
    "isrcheck.liveness": "looking for cycles",
    "isrcheck.run.lassos": "replaying a cycle",
    "isrcheck.run.replay": "replaying a trace",
    "isrcheck.run.save": "writing",
    "isrcheck.evidence.writers": "writing",
    "isrcheck.run.vacuity": "looking for what is vacuous",
    "isrcheck.files": "writing",
    "isrcheck.compare": "comparing",
    "isrcheck.gate": "running the gate",
    "isrcheck.gate.mutants": "checking mutants",
    "isrcheck.pipeline": "sweeping",
    "isrcheck.schedule": "following a schedule",
    "isrcheck.tla": "writing TLA+",
    "isrlogs.conform": "looking for a behaviour",
    "isrlogs.observe": "reading what brokers wrote",
}
# What is called inside says nothing: the reader's own modules at work, a file of the cache, which nobody asked for,
# the gate's processes, which run the cells of a matrix, or better code that a search is given while it goes on.
_SAY_NO_MORE = (
    "isrcheck.engines.explore",
    "isrcheck.engines.reference.stepper",
    "isrcheck.user_cache",
    "isrcheck.compare.matrix",
    "isrcheck.engines.native.lowered:poll",
)


def exit_code_and_sentence(error: BaseException) -> tuple[int, str]:
    match error:
        case IsrcheckError():
            return error.exit_code, str(error)
        case OutOfBudget():
            return _UNDETERMINED, f"undetermined: the run ended {error}."
        case RecursionError():
            return ModelError.exit_code, f"{TOO_DEEP}\n  {LESS_DEEP}"
        case SystemExit():
            return exit_code_and_sentence(error_of_exit(error))
    chain = list(_causes(error))
    if any(isinstance(each, KeyboardInterrupt) for each in chain):
        return INTERRUPTED, interruption_sentence()
    if any(map(_is_lack_of_memory, chain)):
        limit = address_space_limit()
        phrase = "" if limit is None else f" (address space is limited to {limit >> 20:,} MiB, see ulimit -v)"
        return _UNDETERMINED, f"undetermined: there was not enough memory{phrase}."
    if isinstance(error, OSError) and error.errno in _FULL:
        return UsageError.exit_code, f"{error.filename or 'the output'} cannot be written: {error.strerror}."
    return _FAULT, f"a fault of isrcheck itself, no verdict: {type(error).__name__}: {error}".rstrip(": .")


def is_foreseen(code: int) -> bool:
    return code != _FAULT


def error_of_exit(error: SystemExit) -> ModelError:
    """The error of a model's file that called sys.exit, at the line that did."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    place = Place(last.filename, last.lineno or 0, last.colno or 0, 10_000) if last else Place("", 0, 0, 0)
    remedy = "A file that is checked may not end the process: take the call out."
    return ModelError(place, f"the file ends the process (SystemExit: {error.code}).", remedy)


def is_broken_pipe(error: BaseException) -> bool:
    """Whether the reader has gone; rich and click make a SystemExit of it."""
    frames = list(traceback.walk_tb(error.__traceback__))
    last = frames[-1][0].f_globals.get("__name__", "").partition(".")[0] if frames else ""
    if isinstance(error, SystemExit) and last in ("click", "rich"):
        return True
    return any(isinstance(each, OSError) and each.errno == errno.EPIPE for each in _causes(error))


def interruption_sentence() -> str:
    phase = "starting"
    for function in under_way() or ():
        module, _, name = function.partition(":")
        fitting = [known for known in _PHASES if f"{module}.".startswith(f"{known}.")]
        if fitting and name == "<module>":
            break  # a module of ours is being imported
        if fitting:
            phase = _PHASES[max(fitting, key=len)]
        if module in _SAY_NO_MORE or function in _SAY_NO_MORE:
            break
    return f"interrupted while {phase}."


def _causes(error: BaseException) -> Iterator[BaseException]:
    each: BaseException | None = error
    while each is not None:
        yield each
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)


def _is_lack_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return True
    # A library that cannot be mapped is not found, as the loader has it.
    of_library = isinstance(error, ImportError | OSError) and "shared object" in str(error)
    return of_library and address_space_limit() is not None
