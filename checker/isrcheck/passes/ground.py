"""Third pass: one instance for every action and every choice of its parameters, in the order of every engine."""

from itertools import product
from math import prod
from typing import Any

from isrcheck.errors import ModelError
from isrcheck.ir.codec import codec
from isrcheck.passes.bind import BoundModel

MOST_INSTANCES = 100_000


def ground(model: BoundModel) -> tuple[tuple[int, tuple[Any, ...]], ...]:
    """(action, arguments) of every instance: actions in declaration order, then parameters in domain order.

    Raises ModelError if an action's parameters have too many values to list.
    """
    found: list[tuple[int, tuple[Any, ...]]] = []
    made = 0
    for position, method in enumerate(model.ir.actions):
        try:
            choices = prod(codec(domain).count() for _, domain in model.parameters(position))
        except ValueError as error:
            raise ModelError(method.at, f"{method.name}(): {error}.", "Use smaller constants.") from None
        made += choices
        if made > MOST_INSTANCES:
            raise ModelError(
                method.at,
                f"{method.name}() has {choices:,} choices of parameters, which makes more than the {MOST_INSTANCES:,} "
                f"that all actions together may have.",
                "Use smaller constants, or compute what is a parameter now.",
            )
        if choices:
            every = (tuple(codec(domain).values()) for _, domain in model.parameters(position))
            found += ((position, arguments) for arguments in product(*every))
    return tuple(found)
