"""Fairness of steps that take messages in flight, each of which may lie in any slot."""

from typing import Annotated, NamedTuple

import pytest

from isrcheck import (
    Model,
    Sort,
    Taken,
    Temporal,
    UpTo,
    action,
    check,
    constant,
    each,
    fairness,
    leads_to,
    require,
    temporal,
)
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower

Count = Annotated[int, UpTo("most")]


class Node(Sort, size="nodes"):
    """Who sends and receives."""


class Letter(NamedTuple):
    source: Node
    target: Node
    number: Count


class Postman(Model):
    """He delivers any letter, and every one only if each is delivered fairly."""

    nodes: int = constant(3, "nodes", at_least=2)
    most: int = constant(40, "the last number")

    flying: frozenset[Letter] = frozenset()
    heard: dict[Node, Count] = each(Node, 0)
    day: Annotated[int, UpTo(2)] = 0

    @action
    def send(self, source: Node, target: Node) -> None:
        require(source != target and len(self.flying) < 2)
        self.flying |= {Letter(source, target, self.day + 1)}

    @action
    def deliver(self, letter: Letter) -> None:
        require(letter in self.flying)
        self.flying -= {letter}
        self.heard[letter.target] = letter.number

    @action(fair="weak")
    def turn(self) -> None:
        self.day = (self.day + 1) % 3

    @temporal
    def letters_arrive(self) -> Temporal:
        """Whoever is written to hears of it."""
        return all(leads_to(self.is_written_to(n), self.heard[n] > 0) for n in Node)

    @temporal
    def news_stays(self) -> Temporal:
        """Nobody hears the first number for ever."""
        return all(leads_to(self.heard[n] == 1, self.heard[n] == 2) for n in Node)

    @fairness
    def each_letter(self, taken: Taken) -> bool:
        return taken.action == "deliver"

    @fairness(fair="weak-any")
    def some_letter(self, taken: Taken) -> bool:
        """It is enough that some letter is delivered."""
        return taken.action == "deliver"

    def is_written_to(self, node: Node) -> bool:
        return any(letter.target == node for letter in self.flying)


@pytest.mark.parametrize(("environment", "arrives"), [("each_letter", "holds"), ("some_letter", "violated")])
def test_letters_in_slots_are_told_apart_as_the_reference_does(environment: str, arrives: str) -> None:
    assert any(instance.position is not None for instance in lower(bind(read_model(Postman), {"nodes": 2})).instances)
    for engine in ("native", "reference"):
        outcome = check(Postman, engine=engine, fairness=(environment,), nodes=2)
        found = {p.name: p.verdict.value for p in outcome.properties}
        assert found == {"letters_arrive": arrives, "news_stays": "violated"}
