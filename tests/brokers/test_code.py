"""`isrcheck code`: a model against Kafka's own classes, recorded answers first, then real jars."""

import json
import shutil
import subprocess
import zipfile
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.command_line import Done, in_process
from tools.reports import code

from isrbrokers.classes import command
from isrbrokers.classes.harness import Classes, Harness, parse_classes
from isrbrokers.classes.judge import Tally, comparable, compare, fit, parse, settings
from isrbrokers.classes.steps import Answer, ControllerSteps, Question, Setting, switches
from isrcheck import UsageError
from isrcheck.plugin import ModelIR, budget, find_model, read_model, replace, user_cache


@cache
def read(model: str) -> ModelIR:
    return read_model(find_model(model))


@cache
def questions(model: str, setting: Setting) -> dict[str, Question]:
    return {each.line: each for each in ControllerSteps(read(model), setting, {}).questions()}


# Lines and what the classes of 4.4.0 answered: calls, then leader, epochs, ISR, ELR, last known, records, assignment.
TWO = Setting(2, 2, elr=True, unclean=False)
THREE = Setting(3, 2, elr=True, unclean=True)
MOVED = Setting(3, 1, elr=False, unclean=False, spares=1)
RECORDED = [
    (TWO, "elect 2 1 0 0 3 0 0 0 0 3 -1 -1", "1 1,1,3,0,0,1,3,0,0"),
    (TWO, "fence 2 0 0 0 1 2 0 0 2 3 -1 -1", "2 -1,1,0,3,1,1,3,0,0"),
    (TWO, "old 2 -1 1 0 3 0 0 0 0 3 -1 -1", "2 E95"),
    (TWO, "unfence 2 1 0 -1 0 3 1 3 1 3 -1 -1", "2 1,1,2,1,0,1,3,0,0"),
    (THREE, "fence 3 0 0 0 1 2 0 0 0 7 -1 -1", "6 1,1,2,1,0,1,7,0,0"),
    (THREE, "other 3 0 1 -1 0 3 1 3 4 7 -1 -1", "6 E42"),
    (THREE, "unfence 3 2 0 -1 0 3 1 6 1 7 -1 -1", "6 2,1,4,0,0,1,7,0,0"),
    (MOVED, "reassign 3 2 0 -1 1 0 0 3 0 3 -1 -1", "4 -1,0,1,0,0,1,7,4,1"),
    (MOVED, "fence 3 0 0 0 5 0 0 2 0 7 1 0", "2 2,1,4,0,0,1,7,2,1"),
]


@pytest.mark.parametrize(("setting", "line", "answer"), RECORDED, ids=[line for _, line, _ in RECORDED])
def test_a_recorded_answer_is_the_models(setting: Setting, line: str, answer: str) -> None:
    question = questions("kraft-4.3", setting)[line]
    words = answer.split()[1:]
    assert comparable(question, map(parse, words)) == comparable(question, question.expected)


class RecordedHarness(Harness):
    """Answers as a model does, but for the lines that are given otherwise."""

    model, otherwise = "kraft-4.3", dict[str, str]()

    def __enter__(self) -> "RecordedHarness":
        self.version, self.registering = "4.4-IV2", "handleBrokerShutdown"
        self.abilities = frozenset({"elr", "reports"})
        return self

    def ask(self, setting: str, lines: Sequence[str]) -> list[tuple[int, frozenset[str]]]:
        known = questions(self.model, TWO)
        words = [self.otherwise.get(line) or " ".join(map(word_of, known[line].expected)) for line in lines]
        return [(1, frozenset(each.split())) for each in words]


def word_of(answer: Answer) -> str:
    if isinstance(answer, str):
        return {"refused": "E95", "ineligible": "E107"}[answer]
    return ",".join(map(str, answer))


def run(monkeypatch: pytest.MonkeyPatch, otherwise: dict[str, str], *more: str) -> Done:
    monkeypatch.setattr(command, "Harness", RecordedHarness)
    monkeypatch.setattr(RecordedHarness, "otherwise", otherwise)
    given = ("replicas=2", "spares=0", "min_isr=2", "elr=true", "unclean=false")
    words = [word for each in given for word in ("-c", each)]
    return in_process("code", "kraft-4.3", "--release", "4.4.0", "--role", "controller", *words, *more)


