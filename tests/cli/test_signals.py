"""SIGINT and SIGTERM end every command in every phase: exit 130, and one line that says so."""

import json
import os
import re
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from tools.bench._phases import PHASES, Phase
from tools.bench.interrupted import BIG, begin, kill_all, processes_in, wait_until, write_models
from tools.bench.interrupts import SIGNALS, WAYS, Load, end_in
from tools.bench.marked_phase import owner_of

import isrcheck
from isrcheck import Model, Verdict, action, check, invariant, require
from isrcheck.cli import commands
from isrcheck.engines.native.search import NativeSearch
from isrcheck.engines.native.trace import NativeTracer
from isrcheck.process import interrupt
from isrcheck.process.budget import OutOfBudget, budget
from isrcheck.proofs import solvers
from isrcheck.proofs.obligations import answer
from isrcheck.run import replay, vacuity

HEARD_SECONDS = 10.0  # of CPU time; each of these phases would take more than 30
SEARCH = "isrcheck.engines.native.workers:WorkerPool.run_over"
LEVEL = "isrcheck.engines.common.targets:StopPolicy.after_level"
TITLES = (
    "check: lowering",
    "check: LLVM, quick",
    "check: LLVM, with --max-memory",
    "check: searching",
    "check: searching, 3 workers",
    "check: searching, reference",
    "check: searching, symbolic",
    "prove: reading",
    "prove: obligations",
    "gate: runs",
    "compare: matrix",
    "mutate: the original",
    "mutate: mutants, 2 workers",
    "simulate: walking",
    "export: Parquet",
)
WITH_SPARK = ("sweep: starting Spark", "sweep: cells")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_models(tmp_path)
    return tmp_path


def ended(running: subprocess.Popen[str], folder: Path) -> tuple[float, str, str]:
    """The CPU seconds until a command's end, and what it wrote; no process of it is left then."""
    before = cpu_seconds(running.pid) + of_children()
    try:
        running.communicate(timeout=600)
        wait_until(lambda: processes_in(folder) == [])
    finally:
        kill_all(folder)
    seconds = of_children() - before
    out, err = ((folder / f"command.{end}").read_text() for end in ("out", "err"))
    assert "Traceback" not in err, err
    return seconds, out, err


def of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cpu_seconds(process: int) -> float:
    """Return the CPU seconds of a process, without its children's."""
    try:
        ticks = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()[11:13]
    except FileNotFoundError:
        return 0.0
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("title", [*TITLES, *(pytest.param(each, marks=pytest.mark.slow) for each in WITH_SPARK)])
def test_a_signal_is_heard_in_every_phase(folder: Path, title: str) -> None:
    """Below all phases are asked, and limits."""
    phase = next(each for each in PHASES if each.title == title)
    running = begin(folder, re.sub(r"#\d+", "", phase.begins), *phase.words.split())
    running.send_signal(signal.SIGINT if len(title) % 2 else signal.SIGTERM)
    seconds, out, err = ended(running, folder)
    assert running.returncode == 130, out + err
    assert seconds < HEARD_SECONDS
    assert "isrcheck: interrupted.\n" in err


@pytest.mark.parametrize(
    ("engine", "third_level", "number"),
    [("native", f"{SEARCH}#3", signal.SIGTERM), ("reference", f"{LEVEL}#3", signal.SIGINT)],
    ids=["native", "reference"],
)
def test_statistics_and_verdicts_so_far_are_told(folder: Path, engine: str, third_level: str, number: int) -> None:
    running = begin(folder, third_level, "check", "big.py:Big", "--engine", engine, "--json", "-")
    running.send_signal(number)
    _, out, _ = ended(running, folder)
    outcome = json.loads(out)
    assert (outcome["verdict"], outcome["exit"], outcome["cut"]) == ("undetermined", 130, "by the user")
    assert [p["verdict"] for p in outcome["properties"]] == ["undetermined"]
    assert (running.returncode, outcome["states"]["distinct"] > 1) == (130, True)


def test_a_second_signal_ends_at_once(folder: Path) -> None:
    # A search that never looks at the stop request, as if something took long.
    text = "import isrcheck.engines.native.search as search\nsearch.NativeSearch._check = lambda search: None\n"
    text += "from isrcheck.process import interrupt\ninterrupt._SAME_SECONDS = 0.0\n"
    (folder / "big.py").write_text(BIG + text)
    running = begin(folder, SEARCH, "check", "big.py:Big")
    while running.poll() is None:  # signals that come before the first is noted are one
        running.send_signal(signal.SIGINT)
        time.sleep(1)
    _, _, err = ended(running, folder)
    assert running.returncode == 130
    assert "isrcheck: interrupted twice: ended at once." in err


def test_one_request_that_comes_twice_is_one(folder: Path) -> None:
    (folder / "big.py").write_text(f"{BIG}from isrcheck.process import interrupt\ninterrupt._SAME_SECONDS = 600.0\n")
    running = begin(folder, SEARCH, "check", "big.py:Big")
    os.killpg(running.pid, signal.SIGINT)  # to the process that waits, which hands it on, and to the other one
    _, out, err = ended(running, folder)
    assert running.returncode == 130
    assert "never_nine_everywhere" in out
    assert "isrcheck: interrupted.\n" in err


# What is known when the signal comes after the search


@pytest.fixture
def ctrl_c_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any, str], None]]:
    """Has the first call of a function preceded by Ctrl-C."""

    def before(owner: Any, name: str) -> None:
        original, sent = getattr(owner, name), list[bool]()

        def call(*args: Any, **options: Any) -> Any:
            if not sent:
                sent.append(True)
                signal.raise_signal(signal.SIGINT)
            return original(*args, **options)

        monkeypatch.setattr(owner, name, call)

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield before
    signal.signal(signal.SIGINT, handler)


