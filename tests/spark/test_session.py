"""Spark starts with or without a Java on the machine, says nothing, and leaves nothing behind."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.runs import bound

from isrcheck.api import check
from isrcheck.commands.options import parse_conf
from isrcheck.engines.contract import Cluster, Limits, Request
from isrcheck.engines.spark.cluster import settings_of
from isrcheck.engines.spark.engine import search
from isrcheck.engines.spark.session import master_of, session
from isrcheck.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COUNT = """
import signal
from isrcheck.engines.spark.session import session

before = signal.getsignal(signal.SIGINT)
for _ in range({times}):
    with session() as spark:
        rows = spark.sparkContext.parallelize(range(3), 2).map(int).collect()
        print(sum(rows), spark.conf.get("spark.driver.bindAddress"), spark.sparkContext.uiWebUrl)
assert signal.getsignal(signal.SIGINT) is before
"""


def run(tmp_path: Path, variables: Mapping[str, str], times: int = 1) -> subprocess.CompletedProcess[str]:
    known = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TMPDIR": str(tmp_path)}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", COUNT.format(times=times)],
        capture_output=True, text=True, env={**known, **variables}, timeout=600, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "variables",
    [{"PATH": "", "JAVA_HOME": ""}, pytest.param({"PATH": os.environ["PATH"]}, marks=pytest.mark.slow)],
    ids=["nothing around", "as it is here"],
)
def test_spark_starts(variables: dict[str, str], tmp_path: Path) -> None:
    done = run(tmp_path, variables)
    assert (done.stdout, done.stderr, done.returncode) == ("3 127.0.0.1 None\n", "", 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_spark_starts_again_in_one_process(tmp_path: Path) -> None:
    done = run(tmp_path, {"PATH": "", "JAVA_HOME": str(tmp_path / "nowhere")}, times=2)
    assert (done.stdout, done.stderr) == ("3 127.0.0.1 None\n" * 2, "")


def test_a_session_within_a_session_is_the_same(spark: "SparkSession") -> None:
    with session() as inner:
        assert inner is spark
    assert spark.range(3).count() == 3


@pytest.mark.slow
def test_a_spark_that_does_not_start_says_why() -> None:
    said = subprocess.run(
        [
            sys.executable, "-m", "isrcheck", "check", "kip-101", "--engine", "spark",
            "--spark-conf", "spark.isrcheck.localStates=0", "--spark-conf", "spark.driver.memory=1",
        ],
        capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert (said.returncode, said.stdout) == (2, "")
    expected = "isrcheck: Spark does not start with the master local[2]: Error occurred during initialization of VM.\n"
    assert said.stderr == expected


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            ["executor.memory=8g"],
            "--spark-conf executor.memory=8g is not an option: write KEY=VALUE, such as spark.executor.memory=8g.",
        ),
        (["spark.a"], "--spark-conf spark.a is not an option: write KEY=VALUE, such as spark.executor.memory=8g."),
        (["spark.a=1", "spark.a=2"], "the option spark.a is given twice: 1 and 2."),
    ],
)
def test_options_of_spark_are_pairs(given: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as said:
        parse_conf(given)
    assert str(said.value) == sentence


def test_options_keep_their_order_and_their_equal_signs() -> None:
    assert parse_conf(["spark.b=x=y", "spark.a="]) == (("spark.b", "x=y"), ("spark.a", ""))


def test_the_master_is_this_machine_unless_named() -> None:
    assert [master_of(Cluster(), workers) for workers in (1, 2, 4)] == ["local[2]", "local[2]", "local[4]"]
    assert master_of(Cluster("spark://a:7077"), 1) == "spark://a:7077"
    with pytest.raises(UsageError) as said:
        master_of(Cluster("localhost"), 1)
    assert str(said.value) == (
        "--master localhost is not an address of Spark: write local[4], spark://HOST:7077, k8s://... or yarn."
    )


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (("spark.isrcheck.partition", "4"), "there is no option spark.isrcheck.partition. Did you mean partitions?"),
        (
            ("spark.isrcheck.partitions", "0"),
            "spark.isrcheck.partitions=0 is out of range: write a number from 1 to 65536.",
        ),
        (
            ("spark.isrcheck.localStates", "<b>"),
            "spark.isrcheck.localStates=<b> is out of range: write a number from 0.",
        ),
    ],
)
def test_settings_are_numbers_with_known_names(option: tuple[str, str], sentence: str) -> None:
    with pytest.raises(UsageError) as said:
        settings_of(Cluster(conf=(option,)), 1)
    assert str(said.value) == sentence


def test_partitions_follow_the_threads() -> None:
    assert [settings_of(Cluster(master), 1).buckets for master in (None, "local[1]", "local[8,4]", "yarn")] == [
        4, 2, 16, 4,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (
            Request(cluster=Cluster("yarn")),
            "a search on yarn keeps its levels where all machines find them: give --checkpoint such a place, "
            "for instance hdfs://HOST/DIR.",
        ),
        (
            Request(limits=Limits(memory=1 << 30)),
            "--max-memory is not for --engine spark, whose workers hold one level of one partition: use more "
            "partitions, --spark-conf spark.isrcheck.partitions=N.",
        ),
    ],
    ids=["no shared place", "a limit of memory"],
)
def test_what_spark_does_not_search_is_a_sentence(request_: Request, sentence: str) -> None:
    with pytest.raises(UsageError) as said:
        search(bound("toy-clock"), request_)
    assert str(said.value) == sentence


def test_other_engines_have_no_cluster() -> None:
    with pytest.raises(UsageError) as said:
        check("toy-clock", cluster=Cluster("local[2]"))
    assert str(said.value) == "--master and --spark-conf are for --engine spark, and this is --engine native."


def test_the_line_that_runs_it_again_names_the_cluster() -> None:
    outcome = check("toy-clock", engine="spark", cluster=Cluster("local[2]", (("spark.isrcheck.partitions", "3"),)))
    assert outcome.command == (
        "isrcheck check toy-clock -c hours=3 -c minutes=4 --engine spark --master 'local[2]' "
        "--spark-conf spark.isrcheck.partitions=3"
    )
