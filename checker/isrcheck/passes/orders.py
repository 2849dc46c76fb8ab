"""Places where a model's text tells the members of a symmetric sort apart, for a proof of its symmetry.

Equality, sets, maps, quantifiers and sums treat members alike; there is no `<` of members, and no index. What is left
is a sequence made over members in the order of their sort, and a member by its name. `all` and `any` end at the first
element that decides, so that the order of members may hide an error: those places are listed for the lowering.
"""

from collections.abc import Collection, Iterator

from isrcheck.ir import nodes
from isrcheck.ir.check.expressions import ExpressionChecker, Locals
from isrcheck.ir.check.fit import present
from isrcheck.ir.check.statements import StatementChecker
from isrcheck.ir.domains import Domain, MapDomain, SetDomain, SortDomain, inner_domains
from isrcheck.ir.model import Method, ModelIR, Refinement
from isrcheck.place import Place

_ENDS_EARLY = (nodes.Gathering.ALL, nodes.Gathering.ANY)


class MemberOrders(ExpressionChecker):
    """The places of one model, `reasons` with a sentence each; found while domains are."""

    def __init__(self, model: ModelIR) -> None:
        super().__init__(model)
        self.reasons: list[tuple[Place, str]] = []
        self.ending_early: set[Place] = set()
        self.method = ""

    def domain(self, node: nodes.Expression, scope: Locals) -> Domain | None:
        if isinstance(node, nodes.Literal) and isinstance(node.domain, SortDomain) and node.domain.symmetric:
            sentence = f"{self.method} names a member of {node.domain.name}. Take a parameter, or leave --symmetry out."
            self.reasons.append((node.at, sentence))
        return super().domain(node, scope)

    def comprehension(self, node: nodes.Comprehension, scope: Locals) -> Domain | None:
        inner = dict(scope)
        for clause in node.clauses:
            if (sort := self.sort_without_order(clause.source, inner)) is not None:
                self._note(node, sort)
            inner[clause.target], _ = self.source(clause.source, inner)
        return super().comprehension(node, scope)

    def _note(self, node: nodes.Comprehension, sort: SortDomain) -> None:
        if node.gathering in _ENDS_EARLY:
            self.ending_early.add(node.at)
        if node.gathering is nodes.Gathering.SEQUENCE:
            remedy = "Write frozenset(...), all(), any() or sum(), or leave --symmetry out."
            self.reasons.append((node.at, f"{self.method} puts the members of {sort.name} into an order. {remedy}"))

    def sort_without_order(self, source: nodes.Expression, scope: Locals) -> SortDomain | None:
        """The symmetric sort whose members are in the elements of a source that is not a sequence of the state."""
        domain = present(self.domain(source, scope))
        if not isinstance(domain, SetDomain | MapDomain):
            return None
        elements = domain.key if isinstance(domain, MapDomain) else domain.of
        sorts = (inner for inner in inner_domains(elements) if isinstance(inner, SortDomain))
        return next((sort for sort in sorts if sort.symmetric), None)


def orders_of(ir: ModelIR, properties: Collection[str]) -> MemberOrders:
    """The places of a model and of the models that it refines, whose domains are checked."""
    checker = StatementChecker(ir)
    orders = checker.expressions = MemberOrders(ir)
    for method in _methods(ir, properties):
        orders.method = method.name
        checker.method(method)
        if isinstance(method, Refinement):
            abstract = orders_of(method.abstract, ())
            orders.reasons += abstract.reasons
            orders.ending_early |= abstract.ending_early
    return orders


def _methods(ir: ModelIR, properties: Collection[str]) -> Iterator[Method]:
    """All that a search with these properties reads in a state."""
    yield from ir.actions
    yield from (each for each in ir.properties if each.name in properties)
    yield from (*ir.constraints, *ir.helpers.values())
