"""Passes from a model's IR to the scalar transition system."""

from collections.abc import Collection

from isrcheck.ir.check import check_domains
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import BoundModel, bind

__all__ = ["BoundModel", "bind", "check_domains", "lower"]


def lower(model: BoundModel, asked: Collection[str] | None = None) -> ScalarSystem:
    """The scalar transition system of a bound model, with all of its properties or only those asked.

    Raises ModelError at whatever of it cannot be lowered.
    """
    from isrcheck.passes.lowering import Lowering  # here: what was lowered before needs none of these passes

    if asked is not None:
        others = {each.name: "not asked" for each in model.properties if each.name not in asked}
        model = replace(model, not_asked={**model.not_asked, **others})
    return Lowering(model).system
