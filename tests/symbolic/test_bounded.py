"""Bounded search finds what explicit search finds, as early, and says nothing more; also of unions and slots."""

import json
import os
import signal
import threading
from typing import Any, cast

import pytest
import z3
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agreement import messages
from tests.agreement.test_slots import force_slots
from tests.lang.models import channels
from tests.native.systems import Builder, random_system
from tests.slow import quick_sample

from isrcheck import Model
from isrcheck.api import check
from isrcheck.catalogue import find_model
from isrcheck.cli import commands
from isrcheck.engines.contract import DEADLOCK, Limits, Request, RunResult
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.evaluator import search as explicit
from isrcheck.engines.explore import Explorer
from isrcheck.engines.symbolic import engine as bounded
from isrcheck.engines.symbolic.engine import BoundedSearch, search
from isrcheck.engines.symbolic.unroll import SearchClock, SystemSlice, slice_for
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.property_kinds import Verdict
from isrcheck.ir.scalar import Condition, ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.fold import Nodes
from isrcheck.passes.symbolic import SymbolicSystem
from isrcheck.run.replay import replay
from isrtoys import KNOWN, TOYS

KAFKA: dict[str, tuple[str, dict[str, Any], int]] = {
    "truncate": ("truncate-to-high-watermark", {"log_size": 1, "max_records": 1, "max_leader_epoch": 1}, 9),
    "kip-101": ("kip-101", {"log_size": 1, "max_records": 1, "max_leader_epoch": 1}, 7),
    "async": ("async-isr", {"replicas": 2, "max_offset": 2, "max_version": 2}, 7),
    "4485-v1": ("isr-kafka-4485-v1", {"max_records": 2, "pace": "every-tick"}, 8),
    "4485-v2": ("isr-kafka-4485-v2", {"max_records": 2}, 8),
    "text": ("isr-kip-16-text", {"max_records": 2}, 8),
    "messages": ("isr-max-messages", {"max_records": 2}, 8),
    "501": ("isr-kip-501", {"max_records": 2, "fetch_steps": "two", "pace": "every-tick"}, 7),
}
QUICK_CONES = ("truncate", "async", "messages")


def model(name: str, constants: dict[str, Any]) -> BoundModel:
    return bind(read_model(find_model(name)), constants)


def lengths(found: RunResult) -> dict[str, int]:
    return {name: len(path) for name, path in found.paths.items()}


def everything(of: BoundModel, depth: int) -> Request:
    return Request(properties=tuple(p.name for p in of.properties), deadlock=True, limits=Limits(depth=depth))


@pytest.mark.parametrize("name", TOYS)
def test_toys(name: str) -> None:
    known = KNOWN[name]
    toy = bind(read_model(TOYS[name]), known.constants)
    found = search(toy, everything(toy, known.depth + 1))
    for asked, (_, length) in known.properties.items():
        path = found.paths.get(asked)
        assert (path is None) == (length is None), asked
        if path is not None:
            assert len(path) + 1 == length
            assert replay(toy, asked, path, name, "symbolic").length == length
    stuck = found.paths.get(DEADLOCK)
    assert (len(stuck) + 1 if stuck is not None else None) == known.deadlock


@pytest.mark.parametrize("name", quick_sample(KAFKA))
def test_kafka(name: str) -> None:
    kafka = model(*KAFKA[name][:2])
    request = everything(kafka, KAFKA[name][2])
    found, expected = search(kafka, request), explicit(kafka, request)
    assert lengths(found) == lengths(expected)
    assert (found.depth, found.cut) == (expected.depth, expected.cut)
    assert found.paths
    for asked, path in found.paths.items():
        replay(kafka, asked, path, name, "symbolic")


