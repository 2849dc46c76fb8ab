"""Why a step cannot be taken: the same steps as every engine, and for each that is refused the guard that said no."""

from enum import Enum

import pytest

from isrcheck import Model, Sort, action, constant, each, invariant, require
from isrcheck.catalogue import find_model
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import reachable_states
from isrcheck.engines.reference.why import Answer, AskingStepper, Bound, Guard
from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrtoys import TOYS


@pytest.mark.parametrize("name", TOYS)
def test_it_enables_in_every_state_what_the_evaluator_enables(name: str) -> None:
    model = bind(read_model(TOYS[name]), {})
    asking, scalar = AskingStepper(model), ScalarStepper(lower(model))
    for state in reachable_states(asking):
        answers = asking.answers(state)
        found: dict[int, tuple[int, ...] | None] = {}
        for position, answer in enumerate(answers):
            if isinstance(answer, tuple):
                found[position] = tuple(asking.scalars(answer))
            elif isinstance(answer, Bound):
                found[position] = None
            else:
                assert isinstance(answer, Guard)
                assert answer.condition
                assert answer.at.line
        assert found == dict(scalar.steps(tuple(asking.scalars(state))))
        assert asking.answers(state) == answers  # nothing is left behind


def answers(model: type[Model], *path: int) -> dict[str, Answer]:
    """What comes of each instance after a path, by its call."""
    stepper = AskingStepper(bind(read_model(model), {}))
    state = stepper.initial
    for instance in path:
        after = stepper.step(state, instance)
        assert after is not None
        state = after
    return {stepper.call(position): answer for position, answer in enumerate(stepper.answers(state))}


class Colour(Enum):
    RED = 0
    BLUE = 1


class Cup(Sort, size="cups"):
    """Something that can be filled."""


class Bar(Model):
    """Cups that are filled."""

    cups: int = constant(2, "cups")
    filled: dict[Cup, bool] = each(Cup, False)
    served: bool = False

    @action
    def fill(self, cup: Cup, colour: Colour) -> None:
        require(colour == Colour.RED)
        self.empty(cup)
        self.filled[cup] = True

    @action
    def serve(self, cup: Cup) -> None:
        require(
            not self.served and self.filled[cup]  # two lines, and a remark
        )
        self.served = True

    @action
    def break_one(self) -> None:
        require(all(self.filled[c] for c in Cup) and not self.served)

    @invariant
    def fine(self) -> bool:
        return True

    def empty(self, cup: Cup) -> None:
        require(not self.filled[cup])


def guard(answer: Answer) -> tuple[str, str]:
    assert isinstance(answer, Guard)
    return answer.condition, answer.conjunct


def test_a_guard_is_told_by_its_text_and_its_place() -> None:
    found = answers(Bar)
    assert isinstance(found["fill(cup=c0, colour=red)"], tuple)
    refused = found["fill(cup=c1, colour=blue)"]
    assert guard(refused) == ("colour == Colour.RED", "")
    assert isinstance(refused, Guard)
    assert refused.at.picture().splitlines()[0].endswith("require(colour == Colour.RED)")
    assert str(refused.at).startswith("tests/evidence/explorer/test_why.py:")


def test_a_guard_in_a_helper_is_told_where_it_stands() -> None:
    found = answers(Bar, 0)
    assert guard(found["fill(cup=c0, colour=red)"]) == ("not self.filled[cup]", "")
    assert isinstance(found["fill(cup=c1, colour=red)"], tuple)


def test_the_first_false_part_of_a_conjunction_is_told() -> None:
    assert guard(answers(Bar)["serve(cup=c0)"]) == ("not self.served and self.filled[cup]", "self.filled[cup]")
    assert guard(answers(Bar, 0, 4)["serve(cup=c0)"]) == ("not self.served and self.filled[cup]", "not self.served")
    part = "all(self.filled[c] for c in Cup)"
    assert guard(answers(Bar)["break_one()"]) == (f"{part} and not self.served", part)


@pytest.mark.parametrize(
    ("call", "path", "values"),
    [
        ("fill(cup=c1, colour=blue)", (), {"colour": "blue"}),
        ("fill(cup=c0, colour=red)", (0,), {"self.filled[cup]": "True"}),
        ("serve(cup=c0)", (), {}),
        ("serve(cup=c0)", (0, 4), {"self.served": "True"}),
        ("break_one()", (0,), {"c": "c1"}),
        ("serve(cup=c0)", (0,), {}),
    ],
)
def test_the_false_part_of_a_guard_has_its_values(call: str, path: tuple[int, ...], values: dict[str, str]) -> None:
    refused = answers(Bar, *path)[call]
    assert dict(refused.values if isinstance(refused, Guard) else ()) == values


def test_a_pruned_step_names_the_variable() -> None:
    found = answers(find_model("toy-counter"), 0, 0, 0)
    assert found["up()"] == Bound("count")


def test_a_key_above_its_bound_names_the_map() -> None:
    stepper = AskingStepper(bind(read_model(find_model("toy-shelf")), {}))
    named = {a.variable for s in reachable_states(stepper) for a in stepper.answers(s) if isinstance(a, Bound)}
    assert named <= set(stepper.names)
    assert named


class Faulty(Model):
    """Divides by nothing."""

    zero: int = constant(0, "nothing")
    on: bool = False

    @action
    def divide(self) -> None:
        require(1 % self.zero == 0)

    @action
    def go(self) -> None:
        self.on = True


def test_an_error_in_a_guard_is_told_of_its_instance_alone() -> None:
    found = answers(Faulty)
    assert isinstance(found["divide()"], ModelError)
    assert "divide() raised ZeroDivisionError" in found["divide()"].sentence
    assert isinstance(found["go()"], tuple)
