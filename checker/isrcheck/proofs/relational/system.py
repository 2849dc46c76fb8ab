"""The relational system of a model: its constants, initial state, steps and properties, for any sizes."""

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from typing import Any

from isrcheck.ir.domains import Domain, SortDomain, bound_names, evaluate_number
from isrcheck.ir.frozen import Frozen, replace
from isrcheck.ir.model import Method, ModelIR, VariableIR
from isrcheck.ir.nodes import ReadConstant, walk
from isrcheck.passes.inline import Inliner
from isrcheck.proofs.relational import state as stored
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.bounds import Bounds, names_in_keys, negative
from isrcheck.proofs.relational.chosen import Chosen
from isrcheck.proofs.relational.execution import Execution
from isrcheck.proofs.relational.expressions import Reader
from isrcheck.proofs.relational.faults import Faults, TextFault, place_refusals, refusal
from isrcheck.proofs.relational.terms import Logic
from isrcheck.proofs.relational.values import Value

State = Mapping[str, Value]


class ActionStep(Frozen):
    """An action with arbitrary arguments, from an arbitrary state."""

    action: Method
    arguments: Mapping[str, Value]
    such: Logic  # what is true of arguments: each is within its bounds
    guard: Logic
    after: State
    kept: Logic  # that it leaves no bound
    faults: tuple[TextFault, ...]  # of its text, and of numbers below 0 after it


class Claim(Frozen):
    """A property or lemma of a state, or of a step."""

    holds: Logic
    faults: tuple[TextFault, ...]

    @property
    def sound(self) -> Logic:
        """The condition that a claim holds and has a value."""
        return t.and_(self.holds, *(t.not_(fault.condition) for fault in self.faults))


