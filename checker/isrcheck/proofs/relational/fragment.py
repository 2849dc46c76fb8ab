"""The fragment of the language that the relational system covers: one table of what it lacks, read before any proof.

What depends on a value's shape, such as a sequence as a condition, is refused where the text is lowered.
"""

from collections.abc import Iterator
from typing import assert_never

from isrcheck.ir import domains as d
from isrcheck.ir import nodes
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import Gathering, walk
from isrcheck.passes.inline import Inliner
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.faults import refusal

COVERED = ""  # the phrase of what the fragment lacks is empty


def check_fragment(ir: ModelIR) -> None:
    """Refuse the first declaration, parameter, statement or expression that it lacks. Raises UsageError."""
    if ir.initials:
        raise refusal(ir.initials[0], "initial states that methods choose")
    for variable in ir.variables:
        if lack := _lack_of_variable(variable.domain):
            raise refusal(variable, f"the variable {variable.name} ({lack})")
    inliner = Inliner(ir)
    for action in ir.actions:
        for parameter in action.parameters:
            if lack := _lack_of_parts(parameter.domain):
                raise refusal(action, f"the parameter {parameter.name} of {action.name} ({lack})")
        _check_nodes(inliner.method(action))
    for method in _conditions(ir):
        _check_nodes(inliner.condition(method))


def _conditions(ir: ModelIR) -> Iterator[Method]:
    yield from (p for p in ir.properties if p.kind.is_provable)
    yield from (*ir.lemmas, *ir.assumptions, *ir.applicability)


def _check_nodes(body: object) -> None:
    for node in walk(body):
        lack = COVERED
        if isinstance(node, nodes.Statement):
            lack = lack_of_statement(node)
        elif isinstance(node, nodes.Expression):
            lack = lack_of_expression(node)
        if lack:
            raise refusal(node, lack)


def _lack_of_variable(domain: d.Domain) -> str:
    """The phrase of what a variable lacks: a set, alone, may hold members of several sorts and enumerations."""
    match domain:
        case d.SetDomain(d.SumDomain(kinds), high=None) if all(
            isinstance(k, d.SortDomain | d.EnumDomain) for k in kinds
        ):
            return COVERED
    return _lack_of_parts(domain)


def _lack_of_parts(domain: d.Domain) -> str:
    if isinstance(domain, d.SetDomain) and isinstance(domain.of, d.SumDomain):
        return lack_of_domain(domain)
    parts = (domain.key, domain.value) if isinstance(domain, d.MapDomain) else d.parts(domain)
    return next(filter(None, (*map(_lack_of_parts, parts), lack_of_domain(domain))), COVERED)


def lack_of_domain(domain: d.Domain) -> str:
    """The phrase of what keeps values of this domain, not of its parts, out of the fragment."""
    match domain:
        case d.IntDomain(low=low):
            return COVERED if low == 0 else f"numbers from {low}, not from 0"
        case d.MapDomain(key, _, total=None):
            return _lack_of_key(key)
        case d.SetDomain(of) if of is not None:
            return _lack_of_key(of)
        case d.SequenceDomain(of) if of is not None:
            return COVERED
        case d.MapDomain() | d.SumDomain() | d.SequenceDomain() | d.SetDomain():
            return f"values of {d.describe(domain)}"
        case d.OptionalDomain(of):
            nested = isinstance(of, d.OptionalDomain)
            return f"values of {d.describe(domain)}" if nested or of is None else COVERED
        case d.BoolDomain() | d.SortDomain() | d.EnumDomain() | d.RecordDomain():
            return COVERED
        case _:
            assert_never(domain)


def _lack_of_key(domain: d.Domain) -> str:
    if isinstance(domain, d.SumDomain) and all(isinstance(m, d.SortDomain | d.EnumDomain) for m in domain.members):
        return COVERED
    try:
        v.element_sorts(domain)
    except v.Unsupported as error:
        return str(error)
    return COVERED


def lack_of_statement(node: nodes.Statement) -> str:
    """The phrase of what keeps a statement, after inlining, out of the fragment."""
    match node:
        case nodes.Require() | nodes.Assign() | nodes.When():
            return COVERED
        case nodes.Repeat():
            return "a message to each of several (send_all)"
        case nodes.Perform() | nodes.Return():
            return f"{type(node).__name__} here"
        case _:
            assert_never(node)


def lack_of_expression(node: nodes.Expression) -> str:
    """The phrase of what keeps an expression, not its operands, out of the fragment after inlining."""
    match node:
        case nodes.Literal(domain=d.SortDomain()):
            return "a member of a sort by its number"
        case nodes.Comprehension(gathering=Gathering.SUM, element=element):
            is_count = isinstance(element, nodes.Literal) and element.value == 1
            return COVERED if is_count else "a sum() over these"
        case nodes.IsMember() | nodes.Narrowed():
            return "a value of several classes"
        case nodes.Call():
            return "a call that is not written out"
        case (
            nodes.Literal() | nodes.ReadConstant() | nodes.ReadVariable() | nodes.ReadLocal() | nodes.ReadField()
            | nodes.Item() | nodes.Slice() | nodes.TakenAction() | nodes.TakenArgument() | nodes.Operation()
            | nodes.Not() | nodes.Conditional() | nodes.Comprehension() | nodes.Extreme() | nodes.Length()
            | nodes.Let() | nodes.MakeRecord() | nodes.ReplaceFields() | nodes.MakeSequence() | nodes.MakeSet()
            | nodes.Everything() | nodes.IntegerRange() | nodes.Subsets()
        ):  # fmt: skip
            return COVERED
        case _:
            assert_never(node)
