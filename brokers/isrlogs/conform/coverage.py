"""Coverage of a model by recorded runs: the actions taken, the guards seen true and false, the outcomes of policies.

In each state of the behaviours that explain the runs every action is tried with every choice of its parameters. An
action that a release's constants switch off is not asked about. Lines tell of some steps in parts: what stands for
which action of a model is `STANDS_FOR`.
"""

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from isrcheck import ModelError, require
from isrcheck.plugin import (
    Column,
    Document,
    Heading,
    Paragraph,
    Table,
    code,
    find_model,
    quantity,
    quiet,
    read_model,
    show,
)
from isrcheck.stepping import BoundModel, State, guard_text, guards_of_state, is_switched_off
from isrlogs.conform.search import Search, SearchResult
from isrlogs.conform.verdict import CONFORMS, Verdict

SCHEMA = "isrcheck.coverage/1"
_FETCHES = ("fetch", "follower_fetches", "follower_replicates")
STANDS_FOR = {
    "append_until": ("write", "leader_appends", "leader_writes"),
    **dict.fromkeys(("fetch_arrives", "fetch_is_noted", "answer_arrives", "catch_up"), _FETCHES),
    "late_fetch_arrives": ("serve_late",),
    "late_answer_arrives": ("take_late",),
    "cut_power": ("lose_power",),
    "lose_disk": ("replace_disk",),
    "record_dir": ("report_dir",),
    "start": ("register",),
    "register_started": ("register",),
    "acknowledge": ("answer",),
    "controller_orders": ("controller_elects_leader",),
    "high_watermark_reaches": ("leader_advances_high_watermark",),
    "follower_waits": ("replica_becomes_follower",),
}


@dataclass
class Guard:
    """A `require` whose condition reads the state, the actions that ask it, and what it was seen to be."""

    place: str
    condition: str
    actions: list[str] = field(default_factory=list)
    values: set[bool] = field(default_factory=set)

    @property
    def missing(self) -> str:
        """The value that was never seen; empty if both were."""
        if not self.values:
            return "never asked"
        return ", ".join(f"never {str(value).lower()}" for value in (True, False) if value not in self.values)


class Coverage:
    """The actions, guards and outcomes that the behaviours of many runs exercised, of all models that explain them."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds  # of CPU, for the states of one partition
        self.models: Counter[str] = Counter()
        self.taken: Counter[str] = Counter()
        self.inferred: Counter[str] = Counter()
        self.partitions: defaultdict[str, set[str]] = defaultdict(set)
        self.states = self.left = 0
        self.guards: dict[tuple[str, int, int], Guard] = {}
        self.outcomes: dict[str, set[str]] = {}
        self._codes: dict[CodeType, str] = {}  # of policies
        self._asked: set[str] = set()  # actions of the model that the constants leave on

    def add(self, partition: str, model: str, search: Search, result: SearchResult) -> None:
        """Add the behaviour that explains a partition."""
        self.models[model] += 1
        stepping = search.stepping
        self._expect(model, stepping.model)
        path = [move for _, move in result.way if move.instance is not None]
        for move in path:
            action, _ = stepping.actor(move.instance or 0)
            if action not in self._asked:
                action = next((name for name in STANDS_FOR.get(action, ()) if name in self._asked), action)
            self.taken[action] += 1
            self.inferred[action] += not move.explained
            self.partitions[action].add(partition)
        instances = tuple(move.instance for move in path if move.instance is not None)
        self._try_all(search, dict.fromkeys(stepping.states_on(instances)))

    def _expect(self, name: str, model: BoundModel) -> None:
        """Note the guards and policies of a model's own actions."""
        own = {action.name for action in read_model(find_model(name)).actions}
        self._asked = set()
        for action in (a for a in model.ir.actions if a.name in own and not is_switched_off(model, a)):
            self.taken.setdefault(action.name, 0)
            self._asked.add(action.name)
            for place in guards_of_state(model, action):
                key = place.file, place.line, place.column
                guard = self.guards.setdefault(key, Guard(str(place), guard_text(place)))
                guard.actions += [action.name] * (action.name not in guard.actions)
        for helper in model.ir.helpers.values():
            if helper.role == "policy" and helper.returns is not None:
                self._codes[getattr(model.ir.cls, helper.name).__code__] = helper.name
                self.outcomes.setdefault(helper.name, set())

    def _try_all(self, search: Search, states: Iterable[State]) -> None:
        """Try every action in each state, so that all that its guards and policies say there is noted."""
        stepper, end = search.stepping.stepper, time.process_time() + self.seconds
        sys.setprofile(self._note)
        try:
            for state in states:
                self.states += 1
                if time.process_time() > end:
                    self.left += 1
                    continue
                for action in self._asked:
                    for instance, _ in search.stepping.instances_of(action):
                        _try(stepper, state, instance)
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, value: Any) -> None:
        """Note what a guard or a policy says, as Python calls and leaves it."""
        if event == "call" and frame.f_code is require.__code__ and frame.f_back is not None:
            guard = self.guards.get(_place_of_call(frame.f_back))
            if guard is not None:
                guard.values.add(bool(frame.f_locals["condition"]))
        elif event == "return" and frame.f_code in self._codes and value is not None:
            self.outcomes[self._codes[frame.f_code]].add(show(value))

    def as_json(self, verdicts: Sequence[Verdict]) -> dict[str, Any]:
        """The coverage, schema `isrcheck.coverage/1`."""
        return {
            "schema": SCHEMA,
            "models": dict(self.models),
            "partitions": [{"partition": v.partition, "model": v.model, "verdict": v.verdict} for v in verdicts],
            "states": self.states,
            "states_left": self.left,
            "actions": [
                {"name": n, "taken": t, "inferred": self.inferred[n], "partitions": len(self.partitions[n])}
                for n, t in self.taken.items()
            ],
            "guards": [
                {"actions": g.actions, "place": g.place, "condition": g.condition}
                | {"true": True in g.values, "false": False in g.values}
                for g in self.guards.values()
            ],
            "policies": [{"name": name, "outcomes": sorted(values)} for name, values in self.outcomes.items()],
        }


