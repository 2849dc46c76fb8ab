"""Scripts over variants: the stories of specs/schedules, verdicts, exit codes, refusals, and what is left out."""

import json
import time
from pathlib import Path

import pytest
from tests.fixtures.command_line import in_process
from tests.schedule.pumps import Careful, Careless

from isrcheck.catalogue import family_of, find_model, models_by_name
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.run.trace import read_trace
from isrcheck.schedule import pair
from isrcheck.schedule.runs import ScheduleReport, run_script
from isrcheck.schedule.steps import parse_script, read_script

STORIES = sorted((Path(__file__).parents[2] / "specs" / "schedules").glob("*.schedule"))
FEW = Limits(states=1000)
PUMPS = {"careful": Careful, "careless": Careless}


def run(text: str, limits: Limits = FEW, properties: tuple[str, ...] = (), **constants: str) -> ScheduleReport:
    return run_script(parse_script(text), PUMPS, named=True, constants=constants, properties=properties, limits=limits)


# The stories


def test_there_are_stories() -> None:
    assert len(STORIES) >= 12


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.stem)
def test_story(story: Path) -> None:
    script = read_script(story)
    models = {e.model: find_model(e.model) for e in script.expectations}
    report = run_script(script, models, named=True, constants={})
    assert report.unmet == ()
    assert report.exit == 0
    assert [run.model for run in report.runs] == list(models)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.stem)
def test_a_story_over_its_family(story: Path) -> None:
    script = read_script(story)
    family = family_of(find_model(script.expectations[0].model))
    models = {name: cls for name, cls in models_by_name().items() if family_of(cls) == family}
    report = run_script(script, models, named=False, constants={})
    assert len(report.runs) + len(report.left_out) == len(models)
    for found in report.runs:
        assert found.cut is None
        assert (found.refusal is None) == (found.taken == len(found.steps))
        assert all(p.trace is None or p.trace.model == found.model for p in found.properties)


# Verdicts


def test_verdicts_of_both_pumps() -> None:
    report = run("filled t0; filled t1; filled t0; filled t1", high="1")
    careful, careless = report.runs
    assert {p.name: p.verdict for p in careful.properties} == {
        "nothing_spills": "cannot",
        "never_both_full": "violated",
        "one_at_a_time": "cannot",
    }
    assert {p.name: (p.verdict, p.taken) for p in careless.properties} == {
        "nothing_spills": ("violated", 3),
        "never_both_full": ("violated", 2),
        "one_at_a_time": ("kept", 0),
    }
    assert (careful.verdict, careful.taken, len(careful.ends)) == ("violated", 2, 1)
    assert str(careful.refusal).startswith("require(self.may_fill(tank)) (")
    assert str(careful.refusal).endswith("pumps.py:35:9)")
    assert report.exit == 12


def test_own_steps_make_what_the_schedule_alone_does_not() -> None:
    report = run("filled t0; emptied t1", properties=("gets_full",))
    assert [(p.verdict, p.taken) for r in report.runs for p in r.properties] == [("unreached", 0)] * 2
    assert [r.taken for r in report.runs] == [2, 2]  # the pump has filled t1
    assert report.exit == 0


def test_the_nearest_refusal_is_the_guard_furthest_down() -> None:
    report = run("filled t0; filled t0")
    assert [str(r.refusal).partition(" (")[0] for r in report.runs] == ["require(self.last != tank)"] * 2
    assert [r.verdict for r in report.runs] == ["cannot", "cannot"]
    assert report.exit == 0


def test_step_violations_exit_13() -> None:
    report = run("filled t0; filled t1; filled t0; emptied t0 True", properties=("one_at_a_time",))
    assert [p.verdict for r in report.runs for p in r.properties] == ["violated", "violated"]
    assert report.exit == 13


def test_what_is_cut_is_undetermined() -> None:
    report = run("filled; filled; emptied; filled", Limits(states=3))
    assert {p.verdict for r in report.runs for p in r.properties} == {"undetermined"}
    assert [r.cut for r in report.runs] == ["after 5 states", "after 5 states"]
    assert report.exit == 20


def test_expectations_decide_the_exit() -> None:
    met = run(
        "constants: high=1\nexpect: careless violated nothing_spills\nexpect: careful cannot\n"
        "filled t0; filled t1; filled t0"
    )
    assert (met.unmet, met.exit) == ((), 0)
    unmet = run("expect: careless cannot\nexpect: careful violated nothing_spills\nfilled t0")
    assert unmet.unmet == (
        "the script: careless was expected to be unable to follow, and a run follows to the end.",
        "the script: nothing_spills of careful was expected to be violated, and is kept.",
    )
    assert unmet.exit == 21


