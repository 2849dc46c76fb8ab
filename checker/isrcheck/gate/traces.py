"""Traces and drawings of what differed, in a folder."""

import hashlib
from pathlib import Path

from isrcheck.evidence.forms.table import rendered
from isrcheck.files import file_stem, write_aside
from isrcheck.gate.judge import GateVerdict, Status

FORMS = ("svg", "txt")


def save_what_differed(verdict: GateVerdict, folder: Path) -> list[Path]:
    """FOLDER/MODEL-CONSTANTS-PROPERTY.json and its drawings; constants are a hash. Returns the traces written."""
    written = []
    for judged in verdict.cells:
        for finding in judged.wrong:
            if finding.trace and finding.status is Status.DIFFERS:
                cell = judged.cell
                constants = hashlib.sha256(cell.name.encode()).hexdigest()[:8]
                stem = f"{file_stem(cell.model)}-{constants}-{file_stem(finding.what)}"
                file = folder / f"{stem}.json"
                write_aside(file, finding.trace.to_json())
                for form in FORMS:
                    write_aside(folder / f"{stem}.{form}", rendered(finding.trace, form))
                written.append(file)
    return written
