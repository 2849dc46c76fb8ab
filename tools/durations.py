"""CPU seconds of every test, in a file, and a limit that quick tests keep.

A test is charged what its process, and the processes it waited for, used in setup and call. What a fixture of a wider
scope used stands under the fixture's name. Seconds are of CPU time: wall time depends on the machine's load. CPU time
does, too, but less: 2.3 s became 3.3 s where other processes shared a core and its caches, and what a first test of a
checkout compiles took 6 s. So a test above the limit is listed, and fails only where no such cause explains it.
"""

import csv
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

SECONDS = 3.0  # a quick test's limit
MARGIN = 3.0  # more than twice what a busy core (1.4) and a first test (2.0) were seen to add
LOOP_SECONDS = 0.0028  # of the loop below, on the machine that the limit was chosen on, with a core of its own
CHARGE = "CPU seconds"
ABOVE = "above the limit"


def slowdown() -> float:
    """Return how many times longer a fixed loop takes now than where the limit was chosen; 1 if it takes less."""
    times = []
    for _ in range(9):
        before = time.thread_time()
        sum(n % 7 for n in range(100_000))
        times.append(time.thread_time() - before)
    return max(1.0, sorted(times)[4] / LOOP_SECONDS)


def is_failure(seconds: float, slower: float) -> bool:
    """Say whether a quick test took more CPU seconds than a core that is so many times slower explains."""
    return seconds > SECONDS * MARGIN * slower


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

    def __init__(
        self, compiled: Path, clock: Callable[[], float] = cpu_seconds, slowdown: Callable[[], float] = slowdown
    ) -> None:
        self._compiled = compiled
        self._clock = clock
        self._slowdown = slowdown
        self._charges: dict[str, float] = defaultdict(float)  # of the test under way
        self._shared = 0.0
        self._started = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: "pytest.FixtureDef[object]") -> Generator[None, object, object]:
        before, inner = self._clock(), self._shared
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                own = self._clock() - before - (self._shared - inner)
                self._charges[f"fixture {fixturedef.argname} ({fixturedef.scope})"] += own
                self._shared += own

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: "pytest.CallInfo[None]"
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "call" and report.passed and self._is_above(item):
            report.user_properties = [(ABOVE, self._charges["test"])]
            if is_failure(self._charges["test"], self._slowdown()):
                report.outcome, report.longrepr = "failed", excess(item.nodeid, self._charges["test"])
        if report.when == "teardown":
            report.user_properties = [(CHARGE, dict(self._charges))]
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        self._charges.clear()
        self._started = time.time_ns()
        return (yield from self._charge("test"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None]:
        return (yield from self._charge("test"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Generator[None]:
        return (yield from self._charge("teardown"))

    def _charge(self, name: str) -> Generator[None]:
        before, shared = self._clock(), self._shared
        try:
            return (yield)
        finally:
            self._charges[name] += self._clock() - before - (self._shared - shared)

    def _is_above(self, item: pytest.Item) -> bool:
        """Say whether a quick test is above the limit, and neither has a reason nor compiled something."""
        allowed = item.get_closest_marker("slow") or item.get_closest_marker("heavy")
        return self._charges["test"] > SECONDS and not allowed and newest_change(self._compiled) < self._started


def excess(test: str, seconds: float) -> str:
    """Return the sentence for a quick test above the limit."""
    return (
        f"{test} took {seconds:.1f} CPU seconds, and a quick test has {SECONDS:g}: make it smaller, mark it slow, or "
        "mark it heavy with the reason."
    )


class Ledger:
    """Collects the charges of all processes, writes them to a file, and shows their sum."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._rows: list[tuple[str, str, float]] = []
        self._above: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == CHARGE:
                assert isinstance(value, dict)
                self._rows += [(report.nodeid, account, seconds) for account, seconds in value.items()]
            elif name == ABOVE:
                assert isinstance(value, float)
                self._above.append(excess(report.nodeid, value))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("w", encoding="utf-8", newline="") as file:
            rows = [(test, account, f"{seconds:.3f}") for test, account, seconds in self._rows]
            csv.writer(file).writerows([("test", "account", "CPU seconds"), *rows])
        total = sum(seconds for _, _, seconds in self._rows)
        terminalreporter.write_line(f"{total:.0f} CPU seconds in tests; {self._file} has them one by one.")
        for sentence in self._above:
            terminalreporter.write_line(sentence)
