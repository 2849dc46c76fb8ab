"""Symmetry, checked against members exchanged in the model's own values: swaps, orbits, and what is refused."""

import random
from collections.abc import Iterator
from itertools import permutations, product
from typing import Annotated, Any, NamedTuple

import pytest
from tests.native.systems import mutex

from isrcheck import (
    Model,
    Sort,
    UpTo,
    action,
    check,
    constant,
    constraint,
    each,
    invariant,
    reachable,
    refines,
    require,
)
from isrcheck.catalogue import models_by_name
from isrcheck.engines.common.symmetry import _reasons_in_graph
from isrcheck.engines.contract import Request
from isrcheck.engines.evaluator import ScalarStepper, State, compile_values
from isrcheck.engines.explore import reachable_states
from isrcheck.engines.native.engine import search
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.codec import codec
from isrcheck.ir.frozen import replace
from isrcheck.ir.pack import digest, pack_scalars
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.declare import member
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel, decode
from isrcheck.passes.symmetry import orders_of
from isrtoys import TOYS


class Guest(Sort, size="guests", symmetric=True):
    """Somebody."""


class House(Sort, size="houses", symmetric=True):
    """Somewhere."""


class Card(NamedTuple):
    """Members in every place that a record has."""

    owner: Guest
    house: House | None
    kin: frozenset[Guest]


Row = Annotated[tuple[Guest | None, ...], UpTo(2)]
Cards = Annotated[tuple[Card, ...], UpTo(1)]


class Maps(Model):
    """Members as keys and as values of maps, which may be maps, sets and sequences."""

    guests: int = constant(3, "people", at_least=1)
    houses: int = constant(2, "places", at_least=1)

    best: dict[Guest, Guest | None] = each(Guest, None)
    knows: dict[Guest, dict[House, bool]] = each(Guest, each(House, False))
    homes: dict[House, frozenset[Guest]] = each(House, frozenset())
    rows: dict[House, Row] = each(House, ())

    @action
    def invite(self, host: Guest, guest: Guest, house: House) -> None:
        self.best[host] = guest
        self.knows[guest][house] = True
        self.homes[house] |= {host}

    @action
    def sit(self, guest: Guest | None, house: House) -> None:
        self.rows[house] += (guest,)

    @reachable
    def all_at_home(self) -> bool:
        return all(len(self.homes[h]) == len(Guest) for h in House)


class Sets(Model):
    """Members in sets, in sets of sets, and in sets of records."""

    guests: int = constant(3, "people", at_least=1)
    houses: int = constant(2, "places", at_least=1)

    circle: frozenset[Guest] = frozenset()
    circles: frozenset[frozenset[House]] = frozenset()
    cards: frozenset[Card] = frozenset()

    @action
    def join(self, guest: Guest) -> None:
        self.circle |= {guest}

    @action
    def write(self, owner: Guest, house: House | None) -> None:
        require(owner in self.circle)
        self.cards |= {Card(owner, house, self.circle - {owner})}

    @action
    def meet(self, houses: frozenset[House]) -> None:
        self.circles |= {houses}


class Options(Model):
    """Members that may be absent, alone and in records, and in sequences of records."""

    guests: int = constant(3, "people", at_least=1)
    houses: int = constant(2, "places", at_least=1)

    first: Guest | None = None
    last: Card | None = None
    cards: Cards = ()

    @action
    def come(self, guest: Guest | None) -> None:
        self.first = guest

    @action
    def write(self, owner: Guest, house: House | None) -> None:
        require(self.first is not None)
        self.last = Card(owner, house, frozenset(g for g in Guest if g == self.first))

    @action
    def keep(self) -> None:
        last = self.last
        require(last is not None)
        if last is not None:
            self.cards = (last,)


Exchange = dict[type[Sort], tuple[int, ...]]  # where each member of a sort goes


