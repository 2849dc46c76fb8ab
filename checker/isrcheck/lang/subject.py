"""A class and its constants, run by CPython: what the author's methods do, and no lowering.

The independent checker of certificates (`recheck.py`) stands on this. It says the same as
`passes/bind.py` and `passes/scalarize.py`, apart from them: tests compare the two.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import accumulate, chain, pairwise, product
from random import Random
from typing import Any

from isrcheck.errors import UsageError
from isrcheck.ir.codec import Above, codec
from isrcheck.ir.domains import Domain, MapDomain, bound, evaluate_number
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.property_kinds import DEADLOCK, PropertyKind
from isrcheck.ir.show import show
from isrcheck.lang.annotations import to_domain
from isrcheck.lang.declare import Each, Members, Model, NotEnabled, Start, Taken
from isrcheck.lang.instance import WroteAbove, blank, thaw, unwrap_counts
from isrcheck.lang.network import Bag, Channels
from isrcheck.place import NOWHERE

State = tuple[int, ...]  # the value of every scalar, in declaration order


def constants_from(ir: ModelIR, given: Mapping[str, Any]) -> dict[str, Any]:
    """Read the constants of a certificate. Raises UsageError."""
    if strange := ", ".join(sorted({*given} ^ {constant.name for constant in ir.constants})):
        raise UsageError(f"certificate.json states other constants than the model has: see {strange}.")
    constants: dict[str, Any] = {}
    for constant in ir.constants:
        members = {show(m): m for m in getattr(constant.domain, "members", ())}
        value = members.get(given[constant.name], given[constant.name])
        if type(value) is not type(constant.default):
            raise UsageError(f"certificate.json states {value!r}, which is not a value of {constant.name}.")
        constants[constant.name] = value
    return constants


class Subject:
    """A model whose constants are chosen."""

    def __init__(self, ir: ModelIR, constants: dict[str, Any], variables: Collection[str] | None = None) -> None:
        self.ir, self.constants = ir, constants
        kept = [v for v in ir.variables if variables is None or v.name in variables]
        self.domains = {v.name: bound(v.domain, constants) for v in kept}
        laid = {name: tuple(codec(domain).scalars(name)) for name, domain in self.domains.items()}
        self.scalars = tuple(chain(*laid.values()))
        ends = list(accumulate(map(len, laid.values())))
        self._places = dict(zip(laid, pairwise((0, *ends)), strict=True))
        self._known: dict[tuple[str, State], Any] = {}
        self.sizes = {s.sort: codec(bound(s, constants)).count() for s in ir.sorts}
        self.roles = {p.name: p for p in ir.with_lemmas([lemma.name for lemma in ir.lemmas]).properties}
        self.instances = [(action, given) for action in ir.actions for given in self._choices(action)]

    def kinds_shown_by_states(self, names: Collection[str]) -> dict[str, PropertyKind]:
        """The kinds of the properties named, where the list of all reachable states shows each. Raises UsageError."""
        ir = self.ir
        if not names:
            raise UsageError("certificate.json states no property, and so it certifies nothing.")
        beyond = {"initial states that methods choose": ir.initials, "a constraint": ir.constraints}
        for what in (what for what, method in beyond.items() if method):
            raise UsageError(f"{ir.name} has {what}, and a certificate lists what one initial state leads to.")
        kinds = {name: role.kind for name, role in self.roles.items() if role.kind.is_certifiable}
        kinds[DEADLOCK.name] = DEADLOCK
        for name in (name for name in names if name not in kinds):
            raise UsageError(
                f"certificate.json states {name}, which is not a property of {ir.name} that a list of states shows."
            )
        return {name: kinds[name] for name in names}

    def _choices(self, action: Method) -> Iterator[tuple[Any, ...]]:
        return product(*(tuple(codec(bound(p.domain, self.constants)).values()) for p in action.parameters))

    def initial(self) -> State:
        """The initial state of a model without `@initial`: certificates are of no others."""
        return self.flat({v.name: self._expand(v.initial, v.domain) for v in self.ir.variables})

    def _expand(self, value: Any, domain: Domain) -> Any:
        """each() and members() expanded."""
        match value:
            case Each(keys, inner):
                return {key: self._expand(inner, domain) for key in self._list_members(keys, domain)}
            case Members(of):
                return frozenset(self._list_members(of, domain))
            case Bag() | Channels():
                assert isinstance(domain, MapDomain)
                nothing = 0 if isinstance(value, Bag) else ()
                return dict.fromkeys(codec(bound(domain.key, self.constants)).values(), nothing)
            case Start(expression):
                return evaluate_number(expression, self.constants)
            case tuple():
                parts = [self._expand(element, domain) for element in value]
                return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return value

    def _list_members(self, kind: Any, domain: Domain) -> list[Any]:
        own = domain.key if isinstance(domain, MapDomain) and kind is int else to_domain(kind, NOWHERE, {})
        return list(codec(bound(own, self.constants)).values())

    def flat(self, values: Mapping[str, Any]) -> State:
        """The scalars of a state. Raises Above or Outside."""
        return tuple(
            n for name, domain in self.domains.items() for n in codec(domain).flatten(unwrap_counts(values[name]))
        )

    def load(self, state: State) -> Model:
        instance = blank(self.ir.cls, self.constants, self._is_enabled)
        for name, (start, end) in self._places.items():
            scalars = (name, state[start:end])
            if scalars not in self._known:
                self._known[scalars] = codec(self.domains[name]).unflatten(iter(scalars[1]))
            instance.__dict__[name] = thaw(self.domains[name], self._known[scalars], [])
        return instance

    def show(self, state: State) -> str:
        values = vars(self.load(state))
        return ", ".join(f"{name}={show(unwrap_counts(values[name]))}" for name in self.domains)

    def call(self, position: int) -> str:
        """Such as 3 fetch(follower=r1)."""
        named = ", ".join(f"{name}={show(value)}" for name, value in self.arguments(position).items())
        return f"{position} {self.instances[position][0].name}({named})"

    def arguments(self, position: int) -> dict[str, Any]:
        action, given = self.instances[position]
        return {p.name: value for p, value in zip(action.parameters, given, strict=True)}

    def steps(self, state: State) -> Iterator[tuple[int, State | Exception | None]]:
        """The enabled instances, each with its successor: None beyond a bound, or an error."""
        for position, (action, given) in enumerate(self.instances):
            instance = self.load(state)
            try:
                getattr(instance, action.name)(*given)
                yield position, self.flat(vars(instance))
            except NotEnabled:
                continue
            except (Above, WroteAbove):
                yield position, None
            except Exception as error:
                yield position, error

    def _is_enabled(self, asked: Model, action: str) -> bool:
        steps = self.steps(self.flat(vars(asked)))
        return any(self.instances[n][0].name == action for n, after in steps if not isinstance(after, Exception))

    def holds(self, name: str, after: State, before: State | None = None, position: int = 0) -> bool:
        """Whether a property holds. Raises the exceptions of the property."""
        more: list[Any] = [] if before is None else [self.load(before)]
        if self.roles[name].taken:
            more.append(Taken(self.instances[position][0].name, self.arguments(position)))
        return bool(getattr(self.load(after), name)(*more))

    def judge(self, name: str, after: State, before: State | None = None, position: int = 0) -> bool | None:
        """Whether a property holds; None if it raises."""
        try:
            return self.holds(name, after, before, position)
        except Exception:
            return None

    def walk(self, chance: Random, length: int) -> Iterator[State]:
        """A random walk; each state is followed by one that may not be reachable."""
        state = self.initial()
        for _ in range(length):
            yield state
            yield self._disturb(state, chance)
            onward = [after for _, after in self.steps(state) if isinstance(after, tuple)]
            state = chance.choice(onward) if onward else self.initial()

    def _disturb(self, state: State, chance: Random) -> State:
        other = list(state)
        for _ in range(chance.choice((1, 1, 2, 3))):
            position = chance.randrange(len(other))
            other[position] = chance.randrange(self.scalars[position].size)
        model = self.load(tuple(other))
        return self.flat(vars(model))

    def agrees(self, conditions: Iterable[Method]) -> bool:
        instance = blank(self.ir.cls, self.constants)
        return all(getattr(instance, condition.name)() for condition in conditions)
