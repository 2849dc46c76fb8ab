"""A temporal property spelled out: for each choice of what it runs over, its conditions as invariants of their own."""

from collections.abc import Iterable, Iterator, Mapping

from isrcheck.ir import nodes
from isrcheck.ir.codec import codec
from isrcheck.ir.frozen import field_names
from isrcheck.ir.model import PROPERTY, Method, Property, TemporalProperty
from isrcheck.ir.nodes import Clause, Expression, Literal
from isrcheck.ir.property_kinds import INVARIANT
from isrcheck.ir.traversal import rebuild
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.passes.constant_folding import ConstantFolder
from isrcheck.passes.inline import Inliner
from isrcheck.passes.values.kinds import NumberValue

Choice = Mapping[str, Literal]


def operands(model: BoundModel, method: TemporalProperty) -> list[tuple[Property, ...]]:
    """One condition, or two, for each choice, in the order in which CPython runs over them. Raises ModelError."""
    known = {name: getattr(method, name) for name in field_names(Method)} | {"role": PROPERTY, "kind": INVARIANT}
    properties = []
    for number, choice in enumerate(_choices(model, method.clauses)):
        bodies = [(nodes.Return(_with(each, choice), each.at),) for each in method.operands]
        names = [f"{method.name} {number} {letter}" for letter in "PQ"]
        pairs = zip(names, bodies, strict=False)
        properties.append(tuple(Property(**{**known, "name": name, "body": body}) for name, body in pairs))
    return properties


def _choices(model: BoundModel, clauses: tuple[Clause, ...]) -> Iterator[Choice]:
    folder, inliner = ConstantFolder(model), Inliner(model.ir)

    def constant(expression: Expression, choice: Choice) -> Expression:
        return inliner.expression(_with(expression, choice), {}, False)

    def members(source: Expression, choice: Choice) -> Iterable[Literal]:
        match source:
            case nodes.Everything(domain, at):
                values = codec(bind_domain(domain, model.constants, at)).values()
                return [Literal(value, at, domain) for value in values]
            case nodes.IntegerRange(start, stop, at):
                low, high = (_number(folder, constant(end, choice)) for end in (start, stop))
                return [Literal(value, at) for value in range(low, high)]
        raise AssertionError(f"{type(source).__name__} in a temporal property")

    def choose(rest: tuple[Clause, ...], choice: Choice) -> Iterator[Choice]:
        if not rest:
            yield choice
            return
        for member in members(rest[0].source, choice):
            inner = {**choice, rest[0].target: member}
            if all(folder.truth(constant(each, inner), {}) for each in rest[0].conditions):
                yield from choose(rest[1:], inner)

    return choose(clauses, {})


def _number(folder: ConstantFolder, expression: Expression) -> int:
    value = folder.value(expression, {})
    assert isinstance(value, NumberValue)
    return value.node.low


def _with(node: Expression, choice: Choice) -> Expression:
    if isinstance(node, nodes.ReadLocal) and node.name in choice:
        return choice[node.name]
    return rebuild(node, lambda child: _with(child, choice))
