"""A spec as it is written in TOML."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.grid.expression import SpecExpression, Value, parse
from isrcheck.grid.size import parse_size
from isrcheck.grid.toml_table import Above0, Inner, TablePlace, Texts, TomlString, parse_toml, read_toml, tables_of

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
    return grid_of(table, at, table.models, table.skip, properties=table.properties, frontier=table.frontier)


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
