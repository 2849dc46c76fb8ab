"""TLC's verdicts on temporal properties: the words of its output, and one run for each property."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from isrcheck.passes.bind import BoundModel
from isrcheck.tla.export import Exported, to_tla, write_folder

HEAP = "-Xmx1g"


def verdicts(classes: str, model: BoundModel, environment: str = "") -> dict[str, str]:
    """What TLC says of each temporal property; `classes` is a class path. All are asked at once first."""
    exported = to_tla(model, [environment] if environment else [])
    names = [p.name for p in model.ir.temporal if p.name not in model.not_asked]
    with TemporaryDirectory(prefix="isrcheck-tlc-") as name:
        folder = Path(name)
        write_folder(exported.files, folder)
        if verdict(classes, folder, exported, names) == "holds":
            return dict.fromkeys(names, "holds")
        if len(names) == 1:
            return {names[0]: "violated"}
        return {name: verdict(classes, folder, exported, [name]) for name in names}


def verdict(classes: str, folder: Path, exported: Exported, names: Sequence[str]) -> str:
    """Whether these properties hold together. Raises RuntimeError with TLC's words if it gives no answer."""
    (folder / f"{exported.main}.cfg").write_text("\n".join(_asking(exported, names)) + "\n", encoding="utf-8")
    command = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", HEAP, "-cp", classes, "tlc2.TLC", "-workers", "1"]
    command += ["-noGenerateSpecTE", "-metadir", str(folder / "states"), exported.main]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    return understood(run.stdout + run.stderr)


def understood(said: str) -> str:
    """TLC's output as a verdict. Raises RuntimeError if it is none."""
    if re.search(r"Temporal propert(y|ies)\b.* (was|were) violated", said):
        return "violated"
    if "No error has been found" in said:
        return "holds"
    raise RuntimeError(said)


def _asking(exported: Exported, names: Sequence[str]) -> Iterator[str]:
    """The configuration as exported, with these temporal properties alone."""
    yield exported.configuration.split("\nINVARIANTS")[0].removesuffix("CONSTANTS\n")
    for name in names:
        yield f"PROPERTY {exported.writer.names.methods[name]}"
    yield "CHECK_DEADLOCK FALSE"
