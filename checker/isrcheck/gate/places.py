"""Places of findings: in the user's own text, and where the property is defined."""

from dataclasses import dataclass

from isrcheck.catalogue import find_model
from isrcheck.errors import IsrcheckError
from isrcheck.gate.cells import GateCell
from isrcheck.gate.judge import Finding, VacuityFinding, is_own_text
from isrcheck.ir.model import ModelIR
from isrcheck.lang.read import read_model
from isrcheck.place import Place
from isrcheck.wrap import first_paragraph


@dataclass(frozen=True)
class SourceText:
    place: Place
    sentence: str = ""


@dataclass(frozen=True)
class FindingPlace:
    """The place of a finding in the user's file or spec; `definition` is what it names, if defined elsewhere."""

    place: Place
    sentence: str = ""  # of what the finding names
    definition: SourceText | None = None


def source_of(model: str, name: str) -> SourceText | None:
    """Return a property or an action of a model, else the model's class; None if the model cannot be read."""
    ir = _ir_of(model)
    if ir is None:
        return None
    named = next((each for each in (*ir.properties, *ir.temporal, *ir.actions) if each.name == name), ir)
    return SourceText(named.at, first_paragraph(named.doc))


def _ir_of(model: str) -> ModelIR | None:
    try:
        return read_model(find_model(model))
    except IsrcheckError:
        return None


def spec_place(cell: GateCell, finding: Finding) -> Place:
    """Return the line of the spec that expects what a finding names; its table's line where no line does."""
    return Place(str(cell.terms.spec), cell.terms.lines.get(finding.what, cell.terms.line))


def place_of_finding(cell: GateCell, finding: Finding) -> FindingPlace:
    name = finding.what.removeprefix("never ").removeprefix("vacuous ").partition(":")[0]
    return _own_place(cell.model, name, spec_place(cell, finding))


def place_of_vacuity(vacuous: VacuityFinding) -> FindingPlace:
    return _own_place(vacuous.model, vacuous.what, vacuous.spec)


def _own_place(model: str, name: str, spec: Place) -> FindingPlace:
    """Return the definition's place in the user's own text, else that of what the model changes, else the spec's."""
    source, ir = source_of(model, name), _ir_of(model)
    if source is None or ir is None:
        return FindingPlace(spec)
    if is_own_text(source.place.file):
        return FindingPlace(source.place, source.sentence)
    changed = _place_of_change(ir)
    own = changed if is_own_text(changed.file) else spec
    return FindingPlace(own, source.sentence, source if source.place != ir.at else None)


def _place_of_change(ir: ModelIR) -> Place:
    """Return the place of the policy that a class fills if it fills one alone, else that of the class."""
    filled = [ir.helpers[name].at for name in ir.filled if name in ir.helpers]
    return filled[0] if len(filled) == 1 else ir.at
