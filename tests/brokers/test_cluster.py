"""What is run, from what, how it is told to log, and how it ends; clusters themselves run where Java and Maven are."""

import contextlib
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from click.testing import CliRunner

from isrbrokers.__main__ import main
from isrbrokers.agent import Gate, MetadataLimit
from isrbrokers.cluster import Cluster
from isrbrokers.disk import replace_disk
from isrbrokers.journal import Journal
from isrbrokers.judging import by_model, by_rules, record
from isrbrokers.plan import kraft_properties, options_for_logs, properties_text
from isrbrokers.process import ClusterError, JavaProcess, folder_aside
from isrbrokers.recording import _keep_lines, _keep_metadata, _standstill, files_of_log
from isrbrokers.releases import BUGS, RELEASES, Release, find_release, program
from isrbrokers.schedule.facts import HW
from isrbrokers.schedule.watch import Record, of_snapshot
from isrcheck.errors import UsageError

needs_java = pytest.mark.skipif(
    not (shutil.which("mvn") and shutil.which("javac")), reason="clusters need a JDK and Maven"
)
AGENT = Path(__file__).parents[2] / "brokers" / "isrbrokers" / "agent"


@pytest.mark.parametrize(("text", "number"), [("4.1.1", "4.1.1"), ("3.9", "3.9.1"), ("0.10", "0.10.2.2")])
def test_a_release_by_its_number(text: str, number: str) -> None:
    assert find_release(text).number == number


