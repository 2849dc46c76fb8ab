"""The logs of a cluster in production: a folder for each broker, several files, Kafka's own layout, copies."""

import gzip
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.observe.runs import RECORDED, broken, in_plain_layout, log_lines

from isrcheck.errors import UsageError
from isrlogs.observe.document import unread_paragraphs
from isrlogs.observe.event import Event
from isrlogs.observe.files import Source, find, role_of
from isrlogs.observe.order import once
from isrlogs.observe.plan import stretches
from isrlogs.observe.run import read_run

RUN = RECORDED / "zombie-3.9.1"
STATE_CHANGE = " (state.change.logger)"


def tree(root: Path) -> Path:
    """A broker on each host, with server.log and state-change.log; the controller is elsewhere."""
    for number, host in enumerate(("host-a", "host-b", "host-c"), 1):
        lines = list(in_plain_layout(log_lines(RUN / f"broker{number}.log.gz")))
        state = [line for line in lines if line.endswith(STATE_CHANGE)]
        server = [line for line in lines if not line.endswith(STATE_CHANGE)]
        write(root / host / "logs" / "state-change.log", state)
        half = len(server) // 2
        write(root / host / "logs" / "server.log.2026-11-22-01", server[:half], packed=number == 1)
        write(root / host / "logs" / "server.log", server[half:])
        write(root / host / "logs" / "kafkaServer-gc.log", ["[0.010s][info][gc] Using G1"])
    write(root / "quorum" / "controller.log", list(in_plain_layout(log_lines(RUN / "controller.log.gz"))))
    return root


def write(file: Path, lines: list[str], packed: bool = False) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(f"{line}\n" for line in lines).encode()
    if packed:
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(content))
    else:
        file.write_bytes(content)


def told(events: Iterable[Event], node: str) -> list[tuple[object, ...]]:
    rows = (e for e in events if e.node == node and e.source == "log")
    return [(e.kind, e.topic, e.wall_ms, {k: v for k, v in e.fields.items() if k != "thread"}) for e in rows]


def test_a_tree_says_what_a_run_says(tmp_path: Path) -> None:
    recorded, _ = read_run(RUN)
    events, accounts = read_run(tree(tmp_path / "cluster"))
    assert {event.run for event in events} == {"cluster"}
    assert {event.node for event in events} == {"broker 1", "broker 2", "broker 3", "controller"}
    assert not any(account.not_understood or account.cut for account in accounts)
    for node in ("broker 1", "broker 2", "broker 3", "controller"):
        found, expected = told(events, node), told(recorded, node)
        assert sorted(found, key=str) == sorted(expected, key=str)
        assert [row[2] for row in found] == sorted(row[2] for row in found)  # type: ignore[type-var] # all have a time


