"""The published modules of a partition under KRaft (v3.5 and KIP-966), as TLC decides them, against `kraft`.

specs/kraft-published.csv has TLC's verdicts and lengths (in states), and the steps of ours. Where a guard is taken out
of a module (`without`), the constant of that name is false.
"""

import pytest
from tools.reports.tables import Row, rows

from isrcheck import check
from isrcheck.engines.contract import Options
from isrmodel.kraft import Kraft

FIGURES = rows("kraft-published.csv")
BEFORE_ELR = {"elr": False, "strict": False, "last_known": False, "bump_on_shrink": False}


def constants(row: Row) -> dict[str, int | bool]:
    """Those of a row, and bounds that prune nothing: two images more than the faults can make, for joining."""
    names = ("replicas", "min_isr", "initial_isr", "fences", "clean_stops", "power_losses")
    found: dict[str, int | bool] = {name: int(row[name]) for name in names}
    perturbed, stops = found["fences"] + found["clean_stops"], found["power_losses"]
    bounds = {
        "max_version": 3 + 2 * perturbed + 3 * stops,
        "max_epoch": 2 + 2 * (perturbed + stops),
        "max_session": found["clean_stops"] + stops,
    }
    design = BEFORE_ELR if row["design"] == "3.5" else {"last_known": False}
    without = {row["without"]: False} if row["without"] else {}
    return found | bounds | design | {"spare_last": row["spare_last"] == "true"} | without


def named(row: Row) -> str:
    faults = "-".join(f"{name[0]}{row[name]}" for name in ("fences", "clean_stops", "power_losses"))
    names = ("design", "without", "replicas", "min_isr", "initial_isr", "tlc")
    return "-".join([*(row[name] for name in names), faults])


@pytest.mark.slow
@pytest.mark.parametrize("row", FIGURES, ids=named)
def test_every_figure_of_tlc_is_that_of_the_model(row: Row) -> None:
    asked = row["properties"].split()
    outcome = check(Kraft, properties=asked, options=Options(symmetry=True), constants=constants(row))
    assert outcome.searched is not None
    assert outcome.searched.pruned == 0
    assert {each.verdict.value for each in outcome.properties} == {row["tlc"]}
    if row["tlc"] == "violated":
        (violated,) = outcome.properties
        assert violated.trace is not None
        assert violated.trace.length - 1 == int(row["steps"])
