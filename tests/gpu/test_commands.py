"""Commands that take the gpu engine by name: on a device that this processor plays, and without a driver."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.fixtures.command_line import in_process
from tests.gpu.systems import emulate
from tools.gpu import __main__ as bench

from isrcheck.cli import commands
from isrcheck.engines.gpu import driver
from isrcheck.gate import run
from isrcheck.gate.cells import GateCell, cells
from isrcheck.gate.run import GateRunner
from isrcheck.gate.spec import parse_gate_spec
from isrcheck.gate.worker import LeftOut, Ran, result_of
from isrcheck.grid.spec import parse_spec
from isrcheck.pipeline.sweep import plan
from isrcheck.pipeline.task import answer
from isrcheck.version import __version__

NO_DRIVER = (
    "isrcheck: --engine gpu needs the driver of an NVIDIA GPU, and there is no no-driver.so. Use --engine native.\n"
)
LOST = ["-c", "replicas=2", "-c", "log_size=1", "-c", "max_records=1", "-c", "max_leader_epoch=1"]
EVERY_TICK = ("-c", "pace=every-tick")
RISK = ("--replication-factor", "2", "--acks", "1", "--budget", "fences=1", "--no-advice")
GATE = """\
[[run]]
model = "toy-mutex"
engine = "{engine}"
expect = {{ mutual_exclusion = "holds" }}

[[run]]
model = "toy-counter"
engine = "{engine}"
counts = {{ distinct = 4 }}
"""
SWEEP = '[[grid]]\nmodels = ["toy-mutex"]\nengine = "{engine}"\n'


@pytest.fixture
def emulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "cache"))
    emulate(monkeypatch)


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LIBRARIES", ("no-driver.so",))


@pytest.mark.usefixtures("emulator")
def test_check_says_what_the_native_engine_says() -> None:
    asked = ["check", "truncate-to-high-watermark", *LOST, "--no-vacuity", "--json", "-"]
    own, other = (in_process(*asked, "--engine", name) for name in ("gpu", "native"))
    outcome, expected = json.loads(own.stdout), json.loads(other.stdout)
    assert (own.returncode, outcome["engine"]) == (12, "gpu")
    assert [outcome[key] for key in ("states", "actions", "cut")] == [
        expected[key] for key in ("states", "actions", "cut")
    ]
    assert outcome["properties"] == expected["properties"]
    assert "--engine gpu" in outcome["command"]


def risk(*words: str) -> Result:
    return CliRunner().invoke(commands, ["risk", *RISK, *words, "--json", "-"], standalone_mode=False)


@pytest.mark.slow
@pytest.mark.usefixtures("emulator")
def test_risk_says_what_the_native_engine_says() -> None:
    """Of more states: brokers that differ only in their names are told apart."""
    own, other = (risk("--engine", name) for name in ("gpu", "native"))
    answers = [json.loads(each.stdout) for each in (own, other)]
    assert own.return_value == other.return_value == 12
    assert answers[0]["frontier"] == answers[1]["frontier"] != []
    assert answers[0]["survives"] == answers[1]["survives"]
    assert answers[0]["states"] > answers[1]["states"]
    kept = json.loads(risk("--engine", "gpu").stdout)
    assert (kept["states"], kept["complete"][0]["from_cache"]) == (answers[0]["states"], True)


def gate_cells(engine: str) -> tuple[GateCell, ...]:
    return cells(parse_gate_spec(GATE.format(engine=engine), Path("s.toml")))


@pytest.mark.usefixtures("emulator")
def test_a_spec_of_the_gate_names_it() -> None:
    results = [result_of(cell) for cell in gate_cells("gpu")]
    assert [isinstance(each, Ran) and each.outcome.engine for each in results] == ["gpu", "gpu"]


class Counted:
    """A process of the gate that takes two looks, and counts how many there are at once."""

    now, most = 0, 0

    def __init__(self, cell: GateCell) -> None:
        self.cell, self.seconds, self._looks = cell, 0.0, 0
        self._ends = os.pipe()
        Counted.now += 1
        Counted.most = max(Counted.now, Counted.most)

    def fileno(self) -> int:
        return self._ends[0]

    def result(self) -> LeftOut | None:
        self._looks += 1
        if self._looks < 2:
            return None
        Counted.now -= 1
        self.kill()
        return LeftOut("")

    def kill(self) -> None:
        for end in self._ends:
            os.close(end)


@pytest.mark.parametrize(("engine", "most"), [("gpu", 1), ("native", 2)])
def test_the_gate_searches_on_a_gpu_one_cell_at_a_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str, most: int
) -> None:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(run, "CellProcess", Counted)
    Counted.now = Counted.most = 0
    assert len(GateRunner(gate_cells(engine), workers=4).run().results) == 2
    assert Counted.most == most


@pytest.mark.usefixtures("emulator")
def test_a_spec_of_a_sweep_names_it() -> None:
    rows = []
    for name in ("gpu", "native"):
        ((key, cell),) = (planned := plan(parse_spec(SWEEP.format(engine=name), "s.toml"))).cells.items()
        task = {
            "model": cell.model,
            "sources": {},
            "text": planned.texts[cell.model],
            "version": __version__,
            "constants": cell.constants,
            "properties": cell.properties,
            "limits": {"seconds": 300.0},
            "engine": cell.engine,
        }
        rows.append({"key": key, **answer(task)})
    own, other = rows
    assert own["key"] != other["key"]
    assert "--engine gpu" in own["command"]
    assert (own["status"], own["digest"], own["verdict"]) == (other["status"], other["digest"], other["verdict"])


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_one_sentence_says_what_was_looked_for(tmp_path: Path) -> None:
    done = in_process("check", "kip-320", "--engine", "gpu", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", NO_DRIVER)


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_risk_says_the_same() -> None:
    assert f"isrcheck: {risk('--engine', 'gpu', '--no-cache').exception}\n" == NO_DRIVER


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_dev_gpu_offers_a_rehearsal(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main([]) == 2
    said = NO_DRIVER.removeprefix("isrcheck: ").removesuffix("\n")
    assert capsys.readouterr().err == f"{said} ./dev gpu --emulator rehearses without a GPU.\n"


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_a_sweep_ends_before_its_first_cell(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SWEEP.format(engine="gpu"), encoding="utf-8")
    done = in_process("sweep", "s.toml", "--out", "out", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.splitlines(keepends=True)[-1]) == (2, "", NO_DRIVER)


@pytest.mark.usefixtures("emulator")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--symmetry",), "looks at every state: leave --symmetry out, or use --engine native."),
        (("--workers", "2"), "has one worker: leave --workers out, or use --engine native."),
        (("--disk", "d"), "keeps its states in memory: leave --disk out, or use --engine native."),
        (("--certificate", "c"), "keeps its states on the device: leave --certificate out, or use --engine native."),
    ],
)
def test_what_a_gpu_cannot_do_is_refused(tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    done = in_process("check", "kip-320", "--engine", "gpu", *words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"isrcheck: the gpu engine {sentence}\n")


@pytest.mark.usefixtures("emulator")
def test_a_temporal_property_is_refused_by_name() -> None:
    done = in_process("check", "forever-kafka-8841", *EVERY_TICK, "--engine", "gpu", "--property", "no_flapping")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "isrcheck: the gpu engine does not decide no_flapping, a temporal property: use --engine native or"
    )