def test_a_violation_without_its_trace_is_not_known(ctrl_c_before: Callable[[Any, str], None]) -> None:
    ctrl_c_before(NativeTracer, "paths")
    outcome = check("toy-counter", properties=["within_limit", "below_three"])
    assert [(p.name, p.verdict) for p in outcome.properties] == [
        ("within_limit", Verdict.UNDETERMINED),
        ("below_three", Verdict.UNDETERMINED),
    ]
    assert (outcome.cut, outcome.exit, outcome.distinct) == ("by the user", 130, 4)


def test_a_violation_that_was_not_replayed_is_not_known(ctrl_c_before: Callable[[Any, str], None]) -> None:
    ctrl_c_before(replay, "replay")
    outcome = check("toy-counter")
    assert {p.verdict for p in outcome.properties} == {Verdict.UNDETERMINED}
    assert (outcome.cut, outcome.exit) == ("by the user", 130)


def test_verdicts_need_no_digest(ctrl_c_before: Callable[[Any, str], None]) -> None:
    ctrl_c_before(NativeSearch, "digest_of")
    outcome = check("toy-counter", properties=["within_limit"])
    assert [p.verdict for p in outcome.properties] == [Verdict.HOLDS]
    assert (outcome.cut, outcome.digest, outcome.exit) == (None, None, 130)


def test_after_a_signal_nobody_looks_for_what_is_vacuous(ctrl_c_before: Callable[[Any, str], None]) -> None:
    ctrl_c_before(NativeSearch, "digest_of")
    outcome = check("toy-counter", properties=["within_limit"], vacuity=True)
    assert [p.verdict for p in outcome.properties] == [Verdict.HOLDS]
    assert (outcome.vacuity_cut, outcome.exit) == ("by the user", 130)


class NeverUp(Model):
    """Its action never happens."""

    up: bool = False

    @action
    def rise(self) -> None:
        require(self.up)
        self.up = True

    @invariant
    def stays_down(self) -> bool:
        return not self.up


@pytest.mark.parametrize("model", ["toy-counter", NeverUp])
def test_verdicts_stay_when_the_look_for_what_is_vacuous_ends(
    ctrl_c_before: Callable[[Any, str], None], model: str | type[Model]
) -> None:
    ctrl_c_before(vacuity, "engine")
    outcome = check(model, properties=["within_limit" if model == "toy-counter" else "stays_down"], vacuity=True)
    assert outcome.cut is None
    assert [p.verdict for p in outcome.properties] == [Verdict.HOLDS]


def test_a_proof_that_was_made_stays(
    ctrl_c_before: Callable[[Any, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted_answer(obligation: Any, patience: float) -> Any:
        if obligation.of == "order_is_kept":
            signal.raise_signal(signal.SIGINT)
        return answer(obligation, patience)

    monkeypatch.setattr("isrcheck.proofs.prover.answer", interrupted_answer)
    outcome = isrcheck.prove("toy-queue").outcome
    assert [p.verdict for p in outcome.properties] == [Verdict.HOLDS, Verdict.UNDETERMINED]
    assert outcome.exit == 130
    assert outcome.proofs[1].reason == "by the user"


def test_a_signal_in_a_finalizer_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    class Noisy:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)
            time.sleep(0)

    def make_and_drop(cls: type[object]) -> None:
        cls()
        time.sleep(0)

    monkeypatch.setattr(interrupt, "_first_signal", interrupt._FirstSignal())
    handler = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt.listen()
    try:
        with pytest.raises(KeyboardInterrupt):
            make_and_drop(Noisy)
    finally:
        signal.signal(signal.SIGINT, handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


# Interrupted, undetermined, a cut that leaves nothing to say, and verdicts that were known before
ENDS = (130, 20, 2, 0, 12, 13)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase.title)
def test_every_phase_ends(phase: Phase, way: str, tmp_path: Path) -> None:
    if way not in SIGNALS and not phase.limit:
        return
    end = end_in(phase, way, Load(0), tmp_path)
    assert end.exit in ENDS, end.says
    assert "Traceback" not in end.says


def test_every_command_has_a_phase() -> None:
    assert {phase.command for phase in PHASES} >= {*commands.list_commands(click.Context(commands))}


@pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase.title)
def test_every_phase_begins_with_a_function_that_there_is(phase: Phase) -> None:
    owner, name = owner_of(re.split(r"[#*]", phase.begins)[0])
    assert callable(getattr(owner, name))


def never_answer() -> solvers.Answer:
    while True:
        time.sleep(1)


def kill_oneself() -> solvers.Answer:
    signal.raise_signal(signal.SIGKILL)
    return solvers.NO_ANSWER


def test_a_solver_that_never_answers_ends_with_the_budget() -> None:
    with budget(0.2), pytest.raises(OutOfBudget):
        solvers._ask_elsewhere(never_answer)


def signal_the_parent() -> solvers.Answer:
    os.kill(os.getppid(), signal.SIGUSR1)
    return never_answer()


def test_a_solver_that_never_answers_ends_with_a_signal() -> None:
    """The signal comes from the child: before that, a function that runs at the fork could take its exception."""
    handler = signal.signal(signal.SIGUSR1, lambda number, frame: interrupt.raise_in(frame, KeyboardInterrupt()))
    try:
        with pytest.raises(KeyboardInterrupt):
            solvers._ask_elsewhere(signal_the_parent)
    finally:
        signal.signal(signal.SIGUSR1, handler)


def test_a_solver_that_dies_has_no_answer() -> None:
    assert solvers._ask_elsewhere(kill_oneself) is None