def all_of(system: ScalarSystem) -> SystemSlice:
    return SystemSlice(tuple(range(len(system.scalars))), tuple(range(len(system.instances))))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK_CONES)) for name in KAFKA]
)
def test_the_exact_cone_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = model(*KAFKA[name][:2])
    request = everything(kafka, min(6, KAFKA[name][2]))
    cut = search(kafka, request)
    monkeypatch.setattr(bounded, "slice_for", lambda system, targets, every_step: all_of(system))
    assert lengths(cut) == lengths(search(kafka, request))


def test_the_exact_cone_is_smaller() -> None:
    system = lower(model("isr-kafka-4485-v2", {}))
    asked = {p.name: p for p in system.properties}
    part = slice_for(system, [asked["isr_at_least_hw"].conditions[0].node], every_step=False)
    names = {system.scalars[i].name for i in part.scalars}
    assert len(part.scalars) < len(system.scalars)
    assert {"hw", "isr", "known[f0]"} <= names
    assert "read_to_end_age[f0]" not in names


def opened(system: ScalarSystem) -> SymbolicSystem:
    """A system made by hand, without symbolic constants; its nodes are numbered far above those it has."""
    nodes = Nodes()
    for number in range(100_000, 130_000):
        nodes.const(number)
    true = Condition(nodes.true, ())
    bare = BoundModel(cast(Any, None), {}, {}, {}, {}, {})
    return SymbolicSystem(bare, system, true, {}, nodes)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_random_systems(seed: int) -> None:
    system = random_system(seed)
    names = {p.name: p.kind for p in system.properties}
    request = Request(properties=tuple(names), deadlock=True, limits=Limits(depth=4))
    expected = Explorer(ScalarStepper(system), names, request).run()
    found = BoundedSearch(opened(system), request, SearchClock(request, names)).run()
    assert {name: len(ways[0].path) for name, ways in found.witnesses.items()} == lengths(expected)


@pytest.mark.parametrize("bound", range(7))
def test_a_pruned_step_is_not_taken(bound: int) -> None:
    """The number could go up to 7: every step from `bound` on is pruned."""
    b = Builder(8, 2)
    k, (n, m) = b.k, b.vars
    b.step(0, k.lt(n, k.const(7)), {0: k.add(n, k.const(1))}, pruned=k.lt(k.const(bound - 1), n))
    b.step(1, k.true, {1: k.not_(m)})
    names = tuple(f"{number} is reached" for number in range(8))
    for number, name in enumerate(names):
        b.claim(name, "reachable", k.eq(n, k.const(number)))
    asked = Request(properties=names, limits=Limits(depth=9))
    found = BoundedSearch(opened(b.system()), asked, SearchClock(asked, {})).run()
    assert {name: len(ways[0].path) for name, ways in found.witnesses.items()} == {
        name: number for number, name in enumerate(names[: bound + 1])
    }


# What ends a search


def test_nothing_found_is_no_verdict() -> None:
    outcome = check("kip-320", engine="symbolic", limits=Limits(depth=4), properties=["strong_isr"], replicas=2)
    (found,) = outcome.properties
    assert (found.verdict, found.assurance, outcome.exit) == (Verdict.UNDETERMINED, "bounded(3)", 20)
    assert (outcome.distinct, outcome.generated, outcome.pruned, outcome.digest) == (None, None, None, None)
    assert outcome.cut == "after 4 levels"


def test_no_time_at_all() -> None:
    outcome = check("kip-320", engine="symbolic", limits=Limits(seconds=0), properties=["strong_isr"], replicas=2)
    assert outcome.cut == "after 0 seconds, while reading the model"
    assert outcome.verdict is Verdict.UNDETERMINED


def test_time_ends_a_question() -> None:
    outcome = check("kip-101", engine="symbolic", limits=Limits(seconds=2), properties=["log_matching"], replicas=3)
    assert outcome.cut == "after 2 seconds"
    assert [p.assurance for p in outcome.properties] == [f"bounded({max(outcome.depth - 1, 0)})"]


