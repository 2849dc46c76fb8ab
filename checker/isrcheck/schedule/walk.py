"""All runs of one variant that follow a schedule: breadth first over states and how much of it is behind them.

Internal actions keep the number of steps taken, a step of the schedule adds one. Nodes are met in the order of the
least way to each, so that the first way to anything is the least among the shortest, by position of instances.
"""

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from isrcheck.engines.contract import Path
from isrcheck.engines.explore import Stepper
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import quantity
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.process.budget import current
from isrcheck.schedule.steps import ScheduleVocabulary, Step, label_of

S = TypeVar("S", bound=Hashable)


def reason_to_stop(so_far: str) -> str | None:
    """Why the budget around a search ends it: by its seconds, or by its memory after so much."""
    limits = current()
    memory = limits.reason_of_memory()
    return f"{memory}, after {so_far}" if memory else limits.reason()


@dataclass(frozen=True)
class Way:
    """A way from where a walk began; `taken` counts the schedule's steps after each of its own."""

    path: Path
    taken: tuple[int, ...]

    @property
    def scheduled(self) -> int:
        return self.taken[-1] if self.taken else 0


@dataclass(frozen=True)
class Following(Generic[S]):
    """The outcome of following a schedule in every possible way, until it was `cut`."""

    taken: int  # steps of some run
    ends: tuple[S, ...]  # after these steps
    ways: tuple[Way, ...]  # one to each
    decided: dict[str, Way]  # first ones
    nodes: int
    pruned: int
    cut: str | None


class Walk(Generic[S]):
    def __init__(
        self,
        stepper: Stepper[S],
        steps: Sequence[Step],
        internal: frozenset[int],
        kinds: dict[str, PropertyKind],
        most: int | None = None,
        start: S | None = None,
    ) -> None:
        self.stepper = stepper
        self.steps = steps
        self.internal = internal
        self.kinds = kinds
        self.most = most  # states
        self.came: dict[tuple[int, S], tuple[tuple[int, S], int] | None] = {}  # by node: the node before, and the step
        self.waiting: deque[tuple[int, S]] = deque()
        self.decided: dict[str, Way] = {}
        self.pruned = 0
        self._arrive((0, stepper.initial if start is None else start), None)

    def run(self) -> Following[S]:
        cut = None
        while self.waiting and cut is None:
            self._expand(self.waiting.popleft())
            cut = self._reason_to_stop()
        last = max(taken for taken, _ in self.came)
        ends = tuple(state for taken, state in self.came if taken == last)
        ways = tuple(self._way((last, state)) for state in ends)
        return Following(
            taken=last,
            ends=ends,
            ways=ways,
            decided=self.decided,
            nodes=len(self.came),
            pruned=self.pruned,
            cut=cut,
        )

    def _reason_to_stop(self) -> str | None:
        so_far = quantity(len(self.came), "state")
        return f"after {so_far}" if self.most is not None and len(self.came) > self.most else reason_to_stop(so_far)

    def _expand(self, node: tuple[int, S]) -> None:
        taken, state = node
        wanted = self.steps[taken].instances if taken < len(self.steps) else frozenset()
        for instance, after in self.stepper.steps(state):
            if instance not in wanted and instance not in self.internal:
                continue
            if after is None:
                self.pruned += 1
                continue
            if instance in wanted:
                self._take(node, instance, (taken + 1, after))
            if instance in self.internal:
                self._take(node, instance, (taken, after))

    def _take(self, node: tuple[int, S], instance: int, then: tuple[int, S]) -> None:
        for name, kind in self._open(of_steps=True):
            if kind.is_target(self.stepper.step_holds(name, node[1], instance, then[1])):
                before = self._way(node)
                self.decided[name] = Way((*before.path, instance), (*before.taken, then[0]))
        if then not in self.came:
            self._arrive(then, (node, instance))

    def _arrive(self, node: tuple[int, S], came: tuple[tuple[int, S], int] | None) -> None:
        self.came[node] = came
        self.waiting.append(node)
        for name, kind in self._open(of_steps=False):
            if kind.is_target(self.stepper.holds(name, node[1])):
                self.decided[name] = self._way(node)

    def _open(self, of_steps: bool) -> list[tuple[str, PropertyKind]]:
        return [(n, kind) for n, kind in self.kinds.items() if kind.is_of_steps is of_steps and n not in self.decided]

    def _way(self, node: tuple[int, S]) -> Way:
        path, taken = [], []
        while (came := self.came[node]) is not None:
            taken.append(node[0])
            node, instance = came
            path.append(instance)
        return Way(tuple(reversed(path)), tuple(reversed(taken)))


def alongside(
    lead: ScheduleVocabulary,
    way: Way,
    words: ScheduleVocabulary,
    steps: tuple[Step, ...],
    otherwise: Way,
) -> Way:
    """The way of a variant beside a leading run, with the fewest internal actions; `otherwise` if that gets further."""
    stepper = ReferenceStepper(words.model)
    state = stepper.initial
    path, taken = list[int](), list[int]()
    for instance, number in zip(way.path, way.taken, strict=True):
        done = taken[-1] if taken else 0
        wanted = steps[done] if number > done else words.step_of_label(label_of(lead, instance, words))
        possible = ((i, t) for i, t in stepper.steps(state) if i in wanted.instances and t is not None)
        step = next(possible, None)
        if step is not None:
            path.append(step[0])
            taken.append(number)
            state = step[1]
        elif number > done:
            detour = Walk(stepper, steps[done:number], words.internal, {}, start=state).run()
            if detour.taken == 0:
                break
            path += detour.ways[0].path
            taken += [done + more for more in detour.ways[0].taken]
            state = detour.ends[0]
    found_way = Way(tuple(path), tuple(taken))
    return found_way if found_way.scheduled >= otherwise.scheduled else otherwise