class RelationalSystem:
    """A model as first-order logic. `given`: constants with a value; others are symbols. `bounded` keeps all bounds.

    Otherwise a bound stays only if the text reads a constant that it names, or a map has such keys: of every other
    nothing can tell.
    """

    def __init__(self, ir: ModelIR, given: Mapping[str, Any], bounded: bool = False) -> None:
        if ir.initials:
            raise refusal(ir.initials[0], "initial states that methods choose")
        self.ir, self.given = ir, given
        self.inliner = Inliner(ir)
        self.chosen = Chosen()
        self.constants = {c.name: stored.constant(c, given) for c in ir.constants}
        self.domains: dict[str, Domain] = {variable.name: variable.domain for variable in ir.variables}
        self.bounds = Bounds(self.constants, lambda names: bounded or not names or bool(names & self.read_constants))
        self.every_bound = Bounds(self.constants, lambda _: True)
        self.stored = stored.Stored("state")
        self.state: State = {variable.name: self.stored.variable(variable) for variable in ir.variables}

    @cached_property
    def read_constants(self) -> frozenset[str]:
        """The constants that the text of actions, properties, lemmas and helpers reads, and those that bound keys."""
        methods = (*self.ir.actions, *self.ir.properties, *self.ir.lemmas, *self.ir.helpers.values())
        read = frozenset(n.name for m in methods for n in walk(m.body) if isinstance(n, ReadConstant))
        return read.union(*map(names_in_keys, self.domains.values()))

    @cached_property
    def initial(self) -> State:
        return {variable.name: stored.initial(variable, self.every_bound) for variable in self.ir.variables}

    @cached_property
    def started(self) -> Logic:
        """The condition that the state is the initial one."""
        return t.and_(*map(self._begins, self.ir.variables))

    def _begins(self, variable: VariableIR) -> Logic:
        with place_refusals(variable, f"the initial value of {variable.name}"):
            return v.equal(self.state[variable.name], self.initial[variable.name])

    def reader(self, state: State, faults: Faults) -> Reader:
        return Reader(self.constants, state, self.chosen, faults, self.bounds)

    def assumptions(self) -> Logic:
        """The condition that the constants are as the model's assumptions ask."""
        return t.and_(*(self.claim(method, self.state).sound for method in self.ir.assumptions))

    def applicability(self, name: str) -> Logic:
        """The condition that a property applies to the constants."""
        about = (method for method in self.ir.applicability if name in method.about)
        return t.and_(*(self.claim(method, self.state).sound for method in about))

    def natural(self, state: State) -> Logic:
        """The condition that no number in a state is negative; of what is stored outside of sets its symbols say so."""
        return t.and_(*(t.not_(negative(state[name], of)) for name, of in self.domains.items()))

    def inside(self, state: State, bounds: Bounds | None = None) -> Logic:
        """The condition that a state is within these bounds, by default those that are kept."""
        return t.and_(*((bounds or self.bounds).inside(state[name], of) for name, of in self.domains.items()))

    def sort_population(self) -> Logic:
        """The condition that a sort has a member where its size is above 0, and none where it is not."""
        return t.and_(*map(self._is_populated, self.ir.sorts))

    def _is_populated(self, sort: SortDomain) -> Logic:
        with place_refusals(self.ir, f"the size of {sort.name}"):
            size = self.every_bound.evaluate(sort.size)
        return t.eq(v.is_inhabited(sort), _is_positive(size))

    def sort_sizes(self) -> Logic:
        """The condition that sorts whose size is given have so many members."""
        given = (sort for sort in self.ir.sorts if bound_names(str(sort.size)) <= self.given.keys())
        return t.and_(*(_of_size(sort, evaluate_number(str(sort.size), self.given)) for sort in given))

    def claim(self, method: Method, state: State, step: ActionStep | None = None) -> Claim:
        """A claim of a state; a step property is a claim of the state after the step."""
        faults = Faults()
        reader = self.reader(state, faults)
        if step is not None:
            reader = replace(reader, before=self.state, taken=(step.action.name, step.arguments))
        with place_refusals(method):
            holds = reader.truth(self.inliner.condition(method))
        return Claim(holds, tuple(faults.recorded))

    @cached_property
    def steps(self) -> tuple[ActionStep, ...]:
        return tuple(map(self._step, self.ir.actions))

    def _step(self, action: Method) -> ActionStep:
        with place_refusals(action):
            return self._lower_step(action)

    def _lower_step(self, action: Method) -> ActionStep:
        faults = Faults()
        arguments = {}
        for p in action.parameters:
            with place_refusals(action, f"the parameter {p.name} of {action.name}"):
                arguments[p.name] = stored.Given("argument").value(f"given {p.name}", p.domain, (), ())
        execution = Execution(replace(self.reader(self.state, faults), locals=arguments), self.domains, faults)
        execution.run(self.inliner.method(action))
        guard = t.and_(*execution.guards)
        after = execution.reader.state
        changed = [name for name in self.domains if after[name] is not self.state[name]]
        kept = [self.bounds.inside(after[name], self.domains[name]) for name in changed]
        kept += [t.implies(where, self.bounds.inside(key, of)) for where, key, of in execution.keys]
        texts = list(faults.recorded)
        for name in changed:
            below = t.and_(guard, negative(after[name], self.domains[name]))
            if below is not t.FALSE:
                texts.append(TextFault(below, action.at, f"{name} has a number below 0 after it"))
        given = [(arguments[p.name], p.domain) for p in action.parameters]
        such = t.and_(*(t.and_(v.natural(value, of), self.bounds.inside(value, of)) for value, of in given))
        return ActionStep(
            action, arguments, such=such, guard=guard, after=after, kept=t.and_(*kept), faults=tuple(texts)
        )


def _is_positive(size: Logic) -> Logic:
    least = t.least(size)
    return t.TRUE if least is not None and least > 0 else t.compare("<", t.number(0), size)


def _of_size(sort: SortDomain, size: int) -> Logic:
    """The condition that a sort has so many members; if it has none, that it is not inhabited."""
    if size == 0:
        return t.not_(v.is_inhabited(sort))
    members = [t.variable(f"{sort.name}{i}", sort.name) for i in range(size)]
    other = t.variable("other", sort.name)
    apart = (t.not_(t.eq(one, two)) for one, two in combinations(members, 2))
    nobody_else = t.forall((other,), t.or_(*(t.eq(other, each) for each in members)))
    return t.and_(v.is_inhabited(sort), t.exists(members, t.and_(*apart, nobody_else)))
