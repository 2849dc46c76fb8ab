"""Breadth-first search over any way of making successors: counts, verdicts and least shortest paths.

Written for clarity, in Python: it serves the reference and the scalar evaluator, so that the two differ in how a step
is made and in nothing else.
"""

import pathlib
import resource
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from isrcheck.engines.contract import DEADLOCK, Exploration, Path, Progress, Request
from isrcheck.engines.interrupt import Wish
from isrcheck.errors import UsageError
from isrcheck.ir.pack import DIGEST_MODULUS, Packing, state_hash

S = TypeVar("S", bound=Hashable)


class Stepper(Protocol[S]):
    """How one engine makes steps. Positions of instances mean the same in every engine."""

    initial: S
    actions: tuple[str, ...]
    action_of: tuple[int, ...]  # by instance
    packing: Packing

    def steps(self, state: S) -> Iterator[tuple[int, S | None]]:
        """(instance, successor) of every enabled instance in order; None for a pruned step."""

    def holds(self, name: str, state: S) -> bool:
        """An invariant or a reachability claim in a state."""

    def step_holds(self, name: str, before: S, instance: int, after: S) -> bool:
        """A step property on a step."""

    def scalars(self, state: S) -> Sequence[int]:
        """The state's scalars in declaration order."""


@dataclass
class _Target(Generic[S]):
    """Where a property was first decided: the level, and the states at which it ends (with the last step, if one)."""

    level: int
    states: set[S] = field(default_factory=set)
    last_steps: dict[S, int] = field(default_factory=dict)  # a state and the least instance of a violating step from it


