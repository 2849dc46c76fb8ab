"""What is run, from what, and how it is told to log; clusters themselves run in the slow tests, where Java is."""

import gzip
import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from click.testing import CliRunner

from isrbrokers.__main__ import main
from isrbrokers.cluster import Cluster
from isrbrokers.plan import kraft_properties, options_for_logs, properties_text
from isrbrokers.recording import _files_of_log, _keep_lines, _keep_metadata
from isrbrokers.releases import BUGS, RELEASES, Release, find_release, program
from isrcheck.errors import UsageError

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
    with pytest.raises(UsageError, match="clusters need mvn, which is not on the path: 'apt install maven'"):
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
    _keep_lines(_files_of_log(tmp_path, "replication.log"), tmp_path / "kept.gz", re.compile("tv-0"))
    with gzip.open(tmp_path / "kept.gz", "rt") as kept:
        assert kept.read() == "tv-0 first\ntv-0 second\ntv-0 third\n"


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
    cluster = SimpleNamespace(node_folder=lambda _: tmp_path, tool=lambda *_: dump)
    _keep_metadata(cast(Cluster, cluster), tmp_path / "log.gz")
    kept = gzip.decompress((tmp_path / "log.gz").read_bytes()).decode().splitlines()
    assert kept == dump.splitlines()[:3]
