"""Every guard under KRaft is removed once, in `kraft`: a property kills the mutant, or a reason is given."""

import pytest
from tests.reports.mutants import REASONS, ROOT, read_fates

from isrcheck.gate.mutants.make import mutants_of
from isrcheck.gate.mutants.reasons import read_reasons
from isrcheck.gate.mutants.report import DETECTED
from isrcheck.lang.read import read_model
from isrmodel.kraft import RELEASES, Kraft

KEPT = read_fates("guards", "kraft")


def test_every_guard_has_its_fate() -> None:
    """`python -m tests.reports.mutants kraft` makes the rows again; tests/reports/test_mutants.py compares them."""
    written = sorted((mutant.owner, mutant.guard) for mutant in mutants_of(read_model(Kraft)) if mutant.guard)
    assert sorted((row.owner, row.guard) for row in KEPT) == written


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_changes_constants_only(release: str) -> None:
    """So what is said of the guards of `kraft` is said of those of every release."""
    assert issubclass(RELEASES[release], Kraft)
    for cls in RELEASES[release].__mro__[: RELEASES[release].__mro__.index(Kraft)]:
        assert {name for name in vars(cls) if not name.startswith("_")} == set(cls.__annotations__)


def test_who_kills_and_who_has_a_reason() -> None:
    killed = {row.guard for row in KEPT if row.fate in DETECTED}
    listed = {each.guard for each in read_reasons(ROOT / REASONS) if "kraft" in each.models}
    assert not killed & listed
    assert killed | listed == {row.guard for row in KEPT}
    assert (len(killed), len(listed)) == (35, 25)
    assert all(row.killed_by for row in KEPT if row.fate == "killed")