def test_the_verdict_is_on_the_controller_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(monkeypatch, {})
    assert done.returncode == 0
    assert "Agrees in all 459 steps of the controller that were asked, 459 calls of Kafka's classes" in done.stdout
    assert "learn, write, ask_add," in done.stdout.partition("No class was asked about ")[2]


def test_a_quick_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Fewer settings were asked about (--quick)." in run(monkeypatch, {}, "--quick").stdout
    assert json.loads(run(monkeypatch, {}, "--quick", "--json", "-").stdout)["quick"] is True
    assert {each.min_isr for each in settings({"min_isr": "1"}, elr=False, quick=True)} == {1}


DIFFERENCE = """\
fence: the least of 1 difference
2 brokers, min ISR 2, ELR on, unclean election off; 1 step after the first record.
On record: leader r0, ISR {r0}, ELR {r1}, last known {}, replicas {r0, r1}, shutting down {r1}.
What happens: fence(r0).
kraft-4.3: leader None, a new leader epoch, ISR {}, ELR {r0, r1}, last known {r0}, replicas {r0, r1}, 1 record
Kafka    : leader r1, a new leader epoch, ISR {r1}, ELR {r0}, last known {}, replicas {r0, r1}, 1 record
Decided by ReplicationControlManager.handleBrokerFenced and PartitionChangeBuilder.
"""


def test_a_difference_is_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    otherwise = {"fence 2 0 0 0 1 2 0 0 2 3 -1 -1": "1,1,2,1,0,1,3,0,0"}
    done = run(monkeypatch, otherwise)
    assert done.returncode == 12
    assert "Differs in 1 of 459 steps of the controller that were asked" in done.stdout
    assert DIFFERENCE in done.stdout
    written: dict[str, Any] = json.loads(run(monkeypatch, otherwise, "--json", "-").stdout)
    assert (written["schema"], written["verdict"], written["differing"]) == ("isrcheck.code/1", "differs", {"fence": 1})
    assert written["least"][0]["code"][0]["leader"] == 1


def test_what_is_cut_off_is_undetermined(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(monkeypatch, {}, "--max-seconds", "0")
    assert done.returncode == 20
    assert "Undetermined: stopped after 0 seconds, in the setting 2 brokers, min ISR 2, ELR on" in done.stdout


def test_a_model_of_which_nothing_is_asked_agrees_in_nothing() -> None:
    with RecordedHarness(Classes("4.4.0", None)) as harness:
        tally = compare(read("kraft-4.3"), [], {}, harness)
    assert (tally.verdict, tally.cut) == ("undetermined", "no step was asked")


def test_a_switch_that_was_not_asked_to_the_end_fits_nothing() -> None:
    with budget(0), RecordedHarness(Classes("4.4.0", None)) as harness:
        given = {"replicas": "2", "spares": "0", "min_isr": "2", "elr": "true", "unclean": "false"}
        fits = fit(read("kraft-4.3"), given, harness, lambda _: None)
    assert {(each.agrees, each.agrees_otherwise) for each in fits} == {(None, None)}


def test_steps_in_which_the_model_allows_more_are_counted() -> None:
    text = "".join(map(str, command._verdict(Tally(steps=Counter(fence=9), wider=3), 1.0)))
    assert "; in 3 of them the model allows what Kafka does, and more." in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("kraft-4.3",), "whose classes? Write --release 4.4.0, or --jars DIR for a build of your own."),
        (("--release", "4.4.0"), "which model? Write isrcheck code kraft-4.3 --release 4.4.0, or --changes A B."),
        (("kraft-4.3", "--release", "4.4"), "4.4 is not a release with such a controller: write all of it, such as"),
        (("kraft-2.7", "--release", "2.8.0"), "2.8.0 is not a release with such a controller"),
        (("kip-101", "--release", "4.4.0"), "kip-101 is not of the kraft family, whose controller can be asked"),
        (
            ("kraft-4.3", "--jars", "tests"),
            "tests has no jars and no classes: name the folder where a build leaves them.",
        ),
        (("kraft-4.3", "--changes", "4.2.1", "4.3.1"), "--changes A B compares two releases: leave out MODEL,"),
    ],
)
def test_wrong_usage_is_a_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = in_process("code", *words)
    assert done.returncode == 2
    assert f"isrcheck: {sentence}" in done.stderr


def test_where_java_is_missing_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", "no-such-cache")
    done = in_process("code", "kraft-4.3", "--release", "4.4.0")
    assert done.returncode == 2
    assert (
        "Kafka needs java, which is not on the path: 'apt install openjdk-17-jdk-headless' adds it on Debian."
        in done.stderr
    )


