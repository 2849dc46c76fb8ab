"""What a variant shares with others: which classes of its line, and who calls whom."""

from collections.abc import Callable, Iterable, Iterator

from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import Call, Perform
from isrcheck.ir.traversal import walk


def shared_classes(ir: ModelIR) -> frozenset[str]:
    """The names of the classes whose module the model's own extends: none, or all up to the last that is open."""
    policies = _policy_owners(ir)
    methods = (*ir.actions, *ir.properties, *ir.assumptions, *ir.applicability, *ir.helpers.values())
    declaring = {v.owner for v in ir.variables} | {c.owner for c in ir.constants}
    declaring |= {m.owner for m in methods} | policies | {ir.name}
    line = [c for c in reversed(ir.cls.__mro__) if c.__name__ in declaring]
    opening = {v.owner for v in ir.variables} | policies
    last = max((i for i, cls in enumerate(line) if cls.__name__ in opening), default=-1)
    return frozenset(c.__name__ for c in line[: last + 1]) if last >= 0 and line[last] is not ir.cls else frozenset()


def _policy_owners(ir: ModelIR) -> set[str]:
    """The classes that declare a policy, whoever fills it."""
    policies = [n for n, m in ir.helpers.items() if m.role == "policy"]
    line = [c for c in reversed(ir.cls.__mro__) if c.__module__ != "isrcheck.lang.declare"]
    return {next(c.__name__ for c in line if name in vars(c)) for name in policies}


def every_method(ir: ModelIR) -> Iterator[Method]:
    yield from (*ir.helpers.values(), *ir.actions, *ir.properties, *ir.lemmas)
    yield from (*ir.assumptions, *ir.applicability)


def called(method: Method) -> set[str]:
    """The helpers that a method calls."""
    return {p.helper for p in walk(method.body) if isinstance(p, Call | Perform)}


def reached(first: Iterable[str], further: Callable[[str], Iterable[str]]) -> set[str]:
    """These names, and all that lead on from them."""
    found: set[str] = set()
    waiting = list(first)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += further(name)
    return found
