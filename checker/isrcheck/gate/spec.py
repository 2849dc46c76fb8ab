"""A spec of the gate, as it is written, with the answers that it expects of a property."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from isrcheck.engines.registry import WITHOUT_GRAPH
from isrcheck.errors import UsageError, nearest
from isrcheck.grid.spec import Condition, Grid, RunKeys, SpecExpression, grid_of, parse
from isrcheck.grid.toml_table import Inner, TablePlace, Texts, TomlString, Truth, parse_toml, read_toml, tables_of
from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.outcome import PropertyOutcome

HOLDS, VIOLATED, REACHED = "holds", "violated", "reached"
NEVER_REACHED, DOES_NOT_APPLY, UNDETERMINED = "never reached", "does not apply", "undetermined"

_WRITTEN = re.compile(
    rf"({HOLDS}|{NEVER_REACHED}|{DOES_NOT_APPLY})"
    rf"|({VIOLATED}|{REACHED})(?: in (?:(\d{{1,9}}) steps?|the initial state))?"
)
# What the model and its bounds decide, and no limit of a run.
_OF_BOUNDS = re.compile(
    r"(?:the bound on \S.*|a bound|the constraint \S.*) stops it"
    r"|the bounds stop every fair behaviour|the search for cycles ended at a constraint"
)
# As `check` prints a behaviour that violates a temporal property (run/trace.py).
_CYCLE = re.compile(rf"{VIOLATED}: a cycle of (\d{{1,9}}) steps? after (\d{{1,9}})")
_WAITS = re.compile(rf"{VIOLATED}: stops for ever after (\d{{1,9}}) steps?")
STOPPED = f"{UNDETERMINED}: the bound on max_records stops it"
KNOWN = (HOLDS, "violated in 9 steps", VIOLATED, "reached in 3 steps", REACHED, NEVER_REACHED, DOES_NOT_APPLY, STOPPED)


@dataclass(frozen=True)
class Answer:
    """An expected or actual answer of a property. `steps` are those of the shortest trace."""

    verdict: str
    steps: int | None = None  # None: any
    bound: str = ""  # why it stays undetermined however long one searches: a sentence without its end

    def __str__(self) -> str:
        if self.bound:
            return f"{self.verdict}: {self.bound}"
        if self.steps is None:
            return self.verdict
        return f"{self.verdict} in {self.steps} step{'' if self.steps == 1 else 's'}"

    def is_met_by(self, actual: "Answer") -> bool:
        return (self.verdict, self.bound) == (actual.verdict, actual.bound) and self.steps in (None, actual.steps)

    @property
    def is_of_reachability(self) -> bool:
        return self.verdict in (REACHED, NEVER_REACHED)


def parse_answer(sentence: str) -> Answer | None:
    """Parse an answer as a spec has it; None if it is not understood."""
    words = " ".join(sentence.split())
    if words.startswith(f"{UNDETERMINED}: "):
        return _answer_of_bounds(words.removeprefix(f"{UNDETERMINED}: "))
    match = _WRITTEN.fullmatch(words)
    if not match:
        return None
    if match[1]:
        return Answer(match[1])
    if match[0].endswith("the initial state"):
        return Answer(match[2], 0)
    return Answer(match[2], int(match[3]) if match[3] else None)


def refusal_of_answer(written: object) -> str:
    """Return what is wrong with an answer, and what to write where it is as `check` prints it."""
    words = " ".join(written.split()) if isinstance(written, str) else ""
    cycle, waits = _CYCLE.fullmatch(words), _WAITS.fullmatch(words)
    if words == "holds within bounds":
        return f"as check prints it: write {HOLDS!r}"
    if cycle:
        return f"as check prints it: write {str(Answer(VIOLATED, int(cycle[1]) + int(cycle[2])))!r}, the steps of both"
    if waits:
        return f"as check prints it: write {str(Answer(VIOLATED, int(waits[1])))!r}"
    return f"none of {', '.join(map(repr, KNOWN))}"


def answer_of(outcome: PropertyOutcome) -> Answer:
    if outcome.verdict is Verdict.UNDETERMINED:
        return _answer_of_bounds(outcome.reason.partition(", at ")[0]) or Answer(UNDETERMINED)
    steps = outcome.trace.length - 1 if outcome.trace else None
    if outcome.kind.holds_by_target:
        return Answer(REACHED, steps) if outcome.verdict is Verdict.HOLDS else Answer(NEVER_REACHED)
    return Answer(VIOLATED, steps) if outcome.verdict is Verdict.VIOLATED else Answer(HOLDS)


def _answer_of_bounds(reason: str) -> Answer | None:
    """The undetermined answer for a reason that is a bound's, else None."""
    return Answer(UNDETERMINED, bound=reason) if _OF_BOUNDS.fullmatch(reason) else None


