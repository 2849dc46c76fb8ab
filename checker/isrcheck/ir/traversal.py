"""The one way through the nodes of a model."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from isrcheck.ir.frozen import field_names, is_data
from isrcheck.ir.nodes import Assign, Call, Clause, Expression, Perform, VariableTarget
from isrcheck.place import Place

T = TypeVar("T")


@cache
def _parts(kind: Any) -> tuple[str, ...]:
    return tuple(name for name in field_names(kind) if name not in ("domain", "at"))


@cache
def _last_first(kind: Any) -> tuple[str, ...] | None:
    """The fields of a node's class, the last one first; None for another class."""
    return _parts(kind)[::-1] if is_data(kind) and kind is not Place else None


def walk(node: object) -> Iterator[object]:
    """Every node, outermost first."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        kind: Any = type(node)
        if isinstance(node, tuple):
            waiting.extend(reversed(node))
        elif (parts := _last_first(kind)) is not None:
            yield node
            waiting.extend([getattr(node, name) for name in parts])


def rebuild(node: T, change: Callable[[Expression], Expression]) -> T:
    """Itself if no expression changes."""
    assert isinstance(node, Struct)
    changed = {}
    for name in _parts(type(node)):
        old = getattr(node, name)
        new = _change_nodes(old, change)
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node


def _change_nodes(value: Any, change: Callable[[Expression], Expression]) -> Any:
    if isinstance(value, tuple):
        changed = tuple(_change_nodes(each, change) for each in value)
        return value if all(new is old for new, old in zip(changed, value, strict=True)) else changed
    if isinstance(value, Expression):
        return change(value)
    return rebuild(value, change) if isinstance(value, Clause | VariableTarget) else value


def locals_assigned_in(block: object) -> frozenset[str]:
    return frozenset(t for p in walk(block) if isinstance(p, Assign) for t in p.targets if isinstance(t, str))


def helpers_called(node: object) -> set[str]:
    return {each.helper for each in walk(node) if isinstance(each, Call | Perform)}
