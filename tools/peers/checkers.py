"""The checkers: how each is made ready, which command decides a model, and what its output counts."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.peers.rows import Row
from tools.reports.tlc import class_of

from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import keyword_and_name, to_tla, write_folder

HERE = Path(__file__).parent
ISRCHECK = Path(sys.executable).with_name("isrcheck")


@dataclass(frozen=True)
class Counts:
    """A whole graph's states and steps; `generated` is None where a checker counts otherwise."""

    distinct: int
    generated: int | None


class Checker:
    """A checker. `prepare` is what its user runs after a change of the model, and is part of the cold time."""

    name = ""
    cores: tuple[int, ...] = (1, 2)

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def need(self) -> str:
        """Name what this machine lacks; "" for nothing."""
        raise NotImplementedError

    def version(self) -> str:
        raise NotImplementedError

    def write(self, row: Row, folder: Path) -> None:
        """Write a model's text, before any time is taken."""

    def prepare(self, row: Row, folder: Path) -> list[Sequence[str]]:
        return []

    def command(self, row: Row, folder: Path, cores: int) -> Sequence[str]:
        raise NotImplementedError

    def environment(self, folder: Path) -> dict[str, str]:
        return {}

    def counts(self, row: Row, said: str) -> Counts:
        raise NotImplementedError


class Isrcheck(Checker):
    name = "isrcheck"

    def need(self) -> str:
        return ""

    def version(self) -> str:
        return _first_line([str(ISRCHECK), "--version"])

    def command(self, row: Row, folder: Path, cores: int) -> Sequence[str]:
        source = str(HERE.parents[1] / row.source) if ".py" in row.source else row.source
        constants = [argument for name, value in row.constants for argument in ("-c", f"{name}={value}")]
        properties = [argument for name in row.properties for argument in ("--property", name)]
        return [str(ISRCHECK), "check", source, *constants, *properties, "--workers", str(cores), "--no-vacuity"]

    def environment(self, folder: Path) -> dict[str, str]:
        return {"ISRCHECK_CACHE_DIR": str(folder / "cache")}

    def counts(self, row: Row, said: str) -> Counts:
        return _read_counts(said, r"([\d,]+) distinct states", r"([\d,]+) generated")


class Spin(Checker):
    """SPIN searches depth first, its way for safety, with its table sized for the graph; one core."""

    name = "SPIN"
    cores = (1,)

    def need(self) -> str:
        return "" if shutil.which("spin") and shutil.which("gcc") else "spin (Debian's package) and gcc"

    def version(self) -> str:
        return _first_line(["spin", "-V"])

    def write(self, row: Row, folder: Path) -> None:
        shutil.copy(HERE / "spin" / f"{row.name.replace('-', '_')}.pml", folder / "model.pml")

    def prepare(self, row: Row, folder: Path) -> list[Sequence[str]]:
        sizes = row.sizes[len(row.sizes) - len(row.macros) :]
        macros = [f"-D{name}={value}" for name, value in zip(row.macros, sizes, strict=True)]
        return [["spin", "-a", *macros, "model.pml"], ["gcc", "-O2", "-w", "-DSAFETY", "-o", "pan", "pan.c"]]

    def command(self, row: Row, folder: Path, cores: int) -> Sequence[str]:
        return ["./pan", "-E", f"-m{row.distinct + 1000}", f"-w{max(16, row.distinct.bit_length())}"]

    def counts(self, row: Row, said: str) -> Counts:
        if "errors: 0" not in said:
            raise ValueError(said)
        chosen = 1 if row.name == "ring" else 0  # the choice of the candidates is a state and a step of SPIN's
        counts = _read_counts(said, r"(\S+) states, stored", r"(\S+) transitions")
        return Counts(counts.distinct - chosen, None if counts.generated is None else counts.generated - chosen)


