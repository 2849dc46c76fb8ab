"""The messages of the script reader, whole; and what scripts mean."""

import re
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.schedule.pumps import Careful, Careless, runs

from isrcheck import Model
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import UsageError
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.process.budget import budget
from isrcheck.schedule.steps import Expectation, ScheduleVocabulary, Step, fits, parse_script, read_script
from isrcheck.schedule.walk import Walk
from isrtoys import TOYS

KNOWN = "Known: pump_runs, tank_is_emptied, tank_is_filled."


@pytest.fixture(scope="module")
def words() -> ScheduleVocabulary:
    return ScheduleVocabulary(bind(read_model(Careful), {}))


def meant(words: ScheduleVocabulary, text: str) -> list[tuple[str, list[str]]]:
    found = words.steps_of(parse_script(text))
    return [(s.action, [str(words.instances[i][1]) for i in sorted(s.instances)]) for s in found]


def test_short_forms_and_open_arguments(words: ScheduleVocabulary) -> None:
    assert meant(words, "filled t1; empt t0 all_of_it=True # a comment; filled") == [
        ("tank_is_filled", ["(t1,)"]),
        ("tank_is_emptied", ["(t0, True)"]),
    ]
    assert meant(words, "tank_is_emptied t1\n\nempt all_of_it=False, tank=t0") == [
        ("tank_is_emptied", ["(t1, False)", "(t1, True)"]),
        ("tank_is_emptied", ["(t0, False)"]),
    ]
    assert meant(words, "pump target=t0") == [("pump_runs", ["(t0, t0)", "(t1, t0)"])]


def test_values_in_brackets_may_hold_blanks() -> None:
    (step,) = parse_script("handles Isr(version=1, isr={f0, f1}) now=[1, 2]").steps
    assert (step.action, step.positional) == ("handles", ("Isr(version=1,isr={f0,f1})",))
    assert step.named == (("now", "[1,2]"),)


def test_heads() -> None:
    script = parse_script("constants: a=1 b=x\nconstants: c=true\nexpect: m violated p q\nexpect: n cannot\ngo", "s")
    assert script.constants == {"a": "1", "b": "x", "c": "true"}
    assert script.expectations == (
        Expectation("m", "violated", ("p", "q"), "s:3"),
        Expectation("n", "cannot", (), "s:4"),
    )


@pytest.mark.parametrize(
    ("short", "name", "fit"),
    [
        ("fetch", "follower_fetches", True),
        ("becomes_lead", "replica_becomes_leader", True),
        ("leader_becomes", "replica_becomes_leader", False),
        ("etch", "follower_fetches", False),
        ("fetch_fetch", "follower_fetches", False),
        ("_", "follower_fetches", False),
    ],
)
def test_short_forms(short: str, name: str, fit: bool) -> None:
    assert fits(short, name) is fit


MESSAGES = [
    ("", "the script has no steps: write one a line, or several with ; between them."),
    ("# nothing\n;;", "the script has no steps: write one a line, or several with ; between them."),
    ("fly t0", f"the script: Careful has no action fly. {KNOWN}"),
    ("tank_is_fled", "the script: Careful has no action tank_is_fled. Did you mean tank_is_filled?"),
    ("tank t0", "the script: tank may be tank_is_filled or tank_is_emptied in Careful: write more of the name."),
    ("filled t7", "the script: filled t7: tank is t0 or t1 with these constants, not t7."),
    ("filled r0", "the script: filled r0: tank is t0 or t1 with these constants, not r0."),
    ("filled t0 t1", "the script: filled t0 t1: tank_is_filled takes tank, and here 2 are given."),
    ("filled tnk=t0", "the script: tank_is_filled has no parameter tnk. Did you mean tank?"),
    ("filled t0 tank=t1", "the script: filled t0 tank=t1: tank is given twice."),
    ("filled tank=", "the script: filled tank=: an argument by name is written name=value."),
    ("tank=t0 filled", "the script: tank=t0 filled names no action: write the action before its arguments."),
    ("filled (t0", "the script: filled (t0: a bracket is opened and not closed, or closed and not opened."),
    ("filled t0)", "the script: filled t0): a bracket is opened and not closed, or closed and not opened."),
    ("<b>x</b> t0", "the script: <b>x</b> is not a name of an action: letters, digits and _ make one."),
    ("filled \x1b[31m", "the script: filled \ufffd[31m: a bracket is opened and not closed, or closed and not opened."),
    ("filled t\u202e0", "the script: filled t\ufffd0: tank is t0 or t1 with these constants, not t\ufffd0."),
    ("füllen", f"the script: Careful has no action füllen. {KNOWN}"),
    ("--help", "the script: --help is not a name of an action: letters, digits and _ make one."),
    ("constant: a=1\ngo", "the script: there is no line constant: in a script. Did you mean constants?"),
    ("constants: a\ngo", "the script: a is not a valid constant: write constants: replicas=3 log_size=1."),
    ("constants: a=1 a=2\ngo", "the script: the constant a is given twice: 1 and 2."),
    (
        "expect: m\ngo",
        "the script: an expectation is a model, a verdict and properties: expect: kip-101 violated weak_isr.",
    ),
    (
        "expect: m holds p\ngo",
        "the script: holds is not a verdict of a schedule. Known: cannot, kept, reached, unreached, violated.",
    ),
    ("expect: m cannot p\ngo", "the script: cannot is said of a model and not of p: leave that out."),
    ("expect: m kept\ngo", "the script: kept is said of properties: name them after it."),
    ("go\n" * 10_001, "the script has 10,001 steps, and 10,000 is the most."),
]


