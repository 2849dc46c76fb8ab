"""Breadth-first search: the reference and the scalar evaluator differ in how a step is made, in nothing else."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from isrcheck.engines.common.growth import FOR_SLOTS, SearchNeedsSlots
from isrcheck.engines.common.story import MarkedSteps, Steps, Stories
from isrcheck.engines.common.targets import Stopped, StopPolicy
from isrcheck.engines.contract import DEADLOCK, Path, Progress, Request, Searched
from isrcheck.ir.codec import NeedsSlots
from isrcheck.ir.pack import DIGEST_MODULUS, Packing, state_hash
from isrcheck.ir.property_kinds import DEADLOCK as DEADLOCK_KIND
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import Actors
from isrcheck.process.budget import SHARE_FOR_TRACES, OutOfBudget, overtime, phase, poll_by_timer

S = TypeVar("S", bound=Hashable)


class Stepper(Protocol[S]):
    """How one engine makes steps. Positions of instances mean the same in every engine."""

    initial: S
    started: int  # initial states, as generated
    actions: tuple[str, ...]
    action_of: Sequence[int]  # by instance
    actors: Actors
    packing: Packing

    @property
    def initials(self) -> Sequence[S]:
        """Return the distinct initial states, the model's `initial` first."""

    def steps(self, state: S) -> Iterator[tuple[int, S | None]]:
        """(instance, successor) of every enabled instance in order; None for a pruned step."""

    def keeps(self, step: tuple[S, int] | None, after: S) -> bool:
        """Whether no constraint ends the search where this step leads, None for the beginning."""

    def holds(self, name: str, state: S) -> bool:
        """An invariant or a reachability property in a state."""

    def step_holds(self, name: str, before: S, instance: int, after: S) -> bool:
        """A step property on a step."""

    def scalars(self, state: S) -> Sequence[int]:
        """The values of the state's scalars, in declaration order."""


@dataclass
class _Target(Generic[S]):
    level: int
    states: set[S] = field(default_factory=set)


