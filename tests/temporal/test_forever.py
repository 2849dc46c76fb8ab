"""What ISR admission policies do for ever: the page's table, controls for each row, the lassos that tickets tell of."""

import os
import shutil
import tomllib
from collections import deque
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from tests.slow import quick_sample
from tests.temporal import tlc
from tools.reports import forever_policies as page
from tools.reports.forever_policies import ALIVE, HEADS, NOBODY, ONE, ROWS, cell
from tools.reports.tables import SPECS

from isrcheck import Limits, Outcome, Temporal, check, eventually, temporal
from isrcheck.engines.contract import Request
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.engines.registry import ENGINES
from isrcheck.errors import AssumptionFalse
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import STEP
from isrcheck.lang.read import read_model
from isrcheck.liveness import naive
from isrcheck.liveness.deciding import fairness_conditions
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.canonical import CheckedForm, FormUse
from isrmodel import MODELS
from isrmodel.forever import PARTITIONS_FOREVER, POLICIES
from isrmodel.forever.admission import AdmissionForever
from isrmodel.forever.policies import Kafka19996FixForever, Kip16MergedForever, StrictMinIsrForever
from isrmodel.vocabulary import Follower

AT_HAND = bool(os.environ.get("TLC_JAR")) and shutil.which("java") is not None
FLAPPING = {"pace": "every-tick", "fetch_size": "one", "endless": True, "max_records": 4}
SETTLED = {**FLAPPING, "producers": "settle"}


@cache
def found(model: str, name: str, environment: str, **constants: Any) -> Outcome:
    fair = [environment] if environment else []
    return check(model, engine="reference", properties=[name], fairness=fair, constants=constants)


def test_the_page_has_the_table() -> None:
    assert page.TABLE.findall(page.PAGE.read_text(encoding="utf-8")) == [page.table()]


def test_every_policy_is_asked() -> None:
    asked = {run["model"] for run in page.runs()}
    known = {name for name in MODELS if name.startswith("forever-")} - {"forever-kraft", *PARTITIONS_FOREVER}
    assert asked == set(HEADS) == known == set(POLICIES)


def test_every_row_but_the_control_finds_both_answers() -> None:
    """Where all followers fetch again and again nothing waits: that is what the rows of silent ones differ from."""
    for name, environment, constants, _ in ROWS:
        cells = "".join(cell(model, name, environment, constants) for model in HEADS)
        assert "ok" in cells
        assert ("↻" in cells) != ((name, environment) in {("no_stall", ALIVE), ("writes_end", ALIVE)})


@pytest.mark.heavy(reason="the lassos of the tickets, at the size at which they are")
@pytest.mark.parametrize(
    ("model", "name", "environment", "constants"),
    [
        ("forever-strict-min-isr", "no_flapping", ALIVE, SETTLED),  # KAFKA-19996
        ("forever-kip-16-merged", "keep_up_returns", ALIVE, {**FLAPPING, "fetch_size": "all"}),  # KAFKA-4485, problem 2
        ("forever-kip-16-text", "dead_leaves", NOBODY, {}),  # KIP-16, scenario 2
        ("forever-kafka-4485-merged", "no_stall", NOBODY, {}),  # the idle stall
        ("forever-kafka-4485-merged", "caught_up_returns", NOBODY, {}),  # KAFKA-7152
    ],
)
def test_the_lasso_of_a_ticket(model: str, name: str, environment: str, constants: dict[str, Any]) -> None:
    outcome = found(model, name, environment, **constants)
    assert outcome.property(name).verdict.value == "violated"
    trace = outcome.property(name).trace
    assert trace is not None
    assert trace.loop is not None
    cycle = trace.steps[trace.loop :]
    assert any(step.action == "time_passes" for step in cycle)
    isrs = {str(step.state["isr"]) for step in cycle}
    assert (len(isrs) > 1) == (name == "no_flapping")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "name", "environment", "constants"),
    [
        ("forever-kafka-19996-fix", "no_flapping", ALIVE, SETTLED),
        ("forever-kafka-4485-merged", "keep_up_settles", ALIVE, {**FLAPPING, "fetch_size": "all"}),
        ("forever-kip-16-text", "dead_leaves", NOBODY, {"prose_condition": True}),
        ("forever-kip-16-merged", "no_stall", NOBODY, {"expiration_period": 1}),
        ("forever-kafka-7152", "caught_up_returns", NOBODY, {}),
    ],
)
def test_what_mended_it_ends_it(model: str, name: str, environment: str, constants: dict[str, Any]) -> None:
    assert found(model, name, environment, **constants).property(name).verdict.value == "holds"


def test_silent_followers_are_needed_for_a_stall() -> None:
    """The environment makes the difference, and nothing else."""
    verdicts = {
        e: found("forever-kafka-7152", "no_stall", e).property("no_stall").verdict.value for e in (NOBODY, ONE, ALIVE)
    }
    assert verdicts == {NOBODY: "violated", ONE: "holds", ALIVE: "holds"}


