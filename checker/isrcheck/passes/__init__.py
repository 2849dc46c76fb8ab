"""From a model's text to the scalar transition system: the passes, in order."""

from isrcheck.ir.check import check_domains
from isrcheck.ir.nodes import ModelIR
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import BoundModel, bind
from isrcheck.passes.fold import Nodes
from isrcheck.passes.ground import ground
from isrcheck.passes.inline import Inliner
from isrcheck.passes.scalarize import scalarize
from isrcheck.passes.values.shapes import Shapes

__all__ = ["BoundModel", "bind", "check_domains", "lower", "lower_sized"]


def lower(model: BoundModel) -> ScalarSystem:
    """The scalar transition system of a bound model. Raises ModelError at whatever cannot be lowered."""
    return lower_sized(model)[0]


def lower_sized(model: BoundModel) -> tuple[ScalarSystem, int]:
    """The same, and the number of shared nodes it is made of."""
    ir: ModelIR = model.ir
    check_domains(ir)  # every expression has a domain
    inlined = Inliner(ir)  # helpers and policies written out
    instances = ground(model)  # one for every choice of parameters
    nodes = Nodes()  # constants folded and equal expressions shared, as they are made
    system = scalarize(model, inlined, instances, Shapes(nodes))  # composite values to scalars, assignments to updates
    return system, len(nodes)
