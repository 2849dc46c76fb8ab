"""What a grid must know of a model: its constants and its properties, or why it cannot be read."""

from collections.abc import Callable
from dataclasses import dataclass

from isrcheck.errors import ModelError
from isrcheck.grid.expression import Value
from isrcheck.ir.model import ConstantIR, ModelIR
from isrcheck.lang.declare import REQUIRED, Model
from isrcheck.lang.read import read_model
from isrcheck.passes.constants import word


@dataclass(frozen=True)
class GridModel:
    """A model under the name by which it was asked for; `failed` says why it has no text."""

    name: str
    ir: ModelIR | None
    failed: str | None = None

    @property
    def constants(self) -> tuple[ConstantIR, ...]:
        return self.ir.constants if self.ir else ()

    @property
    def names(self) -> set[str]:
        """Its constants, and the settings of the modelled system that they stand for."""
        return {n for c in self.constants for n in (c.name, c.setting) if n}

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of its properties, in declaration order."""
        return tuple(p.name for p in self.ir.properties) if self.ir else ()

    @property
    def defaults(self) -> dict[str, Value]:
        """The values that its constants have where nothing is said, as expressions see them."""
        found: dict[str, Value] = {}
        for constant in self.constants:
            if constant.default is not REQUIRED:
                value = constant.default
                found[constant.name] = value if isinstance(value, int) else word(value)
        return found


def read_grid_model(name: str, find: Callable[[str], type[Model]]) -> GridModel:
    """The model of this name. Raises UsageError if there is none."""
    try:
        return GridModel(name, read_model(find(name)))
    except ModelError as error:
        return GridModel(name, None, " ".join(str(error).split()))
