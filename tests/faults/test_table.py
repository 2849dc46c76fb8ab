"""Every fault of the table applies, to text that still compiles, and its test is there, and slow where it says so."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable

import pytest
from tests import slow
from tools.faults.seeded import ROOT, SeededFault, faults

TABLE = faults()
ROOMS = {
    "disk",
    "editor",
    "exporter",
    "gate",
    "gpu",
    "kernel",
    "liveness",
    "model",
    "passes",
    "reader",
    "recheck",
    "reference",
    "relational",
    "signals",
    "spark",
}


@pytest.mark.parametrize("fault", TABLE, ids=lambda fault: fault.name)
def test_a_fault_applies_once_and_to_text_that_compiles(fault: SeededFault) -> None:
    assert fault.apply() != (ROOT / fault.file).read_text(encoding="utf-8")
    if fault.file.endswith(".py"):
        compile(fault.apply(), fault.file, "exec")


def test_every_room_has_faults_of_names_of_their_own() -> None:
    assert {fault.room for fault in TABLE} == ROOMS
    assert [name for name, times in Counter(fault.name for fault in TABLE).items() if times > 1] == []
    assert len(TABLE) >= 70
    assert sum(not fault.slow for fault in TABLE) >= 55


@pytest.mark.heavy(reason="collects a quarter of the suite in a process of its own, unless this one has")
def test_the_tests_are_there_and_slow_where_the_table_says_so(pytestconfig: pytest.Config) -> None:
    tests = {fault.test for fault in TABLE}
    here = pytestconfig.stash[slow.QUICK]
    quick = with_families(node for node in here if here[node]) if tests <= with_families(here) else collect_quick(tests)
    assert {fault.name for fault in TABLE if fault.slow} == {fault.name for fault in TABLE if fault.test not in quick}


def with_families(nodes: Iterable[str]) -> set[str]:
    """Node ids, also without their parameters."""
    return {name for node in nodes for name in (node, node.partition("[")[0])}


def collect_quick(tests: set[str]) -> set[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
    done = subprocess.run([*command, *sorted(tests)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return with_families(done.stdout.splitlines())
