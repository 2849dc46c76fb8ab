"""Outcomes from Python: verdicts, replayed traces, and the line that runs a check again."""

import os
import pickle
import stat
import threading
from pathlib import Path

import pytest

from isrcheck import Options, Verdict, check, prove, simulate
from isrcheck.engines.contract import Bounded, Cluster, Limits, NotStarted, Proved, RunResult, Sampled, Searched
from isrcheck.errors import Disagreement, UsageError
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.outcome_document import outcome_document
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.files import write_aside
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.invocation import Invocation, SimulationInvocation, line
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.run.replay import replay
from isrcheck.run.trace import INDUCTION, Trace, read_trace
from isrmodel import AsyncIsrProposedOnly
from isrtoys import KNOWN, KnownRun


def test_a_property_that_was_not_asked_is_a_sentence() -> None:
    outcome = check("toy-born-wrong")
    assert outcome.property("dark").name == "dark"
    with pytest.raises(UsageError, match=r"^this run of toy-born-wrong says nothing of drak\. Did you mean dark\?$"):
        outcome.property("drak")


def test_an_outcome_is_shown_on_one_line() -> None:
    assert repr(check("toy-born-wrong")) == "<Outcome violated: toy-born-wrong: dark violated, 1 distinct>"


def test_commands_are_told_by_their_names() -> None:
    name = "something_is_exposed"
    trace = check("original-design", properties=[name]).property(name).trace
    assert trace is not None
    for text in (render_trace(trace, "txt"), render_trace(trace, "md")):
        assert "LeaderAndISR v" in text
        assert "Command(kind=" not in text


def test_within_bounds_is_said_in_the_json_as_in_the_text() -> None:
    few = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    outcome = check("kip-320", properties=["strong_isr", "something_commits"], constants=few)
    data = outcome.to_dict()
    assert outcome.property("strong_isr").sentence.startswith("holds within bounds (")
    assert data["within_bounds"]
    found = {each["name"]: (each["within_bounds"], each["assurance"]) for each in data["properties"]}
    assert found == {"strong_isr": (True, "exhaustive"), "something_commits": (False, "replayed")}


def test_a_text_is_one_name_of_a_property() -> None:
    assert [each.name for each in check("toy-born-wrong", properties="dark").properties] == ["dark"]


def test_what_does_not_apply_is_shown_only_where_all_is_asked() -> None:
    asked, everything = (check("isr-strict-min-isr", properties=names) for names in ("hw_never_decreases", None))
    assert asked.not_asked
    assert "n/a" not in plain_text(outcome_document(asked), 100)
    assert "n/a" in plain_text(outcome_document(everything), 100)


