"""Values as the reference keeps them: a map as the tuple of its values in the order of its keys."""

from typing import Any

from isrcheck.ir.codec import codec
from isrcheck.ir.domains import Domain, MapDomain

Frozen = Any
State = tuple[Frozen, ...]  # the values of the variables, in order


def key_order(domain: Domain) -> tuple[tuple[Any, ...], Any] | None:
    """The keys of a map, and how its values are ordered in turn; None for anything else."""
    if not isinstance(domain, MapDomain):
        return None
    return tuple(codec(domain.key).values()), key_order(domain.value)


def has_keys(keys: Any, value: Any) -> bool:
    """Whether a map that may have been assigned whole has as many keys as it should, and its values too."""
    order, inner = keys
    return len(value) == len(order) and (
        inner is None or all(has_keys(inner, inner_value) for inner_value in value.values())
    )


def freeze(keys: Any, value: Any) -> Frozen:
    if keys is None:
        hash(value)
        return value
    order, inner = keys
    if inner is None:
        return tuple([value[key] for key in order])
    return tuple([freeze(inner, value[key]) for key in order])


def melt(keys: Any, frozen: Frozen) -> Any:
    if keys is None:
        return frozen
    order, inner = keys
    return {key: melt(inner, inner_value) for key, inner_value in zip(order, frozen, strict=True)}
