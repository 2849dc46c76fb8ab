"""The documented queries over kip-101's graph, with the same worked out in Python, and what is refused."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.sweep.test_dataset import exported, rows

from isrcheck.errors import UsageError
from isrcheck.pipeline.graph_query import ask, list_queries, sql_of


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graph") / "g"
    exported("kip-101", folder)
    return folder


def answer(spark: Any, folder: Path, asked: str) -> list[tuple[Any, ...]]:
    table = ask(spark, folder, asked)
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_how_far_behind_a_high_watermark_may_be(spark: Any, graph: Path) -> None:
    lags: Counter[int] = Counter()
    for row in rows(graph, "states"):
        hw, isr, leader = dict(row["hw"]), dict(row["isr"]), dict(row["leader"])
        found = [hw[r] - hw[m] for r in leader if leader[r] == r for m in isr[r]]
        if found:
            lags[max(found)] += 1
    said = answer(spark, graph, "high-watermark-lag")
    assert [(lag, states) for lag, states, _ in said] == sorted(lags.items()) == [(0, 7665), (1, 1668)]
    assert said[1][2] == 8, "at the earliest after seven steps"


@pytest.mark.slow
def test_distances_and_what_leads_next_to_a_violation(spark: Any, graph: Path) -> None:
    edges = [(e["source"], e["target"], e["action"]) for e in rows(graph, "edges")]
    near = {v["state"] for v in rows(graph, "verdicts") if v["property"] == "strong_isr"}
    distance, step = dict.fromkeys(near, 0), 0
    while near:
        step += 1
        near = {s for s, t, _ in edges if t in near and s not in distance}
        distance |= dict.fromkeys(near, step)
    said = answer(spark, graph, "distances")
    assert {(name, far): states for name, far, states, _ in said if far is not None} == {
        ("strong_isr", far): states for far, states in Counter(distance.values()).items()
    }
    assert said[-1] == ("strong_isr", None, 9841 - len(distance), 2)
    assert max(distance.values()) == distance[0] == 11, "the initial state is as far as the shortest trace is long"

    into = Counter(action for _, t, action in edges if distance.get(t) == 1)
    said = answer(spark, graph, "before-violation")
    assert {action: steps for _, action, steps, _ in said} == into
    assert [row[1:3] for row in said] == [
        ("replica_becomes_follower", 24), ("leader_shrinks_isr", 18), ("replica_becomes_leader", 6),
    ]  # fmt: skip


def test_states_without_an_electable_leader(spark: Any, graph: Path) -> None:
    assert answer(spark, graph, "no-electable-leader") == [(0, 286, 9555, None)]


def test_sql_of_ones_own(spark: Any, graph: Path) -> None:
    asked = "SELECT parameters['leader'], count(*) FROM edges WHERE action = 'leader_writes' GROUP BY 1 ORDER BY 1"
    wanted = Counter(dict(e["parameters"])["leader"] for e in rows(graph, "edges") if e["action"] == "leader_writes")
    assert answer(spark, graph, asked) == sorted(wanted.items())


def test_sql_that_is_refused(spark: Any, graph: Path) -> None:
    with pytest.raises(UsageError, match=r"^the query SELECT no_such_column FROM states is refused: .*no_such_column"):
        ask(spark, graph, "SELECT no_such_column FROM states")


def test_words_that_are_no_query() -> None:
    with pytest.raises(UsageError) as caught:
        sql_of("distance")
    assert str(caught.value) == (
        "there is no query distance. Did you mean distances? Or give SQL over states, edges, levels, verdicts."
    )


def test_folders_that_are_no_whole_graph(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is not an exported graph: make one with isrcheck export MODEL --to parquet"):
        ask(spark, tmp_path, "distances")
    exported("toy-mutex", tmp_path / "g")
    file = next((tmp_path / "g" / "edges").iterdir())
    whole = file.read_bytes()
    file.write_bytes(whole[:100])
    with pytest.raises(
        UsageError, match=rf"{file.name} is damaged, or is not Parquet \(.*\): export the graph again\.$"
    ):
        ask(spark, tmp_path / "g", "distances")
    file.write_bytes(whole)
    pq.write_table(pq.read_table(file).slice(0, 3), file)
    with pytest.raises(UsageError, match=r"edges has 3 rows and graph.json says 42: export the graph again\.$"):
        ask(spark, tmp_path / "g", "distances")


def test_the_page_links_to_each_query() -> None:
    page = (Path(__file__).parents[2] / "docs" / "spark.md").read_text(encoding="utf-8")
    linked = re.findall(r"\[`([\w-]+)`\]\(\.\./checker/isrcheck/pipeline/sql/graph/([\w-]+)\.sql\)", page)
    assert {name for name, file in linked if name == file} == set(list_queries())