def as_brokers_write(run: str, folder: Path) -> Path:
    """A folder a node: all lines in replication.log, and in server.log, in another layout, those that are INFO."""
    for file in (RECORDED / run).glob("*.log.gz"):
        node = folder / run / file.name.partition(".")[0]
        node.mkdir(parents=True)
        lines = log_lines(file)
        (node / "replication.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
        info = [line for line in in_plain_layout(lines) if "] INFO " in line]
        (node / "server.log").write_text("\n".join(info) + "\n", encoding="utf-8")
    for name in ("client.jsonl", "faults.jsonl", "metadata-log.txt.gz"):
        if (RECORDED / run / name).exists():
            shutil.copy(RECORDED / run / name, folder / run)
    return folder / run


@pytest.mark.parametrize("run", ["s20-elr-BA-1", "kip101-0.10.2.2", "zombie-3.9.1"])
def test_lines_that_stand_in_two_files_happened_once(run: str, tmp_path: Path) -> None:
    twice, _ = read_run(as_brokers_write(run, tmp_path))
    alone, _ = read_run(RECORDED / run)
    assert len(twice) > len([event for event in alone if event.source != "agent"])
    assert _kinds(once(twice)) == _kinds(alone)
    assert sorted(each.why for each in broken(twice)) == sorted(each.why for each in broken(alone))


def _kinds(events: Iterable[Event]) -> Counter[tuple[str, str]]:
    return Counter((event.node, event.kind) for event in events if event.source == "log")


def test_what_one_file_tells_twice_happened_twice() -> None:
    fields = {"hw": "1"}
    event = Event("run", "broker 1", "log", 0, None, None, 5, "hw_set", "tv", 0, fields, "")
    groups = [1, 1, 2, 2, 2, 3]
    events = [event._replace(order=n << 10 | group) for n, group in enumerate(groups)]
    assert [each.order & 1023 for each in once(events)] == [1, 1, 2]


def test_lines_of_one_file_stay_in_their_order(tmp_path: Path) -> None:
    recorded, _ = read_run(RUN)
    events, _ = read_run(tree(tmp_path / "cluster"))
    of_state = {"leads", "leads_on", "follows", "follows_on"}
    for node in ("broker 1", "broker 2", "broker 3"):
        for inside in (True, False):
            own = [row for row in told(events, node) if (row[0] in of_state) == inside]
            assert own == [row for row in told(recorded, node) if (row[0] in of_state) == inside]


def test_no_two_events_of_a_node_have_one_number(tmp_path: Path) -> None:
    events, _ = read_run(tree(tmp_path / "cluster"), chunk=2000)
    assert len({(e.node, e.source, e.order) for e in events}) == len(events)


def test_a_copy_that_is_compressed_is_not_read_again(tmp_path: Path) -> None:
    root = tree(tmp_path / "cluster")
    before = len(read_run(root)[0])
    log = root / "host-b" / "logs" / "server.log"
    log.with_name("server.log.gz").write_bytes(gzip.compress(log.read_bytes()))
    assert len(read_run(root)[0]) == before


def test_two_controllers_are_told_apart(tmp_path: Path) -> None:
    lines = list(in_plain_layout(log_lines(RUN / "controller.log.gz")))
    write(tmp_path / "c" / "a" / "controller.log", lines)
    write(tmp_path / "c" / "b" / "controller.log", [line.replace("id=100]", "id=101]") for line in lines])
    events, _ = read_run(tmp_path / "c")
    assert {event.node for event in events} == {"controller 100", "controller 101"}


def test_two_brokers_logs_in_one_folder_are_told_apart_by_their_lines(tmp_path: Path) -> None:
    recorded, _ = read_run(RUN)
    for number, name in ((1, "a.log"), (2, "b.log")):
        write(tmp_path / "logs" / name, log_lines(RUN / f"broker{number}.log.gz"))
    events, _ = read_run(tmp_path / "logs")
    assert {event.node for event in events} == {"broker 1", "broker 2"}
    for node in ("broker 1", "broker 2"):
        assert Counter(map(str, told(events, node))) == Counter(map(str, told(recorded, node)))


def test_the_metadata_log_itself_is_named_with_what_prints_it(tmp_path: Path) -> None:
    segment = tmp_path / "c" / "__cluster_metadata-0" / "00000000000000000000.log"
    write(segment, ["\0"])
    write(tmp_path / "c" / "broker1.log", log_lines(RUN / "broker1.log.gz"))
    found = find([tmp_path / "c"])
    assert found.unread == [segment]
    _, paragraph = unread_paragraphs(found.unread)
    assert "kafka-dump-log.sh --cluster-metadata-decoder --files" in str(paragraph)


def test_runs_beside_each_other_have_their_folders_names() -> None:
    runs = {source.run for source in find([RECORDED]).read}
    assert runs == {folder.name for folder in RECORDED.iterdir()}


def test_what_a_file_is(tmp_path: Path) -> None:
    known = {
        "server.log": "log",
        "server.log.1.gz": "log",
        "broker1.agent.jsonl": "agent",
        "client.jsonl.gz": "client",
        "faults.jsonl": "faults",
        "00000000000000000000.log": None,  # a segment of Kafka's
        "README.md": None,
        "server.properties": None,
    }
    for name, role in known.items():
        (tmp_path / name).write_text("some text\n", encoding="utf-8")
        assert role_of(tmp_path / name) == role, name
    dump = '| offset: 2 CreateTime: 1 keySize: -1 payload: {"type":"TOPIC_RECORD","version":0,"data":{}}\n'
    (tmp_path / "dump.txt").write_text(dump, encoding="utf-8")
    (tmp_path / "kafka.out").write_text("[2026-11-22 01:15:08,000] INFO a (b.c)\n", encoding="utf-8")
    assert (role_of(tmp_path / "dump.txt"), role_of(tmp_path / "kafka.out")) == ("metadata", "log")


def test_places_that_hold_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere does not exist: give a folder of logs, such as that of a run\.$"):
        find([tmp_path / "nowhere"])
    (tmp_path / "client.jsonl").touch()
    with pytest.raises(
        UsageError, match=r"holds no logs of brokers: files such as server\.log, server\.log\.1\.gz were"
    ):
        find([tmp_path])


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    gone = Source(tmp_path / "server.log", "run", tmp_path, "log")
    with pytest.raises(UsageError, match=r"server\.log cannot be read: No such file or directory\.$"):
        stretches([gone])


def test_two_runs_of_one_name(tmp_path: Path) -> None:
    for place in ("a", "b"):
        write(tmp_path / place / "run" / "broker1.log", [""])
    with pytest.raises(
        UsageError, match=r"^two runs are called run: .*a/run and .*b/run\. Rename one of the folders\.$"
    ):
        find([tmp_path])