def test_a_file_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "it"
    for text in ("one", "two"):
        write_aside(file, text)
        assert file.read_text(encoding="utf-8") == text
    assert [each.name for each in file.parent.iterdir()] == ["it"]


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    """So does /dev/null, which nobody but root could replace, and root would."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_aside(pipe, "through")
    reader.join()
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


EXITS = {"invariant": 12, "step": 13, "reachable": 22}


def by_name(known: KnownRun, **options: object) -> dict[str, PropertyOutcome]:
    toy = next(name for name, each in KNOWN.items() if each is known)
    outcome = check(toy, engine="evaluator", constants=known.constants, **options)  # type: ignore[arg-type] # each its own
    return {found.name: found for found in outcome.properties}


@pytest.mark.parametrize("toy", KNOWN)
def test_every_property_has_its_known_verdict(toy: str) -> None:
    for name, (verdict, length) in KNOWN[toy].properties.items():
        found = by_name(KNOWN[toy])[name]
        assert (found.verdict.value, found.trace and found.trace.length) == (verdict, length), name
        assert found.assurance == ("replayed" if length else "exhaustive")
        assert found.exit == (0 if verdict == "holds" else EXITS[found.kind.name])


@pytest.mark.parametrize("toy", KNOWN)
def test_a_run_that_is_cut_short_decides_by_a_trace_or_not_at_all(toy: str) -> None:
    known = KNOWN[toy]
    for found in by_name(known, limits=Limits(depth=known.depth - 1)).values():
        decided, length = known.properties[found.name]
        if length is not None and length < known.depth:
            assert (found.verdict.value, found.trace is not None) == (decided, True)
        else:
            assert (found.verdict, found.assurance) == (Verdict.UNDETERMINED, f"bounded({known.depth - 2})")


def test_the_worst_of_its_properties_is_a_run_s_verdict() -> None:
    outcome = check("toy-clock", engine="evaluator")
    found = outcome.properties[0]
    undetermined = replace(found, verdict=Verdict.UNDETERMINED)
    violated = replace(found, verdict=Verdict.VIOLATED)
    for properties, verdict, code in (
        ((found, undetermined), Verdict.UNDETERMINED, 20),
        ((undetermined, found, violated), Verdict.VIOLATED, 12),
    ):
        made = replace(outcome, properties=properties)
        assert (made.verdict, made.exit) == (verdict, code)


def counted_only(outcome: Outcome, result: RunResult) -> Outcome:
    return replace(outcome, properties=(), result=result, invocation=replace(outcome.invocation, properties=()))


def test_a_model_none_of_whose_properties_applies_is_undetermined() -> None:
    outcome = check("toy-clock", engine="evaluator")
    without = replace(outcome, properties=())
    assert (without.verdict, without.exit) == (Verdict.UNDETERMINED, 20)
    counted = counted_only(outcome, outcome.result)
    assert (counted.verdict, counted.exit) == (Verdict.HOLDS, 0)
    assert counted_only(outcome, replace(outcome.result, cut="after 2 states")).exit == 20


@pytest.mark.parametrize(
    ("result", "complete"),
    [
        (Bounded(depth=3), False),
        (Sampled(seed=1, walks=2, steps=3), False),
        (NotStarted(), False),
        (Proved(), True),
        (Proved(cut="without a proof"), False),
    ],
)
def test_only_a_search_or_a_proof_is_ever_complete(result: RunResult, complete: bool) -> None:
    outcome = counted_only(check("toy-clock", engine="evaluator"), result)
    assert result.complete is complete
    assert outcome.verdict is (Verdict.HOLDS if complete else Verdict.UNDETERMINED)
    assert outcome.exit == (0 if complete else 20)


GOLDEN = Path(__file__).parent / "golden"


def outcome() -> Outcome:
    return check("async-isr-proposed-only", replicas=2, max_offset=1, max_version=1)


def trace() -> Trace:
    found = outcome().property("valid_high_watermark").trace
    assert found is not None
    return found


def test_the_text_of_a_trace() -> None:
    expected = (GOLDEN / "async-isr-proposed-only.txt").read_text(encoding="utf-8")
    assert render_trace(trace(), "txt") == expected


def test_a_trace_of_one_state_breaks_where_it_begins() -> None:
    whole = trace()
    first = replace(whole, steps=whole.steps[:1])
    assert (whole.length, whole.when, whole.where) == (3, "after 2 steps", "in step 2")
    assert (first.when, first.where) == ("in the initial state", "in the initial state")
    unknown = replace(first, kind=INDUCTION)
    assert (unknown.when, unknown.where) == ("in a state not known to be reachable",) * 2
    assert render_trace(first, "txt").startswith("valid_high_watermark is violated in the initial state\n")


def test_a_trace_reads_back_from_its_json(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text(trace().to_json(), encoding="utf-8")
    assert read_trace(file) == trace()


def test_a_path_that_the_reference_cannot_walk_is_a_disagreement() -> None:
    model = bind(read_model(AsyncIsrProposedOnly), {"replicas": 2, "max_offset": 1, "max_version": 1})
    impossible = tuple([len(model.ir.actions)] * 9)
    with pytest.raises(
        Disagreement, match=r"the native engine takes .* the reference says that it cannot happen there"
    ):
        replay(model, "valid_high_watermark", impossible, "async-isr-proposed-only", "native")


def test_a_verdict_that_the_reference_does_not_see_is_a_disagreement() -> None:
    model = bind(read_model(AsyncIsrProposedOnly), {"replicas": 2, "max_offset": 1, "max_version": 1})
    with pytest.raises(Disagreement, match="the reference took the same steps and says the opposite"):
        replay(model, "valid_high_watermark", (), "async-isr-proposed-only", "native")


def test_a_property_without_a_docstring_is_said_by_its_name(tmp_path: Path) -> None:
    text = (
        "from isrcheck import Model, action, invariant\n\n\n"
        "class Lamp(Model):\n    lit: bool = False\n\n"
        "    @action\n    def switch(self) -> None:\n        self.lit = not self.lit\n\n"
        "    @invariant\n    def stays_dark(self) -> bool:\n        return not self.lit\n"
    )
    (tmp_path / "lamp.py").write_text(text, encoding="utf-8")
    found = check(f"{tmp_path}/lamp.py:Lamp").property("stays_dark").trace
    assert found is not None
    assert "Property: stays_dark\n" in render_trace(found, "txt") + "\n"


SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def test_a_line_has_the_options_that_have_a_value() -> None:
    assert line("check", "a b.py:M", c=["n=1", "m=true"], deadlock=True, symmetry=False, max_seconds=0.0) == (
        "isrcheck check 'a b.py:M' -c n=1 -c m=true --deadlock --max-seconds 0"
    )
    assert line("x", workers=None, max_states=0) == "isrcheck x --max-states 0"


LINES: dict[str, tuple[Invocation, str]] = {
    "nothing": (Invocation(model="m"), "isrcheck check m --engine native"),
    "no property": (Invocation(model="m", properties=()), "isrcheck check m --property none --engine native"),
    "limits": (
        Invocation(model="m", limits=Limits(5, 4, 0.5, 1 << 30)),
        "isrcheck check m --engine native --max-states 5 --max-depth 4 --max-seconds 0.5 --max-memory 1073741824",
    ),
    "options": (
        Invocation(
            model="m",
            constants={"n": 3, "pace": "every-tick"},
            properties=("p", "q"),
            engine="spark",
            options=Options(
                workers=2,
                symmetry=True,
                deadlock=True,
                stop_at_first=True,
                cluster=Cluster("local[2]", (("a", "b c"),)),
            ),
        ),
        "isrcheck check m -c n=3 -c pace=every-tick --property p --property q --deadlock --engine spark "
        "--symmetry --stop-at-first --master 'local[2]' --spark-conf 'a=b c'",
    ),
    "walks": (
        SimulationInvocation(model="m", walks=10, steps=5, seed=3),
        "isrcheck simulate m --walks 10 --steps 5 --seed 3",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_the_line_of_an_invocation(name: str) -> None:
    invocation, expected = LINES[name]
    assert invocation.line == expected


def test_the_line_of_facts_leaves_the_workers_out() -> None:
    invocation = Invocation(model="m", options=Options(workers=8, deadlock=True))
    assert invocation.to_dict() == {"properties": None, "line": "isrcheck check m --deadlock --engine native"}


def test_constants_are_values_once_the_model_is_read() -> None:
    outcome = check("kip-320", constants={n: str(v) for n, v in SMALL.items()}, workers=2)
    assert outcome.invocation.constants == {**SMALL, "isr_may_empty": True}
    assert pickle.loads(pickle.dumps(outcome.invocation)) == outcome.invocation
    assert outcome.workers == 2


def test_what_a_run_found_is_of_one_type() -> None:
    assert isinstance(check("toy-mutex").result, Searched)
    assert isinstance(check("toy-mutex", engine="symbolic", limits=Limits(depth=2)).result, Bounded)
    assert isinstance(simulate("toy-mutex", walks=5, steps=5).result, Sampled)
    assert isinstance(prove("toy-mutex").outcome.result, Proved)
    assert isinstance(check("toy-mutex", limits=Limits(seconds=0)).result, NotStarted)
