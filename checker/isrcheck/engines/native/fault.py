"""The model's own text going wrong while the machine code runs."""

from isrcheck.engines.contract import Path
from isrcheck.engines.native import evaluate
from isrcheck.ir.scalar import Fault, ScalarSystem


class NativeFault(Exception):
    """The model's own text goes wrong after `path`: in deciding about an instance, or in computing a property.

    A step property's path ends with the step that it cannot judge. `fault` says what went wrong, and where.
    """

    def __init__(self, fault: Fault, path: Path, instance: int | None, property_name: str | None) -> None:
        super().__init__(f"{fault.place}: {fault.sentence}, after {len(path)} steps")
        self.fault = fault
        self.path = path
        self.instance = instance
        self.property = property_name


def fault_after(system: ScalarSystem, path: Path, property_name: str | None) -> NativeFault:
    """What goes wrong at a path's end: in computing this property, or in deciding about the path's last instance."""
    before = state = system.initial
    for position in path if property_name is not None else path[:-1]:
        before, state = state, evaluate.successor(system.instances[position], state)
    if property_name is None:
        faults, values = system.instances[path[-1]].faults, state
    else:
        a_property = next(each for each in system.properties if each.name == property_name)
        of_step = a_property.kind == "step"
        faults = a_property.conditions[path[-1] if of_step else 0].faults
        values = (*state, *before) if of_step else state
    fault = next(each for each in faults if evaluate.holds(each.condition, values))
    if property_name is None:
        return NativeFault(fault, path[:-1], path[-1], None)
    return NativeFault(fault, path, None, property_name)
