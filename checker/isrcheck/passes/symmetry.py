"""A state in which two neighbouring members of a symmetric sort have changed places.

Places where a model's text tells the members of a symmetric sort apart, for a proof of its symmetry: equality, sets,
maps, quantifiers and sums treat members alike; there is no `<` of members, and no index. What is left is a sequence
made over members in the order of their sort, and a member by its name. `all` and `any` end at the first element that
decides, so that the order of members may hide an error: those places are listed for the lowering.
"""

from collections.abc import Collection, Iterator
from typing import Any

from msgspec.structs import replace

from isrcheck.ir import domains, nodes
from isrcheck.ir.check.expressions import ExpressionChecker, Locals
from isrcheck.ir.check.fit import present
from isrcheck.ir.check.statements import StatementChecker
from isrcheck.ir.codec import MASK_BITS, codec
from isrcheck.ir.domains import Domain, MapDomain, SetDomain, SortDomain, inner_domains
from isrcheck.ir.model import Method, ModelIR, Refinement
from isrcheck.ir.scalar import Node, Symmetry
from isrcheck.ir.sums import class_of
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.layout import scalars_of_constraints
from isrcheck.passes.update import read_state
from isrcheck.passes.values import kinds
from isrcheck.passes.values.shapes import Shapes
from isrcheck.passes.values.writing import write
from isrcheck.place import Place


def symmetries(model: BoundModel, shapes: Shapes) -> Iterator[Symmetry]:
    """Yield the symmetry of each symmetric sort of two or more members."""
    _, variables = read_state(model, shapes)
    more = scalars_of_constraints(model)
    state = (*variables, *(shapes.n.var(place, each.size) for place, each in enumerate(more, len(variables))))
    for sort in model.ir.sorts:
        size = model.sizes[sort.sort]
        if sort.symmetric and size > 1:
            swaps = [_Swap(shapes, sort.name, first, iter(state)) for first in range(size - 1)]
            yield Symmetry(sort.name, size, tuple(tuple(swap.state(model)) for swap in swaps))


