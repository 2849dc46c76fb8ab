"""The verdict of a search: conforms, departs or undetermined; the behaviour, and the first event not explained."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck import Trace
from isrcheck.plugin import replace
from isrcheck.stepping import RUN, action_sentences, drawing_of, encode, names_at_default, steps_of
from isrlogs.conform.event import Event
from isrlogs.conform.meaning import difference
from isrlogs.conform.run import Run
from isrlogs.conform.search import Move, Node, Search, SearchResult

SCHEMA = "isrcheck.conform/1"
CONFORMS, DEPARTS, UNDETERMINED = "conforms", "departs", "undetermined"
EXITS = {CONFORMS: 0, DEPARTS: 12, UNDETERMINED: 20}


@dataclass(frozen=True)
class Unexplained:
    """The first event that nothing explains, or that a search which ended early had not explained."""

    node: str
    event: str
    because: str

    def as_json(self) -> dict[str, str]:
        """The event as it stands in the outcome."""
        return {"node": self.node, "event": self.event, "because": self.because}


@dataclass(frozen=True)
class Verdict:
    """The verdict on one partition and one model."""

    partition: str
    model: str
    verdict: str
    observed: int  # events that are explained
    events: int  # of so many
    inferred: int  # steps of which no event tells
    positions: int
    seconds: float
    why: str = ""  # it is undetermined
    unexplained: Unexplained | None = None
    trace: Trace | None = None

    @property
    def exit(self) -> int:
        """The exit code."""
        return EXITS[self.verdict]

    def as_json(self) -> dict[str, Any]:
        """The outcome, schema `isrcheck.conform/1`."""
        return {
            "schema": SCHEMA,
            "partition": self.partition,
            "verdict": self.verdict,
            "model": self.model,
            "observed": self.observed,
            "events": self.events,
            "inferred": self.inferred,
            "first_unexplained": self.unexplained.as_json() if self.unexplained else None,
            "why": self.why,
            "positions": self.positions,
            "seconds": round(self.seconds, 1),
        }


def verdict_of(outcome: Mapping[str, Any]) -> Verdict:
    """A verdict from its JSON, without the behaviour."""
    first = outcome["first_unexplained"]
    return Verdict(
        partition=outcome["partition"],
        model=outcome["model"],
        verdict=outcome["verdict"],
        observed=outcome["observed"],
        events=outcome["events"],
        inferred=outcome["inferred"],
        positions=outcome["positions"],
        seconds=outcome["seconds"],
        why=outcome["why"],
        unexplained=Unexplained(**first) if first else None,
    )


def verdict_without_search(partition: str, model: str, why: str) -> Verdict:
    """The verdict where no search is possible."""
    return Verdict(
        partition=partition,
        model=model,
        verdict=UNDETERMINED,
        observed=0,
        events=0,
        inferred=0,
        positions=0,
        seconds=0.0,
        why=why,
    )


def judge_result(
    partition: str, model: str, run: Run, search: Search, result: SearchResult, *, is_traced: bool = True
) -> Verdict:
    """The verdict on the result of a search, with the behaviour if it is asked for."""
    unexplained = None if result.is_whole else _first_unexplained(run, search, result.furthest)
    verdict, why = CONFORMS, ""
    if unexplained:
        why = "; ".join(filter(None, (_silence(run), run.doubt, result.cut))) or _ends(
            search.logs_that_end_early(result)
        )
        verdict = UNDETERMINED if why else DEPARTS
    return Verdict(
        partition=partition,
        model=model,
        verdict=verdict,
        observed=max(map(search.count_explained, result.furthest)),
        events=run.events,
        inferred=sum(move.instance is not None and not move.explained for _, move in result.way),
        positions=result.nodes,
        seconds=result.seconds,
        why=why,
        unexplained=unexplained,
        trace=_trace(run, search, result, model) if is_traced else None,
    )


def _silence(run: Run) -> str:
    """The loggers that would have told more, as a sentence; empty if there are none."""
    missing = sorted(set(run.silent.values()))
    return f"nothing was written by {' and '.join(missing)}" if missing else ""


def _ends(nodes: Sequence[str]) -> str:
    """The nodes whose next line would have told more, as a sentence; empty if there are none."""
    return (
        f"the log of {' and that of '.join(nodes)} may end early: what it did then would explain more" if nodes else ""
    )


def _first_unexplained(run: Run, search: Search, furthest: list[Node]) -> Unexplained | None:
    """The next event where most is explained: one that can never be, else the earliest by the clock."""
    node = furthest[0]
    heads = list(search.heads(node))
    lost = [head for head in heads if search.is_lost(node, *head)]
    heads = lost or [head for head in heads if run.tracks[head[0]].node != "client"] or heads
    head = min(heads, key=lambda head: (head[2].wall_ms, search.table[head[2].kind].is_check))
    place, _, event = head
    because = _with_broker_numbers(run, _because(run, search, node, *head))
    return Unexplained(run.tracks[place].node, str(event), because)


def _because(run: Run, search: Search, node: Node, place: int, index: int, event: Event) -> str:
    """The nearest refusal: a check of a step that can be taken, else the guard of one that cannot."""
    stepping, meaning = search.stepping, search.table[event.kind]
    view = stepping.view(node.state)
    if fault := difference(meaning.before, view, event):
        return fault
    guards: list[tuple[int, str]] = []
    for instance in stepping.instances(meaning.steps, event):
        after = stepping.step(node.state, instance)
        if after is None:
            guards.append(stepping.refusal(node.state, instance))
        elif fault := difference(meaning.after, stepping.view(after), event):
            return f"after {stepping.stepper.call(instance)}, {fault}"
        elif untold := search.untold(node, place, index, after):
            return f"after {stepping.stepper.call(instance)}, {run.tracks[untold.track].node} would have said {untold}"
    fault = difference(meaning.after, view, event)
    if guards and not (meaning.may_be_nothing and fault and any(check.falls_by is not None for check in meaning.after)):
        return max(guards)[1]
    return fault or "no step that the model can take here leads to this line"


def _with_broker_numbers(run: Run, sentence: str) -> str:
    """The sentence with brokers by their own numbers."""
    names = {str(member): str(broker) for broker, member in run.members.items()}
    return re.sub(r"\b[a-z]\d+\b", lambda match: names.get(match[0], match[0]), sentence)


def _trace(run: Run, search: Search, result: SearchResult, model: str) -> Trace:
    """The behaviour as far as it goes; each state says which events told of the step to it."""
    stepper = search.stepping.stepper
    taken = [(node, move) for node, move in result.way if move.instance is not None]
    path = tuple(move.instance for _, move in taken if move.instance is not None)
    states = list(search.stepping.states_on(path))
    steps = steps_of(stepper, path, states)
    told_by = ["the initial state", *(_events_of(run, move) for _, move in taken)]
    return Trace(
        model=model,
        constants={n: encode(v) for n, v in stepper.model.constants.items()},
        name="",
        kind=RUN,
        sentence=f"What brokers wrote, as a behaviour of {model}: {_names(run)}.",
        place="",
        steps=tuple(
            replace(step, state={**step.state, "told_by": by}) for step, by in zip(steps, told_by, strict=True)
        ),
        actions={n: s for n, s in action_sentences(stepper.model).items() if any(step.action == n for step in steps)},
        drawing=drawing_of(stepper.model),
        defaults=names_at_default(stepper.model),
    )


def _names(run: Run) -> str:
    return ", ".join(f"{member} is broker {broker}" for broker, member in sorted(run.members.items()))


def _events_of(run: Run, move: Move) -> str:
    """The events that told of a step."""
    events = [run.tracks[place].events[index] for place, index in move.explained]
    return "; ".join(f"{event.node}: {event}" for event in events) or "nobody: inferred"
