"""Which constants shape the state beyond the size of an integer: those are enumerated and never symbolic."""

from collections.abc import Iterator

from isrcheck.ir.domains import Domain, MapDomain, SetDomain, inner_domains, names_in_bound, parts, value_domains
from isrcheck.ir.model import ModelIR
from isrcheck.ir.nodes import Operation, Operator, ReadConstant
from isrcheck.ir.traversal import walk


def shaping_constants(ir: ModelIR) -> dict[str, str]:
    """The constants that cannot be symbolic, and what each of them shapes, as a phrase."""
    found: dict[str, str] = {}
    for name, what in _shaping(ir):
        found.setdefault(name, what)
    return found


def _shaping(ir: ModelIR) -> Iterator[tuple[str, str]]:
    for sort in ir.sorts:
        yield from ((name, f"the size of {sort.name}") for name in _names(sort))
    for variable in ir.variables:
        yield from ((name, f"the keys or elements of {variable.name}") for name in _listed(variable.domain))
    for action in ir.actions:
        for parameter in action.parameters:
            what = f"the choices of {parameter.name} in {action.name}()"
            yield from ((name, what) for name in _names(parameter.domain))
    methods = (*ir.actions, *ir.properties, *ir.assumptions, *ir.applicability, *ir.helpers.values())
    for piece in walk(tuple(method.body for method in methods)):
        if isinstance(piece, Operation) and piece.operator in (Operator.DIV, Operator.MOD):
            divisors = (p.name for p in walk(piece.right) if isinstance(p, ReadConstant))
            yield from ((name, f"a division at {piece.at}") for name in divisors)


def _listed(domain: Domain) -> Iterator[str]:
    """The constants in bounds of whatever a domain lists: keys of maps, elements of sets."""
    for inner in value_domains(domain):
        if isinstance(inner, MapDomain):
            yield from _names(inner.key)
        elif isinstance(inner, SetDomain):
            yield from (name for of in parts(inner) for name in _names(of))


def _names(domain: Domain) -> Iterator[str]:
    """The constants in every bound of a domain."""
    return (name for inner in inner_domains(domain) for name in sorted(names_in_bound(inner)))
