"""The scalars of a model: its variables in order, and what its constraints need besides."""

from collections.abc import Sequence
from typing import Any

from isrcheck.ir.codec import codec
from isrcheck.ir.scalar import Scalar
from isrcheck.passes.bind import BoundModel

DROPPED = Scalar("(dropped)", 2)  # after the variables: whether an action constraint dropped the step to this state


def scalars_of_constraints(model: BoundModel) -> tuple[Scalar, ...]:
    return (DROPPED,) if any(each.before for each in model.ir.constraints) else ()


def layout_of(model: BoundModel) -> tuple[Scalar, ...]:
    own = (s for name, domain in model.domains.items() for s in codec(domain).scalars(name))
    return (*own, *scalars_of_constraints(model))


def decode(model: BoundModel, state: Sequence[int]) -> dict[str, Any]:
    """The variables from the scalars."""
    source = iter(state)
    return {name: codec(domain).unflatten(source) for name, domain in model.domains.items()}
