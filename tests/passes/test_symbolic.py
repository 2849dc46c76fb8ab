"""A system with symbolic constants, at each choice of them, is the system that was lowered for that choice."""

from itertools import product
from typing import Any

import pytest

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.evaluator import ScalarStepper, compile_values
from isrcheck.engines.explore import Explorer
from isrcheck.errors import AssumptionFalse
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.symbolic import SymbolicSystem, bind_symbolic, lower_symbolic

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