class Explorer(Generic[S]):
    """One search. `kinds` maps each property to invariant, step or reachable."""

    def __init__(self, stepper: Stepper[S], kinds: dict[str, str], request: Request) -> None:
        self.stepper, self.request = stepper, request
        self.kinds = {name: kinds[name] for name in request.properties}
        self.levels: list[dict[S, int]] = []  # by level: each state and the least action that reached it there
        self.unfinished: dict[S, int] = {}  # a level that was being found when the run was cut off
        self.seen: set[S] = set()
        self.targets: dict[str, _Target[S]] = {}
        self.generated = self.pruned = 0
        self.by_action = [0] * len(stepper.actions)
        self.started = time.monotonic()
        self.said = self.started
        self.wish = Wish()

    def run(self) -> Exploration:
        """Explores until the graph, the properties or a limit is exhausted."""
        with self.wish.heard():
            cut = self._levels()
        seconds = time.monotonic() - self.started
        if cut is None and self.request.visited:
            self._hand_over(self.request.visited)
        return Exploration(
            distinct=len(self.seen),
            generated=self.generated,
            depth=len(self.levels),
            levels=tuple(map(len, self.levels)),
            pruned=self.pruned,
            digest=self._digest() if cut is None else None,
            cut=cut,
            interrupted=self.wish.made,
            found={name: self._path(target) for name, target in self.targets.items()},
            action_generated=tuple(self.by_action),
            action_distinct=self._first_reached(),
            seconds=seconds,
        )

    def _levels(self) -> str | None:
        """Explores level by level; says why it stopped early, if it did."""
        self.generated = 1
        self._arrive({self.stepper.initial: -1})
        while self.levels[-1]:
            cut = self._reason_to_stop()
            if cut:
                return cut
            following: dict[S, int] = {}
            for state in self.levels[-1]:
                self._expand(state, following)
                cut = self._out_of_time(len(following))
                if cut:
                    self.unfinished = following
                    self.seen.update(following)
                    return cut
            if not following:
                return None
            self._arrive(following)
        return None

    def _arrive(self, level: dict[S, int]) -> None:
        """A new level of states, each met for the first time."""
        self.levels.append(level)
        self.seen.update(level)
        for name, kind in self.kinds.items():
            if kind == "step" or name in self.targets:
                continue
            wanted = kind == "reachable"
            states = {s for s in level if self.stepper.holds(name, s) is wanted}
            if states:
                self.targets[name] = _Target(len(self.levels), states)

    def _expand(self, state: S, following: dict[S, int]) -> None:
        steps = 0
        for instance, successor in self.stepper.steps(state):
            steps += 1
            if successor is None:
                self.pruned += 1
                continue
            action = self.stepper.action_of[instance]
            self.generated += 1
            self.by_action[action] += 1
            if successor not in self.seen:
                following[successor] = min(action, following.get(successor, action))
            self._check_step(state, instance, successor)
        if not steps and self.request.deadlock:
            self._reach(DEADLOCK, state)

    def _check_step(self, state: S, instance: int, successor: S) -> None:
        for name, kind in self.kinds.items():
            if kind != "step":
                continue
            known = self.targets.get(name)
            if known and (known.level < len(self.levels) or state in known.last_steps):
                continue
            if not self.stepper.step_holds(name, state, instance, successor):
                target = self.targets.setdefault(name, _Target(len(self.levels)))
                target.states.add(state)
                target.last_steps[state] = instance

    def _reach(self, name: str, state: S) -> None:
        target = self.targets.setdefault(name, _Target(len(self.levels)))
        if target.level == len(self.levels):
            target.states.add(state)

    # When to stop

    def _reason_to_stop(self) -> str | None:
        limits, wanted = self.request.limits, list(self.kinds)
        if self.request.deadlock:
            wanted.append(DEADLOCK)
        if wanted and all(name in self.targets for name in wanted):
            return "when every property was decided"
        if self.request.stop_at_first and any(self.kinds.get(name) != "reachable" for name in self.targets):
            return "at the first violation"
        if limits.states is not None and len(self.seen) >= limits.states:
            return f"after {counted(len(self.seen), 'state')}"
        if limits.depth is not None and len(self.levels) >= limits.depth:
            return f"after {counted(len(self.levels), 'level')}"
        return None

    def _out_of_time(self, following: int) -> str | None:
        if self.wish.made:
            return "by the user"
        limits, now = self.request.limits, time.monotonic()
        if now - self.said > 0.5:
            self.said = now
            self._report(following)
            if limits.memory is not None and resident_bytes() > limits.memory:
                return f"at the memory limit, after {counted(len(self.seen), 'state')}"
        if limits.seconds is not None and now - self.started > limits.seconds:
            return f"after {limits.seconds:g} seconds"
        return None

    def _report(self, following: int) -> None:
        seconds = time.monotonic() - self.started
        distinct = len(self.seen) + following
        self.request.progress(Progress(len(self.levels), distinct, self.generated, following, seconds))

    # What was seen

    def _digest(self) -> str:
        pack, scalars = self.stepper.packing.pack, self.stepper.scalars
        return f"{sum(state_hash(pack(scalars(s))) for s in self.seen) % DIGEST_MODULUS:032x}"

    def _hand_over(self, visited: Callable[[bytes], object]) -> None:
        """Every state in its packed words."""
        for state in self.seen:
            words = self.stepper.packing.pack(self.stepper.scalars(state))
            visited(b"".join(word.to_bytes(8, "little") for word in words))

    def _first_reached(self) -> tuple[int, ...]:
        found = [0] * len(self.stepper.actions)
        for level in (*self.levels[1:], self.unfinished):
            for action in level.values():
                found[action] += 1
        return tuple(found)

    def _path(self, target: _Target[S]) -> Path:
        """The least way to a target among the shortest: mark backwards what leads there in time, then walk forward."""
        marked = [target.states]
        for level in reversed(self.levels[: target.level - 1]):
            leads = marked[0]
            marked.insert(0, {s for s in level if any(t in leads for _, t in self.stepper.steps(s))})
        state, path = self.stepper.initial, []
        for leads in marked[1:]:
            instance, state = next((i, t) for i, t in self.stepper.steps(state) if t is not None and t in leads)
            path.append(instance)
        if target.last_steps:
            path.append(target.last_steps[state])
        return tuple(path)


def refuse_what_is_not_offered(request: Request, engine: str) -> None:
    """Raises UsageError for an option that an engine written in Python does not have."""
    if request.symmetry:
        raise UsageError(f"the {engine} engine looks at every state: leave --symmetry out, or use --engine native.")
    if request.checkpoint:
        raise UsageError(f"the {engine} engine keeps no checkpoints: use --engine native.")
    if request.workers != 1:
        raise UsageError(f"the {engine} engine has one worker: leave --workers out, or use --engine native.")


def counted(number: int, thing: str) -> str:
    """1 state, 2 states."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def resident_bytes() -> int:
    """The resident memory of this process in bytes; its peak where the system tells no more."""
    try:
        pages = int(pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()


def reached(stepper: Stepper[S]) -> Iterable[S]:
    """Every reachable state of a small model."""
    seen, waiting = {stepper.initial}, [stepper.initial]
    while waiting:
        for _, successor in stepper.steps(waiting.pop()):
            if successor is not None and successor not in seen:
                seen.add(successor)
                waiting.append(successor)
    return seen
