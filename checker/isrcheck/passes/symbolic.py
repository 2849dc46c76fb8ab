"""Symbolic constants: a model bound with ranges in place of some values, and its lowering.

Ranges are `1..8` and `free,every-tick`; each becomes a scalar that no step changes.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from isrcheck.errors import AssumptionFalse, ModelError, UsageError
from isrcheck.ir import domains
from isrcheck.ir.check import check_domains
from isrcheck.ir.frozen import replace
from isrcheck.ir.interval import RANGE, OneOf, Span, ValueRange
from isrcheck.ir.model import ConstantIR, Method, ModelIR
from isrcheck.ir.nodes import Operation, Operator, ReadConstant, walk
from isrcheck.ir.scalar import Condition, ScalarSystem
from isrcheck.passes.bind import (
    BoundModel,
    bind_domain,
    false_assumption,
    initial_value,
    refuse_many_scalars,
    sort_sizes,
)
from isrcheck.passes.constants import choose_constants, members_of, parse_value
from isrcheck.passes.evaluate import Evaluator
from isrcheck.passes.fold import Nodes
from isrcheck.passes.inline import Inliner
from isrcheck.passes.limits import SymbolicScalars
from isrcheck.passes.lowering import Lowering
from isrcheck.passes.values.shapes import Shapes
from isrcheck.passes.values.writing import write
from isrcheck.wrap import first_paragraph


def parse_value_range(constant: ConstantIR, value: Any) -> ValueRange | None:
    """Parse text, a Span, a OneOf, a range or a tuple; None for a single value. Raises UsageError."""
    if isinstance(constant.domain, domains.EnumDomain) or constant.domain == domains.BOOL:
        parts = value.split(",") if isinstance(value, str) else value.members if isinstance(value, OneOf) else value
        if not isinstance(parts, list | tuple) or len(parts) < 2:
            return None
        chosen = [parse_value(constant, each) for each in parts]
        return OneOf(tuple(m for m in members_of(constant.domain) if m in chosen))
    match value:
        case str():
            match = RANGE.fullmatch(value.strip())
            if not match:
                return None
            if match[2] is None:
                what = f"the range {value.strip()} of the constant {constant.name} has no upper end"
                raise UsageError(f"{what}: give it one, as in 1..8.")
            low, high = int(match[1]), int(match[2])
        case Span():
            low, high = value.low, value.high
        case range() if value and value.step == 1:
            low, high = value[0], value[-1]
        case _:
            return None
    if high < low:
        what = f"the range {low}..{high} of the constant {constant.name} is empty"
        raise UsageError(f"{what}: write the lower end first.")
    for end in (low, high):
        parse_value(constant, end)
    return Span(low, high)


@dataclass(frozen=True)
class SymbolicSystem:
    """A system for every choice of the symbolic constants, which are its last scalars.

    `system.initial` has 0 for them: the initial states are all that agree with it elsewhere and in
    which `allowed` is 1. `allowed` (the assumptions) and `asked` (`applies`, by property) read these
    scalars only.
    """

    model: BoundModel
    system: ScalarSystem
    allowed: Condition
    asked: dict[str, Condition]
    nodes: Nodes = field(repr=False)

    @property
    def first_symbolic(self) -> int:
        return len(self.system.scalars) - len(self.model.symbolic)


def symbolic_constants(ir: ModelIR, given: Mapping[str, Any]) -> dict[str, ValueRange]:
    """The constants that are given a range or several choices. Raises UsageError."""
    ranges = ((c.name, parse_value_range(c, given[c.name])) for c in ir.constants if c.name in given)
    return {name: choice for name, choice in ranges if choice is not None}


def shape_constants(ir: ModelIR) -> dict[str, str]:
    """The constants that shape the state, each with a phrase that says how: enumerated, never symbolic."""
    return dict(reversed([*_shape_reasons(ir)]))


def _shape_reasons(ir: ModelIR) -> Iterator[tuple[str, str]]:
    for sort in ir.sorts:
        yield from ((name, f"the size of {sort.name}") for name in _names(sort))
    for variable in ir.variables:
        yield from ((name, f"the keys or elements of {variable.name}") for name in _key_constants(variable.domain))
    for action in ir.actions:
        for parameter in action.parameters:
            what = f"the choices of {parameter.name} in {action.name}()"
            yield from ((name, what) for name in _names(parameter.domain))
    methods = (*ir.actions, *ir.properties, *ir.assumptions, *ir.applicability, *ir.helpers.values())
    for piece in walk(tuple(method.body for method in methods)):
        if isinstance(piece, Operation) and piece.operator in (Operator.DIV, Operator.MOD):
            divisors = (p.name for p in walk(piece.right) if isinstance(p, ReadConstant))
            yield from ((name, f"a division at {piece.at}") for name in divisors)


def _key_constants(domain: domains.Domain) -> Iterator[str]:
    """The constants in bounds of keys and elements."""
    for inner in domains.value_domains(domain):
        if isinstance(inner, domains.MapDomain):
            yield from _names(inner.key)
        elif isinstance(inner, domains.SetDomain):
            yield from _names(inner)


def _names(domain: domains.Domain) -> Iterator[str]:
    return (name for inner in domains.inner_domains(domain) for name in sorted(domains.names_in_bound(inner)))


def bind_each(ir: ModelIR, given: Mapping[str, Any]) -> list[BoundModel]:
    """One model for each choice of what shapes the state.

    Raises AssumptionFalse if none is allowed, and UsageError.
    """
    ranges = symbolic_constants(ir, given)
    shaping = shape_constants(ir)
    listed = {name: choice for name, choice in ranges.items() if name in shaping}
    models, refused = [], None
    for positions in product(*(range(choice.size) for choice in listed.values())):
        values = {n: choice.value(p) for (n, choice), p in zip(listed.items(), positions, strict=True)}
        try:
            models.append(bind_symbolic(ir, {**given, **values}))
        except AssumptionFalse as error:
            refused = error
    if not models and refused is not None:
        raise refused
    return models


def bind_symbolic(ir: ModelIR, given: Mapping[str, Any]) -> BoundModel:
    """The model whose given ranges are symbolic constants.

    Raises as `bind`, and UsageError for a constant that cannot be symbolic.
    """
    check_domains(ir)
    model = _with_constants(ir, given)
    bounded = {v.name: bind_domain(v.domain, model.constants, v.at) for v in ir.variables}
    refuse_many_scalars(ir, bounded)
    initial = {v.name: initial_value(v, bounded[v.name], model.constants) for v in ir.variables}
    return replace(model, ir=ir, domains=bounded, initial=initial)


def _with_constants(ir: ModelIR, given: Mapping[str, Any]) -> BoundModel:
    """The model with its constants only. Raises as `bind_symbolic` does for them."""
    if ir.initials:
        what = f"{ir.name} chooses its initial states ({ir.initials[0].name}), and the symbolic engine begins in one"
        raise UsageError(f"{what}: use isrcheck check with --engine native.")
    opened = symbolic_constants(ir, given)
    shaping = shape_constants(ir)
    for name, choice in opened.items():
        if name in shaping:
            what = f"{name} shapes the state ({shaping[name]})"
            raise UsageError(f"{what}: it is enumerated, one value a run, not {choice} at once.")
    first = {name: choice.value(0) for name, choice in opened.items()}
    chosen, notes = choose_constants(ir, {**given, **first})
    constants = {name: opened.get(name, value) for name, value in chosen.items()}
    model = BoundModel(ir, constants, sort_sizes(ir, constants), {}, {}, {}, notes=notes)
    return replace(model, not_asked=_never_asked(model))


def _never_asked(model: BoundModel) -> dict[str, str]:
    """The reason for each property that never applies. Raises AssumptionFalse."""
    shapes = Shapes(nodes := Nodes(), SymbolicScalars(nodes, model.constants))
    for assumption in model.ir.assumptions:
        if _condition(model, shapes, [assumption]).node.high == 0:
            raise false_assumption(assumption, "holds for no choice of the constants")
    refused = [c for c in model.ir.applicability if _condition(model, shapes, [c]).node.high == 0]
    return {name: first_paragraph(c.doc) or c.name for c in reversed(refused) for name in c.about}


def _condition(model: BoundModel, shapes: Shapes, methods: Collection[Method]) -> Condition:
    evaluator, inliner, conditions = Evaluator(model, shapes, {}), Inliner(model.ir), []
    for method in methods:
        try:
            conditions.append(evaluator.truth(inliner.condition(method), {}))
        except KeyError as error:
            raise ModelError(method.at, f"{method.name}() reads {error}.", "It may read constants only.") from None
    return Condition(shapes.n.and_(*conditions), tuple(evaluator.faults))


def lower_symbolic(model: BoundModel) -> SymbolicSystem:
    """One system for all choices of the symbolic constants. Raises ModelError."""
    lowering = Lowering(model)
    shapes = lowering.shapes
    allowed = _condition(model, shapes, model.ir.assumptions)
    applies = {p.name: [c for c in model.ir.applicability if p.name in c.about] for p in model.properties}
    asked = {name: _condition(model, shapes, methods) for name, methods in applies.items()}
    system = lowering.system
    _refuse_initial_above(model, shapes)
    return SymbolicSystem(model, system, allowed, asked, shapes.n)


def _refuse_initial_above(model: BoundModel, shapes: Shapes) -> None:
    for each in model.ir.variables:
        domain = model.domains[each.name]
        above = write(shapes, domain, shapes.constant(domain, model.initial[each.name])).above
        if above.high:
            sentence = f"the initial value of {each.name} is above its bound for some choice of the constants."
            raise ModelError(each.at, sentence, "Choose larger constants, or a smaller initial value.")