class Stateright(Checker):
    """Stateright searches breadth first. Cold is with its own crate compiled, and a model's changed."""

    name = "Stateright"

    def need(self) -> str:
        return "" if shutil.which("cargo") else "cargo"

    def version(self) -> str:
        manifest = tomllib.loads((HERE / "stateright" / "Cargo.toml").read_text(encoding="utf-8"))
        return f"stateright {manifest['dependencies']['stateright'].strip('=')}"

    def write(self, row: Row, folder: Path) -> None:
        crate = self.folder / "stateright"
        if not crate.exists():
            shutil.copytree(HERE / "stateright", crate)
            subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=crate, check=True)
        (crate / "src" / "main.rs").touch()

    def prepare(self, row: Row, folder: Path) -> list[Sequence[str]]:
        manifest = str(self.folder / "stateright" / "Cargo.toml")
        return [["cargo", "build", "--release", "--quiet", "--manifest-path", manifest]]

    def command(self, row: Row, folder: Path, cores: int) -> Sequence[str]:
        binary = str(self.folder / "stateright" / "target" / "release" / "isrcheck-peers")
        return [binary, row.name, *map(str, row.sizes), str(cores)]

    def counts(self, row: Row, said: str) -> Counts:
        if "violated=[]" not in said:
            raise ValueError(said)
        return _read_counts(said, r"distinct=(\d+)", r"generated=(\d+)")


class _OfTla(Checker):
    """A checker of TLA+ reads what `isrcheck export --to tla` writes."""

    def write(self, row: Row, folder: Path) -> None:
        bound = bind(read_model(class_of(row.source)), dict(row.constants))
        exported = to_tla(bound)
        write_folder(exported.files, folder)
        head = exported.configuration.split("\nINVARIANTS")[0]
        head = head.replace("SPECIFICATION MCSpec", "INIT Init\nNEXT MCNext")
        names = [keyword_and_name(exported.writer, p)[1] for p in bound.properties if p.name in row.properties]
        configuration = f"{head}\nINVARIANTS {' '.join(names)}\nCHECK_DEADLOCK FALSE\n"
        (folder / f"{exported.main}.cfg").write_text(configuration, encoding="utf-8")
        (folder / "main").write_text(exported.main, encoding="utf-8")


class Tlc(_OfTla):
    name = "TLC"

    def need(self) -> str:
        return "" if shutil.which("java") and os.environ.get("TLC_JAR") else "Java, and TLC_JAR as a path to TLC"

    def version(self) -> str:
        said = subprocess.run([*self._java(), "-h"], capture_output=True, text=True, check=False).stdout
        return next((line.strip() for line in said.splitlines() if "ersion" in line), "of an unknown version")

    def command(self, row: Row, folder: Path, cores: int) -> Sequence[str]:
        main = (folder / "main").read_text()
        return [*self._java(), "-workers", str(cores), "-noGenerateSpecTE", "-metadir", str(folder / "states"), main]

    def _java(self) -> list[str]:
        return ["java", "-XX:+UseParallelGC", "-Xmx4g", "-cp", os.environ["TLC_JAR"], "tlc2.TLC"]

    def counts(self, row: Row, said: str) -> Counts:
        if "No error has been found" not in said:
            raise ValueError(said[-2000:])
        return Counts(_read_counts(said, r"generated, ([\d,]+) distinct", r"([\d,]+) states generated").distinct, None)


class TlaRs(_OfTla):
    name = "tla-rs"
    cores = (1,)

    def need(self) -> str:
        return "" if shutil.which("tla") else "tla (cargo install tla-checker)"

    def version(self) -> str:
        return _first_line(["tla", "--version"])

    def command(self, row: Row, folder: Path, cores: int) -> Sequence[str]:
        main = f"{(folder / 'main').read_text()}.tla"
        return ["tla", main, "--allow-deadlock", "--max-states", "1000000000", "--max-depth", "1000000"]

    def counts(self, row: Row, said: str) -> Counts:
        if "No errors found" not in said:
            raise ValueError(said[-2000:])
        return Counts(_read_counts(said, r"Reachable states: (\d+)", r"Transitions: (\d+)").distinct, None)


CHECKERS = (Isrcheck, Spin, Stateright, Tlc, TlaRs)


def _read_counts(said: str, distinct: str, generated: str) -> Counts:
    numbers = [re.findall(pattern, said)[-1].replace(",", "") for pattern in (distinct, generated)]
    return Counts(*(round(float(number)) for number in numbers))


def _first_line(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()
