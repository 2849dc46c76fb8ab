"""`isrcheck code`: a model's brokers against Kafka's own classes, on replies of our own first, then on real jars."""

import shutil
import subprocess
import zipfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import pack
from typing import cast

import numpy as np
import pytest
from tests.brokers.test_code import sources
from tests.fixtures.command_line import in_process

from isrbrokers.classes import broker_judge, broker_steps
from isrbrokers.classes.broker_graph import BrokerGraph, Call, number_rows
from isrbrokers.classes.broker_judge import BrokerDifference, BrokerTally, compare_brokers
from isrbrokers.classes.broker_steps import BrokerSetting, BrokerSteps, Step, broker_settings
from isrbrokers.classes.broker_views import NONE
from isrbrokers.classes.harness import BROKER, Classes, Harness, _adapt
from isrbrokers.classes.side_by_side import SideBySide
from isrbrokers.process import ClusterError
from isrbrokers.releases import resolve
from isrcheck import UsageError
from isrcheck.engines.registry import StateGraph
from isrcheck.plugin import find_model, read_model, replace


def test_a_difference_of_brokers_is_a_field_of_one_of_them() -> None:
    ours = "1;1;1,1,1;3,3;-;-,1@0;0|1;0;0,1,1;0,0;-;-,-;0|0@1"
    theirs = "1;0;1,1,1;3,3;-;-,1@0;0|1;0;0,1,1;0,0;-;-,-;0|"
    difference = BrokerDifference(BROKERS, "fetch", ("begin(leader=r0)", "fetch(follower=r1)"), ours, theirs)
    assert difference.fields() == [("r0 high watermark", "1", "0"), ("acknowledged", "0@1", "")]
    broken = replace(difference, theirs="XNullPointerException: no log")
    assert broken.fields() == [("exception", "none", "NullPointerException: no log")]


BROKERS = BrokerSetting((("replicas", "2"), ("min_isr", "2")))
WALK = [Step(0, 0, 1, "learn", "learn 0 0 1 3 1 3", 0), Step(1, 1, 2, "write", "write 0 -1", 1)]


class TwoWalks:
    """Steps of a model in two walks; the second goes on from where the first differs, if it does."""

    setting, line, states, total = BROKERS, "2 2", 3, 3

    def __init__(self) -> None:
        self.blocked = False

    def walks(self, covered: set[int]) -> Iterator[list[Step]]:
        walks = [WALK, [*WALK, Step(2, 2, 3, "fetch", "fetch 1 0", 2)]]
        missing = [] if self.blocked else [walk for walk in walks if {each.key for each in walk} - covered]
        covered |= {each.key for walk in missing for each in walk}
        return iter(missing)

    def block(self, keys: set[int]) -> None:
        self.blocked = 1 in keys

    def write(self, state: int) -> str:
        return f"{state};0;0,1,1;0,0;-;-,-;0|"

    def call(self, edge: int) -> str:
        return f"step {edge}"


def walk_with(monkeypatch: pytest.MonkeyPatch, otherwise: dict[str, str]) -> BrokerTally:
    states = {each.line: each.after for each in (*WALK, Step(2, 2, 3, "fetch", "fetch 1 0", 2))}
    monkeypatch.setattr(broker_judge, "BrokerSteps", lambda *_: TwoWalks())
    harness = Harness(Classes("4.4.0", None, BROKER))
    known = {line: TwoWalks().write(after) for line, after in states.items()} | otherwise
    monkeypatch.setattr(harness, "replies", lambda _, lines: [known.get(line, "") for line in lines])
    return compare_brokers(read_model(find_model("kraft-4.3")), [BROKERS], harness)


def test_brokers_agree_once_every_step_does(monkeypatch: pytest.MonkeyPatch) -> None:
    tally = walk_with(monkeypatch, {})
    assert (tally.verdict, tally.total, tally.calls, tally.behind) == ("agrees", 3, 5, 0)
    assert tally.steps == {"learn": 1, "write": 1, "fetch": 1}


def test_steps_that_no_walk_leads_to_are_not_agreed_upon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TwoWalks, "total", 4)
    tally = walk_with(monkeypatch, {})
    assert (tally.verdict, tally.total, tally.behind) == ("undetermined", 3, 1)
    assert tally.cut.startswith("no walk leads to 1 step, in the setting ")


