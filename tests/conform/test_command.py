"""isrcheck conform on the command line."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from tests.observe.runs import RECORDED

from isrcheck.catalogue import find_model
from isrcheck.errors import UsageError
from isrcheck.lang.read import read_model
from isrcheck.run.trace import read_trace
from isrlogs.conform.command import conform
from isrlogs.conform.coverage import STANDS_FOR, Coverage
from isrlogs.conform.judge import family, judge
from isrlogs.conform.observed_model import read_observed
from isrlogs.conform.verdict import Verdict, verdict_without_search
from isrlogs.observe.command import observe

UNTABLED = "partition has no table of brokers' events: conform asks models kraft-2.7 to kraft-4.3, isr-*, and the "
UNTABLED += "published designs."
INFO_PARSER = "org.apache.kafka.common.utils.AppInfoParser"
RUN = str(RECORDED / "s20-elr-BA-1")


def call(*words: str) -> tuple[int, str]:
    found = CliRunner().invoke(conform, words, standalone_mode=False)
    if found.exception:
        raise found.exception
    return found.return_value, found.stdout


def test_a_run_that_conforms(tmp_path: Path) -> None:
    code, text = call(
        RUN, "--model", "kraft-4.1", "--topic-partition", "tv-0", "--json", "-", "--trace-dir", str(tmp_path)
    )
    found = json.loads(text)
    assert code == 0
    assert found.pop("seconds") < 60
    assert found.pop("positions") < 150
    assert found == {
        "schema": "isrcheck.conform/1",
        "partition": "s20-elr-BA-1 tv-0",
        "verdict": "conforms",
        "model": "kraft-4.1",
        "observed": 147,
        "events": 147,
        "inferred": 0,
        "first_unexplained": None,
        "why": "",
    }
    trace = read_trace(tmp_path / "s20-elr-BA-1-tv-0-kraft-4.1.json")
    assert (trace.model, trace.kind.name, trace.length) == ("kraft-4.1", "run", 47)
    assert trace.steps[1].action == "begin"
    assert trace.steps[1].state["told_by"].startswith("controller: partition_record(")


@pytest.mark.parametrize(
    ("release", "model"),
    [
        ("4.1.1", "kraft-4.1"),
        ("3.9.1", "kraft-3.9"),
        (None, "no line names the release"),
        ("2.6.0", "no one model is of 2.6.0"),
    ],
)
def test_without_a_model_it_is_that_of_the_release(release: str | None, model: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(RUN, run)
    if release:
        log = run / "broker1.log.gz"
        line = f"2026-11-22 01:59:54.303182028 11 INFO  [main] {INFO_PARSER} - Kafka version: {release}\n"
        log.write_bytes(gzip.compress(line.encode()) + log.read_bytes())
    _, text = call(str(run), "--topic-partition", "tv-0")
    assert model in " ".join(text.split())


def test_a_matrix_of_models() -> None:
    code, text = call(RUN, "--model", "kraft-3.7,kraft-4.1")
    assert code == 12
    assert "s20-elr-BA-1 tv-0  departs    conforms" in text
    assert "Departs: no behaviour explains more than 73 of 147 events" in text
    assert "ELR on record: {1} observed, {} in the model" in text


def test_what_departs_is_told_before_what_is_undetermined() -> None:
    code, text = call(str(RECORDED / "kip101-0.10.2.2"), "--model", "kraft-4.1,kip-101", "--json", "-")
    assert [found["verdict"] for found in json.loads(text)] == ["undetermined", "departs"]
    assert code == 12


def test_a_pattern_asks_the_models_of_it_that_can_be_judged() -> None:
    code, text = call(RUN, "--model", "kraft-4.*,partition*,!kraft-4.0,!kraft-4.3", "--json", "-")
    assert code == 0
    assert json.loads(text)["model"] == "kraft-4.1"


def end_second(judged: list[object]) -> Verdict:
    judged.append(None)
    if len(judged) > 1:
        raise KeyboardInterrupt
    return verdict_without_search("one tv-0", "kraft-4.1", "of a test")


def test_verdicts_before_an_interruption_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[object] = []

    def interrupt_second(*asked: Any, is_traced: bool) -> Verdict:
        judged.append(asked)
        if len(judged) > 1:
            raise KeyboardInterrupt
        assert not is_traced  # nobody asked for the behaviour
        return judge(*asked)

    monkeypatch.setattr("isrlogs.conform.command.judge", interrupt_second)
    code, text = call(RUN, "--model", "kraft-4.1,kraft-3.7,kraft-4.0", "--topic-partition", "tv-0")
    assert "Conforms: a behaviour explains all 147 events" in text
    assert text.count("Undetermined: interrupted") == 2
    assert code == 20  # which isrcheck makes 130
    judged.clear()
    _, text = call(RUN, "--model", "kraft-4.1,kraft-3.7", "--topic-partition", "tv-0", "--json", "-")
    assert [outcome["verdict"] for outcome in json.loads(text)] == ["conforms", "undetermined"]
    judged.clear()
    soak = [f"{name} tv-0" for name in ("one", "two")]
    monkeypatch.setattr("isrlogs.conform.command.events_of", lambda *_: dict.fromkeys(soak, ()))
    monkeypatch.setattr("isrlogs.conform.command.judge", lambda *_, **__: end_second(judged))
    code, text = call(RUN)
    assert "kraft-4.1" in text
    assert "two tv-0 and its release\nUndetermined: interrupted" in text
    judged.append(None)
    with pytest.raises(click.Abort):  # as click has it
        call(RUN, "--model", "kraft-4.1")


def test_json_of_several_models_is_a_list() -> None:
    code, text = call(RUN, "--model", "kraft-3.7,kraft-4.1", "--json", "-")
    assert code == 12
    assert [found["verdict"] for found in json.loads(text)] == ["departs", "conforms"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--model", "part*"], UNTABLED),
        (["--model", "kraft-4.1,partition"], UNTABLED),
        (["--model", "krafd-*"], "--model: there is no model krafd-*. Did you mean kraft?"),
        (["--model", " ,"], "--model names no model: write --model kraft-4.1, or several with commas between them."),
        (["--model", "kraft-4.1", "--topic-partition", "tw-0"], "RUN holds no event of tw-0: there are tv-0."),
        (["--model", "partition"], UNTABLED),
    ],
)
def test_what_cannot_be_asked(words: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as raised:
        call(RUN, *words)
    assert str(raised.value).replace(RUN, "RUN") == sentence


def test_a_folder_without_a_brokers_log_is_undetermined(tmp_path: Path) -> None:
    (tmp_path / "controller.log.gz").write_bytes((RECORDED / "natural-4.1.1" / "controller.log.gz").read_bytes())
    code, text = call(str(tmp_path), "--model", "kraft-4.1")
    assert code == 20
    assert "no broker's log tells of it" in " ".join(text.split())


def test_the_clock_is_looked_at_at_every_position() -> None:
    _, text = call(RUN, "--model", "kraft-4.1", "--topic-partition", "tv-0", "--max-seconds", "0", "--json", "-")
    outcome = json.loads(text)
    assert outcome["verdict"] == "undetermined"
    assert outcome["positions"] < 10


@pytest.mark.slow
def test_a_table_is_judged_as_its_runs_are(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    table = tmp_path / "events"
    runs = [str(RECORDED / name) for name in ("s20-elr-BA-1", "zombie-3.9.1")]
    made = CliRunner().invoke(observe, [*runs, "--out", str(table)], standalone_mode=False)
    assert made.exception is None, made.exception
    words = [str(table), "--model", "kraft-3.7,kraft-4.1", "--json", "-"]
    found = CliRunner().invoke(conform, words, standalone_mode=False)
    assert found.exception is None, found.exception
    assert found.return_value == 12
    assert {(v["partition"], v["model"]): v["verdict"] for v in json.loads(found.stdout)} == {
        ("s20-elr-BA-1 tv-0", "kraft-3.7"): "departs",
        ("s20-elr-BA-1 tv-0", "kraft-4.1"): "conforms",
        ("zombie-3.9.1 tv-0", "kraft-3.7"): "conforms",
        ("zombie-3.9.1 tv-0", "kraft-4.1"): "conforms",
    }
    words = [str(table), "--model", "kraft-3.7", "--topic-partition", "tv-0", "--json", "-"]
    here = CliRunner().invoke(conform, words, standalone_mode=False)
    assert here.exception is None, here.exception
    assert [verdict["verdict"] for verdict in json.loads(here.stdout)] == ["departs", "conforms"]


def test_coverage_says_what_a_run_never_exercised() -> None:
    run = str(Path(__file__).parents[1] / "fixtures/brokers/kip101-0.10.2.2")
    code, text = call(run, "--coverage", "--model", "kip-101,truncate-to-high-watermark", "--json", "-")
    found = json.loads(text)
    assert code == 0
    assert found["models"] == {"truncate-to-high-watermark": 1}
    assert found["states"] == 30
    taken = {each["name"]: each["taken"] for each in found["actions"]}
    assert (taken["leader_writes"], taken["follower_replicates"], taken["controller_shrinks_isr"]) == (2, 83, 0)
    assert {g["condition"].partition(" or ")[0] for g in found["guards"] if not (g["true"] and g["false"])} == {
        "self.isr_may_empty"
    }
    outcomes = {p["name"]: p["outcomes"] for p in found["policies"]}
    assert (outcomes["acknowledges"], outcomes["keeps_up"]) == (["False", "True"], ["False", "True"])
    assert outcomes["truncation_point"] == ["0", "1", "2"]


@pytest.mark.slow
def test_coverage_of_todays_kafka(tmp_path: Path) -> None:
    code, text = call(RUN, "--coverage", "--model", "kraft-3.7,kraft-4.1", "--json", str(tmp_path / "c.json"))
    assert code == 0
    assert text.startswith("Coverage by 1 partition: kraft-4.1 (1)\n46 steps, 0 of them inferred; 47 states, ")
    found = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert found["partitions"] == [{"partition": "s20-elr-BA-1 tv-0", "model": "kraft-4.1", "verdict": "conforms"}]
    taken = {each["name"]: each["taken"] for each in found["actions"]}
    assert (taken["kill"], taken["lose_power"], taken["truncate"], taken["elect"]) == (1, 1, 1, 0)
    assert "delay_answer" in taken
    assert "hw_eager" not in taken
    guards = {each["condition"]: (each["true"], each["false"]) for each in found["guards"]}
    assert guards["self.diverges(follower, leader)"] == (True, True)
    assert guards["self.is_granted(leader)"] == (True, False)
    assert guards["chosen is None or chosen in candidates"] == (False, False)
    assert "is_served" not in {each["name"] for each in found["policies"]}
    assert {each["name"]: each["outcomes"] for each in found["policies"]}["may_expose"] == ["False", "True"]


def test_a_run_that_departs_covers_nothing() -> None:
    code, text = call(RUN, "--coverage", "--model", "kraft-3.7")
    assert code == 12
    assert text.startswith("Coverage by 0 partitions: no model\n")
    assert "Not counted: s20-elr-BA-1 tv-0 departs (kraft-3.7)." in text


@pytest.mark.parametrize(
    ("model", "of_none"),
    [
        ("kraft-3.7", {"apply_min_isr", "elect_unclean", "set_min_isr", "start_from_checkpoint"}),
        ("isr-kafka-7152", set()),
        ("kip-101", {"replica_starts"}),
    ],
)
def test_what_lines_tell_stands_for_an_action_of_the_model(model: str, of_none: set[str]) -> None:
    own = {action.name for action in read_model(find_model(model)).actions}
    by_lines = {action.name for action in read_observed(model, family(model)[0]).actions} - own
    assert {name for name in by_lines if not own & {*STANDS_FOR.get(name, ())}} == of_none


def test_coverage_without_time_for_every_state_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrlogs.conform.command.Coverage", lambda _: Coverage(seconds=-1))
    code, text = call(str(RECORDED / "kip101-0.10.2.2"), "--coverage", "--model", "truncate-to-high-watermark")
    assert code == 20
    assert "no time was left for 30 of the states" in " ".join(text.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((RUN,), "conform judges one run at a time: name one, or ask for --coverage of all"),
        (("--coverage", "--trace-dir", "t"), "--coverage judges here, and writes no traces: leave"),
        (("--coverage", "--master", "local"), "--coverage judges here, and writes no traces: leave"),
    ],
)
def test_several_runs_are_for_coverage_alone(words: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(UsageError, match=f"^{sentence}"):
        call(RUN, *words, "--model", "kraft-4.1")