@pytest.mark.parametrize("text", ["four", "4", "3.5", "4.1.11"])
def test_a_release_that_cannot_be_run_is_a_sentence(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a release: write it as|is not among the releases that can be run"):
        find_release(text)


def test_where_a_program_is_missing_its_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(UsageError, match="Kafka needs mvn, which is not on the path: 'apt install maven'"):
        program("mvn")


def test_artifacts_name_a_version_each() -> None:
    for release in RELEASES.values():
        for artifact in release.artifacts:
            assert len(artifact.split(":")) == 3


@pytest.mark.parametrize("release", RELEASES.values(), ids=lambda release: release.number)
def test_nodes_log_as_the_files_say_that_users_paste(release: Release, tmp_path: Path) -> None:
    into, configuration = options_for_logs(release, tmp_path)
    assert into == f"-Dkafka.logs.dir={tmp_path}"
    assert "replication.log" in Path(configuration.partition("file:")[2]).read_text()


def test_a_log_that_was_rotated_is_kept_from_the_oldest_on(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "replication.log.2026-11-22-19.1.gz", "wt") as oldest:
        oldest.write("tv-0 first\n")
    for name, line in {"replication.log.2": "tv-0 second", "replication.log": "other\ntv-0 third"}.items():
        (tmp_path / name).write_text(line + "\n")
    os.utime(tmp_path / "replication.log.2026-11-22-19.1.gz", (0, 0))
    _keep_lines(files_of_log(tmp_path, "replication.log"), tmp_path / "kept.gz", re.compile("tv-0"))
    with gzip.open(tmp_path / "kept.gz", "rt") as kept:
        assert kept.read() == "tv-0 first\ntv-0 second\ntv-0 third\n"


def test_a_folder_that_an_error_names_is_still_there_afterwards() -> None:
    def fail() -> None:
        with folder_aside() as (folder, _):
            (folder / "stdout.log").write_text("no Java")
            JavaProcess("broker1", folder, 1, ()).wait_until_it_listens(0)

    with pytest.raises(ClusterError) as ended:
        fail()
    named = Path(str(ended.value).rpartition("see ")[2])
    assert named.read_text() == "no Java"
    shutil.rmtree(named.parent)
    with folder_aside() as (folder, tell_error):
        tell_error(f"broker1 does not listen: see {folder}/stdout.log")  # of a step that was not played
    folder.rmdir()
    for error in (ClusterError("nothing was lost"), None):
        with contextlib.suppress(ClusterError), folder_aside() as (folder, _):
            if error:
                raise error
        assert not folder.exists()


def test_a_controller_and_a_broker_know_each_other(tmp_path: Path) -> None:
    controller = properties_text(kraft_properties(0, 19090, 19090, tmp_path))
    broker = properties_text(kraft_properties(2, 19092, 19090, tmp_path))
    assert "process.roles=controller\n" in controller
    assert "listeners=PLAINTEXT://127.0.0.1:19092\n" in broker
    assert "controller.quorum.voters=100@127.0.0.1:19090\n" in broker


def test_every_fault_of_the_agent_has_a_name_and_no_other() -> None:
    text = (AGENT / "Bugs.java").read_text()
    assert {line.split('"')[1] for line in text.splitlines() if "new Bug(" in line} == set(BUGS)


def test_an_unknown_scenario_is_a_sentence() -> None:
    pytest.importorskip("confluent_kafka")
    result = CliRunner().invoke(main, ["run", "stal3"])
    assert isinstance(result.exception, UsageError)
    assert "there is no scenario stal3" in str(result.exception)
    assert "stall3" in str(result.exception)


def test_records_that_change_a_partition_are_kept(tmp_path: Path) -> None:
    kinds = ["PARTITION_CHANGE_RECORD", "CLEAR_ELR_RECORD", "CONFIG_RECORD", "NO_OP_RECORD"]
    dump = "\n".join(f'| offset: 7 payload: {{"type":"{kind}","version":0,"data":{{}}}}' for kind in kinds)
    asked: list[object] = []

    def tool(*command: object) -> str:
        asked.append(command[0])
        return dump

    cluster = SimpleNamespace(node_folder=lambda _: tmp_path, tool=tool, release=find_release("4.4"))
    _keep_metadata(cast(Cluster, cluster), tmp_path / "log.gz")
    kept = gzip.decompress((tmp_path / "log.gz").read_bytes()).decode().splitlines()
    assert kept == dump.splitlines()[:3]
    assert asked == ["org.apache.kafka.tools.DumpLogSegments"]


def test_a_dump_that_fails_discards_nothing_else_and_is_told(tmp_path: Path) -> None:
    def tool(*_: object) -> str:
        raise ClusterError("no Java")

    faults = Journal(tmp_path / "faults.jsonl")
    cluster = SimpleNamespace(node_folder=lambda _: tmp_path, tool=tool, release=find_release("4.4"), faults=faults)
    _keep_metadata(cast(Cluster, cluster), tmp_path / "log.gz")
    assert gzip.decompress((tmp_path / "log.gz").read_bytes()) == b""
    assert [(note["what"], note["error"]) for note in faults.read()] == [("dump failed", "no Java")]


def test_a_disk_that_is_replaced_is_empty_and_formatted_before_the_broker_starts(tmp_path: Path) -> None:
    (tmp_path / "data" / "tv-0").mkdir(parents=True)
    done: list[tuple[str, int, bool]] = []

    def note(act: str) -> Callable[[int], None]:
        return lambda node: done.append((act, node, (tmp_path / "data" / "tv-0").exists()))

    faults = Journal(tmp_path / "faults.jsonl")
    cluster = SimpleNamespace(kill=note("kill"), format_disk=note("format"), node_folder=lambda _: tmp_path)
    cluster.faults, cluster.release = faults, find_release("4.4")
    replace_disk(cast(Cluster, cluster), 2)
    assert done == [("kill", 2, True), ("format", 2, False)]
    assert (tmp_path / "data").is_dir()
    assert [(each["what"], each["node"]) for each in faults.read()] == [("replace_disk", 2)]


def test_nodes_stand_still_while_a_run_is_recorded() -> None:
    sent: list[signal.Signals] = []
    node = SimpleNamespace(signal=sent.append)
    with _standstill(cast(Cluster, SimpleNamespace(nodes={0: node, 1: node}))):
        assert sent == [signal.SIGSTOP] * 2
    assert sent[2:] == [signal.SIGCONT] * 2


@pytest.mark.parametrize(("number", "package"), [("4.2", "kafka.tools"), ("4.3", "org.apache.kafka.tools")])
def test_the_tool_that_prints_logs_moved_in_4_3(number: str, package: str) -> None:
    assert find_release(number).dump_tool == f"{package}.DumpLogSegments"


def test_a_gate_without_a_hook_in_the_broker_ends_the_run(tmp_path: Path) -> None:
    gate, limit = Gate(tmp_path, "heartbeat"), MetadataLimit(tmp_path)
    (tmp_path / "gates").mkdir()
    gate.shut()  # the broker has not started: nothing is known of its hooks
    (tmp_path / "gates" / "hooks").write_text("fetch\nmetadata")
    for act in (gate.shut, gate.close, partial(limit.set, 3)):
        with pytest.raises(ClusterError, match=r"the agent has no hook for .+: this release has no such method"):
            act()
    with pytest.raises(ClusterError, match="the agent has no hook for cut-3"):
        Gate(tmp_path, "cut-3").shut()
    (tmp_path / "gates" / "hooks").write_text("fetch\nheartbeat\nmetadata.limit\ncut")
    Gate(tmp_path, "cut-3").shut()
    gate.shut()
    limit.set(3)


def test_the_agent_knows_the_gates_by_the_names_that_the_scenarios_use() -> None:
    text = (AGENT / "Agent.java").read_text()
    assert re.findall(r'hook\("([\w.]+)"', text) == [
        "fetch",
        "cut",
        "metadata",
        "metadata.limit",
        "heartbeat",
        "expire",
    ]
    assert "org.apache.kafka.server.BrokerLifecycleManager" in text  # from 4.3 on


# Whoever ends isrbrokers ends its cluster: here processes that sleep are in the place of Kafka's.

_SCRIPT = """
import signal, sys, time
from pathlib import Path
from isrbrokers.cluster import Cluster
from isrbrokers.journal import Journal
from isrbrokers.process import JavaProcess
from isrbrokers.releases import find_release

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and stays so

class Sleeping(Cluster):
    def __post_init__(self):
        self.faults = Journal(self.folder / "faults.jsonl")
        command = ["sleep", "600"]
        self.nodes = {n: JavaProcess(str(n), self.folder, 0, command) for n in range(self.brokers + 1)}

    def wait_for(self, node):
        pass

with Sleeping(find_release("4.1.1"), Path(sys.argv[1]), brokers=2) as cluster:
    cluster.pause(2)
    print(*(process.started.pid for process in cluster.nodes.values()), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGHUP, 128 + signal.SIGHUP), (signal.SIGINT, -signal.SIGINT)],
)
def test_a_signal_that_ends_us_ends_the_nodes(number: signal.Signals, code: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _SCRIPT, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ours, ExitStack() as stack:
        stack.callback(ours.kill)
        assert ours.stdout is not None
        nodes = [int(word) for word in ours.stdout.readline().split()]
        assert len(nodes) == 3
        assert all(map(_is_alive, nodes))
        ours.send_signal(number)
        ours.communicate(timeout=600)
    assert ours.returncode == code
    assert not any(map(_is_alive, nodes))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@needs_java
def test_a_steady_run_keeps_the_rules_and_conforms(tmp_path: Path) -> None:
    pytest.importorskip("confluent_kafka")
    from isrbrokers.scenarios import SCENARIOS

    record(SCENARIOS["steady"], find_release("4.1"), tmp_path / "steady", port=22900)
    assert by_rules(tmp_path / "steady") is None
    assert by_model("kraft-4.1")(tmp_path / "steady") is None


@pytest.mark.slow
@needs_java
def test_a_follower_that_joins_at_once_is_found(tmp_path: Path) -> None:
    pytest.importorskip("confluent_kafka")
    from isrbrokers.scenarios import SCENARIOS

    record(SCENARIOS["rejoin"], find_release("4.1"), tmp_path / "rejoin", port=22910, bug="joins-at-once")
    wrong = by_model("kraft-4.1")(tmp_path / "rejoin")
    assert wrong is not None
    assert "departs from kraft-4.1: broker 1: isr_asked(broker=1, what=Expand, who=3" in wrong.what


def test_a_snapshot_in_facts() -> None:
    state = json.loads(
        '{"leads": true, "leader": 1, "epoch": 2, "version": 4, "isr": "Set(1, 3)", "maximal_isr": "Set(1, 3, 2)",'
        '"end": 3, "hw": 1, "epochs": "[EpochEntry(epoch=0, startOffset=0), EpochEntry(epoch=2, startOffset=2)]",'
        '"heard": {"2": -1, "3": 2}}'
    )
    assert dict(of_snapshot(state)) == {
        "partition epoch": 4,
        "leader epoch": 2,
        "leader": 1,
        HW: 1,
        "leader epochs of its records": (0, 0, 2),
        "ISR": frozenset({1, 3}),
        "maximal ISR": frozenset({1, 2, 3}),
        "log end of broker 2 that it knows": None,
        "log end of broker 3 that it knows": 2,
    }
    since_4_2 = {"isr": "[1, 3]", "maximal_isr": "[1, 3, 2]"}
    since_4_2["epochs"] = "[EpochEntry[epoch=0, startOffset=0], EpochEntry[epoch=2, startOffset=2]]"
    assert dict(of_snapshot({**state, **since_4_2})) == dict(of_snapshot(state))
    assert dict(of_snapshot({**state, "leads": False, "leader": -1}))["leader"] is None
    assert dict(of_snapshot(None)) == {}


_AT = "2026-11-22 16:13:35.239 INFO  [quorum-controller-100-event-handler] org.apache.kafka.controller."
_WHO = "[QuorumController id=100]"
_LINES = f"""{_AT}ReplicationControlManager - {_WHO} Replayed PartitionRecord for new partition tv-0 with topic ID \
ChND3YLSR4OJMMa6P3zVBQ and PartitionRegistration(replicas=[1, 2], directories=[], isr=[1, 2], removingReplicas=[], \
addingReplicas=[], elr=[], lastKnownElr=[], leader=1, leaderRecoveryState=RECOVERED, leaderEpoch=0, partitionEpoch=0).
{_AT}ReplicationControlManager - {_WHO} partition change for tv-0 with topic ID ChND3YLSR4OJMMa6P3zVBQ: isr: \
[1, 2] -> [2], leader: 1 -> 2, leaderEpoch: 0 -> 1, elr: [] -> [1], partitionEpoch: 0 -> 1
{_AT}ClusterControlManager - {_WHO} Replayed BrokerRegistrationChangeRecord modifying the registration for broker 1: \
BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=20, fenced=1, inControlledShutdown=0, logDirs=[])
"""


def test_the_controllers_log_in_facts(tmp_path: Path) -> None:
    file = tmp_path / "kafka.log"
    file.write_text(_LINES + "a line that is being wri")
    record = Record(file)
    expected = {
        "partition epoch": 1,
        "leader": 2,
        "leader epoch": 1,
        "ISR": frozenset({2}),
        "ELR": frozenset({1}),
        "last leader": frozenset(),
    }
    assert {what: value for (_, what), value in record.facts()} == expected
    assert record.fenced == {1}
    with file.open("a") as stream:
        stream.write("tten\n" + _LINES.splitlines()[2].replace("fenced=1", "fenced=-1") + "\n")
    assert dict(record.facts())["controller", "leader"] == 2
    assert record.fenced == set()


def test_the_controllers_log_is_read_on_when_it_rolls_over_and_is_compressed(tmp_path: Path) -> None:
    file, rolled = tmp_path / "replication.log", tmp_path / "replication.log.2026-11-22-16.1"
    created, elected, fenced = _LINES.splitlines(keepends=True)
    file.write_text(created)
    record = Record(file)
    assert dict(record.facts())["controller", "leader"] == 1
    with file.open("a") as stream:
        stream.write(elected)  # and nobody looks before it rolls over
    file.rename(rolled)
    assert dict(record.facts())["controller", "leader"] == 1, "between two files"
    file.write_text(fenced)
    assert dict(record.facts())["controller", "leader"] == 2
    assert record.fenced == {1}
    for number in (1, 2):
        packed = rolled.with_name(f"{rolled.name}.gz")
        packed.write_bytes(gzip.compress(rolled.read_bytes()))
        rolled.unlink()
        rolled = rolled.with_name(f"replication.log.2026-11-22-16.{number + 1}")
        file.rename(rolled)
        file.write_text(fenced.replace("fenced=1", "fenced=-1" if number == 1 else "fenced=1"))
        assert list(record.facts())
        assert record.fenced == (set() if number == 1 else {1})
    assert dict(Record(file).facts()) == dict(record.facts()), "also by who looks first when it has rolled over"
