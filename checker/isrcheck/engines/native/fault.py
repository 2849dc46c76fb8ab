"""The model's own text going wrong while this engine runs."""

from isrcheck.engines.contract import FoundFault, Path


def fault_at(path: Path, property_name: str) -> FoundFault:
    """The fault at a path's end: in computing this property or, without a name, in deciding about its last instance."""
    if property_name:
        return FoundFault(path, None, property_name)
    return FoundFault(path[:-1], path[-1], None)
