"""The relational system is the model: at every size that can be searched, its graph is the reference's."""

from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from tests.lang.test_corners import CORNERS, Corner
from tests.lang.written import load_model, same

from isrcheck import Model, Sort, action, constant, invariant, members, prove, require, step
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference import engine as reference
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.pack import pack_scalars
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel, layout_of
from isrcheck.passes.choices import actors_of
from isrcheck.proofs.stepper import RelationalStepper, State

COMPARED = ("distinct", "generated", "depth", "levels", "pruned", "digest", "paths", "action_generated", "cut")
SMALL: list[tuple[str, dict[str, Any]]] = [
    ("isr-strict-min-isr", {"max_records": 1}),
    ("toy-queue", {}),
    ("toy-shelf", {}),
    ("toy-cashier", {}),
    ("toy-thermometer", {}),
    ("toy-mutex", {}),
    ("isr-kafka-7152", {"max_records": 1}),
    ("isr-kafka-7152", {"max_records": 1, "fetch_steps": "two"}),
    ("isr-kafka-7152", {"max_records": 1, "appends": "in-read-window", "fetch_size": "one"}),
    ("isr-kafka-4485-v1", {"max_records": 1}),
    ("isr-kip-16-text", {"max_records": 1}),
    ("isr-kip-501", {"max_records": 1, "relinquish": True}),
    ("isr-original-design", {"max_records": 1}),
    ("async-isr", {"replicas": 1}),
    ("async-isr", {"replicas": 3, "max_offset": 1, "max_version": 0}),
    ("async-isr", {"max_version": 2}),
    ("async-isr-committed-only", {"max_version": 1}),
    ("kip-320", {"replicas": 2, "max_leader_epoch": 0}),
    ("kip-320", {"replicas": 2}),
]
LARGER: list[tuple[str, dict[str, Any]]] = [
    ("isr-strict-min-isr", {"replicas": 3, "max_records": 1}),
    ("async-isr", {"replicas": 3, "max_offset": 1, "max_version": 1}),
    ("truncate-to-high-watermark", {"replicas": 2, "isr_may_empty": False}),
    ("kip-101", {"replicas": 2}),
    ("kip-320-first-try", {"replicas": 2}),
    ("kip-320", {"replicas": 2, "log_size": 2, "max_records": 2}),
    ("kip-320", {"replicas": 2, "log_size": 2, "max_leader_epoch": 2}),
    ("kip-320", {"replicas": 3}),
    ("isr-kafka-7152", {"replicas": 3, "max_records": 2}),
    ("isr-kip-501", {"max_records": 2}),
    ("isr-original-design", {"max_records": 1, "fetch_steps": "two"}),
    ("isr-original-design", {"replicas": 3, "max_records": 1}),
    ("async-isr", {"replicas": 3, "max_offset": 1, "max_version": 2}),
]


class ExploredSystem(RelationalStepper):
    """The relational system as an engine explores it."""

    def __init__(self, model: BoundModel) -> None:
        super().__init__(model)
        self.packing = pack_scalars(layout_of(model))
        self.actions, self.actors = tuple(action.name for action in model.ir.actions), actors_of(model)
        self.initials, self.started = (self.initial,), 1

    def steps(self, state: State) -> Iterator[tuple[int, State | None]]:
        for instance in range(len(self.instances)):
            self.enter(state)
            with with_sort_sizes(self.model.sizes):
                successors = self.successors(instance)
            yield from ((instance, after) for after in successors)

    def keeps(self, step: tuple[State, int] | None, after: State) -> bool:
        return True

    def scalars(self, state: State) -> State:
        return state


def explore(model: BoundModel, asked: Request) -> Searched:
    return Explorer(ExploredSystem(model), {p.name: p.kind for p in model.ir.properties}, asked).run()


def searched(search: Callable[[BoundModel, Request], Searched], name: str, constants: dict[str, Any]) -> dict[str, Any]:
    ir = read_model(find_model(name))
    model = bind(ir.with_lemmas([lemma.name for lemma in ir.lemmas]), constants, slots=False)
    found = search(model, Request(properties=tuple(p.name for p in model.properties)))
    return {fact: getattr(found, fact) for fact in COMPARED}


@pytest.mark.heavy(reason="whole graphs, of which kip-320 is the largest")
@pytest.mark.parametrize(("name", "constants"), SMALL, ids=str)
def test_the_graph_is_the_reference_s(name: str, constants: dict[str, Any]) -> None:
    """Counts, levels, digest, pruned steps, and where properties and lemmas fail."""
    expected = searched(reference.search, name, constants)
    assert expected["cut"] is None
    assert searched(explore, name, constants) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("name", "constants"), LARGER, ids=str)
def test_larger_graphs_are_the_reference_s(name: str, constants: dict[str, Any]) -> None:
    assert searched(explore, name, constants) == searched(reference.search, name, constants)