RENUMBERED = sorted(name for name in MODELS if name.startswith("forever-") and name != "forever-kraft")


@pytest.mark.parametrize("model", quick_sample(RENUMBERED, 99, besides=["forever-strict-min-isr"]))
def test_an_endless_model_is_asked_all_that_applies(model: str) -> None:
    """Step properties, those of a version too, do not apply to three replicas whose offsets are counted anew."""
    constants = {"endless": True, "replicas": 3}
    outcome = check(model, engine="reference", constants=constants, limits=Limits(states=1))
    assert not [each for each in outcome.properties if each.kind == STEP]
    assert "no_bad_expand" in outcome.not_asked or model not in POLICIES


WINDOW = 3


@pytest.mark.parametrize("model", quick_sample(POLICIES))
def test_offsets_from_the_least_change_nothing(model: str) -> None:
    """Step by step, what the endless model does is what the other does, with offsets counted from the least."""
    counted, endless = (stepper(model, is_endless) for is_endless in (False, True))
    pairs = {(counted.initial, endless.initial)}
    waiting = deque(pairs)
    while waiting and len(pairs) < 200:
        one, other = waiting.popleft()
        assert relative(counted.values(one)) == endless.values(other)
        mine, theirs = dict(counted.steps(one)), dict(endless.steps(other))
        for instance in mine.keys() & theirs.keys():
            after, renumbered = mine[instance], theirs[instance]
            if after is not None and renumbered is not None and (after, renumbered) not in pairs:
                pairs.add((after, renumbered))
                waiting.append((after, renumbered))
        assert mine.keys() <= theirs.keys() or counted.values(one)["log_end"] == WINDOW
        assert theirs.keys() == mine.keys()
    assert len(pairs) > 100


def test_the_form_of_a_policy_is_checked() -> None:
    """KAFKA-4485 compares a fetch with the leader's log end at the fetch before, which is counted anew."""
    constants = {"endless": True, "pace": "every-tick", "fetch_size": "one"}
    kept = check("forever-kafka-4485-merged", properties=["no_flapping"], fairness=[ALIVE], constants=constants)
    assert kept.property("no_flapping").verdict.value == "violated"
    assert [note for note in kept.notes if note.startswith("renumber() is the canonical form: it was compared")]


def stepper(model: str, is_endless: bool) -> ReferenceStepper:
    return renumbering(POLICIES[model], {"max_records": WINDOW, "endless": is_endless})


def renumbering(model: type[AdmissionForever], constants: Mapping[str, Any]) -> ReferenceStepper:
    return ReferenceStepper(applied(model, constants))


def applied(model: type[AdmissionForever], constants: Mapping[str, Any]) -> BoundModel:
    return replace(bind(read_model(model), constants), form=CheckedForm(FormUse.APPLIED))


def relative(values: Mapping[str, Any]) -> dict[str, Any]:
    least = min(values["hw"], *values["known"].values())
    moved = {
        "log_end": values["log_end"] - least,
        "hw": values["hw"] - least,
        "log_end_before": values["log_end_before"] - least,
        "append_age": values["append_age"][least:],
    }
    for name in ("known", "follower_end"):
        moved[name] = {f: offset - least for f, offset in values[name].items()}
    moved["fetch_leo"] = {f: max(0, offset - least) for f, offset in values["fetch_leo"].items()}
    return {**values, **moved}


@pytest.mark.slow
@pytest.mark.skipif(not AT_HAND, reason="TLC is not at hand: set TLC_JAR, and have java on the path")
@pytest.mark.parametrize(
    ("model", "environment", "constants"),
    [
        ("forever-strict-min-isr", ALIVE, SETTLED),
        ("forever-kafka-19996-fix", ALIVE, SETTLED),
        ("forever-kafka-4485-v2", ALIVE, SETTLED),
        ("forever-kafka-4485-merged", NOBODY, {"max_records": 2}),
        ("forever-kip-16-text", NOBODY, {"max_records": 2}),
        ("forever-kip-16-merged", ALIVE, {**FLAPPING, "fetch_size": "all", "max_records": 3}),
    ],
)
def test_tlc_agrees(model: str, environment: str, constants: dict[str, Any]) -> None:
    bound = bind(read_model(POLICIES[model]), constants)
    theirs = tlc.verdicts(os.environ["TLC_JAR"], bound, environment)
    fair = [environment] if environment else []
    outcome = check(model, properties=list(theirs), fairness=fair, constants=constants)
    assert {p.name: p.verdict.value for p in outcome.properties} == theirs