class _Swap:
    """The exchange of member `first` of a sort and the next, as a map of states."""

    def __init__(self, shapes: Shapes, sort: str, first: int, scalars: Iterator[Node]) -> None:
        self.s, self.n, self.sort, self.first, self.scalars = shapes, shapes.n, sort, first, scalars

    def member(self, domain: domains.Domain, value: Any) -> Any:
        match domain:
            case domains.SortDomain(name=name, make=make) if name == self.sort:
                places = {self.first: self.first + 1, self.first + 1: self.first}
                return make(places.get(value.index, value.index))
            case domains.OptionalDomain(of=of) if of is not None and value is not None:
                return self.member(of, value)
            case domains.RecordDomain():
                pairs = zip(domain.fields, value, strict=True)
                return domain.make(*(self.member(of, field) for (_, of), field in pairs))
            case domains.SumDomain():
                return self.member(next(m for m in domain.members if class_of(m) is type(value)), value)
            case domains.SetDomain(of=of) if of is not None:
                return frozenset(self.member(of, element) for element in value)
            case domains.SequenceDomain(of=of) if of is not None:
                return tuple(self.member(of, item) for item in value)
        return value

    def permutation(self, domain: domains.Domain) -> list[int]:
        """The index to which each member of the domain goes."""
        return [codec(domain).index(self.member(domain, value)) for value in codec(domain).values()]

    def state(self, model: BoundModel) -> Iterator[Node]:
        for of in model.domains.values():
            yield from self.value(of)
        yield from self.scalars

    def value(self, domain: domains.Domain) -> Iterator[Node]:
        match domain:
            case domains.SortDomain():
                yield self.swap_next(domain, 0)
            case domains.OptionalDomain(of=of) if of is not None and codec(of).plain:
                yield self.swap_next(of, 1)
            case domains.OptionalDomain(of=of) if of is not None:
                present = next(self.scalars)
                yield present
                yield from self.where(present, of)
            case domains.RecordDomain():
                for _, of in domain.fields:
                    yield from self.value(of)
            case domains.SumDomain():
                yield from self.sum_scalars(domain)
            case domains.SlotSetDomain() | domains.SlotMapDomain():
                yield from self.slots(domain)
            case domains.MapDomain(key=key, value=of):
                places = self.permutation(key)
                entries = [list(self.value(of)) for _ in places]
                yield from (node for place in places for node in entries[place])
            case domains.SequenceDomain(of=of, high=high) if of is not None:
                length = next(self.scalars)
                yield length
                for slot in range(domains.number(high)):
                    yield from self.where(self.n.lt(self.n.const(slot), length), of)
            case domains.SetDomain(of=of) if of is not None:
                masks = tuple(next(self.scalars) for _ in range(codec(domain).width))
                yield from self.masks(self.permutation(of), masks)
            case _:
                yield next(self.scalars)

    def sum_scalars(self, domain: domains.SumDomain) -> Iterator[Node]:
        """The scalars of a sum, swapped as those of the member that it is."""
        n, outer, tag = self.n, self.scalars, next(self.scalars)
        before = [next(outer) for _ in range(codec(domain).width - 1)]
        after = before
        for place, member in enumerate(domain.members):
            self.scalars = iter(before)
            here, own = n.eq(tag, n.const(place)), [*self.value(member)]
            moved = [n.ite(here, new, old) for new, old in zip(own, after, strict=False)]
            after = moved + after[len(own) :]
        self.scalars = outer
        yield from (tag, *after)

    def where(self, condition: Node, domain: domains.Domain) -> Iterator[Node]:
        """Zero where it is not there."""
        return (self.n.ite(condition, node, self.n.const(0)) for node in self.value(domain))

    def slots(self, domain: domains.SlotSetDomain | domains.SlotMapDomain) -> list[Node]:
        """The scalars of slots, in order again after the swap."""
        s, key = self.s, domain.key if isinstance(domain, domains.SlotMapDomain) else domain.of
        assert key is not None
        empty = s.read(domain, (self.n.const(0) for _ in range(codec(domain).width)))
        for _ in range(domain.slots):
            slot, value = next(self.scalars), None
            if isinstance(domain, domains.SlotMapDomain):
                value = s.read(domain.value, iter(list(self.value(domain.value))))
            content = s.slot_content(key, self.element(key, s.element(key, slot))).index
            empty = s.with_slot(empty, self.n.ite(self.n.bit(slot, 0), content, self.n.const(0)), value)
        return write(s, domain, empty).scalars

    def element(self, domain: domains.Domain, value: kinds.Value) -> kinds.Value:
        match domain, value:
            case domains.SortDomain(), kinds.AtomValue(node=node):
                return replace(value, node=self.swap(domain, node, 0))
            case domains.OptionalDomain(of=of), kinds.OptionValue(raw=raw, value=some) if of and some:
                if raw is not None:
                    return self.s.plain_option(some, self.swap(of, raw, 1))
                return replace(value, value=self.element(of, some))
            case domains.RecordDomain(fields=fields), kinds.RecordValue(parts=parts):
                pairs = zip(fields, parts, strict=True)
                return kinds.RecordValue(domain, tuple(self.element(of, field) for (_, of), field in pairs))
            case domains.SumDomain(members=members), kinds.SumValue(tag=tag, cases=cases):
                return kinds.SumValue(members, tag, tuple(map(self.element, members, cases)))
            case domains.SetDomain(of=of), kinds.SetValue(masks=masks) if of is not None:
                return replace(value, masks=self.masks(self.permutation(of), masks))
        return value

    def swap_next(self, domain: domains.Domain, offset: int) -> Node:
        """An index, from `offset` on."""
        return self.swap(domain, next(self.scalars), offset)

    def swap(self, domain: domains.Domain, node: Node, offset: int) -> Node:
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
