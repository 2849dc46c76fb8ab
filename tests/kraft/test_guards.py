"""Every guard under KRaft is removed once, in `kraft`: a property kills the mutant, or a reason is given.

One guard speaks of a clock, which `kraft` does not have, and is removed in `kraft-timed`.
"""

from collections import Counter

import pytest
from tools.reports.mutants import REASONS, ROOT, read_fates

from isrcheck.gate.mutants.make import mutants_of
from isrcheck.gate.mutants.report import DETECTED
from isrcheck.gate.mutants.survey import read_reasons
from isrcheck.lang.read import read_model
from isrmodel.kraft import RELEASES, Kraft
from isrmodel.kraft.timed import KraftTimed

KEPT = read_fates("guards", "kraft")
KEPT_WITH_CLOCK = read_fates("guards", "kraft-timed")


def test_every_guard_has_its_fate() -> None:
    """`python -m tools.reports.mutants kraft` makes the rows again; tests/reports/test_guards.py compares them."""
    written = sorted((mutant.owner, mutant.guard) for mutant in mutants_of(read_model(Kraft)) if mutant.guard)
    assert sorted((row.owner, row.guard) for row in KEPT) == written


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_changes_constants_only(release: str) -> None:
    """So what is said of the guards of `kraft` is said of those of every release."""
    assert issubclass(RELEASES[release], Kraft)
    for cls in RELEASES[release].__mro__[: RELEASES[release].__mro__.index(Kraft)]:
        assert {name for name in vars(cls) if not name.startswith("_")} == set(cls.__annotations__)


def test_the_clock_adds_no_guard() -> None:
    timed = {mutant.guard for mutant in mutants_of(read_model(KraftTimed)) if mutant.guard}
    assert timed == {row.guard for row in KEPT}


def test_who_kills_and_who_has_a_reason() -> None:
    killed = {row.guard for row in KEPT if row.fate in DETECTED}
    listed = {each.guard: each.because for each in read_reasons(ROOT / REASONS) if "kraft" in each.models}
    assert not killed & set(listed)
    assert killed | set(listed) == {row.guard for row in KEPT}
    by_clock = {row.guard for row in KEPT_WITH_CLOCK if row.fate in DETECTED}
    assert by_clock == {"ask_add: require(not self.has_clock())"}
    assert (len(killed | by_clock), len(set(listed) - by_clock)) == (52, 61)
    assert Counter(listed[guard] for guard in set(listed) - by_clock) == {
        "harmless": 27,
        "bound": 16,
        "implied": 9,
        "missing": 2,
        "scope": 6,
        "choice": 1,
    }
    assert all(row.killed_by for row in KEPT if row.fate == "killed")
