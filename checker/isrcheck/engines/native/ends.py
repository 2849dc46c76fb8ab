"""What a search has seen so far, and what follows from it: whether it goes on, and what it answers."""

from collections.abc import Mapping, Sequence

from isrcheck.engines.contract import Path, Request
from isrcheck.engines.native.codegen import At, Target
from isrcheck.engines.native.fault import fault_at
from isrcheck.engines.native.store import counted
from isrcheck.ir.scalar import ScalarSystem

Seen = dict[Target, int]  # the level, from 0, in which each target was first seen


class Ends:
    """The rules by which searches of one system for one request end, wherever they run."""

    def __init__(self, system: ScalarSystem, request: Request, targets: Sequence[Target]) -> None:
        self._request = request
        self._targets = targets
        self._kinds = {each.name: each.kind for each in system.properties}

    def notice(self, seen: Seen, shown: Sequence[int], level: int) -> None:
        """Add the targets that a level showed: for each of them, in order, whether it did."""
        for target, lanes in zip(self._targets, shown, strict=True):
            if lanes and target not in seen and not self._was_decided(seen, target, level):
                seen[target] = level

    def _was_decided(self, seen: Seen, target: Target, level: int) -> bool:
        """Whether a property that cannot be computed here was decided in an earlier level, and need not be."""
        plain = Target(target.kind, target.property)
        return target.fault and seen.get(plain, level) < level

    def reason(self, seen: Seen, distinct: int, levels: int) -> str | None:
        """Why a search ends after this level, as a phrase, if enough was seen or a limit is reached."""
        limits, found = self._request.limits, [each for each in seen if self._is_asked(each)]
        if any(each.fault for each in seen):
            return "at an error in the model"
        if len(found) == len(self._request.properties) + self._request.deadlock > 0:
            return "when every property was decided"
        if self._request.stop_at_first and any(self._is_violation(each) for each in found):
            return "at the first violation"
        if limits.states is not None and distinct >= limits.states:
            return f"after {counted(distinct, 'state')}"
        if limits.depth is not None and levels >= limits.depth:
            return f"after {counted(levels, 'level')}"
        return None

    def _is_asked(self, target: Target) -> bool:
        return not target.fault and (target.kind is not At.DEADLOCK or self._request.deadlock)

    def _is_violation(self, target: Target) -> bool:
        return target.kind is At.DEADLOCK or self._kinds[target.property].is_violation

    def wanted(self, seen: Seen) -> Seen:
        """The targets whose paths the answer needs: the faults if there are any, else what was asked for."""
        faults = {target: level for target, level in seen.items() if target.fault}
        return faults or {target: level for target, level in seen.items() if self._is_asked(target)}

    def found(self, paths: Mapping[Target, Path]) -> dict[str, Path]:
        """The paths of the wanted targets by name, in the order of the targets. Raises FoundFault for a fault."""
        faults = {target: path for target, path in paths.items() if target.fault}
        if faults:
            target, path = min(faults.items(), key=lambda each: (len(each[1]), each[1], self._targets.index(each[0])))
            raise fault_at(path, target.property)
        return {target.property: paths[target] for target in self._targets if target in paths}
