"""A spec as it is written in TOML, and its expressions: arithmetic, comparisons and truth over a run's constants."""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError, nearest
from isrcheck.grid.toml_table import (
    Above0,
    Inner,
    TablePlace,
    Texts,
    TomlString,
    parse_size,
    parse_toml,
    read_toml,
    tables_of,
)

Value = int | bool | str

_MOST = 1 << 62  # of any number
_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_ORDER: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_OPERATORS = (*_ARITHMETIC, *_ORDER, ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Not, ast.USub, ast.And, ast.Or)
_OF_TWO = {"min": min, "max": max}


class Missing(Exception):
    """The expression asks for a constant that this model does not have."""


@dataclass(frozen=True)
class SpecExpression:
    source: str
    place: str
    tree: ast.expr

    def names(self) -> set[str]:
        called = {id(n.func) for n in ast.walk(self.tree) if isinstance(n, ast.Call)}
        return {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and id(n) not in called}

    def value(self, constants: Mapping[str, Value]) -> Value:
        """Return the expression's value for these constants. Raises Missing, or UsageError if it has none."""
        return _Evaluation(self, constants).evaluate(self.tree)

    def truth(self, constants: Mapping[str, Value]) -> bool:
        value = self.value(constants)
        if type(value) is not bool:
            raise UsageError(f"{self.place}: `{self.source}` is {value!r}, and a condition is true or false.")
        return value

    def check_names(self, constants: set[str]) -> None:
        for name in sorted(self.names() - constants):
            raise UsageError(f"{self.place}: no model here has a constant {name}.{nearest(name, constants)}")


def parse(source: str, place: str) -> SpecExpression:
    """The expression of a text; `place` is FILE:LINE. Raises UsageError."""
    try:
        tree = ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"{place}: `{source}` is not an expression: write one such as replicas + 1.") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and not _is_known(node):
            raise UsageError(
                f"{place}: `{ast.unparse(node)}` is not known in an expression: use constants, numbers, + - * // %, "
                "comparisons, and, or, not, in, if/else, min and max."
            )
    return SpecExpression(source, place, tree)


def _is_known(node: ast.expr) -> bool:
    match node:
        case ast.Name() | ast.BoolOp() | ast.IfExp() | ast.List() | ast.Tuple():
            return True
        case ast.Constant(value=value):
            return type(value) in (int, bool, str)
        case ast.UnaryOp(op=op) | ast.BinOp(op=op):
            return isinstance(op, _OPERATORS)
        case ast.Compare(ops=ops):
            return all(isinstance(op, _OPERATORS) for op in ops)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return name in _OF_TWO and len(args) > 1
        case _:
            return False


