"""A spec as it is written: one or more [[grid]] tables in TOML, schema-checked, every error with its line and key."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError, nearest
from isrcheck.grid.expression import SpecExpression, Value, parse
from isrcheck.grid.places import line_of
from isrcheck.grid.size import parse_size

KEYS = ("name", "models", "constants", "properties", "limits", "skip", "frontier")
_LIMITS = ("states", "depth", "seconds", "memory")
_SECONDS, _MEMORY = 300.0, 4 << 30  # of one cell, where the spec does not say
_LONGEST_RANGE = 10_000

Choices = tuple[Value, ...] | SpecExpression


@dataclass(frozen=True)
class Grid:
    """One table. `constants` has, for each name as written, the values to try, or how to compute the one to take.

    `place` is FILE:LINE of the table, `places` the same of its keys. `frontier` is None where the spec does not say.
    """

    name: str
    models: tuple[str, ...]
    constants: dict[str, Choices]
    properties: tuple[str, ...] | None
    limits: Limits
    skip: SpecExpression | None
    frontier: tuple[str, ...] | None
    place: str
    places: dict[str, str]


@dataclass(frozen=True)
class Spec:
    """All grids of a file, in order, and its text."""

    grids: tuple[Grid, ...]
    text: str


def read_spec(file: Path) -> Spec:
    """The spec in a file. Raises UsageError, in one sentence with line and key, for anything that is none."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{file} cannot be read as a spec: give a TOML file with [[grid]] tables.") from None
    return parse_spec(text, str(file))


def parse_spec(text: str, name: str) -> Spec:
    """The spec of a text; `name` is what its lines are called by. Raises UsageError."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{name} is not TOML: {error}.") from None
    for key in data:
        if key != "grid":
            raise UsageError(f"{name}: there is no key {key} at the top of a spec.{nearest(key, ['grid'])}")
    tables = data.get("grid")
    if not isinstance(tables, list) or not tables:
        raise UsageError(f"{name} has no [[grid]] table: write one, with models = [...] in it.")
    return Spec(tuple(GridTable(table, text, name, n).grid() for n, table in enumerate(tables)), text)


class GridTable:
    """One [[grid]] table while it is read. Other tables that hold a grid say their `header` and `keys`."""

    def __init__(
        self, table: Any, text: str, name: str, position: int, header: str = "grid", keys: tuple[str, ...] = KEYS
    ) -> None:
        self.table = table
        self._text = text
        self._name = name
        self._position = position
        self._header = header
        self._keys = keys

    def grid(self) -> Grid:
        if not isinstance(self.table, dict):
            raise UsageError(f"{self._name}: {self._header} is an array of tables: write [[{self._header}]].")
        self.known_keys(self.table, self._keys)
        if "models" not in self.table:
            raise self.refused('the grid names no models: write models = ["kip-*"] or models = ["FILE.py:Class"]')
        return Grid(
            name=self._name_of_grid(),
            models=self.words("models") or (),
            constants={n: self._choices(n, v) for n, v in self.inner("constants").items()},
            properties=self.words("properties"),
            limits=self._limits(),
            skip=self._skip(),
            frontier=self.words("frontier"),
            place=self.place(),
            places={key: self.place(key) for key in self.table},
        )

    def place(self, *keys: str) -> str:
        return f"{self._name}:{line_of(self._text, self._header, self._position, *keys)}"

    def refused(self, sentence: str, *keys: str) -> UsageError:
        return UsageError(f"{self.place(*keys)}: {sentence}.")

    def known_keys(self, table: Mapping[str, Any], known: tuple[str, ...], *above: str) -> None:
        for key in table:
            if key not in known:
                where = above[-1] if above else f"a {self._header}"
                raise UsageError(f"{self.place(*above, key)}: there is no key {key} in {where}.{nearest(key, known)}")

    def _name_of_grid(self) -> str:
        name = self.table.get("name", f"grid {self._position + 1}")
        if not isinstance(name, str) or not name:
            raise self.refused(f"name is a text, not {name!r}", "name")
        return name

    def words(self, key: str) -> tuple[str, ...] | None:
        """A list of texts; None where the key is left out."""
        words = self.table.get(key)
        if words is None:
            return None
        if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
            raise self.refused(f'{key} is a list of texts, such as {key} = ["..."], not {words!r}', key)
        return tuple(dict.fromkeys(words))

    def inner(self, key: str) -> dict[str, Any]:
        table = self.table.get(key, {})
        if not isinstance(table, dict):
            raise self.refused(f"{key} is a table, such as {key} = {{ name = 1 }}, not {table!r}", key)
        return table

    # Constants

    def _choices(self, name: str, written: Any) -> Choices:
        if isinstance(written, dict):
            raise self.refused(
                f'{name} is a table: a constant whose name has dots is quoted, as in "{name}.x" = 1', "constants", name
            )
        if isinstance(written, str) and written.startswith("="):
            return parse(written[1:], self.place("constants", name))
        values: list[Value] = []
        for each in written if isinstance(written, list) else [written]:
            values += self._values(name, each)
        if not values:
            raise self.refused(f"{name} has no values to try", "constants", name)
        return tuple(dict.fromkeys(values))

    def _values(self, name: str, written: Any) -> list[Value]:
        """A value, or the numbers of a range."""
        if isinstance(written, str) and ".." in written:
            return list(self._range(name, written))
        if isinstance(written, int | str):
            return [written]
        raise self.refused(
            f'{name} has the value {written!r}: give a number, true, false, a word, a range "1..4", '
            'a list of these, or an expression "= replicas + 1"',
            "constants",
            name,
        )

    def _range(self, name: str, written: str) -> range:
        low, _, high = written.partition("..")
        try:
            numbers = range(int(low), int(high) + 1)
        except ValueError:
            raise self.refused(f'"{written}" is no range of numbers: write "1..4"', "constants", name) from None
        if not 0 < len(numbers) <= _LONGEST_RANGE:
            said = "is empty" if not numbers else f"has more than {_LONGEST_RANGE:,} numbers"
            raise self.refused(f'the range "{written}" of {name} {said}', "constants", name)
        return numbers

    # Limits and conditions

    def _limits(self) -> Limits:
        table = self.inner("limits")
        self.known_keys(table, _LIMITS, "limits")
        seconds = table.get("seconds", _SECONDS)
        if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < seconds < 1e7:
            raise self.refused(f"seconds is a number above 0, not {seconds!r}", "limits", "seconds")
        return Limits(self._whole(table, "states"), self._whole(table, "depth"), float(seconds), self._memory(table))

    def _whole(self, table: dict[str, Any], key: str) -> int | None:
        number = table.get(key)
        if number is not None and (type(number) is not int or number < 1):
            raise self.refused(f"{key} is a whole number above 0, not {number!r}", "limits", key)
        return number

    def _memory(self, table: dict[str, Any]) -> int | None:
        size = table.get("memory", _MEMORY)
        if isinstance(size, str):
            try:
                size = parse_size(size)
            except UsageError:
                size = None
        if type(size) is not int or size < 1:
            raise self.refused(f'memory is bytes or a size such as "2G", not {table["memory"]!r}', "limits", "memory")
        return size

    def _skip(self) -> SpecExpression | None:
        skip = self.table.get("skip")
        if skip is None:
            return None
        if not isinstance(skip, str):
            raise self.refused(f'skip is an expression in quotes, such as "replicas > 3", not {skip!r}', "skip")
        return parse(skip, self.place("skip"))
