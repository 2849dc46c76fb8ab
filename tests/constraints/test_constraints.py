"""What is counted, checked and expanded within constraints: TLC's rules, with figures found by hand."""

import re
import tempfile
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from tests.constraints.models import Elsewhere, Near, NearAndUp, NoWayBack, Overflowing, Two, WrongAtFirst
from tests.models.compare import results
from tools.random_models.author import models
from tools.random_models.loading import load

import isrcheck
from isrcheck import Limits, Model, Outcome
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.frozen_values import State
from isrcheck.engines.native import engine as native
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import ModelError, UsageError
from isrcheck.evidence.outcome_document import outcome_document
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.tla.export import to_tla

ENGINES = ("reference", "evaluator", "native")


def lengths(outcome: Outcome) -> dict[str, int | None]:
    return {p.name: p.trace.length if p.trace else None for p in outcome.properties}


def counts(outcome: Outcome) -> tuple[int | None, ...]:
    return outcome.distinct, outcome.outside, outcome.generated, outcome.depth, outcome.pruned


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_outside_is_checked_and_neither_counted_nor_expanded(engine: str) -> None:
    outcome = isrcheck.check(Near, engine=engine, deadlock=True)
    assert counts(outcome) == (10, 5, 31, 4, 0)
    assert outcome.levels == (1, 2, 3, 4)
    assert lengths(outcome) == {"below_four": 5, "below_six": None, "grows": None, "far": None, "deadlock": None}
    assert [(a.name, a.generated, a.distinct) for a in outcome.actions] == [
        ("up", 10, 6),
        ("right", 10, 3),
        ("back", 10, 0),
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_dropped_step_is_generated_and_checked_and_leads_nowhere(engine: str) -> None:
    outcome = isrcheck.check(NoWayBack, engine=engine)
    assert counts(isrcheck.check(NoWayBack, engine=engine, properties=())) == (42, 1, 114, 12, 6)
    assert lengths(outcome) == {"below_four": 5, "below_six": 7, "grows": 6, "far": 6}
    trace = outcome.property("grows").trace
    assert trace is not None
    assert trace.steps[-1].action == "back"  # the step that is dropped


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_outside_is_one_also_where_a_dropped_step_leads_to_it(engine: str) -> None:
    """The five of four, and three below to which dropped steps lead."""
    assert counts(isrcheck.check(NearAndUp, engine=engine, properties=())) == (10, 8, 31, 4, 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_initial_state_outside_is_all_there_is(engine: str) -> None:
    outcome = isrcheck.check(Elsewhere, engine=engine, deadlock=True)
    assert counts(outcome) == (0, 1, 1, 0, 0)
    assert outcome.warnings == ("the initial state is outside moved: nothing else was looked at.",)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constraint_without_a_value_is_an_error_of_the_model(engine: str) -> None:
    with pytest.raises(ModelError, match=r"has_values raised ValueError|max\(\) of nothing|of nothing"):
        isrcheck.check(Overflowing, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constraint_without_a_value_in_the_initial_state_is_an_error_of_the_model(engine: str) -> None:
    with pytest.raises(ModelError, match=r"has_value raised ValueError|of nothing"):
        isrcheck.check(WrongAtFirst, engine=engine)


@pytest.mark.parametrize("cls", [Near, NoWayBack])
def test_workers_and_constraints_alone_decide_the_digest(cls: type[Model]) -> None:
    digests = {isrcheck.check(cls, engine=engine).digest for engine in ENGINES}
    assert digests == {isrcheck.check(cls, workers=2).digest}


def test_the_symbolic_engine_searches_within_them() -> None:
    asked = ("below_four", "below_six", "far")
    found = isrcheck.check(Near, engine="symbolic", properties=asked, limits=Limits(depth=8))
    assert lengths(found) == {"below_four": 5, "below_six": None, "far": None}
    assert "undetermined" in plain_text(outcome_document(found))
    dropped = isrcheck.check(NoWayBack, engine="symbolic", properties=("grows",), limits=Limits(depth=8))
    assert lengths(dropped) == {"grows": 6}


def test_walks_stay_within_them() -> None:
    seen = isrcheck.simulate(Near, walks=50, steps=30, seed=1)
    assert lengths(seen) == {"below_four": 5, "below_six": None, "grows": None, "far": None}


def test_an_outcome_says_within_what_it_holds_and_what_may_lie_beyond() -> None:
    outcome = isrcheck.check(Near, properties=("below_six", "far"))
    text = plain_text(outcome_document(outcome))
    assert "holds within the constraint near (5 states not expanded)" in text
    assert "never reached within the constraint near (5 states not expanded)" in text
    assert "Warning: far may be reached beyond near, where nothing was looked for." in text
    reads = "below_six reads a and b, and so does the constraint near: a violation further beyond was not looked for."
    assert outcome.warnings[0] == reads
    assert outcome.to_dict()["constraints"] == {"names": ["near"], "outside": 5}
    assert "constraints" not in isrcheck.check(Two).to_dict()


def test_what_knows_no_constraints_refuses_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^Near has constraints, which the spark engine does not know: use --engine"):
        isrcheck.check(Near, engine="spark")
    with pytest.raises(UsageError, match=r"^a certificate says that no step leaves its states, and near leaves some"):
        isrcheck.check("tests/constraints/models.py:Near", certificate=tmp_path / "c")


def test_a_proof_does_without_them() -> None:
    proof = isrcheck.prove(Near, properties=("below_six",))
    assert proof.outcome.property("below_six").verdict is not isrcheck.Verdict.HOLDS


def test_tlc_is_given_them() -> None:
    exported = to_tla(bind(read_model(NoWayBack), {}))
    assert "ACTION_CONSTRAINTS\n    Stays\n" in exported.configuration
    assert "Stays == Back => a = 2" in exported.modules[-2].source
    assert "\nCONSTRAINTS\n    Near\n" in to_tla(bind(read_model(Near), {})).configuration


MOST_STATES = 600
_PROPERTY = re.compile(r"@(invariant|step|reachable)\n(    def )(\w+)\(")


@dataclass
class Naive:
    distinct: set[State] = field(default_factory=set)
    outside: set[State] = field(default_factory=set)
    generated: int = 1
    depth: int = 0
    pruned: int = 0
    violated: set[str] = field(default_factory=set)


class TooLarge(Exception):
    """More states than are compared."""


def search(model: BoundModel, of_states: set[str], of_steps: set[str], most: int) -> Naive:
    """TLC's rules: what is outside is checked and not counted, and no step leads on from it.

    Raises ModelError, and TooLarge beyond this many states.
    """
    stepper, found = ReferenceStepper(model), Naive()
    asked = [p for p in model.properties if p.name not in of_states | of_steps]

    def judge(before: State | None, instance: int, after: State) -> None:
        for p in asked:
            if p.kind.is_of_steps:
                if before is not None and not stepper.step_holds(p.name, before, instance, after):
                    found.violated.add(p.name)
            elif p.kind.is_target(stepper.holds(p.name, after)):
                found.violated.add(p.name)

    def arrive(before: State | None, instance: int, after: State, depth: int) -> None:
        judge(before, instance, after)
        is_kept = before is None or all(stepper.step_holds(name, before, instance, after) for name in of_steps)
        if before != after and not (is_kept and all(stepper.holds(name, after) for name in of_states)):
            found.outside.add(after)
        elif after not in found.distinct:
            found.distinct.add(after)
            found.depth = max(found.depth, depth)
            waiting.append((after, depth))

    waiting: deque[tuple[State, int]] = deque()
    arrive(None, 0, stepper.initial, 1)
    while waiting:
        if len(found.distinct) + len(found.outside) > most:
            raise TooLarge
        state, depth = waiting.popleft()
        for instance, after in stepper.steps(state):
            if after is None:
                found.pruned += 1
                continue
            found.generated += 1
            arrive(state, instance, after, depth + 1)
    return found


def agrees(naive: Naive, searched: Searched) -> bool:
    one = (len(naive.distinct), len(naive.outside), naive.generated, naive.depth, naive.pruned, naive.violated)
    two = (searched.distinct, searched.outside, searched.generated, searched.depth, searched.pruned)
    assert one == (*two, set(searched.paths))
    return True


def constrained(text: str, chosen: set[str]) -> str:
    """The text, with these properties as constraints."""

    def marked(match: re.Match[str]) -> str:
        return match[0].replace(match[1], "constraint") if match[3] in chosen else match[0]

    return _PROPERTY.sub(marked, text.replace("constant, each", "constant, constraint, each"))


def bound(text: str, folder: Path) -> BoundModel:
    cls: type[Model] = load(text, folder)
    read = read_model(cls)
    check_domains(read)
    return bind(read, {})


def compare(text: str, chosen: set[str], folder: Path, with_native: bool) -> int:
    free = bound(text, folder)
    of_steps = {p.name for p in free.properties if p.kind.is_of_steps and p.name in chosen}
    expected = search(free, chosen - of_steps, of_steps, MOST_STATES)
    model = bound(constrained(text, chosen), folder)
    system = lower(model)
    kinds = {p.name: p.kind for p in model.properties}
    request = Request(properties=tuple(kinds))
    one, two = (Explorer(s, kinds, request).run() for s in (ReferenceStepper(model), ScalarStepper(system)))
    assert results(one) == results(two)
    if one.complete:  # and not ended as everything was decided
        assert agrees(expected, one)
    whole = Explorer(ReferenceStepper(model), {}, Request()).run()
    assert (whole.distinct, whole.outside) == (len(expected.distinct), len(expected.outside))
    if with_native:
        assert results(native.explore(system, request)) == results(one)
        assert results(native.explore(system, Request(workers=2))) == results(whole)
    return len(expected.outside)


def test_random_constraints_agree() -> None:
    tally = [0, 0]

    @settings(max_examples=30, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(models(), st.data())
    def agree(text: str, data: st.DataObject) -> None:
        names = sorted({match[3] for match in _PROPERTY.finditer(text)})
        chosen = set(data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3)))
        note(text)
        with tempfile.TemporaryDirectory() as folder:
            try:
                tally[0] += compare(text, chosen, Path(folder), with_native=tally[1] % 10 == 0) > 0
            except (ModelError, TooLarge):
                assume(False)
        tally[1] += 1

    agree()
    assert tally[0] >= 5, tally
