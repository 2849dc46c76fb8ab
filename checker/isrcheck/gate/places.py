"""Where the things that findings speak of are written: properties and actions in their model, cells in their spec."""

from dataclasses import dataclass
from pathlib import Path

from isrcheck.catalogue import find_model
from isrcheck.errors import IsrcheckError
from isrcheck.gate.cells import GateCell
from isrcheck.gate.judge import Finding
from isrcheck.gate.vacuity import VacuityFinding
from isrcheck.lang.read import read_model
from isrcheck.place import Place


@dataclass(frozen=True)
class SourceText:
    """A property, an action or a model: where it is written, and its first sentence."""

    name: str
    place: Place
    sentence: str


@dataclass(frozen=True)
class ModelIndex:
    """What a model's text has, by name."""

    model: SourceText
    properties: dict[str, SourceText]
    actions: dict[str, SourceText]


def index(model: str) -> ModelIndex | None:
    """What a model has; None if it cannot be read, which a finding then says."""
    try:
        ir = read_model(find_model(model))
    except IsrcheckError:
        return None
    return ModelIndex(
        SourceText(model, ir.at, _first(ir.doc)),
        {p.name: SourceText(p.name, p.at, _first(p.doc)) for p in ir.properties},
        {a.name: SourceText(a.name, a.at, _first(a.doc)) for a in ir.actions},
    )


def _first(doc: str) -> str:
    return " ".join(doc.split("\n\n")[0].split())


def in_spec(cell: GateCell, finding: Finding) -> Place:
    """The line of the spec that expects it."""
    return Place(str(cell.terms.spec), cell.terms.lines.get(finding.what, cell.terms.line))


def of_finding(cell: GateCell, finding: Finding) -> SourceText:
    """What a finding speaks of; the spec's own line where the model has no text for it."""
    known = index(cell.model)
    if known is None:
        return SourceText(finding.what, in_spec(cell, finding), "")
    name = finding.what.removeprefix("never ").removeprefix("vacuous ").partition(":")[0]
    return known.properties.get(name) or known.actions.get(name) or known.model


def of_vacuity(vacuous: VacuityFinding) -> SourceText:
    """What has never been used."""
    known = index(vacuous.model)
    if known is None:
        return SourceText(vacuous.what, Place(vacuous.model, 1), "")
    return known.actions.get(vacuous.what) or known.properties.get(vacuous.what) or known.model


def relative(file: str) -> str:
    """A path from the working directory, with slashes, where it lies below it; else as it is."""
    try:
        return Path(file).resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return Path(file).as_posix()
