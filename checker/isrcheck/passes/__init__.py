"""From a model's IR to the scalar transition system: the passes."""

from isrcheck.ir.check import check_domains
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import BoundModel, bind
from isrcheck.passes.lowering import Lowering

__all__ = ["BoundModel", "bind", "check_domains", "lower"]


def lower(model: BoundModel) -> ScalarSystem:
    """The scalar transition system of a bound model. Raises ModelError at whatever cannot be lowered."""
    return Lowering(model).system
