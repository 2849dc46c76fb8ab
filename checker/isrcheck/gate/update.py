"""Specs rewritten so that they expect what was found, their comments and order kept; the difference comes first."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AoT

from isrcheck.files import write_aside
from isrcheck.gate.judge import Finding, GateVerdict, JudgedCell, Status
from isrcheck.gate.result import Ran
from isrcheck.gate.vacuity import VacuityFinding
from isrcheck.run.outcome import Outcome

_LISTS = {"action": "never", "idle": "idle"}  # the key of a table, by the kind of a finding that takes from its list
Table = tuple[str, int]  # run or grid, and which


def rewritable(judged: JudgedCell, finding: Finding) -> bool:
    """Whether a finding is another answer, which a spec can expect; what has no answer is never rewritten."""
    return finding.status is Status.DIFFERS and isinstance(judged.result, Ran) and judged.cell.error is None


def rewritten(verdict: GateVerdict) -> dict[Path, tuple[str, str]]:
    """The text of each spec that would change: as it is, and as it would be."""
    texts = {}
    for spec in dict.fromkeys(j.cell.spec for j in verdict.cells):
        own = [j for j in verdict.cells if j.cell.spec == spec]
        cells = [j for j in own if any(rewritable(j, f) for f in j.findings)]
        idle = _idle_tables(verdict.idle, own)
        if cells or idle:
            before = spec.read_text(encoding="utf-8")
            texts[spec] = (before, _rewrite(before, cells, idle))
    return texts


def left_idle(verdict: GateVerdict) -> tuple[VacuityFinding, ...]:
    """What stays idle after a rewriting: it is in no table of which it could be expected."""
    return tuple(i for i in verdict.idle if not _idle_tables((i,), verdict.cells))


def difference(texts: Mapping[Path, tuple[str, str]]) -> Iterator[str]:
    """The lines of a unified diff."""
    for spec, (before, after) in texts.items():
        yield from difflib.unified_diff(
            before.splitlines(), after.splitlines(), f"{spec} (expected)", f"{spec} (found)", lineterm=""
        )


def write(texts: Mapping[Path, tuple[str, str]]) -> None:
    """The specs as they would be. Raises UsageError if one cannot be written."""
    for spec, (_, after) in texts.items():
        write_aside(spec, after)


def _idle_tables(
    idle: Iterable[VacuityFinding], cells: Iterable[JudgedCell]
) -> list[tuple[Table, VacuityFinding, JudgedCell]]:
    """The tables that would have to say what is idle: those of which every run has it so. One run of each, besides."""
    tables: dict[Table, list[JudgedCell]] = {}
    for judged in cells:
        tables.setdefault((judged.cell.kind, judged.cell.position), []).append(judged)
    return [
        (table, each, runs[0])
        for table, runs in tables.items()
        for each in idle
        if all(judged.cell.model == each.model and _has_it_idle(judged, each) for judged in runs)
    ]


def _has_it_idle(judged: JudgedCell, idle: VacuityFinding) -> bool:
    whole = judged.result.whole if isinstance(judged.result, Ran) else None
    if whole is None:
        return False
    if idle.kind == "action":
        return idle.what in whole.never_taken
    return any(part.written == idle.written for part in whole.idle)


def _rewrite(text: str, cells: list[JudgedCell], idle: list[tuple[Table, VacuityFinding, JudgedCell]]) -> str:
    document = tomlkit.parse(text)
    tables: Any = document
    for (kind, position), each, judged in idle:
        key = "never" if each.kind == "action" else "idle"
        inherited = {"never": judged.cell.never, "idle": judged.cell.idle}[key]
        _expect_idle(tables[kind][position], key, inherited, each.written)
    for judged in cells:
        cell = judged.cell
        found = [f for f in judged.findings if rewritable(judged, f)]
        table = tables[cell.kind][cell.position]
        for finding in (f for f in found if f.kind in _LISTS):
            key = _LISTS[finding.kind]
            _drop(table, key, {"never": cell.never, "idle": cell.idle}[key], finding.what.removeprefix(f"{key} "))
        answers = [f for f in found if f.kind not in _LISTS]
        if answers:
            _set(_case(table, judged) if cell.kind == "grid" else table, judged, answers)
    return tomlkit.dumps(document)


def _set(table: Any, judged: JudgedCell, findings: list[Finding]) -> None:
    for finding in findings:
        key = "expect" if finding.kind == "property" else "counts"
        if key not in table:
            table[key] = tomlkit.inline_table()
        table[key][finding.what] = finding.found if key == "expect" else _count(judged, finding.what)


def _count(judged: JudgedCell, name: str) -> int | str:
    assert isinstance(judged.result, Ran)
    whole: Outcome | None = judged.result.whole
    value: int | str = getattr(whole, name)
    return value


def _drop(table: Any, key: str, inherited: tuple[str, ...], written: str) -> None:
    kept = [name for name in table.get(key, inherited) if name != written]
    if kept:
        table[key] = kept
    else:
        table.pop(key, None)


def _expect_idle(table: Any, key: str, inherited: tuple[str, ...], written: str) -> None:
    """Adds it to the table's list; a new one stands above the inner tables, where TOML has a table's own keys."""
    if key in table:
        table[key].append(written)
        return
    after = [(name, table.pop(name)) for name in list(table) if isinstance(table[name], (tomlkit.items.Table, AoT))]
    table[key] = [*inherited, written]
    for name, inner in after:
        table[name] = inner


# A cell of a grid


def _case(table: Any, judged: JudgedCell) -> Any:
    """A new case of a grid, for this cell alone: the last that applies counts."""
    case = tomlkit.table()
    case["when"] = _condition(table, judged)
    if "case" not in table:
        table["case"] = AoT([])
    table["case"].append(case)
    return table["case"][-1]


def _condition(table: Any, judged: JudgedCell) -> str:
    cell = judged.cell
    parts = [f'model == "{cell.model}"']
    parts += [
        f"{name} == {_literal(cell.constants[name])}" for name in table.get("constants", {}) if name in cell.constants
    ]
    return " and ".join(parts)


def _literal(written: str) -> str:
    """A constant as an expression has it: a number, True or False, or a word in quotes."""
    if written in ("true", "false"):
        return written.capitalize()
    return written if written.isdigit() else f'"{written}"'
