"""SIGINT and SIGTERM end every command in every phase: exit 130, one line that says what was interrupted."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.interrupted import BIG, wait_until, working_in, write_models

import isrcheck
from isrcheck import Model, Verdict, action, check, invariant, require
from isrcheck.engines.native.search import NativeSearch
from isrcheck.engines.native.trace import NativeTracer
from isrcheck.process import failures, interrupt
from isrcheck.proofs.obligations import answer
from isrcheck.run import replay, vacuity

HEARD_SECONDS = 10.0  # of CPU time; each of these phases would take more than 30
# Says when the phase is under way (for the nth time), then goes on as if nothing had been said; what is soon over is
# done again.
RUNNER = """
import importlib, pathlib, sys
module, _, names = sys.argv.pop(1).partition(":")
marker = pathlib.Path(sys.argv.pop(1))
names, _, times = names.partition("#")
calls = int(times or 1)
*outer, name = names.split(".")
owner = importlib.import_module(module)
for each in outer:
    owner = getattr(owner, each)
original = getattr(owner, name)
def note(frame, event, argument):
    if frame.f_code is original.__code__:
        sys.setprofile(None)
        marker.touch()
def marked(*args, **options):
    global calls
    calls -= 1
    if calls == 0:
        sys.setprofile(note)
    for _ in range(50 if name == "provisional" else 0):
        original(*args, **options)
    return original(*args, **options)
setattr(owner, name, marked)
from isrcheck.cli import main
from isrcheck.run import verdicts
main()
"""
LARGE = "kip-320 -c replicas=5 -c log_size=6 -c max_records=6 -c max_leader_epoch=5"
SEARCH = "isrcheck.engines.native.workers:WorkerPool.run_over"
# By name: the function whose call begins the phase, the command, and what the line says.
PHASES = {
    "lowering": ("isrcheck.passes.scalarize:Scalarizer.system", f"check {LARGE}", "lowering the model"),
    "LLVM": ("isrcheck.engines.native.compile:optimize", f"check {LARGE} --max-memory 8G", "compiling the model"),
    "LLVM in haste": ("isrcheck.engines.native.compile:provisional", f"check {LARGE}", "compiling the model"),
    "search": (SEARCH, "check big.py:Big", "searching"),
    "search by several workers": (SEARCH, "check big.py:Big --workers 3", "searching"),
    "reference": ("isrcheck.engines.reference.stepper:search", "check big.py:Big --engine reference", "searching"),
    "walks": (SEARCH, "simulate big.py:Big --walks 1000000000", "walking"),
    "bounded search with z3": (
        "isrcheck.engines.symbolic.unroll:ask",
        "check kip-101 --engine symbolic --max-depth 60 -c replicas=4 --property log_matching",
        "solving with z3",
    ),
    "proof": ("isrcheck.passes.scalarize:Scalarizer.system", f"prove {LARGE}", "lowering the model"),
    "gate": ("isrcheck.gate.worker:result_of", "gate big.toml --workers 2", "running the gate"),
    "matrix": ("isrcheck.gate.worker:result_of", "compare grid.toml", "comparing"),
    "the original of mutants": (SEARCH, "mutate big.py:Big --max-seconds 1000", "searching"),
    "mutants": (
        "isrcheck.gate.mutants.survey:through",
        "mutate kip-320 --workers 2 --all --no-cache",
        "checking mutants",
    ),
    "report": (SEARCH, "report big.py:Big -o report", "searching"),
    "export": (SEARCH, "export big.py:Big --to parquet -o graph --max-states 1000000000", "searching"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_models(tmp_path)
    return tmp_path


def begun(folder: Path, begins: str, *words: str) -> subprocess.Popen[str]:
    """A command in a session of its own, once the phase has begun."""
    marker = folder / "begun"
    running = subprocess.Popen(
        [sys.executable, "-c", RUNNER, begins, str(marker), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "ISRCHECK_CACHE_DIR": str(folder / "cache")},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_until(lambda: marker.exists() or running.poll() is not None, 600)
    if not marker.exists():
        running.kill()
        pytest.fail(f"the phase did not begin: {running.communicate()}")
    return running


def ended(running: subprocess.Popen[str]) -> tuple[float, str, str]:
    """The CPU seconds until a command's end, and what it wrote; no process of it is left then."""
    before = cpu_seconds(running.pid) + of_children()
    try:
        out, err = running.communicate(timeout=600)
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
    seconds = of_children() - before
    assert "Traceback" not in err, err
    wait_until(lambda: session(running.pid) == [])
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


