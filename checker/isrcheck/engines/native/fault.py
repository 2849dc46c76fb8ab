"""The model's own text going wrong while a fast engine runs."""

from isrcheck.engines.contract import Path


class NativeFault(Exception):
    """The model's own text goes wrong after `path`: in deciding about an instance, or in computing a property.

    A step property's path ends with the step that it cannot judge.
    """

    def __init__(self, path: Path, instance: int | None, property_name: str | None) -> None:
        what = f"instance {instance}" if property_name is None else f"property {property_name}"
        super().__init__(f"{what} has no value after {len(path)} steps")
        self.path = path
        self.instance = instance
        self.property = property_name
