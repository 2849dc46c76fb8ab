"""Choices of an action's parameters: every one, or only what stands in some slots (ir/slots.py)."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from isrcheck.errors import ModelError, UsageError
from isrcheck.ir import slots as ir_slots
from isrcheck.ir.codec import Computed, codec
from isrcheck.ir.domains import Domain, EnumDomain, MapDomain, SlotMapDomain, SlotSetDomain, SortDomain, SumDomain
from isrcheck.ir.frozen import Frozen
from isrcheck.ir.model import Method
from isrcheck.ir.nodes import Statement
from isrcheck.ir.scalar import ActionRole, Actors, Node, Op
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.fold import Nodes
from isrcheck.passes.update import Arguments, Executor, read_state
from isrcheck.passes.values import kinds
from isrcheck.passes.values.shapes import Shapes
from isrcheck.passes.values.slots import Absent
from isrcheck.place import Place

MOST_INSTANCES = 100_000
MOST_LISTED = 1_000_000  # choices that CPython tries: a second a state
_SUBJECT = re.compile(r"(?:the |an? )?(?:\{(\w+)(?:, \w+)*\}|(\w+))", re.IGNORECASE)  # of a sentence
Choice = tuple[int, Arguments]
Body = tuple[Statement, ...]
State = Mapping[str, kinds.Value]


class Slot(Frozen):
    """A parameter's value: what stands in one slot of a variable, or of its entry under these keys' positions."""

    variable: str
    keys: tuple[int, ...]
    slot: int
    of: Domain

    def __repr__(self) -> str:
        return f"{self.variable}{''.join(f'[{key}]' for key in self.keys)} slot {self.slot + 1}"

    def content(self, state: State) -> Node:
        return _slots(_under(state[self.variable], self.keys))[self.slot]


class Ground(Computed[Choice]):
    """Every choice of parameters: actions in declaration order, then parameters in domain order.

    Raises ModelError for parameters that cannot be listed.
    """

    def __init__(self, model: BoundModel) -> None:
        self.domains = [[of for _, of in model.parameters(i)] for i in range(len(model.ir.actions))]
        self.first: list[int] = []  # positions of each action, and the end
        total = 0
        for method, of in zip(model.ir.actions, self.domains, strict=True):
            self.first.append(total)
            try:
                total += prod(codec(domain).count() for domain in of)
            except ValueError as error:
                raise ModelError(method.at, f"{method.name}(): {error}.", "Use smaller constants.") from None
        self.first.append(total)

    def __len__(self) -> int:
        return self.first[-1]

    def at(self, position: int) -> Choice:
        action = bisect_right(self.first, position) - 1
        rest, arguments = position - self.first[action], list[Any]()
        for domain in reversed(self.domains[action]):
            rest, place = divmod(rest, codec(domain).count())
            arguments.append(codec(domain).listed[place])
        return action, tuple(reversed(arguments))

    def __iter__(self) -> Iterator[Choice]:
        """Yield every choice: an action and its arguments. Raises UsageError for too many."""
        if len(self) > MOST_LISTED:
            sentence = f"the actions have {len(self):,} choices of parameters, too many to try each in every state"
            raise UsageError(f"{sentence}: use --engine native, or smaller constants.")
        for action, of in enumerate(self.domains):
            if self.size(action):
                yield from ((action, given) for given in product(*(tuple(codec(each).values()) for each in of)))

    def size(self, action: int) -> int:
        return prod(codec(domain).count() for domain in self.domains[action])


def actors_of(model: BoundModel) -> Actors:
    """Return who takes each step: the subject of the action's sentence, else the member that its first parameter is."""
    every = Ground(model)
    return Actors(tuple(every.first), tuple(map(_role, model.ir.actions, every.domains)))


