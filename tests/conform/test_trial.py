"""A run with one thing wrong is noticed, unless what is left is a behaviour all the same.

`python -m tests.conform.trial` makes as many as one likes; docs/conform.md says what it found.
"""

from tests.conform.trial import tried
from tests.observe.runs import RECORDED

# Lines of which two may change places, or one be missing, and the rest is a behaviour still.
LEGAL = {"hw_same", "hw_blocked", "isr_asked", "known", "hw_up", "shrinks", "copies", "append", "expands"}


def test_what_is_not_noticed_is_a_line_that_repeats_others() -> None:
    trial = tried(RECORDED / "stall2-4.1.1", "isr-strict-min-isr", 60)
    noticed = sum(count for (_, verdict), count in trial.verdicts.items() if verdict != "conforms")
    assert noticed >= 25
    kinds = {kind.partition(".")[0] for _, kinds in trial.legal for kind in kinds.split(", ")}
    assert kinds <= LEGAL
    assert ("removed", "append") not in trial.legal
    assert ("changed", "append.end") not in trial.legal
    assert ("changed", "known.offset") not in trial.legal
