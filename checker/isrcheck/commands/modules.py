"""isrcheck export --to tla: a model's text as modules in a folder."""

from pathlib import Path

from isrcheck.catalogue import find_model
from isrcheck.commands.options import parse_constants
from isrcheck.errors import UsageError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import to_tla, write_folder

TLA = "tla"


def export_modules(model: str, constants: tuple[str, ...], output: Path | None) -> list[Path]:
    """Writes the modules and TLC's configuration, and returns the files. Raises UsageError without a folder."""
    if output is None:
        raise UsageError("--to tla writes several files: give a folder with -o DIR.")
    if output.is_file():
        raise UsageError(f"{output} is a file, and --to tla writes several: give a folder.")
    return write_folder(to_tla(bind(read_model(find_model(model)), parse_constants(constants))), output)
