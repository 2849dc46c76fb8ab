"""Writing results so that nothing is ever half there: aside first, then moved into place."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.evidence.outcome import Outcome


def write_aside(file: Path, content: str | bytes) -> None:
    """A whole file, text as UTF-8, or the one that was there before. Raises UsageError if it cannot be written.

    A pipe or a device is written to as it is: moving a file there would put it in the place of, say, /dev/null.
    """
    whole = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if file.exists() and not file.is_file() and not file.is_dir():
            with file.open("wb") as stream:
                stream.write(whole)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(whole)
            Path(aside).chmod(0o666 & ~umask())
            Path(aside).replace(file)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}.") from None


def file_stem(model: str) -> str:
    """A model's name as part of a file's name."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in model)


def umask() -> int:
    """The permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
