"""A table of several partitions, judged on Spark."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.observe.runs import RECORDED

pytest.importorskip("pyspark")

from isrlogs.conform.command import conform
from isrlogs.observe.command import observe


@pytest.mark.slow
def test_a_table_is_judged_as_its_runs_are(tmp_path: Path) -> None:
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
