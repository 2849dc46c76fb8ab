"""What is saved of an outcome besides itself: its traces."""

from dataclasses import replace
from pathlib import Path

from isrcheck.evidence.outcome import Outcome
from isrcheck.files import write_aside


def save_traces(outcome: Outcome, folder: Path) -> Outcome:
    """Writes each trace as FOLDER/MODEL-PROPERTY.json; the outcome then names the files."""
    stem = "".join(c if c.isalnum() or c in "-_." else "-" for c in outcome.model)
    saved = []
    for found in outcome.properties:
        if found.trace:
            file = folder / f"{stem}-{found.name}.json"
            write_aside(file, found.trace.to_json())
            found = replace(found, trace_file=str(file))
        saved.append(found)
    return replace(outcome, properties=tuple(saved))
