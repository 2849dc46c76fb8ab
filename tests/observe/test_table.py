"""The table of events on Spark: what one process reads, written whole, judged, and told by the command."""

import gzip
import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from tests.observe.runs import RECORDED, broken
from tools.bench.broker_logs import RUNS, partitions, write

from isrcheck.engines.contract import Cluster
from isrcheck.errors import UsageError
from isrlogs.conform.command import conform
from isrlogs.observe.chunks import Chunk
from isrlogs.observe.columns import SCHEMA
from isrlogs.observe.command import observe
from isrlogs.observe.event import MARK
from isrlogs.observe.files import find
from isrlogs.observe.judged import find_broken_rules
from isrlogs.observe.run import read_run
from isrlogs.observe.stored import read_events, tables_on
from isrlogs.observe.table import pack, read_about, write_table


def called(*words: str | Path) -> Result:
    return CliRunner().invoke(observe, [str(word) for word in words], standalone_mode=False)


@pytest.fixture(scope="module")
def table(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded runs, read in small stretches."""
    out = tmp_path_factory.mktemp("table") / "events"
    write_table(spark, find([RECORDED]), out, "again", chunk=4000)
    return out


def test_the_table_holds_what_one_process_reads(table: Path) -> None:
    expected, _ = read_run(RECORDED)
    found, accounts = read_run(table)
    without_numbers = [[e._replace(order=0) for e in events if e.source == "log"] for events in (found, expected)]
    assert without_numbers[0] == without_numbers[1]
    assert len(found) == len(expected)
    assert len({event[:4] for event in found}) == len(found)
    assert accounts == []


def test_the_schema_is_the_one_that_is_documented(table: Path) -> None:
    for file in table.glob("*.parquet"):
        assert pq.read_schema(file).names == SCHEMA.names
    types = {name: str(SCHEMA.field(name).type) for name in SCHEMA.names}
    assert types["order"] == "int64"
    assert types["partition"] == "int32"
    assert types["fields"] == "map<string, string>"


def test_a_topics_partition_is_in_one_file_and_in_order(table: Path) -> None:
    seen: dict[tuple[object, ...], Path] = {}
    for file in table.glob("*.parquet"):
        rows = pq.read_table(file, columns=["run", "topic", "partition", "node", "source", "order"]).to_pylist()
        keys = [tuple("" if value is None else value for value in row.values()) for row in rows]
        places = [(key[:2], -1 if key[2] == "" else key[2], key[3:]) for key in keys]
        assert places == sorted(places)
        for key in keys:
            assert seen.setdefault(key[:3], file) == file


def test_the_mark_says_what_was_read(table: Path) -> None:
    about = read_about(table)
    _, accounts = read_run(RECORDED)
    assert about["schema"] == "isrcheck.observe/1"
    assert about["lines"]["read"] == sum(account.total for account in accounts)
    assert about["lines"]["events"] == sum(about["kinds"].values()) == len(read_run(table)[0])
    assert about["not_understood"] == {}
    assert about["cut"] == {}


def test_the_rules_on_spark_are_the_rules(spark: Any, table: Path) -> None:
    found, count = find_broken_rules(spark, table, most=100)
    expected = [each for folder in sorted(RECORDED.iterdir()) for each in broken(read_run(folder)[0])]
    assert count == len(expected) == 5
    assert {(each.run, each.rule, each.node, each.why) for each, _ in found} == {
        (each.run, each.rule, each.node, each.why) for each in expected
    }
    lines = {each.kind: line for each, line in found if each.run == "s20-elr-BA-1"}
    assert "starts at leader epoch 3 from offset 0" in lines["leads"]
    assert lines["ack"].startswith('{"t": ')


def test_a_table_that_was_there_is_replaced_whole(spark: Any, tmp_path: Path) -> None:
    out = tmp_path / "events"
    for run in ("stall2-4.1.1", "natural-4.1.1"):
        write_table(spark, find([RECORDED / run]), out, "again")
        assert {event.run for event in read_run(out)[0]} == {run}
    assert [path.name for path in tmp_path.iterdir()] == ["events"]


def test_a_folder_with_something_else_is_left_alone(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(
        UsageError, match="holds something else than a table of events: give a folder that is new or empty"
    ):
        write_table(spark, find([RECORDED / "natural-4.1.1"]), tmp_path, "again")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_lines_that_are_not_understood_are_told(spark: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    lines = gzip.decompress((RECORDED / "natural-4.1.1" / "broker1.log.gz").read_bytes()).decode()
    strange = "2026-11-22 01:15:08.000 INFO  [t] kafka.cluster.Partition - [Partition tv-0 broker=1] Something new\n"
    (run / "broker1.log").write_text(f"{lines}{strange}2026-11-22 01:15:08.0", encoding="utf-8")
    (run / "notes.txt").write_text("mine", encoding="utf-8")
    done = called(run, "--out", tmp_path / "out")
    assert done.return_value == 0
    assert "1  that could matter and were not understood" in done.stdout
    assert "Not understood: please report these lines." in done.stdout
    assert "[Partition tv-0 broker=1] Something new" in done.stdout.replace("\n", "")
    assert "Lines have no end in 1 file" in done.stdout
    assert "1 file of no known kind: not read: notes.txt." in done.stdout
    judged = called(tmp_path / "out", "--rules", "--json", "-")
    assert judged.return_value == 20
    assert json.loads(judged.stdout)["undecided"] == [
        "1 line that could matter, not understood",
        "1 line without an end",
        "brokers without a log: broker 2 of run",
        "no line by UnifiedLog (Log until 2.8) at TRACE: broker 1 of run",
        "no line by kafka.server.ReplicaFetcherThread at TRACE: run",
    ]


def test_a_rule_that_is_broken_is_told_before_a_log_that_is_missing(spark: Any, tmp_path: Path) -> None:
    lossy = tmp_path / "lossy"
    shutil.copytree(RECORDED / "kip101-0.10.2.2", lossy)
    (lossy / "broker1.log.gz").unlink()
    done = called(lossy, "--rules")
    assert done.return_value == 12
    assert "undetermined where lines are missing: brokers without a log: broker 1 of lossy." in done.stdout


def test_the_command_judges_a_run_and_a_table(spark: Any, tmp_path: Path) -> None:
    first = called(RECORDED / "kip101-0.10.2.2", "--out", tmp_path / "out", "--rules", "--json", "-")
    again = called(tmp_path / "out", "--rules", "--json", "-")
    assert first.return_value == again.return_value == 12
    answer = json.loads(first.stdout)
    assert json.loads(again.stdout) == answer
    assert answer["count"] == 2
    assert [each["rule"] for each in answer["broken"]] == ["acked_present", "leader_has_committed"]
    assert "received LeaderAndIsr request" in answer["broken"][1]["line"]
    assert (tmp_path / "out" / MARK).is_file()


def test_the_command_on_runs_that_lost_nothing(spark: Any) -> None:
    done = called(RECORDED / "zombie-3.9.1", RECORDED / "stall2-4.1.1", "--rules")
    assert done.return_value == 0
    assert "No rule is broken by what was read." in done.stdout


def test_logs_that_say_nothing_make_an_empty_table(spark: Any, tmp_path: Path) -> None:
    for name, content in {"empty": "", "other": "[2026-11-22 01:15:08,000] INFO a (b.c)\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "broker1.log").write_text(content, encoding="utf-8")
        done = called(tmp_path / name, "--out", tmp_path / f"{name}-out", "--rules")
        assert done.return_value == 20
        assert "undetermined where lines are missing: no line that a rule reads was there." in done.stdout
        assert "No rule is broken by what was read." in done.stdout
        assert read_run(tmp_path / f"{name}-out")[0] == []


def test_wrong_usage(table: Path, tmp_path: Path) -> None:
    for words, sentence in (
        ((table, "--out", tmp_path / "x"), "is a table of events already: give it alone, with --rules."),
        ((tmp_path / "nowhere",), "does not exist: give a folder of logs, such as that of a run."),
        ((RECORDED, "--spark-conf", "x"), "--spark-conf x is not an option"),
    ):
        done = called(*words)
        assert isinstance(done.exception, UsageError)
        assert sentence in str(done.exception)


def test_small_stretches_share_a_task() -> None:
    most = 8 << 20
    assert pack([1, 2, 3]) == [[0, 1, 2]]
    assert pack([most, 1, most, most + 1]) == [[0], [1], [2], [3]]
    assert pack([]) == []


def test_a_table_without_its_rows_is_refused(table: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(table, tmp_path / "copy")
    first, *others = sorted(copy.glob("*.parquet"))
    first.write_bytes(b"")
    with pytest.raises(UsageError, match=r"events-00000.parquet is damaged \(.*\): run isrcheck observe again"):
        read_about(copy)
    for file in (first, *others):
        file.unlink()
    with pytest.raises(UsageError, match=r"copy has 0 events, and its mark counts [\d,]+: run isrcheck observe again"):
        read_about(copy)
    assert isinstance(called(copy, "--rules").exception, UsageError)


def test_a_cluster_that_does_not_see_the_files_is_a_sentence(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = find([RECORDED / "zombie-3.9.1"])
    with monkeypatch.context() as patch:
        unseen = [(sources.read[0], Chunk(str(tmp_path / "x"), 0, 1, compressed=False))]
        patch.setattr("isrlogs.observe.table.stretches", lambda *_: unseen)
        with pytest.raises(UsageError, match=r"^a worker has no .*/x: give a folder that all machines mount\.$"):
            with tables_on(Cluster(), 2) as session:
                write_table(session, sources, tmp_path / "out", "again")
    monkeypatch.setattr("isrlogs.observe.table._write", lambda *_: None)
    with pytest.raises(UsageError, match=r"^the workers do not write where .*/out is: give --out a folder"):
        write_table(spark, sources, tmp_path / "out", "again")
    assert not list(tmp_path.iterdir())


def test_conform_takes_options_of_spark(table: Path) -> None:
    words = [str(table), "--spark-conf", "x"]
    assert "--spark-conf x is not an option" in str(CliRunner().invoke(conform, words, standalone_mode=False).exception)


# A small one of the clusters that are generated: the partition that lost a record is found, and no other.

MORE = Path(os.environ.get("ISRCHECK_BROKER_RUNS", "nowhere"))
PARTITIONS = 45  # more than are told one by one


def made(folder: Path, runs: list[Path]) -> str:
    """A cluster, and the topic that lost a record."""
    write(folder, partitions(runs, PARTITIONS, 1, hours=0.1, corrupt=1, seed=1), 1 << 30)
    (topic,) = json.loads((folder / "planted.json").read_text(encoding="utf-8"))
    return str(topic)


def test_the_rules_find_the_record_that_is_lost(spark: Any, tmp_path: Path) -> None:
    lost, table = made(tmp_path / "cluster", RUNS), tmp_path / "events"
    about = write_table(spark, find([tmp_path / "cluster"]), table, "again", chunk=100_000)
    assert about["not_understood"] == {}
    assert about["lines"]["read"] == about["lines"]["understood"]
    rows = [row for file in table.glob("*.parquet") for row in read_events(str(file), lambda b: pc.is_valid(b["kind"]))]
    counts = Counter(row.topic for row in rows if row.partition is not None)
    assert (len(counts), len(set(counts.values()))) == (PARTITIONS, 1)
    found, count = find_broken_rules(spark, table, 10)
    assert [(each.topic, each.rule) for each, _ in found] == [(lost, "hw_within_isr")]
    assert count == 1
    assert "High watermark updated from" in found[0][1]


@pytest.mark.slow
@pytest.mark.skipif(not (MORE / "isr-4.1.1").is_dir(), reason="ISRCHECK_BROKER_RUNS names no folder with isr-4.1.1")
def test_conform_finds_it_too(spark: Any, tmp_path: Path) -> None:
    lost, table = made(tmp_path / "cluster", [MORE / "isr-4.1.1"]), tmp_path / "events"
    write_table(spark, find([tmp_path / "cluster"]), table, "again")
    told = CliRunner().invoke(conform, [str(table), "--model", "kraft-4.1"], standalone_mode=False)
    assert told.return_value == 12
    assert re.search(rf"kraft-4.1 +{PARTITIONS - 1} +1 +0", told.stdout)
    assert f"cluster {lost}-0 and kraft-4.1\nDeparts: no behaviour explains more than" in told.stdout
