"""A spec of the gate as it is written: runs and small grids in TOML, and what is expected of each (docs/gate.md)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isrcheck.engines.registry import WITHOUT_GRAPH
from isrcheck.errors import UsageError, nearest
from isrcheck.gate.words import KNOWN, Answer, parse_answer
from isrcheck.grid.expression import SpecExpression, parse
from isrcheck.grid.places import line_of
from isrcheck.grid.spec import Grid, GridTable

COUNTS = ("distinct", "generated", "depth", "pruned", "digest")
ERRORS = {"assumption false": 10, "model error": 75}  # what a run may be expected to end with instead of a verdict
_TOP = ("title", "defaults", "run", "grid")
_LISTS = ("never", "idle")
_SHARED = ("constants", "limits", "engine", "symmetry", "expect", "rest", "counts", *_LISTS, "strict", "error", "says")
_OWN = {"run": ("name", "model"), "grid": ("name", "models", "skip", "case")}
_DEFAULTS = ("constants", "limits", "engine", "symmetry", "rest", *_LISTS, "strict")
_CASE = ("when", "expect", "counts")
_REST = ("any", "holds")

Counts = dict[str, int | str]


@dataclass(frozen=True)
class Case:
    """What is expected of those cells of a grid for which a condition is true; it goes before what the grid says."""

    when: SpecExpression
    expect: dict[str, Answer]
    counts: Counts


@dataclass(frozen=True)
class Entry:
    """One [[run]] or [[grid]] table. `kind` is run or grid, `position` counts the tables of its kind from 0.

    `rest` says what is expected of the properties that `expect` does not name: `any` leaves them out of the run,
    `holds` asks them all. `never` names actions that are expected never to be taken, `idle` guards that are expected
    never to be false, properties to speak of nothing and claims never to be met. What else is idle is looked for as far
    as that is cheap; `strict` has it looked for to the end (True) or not at all (False). `error` is the exit code of
    the error that the run is expected to end with, and `says` a part of its sentence.
    """

    kind: str
    position: int
    grid: Grid
    engine: str
    symmetry: bool
    expect: dict[str, Answer]
    rest: str
    counts: Counts
    never: tuple[str, ...]
    idle: tuple[str, ...]
    strict: bool | None
    error: int | None
    says: str
    cases: tuple[Case, ...]
    lines: dict[str, int]  # of the keys in expect


@dataclass(frozen=True)
class GateSpec:
    """A whole file."""

    file: Path
    title: str
    entries: tuple[Entry, ...]
    text: str


def read_gate_spec(file: Path) -> GateSpec:
    """The spec in a file. Raises UsageError, in one sentence with line and key, for anything that is none."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{file} cannot be read as a spec: give a TOML file with [[run]] tables.") from None
    return parse_gate_spec(text, file)