@pytest.mark.parametrize(("name", "constants"), [("async-isr", {"max_version": 1}), ("kip-320", {"replicas": 2})])
def test_what_is_assumed_of_states_is_true_of_all_that_are_reached(name: str, constants: dict[str, Any]) -> None:
    """Of numbers in sets, of bounds, of assumptions, and of symbols: what the proofs' scripts assert."""
    model = bind(read_model(find_model(name)), constants, slots=False)
    stepper = ExploredSystem(model)
    assumed = stepper.assumptions()
    assert len(assumed) > 5
    waiting, seen = [stepper.initial], {stepper.initial}
    while waiting:
        state = waiting.pop()
        stepper.enter(state)
        assert all(holds() for holds in assumed)
        fresh = {after for _, after in stepper.steps(state) if isinstance(after, tuple)} - seen
        seen |= fresh
        waiting += fresh
    assert len(seen) > 20


class Guest(Sort, size="guests", symmetric=True):
    """Somebody who comes and goes."""


class Host(Enum):
    HOST = "host"


class Table(Model):
    """A table at which the host always sits, as a leader is in its ISR."""

    guests: int = constant(2, "guests", at_least=0)

    seated: frozenset[Guest | Host] = members(Guest | Host)
    standing: frozenset[Guest] = frozenset()
    crowded: bool = True

    @action
    def leave(self, guest: Guest) -> None:
        require(guest in self.seated)
        self.seated -= {guest}
        self.standing |= {guest}
        self.crowded = len(self.seated) > 2

    @action
    def all_sit(self) -> None:
        """Everybody sits down, or those who stand do."""
        self.seated = self.seated | self.standing if self.crowded else self.seated | frozenset(Guest)
        self.standing = frozenset()

    @action
    def some_go(self, guest: Guest) -> None:
        """All guests but one stand up, host and guest stay."""
        others = frozenset(g for g in Guest if g != guest)
        require(self.seated & others != frozenset())
        self.seated = self.seated - others
        self.standing = others

    @invariant
    def host_sits(self) -> bool:
        return Host.HOST in self.seated

    @invariant
    def somebody_sits(self) -> bool:
        return len(self.seated) >= 1

    @invariant
    def a_guest_sits(self) -> bool:
        """A guest may leave the host alone."""
        return len(self.seated) >= 2

    @step
    def nobody_new(self, before: "Table") -> bool:
        return self.seated <= before.seated


@pytest.mark.parametrize("guests", [0, 1, 2, 3])
def test_the_graph_with_a_set_of_a_union_is_the_reference_s(guests: int) -> None:
    """At every size: membership, `|`, `-`, `&`, `<=`, `!=`, len and a choice of sets of different members."""
    model = bind(read_model(Table), {"guests": guests}, slots=False)
    asked = Request(properties=tuple(p.name for p in model.properties))
    expected, answer = reference.search(model, asked), explore(model, asked)
    assert {fact: getattr(answer, fact) for fact in COMPARED} == {fact: getattr(expected, fact) for fact in COMPARED}


def test_a_member_that_never_leaves_is_proved_for_any_size() -> None:
    outcome = prove(Table, properties=("host_sits",)).outcome
    assert [(p.verdict.value, p.assurance) for p in outcome.properties] == [("holds", "proved")]


class Row(Table):
    """A text that asks each element of the union, of which nobody knows the class."""

    @invariant
    def each_is_known(self) -> bool:
        return all(isinstance(s, Host) or s not in self.standing for s in self.seated)


def test_an_element_of_which_the_class_is_open_is_refused() -> None:
    """In a sentence with its place, before any solver begins."""
    with pytest.raises(UsageError, match=r"test_agreement.py:\d+:\d+: prove cannot read"):
        prove(Row, properties=("each_is_known",))


REFUSED = set(
    """map_range_more whole_then_above whole_then_above_req nested_whole_above tuple_of_sort map_len iterate_map
    iterate_bool_map_keys frozenset_of_map range_two_args empty_sort_guard sum_empty padding_meets_none
    padding_before_none none_for_a_bool_is_false none_decides_a_conjunction none_kept_as_a_bool
    step_taken_diff none_that_is_filtered_out_is_not_added element_of_a_set_in_a_set_above
    absent_record_is_read_where_flagged element_of_nothing_is_read_where_flagged arguments_of_two_kinds_are_not_equal
    map_range_less less_keys_read all_keys_read more_keys_read less_keys_written all_keys_written more_keys_written
    less_keys_nested all_keys_nested more_keys_nested""".split()
)
# CPython's max() of one None compares nothing: prove takes it for an error, which is no claim that anything holds.
STRICTER = {"none_alone_is_compared_with_nothing"}


@pytest.mark.parametrize("corner", CORNERS, ids=lambda corner: corner.name)
def test_a_corner(corner: Corner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = load_model(corner.text(), tmp_path, monkeypatch)
    model = bind(read_model(cls), corner.constants, slots=False)
    asked = Request(properties=tuple(p.name for p in model.properties), deadlock=True)
    if corner.name in REFUSED:
        with pytest.raises(UsageError, match=r"model.py:\d+:\d+: prove cannot read"):
            explore(model, asked)
        return
    if corner.outcome.startswith("error") or corner.name in STRICTER:
        with pytest.raises(ModelError):
            explore(model, asked)
        return
    assert same(reference.search(model, asked), explore(model, asked))
