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
from isrcheck.ir.interval import ENDLESS, OneOf, Span, ValueRange
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.show import show
from isrcheck.lang.annotations import to_domain
from isrcheck.lang.declare import Each, Members, Model, NotEnabled, Start, Taken
from isrcheck.lang.instance import WroteAbove, blank, counted, thawed
from isrcheck.lang.network import Bag, Channels
from isrcheck.place import NOWHERE

_DRAWS, _POSITIONS = 20_000, (0, 0, 1, 2, 3, 5, 8)  # of the symbolic constants
State = tuple[int, ...]  # the value of every scalar, in declaration order


def constants_from(ir: ModelIR, given: Mapping[str, Any]) -> dict[str, Any]:
    """The constants of a certificate: values, Spans and OneOfs. Raises UsageError."""
    if strange := ", ".join(sorted({*given} ^ {constant.name for constant in ir.constants})):
        raise UsageError(f"certificate.json states other constants than the model has: see {strange}.")
    found: dict[str, Any] = {}
    for constant in ir.constants:
        members = {show(m): m for m in getattr(constant.domain, "members", ())}
        match given[constant.name]:
            case {"from": low, "to": high}:
                found[constant.name] = Span(low, ENDLESS if high is None else high)
            case {"one_of": names}:
                found[constant.name] = OneOf(tuple(members.get(name, name) for name in names))
            case value:
                found[constant.name] = members.get(value, value)
                if type(found[constant.name]) is not type(constant.default):
                    raise UsageError(f"certificate.json states {value!r}, which is not a value of {constant.name}.")
    return found


class Subject:
    """A model whose constants are chosen; or symbolic, and then it is not run."""

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

    def _choices(self, action: Method) -> Iterator[tuple[Any, ...]]:
        return product(*(tuple(codec(bound(p.domain, self.constants)).values()) for p in action.parameters))

    def initial(self) -> State:
        """Of a model without `@initial`: certificates are of no others."""
        return self.flat({v.name: self._whole(v.initial, v.domain) for v in self.ir.variables})

    def _whole(self, value: Any, domain: Domain) -> Any:
        """each() and members() expanded."""
        match value:
            case Each(keys, inner):
                return {key: self._whole(inner, domain) for key in self._listed(keys, domain)}
            case Members(of):
                return frozenset(self._listed(of, domain))
            case Bag() | Channels():
                assert isinstance(domain, MapDomain)
                nothing = 0 if isinstance(value, Bag) else ()
                return dict.fromkeys(codec(bound(domain.key, self.constants)).values(), nothing)
            case Start(expression):
                return evaluate_number(expression, self.constants)
            case tuple():
                parts = [self._whole(part, domain) for part in value]
                return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return value

    def _listed(self, kind: Any, domain: Domain) -> list[Any]:
        own = domain.key if isinstance(domain, MapDomain) and kind is int else to_domain(kind, NOWHERE, {})
        return list(codec(bound(own, self.constants)).values())

    def flat(self, found: Mapping[str, Any]) -> State:
        """Raises Above or Outside."""
        return tuple(n for name, domain in self.domains.items() for n in codec(domain).flatten(counted(found[name])))

    def load(self, state: State) -> Model:
        made = blank(self.ir.cls, self.constants)
        for name, (start, end) in self._places.items():
            part = (name, state[start:end])
            if part not in self._known:
                self._known[part] = codec(self.domains[name]).unflatten(iter(part[1]))
            made.__dict__[name] = thawed(self.domains[name], self._known[part], [])
        return made

    def show(self, state: State) -> str:
        found = vars(self.load(state))
        return ", ".join(f"{name}={show(counted(found[name]))}" for name in self.domains)

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
            made = self.load(state)
            try:
                getattr(made, action.name)(*given)
                yield position, self.flat(vars(made))
            except NotEnabled:
                continue
            except (Above, WroteAbove):
                yield position, None
            except Exception as error:
                yield position, error

    def holds(self, name: str, after: State, before: State | None = None, position: int = 0) -> bool:
        """Raises what the property does."""
        more: list[Any] = [] if before is None else [self.load(before)]
        if self.roles[name].taken:
            more.append(Taken(self.instances[position][0].name, self.arguments(position)))
        return bool(getattr(self.load(after), name)(*more))

    def judge(self, name: str, after: State, before: State | None = None, position: int = 0) -> bool | None:
        """As `holds`; None if it raises."""
        try:
            return self.holds(name, after, before, position)
        except Exception:
            return None

    def choices(self, chance: Random) -> Iterator[tuple[dict[str, int], "Subject"]]:
        """Positions of the symbolic constants, mostly low, and the model with them."""
        ranges = {name: value for name, value in self.constants.items() if isinstance(value, ValueRange)}
        for _ in range(_DRAWS):
            at = {name: min(open_.size - 1, chance.choice(_POSITIONS)) for name, open_ in ranges.items()}
            chosen = {name: ranges[name].value(position) for name, position in at.items()}
            model = Subject(self.ir, {**self.constants, **chosen}, ())
            if model.agrees(self.ir.assumptions):
                yield at, Subject(self.ir, model.constants)

    def walk(self, chance: Random, length: int) -> Iterator[State]:
        """A random walk; each state is followed by one that may not be reachable."""
        state = self.initial()
        for _ in range(length):
            yield state
            yield self._disturbed(state, chance)
            onward = [after for _, after in self.steps(state) if isinstance(after, tuple)]
            state = chance.choice(onward) if onward else self.initial()

    def _disturbed(self, state: State, chance: Random) -> State:
        other = list(state)
        for _ in range(chance.choice((1, 1, 2, 3))):
            position = chance.randrange(len(other))
            other[position] = chance.randrange(self.scalars[position].size)
        model = self.load(tuple(other))
        return self.flat(vars(model))

    def agrees(self, conditions: Iterable[Method]) -> bool:
        made = blank(self.ir.cls, self.constants)
        return all(getattr(made, condition.name)() for condition in conditions)