def _try(stepper: Any, state: State, instance: int) -> None:
    try:
        stepper.successor(state, instance)
    except ModelError:
        return


_places: dict[tuple[CodeType, int], tuple[str, int, int]] = {}


def _place_of_call(caller: FrameType) -> tuple[str, int, int]:
    """The file, line and column of the call that a frame makes."""
    key = caller.f_code, caller.f_lasti
    if key not in _places:
        line, _, column, _ = list(caller.f_code.co_positions())[caller.f_lasti // 2]
        _places[key] = caller.f_code.co_filename, line or 0, column or 0
    return _places[key]


def coverage_document(coverage: Coverage, verdicts: Sequence[Verdict]) -> Document:
    """The actions that were taken, and the guards and policies of which something was never seen."""
    explained = [verdict for verdict in verdicts if verdict.verdict == CONFORMS]
    models = ", ".join(f"{name} ({count})" for name, count in coverage.models.items()) or "no model"
    yield Heading(f"Coverage by {quantity(len(explained), 'partition')}: {models}")
    steps = f"{coverage.taken.total():,} steps, {coverage.inferred.total():,} of them inferred"
    left = f"; no time was left for {coverage.left:,} of the states" if coverage.left else ""
    yield Paragraph(f"{steps}; {coverage.states:,} states, in each of which every action was tried{left}.")
    for verdict in (v for v in verdicts if v.verdict != CONFORMS):
        yield Paragraph(quiet(f"Not counted: {verdict.partition} {verdict.verdict} ({verdict.model})."))
    yield from _actions(coverage.taken, coverage.inferred, coverage.partitions)
    both = sum(not guard.missing for guard in coverage.guards.values())
    yield Heading(f"Guards: {both} of {len(coverage.guards)} were seen true and false; the others")
    rows = [(g.missing, g.place, code(g.condition)) for g in coverage.guards.values() if g.missing]
    yield Table([Column("seen"), Column("place", fixed=True), "condition"], rows)
    yield Heading("Outcomes of policies")
    yield Table(
        [Column("policy", fixed=True), "seen"],
        [(name, ", ".join(sorted(values)) or "never asked") for name, values in coverage.outcomes.items()],
    )


def _actions(
    taken: Mapping[str, int], inferred: Mapping[str, int], partitions: Mapping[str, set[str]]
) -> Iterator[Heading | Table | Paragraph]:
    yield Heading("Actions")
    rows = [(n, f"{t:,}", f"{inferred[n]:,}", f"{len(partitions[n])}") for n, t in taken.items() if t]
    numbers = (Column(title, is_number=True) for title in ("taken", "inferred", "partitions"))
    yield Table([Column("action", fixed=True), *numbers], rows)
    yield Paragraph(f"Never taken: {', '.join(name for name, times in taken.items() if not times) or 'none'}.")