def test_flapping_at_its_steadiest_is_a_cycle_of_three_steps() -> None:
    """The picture in docs/policies.md: a record, the fetch that lets the follower in, the check that takes it out."""
    trace = found("forever-strict-min-isr", "no_flapping", ALIVE, **SETTLED).property("no_flapping").trace
    assert trace is not None
    assert trace.loop is not None
    cycle = trace.steps[trace.loop + 1 :]
    assert sorted(step.action for step in cycle) == ["follower_fetches", "leader_appends", "time_passes"]
    assert "for ever: 3 steps" in (page.PAGE.parent / "pictures" / "flapping.svg").read_text(encoding="utf-8")


def test_who_is_outpaced_again_and_again_flaps_by_every_policy() -> None:
    """The control of `producers=settle`: every policy takes out who falls behind, and lets in who has caught up."""
    free = {**FLAPPING, "replicas": 2}
    del free["max_records"]
    asked = {model: page.verdict(model, "no_flapping", ALIVE, free) for model in HEADS}
    assert asked == dict.fromkeys(HEADS, "violated")


class StrictMinIsrInside(StrictMinIsrForever):
    @temporal
    def inside(self) -> Temporal:
        return all(eventually(f in self.isr) for f in Follower)


class Kafka19996FixInside(Kafka19996FixForever):
    @temporal
    def inside(self) -> Temporal:
        return all(eventually(f in self.isr) for f in Follower)


class Kip16MergedInside(Kip16MergedForever):
    @temporal
    def inside(self) -> Temporal:
        return all(eventually(f in self.isr) for f in Follower)


@pytest.mark.parametrize(
    ("model", "producers", "flaps"),
    [
        (StrictMinIsrInside, "settle", True),
        (Kafka19996FixInside, "settle", False),
        (Kafka19996FixInside, "free", True),
        (Kip16MergedInside, "settle", True),
    ],
)
def test_no_flapping_is_that_nobody_leaves_and_rejoins_for_ever(
    model: type[AdmissionForever], producers: str, flaps: bool
) -> None:
    """The formula speaks of who has just left; of the graph it says that no fair behaviour goes in and out for ever."""
    bound = applied(model, {**SETTLED, "producers": producers})
    explored = ENGINES["reference"].behaviours(bound, Request(temporal=("inside",)))
    (inside,) = explored.formulas["inside"]
    finder = naive.Finder(explored.graph, fairness_conditions(bound, [ALIVE]), True)
    fair = finder.fair_components(set(range(len(explored.graph.first) - 1)))
    assert any({inside.p[state] for state in component} == {0, 1} for component in fair) == flaps
    outcome = check(model, properties=["no_flapping"], fairness=[ALIVE], constants={**SETTLED, "producers": producers})
    assert outcome.property("no_flapping").verdict.value == ("violated" if flaps else "holds")


def test_producers_that_have_settled_write_once_a_tick_and_first() -> None:
    walker = renumbering(POLICIES["forever-strict-min-isr"], SETTLED)
    seen, waiting = {walker.initial}, [walker.initial]
    writes = set[tuple[bool, bool]]()
    for state in waiting:
        values = walker.values(state)
        for instance, after in walker.steps(state):
            if values["settled"] and walker.call(instance) == "leader_appends()":
                writes.add((bool(values["fetched"]), values["has_written"]))
            if after is not None and after not in seen:
                seen.add(after)
                waiting.append(after)
    assert writes == {(False, False)}


def test_settled_producers_need_ticks_to_write_by() -> None:
    with pytest.raises(AssumptionFalse, match="ticks_show"):
        found("forever-kafka-7152", "no_flapping", ALIVE, producers="settle")


AGREE = {"no_stall": "hw_not_stuck", "requests_end": "request_not_stuck", "leader_comes": "leaderless"}
RUNS: list[dict[str, Any]] = tomllib.loads((SPECS / "forever-kraft.toml").read_text(encoding="utf-8"))["run"]


def test_what_is_stuck_as_a_state_waits_for_ever() -> None:
    """Where both are asked, each behaviour that waits for ever ends in a stuck state."""
    asked = [
        (run["expect"][one], run["expect"].get(two))
        for run in RUNS
        for one, two in AGREE.items()
        if one in run["expect"]
    ]
    both = [(one, two.split()[0]) for one, two in asked if two is not None]
    assert {one for one, _ in both} == {"holds", "violated"}
    assert len(both) >= 9
    assert all(one == two for one, two in both)


@pytest.mark.parametrize(("mended", "verdict"), [(False, "violated"), (True, "holds")])
def test_a_stall_after_a_shrink_is_a_lasso(mended: bool, verdict: str) -> None:
    """KAFKA-13091."""
    constants = next(run["constants"] for run in RUNS if not run["constants"].get("hw_on_learn", True))
    outcome = check(
        "forever-kraft",
        engine="reference",
        properties=["no_stall"],
        fairness=["protocol_goes_on"],
        constants={**constants, "hw_on_learn": mended},
    )
    assert outcome.property("no_stall").verdict.value == verdict
