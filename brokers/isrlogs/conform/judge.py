"""Partitions of a run, each against models: as many searches as there are of both."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from isrcheck import Model, ModelError, UsageError
from isrcheck.plugin import ModelIR, find_model, quantity, replace
from isrcheck.stepping import allow_sets_of, bind
from isrlogs.conform.coverage import Coverage
from isrlogs.conform.event import Event
from isrlogs.conform.isr_run import isr_runs
from isrlogs.conform.isr_wire import LeaderOnTheWire
from isrlogs.conform.kraft_run import kraft_run
from isrlogs.conform.kraft_wire import OnTheWire
from isrlogs.conform.observed_model import read_observed
from isrlogs.conform.published_run import run_of_zookeeper
from isrlogs.conform.published_wire import AsksItsLeader, PublishedOnTheWire
from isrlogs.conform.release import Rules, rules_of_release
from isrlogs.conform.run import NotModelled, Run
from isrlogs.conform.search import Limits, Search
from isrlogs.conform.stepping import Stepping
from isrlogs.conform.verdict import CONFORMS, DEPARTS, Verdict, judge_result, verdict_without_search
from isrlogs.observe.patterns import NEWEST, NOT_UNDERSTOOD, newer_release
from isrmodel.isr.admission import Admission
from isrmodel.kraft.faults import Faults
from isrmodel.kraft.timed import KraftTimed
from isrmodel.published.replication import Replication
from isrmodel.published.truncate_to_high_watermark import TruncateToHighWatermark

# Sets are Python's here, of as many records as are told of: by offset and leader epoch, 10,000 of them in 100 epochs.
LARGEST_SET = 1 << 20

_EXPLAIN_NOTHING = ("client", "agent")  # sources of which a line less leaves no other line unexplained

FindSteps = Callable[[ModelIR, Mapping[str, Any], Run], Stepping]


def make_stepping(ir: ModelIR, constants: Mapping[str, Any], run: Run) -> Stepping:
    """A model's steps with these constants. Raises NotModelled if a state would be too large."""
    try:
        with allow_sets_of(LARGEST_SET):
            return Stepping(bind(ir, constants), run.members, run.forgotten)
    except ModelError as error:
        raise NotModelled(error.sentence.removesuffix(".")) from None


def judge(
    partition: str,
    events: Sequence[Event],
    settings: Mapping[str, str],
    model: str,
    given: Mapping[str, str],
    limits: Limits,
    find_steps: FindSteps = make_stepping,
    *,
    is_traced: bool = True,
    coverage: Coverage | None = None,
) -> Verdict:
    """The verdict on one partition against one model. Raises UsageError for a model of another kind.

    An empty name is the model of the release that the nodes name, with the constants of its patch release and of
    features. A setting of brokers' among those `given`, such as
    replica.lag.time.max.ms, counts as one of the run. `find_steps` finds a model's steps; `is_traced`: whether the
    verdict has the behaviour.
    """
    try:
        rules = Rules(model) if model else rules_of_release(events)
    except NotModelled as error:
        return verdict_without_search(partition, "no model", str(error))
    steps, runs = family(rules.model)
    ir = read_observed(rules.model, steps)
    known = {constant.name for constant in ir.constants}
    asked = {name: value for name, value in given.items() if "." not in name}
    verdicts: list[Verdict] = []
    newer = _newer_release(events)
    try:
        for run in runs(events, {**settings, **{n: v for n, v in given.items() if "." in n}}):
            constants = {name: value for name, value in run.constants.items() if name in known} | {
                **rules.constants,
                **asked,
            }
            run = replace(run, forgotten=()) if asked else run  # a budget that is given counts
            run = replace(run, doubt=run.doubt or _doubt_of_lines(events) or newer or rules.doubt(asked))
            search = Search(find_steps(ir, constants, run), run, limits)
            result = search.run()
            verdicts.append(judge_result(partition, rules.words, run, search, result, is_traced=is_traced))
            if verdicts[-1].verdict == CONFORMS:
                _require_broker_log(run)
                if coverage is not None:
                    coverage.add(partition, rules.model, search, result)
                return replace(verdicts[-1], why=newer)
    except NotModelled as error:
        return verdict_without_search(partition, rules.words, str(error))
    return min(verdicts, key=lambda verdict: (verdict.verdict == DEPARTS, -verdict.observed))


def _doubt_of_lines(events: Iterable[Event]) -> str:
    """Lines that could tell more and are not understood, as a phrase; empty if there are none."""
    missed = [event for event in events if event.kind == NOT_UNDERSTOOD and event.source not in _EXPLAIN_NOTHING]
    if not missed:
        return ""
    first = f"the first by {missed[0].fields['logger']} of {missed[0].node}"
    return f"{quantity(len(missed), 'line')} that could matter not understood, {first}: isrcheck observe shows them"


def _newer_release(events: Iterable[Event]) -> str:
    """A release after the newest that is known, as a phrase; empty if there is none."""
    newer = newer_release(event.fields["release"] for event in events if event.kind == "release")
    return "" if newer is None else f"Kafka {newer} is newer than the newest release that is known, {NEWEST}"


def _require_broker_log(run: Run) -> None:
    """Require an event that a broker logged: without one, all that a model does agrees. Raises NotModelled."""
    of_brokers = (event for track in run.tracks if track.broker is not None for event in track.events)
    if not any(event.source == "log" for event in of_brokers):
        raise NotModelled("no broker's log tells of it")


def can_judge(model: str) -> bool:
    """Whether the family of a model has a table of brokers' events. Raises UsageError where there is no such model."""
    cls = find_model(model)
    return issubclass(cls, Faults | Admission | Replication) and not issubclass(cls, KraftTimed)


def family(model: str) -> tuple[type[Model], Callable[[Sequence[Event], Mapping[str, str]], Iterable[Run]]]:
    """The steps that brokers' lines tell of, and how a run is made of lines. Raises UsageError for other models."""
    cls = find_model(model)
    if issubclass(cls, Faults) and not issubclass(cls, KraftTimed):
        return OnTheWire, lambda events, settings: [kraft_run(events, settings)]
    if issubclass(cls, Admission):
        return LeaderOnTheWire, isr_runs
    if issubclass(cls, Replication):
        wire = PublishedOnTheWire if issubclass(cls, TruncateToHighWatermark) else AsksItsLeader
        return wire, lambda events, settings: [run_of_zookeeper(events, settings)]
    if issubclass(cls, KraftTimed):
        remedy = "ask kraft-4.3, and isr-* for what a clock decides, such as the idle stall"
        raise UsageError(f"{model} has no table of brokers' events, as with its clock no fetch is late: {remedy}.")
    untimed = "kraft-2.7 to kraft-4.3, isr-*, and the published designs"
    raise UsageError(f"{model} has no table of brokers' events: conform asks models {untimed}.")
