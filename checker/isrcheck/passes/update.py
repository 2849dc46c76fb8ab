"""Ordered assignments to one guard and simultaneous updates; guards can become claims."""

from typing import Any

from msgspec.structs import replace

from isrcheck.ir.codec import codec
from isrcheck.ir.domains import Domain, MapDomain
from isrcheck.ir.nodes import Assign, Repeat, Require, Statement, VariableTarget, When, locals_assigned_in, walk
from isrcheck.ir.property_kinds import REACHABLE
from isrcheck.ir.scalar import Condition, Instance, Node, ScalarProperty
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.evaluate import Evaluator
from isrcheck.passes.values.kinds import Located, MapValue, NoValue, SlotMap, Value
from isrcheck.passes.values.shapes import Shapes
from isrcheck.passes.values.writing import ScalarWriter, write
from isrcheck.place import Place

Arguments = tuple[Any, ...]
ASKED, HELD, REFUSED = "asked", "held", "refused"


class Executor(Evaluator):
    """The evaluator of an action's body, which also tracks the path: where the action is enabled."""

    def __init__(
        self,
        model: BoundModel,
        shapes: Shapes,
        state: dict[str, Value],
        env: dict[str, Value],
        path: Node | None = None,
    ) -> None:
        super().__init__(model, shapes, dict(state))
        self._first = state
        self.path = path or self.n.true
        self.env = env
        self.guards: list[tuple[Place, Node, Node]] = []  # each guard: where it is asked, and where it holds
        self.pruned = self.n.false  # where a map was written above its keys' bound

    def run(self, body: tuple[Statement, ...], before: tuple[Node, ...], action: int, arguments: Arguments) -> Instance:
        n, at = self.n, self.model.ir.actions[action].at
        self.block(body)
        if not (self.path.high or self.pruned.high or self.faults):  # with these constants it never happens
            return Instance(action, arguments, n.false, n.false, (), ())
        scalars: list[Node] = []
        pruned, over = self.pruned, list[tuple[str, Node]]()
        for name, domain in self.model.domains.items():
            written = self.write_variable(name, domain)
            scalars.extend(written.scalars)
            pruned = n.or_(pruned, n.and_(self.path, written.above))
            if written.outside.high:
                self.fault(written.outside, at, f"{name} is outside its domain after this step")
            over += [(name, written.over)] if written.over.high else []
        for name, more in over:
            self.fault(n.and_(more, n.not_(pruned)), at, f"{name} needs more slots", grows=name)
        pairs = enumerate(zip(scalars, before, strict=True))
        updates = tuple((position, new) for position, (new, old) in pairs if new is not old)
        guard = n.or_(self.path, self.pruned)
        return Instance(action, arguments, guard, pruned, updates, tuple(self.faults))

    def write_variable(self, name: str, domain: Domain) -> ScalarWriter:
        """Write a variable in scalars; one that did not change is written once for all instances."""
        value = self.state[name]
        if value is not self._first[name]:
            return write(self.s, domain, value)
        known: ScalarWriter | None = self.s.written.get(name)
        if known is None or known.value is not value:
            known = self.s.written[name] = write(self.s, domain, value)
        return known

    def block(self, block: tuple[Statement, ...]) -> None:
        for statement in block:
            if self.path.high == 0:
                return
            match statement:
                case Require():
                    reached = self.path
                    self.path = self.n.and_(self.path, self.truth(statement.condition, self.env))
                    self.guards.append((statement.at, reached, self.path))
                case Assign():
                    read = [self.value(value, self.env) for value in statement.values]
                    for target, value in zip(statement.targets, read, strict=True):
                        self.assign(target, value)
                case When():
                    self.when(statement)
                case Repeat():
                    self.repeat(statement)
                case _:
                    raise AssertionError(f"{type(statement).__name__} in an action")

    def when(self, node: When) -> None:
        n = self.n
        test = self.truth(node.condition, self.env)
        path, state, env = self.path, self.state, self.env
        without = {} if node.cover is None else dict.fromkeys(locals_assigned_in(node.then), NoValue())
        if test.low == test.high:
            self.env = env if test.low else {**env, **without}
            self.block(node.then if test.low else node.other)
            return
        self.path, self.state, self.env = n.and_(path, test), dict(state), dict(env)
        self.block(node.then)
        after = (self.path, self.state, self.env)
        self.path, self.state, self.env = n.and_(path, n.not_(test)), dict(state), {**env, **without}
        self.block(node.other)
        if self.path.high == 0:  # what the other branch assigns does not matter, and may be missing here
            self.path, self.state, self.env = after
            return
        if after[0].high == 0:
            return
        self.path = n.or_(after[0], self.path)
        self.state = {name: self.s.merge(test, value, self.state[name]) for name, value in after[1].items()}
        both = after[2].keys() & self.env.keys()
        self.env = {name: self.s.merge(test, after[2][name], self.env[name]) for name in both}

    def repeat(self, node: Repeat) -> None:
        """The body for one element after another, where it is there."""
        n = self.n
        for there, element in list(self.elements(node.source, self.env)):
            path, state, outer = self.path, self.state, self.env
            self.path, self.state, self.env = n.and_(path, there), dict(state), {**outer, node.target: element}
            self.block(node.body)
            self.path = n.or_(self.path, n.and_(path, n.not_(there)))
            self.state = {name: self.s.merge(there, value, state[name]) for name, value in self.state.items()}
            self.env = outer

    def assign(self, target: VariableTarget | str, value: Value) -> None:
        if isinstance(target, str):
            self.env = {**self.env, target: value}
            return
        keys = [self.value(key, self.env) for key in target.keys]
        old = self.state[target.variable]
        domain = self.model.domains[target.variable]
        self.state[target.variable] = self.place(domain, old, keys, value, target.at)

    def place_in_slots(self, old: SlotMap, keys: list[Value], value: Value, at: Place) -> Value:
        where = self.s.slot_content(old.domain.key, keys[0])
        self.ask_key(where, keys, at)
        new = self.place(old.domain.value, self.s.value_at_key(old, where.index), keys[1:], value, at)
        return self.s.with_key(old, where, new, self.n.true)

    def ask_key(self, where: Located, keys: list[Value], at: Place) -> None:
        """Ask whether a map has a key; self.x[k][j] = ... reads self.x[k], so that a bound is for the last key."""
        n = self.n
        above = n.false if len(keys) > 1 else where.above
        self.fault(n.not_(n.or_(where.inside, above)), at, "the map has no such key")
        self.pruned = n.or_(self.pruned, n.and_(self.path, above))
        self.path = n.and_(self.path, n.not_(above))

    def place(self, domain: Domain, old: Value, keys: list[Value], value: Value, at: Place) -> Value:
        if not keys:
            return self.s.as_slot_map(domain, value)
        n = self.n
        assert isinstance(domain, MapDomain)
        if isinstance(old, SlotMap):
            return self.place_in_slots(old, keys, value, at)
        assert isinstance(old, MapValue)
        where = self.s.locate(old.domain.key, keys[0])
        if len(old.entries) != codec(domain.key).count():  # assigned whole in this step, over another range
            above = self.s.locate(domain.key, keys[0]).above
            where = replace(where, above=n.and_(above, n.not_(where.inside)))
        self.ask_key(where, keys, at)
        entries = list(old.entries)
        for position, current in enumerate(entries):
            here = n.eq(where.index, n.const(position))
            if here.high:
                new = self.place(domain.value, current, keys[1:], value, at)
                entries[position] = self.s.merge(here, new, current)
        return replace(old, entries=tuple(entries))