def test_the_controllers_switches_are_read_from_its_actions() -> None:
    assert {"kip_841", "last_known", "report_keeps_elr"} <= set(switches(read("kraft-4.3")))
    assert not {"strict", "hw_eager", "maximal"} & set(switches(read("kraft-4.3")))


def test_the_table_is_made_of_its_file() -> None:
    """`python -m tools.reports.code` asks the classes again."""
    assert code.PAGE.read_text(encoding="utf-8") == code.page()
    assert {tuple(row) for row in code.read_rows()} == {code.COLUMNS}
    assert [*code.read_runs()] == [*code.runs()]
    assert {run.release for run in code.runs()} == {*code.RELEASES, *code.AT_RISK}
    assert {row["verdict"] for row in code.read_rows()} == {"agrees"}


# Real classes


def test_a_jar_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kafka.jar").touch()
    with pytest.raises(UsageError, match=r"kafka\.jar is not a jar: build it again\."):
        parse_classes(None, tmp_path)


def test_jars_without_the_controller_are_refused(tmp_path: Path) -> None:
    (tmp_path / "org").mkdir()
    done = in_process("code", "kraft-4.3", "--jars", str(tmp_path))
    assert done.returncode == 2
    assert "cannot be asked as a controller: the classes are known from 3.3 on." in done.stderr


needs_java = pytest.mark.skipif(
    not all(map(shutil.which, ("javac", "mvn"))), reason="Kafka's classes need Java and Maven"
)
BUILDER, MANAGER, MOVES = "PartitionChangeBuilder", "ReplicationControlManager", "PartitionReassignmentReplicas"
SHUTDOWN = "(r != brokerToRemove && r != brokerWithUncleanShutdown)"
LOSS, HAS_ALL = "power_losses=1", "candidates_complete"
MOVING = "not asked: jars do not decide reassignments"
UNCLEANLY = "featureControl.isElrFeatureEnabled() && !isCleanShutdown"
# A line of 4.3.1, what takes its place, and the first action that differs; else why none does. Then, where the jar
# decides in kraft-4.3's place: constants, and the property that breaks, with its steps; or that none does.
FAULTS = [
    (
        BUILDER,
        "!targetElr.isEmpty() || !targetIsr.isEmpty()",
        "!targetIsr.isEmpty()",
        "unfence",
        f"{LOSS}: {HAS_ALL} 11",
    ),
    (
        BUILDER,
        "!isAcceptableLeader.test(partition.lastKnownElr[0])",
        "false",
        "register",
        "rack_losses=1: leader_live 6",
    ),
    (
        BUILDER,
        "uncleanShutdownReplicas == null || !uncleanShutdownReplicas.contains(replica)",
        "true",
        "register",
        f"{LOSS}: {HAS_ALL} 9",
    ),
    (BUILDER, "targetIsr.size() >= minISR", "targetIsr.size() > minISR", "fence", "min_isr=1: elr_small 2"),
    (BUILDER, "Arrays.stream(partition.isr).forEach(candidateSet::add);", "", "fence", f"{LOSS}: {HAS_ALL} 11"),
    (BUILDER, "record.setIsr(List.of(electionResult.node));", "", "fence", "rack_losses=1: leader_in_isr 7"),
    (BUILDER, "record.setLastKnownElr(List.of());", "", "unfence", "rack_losses=1: none"),
    (
        BUILDER,
        "!isCleanLeaderElection || !eligibleLeaderReplicasEnabled",
        "!eligibleLeaderReplicasEnabled",
        "fence",
        f"unclean=true {LOSS}: none",
    ),
    (BUILDER, "!Replicas.contains(targetReplicas, partition.replicas)", "false", "reassign", MOVING),
    (MANAGER, SHUTDOWN, "(r != brokerWithUncleanShutdown)", "fence", "clean_stops=1: leader_live 3"),
    (
        MANAGER,
        "(r == brokerToAdd || clusterControl.isActive(r))",
        "clusterControl.isActive(r)",
        "unfence",
        f"{LOSS}: leaderless 10",
    ),
    (
        MANAGER,
        "partitionData.partitionEpoch() < partition.partitionEpoch",
        "false",
        "grant",
        f"min_isr=1 {LOSS}: superset 15",
    ),
    (MANAGER, "brokerId != partition.leader", "false", "grant", "fences=1: none"),
    (MANAGER, UNCLEANLY, "featureControl.isElrFeatureEnabled()", "register", f"clean_stops=1 {LOSS}: {HAS_ALL} 12"),
    (MANAGER, "!ineligibleReplicas.isEmpty()", "false", "grant", "fences=1: isr_unfenced 7"),
    (MOVES, "if (!newTargetIsr.containsAll(adding)) return Optional.empty();", "", "reassign", MOVING),
    (BUILDER, " && partition.lastKnownElr.length == 0", "", "= it is empty while somebody leads", ""),
    (MANAGER, SHUTDOWN, "(r != brokerToRemove)", "= who registers is fenced", ""),
    (
        MANAGER,
        "partitionData.leaderEpoch() < partition.leaderEpoch",
        "false",
        "= the partition epoch is older, too",
        "",
    ),
]