@pytest.mark.parametrize(("text", "message"), MESSAGES, ids=[m[:40] for _, m in MESSAGES])
def test_messages(words: ScheduleVocabulary, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        words.steps_of(parse_script(text))


def test_a_file_is_named_with_its_line(tmp_path: Path, words: ScheduleVocabulary) -> None:
    file = tmp_path / "story.schedule"
    file.write_text("filled t0\n\nfly", encoding="utf-8")
    with pytest.raises(UsageError, match=r"^story\.schedule:3: Careful has no action fly\."):
        words.steps_of(read_script(file))
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read as a script"):
        read_script(file)
    with pytest.raises(UsageError, match=f"{tmp_path.name} is a folder, not a script: give a text file"):
        read_script(tmp_path)


NAMES = ("toy-mutex", "toy-counter", "toy-ratchet", "toy-forks", "toy-seats", "toy-crossing-careless", "toy-queue")
MODELS = [*(TOYS[name] for name in NAMES), Careful, Careless]
MOST_PATHS = 5_000  # a path costs a copy of itself; a few schedules have a million, and show nothing that others do not


@cache
def stepper_of(cls: type[Model]) -> ReferenceStepper:
    return ReferenceStepper(bind(read_model(cls), {}))


def enabled(stepper: Any, state: Any) -> list[tuple[int, Any]]:
    return [(i, t) for i, t in stepper.steps(state) if t is not None]


@settings(max_examples=300, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(MODELS), st.data())
def test_random_schedules(cls: Any, data: st.DataObject) -> None:
    stepper = stepper_of(cls)
    some = st.frozensets(st.sampled_from(range(len(stepper.instances))), max_size=3)
    schedule = data.draw(st.lists(some.filter(bool), max_size=4))
    internal = data.draw(st.frozensets(st.sampled_from(range(len(stepper.instances))), max_size=2))
    kinds = {p.name: p.kind for p in stepper.model.properties}
    seen = Walk(stepper, [Step("", "", s) for s in schedule], internal, kinds).run()
    every = runs(lambda s: enabled(stepper, s), stepper.initial, schedule, internal)
    paths = list(islice(every, MOST_PATHS + 1))
    assume(len(paths) <= MOST_PATHS)
    farthest = max(taken for taken, _, _ in paths)
    assert seen.taken == farthest
    assert set(seen.ends) == {states[-1] for taken, _, states in paths if taken == farthest}
    for name, kind in kinds.items():
        broken = [path for _, path, states in paths if decides(stepper, name, kind, path, states)]
        assert (name in seen.decided) == bool(broken)
        if broken:
            assert seen.decided[name].path == min(broken, key=lambda p: (len(p), p))


def decides(stepper: Any, name: str, kind: PropertyKind, path: tuple[int, ...], states: list[Any]) -> bool:
    if kind.is_of_steps:
        return bool(path) and not stepper.step_holds(name, states[-2], path[-1], states[-1])
    return kind.is_target(stepper.holds(name, states[-1]))


def test_the_evaluator_follows_the_same_schedules() -> None:
    for cls in (Careful, Careless):
        bound = bind(read_model(cls), {})
        one, two = ReferenceStepper(bound), ScalarStepper(lower(bound))
        internal = frozenset(i for i, (a, _) in enumerate(one.instances) if a == 2)
        steps = [Step("", "", frozenset(range(2))), Step("", "", frozenset(range(6)))] * 2
        kinds = {p.name: p.kind for p in bound.properties}
        seen, again = (Walk(stepper, steps, internal, kinds).run() for stepper in (one, two))
        assert seen.decided == again.decided
        assert (seen.taken, seen.nodes, seen.pruned, seen.ways) == (again.taken, again.nodes, again.pruned, again.ways)
        assert [tuple(one.scalars(s)) for s in seen.ends] == [tuple(two.scalars(s)) for s in again.ends]


def test_a_walk_that_is_cut_says_so() -> None:
    stepper = stepper_of(Careless)
    steps = [Step("", "", frozenset(range(len(stepper.instances))))] * 6
    seen = Walk(stepper, steps, frozenset(), {}, 20).run()
    assert seen.cut is not None
    assert seen.cut.startswith("after 2")
    with budget(memory=1):
        assert str(Walk(stepper, steps, frozenset(), {}).run().cut).startswith("at the memory limit, after ")