def session(leader: int) -> list[str]:
    """The processes of a session that still run."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = file.read_text().rpartition(") ")
        except OSError:
            continue
        state, _, _, of = rest.split()[:4]
        if int(of) == leader and state not in "ZX":
            found.append(name)
    return found


@pytest.mark.parametrize("phase", PHASES)
def test_a_signal_is_heard_in_every_phase(folder: Path, phase: str) -> None:
    begins, words, says = PHASES[phase]
    running = begun(folder, begins, *words.split())
    running.send_signal(signal.SIGINT if len(phase) % 2 else signal.SIGTERM)
    seconds, out, err = ended(running)
    assert running.returncode == 130, out + err
    assert seconds < HEARD_SECONDS
    assert f"isrcheck: interrupted while {says}.\n" in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begins", "says"),
    [
        ("isrcheck.engines.spark.session:_start", "starting Spark"),
        ("isrcheck.pipeline.run:SparkPool._row", "sweeping"),
    ],
)
def test_a_signal_ends_spark(folder: Path, begins: str, says: str) -> None:
    (folder / "sweep.toml").write_text('[[grid]]\nmodels = ["./big.py:Big"]\nlimits = { seconds = 600 }\n')
    running = begun(folder, begins, "sweep", "sweep.toml", "--out", "out")
    time.sleep(2)
    running.send_signal(signal.SIGTERM)
    seconds, out, err = ended(running)
    assert (running.returncode, seconds < HEARD_SECONDS) == (130, True), out + err
    assert f"isrcheck: interrupted while {says}.\n" in err
    wait_until(lambda: working_in(folder) == [])


def test_statistics_and_verdicts_so_far_are_told(folder: Path) -> None:
    running = begun(folder, f"{SEARCH}#3", "check", "big.py:Big", "--json", "-")  # two levels are complete
    running.send_signal(signal.SIGTERM)
    _, out, _ = ended(running)
    outcome = json.loads(out)
    assert (outcome["verdict"], outcome["exit"], outcome["cut"]) == ("undetermined", 130, "by the user")
    assert outcome["states"]["distinct"] > 1


def test_a_file_of_the_cache_is_no_phase_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    compiling = ("isrcheck.cli:main", "isrcheck.engines.native.compile:keep")
    keeping = (*compiling, "isrcheck.user_cache:CacheFolder.put", "isrcheck.files:write_aside")
    for chain, says in [(compiling, "compiling the model"), (keeping, "compiling the model")]:
        monkeypatch.setattr(failures, "under_way", lambda chain=chain: chain)
        assert failures.interruption_sentence() == f"interrupted while {says}."
    monkeypatch.setattr(failures, "under_way", lambda: ("isrcheck.cli:main", "isrcheck.files:write_aside"))
    assert failures.interruption_sentence() == "interrupted while writing."


def test_phases_are_named_after_modules_that_are_there() -> None:
    assert [name for name in (*failures._PHASES, *failures._SAY_NO_MORE) if find_spec(name) is None] == []


def test_a_proof_says_what_it_was_at(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = ("isrcheck.cli:main", "isrcheck.proofs.prover:Prover.run")
    for module, says in [
        ("proofs.refutation:violations", "proving"),
        ("proofs.relational.system:RelationalSystem.steps", "lowering the model"),
        ("proofs.solvers:says", "solving with z3 and cvc5"),
    ]:
        monkeypatch.setattr(failures, "under_way", lambda more=module: (*chain, f"isrcheck.{more}"))
        assert failures.interruption_sentence() == f"interrupted while {says}."


def test_a_second_signal_ends_at_once(folder: Path) -> None:
    # A search that never looks at the stop request, as if something took long.
    text = "import isrcheck.engines.native.search as search\nsearch.NativeSearch._check = lambda search: None\n"
    text += "from isrcheck.process import interrupt\ninterrupt._SAME_SECONDS = 0.0\n"
    (folder / "big.py").write_text(BIG + text)
    running = begun(folder, SEARCH, "check", "big.py:Big")
    while running.poll() is None:  # signals that come before the first is noted are one
        running.send_signal(signal.SIGINT)
        time.sleep(1)
    _, _, err = ended(running)
    assert running.returncode == 130
    assert "isrcheck: interrupted twice: ended at once." in err


def test_one_request_that_comes_twice_is_one(folder: Path) -> None:
    running = begun(folder, SEARCH, "check", "big.py:Big")
    os.killpg(running.pid, signal.SIGINT)  # to the process that waits, which hands it on, and to the other one
    _, out, err = ended(running)
    assert running.returncode == 130
    assert "never_nine_everywhere" in out
    assert "interrupted while searching" in err


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
        """Not without having risen."""
        require(self.up)
        self.up = True

    @invariant
    def stays_down(self) -> bool:
        """So it is."""
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
