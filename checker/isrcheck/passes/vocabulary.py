"""What candidates for lemmas speak of: terms over a model's variables, for the members that a scope names."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import partial

from isrcheck.ir import nodes
from isrcheck.ir.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    evaluate,
)
from isrcheck.ir.frozen import Frozen
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import Clause, Expression, Operator
from isrcheck.ir.traversal import walk
from isrcheck.place import NOWHERE

NONE = nodes.Literal(None, NOWHERE)
_MOST_ARGUMENTS = 2  # of a helper that candidates call
_SIGNS: dict[type[ast.operator] | str, Operator] = {
    ast.Add: Operator.ADD,
    ast.Sub: Operator.SUB,
    ast.Mult: Operator.MUL,
}


class CandidateTerm(Frozen):
    node: Expression
    domain: Domain
    needs: tuple[Expression, ...] = ()  # it has a value where these are true
    kin: frozenset[str] = frozenset()  # of an integer, its alias and its bound as written: it is compared with its kin


class CandidateScope(Frozen):
    """Whom a candidate speaks of: the clauses of its quantifier, and the domain of each of their targets."""

    clauses: tuple[Clause, ...] = ()
    locals: Mapping[str, Domain] = field(default_factory=dict)


def operation(operator: Operator, left: Expression, right: Expression) -> Expression:
    return nodes.Operation(operator, left, right, NOWHERE)


def kin(domain: Domain) -> frozenset[str]:
    if not isinstance(domain, IntDomain):
        return frozenset()
    return frozenset(name for name in (domain.name, str(domain.high or "")) if name)


class LemmaVocabulary:
    """Variables and helpers of a model's actions and one property; of histories those that the property reads."""

    def __init__(self, ir: ModelIR, asked: Method) -> None:
        self.ir = ir
        called = list(_called(ir, (*ir.actions, asked)))
        self.helpers = [helper for helper in called if _is_pure(helper) and hasattr(ir.cls, helper.name)]
        own = [asked, *_called(ir, (asked,))]
        read = {p.name for m in own for p in walk(m.body) if isinstance(p, nodes.ReadVariable)}
        self.variables = [v for v in ir.variables if not v.is_history or v.name in read]
        texts = [*(m.body for m in (*ir.actions, asked)), *(helper.body for helper in called)]
        self.constants = {p.name for body in texts for p in walk(body) if isinstance(p, nodes.ReadConstant)}

    def terms(self, scope: CandidateScope) -> list[CandidateTerm]:
        locals_ = {
            name: CandidateTerm(nodes.ReadLocal(name, NOWHERE), of, (), kin(of)) for name, of in scope.locals.items()
        }
        found = [part for local in locals_.values() for part in _parts(local.node, local.domain, (), [])]
        for variable in self.variables:
            node = nodes.ReadVariable(variable.name, False, NOWHERE)
            found += _parts(node, variable.domain, (), list(locals_.values()))
        for helper in self.helpers:
            found += _calls(helper, list(locals_.values()))
        return found

    def scopes(self) -> Iterator[CandidateScope]:
        """The smallest first."""
        yield CandidateScope()
        plain = list(self._clauses())
        for clause, domain in plain:
            yield CandidateScope((clause,), {clause.target: domain})
        for place, (clause, domain) in enumerate(plain):
            for other, of in plain[place:]:
                targets = (clause.target, other.target)
                if targets[0] == targets[1]:
                    targets = ("one", "other")
                renamed = (_renamed(clause, targets[0]), _renamed(other, targets[1]))
                yield CandidateScope(renamed, dict(zip(targets, (domain, of), strict=True)))

    def _clauses(self) -> Iterator[tuple[Clause, Domain]]:
        taken: set[str] = set()
        for sort in self.ir.sorts:
            yield Clause(_letter(sort.name, taken), nodes.Everything(sort, NOWHERE), (), NOWHERE), sort
        keys: dict[IntDomain, None] = {}
        for variable in self.variables:
            match variable.domain:
                case SetDomain(RecordDomain() as of, high=None):
                    source = nodes.ReadVariable(variable.name, False, NOWHERE)
                    yield Clause(_singular(variable.name, taken), source, (), NOWHERE), of
                case MapDomain(IntDomain(high=str()) as key):
                    keys.setdefault(key)
        for key in keys:
            stop = operation(Operator.ADD, bound_node(str(key.high)), nodes.Literal(1, NOWHERE))
            every = nodes.IntegerRange(nodes.Literal(0, NOWHERE), stop, NOWHERE)
            yield Clause(_letter(key.name or "number", taken), every, (), NOWHERE), key