def test_unknown_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def weak() -> z3.Solver:
        solver = z3.Solver()
        solver.set("rlimit", 1)
        return solver

    monkeypatch.setattr("isrcheck.engines.symbolic.unroll.make_solver", weak)
    outcome = check("kip-320", engine="symbolic", limits=Limits(depth=9), properties=["strong_isr"], replicas=2)
    assert outcome.cut is not None
    assert outcome.cut.startswith("because z3 answered unknown (")
    assert [p.verdict for p in outcome.properties] == [Verdict.UNDETERMINED]


def test_the_user_ends_a_question() -> None:
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    outcome = check("kip-101", engine="symbolic", limits=Limits(seconds=60), properties=["log_matching"], replicas=3)
    timer.join()
    assert (outcome.cut, outcome.interrupted, outcome.exit) == ("by the user", True, 130)


def test_the_command_line() -> None:
    words = ["-c", "lag_time_max=1..2", "-c", "pace=every-tick", "--property", "keep_up_stays", "--all-choices"]
    words += ["--engine", "symbolic", "--max-depth", "5", "--json", "-"]
    done = CliRunner().invoke(commands, ["check", "isr-kafka-4485-v1", *words], standalone_mode=False)
    assert done.return_value == 12, done.output
    (found,) = json.loads(done.stdout)["choices"]["properties"]
    assert found["found"] == [{"constants": {"lag_time_max": 1}, "rank": [0], "length": 5}]


def test_stop_at_first() -> None:
    known = KNOWN["toy-cashier"].constants
    outcome = check(TOYS["toy-cashier"], engine="symbolic", limits=Limits(depth=9), stop_at_first=True, **known)
    assert outcome.cut == "at the first violation"
    assert outcome.depth == 2


# What is refused before anything is solved

DEEP = Limits(depth=3)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "the symbolic engine looks at one more step until it is told to stop: give --max-depth."),
        ({"limits": DEEP, "symmetry": True}, "the symbolic engine looks at every state: leave --symmetry out"),
        ({"limits": DEEP, "workers": 2}, "the symbolic engine has one worker: leave --workers out"),
        ({"limits": Limits(depth=3, states=9)}, "the symbolic engine counts no states: leave --max-states out"),
        ({"limits": DEEP, "properties": []}, "the symbolic engine counts no states: name a property"),
        ({"limits": DEEP, "all_choices": True}, "--all-choices needs --engine symbolic and a symbolic constant"),
    ],
)
def test_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=f"^{sentence}"):
        check(TOYS["toy-mutex"], engine="symbolic", **options)


@pytest.mark.parametrize(
    ("cls", "name", "length"),
    [(messages.Flights, "two_grants", 4), (messages.Packets, "granted", 3), (channels.Ordered, "full", 3)],
)
def test_z3_reaches_in_slots_what_the_native_engine_reaches(
    cls: type[Model], name: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    force_slots(monkeypatch, 2)
    for engine in ("native", "symbolic"):
        found = check(cls, engine=engine, properties=[name], limits=Limits(depth=length)).property(name)
        assert found.verdict is Verdict.HOLDS
        assert found.trace is not None
        assert found.trace.length == length


def test_z3_reaches_nothing_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    force_slots(monkeypatch, 2)
    found = check(messages.Flights, engine="symbolic", properties=["two_grants"], limits=Limits(depth=3))
    assert found.property("two_grants").verdict is Verdict.UNDETERMINED


def test_a_bound_of_a_set_that_is_open_prunes_steps() -> None:
    found = check(messages.Packets, engine="symbolic", in_flight="1..2", terms=0, limits=Limits(depth=2))
    assert found.property("granted").verdict is Verdict.UNDETERMINED


def test_more_messages_than_z3_takes_are_refused() -> None:
    with pytest.raises(ModelError, match=r"frozenset\[Message\] has 36018 possible elements; 4096 is the most a set"):
        check(messages.Network, engine="symbolic", terms=2000, limits=Limits(depth=1))
