"""A small one of the clusters that are generated: the partition that lost a record is found, and no other."""

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from click.testing import CliRunner
from tests.observe.generate import RUNS, partitions, write

from isrlogs.conform.command import conform
from isrlogs.observe.files import find
from isrlogs.observe.judged import find_broken_rules
from isrlogs.observe.stored import read_events
from isrlogs.observe.table import write_table

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