def parse_gate_spec(text: str, file: Path) -> GateSpec:
    """The spec of a text; `file` is what its lines are called by. Raises UsageError."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{file} is not TOML: {error}.") from None
    for key in data:
        if key not in _TOP:
            raise UsageError(f"{file}: there is no key {key} at the top of a spec.{nearest(key, _TOP)}")
    title = data.get("title", file.stem)
    if not isinstance(title, str):
        raise UsageError(f"{file}: title is a text, not {title!r}.")
    defaults = _defaults(data.get("defaults", {}), text, file)
    entries = tuple(
        _Table(table, defaults, text, str(file), n, kind).entry()
        for kind in _OWN
        for n, table in enumerate(_tables(data, kind, file))
    )
    if not entries:
        raise UsageError(f'{file} has no [[run]] or [[grid]] table: write [[run]] with model = "..." in it.')
    return GateSpec(file, title, entries, text)


def _tables(data: Mapping[str, Any], kind: str, file: Path) -> list[Any]:
    tables = data.get(kind, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{file}: {kind} is an array of tables: write [[{kind}]].")
    return tables


def _defaults(table: Any, text: str, file: Path) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise UsageError(f"{file}: defaults is a table: write [defaults].")
    for key in table:
        if key not in _DEFAULTS:
            line = next((n for n, words in enumerate(text.splitlines(), 1) if words.strip().startswith(key)), 1)
            raise UsageError(f"{file}:{line}: there is no key {key} in defaults.{nearest(key, _DEFAULTS)}")
    return table


class _Table:
    """One [[run]] or [[grid]] table while it is read, what the defaults say filled in."""

    def __init__(
        self, table: dict[str, Any], defaults: Mapping[str, Any], text: str, name: str, position: int, kind: str
    ) -> None:
        keys = (*_OWN[kind], *_SHARED)
        reader = GridTable(table, text, name, position, kind, keys)
        reader.known_keys(table, keys)
        self._table = _merged(defaults, table)
        self._reader = reader
        self._text, self._name, self._position, self._kind = text, name, position, kind

    def entry(self) -> Entry:
        error = self._error()
        expect = self._answers(self._inner("expect"), "expect")
        entry = Entry(
            kind=self._kind,
            position=self._position,
            grid=self._grid(),
            engine=self._text_of("engine", "native"),
            symmetry=self._truth("symmetry"),
            expect=expect,
            rest=self._word("rest", _REST),
            counts=self._counts(self._inner("counts"), "counts"),
            never=self._words("never"),
            idle=self._words("idle"),
            strict=self._truth("strict") if "strict" in self._table else None,
            error=error,
            says=self._text_of("says", ""),
            cases=tuple(self._case(case, n) for n, case in enumerate(self._cases())),
            lines={name: self._line("expect", name) for name in expect},
        )
        self._check_that_something_is_expected(entry)
        self._check_that_the_engine_can_tell(entry)
        return entry

    # The parts

    def _grid(self) -> Grid:
        own = ("constants", "limits", "name", "models", "skip")
        table = {key: value for key, value in self._table.items() if key in own}
        if self._kind == "run":
            table["models"] = [self._model()]
            self._check_single(table.get("constants", {}))
        return self._reader_of(table).grid()

    def _model(self) -> str:
        model = self._table.get("model")
        if not isinstance(model, str) or not model:
            came = "the run names no model" if model is None else f"model is a text, not {model!r}"
            raise self._refused(f'{came}: write model = "kip-320" or model = "FILE.py:Class"', "model")
        return model

    def _check_single(self, constants: Any) -> None:
        for name, value in constants.items() if isinstance(constants, dict) else ():
            if isinstance(value, list) or (isinstance(value, str) and ".." in value):
                raise self._refused(
                    f"a run has one value of {name}, not {value!r}: several are a [[grid]]", "constants", name
                )

    def _error(self) -> int | None:
        if "error" not in self._table:
            if "says" in self._table:
                raise self._refused('says is part of an expected error: write error = "assumption false" too', "says")
            return None
        for key in ("expect", "counts", "rest", *_LISTS, "strict", "case"):
            if key in self._reader.table:
                raise self._refused(f"a run that ends with an error has no {key}: leave one of the two out", key)
        return ERRORS[self._word("error", tuple(ERRORS))]

    def _answers(self, table: dict[str, Any], *above: str) -> dict[str, Answer]:
        found = {}
        for name, written in table.items():
            answer = parse_answer(written) if isinstance(written, str) else None
            if answer is None:
                raise self._refused(
                    f"{name} is expected to be {written!r}, which is none of {', '.join(map(repr, KNOWN))}",
                    *above,
                    name,
                )
            found[name] = answer
        return found

    def _counts(self, table: dict[str, Any], *above: str) -> Counts:
        self._reader.known_keys(table, COUNTS, *above)
        for key, value in table.items():
            if key == "digest":
                good = isinstance(value, str) and len(value) == 32 and all(c in "0123456789abcdef" for c in value)
                wanted = "the 32 hexadecimal digits that a run prints"
            else:
                good, wanted = type(value) is int and value >= 0, "a whole number"
            if not good:
                raise self._refused(f"{key} is {wanted}, not {value!r}", *above, key)
        return table

    def _cases(self) -> list[Any]:
        cases = self._table.get("case", [])
        if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
            raise self._refused("case is an array of tables: write [[grid.case]]", "case")
        return cases

    def _case(self, table: dict[str, Any], number: int) -> Case:
        self._reader.known_keys(table, _CASE, "case")
        when = table.get("when")
        if not isinstance(when, str):
            came = "has no condition" if when is None else f"has the condition {when!r}"
            raise self._refused(f'case {number + 1} {came}: write when = "replicas > 2"', "case")
        expect, counts = (self._inner(key, table) for key in ("expect", "counts"))
        if not expect and not counts:
            raise self._refused(f"case {number + 1} expects nothing: write expect = {{ ... }} in it", "case")
        place = self._reader.place("case")
        return Case(parse(when, place), self._answers(expect, "case"), self._counts(counts, "case"))

    def _check_that_something_is_expected(self, entry: Entry) -> None:
        counted = entry.counts or any(case.counts for case in entry.cases)
        asked = entry.expect or entry.rest == "holds" or any(case.expect for case in entry.cases)
        if not counted and not asked and entry.error is None:
            raise self._refused(
                f'the {self._kind} expects nothing: write expect = {{ NAME = "holds" }}, counts, rest or error'
            )

    def _check_that_the_engine_can_tell(self, entry: Entry) -> None:
        if entry.engine not in WITHOUT_GRAPH:
            return
        asked = {"counts": entry.counts or any(case.counts for case in entry.cases), "strict": entry.strict}
        for key in (key for key, given in {**asked, "never": entry.never, "idle": entry.idle}.items() if given):
            raise self._refused(
                f"the {entry.engine} engine never sees the whole graph, of which {key} speaks: leave {key} out", key
            )

    # Values

    def _text_of(self, key: str, default: str) -> str:
        value = self._table.get(key, default)
        if not isinstance(value, str):
            raise self._refused(f"{key} is a text, not {value!r}", key)
        return value

    def _word(self, key: str, known: tuple[str, ...]) -> str:
        value = self._table.get(key, known[0])
        if value not in known:
            raise self._refused(f"{key} is one of {', '.join(known)}, not {value!r}", key)
        return str(value)

    def _truth(self, key: str) -> bool:
        value = self._table.get(key, False)
        if not isinstance(value, bool):
            raise self._refused(f"{key} is true or false, not {value!r}", key)
        return value

    def _words(self, key: str) -> tuple[str, ...]:
        return self._reader_of(self._table).words(key) or ()

    def _inner(self, key: str, table: Mapping[str, Any] | None = None) -> dict[str, Any]:
        value = (self._table if table is None else table).get(key, {})
        if not isinstance(value, dict):
            raise self._refused(f"{key} is a table, such as {key} = {{ name = ... }}, not {value!r}", key)
        return value

    def _reader_of(self, table: dict[str, Any]) -> GridTable:
        keys = (*_OWN[self._kind], *_SHARED, "models")
        return GridTable(table, self._text, self._name, self._position, self._kind, keys)

    def _line(self, *keys: str) -> int:
        return line_of(self._text, self._kind, self._position, *keys)

    def _refused(self, sentence: str, *keys: str) -> UsageError:
        return self._reader.refused(sentence, *keys)


def _merged(defaults: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """A table over the defaults; of constants and limits each name by itself."""
    whole = {**defaults, **table}
    for key in ("constants", "limits"):
        if isinstance(defaults.get(key), dict) and isinstance(table.get(key), dict):
            whole[key] = {**defaults[key], **table[key]}
    if "error" in table:
        for key in ("rest", *_LISTS, "strict"):
            if key not in table:
                whole.pop(key, None)
    return whole
