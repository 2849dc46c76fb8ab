"""How often a graph is searched."""

from collections.abc import Sequence

import pytest
from tests.liveness.brute import graph_of

from isrcheck.engines.common.behaviours import (
    BehaviourGraph,
    ExploredBehaviours,
    FairnessCondition,
    Formula,
    FormulaKind,
    Lasso,
)
from isrcheck.liveness.deciding import decide
from isrcheck.liveness.naive import find_lasso, steps_to_stranded

FAIR = [FairnessCondition("counts", False, frozenset({0}))]


@pytest.mark.parametrize(
    ("p", "conditions", "asked", "decided"),
    [
        ([0, 1], FAIR, [False], "decided"),  # it goes on to where p is true
        ([0, 0], FAIR, [False, True], "stopped"),  # the bound stops it before
        ([0, 0], [], [False, True], "violated"),  # it may stop
    ],
)
def test_what_holds_is_searched_once(
    p: list[int], conditions: list[FairnessCondition], asked: list[bool], decided: str
) -> None:
    graph = graph_of(2, [(0, 0, 1)], [(1, 0)], [0])
    searches: list[bool] = []

    def find(
        graph: BehaviourGraph, conditions: Sequence[FairnessCondition], formula: Formula, counts: bool
    ) -> Lasso | None:
        searches.append(counts)
        return find_lasso(graph, conditions, formula, counts)

    formulas = {"p": [Formula(FormulaKind.EVENTUALLY, bytearray(p))]}
    found = decide(ExploredBehaviours(graph, formulas), conditions, find, steps_to_stranded)
    assert searches[: len(asked)] == asked
    assert "p" in getattr(found, decided)
