"""Which steps of a system may be put off: what partial-order reduction reads off a system (docs/adr/034).

Two instances depend on each other if in a state in which both can be taken one of them may matter to the other. An
instance that can go wrong, and one that can leave a bound, is put off by no other that changes what decides about it.
Sets of instances are numbers with a bit for each.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from isrcheck.budget import progress
from isrcheck.engines.common.evaluate import nodes_of
from isrcheck.engines.common.footprints import Footprints
from isrcheck.engines.common.questions import Questions, ScalarLiteral, literals
from isrcheck.ir.scalar import Condition, Fault, Instance, Node, Op, ScalarProperty, ScalarSystem
from isrcheck.passes.fold import Nodes
from isrcheck.passes.substitute import Substitution


@dataclass(frozen=True, slots=True)
class Enabler:
    """Only `instances` may make a literal true of an instance that cannot be taken; None: whatever keeps it so."""

    literal: ScalarLiteral | None
    instances: int


@dataclass(frozen=True, slots=True)
class Dependence:
    """`dependents[i]` must be taken no later than i, in a state in which i can be taken.

    Where i cannot be taken, the first of `enablers[i]` whose literal is false says what comes before it; the last has
    no literal.
    """

    dependents: tuple[int, ...]
    enablers: tuple[tuple[Enabler, ...], ...]

    @property
    def literals(self) -> tuple[ScalarLiteral, ...]:
        """Each once."""
        return tuple(dict.fromkeys(e.literal for own in self.enablers for e in own if e.literal is not None))


def dependence(system: ScalarSystem, properties: Sequence[str]) -> Dependence:
    """With respect to these properties, which all are of states or of steps."""
    analysis = Analysis(system)
    dependents = analysis.dependents()
    for asked in system.properties:
        if asked.name in properties:
            for before, after in analysis.visibility(asked):
                dependents = [each | after if before >> i & 1 else each for i, each in enumerate(dependents)]
    without = tuple(each & ~(1 << i) for i, each in enumerate(dependents))
    return Dependence(without, tuple(analysis.enablers(i) for i in range(len(without))))


class Analysis:
    def __init__(self, system: ScalarSystem) -> None:
        self._scalars = system.scalars
        self._nodes = Nodes()
        self._here = {p: self._nodes.var(p, each.size) for p, each in enumerate(system.scalars)}
        before = {len(system.scalars) + p: node for p, node in self._here.items()}
        self._own = _Rebuilt(self._nodes, self._here | before)
        self.instances = [self._rebuilt(each) for each in system.instances]
        self._questions = Questions(system.scalars, self._nodes)
        self._prints = Footprints(system.scalars)
        self.footprints = [self._prints.of(each) for each in self.instances]
        self._live = [each.guard.high > 0 or _may_fail(each) for each in self.instances]
        self._needs = [self._needed(each) for each in self.instances]
        self._bounds = [() if _may_fail(each) else tuple(literals(each.pruned, False)) for each in self.instances]
        self._taken = [(*literals(each.guard), *literals(each.pruned, False)) for each in self.instances]
        self._after = [_Rebuilt(self._nodes, self._here | self._updates(each)) for each in self.instances]
        self._read: dict[Node, int] = {}
        self._makers: dict[ScalarLiteral, int] = {}

    def _rebuilt(self, instance: Instance) -> Instance:
        """Of nodes that are made in one place, so that equal ones are one."""
        of = self._own.of
        updates = tuple((position, of(node)) for position, node in instance.updates)
        faults = tuple(Fault(of(each.condition), each.place, each.sentence) for each in instance.faults)
        return Instance(instance.action, (), of(instance.guard), of(instance.pruned), updates, faults)

    def _updates(self, instance: Instance) -> dict[int, Node]:
        """Within the domains: what is outside is pruned or goes wrong."""
        n = self._nodes
        most = {p: n.const(each.size - 1) for p, each in enumerate(self._scalars)}
        return {p: n.max_(n.const(0), n.min_(node, most[p])) for p, node in instance.updates}

    def _needed(self, instance: Instance) -> tuple[ScalarLiteral, ...]:
        """What holds wherever its guard holds or it goes wrong."""
        certain = dict.fromkeys(literals(instance.guard))
        for fault in instance.faults:
            if fault.condition.high:
                own = set(literals(fault.condition))
                certain = {each: None for each in certain if each in own}
        return tuple(certain)

    def dependents(self) -> list[int]:
        found = [0] * len(self.instances)
        for j in range(len(self.instances)):
            progress("looking for dependences", j, len(self.instances), "instances")
            for i in range(j):
                if self._live[i] and self._live[j] and self.depend(i, j):
                    found[i] |= 1 << j
                    found[j] |= 1 << i
        return found

    def depend(self, i: int, j: int) -> bool:
        a, b = self.footprints[i], self.footprints[j]
        if not (a.writes & (b.asks | b.uses | b.writes) or b.writes & (a.asks | a.uses)):
            return False
        if not self._questions.may_all_hold((*self._needs[i], *self._needs[j])):
            return False
        if _may_fail(self.instances[i]) or _may_fail(self.instances[j]):
            return True
        return self._may_hinder(i, j) or self._may_hinder(j, i) or self._order_matters(i, j)

    def _may_hinder(self, i: int, j: int) -> bool:
        """Whether taking i may keep j from being taken, or from leaving a bound, where its guard holds."""
        asked = (*self._taken[i], *self._needs[j])
        if any(self._may_become(i, _contrary(each), asked) for each in self._needs[j]):
            return True
        both = (*self._taken[i], *self._taken[j])
        if any(self._may_become(i, _contrary(each), both) for each in self._bounds[j]):
            return True
        return any(self._may_become(i, each, asked) for each in self._bounds[j])

    def _may_become(self, i: int, literal: ScalarLiteral, needs: Sequence[ScalarLiteral]) -> bool:
        """Whether taking i may make a literal true that is false."""
        node, wanted = literal
        if not self._reads(node) & self.footprints[i].writes:
            return False
        if self._questions.are_too_many([node], needs):
            return True
        then = self._questions.truth(ScalarLiteral(self._after[i].of(node), wanted))
        now = self._questions.truth(ScalarLiteral(node, not wanted))
        return self._questions.may_hold(self._nodes.and_(now, then), needs)

    def _reads(self, node: Node) -> int:
        if node not in self._read:
            self._read[node] = self._prints.reads([node])
        return self._read[node]

    def _order_matters(self, i: int, j: int) -> bool:
        """Whether they may lead elsewhere when they are taken the other way round."""
        both = (*self._taken[i], *self._taken[j])
        first, second = dict(self.instances[i].updates), dict(self.instances[j].updates)
        for scalar in {**first, **second}:
            here = self._here[scalar]
            a, b = first.get(scalar, here), second.get(scalar, here)
            if not self._reads(a) & self.footprints[j].writes and not self._reads(b) & self.footprints[i].writes:
                if scalar in first and scalar in second and a is not b:
                    return True
                continue
            last = self._after[i].of(b), self._after[j].of(a)
            if self._questions.may_hold(self._nodes.not_(self._nodes.eq(*last)), both):
                return True
        return False

    def enablers(self, i: int) -> tuple[Enabler, ...]:
        """Fewest instances first; bounds last: where its guard holds and it leaves one, it is known to be pruned."""
        if not self._live[i]:
            return (Enabler(None, 0),)
        own = [[Enabler(each, self._making(each)) for each in part] for part in (self._needs[i], self._bounds[i])]
        ordered = (each for part in own for each in sorted(part, key=lambda each: each.instances.bit_count()))
        return (*ordered, Enabler(None, self._writing(self.footprints[i].asks)))

    def _writing(self, footprint: int) -> int:
        return self._those(i for i, own in enumerate(self.footprints) if own.writes & footprint)

    def _those(self, instances: Iterable[int]) -> int:
        return sum(1 << i for i in instances if self._live[i])

    def _making(self, literal: ScalarLiteral) -> int:
        """What may make it true."""
        if literal not in self._makers:
            count = range(len(self.instances))
            self._makers[literal] = self._those(i for i in count if self._may_become(i, literal, self._taken[i]))
        return self._makers[literal]

    def visibility(self, asked: ScalarProperty) -> Iterator[tuple[int, int]]:
        """Pairs of sets: whatever takes an instance of the first early takes all of the second."""
        if asked.kind.is_of_steps:
            seen = self._seen_in_steps(asked)
            yield seen, seen
            return
        condition = asked.conditions[0]
        targets = [
            self._own.of(condition.node) if asked.kind.target else self._nodes.not_(self._own.of(condition.node))
        ]
        targets += (self._own.of(fault.condition) for fault in condition.faults)
        for target in targets:
            # A target is seen where one of its cases holds: each is looked for by itself.
            for node, wanted in literals(target, wanted=False):
                case = ScalarLiteral(node, not wanted)
                yield self._making(ScalarLiteral(node, wanted)), self._making(case)

    def _seen_in_steps(self, asked: ScalarProperty) -> int:
        """What writes anything that the property reads, before a step or after it, and what it may judge."""
        read = self._prints.reads(node for condition in asked.conditions for node in nodes_of(condition))
        judged = (i for i, each in enumerate(asked.conditions) if self._may_show(i, each, asked.kind.target))
        return self._writing(read) | self._those(judged)

    def _may_show(self, i: int, condition: Condition, target: bool) -> bool:
        """Whether a step of this instance may be a target, or go wrong in being judged."""
        count = len(self._scalars)
        before = {count + scalar: node for scalar, node in self._here.items()}
        after = _Rebuilt(self._nodes, self._here | before | self._updates(self.instances[i]))
        *faults, asked = map(after.of, (*(each.condition for each in condition.faults), condition.node))
        shown = self._nodes.or_(*faults, asked if target else self._nodes.not_(asked))
        return self._questions.may_hold(shown, self._taken[i])


class _Rebuilt(Substitution):
    """All of its nodes are new: a system's own were made elsewhere, and have other numbers."""

    def __init__(self, nodes: Nodes, values: Mapping[int, Node]) -> None:
        super().__init__(nodes, values)
        self._make |= {Op.SHL: self._shifted(nodes.shift_left), Op.SHR: self._shifted(nodes.shift_right)}

    def _shifted(self, shift: Callable[[Node, Node], Node]) -> Callable[[Node, Node], Node]:
        """By 0 to 63 bits, as wherever the value matters."""
        n = self._nodes
        return lambda a, b: shift(a, n.max_(n.const(0), n.min_(b, n.const(63))))

    def _new(self, node: Node) -> Node:
        if node.op is Op.CONST:
            return self._nodes.const(node.value)
        if node.op is Op.VAR:
            return self._values[node.value]
        made: Node = self._make[node.op](*(self._known[each.index] for each in node.args))
        return made


def _contrary(literal: ScalarLiteral) -> ScalarLiteral:
    return ScalarLiteral(literal.node, not literal.wanted)


def _may_fail(instance: Instance) -> bool:
    return any(fault.condition.high for fault in instance.faults)
