"""The model's own text going wrong while this engine runs."""

from isrcheck.engines.contract import FoundFault, Path


class NativeFault(FoundFault):
    """A fault that machine code met; the reference says what it is."""


def fault_at(path: Path, property_name: str) -> NativeFault:
    """The fault at a path's end: in computing this property or, without a name, in deciding about its last instance."""
    if property_name:
        return NativeFault(path, None, property_name)
    return NativeFault(path[:-1], path[-1], None)
