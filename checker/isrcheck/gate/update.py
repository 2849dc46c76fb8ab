"""Specs rewritten so that they expect what was found, their comments and order kept; the difference comes first."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AoT

from isrcheck.gate.judge import Finding, GateVerdict, JudgedCell, Status, VacuityFinding
from isrcheck.gate.spec import RunTerms, parse_answer
from isrcheck.gate.worker import Ran

_WIDEST_LIST = 80  # characters
_LISTS = {"action": "never", "vacuous": "vacuous"}  # by kind of finding


def rewritable(judged: JudgedCell, finding: Finding) -> bool:
    """Whether a finding is another answer, which a spec can expect."""
    is_answer = finding.status is Status.DIFFERS
    if finding.status is Status.UNDETERMINED and finding.kind == "property":
        is_answer = parse_answer(finding.actual) is not None  # a bound's, and no limit's
    return is_answer and isinstance(judged.result, Ran) and judged.cell.terms.error is None


def rewrite(verdict: GateVerdict) -> dict[Path, tuple[str, str]]:
    by_spec: dict[Path, list[JudgedCell]] = {}
    for judged in verdict.cells:
        by_spec.setdefault(judged.cell.terms.spec, []).append(judged)
    texts = {}
    for spec, own in by_spec.items():
        cells = [judged for judged in own if any(rewritable(judged, finding) for finding in judged.findings)]
        vacuous = _vacuity_tables(verdict.vacuous, own)
        if cells or vacuous:
            before = spec.read_text(encoding="utf-8")
            texts[spec] = (before, _rewrite(before, cells, vacuous))
    return texts


def still_vacuous(verdict: GateVerdict) -> tuple[VacuityFinding, ...]:
    """The vacuity that remains after a rewriting: no table of a spec can expect it."""
    return tuple(i for i in verdict.vacuous if not _vacuity_tables((i,), verdict.cells))


def difference(texts: Mapping[Path, tuple[str, str]]) -> Iterator[str]:
    for spec, (before, after) in texts.items():
        yield from difflib.unified_diff(
            before.splitlines(), after.splitlines(), f"{spec} (expected)", f"{spec} (found)", lineterm=""
        )


def _vacuity_tables(
    vacuous: Iterable[VacuityFinding], cells: Iterable[JudgedCell]
) -> list[tuple[RunTerms, VacuityFinding]]:
    """The tables that would have to say what is vacuous: it is so in all their runs."""
    tables: dict[tuple[Path, str, int], list[JudgedCell]] = {}
    for judged in cells:
        terms = judged.cell.terms
        tables.setdefault((terms.spec, terms.kind, terms.position), []).append(judged)
    return [
        (runs[0].cell.terms, each)
        for runs in tables.values()
        for each in vacuous
        if all(judged.cell.model == each.model and _has_it_vacuous(judged, each) for judged in runs)
    ]


def _has_it_vacuous(judged: JudgedCell, vacuous: VacuityFinding) -> bool:
    complete = judged.result.complete if isinstance(judged.result, Ran) else None
    if complete is None:
        return False
    if vacuous.kind == "action":
        return vacuous.what in complete.dead_actions
    return any(candidate.written == vacuous.written for candidate in complete.vacuous)


def _rewrite(source: str, cells: list[JudgedCell], vacuous: list[tuple[RunTerms, VacuityFinding]]) -> str:
    document: Any = tomlkit.parse(source)
    for terms, each in vacuous:
        kind = "action" if each.kind == "action" else "vacuous"
        _expect_vacuous(document[terms.kind][terms.position], kind, terms, each.written)
    for judged in cells:
        terms = judged.cell.terms
        table = document[terms.kind][terms.position]
        findings = [finding for finding in judged.findings if rewritable(judged, finding)]
        answers = [finding for finding in findings if finding.kind not in _LISTS]
        for finding in findings:
            if finding.kind in _LISTS:
                _drop(table, finding, terms)
        if answers and terms.kind == "grid":
            table = _case(table, judged)
        for finding in answers:
            assert isinstance(judged.result, Ran)
            key, new = "expect", finding.actual
            if finding.kind != "property":
                key, new = "counts", getattr(judged.result.complete, finding.what)
            if key not in table:
                table[key] = tomlkit.inline_table()
            table[key][finding.what] = new
    return tomlkit.dumps(document)


def _drop(table: Any, finding: Finding, terms: RunTerms) -> None:
    key, dropped = _LISTS[finding.kind], finding.what.partition(" ")[2]
    kept = [name for name in table.get(key, getattr(terms, key)) if name != dropped]
    if kept:
        table[key] = kept
    else:
        table.pop(key, None)


def _expect_vacuous(table: Any, kind: str, terms: RunTerms, written: str) -> None:
    """Adds it to the table's list; a new one stands above inner tables, as TOML wants it."""
    key = _LISTS[kind]
    if key in table:
        table[key].append(written)
        return
    after = [(name, table.pop(name)) for name in list(table) if isinstance(table[name], (tomlkit.items.Table, AoT))]
    table[key] = _lines_of([*getattr(terms, key), written])
    for name, inner in after:
        table[name] = inner


def _lines_of(names: list[str]) -> Any:
    """Return an array of TOML, one name a line if together they are wide."""
    array = tomlkit.array()
    array.extend(names)
    return array.multiline(sum(map(len, names)) > _WIDEST_LIST)


def _case(table: Any, judged: JudgedCell) -> Any:
    cell, case = judged.cell, tomlkit.table()
    chosen = [name for name in table.get("constants", {}) if name in cell.constants]
    conditions = [f"{name} == {_literal(cell.constants[name])}" for name in chosen]
    case["when"] = " and ".join([f'model == "{cell.model}"', *conditions])
    if "case" not in table:
        table["case"] = AoT([])
    table["case"].append(case)
    return table["case"][-1]


def _literal(written: str) -> str:
    if written in ("true", "false"):
        return written.capitalize()
    return written if written.isdigit() else f'"{written}"'
