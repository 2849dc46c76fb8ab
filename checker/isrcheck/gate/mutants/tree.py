"""Parts of a method's body by where they stand, and the body with one part replaced."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from isrcheck.ir.nodes import Clause, Expression, VariableTarget

Way = tuple[str | int, ...]  # names of fields and positions in tuples, from the body to a part


def children(node: Any, way: Way = ()) -> Iterator[tuple[Way, Expression]]:
    """The expressions directly below a node, those in its clauses and targets included, with the way to each."""
    if isinstance(node, tuple):
        for position, part in enumerate(node):
            yield from _below(part, (*way, position))
    elif is_dataclass(node):
        for each in fields(node):
            yield from _below(getattr(node, each.name), (*way, each.name))


def _below(part: Any, way: Way) -> Iterator[tuple[Way, Expression]]:
    if isinstance(part, Expression):
        yield way, part
    elif isinstance(part, tuple | Clause | VariableTarget):
        yield from children(part, way)


def part_at(node: Any, way: Way) -> Any:
    """The part at the end of a way."""
    for step in way:
        node = node[step] if isinstance(step, int) else getattr(node, step)
    return node


def replaced(node: Any, way: Way, new: tuple[Any, ...]) -> Any:
    """The same tree with the part at the end of a way replaced; in a tuple by none, one or several parts."""
    if not way:
        (only,) = new
        return only
    step, rest = way[0], way[1:]
    if isinstance(step, int):
        middle = new if not rest else (replaced(node[step], rest, new),)
        return (*node[:step], *middle, *node[step + 1 :])
    return replace(node, **{step: replaced(getattr(node, step), rest, new)})


def shape(node: Any) -> object:
    """A tree without its places: equal for texts that mean the same by construction."""
    if isinstance(node, tuple):
        return tuple(map(shape, node))
    if is_dataclass(node) and not isinstance(node, type):
        named = tuple((f.name, shape(getattr(node, f.name))) for f in fields(node) if f.name not in ("at", "domain"))
        return type(node).__name__, named
    return repr(node)
