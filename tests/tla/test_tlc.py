"""TLC itself, where it is at hand: TLC_JAR is a path to its jar or classes. Otherwise its words alone are read."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tools.reports import tlc

from isrcheck import check
from isrcheck.errors import UsageError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrcheck.tla.export import Exported, to_tla
from isrcheck.tla.traces import read_tlc_trace
from isrmodel import TruncateToHighWatermark

AT_HAND = bool(os.environ.get("TLC_JAR")) and shutil.which("java") is not None
needs_tlc = pytest.mark.skipif(not AT_HAND, reason="TLC is not at hand: set TLC_JAR, and have java on the path")


def test_without_tlc_it_says_so_and_ends_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TLC_JAR", raising=False)
    assert tlc.main([]) == 0
    said = "TLC was not run: it needs Java, and TLC_JAR as a path to tla2tools.jar or to TLC's classes.\n"
    assert capsys.readouterr().out == said


def test_tlc_s_words_are_understood() -> None:
    held = (
        "Model checking completed. No error has been found.\n"
        "43 states generated, 24 distinct states found, 0 states left on queue.\n"
        "The depth of the complete state graph search is 7.\n"
    )
    assert tlc.parse_answer(held) == tlc.Answer(24, 43, 7, "", 0)
    broken = "Error: Invariant StrongIsr is violated.\nState 1: <Initial predicate>\nState 2: <Next>\n"
    assert tlc.parse_answer(broken) == tlc.Answer(None, None, None, "StrongIsr", 2)
    assert tlc.parse_answer("Error: Invariant Dark is violated by the initial state:\n").length == 1
    of_instance = (
        "Error: Action property line 46, col 17 to line 46, col 29 of module TCommit is violated.\nState 2: <Commit>\n"
    )
    assert tlc.parse_answer(of_instance) == tlc.Answer(None, None, None, "TCommit", 2)
    with pytest.raises(RuntimeError, match="out of memory"):
        tlc.parse_answer("Error: Java ran out of memory.\n")


SHAPES: list[tuple[str, dict[str, int]]] = [
    (name, {})
    for name in (
        *("toy-mutex", "toy-cashier", "toy-juggler", "kraft-4.3"),
        *("tests.lang.models.values:Sequences", "tests.tla.models:Beside"),
        *(f"tests.agreement.test_traps:{trap}" for trap in ("Asking", "Renamed", "Handed")),
    )
]


@needs_tlc
@pytest.mark.slow
@pytest.mark.parametrize(("model", "constants"), [*SHAPES, *tlc.GROUPS["messages"], *tlc.GROUPS["examples"]])
def test_tlc_counts_alike(model: str, constants: dict[str, int]) -> None:
    """Distinct states and depth; each invariant, refinement and step property; the length of every trace."""
    row = tlc.compare(tlc.Tlc(os.environ["TLC_JAR"]), model, constants)
    assert row.theirs is not None
    assert row.apart == []


DUMPED = Path(__file__).parent / "tlc-trace.json"  # TLC wrote it with -dumpTrace json, at these constants
SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


@pytest.fixture(scope="module")
def model() -> BoundModel:
    return bind(read_model(TruncateToHighWatermark), SMALL)


@pytest.fixture(scope="module")
def exported(model: BoundModel) -> Exported:
    return to_tla(model)


def test_tlc_s_counterexample_is_shown_as_ours(model: BoundModel, exported: Exported) -> None:
    trace = read_tlc_trace(DUMPED, exported, model, "truncate-to-high-watermark")
    assert (trace.name, trace.kind.name, trace.length) == ("weak_isr", "invariant", 9)
    last = trace.steps[-1]
    assert last.action == "replica_becomes_follower"
    assert last.arguments == {"follower": "r1", "leader": "r0", "epoch": 1}
    ours = check(TruncateToHighWatermark, constants=SMALL).property("weak_isr").trace
    assert ours is not None
    assert trace.length == ours.length


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["counterexample"].pop("state"), "is not a trace of TLC: give what it wrote with -dumpTrace json."),
        (lambda d: d["counterexample"].update(state=[]), "has no states: TLC found nothing to show."),
        (
            lambda d: d["counterexample"]["state"][0][1].pop("hw"),
            "has no variable hw: it is a trace of another module.",
        ),
        (lambda d: d["counterexample"]["state"][0][1].update(hw="<b>"), '"<b>" is not a value of hw.'),
        (
            lambda d: d["counterexample"]["state"][0][1].update(nextRecordId=1),
            "does not begin in the initial state of truncate-to-high-watermark with these constants.",
        ),
        (
            lambda d: d["counterexample"]["state"].pop(1),
            "goes from state 1 to state 2 by no step of truncate-to-high-watermark: give the constants that TLC had "
            "with -c, and the model as it was exported.",
        ),
    ],
)
def test_what_is_no_trace_of_the_model_is_refused(  # type: ignore[no-untyped-def] # lambdas
    tmp_path: Path, model: BoundModel, exported: Exported, change, said: str
) -> None:
    data = json.loads(DUMPED.read_text(encoding="utf-8"))
    change(data)
    file = tmp_path / "t.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(UsageError) as error:
        read_tlc_trace(file, exported, model, "truncate-to-high-watermark")
    assert str(error.value).startswith(f"{file}")
    assert said in str(error.value)