def test_what_is_expected_of_another_model_decides_nothing_of_these() -> None:
    report = run("constants: high=1\nexpect: kip-320 violated nothing_spills\nfilled t0; filled t1; filled t0")
    assert (report.unmet, report.exit) == ((), 12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("constants: hgh=1\nfilled", "no model of this run has a constant hgh. Did you mean high?"),
        ("expect: careful kept spills\nfilled", "the script:1: careful has no property spills."),
    ],
)
def test_wrong_use(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        run(text)
    assert str(caught.value).startswith(message.replace("script:1", "script"))


def test_a_property_of_nobody() -> None:
    with pytest.raises(UsageError, match=r"no model of this run has a property nothing_spill\. Did you mean"):
        run("filled", properties=("nothing_spill",))


# The command


def test_the_command_writes_json_and_traces(tmp_path: Path) -> None:
    words = "isr-kip-16-text isr-kip-16-merged -c max_records=1 -c expiration_period=1 --json - --trace-dir traces"
    done = in_process("schedule", "-e", "append; time; time; time", *words.split(), cwd=tmp_path)
    assert done.returncode == 12
    report = json.loads(done.stdout)
    assert report["schema"] == "isrcheck.schedule/1"
    assert [r["verdict"] for r in report["runs"]] == ["violated", "kept"]
    found = {p["name"]: p for p in report["runs"][0]["properties"]}
    assert found["dead_evicted"]["verdict"] == "violated"
    assert found["dead_evicted"]["trace"] == {"length": 5, "file": "traces/isr-kip-16-text-dead_evicted.json"}
    assert read_trace(tmp_path / "traces" / "isr-kip-16-text-dead_evicted.json").length == 5


def test_several_properties_are_asked_each_of_them() -> None:
    words = "isr-kip-16-text --property isr_at_least_hw --property dead_evicted --property keep_up_stays".split()
    done = in_process("schedule", "-e", "append; time", *words)
    assert done.returncode == 0
    assert "isr_at_least_hw, dead_evicted  kept" in done.stdout
    assert "keep_up_stays                  n/a      A follower keeps up only at a pace" in done.stdout
    report = json.loads(in_process("schedule", "-e", "append; time", *words, "--json", "-").stdout)
    assert [p["name"] for p in report["runs"][0]["properties"]] == ["isr_at_least_hw", "dead_evicted"]
    assert list(report["runs"][0]["not_asked"]) == ["keep_up_stays"]


def test_the_command_names_who_is_left_out() -> None:
    done = in_process("schedule", "-e", "append; follower_fetches f0; time")
    assert done.returncode == 0
    assert "isr-kafka-7152" in done.stdout
    assert "no action append (the script)" in " ".join(done.stdout.split())
    assert "kept is said of this schedule alone" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "there is no script: give a file of steps, or -e 'STEP; STEP'."),
        (("-e", "fly", "raft-*"), "no model knows every step of the script: no action fly (the script) for"),
        (("-e", "append", "issr-*"), "schedule: there is no model issr-*."),
        (("-e", "append", "kip-101"), "the script: Kip101 has no action append."),
        (("-e", "append", "kip-11"), "there is no model kip-11. Did you mean kip-101?"),
        (("no-such.schedule",), "there is no file no-such.schedule: give a text file of steps, or -e"),
    ],
)
def test_wrong_use_of_the_command(words: tuple[str, ...], message: str) -> None:
    done = in_process("schedule", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_internal_actions_are_listed() -> None:
    done = in_process("list", "kip-101")
    assert "leader_advances_high_watermark(leader: Replica) (internal action)" in done.stdout
    assert "leader_writes(leader) (internal action)" not in done.stdout


def test_a_trace_as_a_schedule_is_that_trace(tmp_path: Path) -> None:
    """`render --to schedule` names every step with its arguments, so that one run follows, and violates the same."""
    sizes = (f"-c{name}=1" for name in ("log_size", "max_records", "max_leader_epoch"))
    model = ("truncate-to-high-watermark", "-c", "replicas=2", *sizes)
    assert in_process("check", *model, "--property", "strong_isr", "--trace-dir", str(tmp_path)).returncode == 12
    trace, *others = tmp_path.glob("*.json")
    assert others == []
    done = in_process("render", str(trace), "--to", "schedule", "-o", "trace.schedule", cwd=tmp_path)
    assert done.returncode == 0
    done = in_process("schedule", "trace.schedule", "--property", "strong_isr", "--json", "-", cwd=tmp_path)
    run, *others = json.loads(done.stdout)["runs"]
    assert (done.returncode, others, run["verdict"]) == (0, [], "violated")
    steps = json.loads(trace.read_text())["length"] - 1
    assert run["properties"][0]["taken"] == len(run["steps"]) == steps


def test_the_clock_is_looked_at_at_every_state() -> None:
    (cut,) = {one.cut for one in run("filled; filled", Limits(seconds=0.0)).runs}
    assert cut == "after 0 seconds"


def test_the_search_for_a_refusal_ends_with_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    def search_for_ever(*_: object) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            pass

    monkeypatch.setattr(pair, "nearest_refusal", search_for_ever)
    report = run("emptied; " * 9, Limits(seconds=0.5))
    assert {(one.cut, one.refusal) for one in report.runs} == {("after 0.5 seconds", None)}