def exchanged(value: Any, moves: Exchange) -> Any:
    """A model's value with other members in it; of lowering it knows nothing."""
    match value:
        case Sort() if type(value) in moves:
            return member(type(value), moves[type(value)][value.index])
        case dict():
            return {exchanged(key, moves): exchanged(part, moves) for key, part in value.items()}
        case frozenset():
            return frozenset(exchanged(part, moves) for part in value)
        case tuple():
            parts = [exchanged(part, moves) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def moved(model: BoundModel, state: State, moves: Exchange) -> State:
    values = decode(model, state)
    return tuple(n for name, of in model.domains.items() for n in codec(of).flatten(exchanged(values[name], moves)))


def walked(system: ScalarSystem, most: int) -> Iterator[State]:
    chance, stepper = random.Random(0), ScalarStepper(system)
    state = stepper.initial
    for _ in range(most):
        yield state
        onward = [after for _, after in stepper.steps(state) if after is not None]
        state = chance.choice(onward) if onward and chance.random() < 0.95 else stepper.initial


MODELS = [Maps, Sets, Options, *(TOYS[name] for name in ("toy-mutex", "toy-seats", "toy-forks"))]


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_a_swap_of_scalars_is_a_swap_of_members(cls: type[Model]) -> None:
    model = bind(read_model(cls), {})
    system = lower(model)
    sorts = {sort.__name__: sort for sort in model.sizes}
    asked = 0
    for symmetry in system.symmetries:
        for first, swap in enumerate(symmetry.swaps):
            order = list(range(symmetry.size))
            order[first : first + 2] = first + 1, first
            moves = {sorts[symmetry.sort]: tuple(order)}
            compiled = compile_values(list(swap))
            for state in walked(system, 300):
                assert tuple(map(int, compiled(state))) == moved(model, state, moves), decode(model, state)
                asked += moved(model, state, moves) != state
    assert asked > 100


@pytest.mark.parametrize(
    ("cls", "constants"),
    [
        (Maps, {"guests": 2, "houses": 1}),
        (Sets, {"guests": 2, "houses": 1}),
        (Options, {"guests": 2, "houses": 2}),
        (TOYS["toy-seats"], {}),
    ],
    ids=["Maps", "Sets", "Options", "toy-seats"],
)
def test_one_state_of_each_orbit_is_kept(cls: type[Model], constants: dict[str, int]) -> None:
    """The least in its packed words, of all that the members' permutations make of it."""
    model = bind(read_model(cls), constants)
    system = lower(model)
    pack = pack_scalars(system.scalars).pack
    orders = [[(sort, each) for each in permutations(range(size))] for sort, size in model.sizes.items()]
    every = [dict(chosen) for chosen in product(*orders)]
    least = {
        min(pack(moved(model, state, moves)) for moves in every) for state in reachable_states(ScalarStepper(system))
    }
    seen = search(model, Request(symmetry=True))
    assert (seen.distinct, seen.digest) == (len(least), digest(least))
    assert len(least) < search(model, Request()).distinct


def told_apart(how: str) -> ScalarSystem:
    """Three members of whom one is not like the others."""
    system = mutex(3)
    if how == "action":
        first, *rest = system.instances
        return replace(system, instances=(replace(first, guard=rest[0].guard), *rest))
    return replace(system, initial=(1, *system.initial[1:])) if how == "initial state" else system


@pytest.mark.parametrize(
    ("how", "properties", "said"),
    [
        ("action", ("exclusive", "both"), "some action tells members 0 and 1 of Member apart."),
        ("property", ("entered",), "the property entered tells members 1 and 2 of Member apart."),
        ("initial state", (), "the initial state tells members 0 and 1 of Member apart."),
    ],
    ids=["action", "property", "initial state"],
)
def test_what_tells_members_apart_is_refused(how: str, properties: tuple[str, ...], said: str) -> None:
    assert said in _reasons_in_graph(told_apart(how), properties)
    assert not list(_reasons_in_graph(mutex(3), ("exclusive", "both")))


class Ordered(Maps):
    """A property that puts members into an order."""

    @reachable
    def first_is_last(self) -> bool:
        return len(tuple(g for g in Guest if self.best[g] == g)) > 1


def test_a_model_that_tells_members_apart_is_not_searched_with_symmetry() -> None:
    with pytest.raises(UsageError, match="first_is_last puts the members of Guest into an order"):
        check(Ordered, symmetry=True)
    with pytest.raises(UsageError, match="declares no sort as symmetric"):
        check("toy-counter", symmetry=True)
    assert check("toy-seats", symmetry=True).exit == 0


class ByKeys(Maps):
    """An action that reads a map's keys in their order."""

    @action
    def follow_the_second(self) -> None:
        require(self.best[tuple(g for g in self.best)[1]] is not None)
        self.best[tuple(g for g in self.best)[1]] = None


class Fenced(Maps):
    """A constraint that reads the first member."""

    @constraint
    def first_alone(self) -> bool:
        return self.best[tuple(g for g in Guest if self.best[g] is None)[1]] is None


class Follows(Maps):
    """A refinement of a model that puts members into an order."""

    @refines(ByKeys)
    def is_by_keys(self, abstract: ByKeys) -> None:
        abstract.best = self.best


@pytest.mark.parametrize("cls", [ByKeys, Fenced, Follows], ids=lambda cls: cls.__name__)
def test_an_order_of_members_anywhere_in_the_text_is_refused(cls: type[Model]) -> None:
    ir = read_model(cls)
    places = [place for place, _ in orders_of(ir, [each.name for each in ir.properties]).reasons]
    assert {place.file for place in places} == {__file__}


class Hidden(Model):
    """An error that any() hides from all but one order of the members."""

    guests: int = constant(2, "people", at_least=1)
    mark: dict[Guest, bool] = each(Guest, False)
    best: dict[Guest, Guest | None] = each(Guest, None)

    @action
    def put(self, guest: Guest) -> None:
        require(all(not self.mark[g] for g in Guest))
        self.mark[guest] = True

    @invariant
    def bad(self) -> bool:
        unmarked = all(not self.mark[g] for g in Guest)
        return unmarked or any(self.mark[g] or self.mark[self.best[g]] for g in Guest)  # type: ignore[index]  # an optional key


@pytest.mark.parametrize("symmetry", [False, True])
def test_an_order_of_members_hides_no_error(symmetry: bool) -> None:
    with pytest.raises(ModelError, match="bad raised KeyError"):
        check(Hidden, symmetry=symmetry)


@pytest.mark.parametrize(("every", "most"), [(20, 2), pytest.param(4, 10, marks=pytest.mark.slow)])
def test_listed_models_with_a_symmetric_sort_prove_it(every: int, most: int) -> None:
    asked = 0
    for cls in (*models_by_name().values(),)[::every]:
        ir = read_model(cls)
        if any(sort.symmetric for sort in ir.sorts):
            assert not orders_of(ir, [each.name for each in ir.properties]).reasons, ir.name
            asked += 1
    assert asked > most