def read_state(model: BoundModel, shapes: Shapes, offset: int = 0) -> tuple[dict[str, Value], tuple[Node, ...]]:
    """The variables' values over scalars from `offset` on, and these scalars."""
    state: dict[str, Value] = {}
    nodes: list[Node] = []
    for name, domain in model.domains.items():
        own = [shapes.n.var(offset + len(nodes) + i, s.size) for i, s in enumerate(codec(domain).scalars(name))]
        nodes.extend(own)
        state[name] = shapes.read(domain, iter(own))
    return state, tuple(nodes)


def claim(kind: str, action: str, place: Place) -> str:
    return f"{kind} {action} {place.line}:{place.column}"


class GuardClaims:
    """A guard is asked, holds, does not hold: each claims a state where it does, for any choice of parameters."""

    def __init__(self, shapes: Shapes) -> None:
        self.n = shapes.n
        self.claims: dict[str, Node] = {}

    def expect(self, action: str, body: tuple[Statement, ...]) -> None:
        """Note every guard of an action, so that one that is never asked is known, too."""
        for guard in walk(body):
            if isinstance(guard, Require):
                self.add(action, [(guard.at, self.n.false, self.n.false)])

    def add(self, action: str, guards: list[tuple[Place, Node, Node]]) -> None:
        for place, asked, held in guards:
            refused = self.n.and_(asked, self.n.not_(held))
            for kind, node in ((ASKED, asked), (HELD, held), (REFUSED, refused)):
                name = claim(kind, action, place)
                self.claims[name] = self.n.or_(self.claims.get(name, self.n.false), node)

    def properties(self) -> tuple[ScalarProperty, ...]:
        return tuple(ScalarProperty(name, REACHABLE, (Condition(node, ()),)) for name, node in self.claims.items())
