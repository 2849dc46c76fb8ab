"""Makes specs/guards.csv anew: every property of every model whose guards are removed, at each choice of constants.

`python -m tests.gate.guards`, then `python -m tests.gate.specs`. The choices are those of tools/reports/mutants.py: at
them the removal of a guard is detected, so that the gate, which checks these rows, fails when one is removed.
"""

from collections.abc import Iterator

from tests.tables import write_runs
from tools.reports.mutants import GUARDS, P2, SINCE_KRAFT

from isrcheck import check
from isrcheck.commands.options import parse_constants

COLUMNS = ("model", "constants", "property", "verdict", "steps", "distinct", "generated", "depth")
OTHERS: dict[str, list[str]] = {
    # KIP-497's mutants are in no other table
    "async-isr-committed-only": GUARDS["async-isr"],
    "async-isr-proposed-only": GUARDS["async-isr"],
    # Guards that KIP-320's own rules imply are missed in designs without them
    "kip-279": [P2],
    "kip-320-first-try": ["replicas=2 isr_may_empty=false"],
    "partition-kafka-7152-by-high-watermark": ["max_records=1"],
}
Figures = dict[str, tuple[str, ...]]


def runs() -> Iterator[tuple[str, str]]:
    """A model and its constants, as the table has them; kraft's guards are removed by `mutate` alone."""
    for model, configurations in (*GUARDS.items(), *OTHERS.items()):
        if model not in SINCE_KRAFT:
            yield from ((model, constants) for constants in configurations)


def figures(model: str, constants: str, engine: str) -> Figures:
    """By property its verdict and the steps of its trace.

    Under `none` the counts of the whole graph; under `never` the actions that never happen in it.
    """
    outcome = check(model, engine=engine, constants=parse_constants(tuple(constants.split())))
    assert outcome.cut is None
    counts = (str(outcome.distinct), str(outcome.generated), str(outcome.depth))
    found: Figures = {"none": ("complete", "", *counts)}
    if outcome.dead_actions:
        found["never"] = (" ".join(outcome.dead_actions), "", "", "", "")
    for p in outcome.properties:
        found[p.name] = (p.verdict.value, str(p.trace.length - 1) if p.trace else "", "", "", "")
    return found


def remake() -> None:
    """Makes every run on the native engine and writes what comes out."""
    made = (
        [dict(zip(COLUMNS, (model, constants, name, *cells), strict=True)) for name, cells in found.items()]
        for model, constants in runs()
        for found in [figures(model, constants, "native")]
    )
    write_runs("guards.csv", "model", COLUMNS[5:], made)


if __name__ == "__main__":
    remake()
