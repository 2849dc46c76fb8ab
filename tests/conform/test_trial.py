"""A run with one thing wrong is noticed, unless what is left is a behaviour all the same, and it is known why.

`python -m tools.bench.damaged_runs` makes as many as one likes; docs/conform.md says what it found.
"""

import pytest
from tests.observe.runs import RECORDED
from tools.bench.damaged_runs import Reason, Trial, try_damaged

from isrlogs.conform.verdict import CONFORMS, UNDETERMINED

COPIES = 25
# Lines that others repeat, or that tell of a step that need not happen.
MISSING = {"hw_same", "known", "fetch_sent", "fetched", "fetch_done", "follows_on", "leads_on", "leads", "ack"}


@pytest.fixture(scope="module", params=["isr-strict-min-isr", "kraft-4.1"])
def trial(request: pytest.FixtureRequest) -> Trial:
    return try_damaged(RECORDED / "stall2-4.1.1", request.param, COPIES)


def test_half_of_what_is_wrong_is_noticed(trial: Trial) -> None:
    """What is missing may make a run undetermined; what is swapped or another number is a departure."""
    assert trial.verdicts.total() == COPIES
    assert sum(count for (_, verdict), count in trial.verdicts.items() if verdict != CONFORMS) >= 12
    assert {what for what, verdict in trial.verdicts if verdict == UNDETERMINED} <= {"removed"}


def test_what_is_not_noticed_is_a_behaviour_for_a_known_reason(trial: Trial) -> None:
    """Each was replayed by the reference: try_damaged() raises else."""
    assert not any(reason == Reason.OTHER for _, _, reason in trial.legal)
    assert {kind for what, kind, _ in trial.legal if what == "removed"} <= MISSING
    assert {kind for what, kind, _ in trial.legal if what == "changed"} <= {"hw_same.candidate", "shrinks.to"}


def test_an_append_is_never_lost_unnoticed(trial: Trial) -> None:
    kinds = {kind.partition(".")[0] for what, kind, _ in trial.legal if what != "swapped"}
    assert not kinds & {"append", "copies", "hw_up", "elects", "isr_asked", "isr_settled"}
