"""Failures that end a command early, each as an exit code and one sentence that no reader takes for a verdict."""

import errno
import traceback
from collections.abc import Iterator

from isrcheck.errors import LESS_DEEP, TOO_DEEP, IsrcheckError, ModelError, UsageError
from isrcheck.place import Place
from isrcheck.process.budget import OutOfBudget
from isrcheck.process.interrupt import INTERRUPTED
from isrcheck.process.own_process import address_space_limit

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EPIPE, errno.EIO)
FAULT, _UNDETERMINED = 70, 20
BROKEN_PIPE = 141  # 128 + SIGPIPE, as a shell says it of other programs
INTERRUPTED_SENTENCE = "interrupted."


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
        return INTERRUPTED, INTERRUPTED_SENTENCE
    if any(map(_is_lack_of_memory, chain)):
        limit = address_space_limit()
        phrase = "" if limit is None else f" (address space is limited to {limit >> 20:,} MiB, see ulimit -v)"
        return _UNDETERMINED, f"undetermined: there was not enough memory{phrase}."
    if isinstance(error, OSError) and error.errno in _FULL:
        return UsageError.exit_code, f"{error.filename or 'the output'} cannot be written: {error.strerror}."
    return FAULT, f"a fault of isrcheck itself, no verdict: {type(error).__name__}: {error}".rstrip(": .")


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
