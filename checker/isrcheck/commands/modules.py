"""TLA+ in and out."""

from collections.abc import Iterable
from pathlib import Path

from isrcheck.catalogue import find_model
from isrcheck.errors import UsageError
from isrcheck.lang.read import read_model
from isrcheck.liveness.deciding import environment
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrcheck.run.trace import Trace
from isrcheck.tla.export import to_tla, write_folder
from isrcheck.tla.traces import read_tlc_trace, trace_module

TLA = "tla"


def export_modules(bound: BoundModel, output: Path | None, fairness: Iterable[str]) -> list[Path]:
    """Write the modules in these environments, and TLC's configuration.

    Returns the files. Raises UsageError.
    """
    environments = [environment(bound, name).name for name in fairness]
    return write_folder(to_tla(bound, environments).files, _folder(output))


def trace_modules(trace: Trace, output: Path | None) -> list[Path]:
    """Write the modules of a trace's model, and one that follows the trace. Raises UsageError."""
    folder = _folder(output)
    bound = bind(read_model(find_model(trace.model)), trace.constants)
    exported = to_tla(bound)
    module, configuration = trace_module(trace, exported, bound)
    own = {f"{module.name}.tla": module.source, f"{module.name}.cfg": configuration}
    return write_folder({**exported.files, **own}, folder)


def trace_of_tlc(file: Path, model: str, constants: dict[str, str]) -> Trace:
    """Read a trace that TLC wrote with -dumpTrace json. Raises UsageError."""
    bound = bind(read_model(find_model(model)), constants)
    return read_tlc_trace(file, to_tla(bound), bound, model)


def _folder(output: Path | None) -> Path:
    if output is None:
        raise UsageError("--to tla writes several files: give a folder with -o DIR.")
    if output.is_file():
        raise UsageError(f"{output} is a file, and --to tla writes several: give a folder.")
    return output
