"""Random walks made shorter: steps are dropped and ways between states searched while the end decides the property."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from isrcheck.engines.contract import DEADLOCK, Path
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import ModelError
from isrcheck.passes.bind import BoundModel
from isrcheck.run.replay import decides

MOST_CALLS = 50_000  # of actions, for one walk: 0.4 s with kraft, and most walks end as short as a search
_MOST_BETWEEN = 20  # states from which a way between two others is searched


class WalkShrinker:
    """The steps of a walk without which it decides nothing, or what is left when its calls of actions are used up."""

    def __init__(self, model: BoundModel, name: str) -> None:
        self._stepper, self._name, self._calls = ReferenceStepper(model), name, 0
        self._of_steps = name != DEADLOCK and self._stepper.roles[name].kind.is_of_steps

    def shorten(self, path: Path) -> Path:
        """Return a path of which no step can be dropped, if calls suffice."""
        shorter = self._search_between(self._drop(path))
        return path if shorter == path else self.shorten(shorter)

    def _drop(self, path: Path) -> Path:
        size = len(path) + 1
        while size := size // 2:
            first = 0
            while first < len(path):
                rest = path[:first] + path[first + size :]
                path, first = (rest, first) if self._decides(rest) else (path, first + size)
        return path

    def _decides(self, path: Path) -> bool:
        """Whether a path can be walked and decides the property; one that is an error, where no walk came, does not."""
        with suppress(ModelError):
            states = self._states(path)
            is_whole = len(states) > len(path) >= self._of_steps
            return is_whole and decides(self._stepper, self._name, path, states)
        return False

    def _states(self, path: Path) -> list[State]:
        """Return the states of a path, as long as its steps can be taken within the constraints and calls are left."""
        states = [self._stepper.initial]
        is_kept = self._stepper.keeps(None, states[0])
        for position in path if self._calls < MOST_CALLS else ():
            self._calls += 1
            after = self._stepper.step(states[-1], position) if is_kept else None
            if after is None:
                break
            is_kept = after == states[-1] or self._stepper.keeps((states[-1], position), after)
            states.append(after)
        return states

    def _search_between(self, path: Path) -> Path:
        """Return the path with the first shorter way from a state of it to a later one."""
        states = self._states(path)
        later = {state: number for number, state in enumerate(states)}
        for number, state in enumerate(states):
            for way, end in self._ways_from(state):
                rest = path[:number] + way + path[later.get(end, 0) :]
                if later.get(end, 0) > number + len(way) and self._decides(rest):
                    return rest
        return path

    def _ways_from(self, state: State) -> Iterator[tuple[Path, State]]:
        """Yield the ways from a state, shortest first, each with its end."""
        ways, waiting = {state: Path()}, [state]
        yield (), state
        for before in islice(waiting, _MOST_BETWEEN):
            self._calls += len(self._stepper.instances)
            if self._calls > MOST_CALLS:
                return
            for position, after in self._steps(before):
                if after is not None and after not in ways:
                    ways[after] = (*ways[before], position)
                    waiting.append(after)
                    yield ways[after], after

    def _steps(self, state: State) -> list[tuple[int, State | None]]:
        with suppress(ModelError):
            return list(self._stepper.steps(state))
        return []
