"""A state in which two neighbouring members of a symmetric sort have changed places.

Places where a model's text tells the members of a symmetric sort apart, for a proof of its symmetry: equality, sets,
maps, quantifiers and sums treat members alike; there is no `<` of members, and no index. What is left is a sequence
made over members in the order of their sort, and a member by its name. `all` and `any` end at the first element that
decides, so that the order of members may hide an error: those places are listed for the lowering.
"""

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from isrcheck.ir import domains, nodes
from isrcheck.ir.check.expressions import ExpressionChecker, Locals
from isrcheck.ir.check.fit import present
from isrcheck.ir.check.statements import StatementChecker
from isrcheck.ir.codec import MASK_BITS
from isrcheck.ir.domains import Domain, MapDomain, SetDomain, SortDomain, inner_domains
from isrcheck.ir.model import Method, ModelIR, Refinement
from isrcheck.ir.scalar import Node, Symmetry
from isrcheck.passes.bind import BoundModel, scalars_of_constraints
from isrcheck.passes.update import read_state
from isrcheck.passes.values import kinds
from isrcheck.passes.values.shapes import Shapes
from isrcheck.passes.values.writing import write
from isrcheck.place import Place


def symmetries(model: BoundModel, shapes: Shapes) -> Iterator[Symmetry]:
    """Yield the symmetry of each symmetric sort of two or more members."""
    state, variables = read_state(model, shapes)
    more = scalars_of_constraints(model)
    rest = [shapes.n.var(place, each.size) for place, each in enumerate(more, len(variables))]
    for sort in model.ir.sorts:
        size = model.sizes[sort.sort]
        if sort.symmetric and size > 1:
            swaps = [_Swap(shapes, sort.name, first) for first in range(size - 1)]
            yield Symmetry(sort.name, size, tuple((*swap.state(model, state), *rest) for swap in swaps))


class _Swap:
    """The exchange of member `first` of a sort and the next, as a map of states."""

    def __init__(self, shapes: Shapes, sort: str, first: int) -> None:
        self.s, self.n, self.sort, self.first = shapes, shapes.n, sort, first

    def state(self, model: BoundModel, state: dict[str, kinds.Value]) -> Iterator[Node]:
        for name, domain in model.domains.items():
            yield from write(self.s, domain, self.value(domain, state[name])).scalars

    def permutation(self, domain: Domain) -> list[int]:
        """The index to which each member of the domain goes."""
        moved = (self.value(domain, value) for value in self.s.members(domain))
        return [self.s.locate(domain, value).index.low for value in moved]

    def value(self, domain: Domain, value: kinds.Value) -> kinds.Value:
        match domain, value:
            case domains.SortDomain(), kinds.AtomValue(node=node):
                return replace(value, node=self.swap(domain, node, 0))
            case domains.OptionalDomain(of=of), kinds.OptionValue(raw=raw, value=some) if of and some:
                if raw is not None:
                    return self.s.plain_option(some, self.swap(of, raw, 1))
                return replace(value, value=self.value(of, some), zeroed=False)
            case domains.RecordDomain(fields=fields), kinds.RecordValue(parts=parts):
                pairs = zip(fields, parts, strict=True)
                return kinds.RecordValue(domain, tuple(self.value(of, field) for (_, of), field in pairs))
            case domains.SumDomain(members=members), kinds.SumValue(tag=tag, cases=cases):
                return kinds.SumValue(members, tag, tuple(map(self.value, members, cases)))
            case domains.SlotSetDomain(of=key), kinds.SlotSet(masks=slots) if key is not None:
                return self.slots(key, replace(value, masks=()), slots, (None,) * len(slots))
            case domains.SlotMapDomain(key=key, value=of), kinds.SlotMap(slots=slots, entries=entries):
                moved = [self.value(of, each) for each in entries]
                return self.slots(key, replace(value, slots=(), entries=()), slots, moved)
            case domains.MapDomain(key=key, value=of), kinds.MapValue(entries=entries):
                moved = [self.value(of, each) for each in entries]
                return replace(value, entries=tuple(moved[place] for place in self.permutation(key)))
            case domains.SequenceDomain(of=of), kinds.SequenceValue(length=length, slots=elements) if of is not None:
                used = (self.n.lt(self.n.const(place), length) for place in range(len(elements)))
                pairs_of = zip(used, (self.value(of, each) for each in elements), strict=True)
                return replace(value, slots=tuple(self.s.merge(u, e, self.s.like_zero(e)) for u, e in pairs_of))
            case domains.SetDomain(of=of), kinds.SetValue(masks=masks) if of is not None:
                return replace(value, masks=self.masks(self.permutation(of), masks))
        return value

    def slots(
        self, key: Domain, empty: kinds.Value, slots: Sequence[Node], entries: Sequence[kinds.Value | None]
    ) -> kinds.Value:
        """The set or map with these slots, in order again after the swap."""
        for slot, mapped in zip(slots, entries, strict=True):
            content = self.s.slot_content(key, self.value(key, self.s.element(key, slot))).index
            empty = self.s.with_slot(empty, self.n.ite(self.n.bit(slot, 0), content, self.n.const(0)), mapped)
        return empty

    def swap(self, domain: Domain, node: Node, offset: int) -> Node:
        """An index of a member, which counts from `offset` on; of another sort, itself."""
        n = self.n
        if not isinstance(domain, domains.SortDomain) or domain.name != self.sort:
            return node
        first = self.first + offset
        moved = n.ite(n.eq(node, n.const(first + 1)), n.const(first), node)
        return n.ite(n.eq(node, n.const(first)), n.const(first + 1), moved)

    def masks(self, places: list[int], masks: tuple[Node, ...]) -> tuple[Node, ...]:
        n, result_masks = self.n, []
        for chunk, mask in enumerate(masks):
            start = chunk * MASK_BITS
            width = min(MASK_BITS, len(places) - start)
            still = sum(1 << i for i in range(width) if places[start + i] == start + i)
            result = n.bit_and(mask, n.const(still))
            for i in range(width):
                source = places[start + i]  # a swap is its own inverse
                if source != start + i:
                    bit = n.bit(masks[source // MASK_BITS], source % MASK_BITS)
                    result = n.bit_or(result, n.shift_left(bit, n.const(i)))
            result_masks.append(result)
        return tuple(result_masks)


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
