"""Guards of actions as claims: that a state is reached where a guard is asked, where it holds, where it does not."""

from isrcheck.ir.property_kinds import REACHABLE
from isrcheck.ir.scalar import Condition, Node, ScalarProperty
from isrcheck.passes.values.shapes import Shapes
from isrcheck.place import Place

ASKED, HELD, REFUSED = "asked", "held", "refused"


def claim(kind: str, action: str, place: Place) -> str:
    """The name of a claim about a guard."""
    return f"{kind} {action} {place.line}:{place.column}"


class GuardClaims:
    """Gathers guards over all instances of an action: one choice of parameters is enough for a claim."""

    def __init__(self, shapes: Shapes) -> None:
        self.n = shapes.n
        self.found: dict[str, Node] = {}

    def add(self, action: str, guards: list[tuple[Place, Node, Node]]) -> None:
        """The guards of one instance."""
        for place, asked, held in guards:
            refused = self.n.and_(asked, self.n.not_(held))
            for kind, node in ((ASKED, asked), (HELD, held), (REFUSED, refused)):
                name = claim(kind, action, place)
                self.found[name] = self.n.or_(self.found.get(name, self.n.false), node)

    def properties(self) -> tuple[ScalarProperty, ...]:
        """The claims as properties, in the order of the guards."""
        return tuple(ScalarProperty(name, REACHABLE, (Condition(node, ()),)) for name, node in self.found.items())