ERRORS = {"assumption false": 10, "model error": 75}  # what a run may end with, if expected
CONTROLLER = ("controller_jars", "controller_release")
_DEFAULTS = (
    "constants",
    "limits",
    "engine",
    "symmetry",
    "fairness",
    "rest",
    "never",
    "vacuous",
    "strict",
    *CONTROLLER,
)

Counts = dict[str, int | str]

_Count = Annotated[int, msgspec.Meta(ge=0, description="a whole number")]
_DIGITS = "the 32 hexadecimal digits that a run prints"
_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$", description=_DIGITS)]


class _Counts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    distinct: _Count | None = None
    generated: _Count | None = None
    depth: _Count | None = None
    pruned: _Count | None = None
    digest: _Digest | None = None


_CountTable = Annotated[_Counts, msgspec.Meta(description="a table, such as {key} = {{ name = 1 }}")]


class _Case(msgspec.Struct, forbid_unknown_fields=True):
    when: Annotated[Any, msgspec.Meta(description="a condition")] = None
    expect: Inner = {}
    counts: _CountTable = _Counts()


class _Expectations(RunKeys, kw_only=True):
    engine: TomlString = "native"
    symmetry: Truth = False
    fairness: Texts = ()
    controller_jars: TomlString = ""
    controller_release: TomlString = ""
    expect: Inner = msgspec.field(default_factory=dict)
    rest: Annotated[Literal["any", "holds"], msgspec.Meta(description="one of any, holds")] = "any"
    counts: _CountTable = _Counts()
    never: Texts = ()
    vacuous: Texts = ()
    strict: Truth | None = None
    error: Annotated[
        Literal["assumption false", "model error"] | None,
        msgspec.Meta(description="one of assumption false, model error"),
    ] = None
    says: TomlString = ""


class _GateRun(_Expectations, kw_only=True):
    model: Any = None


class _GateGrid(_Expectations, kw_only=True):
    models: Texts = ()
    skip: Condition | None = None
    case: Annotated[list[_Case], msgspec.Meta(description="an array of tables: write [[grid.case]]")] = msgspec.field(
        default_factory=list
    )


_KINDS: dict[str, type[_GateRun] | type[_GateGrid]] = {"run": _GateRun, "grid": _GateGrid}


@dataclass(frozen=True)
class Case:
    """The expectations for those cells for which a condition is true; they override those of the grid."""

    when: SpecExpression
    expect: dict[str, Answer]
    counts: Counts


@dataclass(frozen=True)
class RunTerms:
    spec: Path = Path()
    kind: str = "grid"
    position: int = 0  # among its kind
    line: int = 0
    symmetry: bool = False
    fairness: tuple[str, ...] = ()
    controller_jars: str = ""
    controller_release: str = ""
    never: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()
    strict: bool | None = False  # None: looked for where that is cheap, True: to the end, False: not at all
    error: int | None = None  # an exit code
    says: str = ""  # in its sentence
    lines: Mapping[str, int] = field(default_factory=dict)

    def place(self, name: str = "") -> str:
        """FILE:LINE of the table, or of what is expected of this property."""
        return f"{self.spec}:{self.lines.get(name, self.line)}"


@dataclass(frozen=True)
class SpecTable:
    terms: RunTerms
    grid: Grid
    expect: dict[str, Answer]
    rest: str  # what `expect` does not name: left out (`any`), or asked to hold (`holds`)
    counts: Counts
    cases: tuple[Case, ...]


def read_gate_spec(file: Path) -> tuple[SpecTable, ...]:
    return parse_gate_spec(read_toml(file, "[[run]]"), file)


def parse_gate_spec(source: str, file: Path) -> tuple[SpecTable, ...]:
    """Parse a spec's TOML; `file` is what its lines are called by. Raises UsageError."""
    data = parse_toml(source, str(file), ("title", "defaults", *_KINDS))
    if not isinstance(data.get("title", ""), str):
        raise UsageError(f"{file}: title is a text, not {data['title']!r}.")
    defaults = data.get("defaults", {})
    if not isinstance(defaults, dict):
        raise UsageError(f"{file}: defaults is a table: write [defaults].")
    tables = {kind: tables_of(data, kind, str(file)) for kind in _KINDS}
    for key in defaults:
        if key not in _DEFAULTS:
            line = next((n for n, words in enumerate(source.splitlines(), 1) if words.strip().startswith(key)), 1)
            raise UsageError(f"{file}:{line}: there is no key {key} in defaults.{nearest(key, _DEFAULTS)}")
    entries = tuple(
        _TableReader(_with_defaults(defaults, table), TablePlace(source, str(file), kind, number)).read()
        for kind in _KINDS
        for number, table in enumerate(tables[kind])
    )
    if not entries:
        raise UsageError(f'{file} has no [[run]] or [[grid]] table: write [[run]] with model = "..." in it.')
    return entries


