"""What searches look for in states and steps, and what follows from having seen it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from isrcheck.engines.common.stop_policy import Stopped
from isrcheck.engines.contract import DEADLOCK, FoundFault, Path, Request
from isrcheck.ir.scalar import ScalarProperty, ScalarSystem


class At(Enum):
    """Where a target is seen."""

    STATE = auto()
    STEP = auto()
    DEADLOCK = auto()  # in a state without steps
    INSTANCE = auto()  # in deciding whether a step can be taken: its own fault


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """Something that a search looks for; `name` is its property's, `fault` whether computing it went wrong."""

    kind: At
    name: str
    fault: bool = False

    @property
    def ends_with_step(self) -> bool:
        """Whether the path to it ends with a step that shows it, after the last state."""
        return self.kind in (At.STEP, At.INSTANCE)

    def fault_after(self, path: Path) -> FoundFault:
        """The error at a path's end: in computing the property, or in deciding about the last instance."""
        if self.name:
            return FoundFault(path, None, self.name)
        return FoundFault(path[:-1], path[-1], None)


def targets_of(system: ScalarSystem, names: Sequence[str]) -> tuple[SearchTarget, ...]:
    """What these properties make a search look for, deadlocks and faults included, states' targets first."""
    chosen = [each for each in system.properties if each.name in names]
    has_faults = any(each.faults for each in system.instances)
    return (
        *_of(At.STATE, [each for each in chosen if not each.kind.is_of_steps]),
        *_of(At.STEP, [each for each in chosen if each.kind.is_of_steps]),
        SearchTarget(At.DEADLOCK, DEADLOCK),
        *([SearchTarget(At.INSTANCE, "", fault=True)] if has_faults else []),
    )


def _of(kind: At, properties: list[ScalarProperty]) -> list[SearchTarget]:
    faulty = [each for each in properties if any(condition.faults for condition in each.conditions)]
    return [
        *(SearchTarget(kind, each.name) for each in properties),
        *(SearchTarget(kind, each.name, fault=True) for each in faulty),
    ]


class SeenTargets:
    """The targets that a search has seen, each with the level, from 0, in which it was first seen."""

    def __init__(self, targets: Sequence[SearchTarget], request: Request) -> None:
        self._targets, self._request = targets, request
        self.levels: dict[SearchTarget, int] = {}

    def add(self, shown: Sequence[int], level: int) -> None:
        """Add the targets that a level showed: for each of them, in order, whether it did."""
        for target, lanes in zip(self._targets, shown, strict=True):
            if lanes and target not in self.levels and not self._was_decided(target, level):
                self.levels[target] = level

    def _was_decided(self, target: SearchTarget, level: int) -> bool:
        """Whether a property that cannot be computed here was decided in an earlier level, and need not be."""
        return target.fault and self.levels.get(SearchTarget(target.kind, target.name), level) < level

    @property
    def positions(self) -> list[tuple[int, int]]:
        """The same as pairs of a target's position and its level."""
        return [(self._targets.index(target), level) for target, level in self.levels.items()]

    def decided(self) -> list[str]:
        """The names of what was asked for and seen. Raises Stopped if the model's text went wrong."""
        if any(target.fault for target in self.levels):
            raise Stopped("at an error in the model")
        return [target.name for target in self.levels if self._is_asked(target)]

    def _is_asked(self, target: SearchTarget) -> bool:
        return target.kind is not At.DEADLOCK or self._request.deadlock

    def needing_paths(self) -> dict[SearchTarget, int]:
        """The targets whose paths the answer needs: the faults if there are any, else what was asked for."""
        faults = {target: level for target, level in self.levels.items() if target.fault}
        return faults or {target: level for target, level in self.levels.items() if self._is_asked(target)}

    def by_name(self, paths: Mapping[SearchTarget, Path]) -> dict[str, Path]:
        """The paths by property, in the order of the targets. Raises FoundFault for the first of shortest faults."""
        faults = [target for target in self._targets if target.fault and target in paths]
        if faults:
            first = min(faults, key=lambda target: (len(paths[target]), paths[target]))
            raise first.fault_after(paths[first])
        return {target.name: paths[target] for target in self._targets if target in paths}
