"""Survivals of a setting: the greatest numbers of faults within which every property holds."""

from collections.abc import Sequence
from itertools import combinations

from isrrisk.budget import FAULTS, FaultBudget, Vector, in_words, maximal, within
from isrrisk.frontier import Frontier
from isrrisk.question import LOSSES

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven")


def maximal_survivals(frontier: Frontier) -> list[Vector]:
    """The greatest numbers of faults within which every property holds, zeros left out."""
    by_property = [[each.faults for each in frontier.survivals if each.name == loss] for loss in LOSSES]
    survived = [
        vector
        for vector in frontier.budget.vectors()
        if all(any(within(vector, faults) for faults in of_property) for of_property in by_property)
    ]
    return [tuple((name, number) for name, number in vector if number) for vector in maximal(survived)]


def phrase_of_survivals(frontier: Frontier) -> str:
    """Say the survivals for people: any two of one kill, one fencing and one power loss."""
    vectors = maximal_survivals(frontier)
    if not any(vectors):
        return "no fault of those searched"
    meanwhile = " during a rolling restart" if frontier.budget.restarts else ""
    return f"{_any_of(vectors, frontier.budget) or '; or '.join(map(in_words, vectors))}{meanwhile}"


def _any_of(vectors: Sequence[Vector], budget: FaultBudget) -> str:
    """The phrase for every choice of so many kinds of the budget; empty if the vectors are something else."""
    most = tuple((name, budget.most[name]) for name in FAULTS if budget.most.get(name))
    size = len(vectors[0])
    is_every_choice = len(vectors) > 1 and set(vectors) == set(combinations(most, size))
    return f"any {_NUMBERS[size - 1]} of {in_words(most)}" if is_every_choice else ""