def test_what_only_differing_steps_lead_to_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    tally = walk_with(monkeypatch, {"write 0 -1": "again|2;1;0,1,1;0,0;-;-,-;0|"})
    assert (tally.verdict, tally.differing, tally.behind) == ("differs", {"write": 1}, 1)
    (least,) = tally.examples()
    assert (least.calls, least.fields()) == (("step 0", "step 1"), [("r0 high watermark", "0", "1")])
    assert tally.sentences() == ["1 step can be reached by differing steps alone, and are not asked."]
    assert tally.as_json()["least"][0]["fields"] == [{"held": "r0 high watermark", "model": "0", "code": "1"}]


def test_remarks_of_the_harness_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    tally = walk_with(monkeypatch, {"fetch 1 0": "again|3;0;0,1,1;0,0;-;-,-;0|"})
    assert tally.verdict == "agrees"
    assert tally.sentences() == ["In 1 step a follower first forgot an epoch in which it led and wrote nothing."]


def test_constants_leave_the_settings_of_brokers_that_they_fit() -> None:
    assert {each.value["replicas"] for each in broker_settings({})} == {"2", "3"}
    assert [each.value for each in broker_settings({"replicas": "3", "min_isr": "2", "kills": "1"})] == [
        {"replicas": "3", "min_isr": "2", "kills": "1"}
    ]
    assert broker_settings({"replicas": "4"}) == []
    assert [each.value for each in broker_settings({"replicas": "3"}, quick=True)] == [
        {"replicas": "3", "min_isr": "2", "fences": "1"}
    ]


def test_what_the_model_refuses_is_to_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    held = TwoWalks().write(2)
    refused = Step(1, 2, 2, "refused write", "no-write 0 -1", -1)
    monkeypatch.setitem(globals(), "WALK", [*WALK, refused])
    agrees = walk_with(monkeypatch, {"no-write 0 -1": f"refused|{held}"})
    assert (agrees.verdict, agrees.steps["refused write"], agrees.behind) == ("agrees", 1, 0)
    differs = walk_with(monkeypatch, {"no-write 0 -1": held})
    (least,) = differs.examples()
    assert least.fields() == [("the request", "refused", "accepted")]
    assert least.calls == ("step 0", "step 1", "no-write 0 -1, which the model refuses")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--release", "3.4.1"), "Kafka 3.4.1 cannot be asked as a broker: the classes are known from 3.5 on."),
        (("--release", "4.4.0", "-c", "replicas=4"), "the constants given leave no partition to walk: replicas is 2"),
    ],
)
def test_brokers_that_cannot_be_asked_are_a_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = in_process("code", "kraft-4.3", "--role", "broker", *words)
    assert done.returncode == 2
    assert f"isrcheck: {sentence}" in done.stderr


@pytest.mark.parametrize(
    ("jar", "chosen"),
    [
        ("kafka/log/Log", ["import kafka.log.Log;", "new Log(0, 1);", "ends();"]),
        ("org/apache/kafka/Log", ["import org.apache.kafka.Log;", "new Log(1);", "closes();"]),
    ],
)
def test_lines_of_the_harness_are_chosen_by_what_jars_have(jar: str, chosen: list[str], tmp_path: Path) -> None:
    jars, source, aside = tmp_path / "jars", tmp_path / "A.java", tmp_path / "aside"
    (jars / jar).parent.mkdir(parents=True)
    (jars / f"{jar}.class").touch()
    aside.mkdir()
    source.write_text(
        "import org.apache.kafka.storage.Log;\nnew Log(1);\n  // where kafka.log.Log: new Log(0, 1);\n"
        "ends();\n// without kafka.log.Log: closes();\n"
    )
    (copy,) = _adapt([source], [jars], aside)
    assert [line for line in copy.read_text().splitlines() if not line.strip().startswith("//")] == chosen


# The graph as arrays

LOCAL, ACKED, CONTROLLERS = 0b11, 0b100, 0b11000


class FourStates:
    """A graph whose states differ in a broker, in what is acknowledged, and in the controller; steps unsorted."""

    exploration = Namespace(distinct=4, outside=0)
    words, instances = 2, 3  # of the second word nothing is asked
    edges = [(1, 2, 3), (0, 0, 1), (0, 1, 2), (2, 1, 3), (2, 0, 3), (1, 0, 2)]  # source, instance, target

    def states(self) -> Iterator[bytes]:
        yield from (pack("=2Q", bits, 7) for bits in (0, 0b01, 0b01 | CONTROLLERS, 0b101 | CONTROLLERS))

    def steps(self) -> Iterator[tuple[bytes, bytes]]:
        yield from ((pack("=Q", 3 * source + number), pack("=Q", target)) for source, number, target in self.edges)


