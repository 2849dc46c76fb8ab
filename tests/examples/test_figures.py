"""The examples have the counts that examples/README.md tells, which are TLC's or differ as it says."""

from pathlib import Path

import pytest

from isrcheck import Verdict, check

EXAMPLES = Path(__file__).parents[2] / "examples"
README = (EXAMPLES / "README.md").read_text(encoding="utf-8")

COUNTS = [
    ("die_hard.py", 14, 73, 7),
    ("two_phase.py:TwoPhase", 288, 1_146, 11),
    ("voting.py:Voting", 6_752, 26_905, 16),
    ("paxos.py", 3_921, 22_995, 17),
    ("readers_writers.py", 21_527, 59_674, 13),
    ("alternating_bit.py:AlternatingBit", 240, 1_392, 10),
    ("chang_roberts.py", 137, 227, 10),
    ("termination.py", 321_370, 2_609_134, 47),
    ("lamport_mutex.py", 724_274, 2_729_079, 61),
    ("paxos_commit.py", 1_321_761, 15_242_979, 28),
    ("producer_id.py", 9_098, 24_169, 22),
]


@pytest.mark.parametrize(("model", "distinct", "generated", "depth"), COUNTS)
def test_counts(model: str, distinct: int, generated: int, depth: int) -> None:
    found = check(str(EXAMPLES / model))
    assert (found.distinct, found.generated, found.depth, found.pruned) == (distinct, generated, depth, 0)
    file = model.partition(":")[0]
    (row,) = [line for line in README.splitlines() if line.startswith(f"| [{file}]")]
    assert f"| {distinct:,} / {generated:,} / {depth} " in row
    if file != "die_hard.py":
        assert all(p.verdict is Verdict.HOLDS for p in found.properties)


def test_the_puzzle_is_solved_in_six_steps() -> None:
    (solved,) = check(str(EXAMPLES / "die_hard.py")).properties
    assert solved.verdict is Verdict.VIOLATED
    assert solved.trace is not None
    assert solved.trace.length - 1 == 6


def test_every_example_is_counted() -> None:
    rows = {line.partition("[")[2].partition("]")[0] for line in README.splitlines() if line.startswith("| [")}
    assert {file.name for file in EXAMPLES.glob("*.py")} == rows == {model.partition(":")[0] for model, *_ in COUNTS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "constants", "distinct", "generated", "depth"),
    [("producer_id.py", {"clients": 1}, 14, 15, 8), ("producer_id.py", {"clients": 2}, 316, 581, 15)],
)
def test_fewer_clients(model: str, constants: dict[str, int], distinct: int, generated: int, depth: int) -> None:
    """As TLC counts them."""
    found = check(str(EXAMPLES / model), constants=constants)
    assert (found.distinct, found.generated, found.depth, found.pruned) == (distinct, generated, depth, 0)
