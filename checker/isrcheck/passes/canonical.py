"""A canonical form in scalars: every step goes on to it, and what is asked of it in every state.

The check is a search of its own, of a model in which renumbering is one more action: there it may happen at any time.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto

from isrcheck.errors import ModelError
from isrcheck.ir.frozen import Frozen, replace
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import Perform
from isrcheck.ir.property_kinds import INVARIANT
from isrcheck.ir.scalar import Condition, Fault, Instance, Node, Scalar, ScalarProperty
from isrcheck.passes.fold import Nodes
from isrcheck.passes.inline import Substitution, after_step

GOES_ON_ALIKE = "(goes on alike)"  # the property of a state that the check asks


class FormUse(Enum):
    """The use that a command makes of a model's canonical form."""

    REFUSED = auto()  # whoever knows nothing of it would search something else
    APPLIED = auto()
    CHECKED = auto()


class CheckedForm(Frozen):
    """The use of a model's canonical form; for the check, the properties of which states must agree."""

    use: FormUse = FormUse.REFUSED
    properties: tuple[str, ...] = ()
    is_of_behaviours: bool = False  # whether a step that changes something must change the canonical form


def with_form_in_steps(ir: ModelIR) -> ModelIR:
    """Return the model in which each step and each choice of initial states ends by renumbering."""
    form = ir.canonical
    if form is None:
        return ir
    last = Perform(form.name, (), form.at)
    ended = ([replace(m, body=(*m.body, last)) for m in methods] for methods in (ir.actions, ir.initials))
    actions, initials = map(tuple, ended)
    helpers = {**ir.helpers, form.name: replace(form, role="helper")}
    return replace(ir, actions=actions, initials=initials, helpers=helpers, canonical=None)


class CanonicalForm:
    """A model's canonical form as a function of states. `renumbering` is its step, from any state."""

    def __init__(self, nodes: Nodes, layout: Sequence[Scalar], renumbering: Instance, method: Method) -> None:
        self.n, self.layout, self.method = nodes, layout, method
        self.sizes = [scalar.size for scalar in layout]
        self.renumbering = renumbering
        self._own = [nodes.var(place, size) for place, size in enumerate(self.sizes)]
        self.values = self._after(renumbering.updates)
        self._to_form = after_step(nodes, self.sizes, renumbering.updates)

    @property
    def is_identity(self) -> bool:
        step = self.renumbering
        return not (step.updates or step.faults or step.pruned.high)

    def _after(self, updates: Iterable[tuple[int, Node]]) -> list[Node]:
        scalars = list(self._own)
        for place, node in updates:
            scalars[place] = node
        return scalars

    def initials(self, states: Iterable[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
        """Return the canonical forms of initial states, each once. Raises ModelError where a state has none."""
        return tuple(dict.fromkeys(map(self._initial, states)))

    def _initial(self, state: tuple[int, ...]) -> tuple[int, ...]:
        at = Substitution(self.n, {place: self.n.const(value) for place, value in enumerate(state)})
        for fault in self._faults:
            if at.of(fault.condition).high:
                raise ModelError(fault.place, f"{fault.sentence}, in an initial state.", "Every state has one.")
        return tuple(at.of(node).value for node in self.values)

    @property
    def _faults(self) -> tuple[Fault, ...]:
        sentence = f"{self.method.name}() puts a variable above its bound"
        above = Fault(self.renumbering.pruned, self.method.at, sentence)
        return (*self.renumbering.faults, *([above] if above.condition.high else []))

    def apply(self, instance: Instance) -> Instance:
        """An instance that takes the step and goes on to the canonical form."""
        n = self.n
        if not instance.guard.high:
            return instance
        into = after_step(n, self.sizes, instance.updates)
        nodes = enumerate(map(into.of, self.values))
        taken = n.and_(instance.guard, n.not_(instance.pruned))
        faults = tuple(replace(f, condition=n.and_(taken, into.of(f.condition))) for f in self._faults)
        updates = tuple((place, node) for place, node in nodes if node is not self._own[place])
        return replace(instance, updates=updates, faults=(*instance.faults, *(f for f in faults if f.condition.high)))

    def agreement(
        self, instances: Sequence[Instance], conditions: Iterable[Condition], of_behaviours: bool
    ) -> ScalarProperty:
        """The property that a state and its canonical form go on alike; `instances` without the renumbering."""
        n, form = self.n, self._to_form
        parts = [n.not_(self.renumbering.pruned), *self._same(map(form.of, self.values), self.values)]
        for instance in instances:
            parts += self._goes_on(instance, of_behaviours)
        parts += [n.eq(each.node, form.of(each.node)) for each in conditions]
        return ScalarProperty(GOES_ON_ALIKE, INVARIANT, (Condition(n.and_(*parts), ()),))

    def _goes_on(self, instance: Instance, of_behaviours: bool) -> Iterator[Node]:
        n, form = self.n, self._to_form
        if not instance.guard.high:
            return
        yield n.eq(instance.guard, form.of(instance.guard))
        after = self._after(self.apply(instance).updates)
        stays = n.or_(n.not_(instance.guard), instance.pruned)
        yield n.or_(stays, n.not_(form.of(instance.pruned)))
        for same in self._same(after, map(form.of, after)):
            yield n.or_(stays, same)
        if of_behaviours:
            is_idle = n.and_(*self._same(self._after(instance.updates), self._own))
            moves = n.not_(n.and_(*self._same(after, self.values)))
            yield n.or_(stays, is_idle, moves)

    def _same(self, one: Iterable[Node], other: Iterable[Node]) -> Iterator[Node]:
        for a, b in zip(one, other, strict=True):
            if a is not b:
                yield self.n.eq(a, b)
