"""What is saved of an outcome besides itself: its traces."""

from dataclasses import replace
from pathlib import Path

from isrcheck.files import file_stem, write_aside
from isrcheck.run.outcome import Outcome


def trace_file(folder: Path, model: str, name: str) -> Path:
    """Where the trace of a model's property is kept: FOLDER/MODEL-PROPERTY.json."""
    return folder / f"{file_stem(model)}-{name}.json"


def save_traces(outcome: Outcome, folder: Path) -> Outcome:
    """Writes each trace as FOLDER/MODEL-PROPERTY.json; the outcome then names the files."""
    saved = []
    for found in outcome.properties:
        if found.trace:
            file = trace_file(folder, outcome.model, found.name)
            write_aside(file, found.trace.to_json())
            found = replace(found, trace_file=str(file))
        saved.append(found)
    return replace(outcome, properties=tuple(saved))
