"""Sweeps on a real Spark: rows that equal checks, what is computed again, and whatever dies on the way."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.sweep.models import cells, counter, dying, grid, swept

from isrcheck import check
from isrcheck.errors import UsageError
from isrcheck.pipeline.folder import Folder
from isrcheck.run.trace import read_trace

SLOW = pytest.mark.slow
SMALL = grid(
    models='["isr-kip-16-text", "async-isr", "toy-mutex"]',
    constants='{ lag_time_max = [1, 2], max_records = 1, pace = "every-tick" }',
)


def forget(model: str) -> None:
    """Unload a file, as a new process would find it."""
    for name in [n for n, m in sys.modules.items() if getattr(m, "__file__", None) == model.partition(":")[0]]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def small(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sweep") / "out"
    made = swept(SMALL, folder, spark)
    assert (made.computed, made.known, made.exit) == (4, 0, 0)
    return folder


def test_rows_say_what_checks_say(small: Path, tmp_path: Path) -> None:
    for row in cells(small):
        said = check(row["model"], constants=row["constants"])
        found = [(p["name"], p["verdict"], p["assurance"], p["length"]) for p in row["properties"]]
        assert found == [
            (p.name, p.verdict.value, p.assurance, p.trace.length if p.trace else None) for p in said.properties
        ]
        assert (row["distinct"], row["generated"], row["pruned"], row["digest"], row["levels"]) == (
            said.distinct, said.generated, said.pruned, said.digest, list(said.levels)
        )  # fmt: skip
        assert json.loads(row["outcome"])["schema"] == "isrcheck.outcome/2"
        assert row["status"] == "decided"
        for p in row["properties"]:
            if p["trace"]:
                (tmp_path / "trace.json").write_text(p["trace"], encoding="utf-8")
                assert read_trace(tmp_path / "trace.json").name == p["name"]


def test_nothing_is_computed_twice(small: Path, spark: Any) -> None:
    before = {
        name: (small / name).read_bytes() for name in ("cells.parquet", "matrix.csv", "frontier.csv", "matrix.md")
    }
    made = swept(SMALL, small, spark)
    assert (made.computed, made.known) == (0, 4)
    assert {name: (small / name).read_bytes() for name in before} == before


def test_only_the_cells_of_a_changed_model_are_computed(spark: Any, tmp_path: Path) -> None:
    one, two = counter(tmp_path, "one"), counter(tmp_path, "two")
    text = grid(models=f'["{one}", "{two}"]', constants="{ limit = [1, 2, 3] }")
    out = tmp_path / "out"
    assert swept(text, out, spark).computed == 6

    counter(tmp_path, "two", more="\n# a remark\n")
    forget(two)
    assert swept(text, out, spark).computed == 0, "a comment is no change of the model"

    counter(tmp_path, "two", step=2)
    forget(two)
    made = swept(text, out, spark)
    assert (made.computed, made.known) == (3, 3)
    counts = {(r["model"], r["constants"]["limit"]): r["distinct"] for r in cells(out)}
    assert [counts[one, n] for n in "123"] == [2, 3, 3]
    assert [counts[two, n] for n in "123"] == [1, 2, 2], "by twos; above the limit is pruned"

    counter(tmp_path, "two")
    forget(two)
    assert swept(text, out, spark).computed == 0, "what was computed once is still known"


def test_other_limits_and_properties_are_other_cells(spark: Any, tmp_path: Path) -> None:
    out, model = tmp_path / "out", counter(tmp_path)
    constants = "{ limit = 9, bad = 8 }"
    text = grid(models=f'["{model}"]', constants=constants, limits="{ states = 2 }")
    assert swept(text, out, spark).exit == 20
    (row,) = cells(out)
    assert (row["status"], row["verdict"], row["digest"]) == ("cut", "undetermined", None)
    assert row["sentence"] == "The search was cut off after 2 states."
    assert json.loads((out / "sweep.json").read_text())["complete"] is True
    assert "| `below_bad` | 1/1 open |" in (out / "matrix.md").read_text()
    assert swept(grid(models=f'["{model}"]', constants=constants), out, spark).computed == 1
    assert "| `below_bad` | **8 steps, 1/1** |" in (out / "matrix.md").read_text()


def test_runs_that_fail_are_rows(spark: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import nothing_of_this_name\n", encoding="utf-8")
    wrong = counter(tmp_path, "wrong", more="")
    Path(wrong.partition(":")[0]).write_text(
        Path(wrong.partition(":")[0]).read_text().replace("self.count += 1", "self.count = self.count - 1")
    )
    text = (
        grid(models=f'["{broken}:X"]')
        + grid(models=f'["{wrong}"]')
        + grid(models='["isr-kip-501"]', constants="{ min_isr = 9 }")
    )
    made = swept(text, tmp_path / "out", spark)
    rows = {r["status"]: r for r in cells(tmp_path / "out") if r["model"] != wrong}
    assert made.exit == 75
    assert rows["assumption-false"]["exit"] == 10
    assert "nothing_of_this_name" in rows["model-error"]["sentence"]
    (error,) = [r for r in cells(tmp_path / "out") if r["model"] == wrong]
    assert error["status"] == "model-error"
    assert error["sentence"].startswith(f"{wrong.partition(':')[0]}:"), "the user's file, not the worker's copy"
    assert {r["verdict"] for r in cells(tmp_path / "out")} == {None}
    assert {p["verdict"] for r in cells(tmp_path / "out") for p in r["properties"]} == {None}
    assert "holds" not in (tmp_path / "out" / "matrix.csv").read_text().partition("\n")[2]
    assert swept(text, tmp_path / "out", spark).computed == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "whom",
    [pytest.param("os.getpid()", id="its process"), pytest.param("os.getppid()", id="Spark's worker", marks=SLOW)],
)
def test_a_cell_that_is_killed_once_is_tried_again(spark: Any, tmp_path: Path, whom: str) -> None:
    text = grid(models=f'["{dying(tmp_path, 1, whom)}", "toy-mutex"]', properties='["below_bad", "mutual_exclusion"]')
    assert swept(text, tmp_path / "out", spark).exit == 0
    rows = cells(tmp_path / "out")
    assert [(r["status"], r["attempts"]) for r in rows] == [("decided", 2), ("decided", 1)]


@pytest.mark.parametrize(
    "whom", [pytest.param("os.getpid()", id="its process"), pytest.param("os.getppid()", id="Spark's worker")]
)
def test_a_cell_that_is_killed_twice_is_a_row_and_the_next_run_tries_it(spark: Any, tmp_path: Path, whom: str) -> None:
    text = grid(models=f'["{dying(tmp_path, 2, whom)}", "toy-mutex"]', properties='["below_bad", "mutual_exclusion"]')
    assert swept(text, tmp_path / "out", spark).exit == 20
    lost, fine = cells(tmp_path / "out")
    assert (lost["status"], lost["attempts"], lost["verdict"]) == ("lost", 2, None)
    assert "killed (SIGKILL" in lost["sentence"] or "The worker that computed it died" in lost["sentence"]
    assert fine["status"] == "decided"
    made = swept(text, tmp_path / "out", spark)
    assert (made.computed, made.statuses) == (1, {"decided": 2})


def test_an_interrupted_sweep_keeps_what_it_has_and_no_tables(spark: Any, tmp_path: Path) -> None:
    text = grid(models='["toy-m*", "toy-c*"]')
    out = tmp_path / "out"

    def stop(how_far: str) -> None:
        if int(how_far.split()[0]) >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        swept(text, out, spark, stop)
    assert json.loads((out / "sweep.json").read_text())["complete"] is False
    assert sorted(p.name for p in out.iterdir()) == ["computed", "sweep.json"]
    kept = len(Folder(out).rows_by_key())
    assert kept >= 2
    made = swept(text, out, spark)
    assert made.known == kept
    assert made.computed == len(cells(out)) - kept


def test_the_small_spec(spark: Any, tmp_path: Path) -> None:
    """A dozen runs, four of which contradict an assumption."""
    text = (Path(__file__).parents[2] / "specs" / "sweeps" / "small.toml").read_text(encoding="utf-8")
    made = swept(text, tmp_path / "out", spark)
    assert (made.computed, made.statuses, made.exit) == (12, {"decided": 8, "assumption-false": 4}, 0)
    assert (tmp_path / "out" / "matrix.md").read_text() == (
        "| property | isr-kip-16-merged | isr-kip-16-text | isr-max-messages |\n"
        "|---|---|---|---|\n"
        "| `dead_evicted` | ok 2 | ok 4 | ok 2 |\n"
        "| `keep_up_stays` | **10 steps, 1/2** | **6 steps, 1/4** | **6 steps, 1/2** |\n"
        "| `lagging_leaves` | ok 2 | **5 steps, 2/4** | ok 2 |\n"
    )
    assert (
        (tmp_path / "out" / "frontier.csv")
        .read_text()
        .splitlines()[1]
        .startswith("isr-kip-16-merged,keep_up_stays,,max_records=2 lag_time_max=2,11,0,")
    )


def test_a_disk_that_is_full_in_the_middle(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise UsageError("out/computed/part-000001.parquet cannot be written: No space left on device.")

    monkeypatch.setattr("isrcheck.pipeline.folder.write_table", full)
    with pytest.raises(UsageError, match="No space left on device"):
        swept(grid(models='["toy-mutex"]'), tmp_path / "out", spark)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["sweep.json"]
    assert json.loads((tmp_path / "out" / "sweep.json").read_text())["complete"] is False