class Explorer(Generic[S]):
    """A breadth-first search with a stepper. `kinds` maps the properties of the model to their kinds."""

    def __init__(self, stepper: Stepper[S], kinds: dict[str, PropertyKind], request: Request) -> None:
        self.stepper, self.request = stepper, request
        self.kinds = {name: kinds[name] for name in request.properties}
        self.levels: list[dict[S, int]] = []  # by level: each state and the least action that reached it there
        self.unfinished: dict[S, int] = {}  # a level that was being found when the run was cut off
        self.outside: list[set[S]] = []  # by level: states at which a constraint ends the search
        self.beyond: set[S] = set()  # these of all levels, and of the one that is being found: `arriving`
        self.arriving: set[S] = set()
        self.visited: set[S] = set()
        self.targets: dict[str, _Target[S]] = {}
        self.generated = self.pruned = 0
        self.by_action = [0] * len(stepper.actions)
        self.policy = StopPolicy(request, self.kinds)

    def run(self) -> Searched:
        phase("")
        cut, variable = None, ""
        with self.policy.stop_request.listen_to_signals():
            try:
                with poll_by_timer():
                    self._levels()
            except (Stopped, OutOfBudget) as reason:
                cut = str(reason)
            except NeedsSlots as needs:
                cut, variable = FOR_SLOTS, needs.variable
        self.visited.update(self.unfinished)
        depth = sum(map(bool, self.levels))  # the last may be outside
        seconds = self.policy.seconds
        if cut is None and self.request.visited:
            for state in self.visited:
                self.request.visited(self.pack(state))
        paths: dict[str, Path] = {}
        pause = (lambda: None) if self.policy.interrupted else self.policy.check_interrupt
        stories = Stories(self.stepper.actors, pause, self.request.stories)
        try:
            with overtime(SHARE_FOR_TRACES, self.policy.interrupted), poll_by_timer():
                self._find_paths(paths, stories)
        except OutOfBudget as over:  # without its trace no violation is known, and so nothing holds
            cut = cut or str(over)
        first = Counter(action for level in (*self.levels[1:], self.unfinished) for action in level.values())
        result = Searched(
            distinct=len(self.visited),
            generated=self.generated,
            depth=depth,
            levels=tuple(map(len, self.levels[:depth])),
            pruned=self.pruned,
            outside=len(self.beyond),
            digest=self._digest() if cut is None else None,
            cut=cut,
            interrupted=self.policy.interrupted,
            paths=paths,
            action_generated=tuple(self.by_action),
            action_distinct=tuple(first[action] for action in range(len(self.by_action))),
            seconds=seconds,
            untold=stories.untold(paths),
        )
        if variable:
            raise SearchNeedsSlots(variable, result)
        return result

    def _levels(self) -> None:
        self.generated = self.stepper.started
        for first in self.stepper.initials:
            self._find(None, first, -1)
        while self.unfinished or self.arriving:
            self._arrive(self.unfinished, self.arriving)
            self.policy.after_level(self.targets, self._states_known, len(self.levels))
            for state in self.levels[-1]:
                self._expand(state)
                self.policy.check(self._states_known, self._progress)

    @property
    def _states_known(self) -> int:
        return len(self.visited) + len(self.beyond)

    def _progress(self) -> Progress:
        newest = len(self.unfinished)
        return Progress(len(self.levels), self._states_known + newest, self.generated, newest, self.policy.seconds)

    def _find(self, step: tuple[S, int] | None, after: S, action: int) -> None:
        is_kept = self.stepper.keeps(step, after)
        if not is_kept and (step is None or step[0] != after):  # else nothing is left out
            self.arriving |= {after} - self.beyond
            self.beyond.add(after)
            return
        if after not in self.visited:
            self.unfinished[after] = min(action, self.unfinished.get(after, action))

    def _arrive(self, level: dict[S, int], outside: set[S]) -> None:
        for name, kind in self.kinds.items():
            if kind.is_of_steps or name in self.targets:
                continue
            states = {s for s in (*level, *outside) if kind.is_target(self.stepper.holds(name, s))}
            if states:
                self.targets[name] = _Target(len(self.levels) + 1, states)
        self.visited.update(level)
        self.levels.append(level)
        self.outside.append(outside)
        self.unfinished, self.arriving = {}, set()

    def _expand(self, state: S) -> None:
        steps = 0
        for instance, after in self.stepper.steps(state):
            steps += 1
            if after is None:
                self.pruned += 1
                continue
            action = self.stepper.action_of[instance]
            self.generated += 1
            self.by_action[action] += 1
            self._find((state, instance), after, action)
            self._check_step(state, instance, after)
        if not steps and self.request.deadlock:
            target = self.targets.setdefault(DEADLOCK, _Target(len(self.levels)))
            if target.level == len(self.levels):
                target.states.add(state)

    def _check_step(self, state: S, instance: int, successor: S) -> None:
        for name, kind in self.kinds.items():
            if not kind.is_of_steps:
                continue
            known = self.targets.get(name)
            if known and known.level < len(self.levels):
                continue
            # Asked of every step of the level: one without an answer is an error, whichever step comes first.
            if kind.is_target(self.stepper.step_holds(name, state, instance, successor)):
                target = self.targets.setdefault(name, _Target(len(self.levels)))
                target.states.add(state)

    def _words(self, state: S) -> tuple[int, ...]:
        return self.stepper.packing.pack(self.stepper.scalars(state))

    def pack(self, state: S) -> bytes:
        return b"".join(packed_word.to_bytes(8, "little") for packed_word in self._words(state))

    def _digest(self) -> str:
        return f"{sum(state_hash(self._words(state)) for state in self.visited) % DIGEST_MODULUS:032x}"

    def _find_paths(self, paths: dict[str, Path], stories: Stories) -> None:
        """Find a shortest path to each target first, and then the least story."""
        ways: dict[str, MarkedSteps[S]] = {}
        for name, target in self.targets.items():
            ways[name] = self._way(name, target)
            paths[name] = ways[name].first()
        with self.policy.stop_request.listen_to_signals():  # what was found is shown
            for name, way in ways.items():
                paths[name] = stories.choose(name, paths[name], way)

    def _way(self, name: str, target: _Target[S]) -> MarkedSteps[S]:
        def last_steps(state: S) -> Steps[S]:
            steps = [(i, after) for i, after in self.stepper.steps(state) if after is not None]
            return [(i, t) for i, t in steps if kind.is_target(self.stepper.step_holds(name, state, i, t))]

        kind = self.kinds.get(name, DEADLOCK_KIND)
        levels = self.levels[: target.level - 1]
        return mark_back(self.stepper, levels, target.states, last_steps if kind.is_of_steps else None)


def mark_back(
    stepper: Stepper[S],
    levels: Sequence[Iterable[S]],
    ends: set[S],
    last_steps: Callable[[S], Steps[S]] | None = None,
) -> MarkedSteps[S]:
    """Mark the states on a shortest way to `ends`, in the level after these; `last_steps` go on from there, if any."""
    marked = [ends]
    for level in reversed(levels):
        leads = marked[0]
        marked.insert(0, {s for s in level if any(t in leads for _, t in stepper.steps(s))})

    def expand(states: Iterable[S], level: int) -> Iterator[Steps[S]]:
        for state in states:
            if level < len(marked):
                yield [(i, t) for i, t in stepper.steps(state) if t is not None and t in marked[level]]
            elif last_steps is not None:
                yield last_steps(state)

    starts = [state for state in stepper.initials if state in marked[0]]
    return MarkedSteps(len(levels) + (last_steps is not None), lambda: starts, expand)


def reachable_states(stepper: Stepper[S]) -> Iterator[S]:
    """Yield the reachable states in breadth-first order."""
    states = dict.fromkeys(stepper.initials)
    waiting = [*stepper.initials]
    for state in waiting:
        yield state
        new = {after: None for _, after in stepper.steps(state) if after is not None and after not in states}
        states.update(new)
        waiting += new
