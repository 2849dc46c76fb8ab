"""Specs rewritten so that they expect what was found, their comments and order kept; the difference comes first."""

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AoT

from isrcheck.evidence.outcome import Outcome
from isrcheck.files import write_aside
from isrcheck.gate.judge import Finding, Judged, Status, Verdict
from isrcheck.gate.result import Ran


def rewritable(judged: Judged, finding: Finding) -> bool:
    """Whether a finding is another answer, which a spec can expect; what has no answer is never rewritten."""
    return finding.status is Status.DIFFERS and isinstance(judged.result, Ran) and judged.cell.error is None


def rewritten(verdict: Verdict) -> dict[Path, tuple[str, str]]:
    """The text of each spec that would change: as it is, and as it would be."""
    texts = {}
    for spec in dict.fromkeys(j.cell.spec for j in verdict.cells):
        cells = [j for j in verdict.cells if j.cell.spec == spec and any(rewritable(j, f) for f in j.findings)]
        if cells:
            before = spec.read_text(encoding="utf-8")
            texts[spec] = (before, _rewrite(before, cells))
    return texts


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


def _rewrite(text: str, cells: list[Judged]) -> str:
    document = tomlkit.parse(text)
    tables: Any = document
    for judged in cells:
        cell = judged.cell
        found = [f for f in judged.findings if rewritable(judged, f)]
        table = tables[cell.kind][cell.position]
        for finding in (f for f in found if f.kind == "action"):
            _drop_never(table, cell.never, finding.what.removeprefix("never "))
        answers = [f for f in found if f.kind != "action"]
        if answers:
            _set(_case(table, judged) if cell.kind == "grid" else table, judged, answers)
    return tomlkit.dumps(document)


def _set(table: Any, judged: Judged, findings: list[Finding]) -> None:
    for finding in findings:
        key = "expect" if finding.kind == "property" else "counts"
        if key not in table:
            table[key] = tomlkit.inline_table()
        table[key][finding.what] = finding.found if key == "expect" else _count(judged, finding.what)


def _count(judged: Judged, name: str) -> int | str:
    assert isinstance(judged.result, Ran)
    whole: Outcome | None = judged.result.whole
    value: int | str = getattr(whole, name)
    return value


def _drop_never(table: Any, never: tuple[str, ...], action: str) -> None:
    kept = [name for name in table.get("never", never) if name != action]
    if kept:
        table["never"] = kept
    else:
        table.pop("never", None)


# A cell of a grid


def _case(table: Any, judged: Judged) -> Any:
    """A new case of a grid, for this cell alone: the last that applies counts."""
    case = tomlkit.table()
    case["when"] = _condition(table, judged)
    if "case" not in table:
        table["case"] = AoT([])
    table["case"].append(case)
    return table["case"][-1]


def _condition(table: Any, judged: Judged) -> str:
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
