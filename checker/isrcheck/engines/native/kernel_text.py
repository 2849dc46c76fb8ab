"""The text of the kernel for one program, and the whole text with the program's own."""

import hashlib
import inspect
import sys
from functools import cache
from types import ModuleType

from isrcheck.engines.common.targets import At
from isrcheck.engines.native import dialect
from isrcheck.engines.native import translate as translation
from isrcheck.engines.native.kernel import levels, records, states, table, units, walks
from isrcheck.engines.native.program import BATCH, Program, mark_bits
from isrcheck.user_cache import user_cache

KERNEL = (records, units, states, table, levels, walks)
CONSTANTS = (
    "WORDS",
    "INSTANCES",
    "ACTIONS",
    "TARGETS",
    "STATE_TARGETS",
    "BATCH",
    "SYMMETRIC",
    "CONSTRAINED",
)


@cache
def _kernel_text(mark: str, modules_added: tuple[ModuleType, ...], names: tuple[str, ...]) -> str:
    """The kernel's IR with {NAME} for each of the model's constants; kept by its sources: translating takes 0.06 s."""
    modules = (*KERNEL, *modules_added)
    sources = map(inspect.getsource, (*modules, dialect, translation))
    key = "\n".join((mark, sys.version, *CONSTANTS, *sources))
    cache, name = user_cache(), f"{hashlib.sha256(key.encode()).hexdigest()}.ll"
    if (kept := cache.get(name)) is not None:
        return kept.decode()
    constants = {constant: f"{{{constant}}}" for constant in CONSTANTS}
    ir = translation.translate(modules, constants, {"Marks": mark}, set(names))
    cache.put(name, ir.encode())
    return ir


def text_of(program: Program) -> str:
    of_states = sum(each.kind is At.STATE for each in program.targets)
    sizes = (program.words, program.instances, program.actions, len(program.targets), of_states)
    values = (*sizes, BATCH, int(program.symmetric), int(program.constrained))
    kernel = _kernel_text(f"U{mark_bits(program.actions)}s", program.modules, program.functions)
    for name, value in zip(CONSTANTS, values, strict=True):
        kernel = kernel.replace(f"{{{name}}}", str(value))
    declarations = sorted(program.declarations | translation.DECLARATIONS)
    return "\n".join([program.ir, kernel, *declarations, ""])
