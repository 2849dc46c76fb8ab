"""CPU seconds of every test, in a file, and a limit that quick tests keep.

A test is charged what its process, and the processes it waited for, used in setup and call. What a fixture of a wider
scope used stands under the fixture's name. Seconds are of CPU time: wall time depends on the machine's load.
"""

import csv
import resource
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

SECONDS = 3.0  # a quick test's limit
CHARGE = "CPU seconds"


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of the children it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def newest_change(folder: Path) -> int:
    """Return the time in ns at which a folder last gained or lost a file; 0 if there is none."""
    try:
        return max(path.stat().st_mtime_ns for path in (folder, *filter(Path.is_dir, folder.iterdir())))
    except FileNotFoundError:
        return 0


class Meter:
    """Charges CPU seconds to tests and to shared fixtures, and fails a quick test above the limit."""

    def __init__(self, compiled: Path) -> None:
        self._compiled = compiled
        self._charges: dict[str, float] = defaultdict(float)  # of the test under way
        self._shared = 0.0
        self._compiled_before = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: "pytest.FixtureDef[object]") -> Generator[None, object, object]:
        before, inner = cpu_seconds(), self._shared
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                own = cpu_seconds() - before - (self._shared - inner)
                self._charges[f"fixture {fixturedef.argname} ({fixturedef.scope})"] += own
                self._shared += own

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: "pytest.CallInfo[None]"
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "call" and (sentence := self._excess(item)) and report.passed:
            report.outcome, report.longrepr = "failed", sentence
        if report.when == "teardown":
            report.user_properties = [(CHARGE, dict(self._charges))]
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        self._charges.clear()
        self._compiled_before = newest_change(self._compiled)
        return (yield from self._charge("test"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None]:
        return (yield from self._charge("test"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Generator[None]:
        return (yield from self._charge("teardown"))

    def _charge(self, name: str) -> Generator[None]:
        before, shared = cpu_seconds(), self._shared
        try:
            return (yield)
        finally:
            self._charges[name] += cpu_seconds() - before - (self._shared - shared)

    def _excess(self, item: pytest.Item) -> str:
        """Return the sentence for a quick test above the limit; empty if it has a reason, or compiled something."""
        seconds = self._charges["test"]
        allowed = item.get_closest_marker("slow") or item.get_closest_marker("heavy")
        if seconds <= SECONDS or allowed or newest_change(self._compiled) != self._compiled_before:
            return ""
        return (
            f"{item.nodeid} took {seconds:.1f} CPU seconds, and a quick test has {SECONDS:g}: make it smaller, mark it "
            "slow, or mark it heavy with the reason."
        )


class Ledger:
    """Collects the charges of all processes, writes them to a file, and shows their sum."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._rows: list[tuple[str, str, float]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == CHARGE:
                assert isinstance(value, dict)
                self._rows += [(report.nodeid, account, seconds) for account, seconds in value.items()]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("w", encoding="utf-8", newline="") as file:
            rows = [(test, account, f"{seconds:.3f}") for test, account, seconds in self._rows]
            csv.writer(file).writerows([("test", "account", "CPU seconds"), *rows])
        total = sum(seconds for _, _, seconds in self._rows)
        terminalreporter.write_line(f"{total:.0f} CPU seconds in tests; {self._file} has them one by one.")
