"""Random models with random constraints: every engine finds what a naive search finds."""

import re
import tempfile
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from tests.models.compare import results
from tools.random_models.author import models
from tools.random_models.loading import load

from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.frozen_values import State
from isrcheck.engines.native import engine as native
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import ModelError
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower
from isrcheck.passes.bind import BoundModel

MOST_STATES = 600
_PROPERTY = re.compile(r"@(invariant|step|reachable)\n(    def )(\w+)\(")


@dataclass
class Naive:
    distinct: set[State] = field(default_factory=set)
    outside: set[State] = field(default_factory=set)
    generated: int = 1
    depth: int = 0
    pruned: int = 0
    violated: set[str] = field(default_factory=set)


class TooLarge(Exception):
    """More states than are compared."""


def search(model: BoundModel, of_states: set[str], of_steps: set[str], most: int) -> Naive:
    """TLC's rules: what is outside is checked and not counted, and no step leads on from it.

    Raises ModelError, and TooLarge beyond this many states.
    """
    stepper, found = ReferenceStepper(model), Naive()
    asked = [p for p in model.properties if p.name not in of_states | of_steps]

    def judge(before: State | None, instance: int, after: State) -> None:
        for p in asked:
            if p.kind.is_of_steps:
                if before is not None and not stepper.step_holds(p.name, before, instance, after):
                    found.violated.add(p.name)
            elif p.kind.is_target(stepper.holds(p.name, after)):
                found.violated.add(p.name)

    def arrive(before: State | None, instance: int, after: State, depth: int) -> None:
        judge(before, instance, after)
        is_kept = before is None or all(stepper.step_holds(name, before, instance, after) for name in of_steps)
        if before != after and not (is_kept and all(stepper.holds(name, after) for name in of_states)):
            found.outside.add(after)
        elif after not in found.distinct:
            found.distinct.add(after)
            found.depth = max(found.depth, depth)
            waiting.append((after, depth))

    waiting: deque[tuple[State, int]] = deque()
    arrive(None, 0, stepper.initial, 1)
    while waiting:
        if len(found.distinct) + len(found.outside) > most:
            raise TooLarge
        state, depth = waiting.popleft()
        for instance, after in stepper.steps(state):
            if after is None:
                found.pruned += 1
                continue
            found.generated += 1
            arrive(state, instance, after, depth + 1)
    return found


def agrees(naive: Naive, searched: Searched) -> bool:
    one = (len(naive.distinct), len(naive.outside), naive.generated, naive.depth, naive.pruned, naive.violated)
    two = (searched.distinct, searched.outside, searched.generated, searched.depth, searched.pruned)
    assert one == (*two, set(searched.paths))
    return True


def constrained(text: str, chosen: set[str]) -> str:
    """The text, with these properties as constraints."""

    def marked(match: re.Match[str]) -> str:
        return match[0].replace(match[1], "constraint") if match[3] in chosen else match[0]

    return _PROPERTY.sub(marked, text.replace("constant, each", "constant, constraint, each"))


def bound(text: str, folder: Path) -> BoundModel:
    cls: type[Model] = load(text, folder)
    read = read_model(cls)
    check_domains(read)
    return bind(read, {})


def compare(text: str, chosen: set[str], folder: Path, with_native: bool) -> int:
    free = bound(text, folder)
    of_steps = {p.name for p in free.properties if p.kind.is_of_steps and p.name in chosen}
    expected = search(free, chosen - of_steps, of_steps, MOST_STATES)
    model = bound(constrained(text, chosen), folder)
    system = lower(model)
    kinds = {p.name: p.kind for p in model.properties}
    request = Request(properties=tuple(kinds))
    one, two = (Explorer(s, kinds, request).run() for s in (ReferenceStepper(model), ScalarStepper(system)))
    assert results(one) == results(two)
    if one.complete:  # and not ended as everything was decided
        assert agrees(expected, one)
    whole = Explorer(ReferenceStepper(model), {}, Request()).run()
    assert (whole.distinct, whole.outside) == (len(expected.distinct), len(expected.outside))
    if with_native:
        assert results(native.explore(system, request)) == results(one)
        assert results(native.explore(system, Request(workers=2))) == results(whole)
    return len(expected.outside)


def test_random_constraints_agree() -> None:
    tally = [0, 0]

    @settings(max_examples=30, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(models(), st.data())
    def agree(text: str, data: st.DataObject) -> None:
        names = sorted({match[3] for match in _PROPERTY.finditer(text)})
        chosen = set(data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3)))
        note(text)
        with tempfile.TemporaryDirectory() as folder:
            try:
                tally[0] += compare(text, chosen, Path(folder), with_native=tally[1] % 10 == 0) > 0
            except (ModelError, TooLarge):
                assume(False)
        tally[1] += 1

    agree()
    assert tally[0] >= 5, tally