def _with_defaults(defaults: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**defaults, **table}
    for key in ("constants", "limits"):
        if isinstance(defaults.get(key), dict) and isinstance(table.get(key), dict):
            merged[key] = {**defaults[key], **table[key]}
    if "error" in table:
        for key in ("rest", "never", "vacuous", "strict"):
            if key not in table:
                merged.pop(key, None)
    return merged


class _TableReader:
    def __init__(self, keys: dict[str, Any], at: TablePlace) -> None:
        self._keys, self._at = keys, at

    def read(self) -> SpecTable:
        at, keys = self._at, self._keys
        table = at.read(keys, _KINDS[at.header])
        self._check_error()
        said: dict[str, Any] = {name: getattr(table, name) for name in ("symmetry", "strict", "says", *CONTROLLER)}
        said |= {name: tuple(dict.fromkeys(getattr(table, name))) for name in ("never", "vacuous", "fairness")}
        said |= {"error": ERRORS.get(table.error or "")}
        lines = {name: at.line("expect", name) for name in table.expect}
        terms = RunTerms(Path(at.name), at.header, at.position, at.line(), lines=lines, **said)
        cases = table.case if isinstance(table, _GateGrid) else []
        of_cases = tuple(self._case(case, keys["case"][n], n + 1) for n, case in enumerate(cases))
        grid, expect = self._grid(table), self._answers(table.expect)
        table_of_spec = SpecTable(terms, grid, expect, table.rest, keys.get("counts", {}), of_cases)
        self._check_what_is_expected(table_of_spec)
        return table_of_spec

    def _grid(self, table: _GateRun | _GateGrid) -> Grid:
        if isinstance(table, _GateGrid):
            return grid_of(table, self._at, table.models, table.skip, engine=table.engine)
        if not isinstance(table.model, str) or not table.model:
            came = "the run names no model" if table.model is None else f"model is a text, not {table.model!r}"
            raise self._at.refusal(f'{came}: write model = "kip-320" or model = "FILE.py:Class"', "model")
        for name, value in table.constants.items():
            if isinstance(value, list) or (isinstance(value, str) and ".." in value):
                sentence = f"a run has one value of {name}, not {value!r}: several are a [[grid]]"
                raise self._at.refusal(sentence, "constants", name)
        return grid_of(table, self._at, (table.model,), engine=table.engine)

    def _check_error(self) -> None:
        if "error" not in self._keys:
            if "says" in self._keys:
                sentence = 'says is part of an expected error: write error = "assumption false" too'
                raise self._at.refusal(sentence, "says")
            return
        for key in ("expect", "counts", "rest", "never", "vacuous", "strict", "case"):
            if key in self._keys:
                sentence = f"a run that ends with an error has no {key}: leave one of the two out"
                raise self._at.refusal(sentence, key)

    def _answers(self, table: Mapping[str, Any], *above: str) -> dict[str, Answer]:
        answers = {}
        for name, written in table.items():
            answer = parse_answer(written) if isinstance(written, str) else None
            if answer is None:
                sentence = f"{name} is expected to be {written!r}, which is {refusal_of_answer(written)}"
                raise self._at.refusal(sentence, *above, name)
            answers[name] = answer
        return answers

    def _case(self, case: _Case, keys: Mapping[str, Any], number: int) -> Case:
        if not isinstance(case.when, str):
            came = "has no condition" if case.when is None else f"has the condition {case.when!r}"
            raise self._at.refusal(f'case {number} {came}: write when = "replicas > 2"', "case")
        counts = keys.get("counts", {})
        if not case.expect and not counts:
            raise self._at.refusal(f"case {number} expects nothing: write expect = {{ ... }} in it", "case")
        return Case(parse(case.when, self._at.place("case")), self._answers(case.expect, "case"), counts)

    def _check_what_is_expected(self, table: SpecTable) -> None:
        terms, engine = table.terms, table.grid.engine
        counts = table.counts or any(case.counts for case in table.cases)
        asked = table.expect or table.rest == "holds" or any(case.expect for case in table.cases)
        if not counts and not asked and terms.error is None:
            sentence = 'expects nothing: write expect = { NAME = "holds" }, counts, rest or error'
            raise self._at.refusal(f"the {self._at.header} {sentence}")
        of_graph = {"counts": counts, "strict": terms.strict, "never": terms.never, "vacuous": terms.vacuous}
        for key, given in of_graph.items():
            if given and engine in WITHOUT_GRAPH:
                sentence = f"the {engine} engine never sees the whole graph, of which {key} speaks"
                raise self._at.refusal(f"{sentence}: leave {key} out", key)
