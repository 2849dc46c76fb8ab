"""Random counters with forms: refused where a search by hand finds a difference, and else searched as its quotient."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from tools.random_models.loading import load

import isrcheck
from isrcheck import Verdict
from isrcheck.errors import ModelError

PHASES = [Phase.explicit, Phase.generate]
TOP = 9
State = tuple[int, int]

_RIGHT = ["True", "{x} % {k} == 0", "{x} % {k} != 1", "{y} == 0", "{y} != 2", "({x} + {y}) % {k} < 2"]
_WRONG = ["{x} > 4", "{x} % 5 == 0", "{x} == 0", "{x} < 7"]
_CHANGES_OF_Y = ["{y}", "({y} + 1) % 3", "0", "({x} + {y}) % {k}"]
_FORMS = ["{x} % {k}", "{x} % {k}", "{x} % {k}", "{x} % ({k} + 1)", "{x} // {k}", "max({x} - {k}, 0)", "0"]


@dataclass(frozen=True)
class Counters:
    """`actions`: a guard, what is added to x, and what becomes of y."""

    k: int
    actions: tuple[tuple[str, int, str], ...]
    invariant: str
    form: str

    def text(self) -> str:
        names = {"x": "self.x", "y": "self.y", "k": self.k}
        lines = [
            '"""Made by a test."""',
            "from typing import Annotated",
            "from isrcheck import Model, UpTo, action, canonical, invariant, require",
            "class Random(Model):",
            f"    x: Annotated[int, UpTo({TOP})] = 0",
            "    y: Annotated[int, UpTo(2)] = 0",
        ]
        for number, (guard, more, then) in enumerate(self.actions):
            lines += ["    @action", f"    def act{number}(self) -> None:", f"        require({guard.format(**names)})"]
            lines += [f"        self.x, self.y = self.x + {more}, {then.format(**names)}"]
        lines += ["    @invariant", "    def asked(self) -> bool:", f"        return {self.invariant.format(**names)}"]
        lines += ["    @canonical", "    def renumber(self) -> None:", f"        self.x = {self.form.format(**names)}"]
        return "\n".join(lines) + "\n"

    def _value(self, text: str, state: State) -> int:
        value: int = eval(text.format(x=state[0], y=state[1], k=self.k), {"max": max})
        return value

    def canonical(self, state: State) -> State:
        return self._value(self.form, state), state[1]

    def holds(self, state: State) -> bool:
        return bool(self._value(self.invariant, state))

    def steps(self, state: State) -> dict[int, State | None]:
        """By action; None where the bound of x stops it."""
        found: dict[int, State | None] = {}
        for number, (guard, more, then) in enumerate(self.actions):
            if self._value(guard, state):
                x = state[0] + more
                found[number] = (x, self._value(then, state)) if x <= TOP else None
        return found

    def is_right(self) -> bool:
        """Whether each state that steps and forms lead to goes on as its form does."""
        states = reach((0, 0), lambda s: (self.canonical(s), *(t for t in self.steps(s).values() if t)))
        return all(self._is_right_at(state) for state in states)

    def _is_right_at(self, state: State) -> bool:
        form = self.canonical(state)
        here, there = self.steps(state), self.steps(form)
        if self.canonical(form) != form or here.keys() != there.keys() or self.holds(state) != self.holds(form):
            return False
        pairs = ((after, there[number]) for number, after in here.items() if after)
        return all(then and self.canonical(after) == self.canonical(then) for after, then in pairs)


def reach(first: State, following: Callable[[State], tuple[State, ...]]) -> set[State]:
    found, waiting = {first}, [first]
    while waiting:
        for after in following(waiting.pop()):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


@st.composite
def counters(draw: st.DrawFn) -> Counters:
    conditions = st.sampled_from([*_RIGHT * 4, *_WRONG])
    action = st.tuples(conditions, st.integers(0, 3), st.sampled_from(_CHANGES_OF_Y))
    actions = tuple(draw(st.lists(action, min_size=1, max_size=3)))
    return Counters(draw(st.integers(2, 3)), actions, draw(conditions), draw(st.sampled_from(_FORMS)))


@pytest.mark.parametrize("examples", [20, pytest.param(400, marks=pytest.mark.slow)])
def test_what_is_wrong_is_refused_and_the_rest_is_the_quotient(examples: int) -> None:
    tally = Counter[str]()

    @settings(max_examples=examples, derandomize=True, phases=PHASES, suppress_health_check=list(HealthCheck))
    @given(counters())
    def agree(made: Counters) -> None:
        note(made.text())
        with tempfile.TemporaryDirectory() as folder:
            cls = load(made.text(), Path(folder))
            for engine in ("reference", "evaluator", "native"):
                tally.update(compared(made, cls, engine))

    agree()
    assert tally["wrong"] > examples / 2
    assert tally["renumbered"] > examples / 2
    assert tally["violated"] > examples / 10


def compared(made: Counters, cls: type[isrcheck.Model], engine: str) -> Iterator[str]:
    if not made.is_right():
        with pytest.raises(ModelError, match="is not a canonical form"):
            isrcheck.check(cls, engine=engine)
        yield "wrong"
        return
    outcome = isrcheck.check(cls, engine=engine)

    def following(state: State) -> tuple[State, ...]:
        return tuple(made.canonical(after) for after in made.steps(state).values() if after)

    states = reach(made.canonical((0, 0)), following)
    steps = [after for state in states for after in made.steps(state).values()]
    graph = isrcheck.check(cls, engine=engine, properties=())
    assert graph.distinct == len(states)
    assert (graph.generated, graph.pruned) == (1 + sum(a is not None for a in steps), steps.count(None))
    holds = all(map(made.holds, states))
    assert outcome.properties[0].verdict is (Verdict.HOLDS if holds else Verdict.VIOLATED)
    whole = reach((0, 0), lambda s: tuple(t for t in made.steps(s).values() if t))
    assert {made.canonical(state) for state in whole} <= states
    assert all(map(made.holds, whole)) or not holds
    yield "renumbered" if whole != states else "same"
    if not holds:
        yield "violated"