@cache
def sources(name: str, release: str) -> Path:
    folder = user_cache().path / "jars" / f"{name}-sources"
    artifact = f"-Dartifact=org.apache.kafka:{name}:{release}:jar:sources"
    words = ["mvn", "-q", "-B", "dependency:copy", artifact, f"-DoutputDirectory={folder}"]
    subprocess.run(words, check=True)
    return folder / f"{name}-{release}-sources.jar"


def build(folder: Path, name: str, line: str, instead: str) -> Path:
    """The folder of a class of 4.3.1 with another line in the place of one."""
    written = (
        zipfile.ZipFile(sources("kafka-metadata", "4.3.1")).read(f"org/apache/kafka/controller/{name}.java").decode()
    )
    assert written.count(line) == 1
    (folder / f"{name}.java").write_text(written.replace(line, instead), encoding="utf-8")
    path = ":".join(map(str, Classes("4.3.1").path()))
    subprocess.run(["javac", "-nowarn", "-cp", path, "-d", folder / "built", folder / f"{name}.java"], check=True)
    return folder / "built"


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(("name", "line", "instead", "expected", "_"), FAULTS, ids=[f"{f[0]}-{f[1]}" for f in FAULTS])
def test_a_fault_in_kafka_is_a_difference(
    name: str, line: str, instead: str, expected: str, _: str, tmp_path: Path
) -> None:
    built = build(tmp_path, name, line, instead)
    alike = replace(MOVED, min_isr=2)  # where 4.3.1 agrees with its model
    asked = [each for each in settings({}, elr=True, quick=True) if each.replicas == 2] + [THREE, alike]
    with Harness(Classes("4.3.1", built)) as harness:
        differing = compare(read("kraft-4.3"), asked, {}, harness, most=1).differing
    assert expected in differing or (expected.startswith("=") and not differing)


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(("release", "model"), [("3.7.2", "kraft-3.7"), ("4.1.1", "kraft-4.1"), ("4.4.0", "kraft-4.3")])
def test_a_release_agrees_with_its_model_at_two_replicas(release: str, model: str) -> None:
    done = in_process("code", model, "--release", release, "-c", "replicas=2", "-c", "min_isr=1")
    assert done.returncode == 0
    assert "\nAgrees in all" in done.stdout


@pytest.mark.slow
@needs_java
def test_what_4_3_changed_comes_out() -> None:
    """KAFKA-19975, and reports that keep the ELR."""
    written = json.loads(in_process("code", "--changes", "4.2.1", "4.3.1", "-c", "min_isr=2", "--json", "-").stdout)
    assert {"grant", "report_dir"} <= written["differing"].keys()
    assert written["constants"] == ["report_keeps_elr", "kafka_19975"]


@pytest.mark.slow
@needs_java
def test_with_unclean_election_only_4_0_has_a_reassignment_that_elects_nobody() -> None:
    """A limit (docs/kraft.md): Kafka begins it; no replica is live, and the one that is added is."""
    line, beside = "reassign 3 2 -1 -1 1 0 0 3 0 3 -1 -1", "unfence 3 0 0 -1 1 0 0 3 0 3 -1 -1"
    setting = replace(MOVED, unclean=True)
    with Harness(Classes("4.4.0")) as harness:
        assert harness.ask(setting.line, [line]) == [(12, frozenset({"-1,0,1,0,0,1,7,4,0"}))]
    for model, given, has in (("kraft-4.3", {}, False), ("kraft-4.0", {"last_known": "true"}, True)):
        asked = {each.line for each in ControllerSteps(read(model), setting, given).questions()}
        assert (beside in asked, line in asked) == (True, has)