def _role(method: Method, domains: Sequence[Domain]) -> ActionRole:
    names = [p.name for p in method.parameters]
    subject = _SUBJECT.match(method.sentence) if method.sentence else None
    name = subject[1] or subject[2] if subject else (*names, "")[0]
    place = names.index(name) if name in names else len(names)
    if place < len(names) and isinstance(of := domains[place], SortDomain | EnumDomain):
        stride = prod(codec(each).count() for each in domains[place + 1 :])
        return ActionRole(of.name, method.fault, stride, codec(of).count())
    return ActionRole(method.name if not subject or name in names else name, method.fault)


class ParameterChoices:
    """The choice of parameters for the actions of a model, which have these bodies."""

    def __init__(self, model: BoundModel, bodies: Sequence[Body], symbolic: bool) -> None:
        self.model, self.bodies = model, bodies
        self.has_slots = not symbolic and any(map(contains_slots, model.domains.values()))

    def choices(self) -> tuple[Choice, ...]:
        """The choices of all actions, in order. Raises ModelError for too many."""
        every, choices = Ground(self.model), list[Choice]()
        for action, method in enumerate(self.model.ir.actions):
            own = self._choices_from_slots(action)
            count = every.size(action) if own is None else len(own)
            if len(choices) + count > MOST_INSTANCES:
                most = f"the {MOST_INSTANCES:,} that all actions together may have"
                sentence = f"{method.name}() has {count:,} choices of parameters, which makes more than {most}."
                remedy = "Use smaller constants, or compute what is a parameter now."
                if self.has_slots:
                    remedy = f"{remedy[:-1]}; or begin with require(PARAMETER in self.SET)."
                raise ModelError(method.at, sentence, remedy)
            first = every.first[action]
            choices += every[first : first + count] if own is None else own
        return tuple(choices)

    def _choices_from_slots(self, action: int) -> list[Choice] | None:
        """The choices of one action if slots give some of them; None stands for every choice."""
        domains = [of for _, of in self.model.parameters(action)]
        large = [i for i, of in enumerate(domains) if codec(of).count() > ir_slots.FEW]
        if not large or not self.has_slots:
            return None
        candidates: list[tuple[tuple[int, ...], Arguments]] = []
        slots = False
        for given in product(*([None] if i in large else tuple(codec(of).values()) for i, of in enumerate(domains))):
            options = [[each] for each in given]
            for i in large:
                options[i] = self._slots_for(action, given, i, domains) or list(codec(domains[i]).values())
                slots = slots or isinstance(options[i][0], Slot)
            if prod(map(len, options)) > MOST_INSTANCES:
                return None
            candidates += ((_order(domains, each), each) for each in product(*options))
        return [(action, given) for _, given in sorted(candidates, key=lambda pair: pair[0])] if slots else None

    def _slots_for(self, action: int, given: Arguments, place: int, domains: list[Domain]) -> list[Any]:
        """The slots outside of which this parameter cannot be; none if there are no such."""
        for name, domain in self.model.domains.items():
            for keys, of in _containers(domain):
                fits = domains[place] == of or (isinstance(of, SumDomain) and domains[place] in of.members)
                if fits and self._is_within(action, given, place, Slot(name, keys, 0, of)):
                    count = len(_slots(_under(read_state(self.model, Shapes(Nodes()))[0][name], keys)))
                    return [Slot(name, keys, slot, of) for slot in range(count)]
        return []

    def _is_within(self, action: int, given: Arguments, place: int, some: Slot) -> bool:
        """Whether the action cannot be taken, and goes not wrong, with what is not in the slots: in any state."""
        done = outside(self.model, Shapes(Nodes()), self.bodies[action], (action, given), place, some)
        return not (done.path.high or done.pruned.high or done.faults)