def bound_node(text: str) -> Expression:
    """A bound as an expression of constants."""

    def literal(n: int) -> Expression:
        return nodes.Literal(n, NOWHERE)

    def constant(name: str) -> Expression:
        return nodes.ReadConstant(name, NOWHERE)

    found: Expression = evaluate(text, literal, constant, {sign: partial(operation, of) for sign, of in _SIGNS.items()})
    return found


def _renamed(clause: Clause, target: str) -> Clause:
    return Clause(target, clause.source, clause.conditions, NOWHERE)


def _letter(name: str, taken: set[str]) -> str:
    found = next((c for c in (name[0].lower(), name.lower()) if c not in taken), f"{name.lower()}_{len(taken)}")
    taken.add(found)
    return found


def _singular(name: str, taken: set[str]) -> str:
    found = name.removesuffix("s") if len(name) > 2 and name.endswith("s") else "each"
    found = found if found not in taken else f"{found}_{len(taken)}"
    taken.add(found)
    return found


def _parts(
    node: Expression, domain: Domain, needs: tuple[Expression, ...], locals_: list[CandidateTerm]
) -> Iterator[CandidateTerm]:
    match domain:
        case OptionalDomain(of) if of is not None:
            yield CandidateTerm(node, domain, needs)
            known = operation(Operator.NE, node, NONE)
            yield from _parts(node, of, (*needs, known), locals_)
        case RecordDomain(fields=fields):
            for name, of in fields:
                yield from _parts(nodes.ReadField(node, name, NOWHERE), of, needs, locals_)
        case MapDomain(key, value, total=None):
            for local in locals_:
                if local.domain == key:
                    yield from _parts(nodes.Item(node, local.node, NOWHERE), value, needs, locals_)
        case SequenceDomain(of, high) if of is not None:
            yield CandidateTerm(node, domain, needs)
            size = IntDomain(high)
            yield CandidateTerm(nodes.Length(node, NOWHERE), size, needs, kin(size))
        case IntDomain(low=0):
            yield CandidateTerm(node, domain, needs, kin(domain))
        case BoolDomain() | EnumDomain() | SortDomain() | SetDomain():
            yield CandidateTerm(node, domain, needs)


def _called(ir: ModelIR, methods: tuple[Method, ...]) -> Iterator[Method]:
    waiting, seen = [name for m in methods for name in sorted(m.calls)], set[str]()
    while waiting:
        name = waiting.pop(0)
        if name not in seen and name in ir.helpers:
            seen.add(name)
            yield ir.helpers[name]
            waiting += sorted(ir.helpers[name].calls)


def _is_pure(helper: Method) -> bool:
    """Whether it has a value, speaks of few, and reads the state."""
    reads = any(isinstance(part, nodes.ReadVariable | nodes.Call) for part in walk(helper.body))
    return helper.returns is not None and len(helper.parameters) <= _MOST_ARGUMENTS and reads


def _calls(helper: Method, locals_: list[CandidateTerm]) -> Iterator[CandidateTerm]:
    """With locals of the parameters' own kinds as arguments."""
    domain = helper.returns
    if not isinstance(domain, BoolDomain | IntDomain | SetDomain):
        return
    choices: list[tuple[Expression, ...]] = [()]
    for parameter in helper.parameters:
        fitting = [local.node for local in locals_ if local.domain == parameter.domain]
        choices = [(*chosen, node) for chosen in choices for node in fitting if node not in chosen]
    for chosen in choices:
        yield CandidateTerm(nodes.Call(helper.name, chosen, NOWHERE), domain, (), kin(domain))
