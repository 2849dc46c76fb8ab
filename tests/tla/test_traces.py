"""Traces to and from TLC."""

import json
from pathlib import Path

import pytest

from isrcheck import check
from isrcheck.errors import UsageError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrcheck.tla.export import Exported, to_tla
from isrcheck.tla.traces import read_tlc_trace, trace_module
from isrmodel import TruncateToHighWatermark

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


def test_a_trace_of_ours_as_a_module(model: BoundModel, exported: Exported) -> None:
    trace = check(TruncateToHighWatermark, properties=["strong_isr"], constants=SMALL).property("strong_isr").trace
    assert trace is not None
    module, configuration = trace_module(trace, exported, model)
    assert module.name == "TruncateToHighWatermarkTrace"
    assert "EXTENDS MCTruncateToHighWatermark, TLC\n" in module.source
    assert "(* 10 states, in the last of which strong_isr is violated. *)" in module.source
    assert module.source.count("log |-> (r0 :> ") == 10
    assert "       requests |-> (0 :> [leader |-> r0, isr |-> {r0, r1}] @@ 1 :> None),\n" in module.source
    assert "TraceUnfinished == traceAt < Len(TraceStates)\n" in module.source
    assert "    r0 = r0\n    r1 = r1\n\nINVARIANT TraceUnfinished\n" in configuration
    assert "\\* Violated there too, if asked instead: INVARIANT StrongIsr\n" in configuration
