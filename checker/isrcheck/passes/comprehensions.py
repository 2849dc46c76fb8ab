"""Comprehensions written out: one evaluation for each element that a `for` may run over."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import assert_never

from isrcheck.errors import ModelError
from isrcheck.ir import nodes
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import INT, Domain, MapDomain, RecordDomain, SlotMapDomain
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import Fault, Node
from isrcheck.passes.bind import BoundModel, bind_domain
from isrcheck.passes.fold import Disjunction
from isrcheck.passes.values import kinds
from isrcheck.passes.values.shapes import Shapes
from isrcheck.place import Place

Locals = Mapping[str, kinds.Value]
MOST_ELEMENTS = 1_000_000  # written out by comprehensions within each other; each takes 10 microseconds or more


class LateCondition:
    """A condition that is made when it is first asked for."""

    __slots__ = ("_make", "_node")

    def __init__(self, make: Callable[[], Node]) -> None:
        self._make = make
        self._node: Node | None = None

    def __call__(self) -> Node:
        if self._node is None:
            self._node = self._make()
        return self._node


class ComprehensionEvaluator(ABC):
    """A subclass says what `value` is."""

    def __init__(self, model: BoundModel, shapes: Shapes, state: dict[str, kinds.Value]) -> None:
        self.model, self.s, self.n = model, shapes, shapes.n
        self.state = state
        self.path = self.n.true
        self.faults: list[Fault] = []
        self.times = 1  # how often the comprehensions around write out what stands within

    @property
    def path(self) -> Node:
        """The condition under which CPython would get here. Most of them nobody asks for, so they are made late."""
        return self._path()

    @path.setter
    def path(self, condition: Node) -> None:
        self._path: Callable[[], Node] = lambda: condition

    @contextmanager
    def under(self, condition: Node) -> Iterator[None]:
        """A context in which nodes are evaluated where this condition holds, too."""
        outer = self._path
        self._path = LateCondition(lambda: self.n.and_(outer(), condition))
        yield
        self._path = outer

    def fault(self, condition: Node, at: Place, sentence: str, grows: str = "") -> None:
        """CPython would raise there, or a variable needs more slots."""
        if not condition.high:
            return
        condition = self.n.and_(self.path, condition)
        if condition.high:
            self.faults.append(Fault(condition, at, sentence, grows))

    def truth(self, node: nodes.Expression, env: Locals) -> Node:
        return self.as_truth(self.value(node, env))

    def as_truth(self, value: kinds.Value) -> Node:
        """A truth as a node; None, which a helper may return, is false."""
        if isinstance(value, kinds.OptionValue):
            return self.n.false if value.value is None else self.n.and_(value.present, self.as_truth(value.value))
        assert isinstance(value, kinds.TruthValue | kinds.NoValue), value
        return value.node if isinstance(value, kinds.TruthValue) else self.n.false

    def number(self, node: nodes.Expression, env: Locals) -> Node:
        return self.as_number(self.value(node, env), node.at)

    def as_number(self, value: kinds.Value, at: Place) -> Node:
        value = self.present(value, at)
        assert isinstance(value, kinds.NumberValue | kinds.NoValue), value
        return value.node if isinstance(value, kinds.NumberValue) else self.n.const(0)

    def present(self, some: kinds.Value, at: Place) -> kinds.Value:
        """The value of an option; where it is None, a fault."""
        if not isinstance(some, kinds.OptionValue):
            return some
        self.fault(self.n.not_(some.present), at, "None stands where a value is needed")
        return some.value or kinds.NoValue()

    @abstractmethod
    def value(self, node: nodes.Expression, env: Locals) -> kinds.Value:
        """The value of an expression."""

    def runs(self, clauses: tuple[nodes.Clause, ...], env: Locals, going: Node) -> Iterator[tuple[Node, Locals]]:
        """Yield the condition and the locals of each run through the clauses."""
        if not clauses:
            yield going, env
            return
        loop, rest = clauses[0], clauses[1:]
        with self.under(going):
            elements = list(self.source(loop.source, env))
        with self.unroll(len(elements), loop.source.at):
            for there, value in elements:
                inner = {**env, loop.target: value}
                here = self.n.and_(going, there)
                for test in loop.conditions:
                    with self.under(here):
                        here = self.n.and_(here, self.truth(test, inner))
                if here.high:
                    yield from self.runs(rest, inner, here)

    @contextmanager
    def unroll(self, elements: int, at: Place) -> Iterator[None]:
        """Count elements that are written out one by one. Raises ModelError if there are too many."""
        outer = self.times
        self.times *= elements
        if self.times > MOST_ELEMENTS:
            within = f", {outer:,} times over," if outer > 1 else ""
            what = f"{elements:,} elements are written out one by one here{within} and {MOST_ELEMENTS:,} are the most."
            raise ModelError(at, what, "Use smaller constants, or say the same without running over so many.")
        try:
            yield
        finally:
            self.times = outer

    def source(self, node: nodes.Expression, env: Locals) -> Iterator[tuple[Node, kinds.Value]]:
        n = self.n
        if isinstance(node, nodes.IntegerRange):
            start, stop = self.number(node.start, env), self.number(node.stop, env)
            with self.unroll(max(0, stop.high - start.low), node.at):
                pass
            for number in range(start.low, stop.high):
                here = n.const(number)
                yield n.and_(n.le(start, here), n.lt(here, stop)), kinds.NumberValue(here)
            return
        if isinstance(node, nodes.Subsets):
            yield from self.subsets(node, env)
            return
        value = self.present(self.value(node, env), node.at)
        match value:
            case kinds.SetValue():
                yield from self.s.distinct(value)
            case kinds.SequenceValue(length=length, slots=slots):
                for position, slot in enumerate(slots):
                    yield n.lt(n.const(position), length), slot
            case kinds.MapValue(domain=MapDomain(key=key, total=total), entries=entries):
                for member, at_key in zip(codec(key).values(), entries, strict=True):
                    yield n.true if total is None else self.s.is_sent(at_key), self.s.constant(key, member)
            case kinds.SlotMap(domain=SlotMapDomain(key=key, total=None)):
                for member in codec(key).values():
                    yield n.true, self.s.constant(key, member)
            case kinds.SlotMap(domain=SlotMapDomain(key=key), slots=contents):
                for content in contents:
                    yield n.bit(content, 0), self.s.element(key, content)
            case kinds.NoValue():
                pass
            case _:
                raise AssertionError(value)

    def subsets(self, node: nodes.Subsets, env: Locals) -> Iterator[tuple[Node, kinds.Value]]:
        """Yield each choice of elements, and the condition that all of them are there."""
        elements = list(self.source(node.of, env))
        self._refuse_many_subsets(len(elements), node.at)
        for mask in range(1 << len(elements)):
            chosen = [element for position, element in enumerate(elements) if mask >> position & 1]
            there = self.n.and_(*(condition for condition, _ in chosen))
            if there.high:
                yield there, kinds.SetValue(None, (), tuple((self.n.true, value) for _, value in chosen))

    def _refuse_many_subsets(self, members: int, at: Place) -> None:
        """Refuse subsets that have more members in all than may be written out: raises ModelError."""
        if self.times * members << members > MOST_ELEMENTS:
            within = f", {self.times:,} times over," if self.times > 1 else ""
            what = f"2^{members} subsets of {members:,} elements are written out one by one here{within} and"
            most = f"{MOST_ELEMENTS:,} elements of them are the most."
            raise ModelError(at, f"{what} {most}", "Use smaller constants, or say the same without subsets().")

    def comprehension(self, node: nodes.Comprehension, env: Locals) -> kinds.Value:
        match node.gathering:
            case nodes.Gathering.ALL:
                return kinds.TruthValue(self.n.not_(self.some(node, env, stop_at=False)))
            case nodes.Gathering.ANY:
                return kinds.TruthValue(self.some(node, env, stop_at=True))
            case nodes.Gathering.SUM:
                return self.total(node, env)
            case nodes.Gathering.MIN | nodes.Gathering.MAX:
                return self.extreme(node, env)
            case nodes.Gathering.SET:
                return kinds.SetValue(None, (), tuple(self.elements(node, env)))
            case nodes.Gathering.SEQUENCE:
                result = kinds.SequenceValue(self.n.const(0), ())
                for condition, value in self.elements(node, env):
                    result = self.s.append(result, value, condition)
                return result
            case nodes.Gathering.MAP:
                return self.map_by_key(node, env)
            case _:
                assert_never(node.gathering)

    def elements(self, node: nodes.Comprehension, env: Locals) -> Iterator[tuple[Node, kinds.Value]]:
        for condition, inner in self.runs(node.clauses, env, self.n.true):
            with self.under(condition):
                value = self.value(node.element, inner)
            yield condition, value

    def some(self, node: nodes.Comprehension, env: Locals, stop_at: bool) -> Node:
        """Return whether an element has the truth `stop_at`; later ones are not evaluated, as in `any` and `all`."""
        n = self.n
        outer, stopped = self._path, Disjunction(n)
        before = Disjunction(n) if node.at in self.model.any_order else stopped  # some order begins with any element
        for condition, inner in self.runs(node.clauses, env, n.true):
            self._path = self._late_condition(self._path, condition, before)
            value = self.truth(node.element, inner)
            stopped.add(n.and_(condition, value if stop_at else n.not_(value)))
            if before.is_true:
                break
            self._path = self._late_condition(outer, n.true, before)
        self._path = outer
        return stopped.node()

    def _late_condition(self, path: Callable[[], Node], condition: Node, stopped: Disjunction) -> LateCondition:
        """The condition under which a loop goes on, until more is added to `stopped`."""
        n = self.n
        return LateCondition(lambda: n.and_(path(), n.and_(condition, n.not_(stopped.node()))))

    def total(self, node: nodes.Comprehension, env: Locals) -> kinds.Value:
        n = self.n
        result = n.const(0)
        for condition, value in self.elements(node, env):
            with self.under(condition):
                number = self.as_number(value, node.at)
            result = n.add(result, n.ite(condition, number, n.const(0)))
        return kinds.NumberValue(result)

    def extreme(self, node: nodes.Comprehension, env: Locals) -> kinds.Value:
        n = self.n
        default = self.value(node.default, env) if node.default else None
        exists, best = n.false, default or kinds.NoValue()
        for condition, value in self.elements(node, env):
            with self.under(n.and_(condition, exists)):  # a single element is compared with nothing: it may be None
                pair = (self.as_number(best, node.at), self.as_number(value, node.at)) if exists.high else None
            if pair is not None:
                better = n.min_(*pair) if node.gathering is nodes.Gathering.MIN else n.max_(*pair)
                value = self.s.merge(exists, kinds.NumberValue(better), value)
            best = self.s.merge(condition, value, best)
            exists = n.or_(exists, condition)
        if default is None:
            self.fault(n.not_(exists), node.at, f"{node.gathering.value}() of nothing")
        return best

    def map_by_records(self, node: nodes.Comprehension, key: nodes.MakeRecord, env: Locals) -> kinds.Value:
        """Every field runs over all of its values. Raises ModelError for more or fewer."""
        domain = bind_domain(key.domain, self.model.constants, key.at)
        assert isinstance(domain, RecordDomain)
        for clause, (name, of) in zip(node.clauses, domain.fields, strict=True):
            there = [condition.low for condition, _ in self.source(clause.source, env)]
            size = codec(of).count()
            if len(there) != size or not all(there) or getattr(of, "low", 0) < 0:
                what = f"{domain.name} has {size:,} values in the field {name}, and {sum(there):,} are run over."
                raise ModelError(clause.at, what, "Run over all values of the field: a sort, or a range from 0.")
        return kinds.MapValue(MapDomain(domain, INT), tuple(value for _, value in self.elements(node, env)))

    def map_by_key(self, node: nodes.Comprehension, env: Locals) -> kinds.Value:
        if isinstance(node.key, nodes.MakeRecord):
            return self.map_by_records(node, node.key, env)
        source = node.clauses[0].source
        entries = tuple(value for _, value in self.elements(node, env))
        key: Domain = replace(INT, high=len(entries) - 1)
        if isinstance(source, nodes.Everything):
            key = bind_domain(source.domain, self.model.constants, source.at)
            assert len(entries) == codec(key).count(), "a total map over a sort has every key"
        return kinds.MapValue(MapDomain(key, INT), entries)
