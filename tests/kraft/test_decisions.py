"""Each decision of `kraft` by itself: a property holds with it one way, and is violated with it the other way.

specs/kraft-switches.csv has them, with the constants that both ways share and the steps of the shortest violation.
"""

import pytest
from tests.tables import Row, rows

from isrcheck import check
from isrcheck.commands.options import parse_constants
from isrcheck.engines.contract import Options
from isrcheck.lang.read import read_model
from isrmodel.kraft import Kraft

SWITCHES = rows("kraft-switches.csv")
QUICK = ("maximal", "strict")
ADDS_STEPS = {  # no decision of Kafka's: what is asked for with it is asked of all other properties as well
    "bump_on_shrink": "one more leader epoch, for which followers stop fetching: it costs time, which is not modelled",
    "rolling": "which stops by plan are searched: only those while all others are in sync",
    "spare_last": "what the published modules leave out of their search",
    "tail": "what else a loss of power may leave: more losses of the same kind",
}


OF_REASSIGNMENT = {
    "all_who_stay",
    "bump_on_removal",
    "heard_in_epoch",
    "removed_leave",
    "replaces",
}  # test_reassignment.py


def verdict(row: Row, value: str) -> tuple[str, int | None]:
    """What becomes of the row's property, and in how many steps."""
    words = f"{row['constants']} {row['switch']}={value}"
    outcome = check(
        Kraft,
        properties=[row["property"]],
        options=Options(symmetry=True),
        constants=dict(parse_constants(tuple(words.split()))),
    )
    assert outcome.searched is not None
    assert outcome.searched.pruned == 0 or value == row["violated_with"]
    (found,) = outcome.properties
    return found.verdict.value, found.trace.length - 1 if found.trace else None


def assert_decides(row: Row) -> None:
    assert verdict(row, row["holds_with"]) == ("holds", None)
    assert verdict(row, row["violated_with"]) == ("violated", int(row["steps"]))


@pytest.mark.parametrize("row", [row for row in SWITCHES if row["switch"] in QUICK], ids=lambda row: row["switch"])
def test_a_decision_is_what_a_property_rests_on(row: Row) -> None:
    assert_decides(row)


@pytest.mark.slow
@pytest.mark.parametrize("row", SWITCHES, ids=lambda row: f"{row['switch']}-{row['violated_with']}")
def test_every_decision_is_what_a_property_rests_on(row: Row) -> None:
    assert_decides(row)


def test_every_decision_is_asked() -> None:
    """Whatever is true or false of the model is in the table, or listed with what it is instead."""
    declared = {each.name for each in read_model(Kraft).constants if isinstance(each.default, bool)}
    asked = {row["switch"] for row in SWITCHES} - {"acks"}
    assert declared == asked | set(ADDS_STEPS) | OF_REASSIGNMENT