def outside(model: BoundModel, shapes: Shapes, body: Body, choice: Choice, place: int, some: Slot) -> Executor:
    """An action with what is in none of the slots beside `some` in place of a parameter: a scalar after the state's."""
    action, given = choice
    state, nodes = read_state(model, shapes)
    env: dict[str, kinds.Value] = {}
    for i, ((name, of), value) in enumerate(zip(model.parameters(action), given, strict=True)):
        if value is None or isinstance(value, Slot):
            env[name] = shapes.element(of, shapes.n.var(len(nodes) + i, 2 << ir_slots.code_bits(of)))
        else:
            env[name] = shapes.constant(of, value)
    slots = _slots(_under(state[some.variable], some.keys))
    shapes.absent = Absent(slots, shapes.slot_content(some.of, env[model.parameters(action)[place][0]]).index)
    executor = Executor(model, shapes, state, env, shapes.n.true)
    executor.block(body)
    shapes.absent = None
    return executor


def guards_outside(model: BoundModel, shapes: Shapes, body: Body, choice: Choice) -> list[tuple[Place, Node, Node]]:
    """The guards that are asked of what is in no slot; one that hangs on what it is, as if it were of every kind."""
    guards, count = [], len(read_state(model, shapes)[1])
    for place, some in enumerate(choice[1]):
        if isinstance(some, Slot):
            for at, asked, held in outside(model, shapes, body, choice, place, some).guards:
                refused = shapes.n.and_(asked, shapes.n.not_(held))
                asked = shapes.n.true if _reads_beyond(asked, count) else asked
                guards.append((at, asked, shapes.n.false if refused.high else asked))
    return guards


def _reads_beyond(root: Node, count: int) -> bool:
    waiting, visited = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if node.op is Op.VAR and node.value >= count:
            return True
        if node.index not in visited:
            visited.add(node.index)
            waiting.extend(node.args)
    return False


def arguments(model: BoundModel, shapes: Shapes, choice: Choice, state: State) -> tuple[dict[str, kinds.Value], Node]:
    """The values of an action's parameters, and whether their slots are not empty."""
    action, given = choice
    values, there = {}, shapes.n.true
    for (name, domain), value in zip(model.parameters(action), given, strict=True):
        if isinstance(value, Slot):
            content = value.content(state)
            element = shapes.element(value.of, content)
            there = shapes.n.and_(there, shapes.n.bit(content, 0))
            if isinstance(value.of, SumDomain) and value.of != domain:
                there = shapes.n.and_(there, shapes.is_one_of(element, (domain,)))
                element = shapes.only(element, (domain,))
            values[name] = element
        else:
            values[name] = shapes.constant(domain, value)
    return values, there


def position_among(model: BoundModel, shapes: Shapes, every: Ground, choice: Choice, state: State) -> Node:
    """The position of a choice among all, in a state in which no slot of it is empty."""
    n, values = shapes.n, arguments(model, shapes, choice, state)[0]
    position = n.const(0)
    for name, domain in model.parameters(choice[0]):
        where = shapes.locate(domain, values[name])
        position = n.add(n.mul(position, n.const(codec(domain).count())), where.index)
    return n.add(position, n.const(every.first[choice[0]]))


def _order(domains: list[Domain], given: Arguments) -> tuple[int, ...]:
    pairs = zip(domains, given, strict=True)
    return tuple(value.slot if isinstance(value, Slot) else codec(of).index(value) for of, value in pairs)


def contains_slots(domain: Domain) -> bool:
    return any(True for _ in _containers(domain))


def _containers(domain: Domain, keys: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Domain]]:
    """Positions of keys, and what stands in the slots."""
    match domain:
        case SlotSetDomain(of=of) if of is not None:
            yield keys, of
        case SlotMapDomain(key=key):
            yield keys, key
        case MapDomain():
            for place in range(codec(domain.key).count()):
                yield from _containers(domain.value, (*keys, place))


def _under(value: kinds.Value, keys: tuple[int, ...]) -> kinds.Value:
    for key in keys:
        assert isinstance(value, kinds.MapValue)
        value = value.entries[key]
    return value


def _slots(value: kinds.Value) -> tuple[Node, ...]:
    assert isinstance(value, kinds.SlotSet | kinds.SlotMap)
    return value.masks if isinstance(value, kinds.SlotSet) else value.slots
