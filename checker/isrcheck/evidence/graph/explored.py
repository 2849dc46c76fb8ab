"""The reachable graph of a model on the reference, with the states and steps that violate properties."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from isrcheck.engines.contract import Progress
from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.errors import counted
from isrcheck.evidence.graph.view import GraphElements
from isrcheck.run.trace import chosen, encode

MAX_STATES = 100_000  # unless another limit is asked for
_SECONDS = 0.5  # between two reports of progress


@dataclass
class Explored:
    """States in breadth-first order, and steps as (source, instance, target), pruned ones left out.

    `looked_at` states, the first ones, have all their steps; without a cut these are all states. Counts are TLC's:
    `distinct` is the number of states, `generated` the number of steps and 1 for the initial state.
    """

    stepper: ReferenceStepper
    properties: tuple[str, ...]
    states: list[State] = field(default_factory=list)
    steps: list[tuple[int, int, int]] = field(default_factory=list)
    looked_at: int = 0
    depth: int = 0
    pruned: int = 0
    stuck: set[int] = field(default_factory=set)
    cut: str | None = None

    @property
    def generated(self) -> int:
        return len(self.steps) + 1

    @property
    def elements(self) -> GraphElements:
        return GraphElements(self.stepper, self.properties)

    @property
    def about(self) -> tuple[str, ...]:
        """The lines of a caption: constants, counts, and whether the graph is complete."""
        counts = f"{counted(len(self.states), 'state')}, {counted(len(self.steps), 'step')}, depth {self.depth}"
        constants = " ".join(chosen({n: encode(v) for n, v in self.stepper.model.constants.items()}))
        cut = f"Not the whole graph: the search was cut off {self.cut}." if self.cut else ""
        return constants, f"{counts}, {self.pruned:,} pruned", cut


def explore(
    stepper: ReferenceStepper,
    properties: Iterable[str],
    max_states: int = MAX_STATES,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Explored:
    """Every reachable state and step, level by level; cut off at the end of a level that reaches `max_states`."""
    found = Explored(stepper, tuple(properties), [stepper.initial])
    place = {stepper.initial: 0}
    said = started = time.monotonic()
    while found.looked_at < len(found.states):
        found.depth += 1
        if len(found.states) >= max_states:
            found.cut = f"after {counted(len(found.states), 'state')}"
            break
        for source in range(found.looked_at, len(found.states)):
            _expand(found, source, place)
            now = time.monotonic()
            if now - said > _SECONDS:
                said = now
                waiting = len(found.states) - source
                progress(Progress(found.depth, len(found.states), found.generated, waiting, now - started))
        found.looked_at = source + 1
    return found


def _expand(found: Explored, source: int, place: dict[State, int]) -> None:
    enabled = False
    for instance, after in found.stepper.steps(found.states[source]):
        enabled = True
        if after is None:
            found.pruned += 1
            continue
        target = place.setdefault(after, len(found.states))
        if target == len(found.states):
            found.states.append(after)
        found.steps.append((source, instance, target))
    if not enabled:
        found.stuck.add(source)
