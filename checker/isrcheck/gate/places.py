"""Where what findings name is written."""

from dataclasses import dataclass
from pathlib import Path

from isrcheck.catalogue import find_model
from isrcheck.errors import IsrcheckError
from isrcheck.gate.cells import GateCell
from isrcheck.gate.judge import Finding
from isrcheck.gate.vacuity import VacuityFinding
from isrcheck.lang.read import read_model
from isrcheck.place import Place
from isrcheck.wrap import first_paragraph


@dataclass(frozen=True)
class SourceText:
    place: Place
    sentence: str = ""


def source_of(model: str, name: str) -> SourceText | None:
    """A property or an action of a model, else the model; None if it cannot be read."""
    try:
        ir = read_model(find_model(model))
    except IsrcheckError:
        return None
    part = next((part for part in (*ir.properties, *ir.temporal, *ir.actions) if part.name == name), ir)
    return SourceText(part.at, first_paragraph(part.doc))


def in_spec(cell: GateCell, finding: Finding) -> Place:
    return Place(str(cell.terms.spec), cell.terms.lines.get(finding.what, cell.terms.line))


def of_finding(cell: GateCell, finding: Finding) -> SourceText:
    name = finding.what.removeprefix("never ").removeprefix("vacuous ").partition(":")[0]
    return source_of(cell.model, name) or SourceText(in_spec(cell, finding))


def of_vacuity(vacuous: VacuityFinding) -> SourceText:
    return source_of(vacuous.model, vacuous.what) or SourceText(Place(vacuous.model, 1))


def relative(file: str) -> str:
    """A path from the working directory, where it lies below it; with slashes."""
    try:
        return Path(file).resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return Path(file).as_posix()
