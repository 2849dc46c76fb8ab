"""Kafka's own settings and symbolic constants become constants of a model; rounding that loses something is said.

Ten times the text takes at most twelve times the work of reading, lowering and writing the program.
"""

from itertools import islice, product
from typing import Any

import pytest
from tools.bench.lowering import SHAPES, compare

from isrcheck.catalogue import find_model
from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.evaluator import ScalarStepper, compile_values
from isrcheck.engines.explore import Explorer, reachable_states
from isrcheck.errors import AssumptionFalse, UsageError
from isrcheck.ir.domains import INT
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ConstantIR
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower, scalarize
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constants import apply_settings
from isrcheck.passes.symbolic import SymbolicSystem, bind_symbolic, lower_symbolic
from isrcheck.place import NOWHERE


def constant(name: str, default: int, setting: str, measure: str) -> ConstantIR:
    return ConstantIR(name, default, "", INT, 1, None, "Model", NOWHERE, setting, measure)


SETTINGS = {
    c.setting: c
    for c in (
        constant("lag_time_max", 2, "replica.lag.time.max.ms", "ticks"),
        constant("process_time_max", 1, "leader.fetch.process.time.max.ms", "ticks"),
        constant("min_isr", 1, "min.insync.replicas", "value"),
        constant("max_lag_messages", 1, "replica.lag.max.messages", "many"),
    )
}


def test_the_first_time_fixes_the_tick_and_others_are_rounded() -> None:
    given = {"replica.lag.time.max.ms": "30000", "leader.fetch.process.time.max.ms": "500"}
    chosen, notes = apply_settings(SETTINGS, given, {})
    assert chosen == {"process_time_max": 1}
    assert notes == (
        "replica.lag.time.max.ms=30000 is lag_time_max=2 ticks of 15,000 ms.",
        "leader.fetch.process.time.max.ms=500 is process_time_max=1 ticks of 15,000 ms, 14,500 ms more than it says.",
    )


def test_more_ticks_make_a_shorter_tick() -> None:
    given = {"replica.lag.time.max.ms": "30000", "leader.fetch.process.time.max.ms": "15000"}
    chosen, notes = apply_settings(SETTINGS, given, {"lag_time_max": 4})
    assert chosen == {"lag_time_max": 4, "process_time_max": 2}
    assert notes[1].endswith("process_time_max=2 ticks of 7,500 ms, exactly.")


def test_counts_are_taken_as_they_are_or_stand_for_many() -> None:
    chosen, notes = apply_settings(SETTINGS, {"min.insync.replicas": "2", "replica.lag.max.messages": "4000"}, {})
    assert chosen == {"min_isr": 2}
    assert notes == (
        "min.insync.replicas=2 is min_isr=2.",
        "replica.lag.max.messages=4000 is max_lag_messages=1: one in the model stands for 4,000.",
    )


def test_a_setting_and_its_constant_may_not_contradict_each_other() -> None:
    with pytest.raises(UsageError, match=r"^min.insync.replicas=2 and min_isr=1 contradict each other: give one\.$"):
        apply_settings(SETTINGS, {"min.insync.replicas": "2"}, {"min_isr": 1})


def test_a_setting_is_a_whole_number() -> None:
    with pytest.raises(UsageError, match=r"^the setting min.insync.replicas is a whole number above 0, not 'x'\.$"):
        apply_settings(SETTINGS, {"min.insync.replicas": "x"}, {})


MOST = 12


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_the_text(shape: str) -> None:
    small, large = compare(shape)
    assert 5 < large.calls / small.calls < MOST
    assert 5 < large.nodes / small.nodes < MOST


FOLLOW = "isr-kafka-4485-v2"
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "ages": (FOLLOW, {"max_records": 1, "lag_time_max": "1..3", "expiration_period": "1..2"}),
    "records": (FOLLOW, {"max_records": "0..2", "lag_time_max": "1..2"}),
    "pace": (FOLLOW, {"max_records": 1, "lag_time_max": "1..2", "pace": "free,every-tick", "fetch_size": "one,all"}),
    "lag begin": ("isr-kip-16-text", {"max_records": "1..2", "lag_time_max": "1..2"}),
    "reading": ("isr-kip-501", {"max_records": 1, "fetch_steps": "one,two", "lag_time_max": "1..2", "min_isr": "1..2"}),
    "truth": ("isr-kip-16-text", {"max_records": 1, "prose_condition": "false,true"}),
    "published": ("kip-101", {"replicas": 2, "log_size": "1..2", "max_records": "1..2", "max_leader_epoch": 1}),
}


def explored(system: ScalarSystem, kinds: dict[str, PropertyKind]) -> Searched:
    return Explorer(ScalarStepper(system), kinds, Request(properties=tuple(kinds))).run()


def choices(model: BoundModel) -> list[tuple[int, ...]]:
    return list(product(*(range(choice.size) for choice in model.symbolic.values())))


def at(symbolic: SymbolicSystem, choice: tuple[int, ...]) -> ScalarSystem:
    return replace(symbolic.system, initial=symbolic.system.initial[: symbolic.first_symbolic] + choice)


@pytest.mark.parametrize("name", CASES)
def test_every_choice(name: str) -> None:
    model_name, given = CASES[name]
    ir = read_model(find_model(model_name))
    model = bind_symbolic(ir, given)
    symbolic = lower_symbolic(model)
    conditions = [symbolic.allowed.node, *(c.node for c in symbolic.asked.values())]
    constants_alone = compile_values(conditions)
    for choice in choices(model):
        allowed, *asked = constants_alone(symbolic.system.initial[: symbolic.first_symbolic] + choice)
        try:
            closed = bind(ir, model.choose(choice))
        except AssumptionFalse:
            assert not allowed
            continue
        assert allowed
        assert {p for p, yes in zip(symbolic.asked, asked, strict=True) if yes} == {p.name for p in closed.properties}
        kinds = {p.name: p.kind for p in closed.properties}
        found, expected = explored(at(symbolic, choice), kinds), explored(lower(closed), kinds)
        for figure in ("distinct", "generated", "depth", "pruned", "paths", "action_generated", "action_distinct"):
            assert getattr(found, figure) == getattr(expected, figure), (choice, figure)


def run_instances(system: ScalarSystem, state: tuple[int, ...]) -> list[tuple[object, ...]]:
    """What each instance does in a state: its arguments, its faults, whether it is taken, and to what successor."""
    values, rows = Values(state), list[tuple[object, ...]]()
    for each in system.instances:
        wrong = [(fault.place, fault.sentence) for fault in each.faults if values.of(fault.condition)]
        is_taken = bool(values.of(each.guard)) and not wrong
        after = values.successor(each) if is_taken and not values.of(each.pruned) else None
        rows.append((each.action, each.arguments, wrong, is_taken, after))
    return rows


@pytest.mark.parametrize("name", ["kip-320", "partition", "async-isr", "toy-messages"])
def test_an_action_lowered_once_does_what_it_does_lowered_for_each_choice(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = bind(read_model(find_model(name)), {})
    once = lower(model, ())
    monkeypatch.setattr(scalarize, "_FEW_CHOICES", 1 << 60)
    apart = lower(model, ())
    for state in islice(reachable_states(ScalarStepper(apart)), 0, 600, 40):
        assert run_instances(once, state) == run_instances(apart, state)
