"""Which helpers call which, and what they read."""

from isrcheck.errors import ModelError
from isrcheck.ir.model import ModelIR
from isrcheck.ir.nodes import Call, Perform, ReadVariable
from isrcheck.ir.traversal import walk


def refuse_recursion(ir: ModelIR) -> None:
    """Raises ModelError if a helper calls itself, directly or through others."""
    calls = {name: helpers_called(method.body) for name, method in ir.helpers.items()}
    for name, method in ir.helpers.items():
        waiting, seen = list(calls[name]), set[str]()
        while waiting:
            called = waiting.pop()
            if called == name:
                raise ModelError(method.at, f"{name}() calls itself.", "Say what holds with all(), any() or max().")
            if called not in seen:
                seen.add(called)
                waiting.extend(calls.get(called, ()))


def helpers_called(node: object) -> set[str]:
    """The names of the helpers that a piece of text calls."""
    return {part.helper for part in walk(node) if isinstance(part, Call | Perform)}


def reached(name: str, ir: ModelIR) -> set[str]:
    """A helper and all that it calls, directly or through others."""
    waiting, seen = [name], set[str]()
    while waiting:
        helper = waiting.pop()
        if helper not in seen:
            seen.add(helper)
            waiting.extend(helpers_called(ir.helpers[helper].body))
    return seen


def read_variables(node: object) -> set[str]:
    """The variables that a piece of text reads itself."""
    return {part.name for part in walk(node) if isinstance(part, ReadVariable)}