def test_steps_that_differ_in_nothing_that_brokers_hold_have_one_key() -> None:
    calls = [Call("write", (0,)), Call("fence", None), Call("learn", (0,))]
    graph = BrokerGraph(cast(StateGraph, FourStates()), [LOCAL, ACKED], calls)
    assert [graph.view(state) for state in range(4)] == [(0, 0), (1, 0), (1, 0), (1, 1)]
    edges = sorted((source, number, target) for source, number, target in FourStates.edges)
    keys = dict(zip(edges, graph.key, strict=True))
    assert keys == {(0, 0, 1): 0, (0, 1, 2): NONE, (1, 0, 2): 1, (1, 2, 3): 2, (2, 0, 3): 3, (2, 1, 3): NONE}
    graph.find_ways([], seed=0)
    assert [len(graph.way(state)) for state in range(4)] == [0, 1, 1, 2]
    graph.find_ways([0, 3], seed=0)
    assert [edge if edge == NONE else edges[edge] for edge in graph.least] == [(0, 0, 1), NONE, NONE, (2, 0, 3)]
    assert [edges[edge] for edge in graph.way(3)] == [(0, 1, 2), (2, 1, 3)]


def test_rows_with_equal_hashes_have_numbers_of_their_own() -> None:
    columns = [np.array([3, 1, 3, 1], np.uint32), np.array([2, 2, 2, 1], np.uint32)]
    numbers, first = number_rows(columns, factor=0)
    assert [columns[0][row] for row in first[numbers]] == [3, 1, 3, 1]
    assert [columns[1][row] for row in first[numbers]] == [2, 2, 2, 1]


def test_harnesses_side_by_side_reply_in_the_order_of_questions() -> None:
    class Echo(Harness):
        def replies(self, setting: str, lines: Sequence[str]) -> list[str]:
            return [f"{setting} {line}" for line in lines]

    class Broken(Harness):
        killed = 0

        def replies(self, setting: str, lines: Sequence[str]) -> list[str]:
            raise ClusterError("gone")

        def kill(self) -> None:
            self.killed += 1

    classes = Classes("4.4.0", None, BROKER)
    with SideBySide([Echo(classes), Echo(classes)], "2 1") as pair:
        assert [*pair.ask((n, [str(n)]) for n in range(9))] == [(n, [f"2 1 {n}"]) for n in range(9)]
    broken = Broken(classes)
    with pytest.raises(ClusterError, match="gone"), SideBySide([broken], "2 1") as alone:
        next(alone.ask([(0, ["reset"])]))
    assert broken.killed == 1


@pytest.mark.slow
def test_a_graph_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_steps, "MOST_STATES", 100)
    with pytest.raises(UsageError, match=r"^replicas=2, min_isr=2 has more than 100 states, too many to walk: "):
        BrokerSteps(read_model(find_model("kraft-4.3")), BROKERS)


# Real classes

