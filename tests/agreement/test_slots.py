"""Sets and maps in slots do what masks and entries do, however few slots there are to begin with."""

from typing import Any

import pytest
from tests.agreement import messages
from tests.agreement.test_random_models import agree_on_random_models
from tests.lang.models import channels
from tests.models.compare import compare, results

from isrcheck import action, constant, constraint, each, history, reachable, refines
from isrcheck.engines.common.growth import run_with_growth
from isrcheck.engines.contract import Request
from isrcheck.engines.registry import engine
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir import slots
from isrcheck.ir.domains import SlotMapDomain, SlotSetDomain, inner_domains
from isrcheck.ir.frozen import replace
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.update import REFUSED, claim
from isrcheck.run.vacuity import guards_of_state


def force_slots(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    """On every set and map, this many to begin with."""
    monkeypatch.setattr(slots, "FEW", 0)
    monkeypatch.setattr(slots, "FEW_READ", 0)
    monkeypatch.setattr(slots, "FIRST_SLOTS", first)
    monkeypatch.setattr(slots, "masks_are_less", lambda of, count: False)


MODELS: list[tuple[type[Model], dict[str, int]]] = [
    (messages.Network, {}),
    (messages.Copies, {"terms": 0}),
    (messages.Packets, {}),
    (messages.Flights, {}),
    (channels.Ordered, {}),
    (channels.Lossy, {}),
]


def slots_of(model: BoundModel) -> dict[str, int]:
    found = {}
    for name, domain in model.domains.items():
        for inner in inner_domains(domain):
            if isinstance(inner, SlotSetDomain | SlotMapDomain):
                found[name] = inner.slots
    return found


def searched(model: BoundModel, engine_name: str) -> dict[str, Any]:
    request = Request(properties=tuple(p.name for p in model.properties), deadlock=True)
    found = results(engine(engine_name).search(model, request))
    return {name: value for name, value in found.items() if name != "digest"}


@pytest.mark.parametrize(("cls", "constants"), MODELS)
def test_slots_have_the_graph_of_masks(
    cls: type[Model], constants: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ir = read_model(cls)
    dense = searched(bind(ir, constants, slots=False), "evaluator")
    assert dense["distinct"] > 30
    force_slots(monkeypatch, 1)
    model = bind(ir, constants)
    assert 1 in slots_of(model).values()
    assert searched(model, "evaluator") == dense
    assert max(slots_of(model).values()) > 1


def test_channels_in_slots_are_those_of_cpython(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of most of many channels nothing is sent on, as between forty brokers."""
    model = bind(read_model(channels.Ordered), {"nodes": 40, "most": 0})
    assert slots_of(model) == {"links": slots.FIRST_SLOTS}
    force_slots(monkeypatch, 1)
    few = bind(read_model(channels.Ordered), {"capacity": 1})
    assert searched(few, "native") == searched(few, "reference")
    assert slots_of(few)["links"] == 2


def test_machine_code_does_the_same_in_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    ir = read_model(messages.Network)
    dense = searched(bind(ir, {}, slots=False), "evaluator")
    force_slots(monkeypatch, 2)
    model = bind(ir, {})
    assert searched(model, "native") == dense
    assert slots_of(model)["network"] == 4


@pytest.mark.parametrize(("cls", "constants"), [(messages.Network, {"terms": 1}), (messages.Packets, {})])
def test_steps_in_slots_are_those_of_cpython(
    cls: type[Model], constants: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    force_slots(monkeypatch, 2)
    seen = compare(cls, 150, **constants)
    assert seen.steps > 20
    assert len(seen.fired) > 2


def test_a_step_is_asked_of_what_was_taken_not_of_an_empty_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    force_slots(monkeypatch, 2)
    assert compare(messages.Parcels).found == {"goes"}


def test_an_action_has_an_instance_a_slot_not_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    ir = read_model(messages.Network)
    dense = lower(bind(ir, {}, slots=False))
    force_slots(monkeypatch, 2)
    model = bind(ir, {})
    system = lower(model)
    count = {name: sum(system.actions[i.action] == name for i in system.instances) for name in system.actions}
    assert count == {"ask": 2, "answer": 2, "take": 4, "lose_all_of": 3}
    assert len(dense.instances) == system.first[-1] > 100


def test_a_step_beyond_the_bound_of_a_set_is_pruned(monkeypatch: pytest.MonkeyPatch) -> None:
    ir = read_model(messages.Packets)
    few, more = (searched(bind(ir, {"in_flight": most}), "reference") for most in (1, 2))
    assert few["pruned"] > 0
    assert few["distinct"] < more["distinct"]
    force_slots(monkeypatch, 8)
    model = bind(ir, {"in_flight": 1})
    assert searched(model, "evaluator") == few
    assert slots_of(model)["network"] == 1


def test_random_models_in_slots_do_what_cpython_does(monkeypatch: pytest.MonkeyPatch) -> None:
    force_slots(monkeypatch, 1)
    tally = agree_on_random_models(6, derandomize=True)
    assert tally.shares()["models"] > 3


def test_a_search_grows_only_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    force_slots(monkeypatch, 1)
    model = bind(read_model(messages.Network), {"terms": 1})
    run_with_growth(model, lambda: engine("evaluator").search(model, Request()))
    assert slots_of(model) == {"network": 2, "term": 2, "grants": 2}


def test_a_guard_that_says_what_is_taken_is_refused_by_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    force_slots(monkeypatch, 4)
    model = bind(read_model(messages.Network), {"terms": 1})
    guard = next(guards_of_state(model, a)[0] for a in model.ir.actions if a.name == "take")
    name = claim(REFUSED, "take", guard)
    watched = replace(model, watched=frozenset({"take"}))
    assert name in engine("evaluator").search(watched, Request(properties=(name,))).paths


def test_too_many_choices_for_cpython_are_a_sentence() -> None:
    model = bind(read_model(messages.Network), {"nodes": 3, "terms": 27_000})
    with pytest.raises(UsageError, match="choices of parameters, too many to try each in every state: use"):
        engine("reference").search(model, Request())


def test_peers_that_are_alike_change_places_in_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    ir = read_model(messages.Gossip)
    masks = [bind(ir, {}, slots=False) for _ in range(2)]
    dense = [engine("native").search(m, Request(symmetry=s)) for m, s in zip(masks, (False, True), strict=True)]
    force_slots(monkeypatch, 2)
    in_slots = [engine("native").search(bind(ir, {}), Request(symmetry=symmetry)) for symmetry in (False, True)]
    assert [(s.distinct, s.generated, s.levels) for s in in_slots] == [
        (s.distinct, s.generated, s.levels) for s in dense
    ]
    assert dense[1].distinct < dense[0].distinct * 0.6


@pytest.mark.parametrize(
    ("cls", "constants", "sentence"),
    [
        (messages.Shelves, {"disks": 0}, "the initial value of at is not a valid dict.*: d0 is not a Disk"),
        (messages.Shelves, {"most": 1}, "the initial value of count is above its bound"),
    ],
)
def test_the_value_of_keys_without_a_slot_is_checked(
    cls: type[Model], constants: dict[str, int], sentence: str
) -> None:
    assert set(slots_of(bind(read_model(cls), {}))) == {"at", "count"}
    with pytest.raises(ModelError, match=sentence):
        bind(read_model(cls), constants)


def test_a_value_of_several_classes_is_found_in_slots_of_one() -> None:
    assert slots_of(bind(read_model(messages.Ballots), {})) == {"cast": slots.FIRST_SLOTS}
    assert compare(messages.Ballots).found == {"absent"}


class Terms(Model):
    """What is refined: terms that only grow."""

    nodes: int = constant(2, "nodes", at_least=1)
    terms: int = constant(1, "terms")

    term: dict[messages.Node, messages.Term] = each(messages.Node, 0)

    @action
    def grow(self, node: messages.Node) -> None:
        self.term[node] += 1


class Limited(messages.Flights):
    """Not expanded with two in flight of which one is doubled, and refining."""

    @constraint
    def few_copies(self) -> bool:
        return all(self.network.count(m) < 2 for m in self.network)

    @refines(Terms)
    def terms_grow(self, abstract: Terms) -> None:
        """All variables have the same names."""


class Seen(messages.Flights):
    """With a history, and refining."""

    asked: messages.Term = history(0)

    @action
    def end(self) -> None:
        self.asked = max(self.asked, len(self.network))

    @reachable
    def one_asked(self) -> bool:
        return self.asked > 0

    @refines(Terms)
    def terms_grow(self, abstract: Terms) -> None:
        """All variables have the same names."""


@pytest.mark.parametrize(("cls", "distinct"), [(Limited, 28), (Seen, 59)])
def test_slots_agree_with_masks_under_a_constraint_and_a_refinement(
    cls: type[Model], distinct: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ir = read_model(cls)
    dense = searched(bind(ir, {}, slots=False), "evaluator")
    force_slots(monkeypatch, 2)
    for name in ("reference", "evaluator", "native"):
        model = bind(ir, {})
        assert slots_of(model)
        assert searched(model, name) == dense
    assert dense["distinct"] == distinct