class _Evaluation:
    def __init__(self, expression: SpecExpression, constants: Mapping[str, Value]) -> None:
        self._expression = expression
        self._constants = constants

    def evaluate(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=value) if isinstance(value, int | str):
                return value
            case ast.Name(id=name):
                return self._constant(name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._truth(operand)
            case ast.UnaryOp(operand=operand):
                return -self._number(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return self._arithmetic(op, self._number(left), self._number(right))
            case ast.BoolOp(op=ast.And(), values=values):
                return all(self._truth(v) for v in values)
            case ast.BoolOp(values=values):
                return any(self._truth(v) for v in values)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.evaluate(body if self._truth(test) else other)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return all(self._compare(a, op, b) for a, op, b in zip([left, *others], ops, others, strict=False))
            case ast.Call(func=ast.Name(id=name), args=args):
                return _OF_TWO[name](self._number(a) for a in args)
            case _:
                raise self._no_value(f"`{ast.unparse(node)}` stands only after in")

    def _constant(self, name: str) -> Value:
        if name not in self._constants:
            raise Missing(name)
        return self._constants[name]

    def _number(self, node: ast.expr) -> int:
        value = self.evaluate(node)
        if type(value) is not int:
            raise self._no_value(f"`{ast.unparse(node)}` is {value!r} and not a number")
        return value

    def _truth(self, node: ast.expr) -> bool:
        value = self.evaluate(node)
        if type(value) is not bool:
            raise self._no_value(f"`{ast.unparse(node)}` is {value!r} and not true or false")
        return value

    def _arithmetic(self, op: ast.operator, a: int, b: int) -> int:
        if b == 0 and isinstance(op, ast.FloorDiv | ast.Mod):
            raise self._no_value("it divides by 0")
        value = _ARITHMETIC[type(op)](a, b)
        if abs(value) > _MOST:
            raise self._no_value("a number on the way is above 2^62")
        return value

    def _compare(self, a: ast.expr, op: ast.cmpop, b: ast.expr) -> bool:
        match op:
            case ast.In() | ast.NotIn():
                if not isinstance(b, ast.List | ast.Tuple):
                    raise self._no_value(f"after in, `{ast.unparse(b)}` is not a list: write in [1, 2]")
                return any(self._equal(a, each) for each in b.elts) is isinstance(op, ast.In)
            case ast.Eq() | ast.NotEq():
                return self._equal(a, b) is isinstance(op, ast.Eq)
            case _:
                return _ORDER[type(op)](self._number(a), self._number(b))

    def _equal(self, a: ast.expr, b: ast.expr) -> bool:
        one, two = self.evaluate(a), self.evaluate(b)
        if type(one) is not type(two):
            raise self._no_value(f"`{ast.unparse(a)}` is {one!r} and `{ast.unparse(b)}` is {two!r}, of another kind")
        return one == two

    def _no_value(self, why: str) -> UsageError:
        chosen = ", ".join(f"{n}={v}" for n, v in self._constants.items())
        return UsageError(f"{self._expression.place}: `{self._expression.source}` has no value for {chosen}: {why}.")


_SECONDS = 300.0  # of one cell, by default
_MEMORY = 4 << 30
_LONGEST_RANGE = 10_000

Choices = tuple[Value, ...] | SpecExpression
Condition = Annotated[str, msgspec.Meta(description='an expression in quotes, such as "replicas > 3"')]


class _Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    states: Above0 | None = None
    depth: Above0 | None = None
    seconds: Annotated[float, msgspec.Meta(gt=0, lt=1e7, description="a number above 0")] = _SECONDS
    memory: Annotated[int | str, msgspec.Meta(description='bytes or a size such as "2G"')] = _MEMORY


class RunKeys(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    name: TomlString | None = None
    constants: Inner = {}
    limits: Annotated[_Limits, msgspec.Meta(description="a table, such as {key} = {{ name = 1 }}")] = _Limits()


class _GridTable(RunKeys, kw_only=True):
    models: Texts = ()
    engine: Annotated[Literal["native", "gpu"], msgspec.Meta(description="one of native, gpu")] = "native"
    properties: Texts = ()
    skip: Condition | None = None
    frontier: Texts = ()


@dataclass(frozen=True)
class Grid:
    """One table. Without `properties` all are meant, and without `frontier` what varies."""

    name: str
    models: tuple[str, ...]
    constants: Mapping[str, Choices]
    limits: Limits
    place: str  # FILE:LINE
    places: dict[str, str]  # by key
    engine: str = "native"
    properties: tuple[str, ...] = ()
    skip: SpecExpression | None = None
    frontier: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spec:
    grids: tuple[Grid, ...]
    source: str


def read_spec(file: Path) -> Spec:
    """The spec in a file. Raises UsageError, with line and key."""
    return parse_spec(read_toml(file, "[[grid]]"), str(file))


def parse_spec(source: str, name: str) -> Spec:
    """The spec of a text; `name` is what its lines are called by. Raises UsageError."""
    tables = tables_of(parse_toml(source, name, ["grid"]), "grid", name)
    if not tables:
        raise UsageError(f"{name} has no [[grid]] table: write one, with models = [...] in it.")
    return Spec(tuple(_grid(table, TablePlace(source, name, "grid", n)) for n, table in enumerate(tables)), source)


def _grid(keys: Mapping[str, Any], at: TablePlace) -> Grid:
    table = at.read(keys, _GridTable)
    more = {"engine": table.engine, "properties": table.properties, "frontier": table.frontier}
    return grid_of(table, at, table.models, table.skip, **more)


def grid_of(table: RunKeys, at: TablePlace, models: tuple[str, ...], skip: str | None = None, **more: Any) -> Grid:
    if not models:
        raise at.refusal('the grid names no models: write models = ["kip-*"] or models = ["FILE.py:Class"]')
    if table.name == "":
        raise at.refusal("name is a text, not ''", "name")
    limits = table.limits
    return Grid(
        name=table.name or f"grid {at.position + 1}",
        models=models,
        constants={name: _choices(name, written, at) for name, written in table.constants.items()},
        limits=Limits(limits.states, limits.depth, limits.seconds, _memory(limits.memory, at)),
        skip=None if skip is None else parse(skip, at.place("skip")),
        place=at.place(),
        places={key: at.place(key) for key in ("models", "constants", "properties", "frontier")},
        **more,
    )


def _memory(written: int | str, at: TablePlace) -> int:
    try:
        size = parse_size(str(written))
    except UsageError:
        size = 0
    if not size:
        raise at.refusal(f'memory is bytes or a size such as "2G", not {written!r}', "limits", "memory")
    return size


def _choices(name: str, written: Any, at: TablePlace) -> Choices:
    if isinstance(written, dict):
        sentence = f'{name} is a table: a constant whose name has dots is quoted, as in "{name}.x" = 1'
        raise at.refusal(sentence, "constants", name)
    if isinstance(written, str) and written.startswith("="):
        return parse(written[1:], at.place("constants", name))
    each = written if isinstance(written, list) else [written]
    values = dict.fromkeys(value for one in each for value in _values(name, one, at))
    if not values:
        raise at.refusal(f"{name} has no values to try", "constants", name)
    return tuple(values)


def _values(name: str, written: Any, at: TablePlace) -> Iterator[Value]:
    if isinstance(written, str) and ".." in written:
        yield from _range(name, written, at)
    elif isinstance(written, int | str):
        yield written
    else:
        raise at.refusal(
            f'{name} has the value {written!r}: give a number, true, false, a word, a range "1..4", '
            'a list of these, or an expression "= replicas + 1"',
            "constants",
            name,
        )


def _range(name: str, written: str, at: TablePlace) -> range:
    low, _, high = written.partition("..")
    try:
        numbers = range(int(low), int(high) + 1)
    except ValueError:
        raise at.refusal(f'"{written}" is not a range of numbers: write "1..4"', "constants", name) from None
    if not 0 < len(numbers) <= _LONGEST_RANGE:
        said = "is empty" if not numbers else f"has more than {_LONGEST_RANGE:,} numbers"
        raise at.refusal(f'the range "{written}" of {name} {said}', "constants", name)
    return numbers