needs_java = pytest.mark.skipif(
    not all(map(shutil.which, ("javac", "mvn"))), reason="Kafka's classes need Java and Maven"
)
PARTITION, FETCHER = "kafka/cluster/Partition.scala", "kafka/server/AbstractFetcherThread.scala"
DIVERGES = "epochEndOffset.leaderEpoch < fetchEpoch || epochEndOffset.endOffset < fetchOffset"
# A line of 4.1.1, what takes its place, and the first action that differs; else why none does.
FAULTS = [
    (PARTITION, "if (isUnderMinIsr) {", "if (false) {", "learn"),
    (PARTITION, "(partitionState.maximalIsr.contains(", "(partitionState.isr.contains(", "write"),
    (PARTITION, " && leaderEpochStartOffsetOpt.exists(followerEndOffset >= _)", "", "fetch"),
    (PARTITION, "followerEndOffset >= leaderLog.highWatermark && ", "", "learn"),
    (PARTITION, "if (inSyncSize < minIsr &&", "if (inSyncSize + 1 < minIsr &&", "refused write"),
    (PARTITION, "if (prevFollowerEndOffset != replica.stateSnapshot.logEndOffset) {", "if (true) {", "fetch"),
    (PARTITION, "leaderLog.assignEpochStartOffset(partitionState.leaderEpoch, leaderEpochStartOffset)", "", "truncate"),
    (PARTITION, "            isNewLeader,\n", "            true,\n", "learn"),
    (PARTITION, "partitionState.isr.contains(replica.brokerId)\n          )\n", "true)\n", "learn"),
    (PARTITION, "(maybeIncrementLeaderHW(leaderLog, currentTimeMs = currentTimeMs),", "(false,", "learn"),
    (PARTITION, "(info, maybeIncrementLeaderHW(leaderLog))", "(info, false)", "write"),
    (PARTITION, "partitionState = proposedIsrState.lastCommittedState", "", "refuse_ineligible"),
    (PARTITION, "leaderLogIfLocal.exists(log => maybeIncrementLeaderHW(log))", "false", "learn"),
    (
        PARTITION,
        "val isrToSend = partitionState.isr -- outOfSyncReplicaIds",
        "val isrToSend = partitionState.isr",
        "ask_drop",
    ),
    (
        PARTITION,
        "val candidateReplicaIds = current.isr - localBrokerId",
        "val candidateReplicaIds = current.isr",
        "ask_drop",
    ),
    (PARTITION, DIVERGES, "epochEndOffset.endOffset < fetchOffset", "truncate"),
    (PARTITION, DIVERGES, "epochEndOffset.leaderEpoch < fetchEpoch", "truncate"),
    (
        PARTITION,
        "if (updateFetchState && !logReadInfo.divergingEpoch.isPresent) {",
        "if (updateFetchState) {",
        "truncate",
    ),
    (FETCHER, "min(followerEndOffset, leaderEpochOffset.endOffset)", "leaderEpochOffset.endOffset", "truncate"),
    (PARTITION, "if (minIsr <= curMaximalIsr.size)", "if (true)", "= below min ISR nothing is committed"),
]


def build(file: str, line: str, instead: str, folder: Path) -> Path:
    """Compile a file of 4.1.1 with one line changed."""
    original = zipfile.ZipFile(sources("kafka_2.13", "4.1.1")).read(file).decode()
    assert original.count(line) == 1
    changed, built = folder / Path(file).name, folder / "built"
    changed.write_text(original.replace(line, instead), encoding="utf-8")
    built.mkdir()
    compiler = resolve("scala-2.13.16", ("org.scala-lang:scala-compiler:2.13.16",))
    path = ":".join(map(str, Classes("4.1.1", None, BROKER).path()))
    words = ["java", "-Xmx1g", "-cp", f"{compiler}/*", "scala.tools.nsc.Main", "-nowarn", "-cp", path]
    subprocess.run([*words, "-d", str(built), str(changed)], check=True)
    return built


SMALL = [
    BrokerSetting((("replicas", "2"), ("fences", "1"), ("elections", "1"))),
    BrokerSetting((("replicas", "2"), ("fences", "0"), ("elections", "2"))),
    BrokerSetting((("replicas", "2"), ("min_isr", "1"), ("fences", "1"), ("shrinks", "1"), ("max_records", "2"))),
    BrokerSetting((("replicas", "3"), ("min_isr", "1"), ("fences", "1"), ("initial_isr", "1"))),
]


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(("file", "line", "instead", "expected"), FAULTS, ids=[f"{f[0]}-{f[1]}" for f in FAULTS])
def test_a_fault_in_kafka_is_a_difference(file: str, line: str, instead: str, expected: str, tmp_path: Path) -> None:
    built = build(file, line, instead, tmp_path)
    with Harness(Classes("4.1.1", built, BROKER)) as harness:
        differing = compare_brokers(read_model(find_model("kraft-4.1")), SMALL, harness, most=1).differing
    assert expected in differing or (expected.startswith("=") and not differing)


REMEMBERING = "replicas=3 min_isr=1 initial_isr=1 fences=2 max_version=3 max_epoch=3 max_session=0"  # outside the ISR


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize("constants", ["replicas=2 min_isr=1", REMEMBERING])
@pytest.mark.parametrize(
    ("release", "model"),
    [("3.5.2", "kraft-3.5"), ("3.9.2", "kraft-3.9"), ("4.1.1", "kraft-4.1"), ("4.4.0", "kraft-4.3")],
)
def test_a_release_agrees_with_its_model(release: str, model: str, constants: str) -> None:
    given = [word for each in constants.split() for word in ("-c", each)]
    done = in_process("code", model, "--release", release, "--role", "broker", *given)
    assert done.returncode == 0
    assert "\nAgrees in all" in done.stdout
