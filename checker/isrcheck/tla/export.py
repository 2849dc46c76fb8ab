"""A model's modules and configuration, and the folder that they are written to."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from isrcheck.files import write_aside
from isrcheck.passes.bind import BoundModel
from isrcheck.tla.bounds import bounds_module, configuration
from isrcheck.tla.modules import Module, Writer


@dataclass(frozen=True)
class Exported:
    """A model as TLA+: its modules, each behind those that it extends, and a configuration of TLC."""

    writer: Writer
    modules: tuple[Module, ...]
    configuration: str

    @property
    def main(self) -> str:
        """The module that TLC is given."""
        return self.modules[-1].name

    @property
    def files(self) -> dict[str, str]:
        """The text of each file by its name."""
        found = {f"{module.name}.tla": module.text for module in self.modules}
        return {**found, f"{self.main}.cfg": self.configuration}


def to_tla(model: BoundModel) -> Exported:
    """A model with its constants as TLA+. Raises ModelError where its text has no form there."""
    writer = Writer(model.ir)
    modules = writer.modules()
    modules = (*modules, bounds_module(writer, modules))
    return Exported(writer, modules, configuration(writer, model, modules))


def write_folder(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Writes texts under their names and returns the files."""
    for name, text in texts.items():
        write_aside(folder / name, text)
    return [folder / name for name in texts]
