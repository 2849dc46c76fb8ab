"""The folder of a sweep: what is refused, what is damaged, and a disk that takes no more. No Spark is needed here."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.sweep.models import counter, run_script

from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.grid.cells import GridCell
from isrcheck.pipeline.folder import Folder, KnownRow, row_of_cell, row_of_failure
from isrcheck.pipeline.sweep import longest_first

CELL = GridCell("g", "m", {"n": "1"}, ("p",), Limits(), 10)


def a_row(key: str) -> dict[str, Any]:
    return row_of_failure("lost", "x", ("p",)) | row_of_cell(CELL, key, "t", "0", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "out")
    made.begin({})
    made.keep([a_row("a"), a_row("b")])
    made.keep([a_row("c")])
    return made


def test_rows_are_known_by_their_key(folder: Folder) -> None:
    assert {key: row.model for key, row in folder.rows_by_key().items()} == {"a": "m", "b": "m", "c": "m"}
    assert folder.gather(["c", "a"]).column("key").to_pylist() == ["c", "a"]


@pytest.mark.parametrize("how", ["cut short", "other bytes", "flipped", "empty"])
def test_a_damaged_file_is_named(folder: Folder, how: str) -> None:
    file = max(folder.computed.iterdir())
    content = bytearray(file.read_bytes())
    match how:
        case "cut short":
            content = content[: len(content) // 2]
        case "other bytes":
            content = bytearray(b"no Parquet at all")
        case "flipped":
            column = pq.ParquetFile(file).metadata.row_group(0).column(0)
            content[4 + column.total_compressed_size - 1] ^= 0xFF
        case _:
            content.clear()
    file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        folder.rows_by_key()
    assert str(caught.value).startswith(f"{file} is damaged, or is not Parquet (")
    assert str(caught.value).endswith("): take it away, and the next run computes its cells again.")


def test_a_file_of_another_kind_is_named(folder: Folder) -> None:
    file = folder.computed / "part-000003-0.parquet"
    pq.write_table(pa.table({"x": [1]}), file)
    with pytest.raises(UsageError, match=r"has the schema none, and isrcheck.sweep-cells/1 was expected: take it away"):
        folder.rows_by_key()


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match=r"holds something else than a sweep: give a folder that is new or empty\.$"):
        Folder(tmp_path)
    with pytest.raises(UsageError, match=r"thesis.tex is a file: give a folder for the sweep"):
        Folder(tmp_path / "thesis.tex")
    (tmp_path / "sweep.json").write_text('{"schema": "isrcheck.sweep/9"}')
    with pytest.raises(UsageError, match=r"has the schema isrcheck.sweep/9, and isrcheck.sweep/1 was expected"):
        Folder(tmp_path)
    (tmp_path / "sweep.json").write_text("[")
    with pytest.raises(UsageError, match=r"sweep.json is damaged"):
        Folder(tmp_path)


FULL = """
import resource, sys
from pathlib import Path
from isrcheck.errors import UsageError
from isrcheck.pipeline.folder import Folder
from tests.sweep.test_folder import a_row
folder = Folder(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    folder.keep(a_row(f"{n:064}") for n in range(10_000))
except UsageError as error:
    print(error)
"""


def test_a_disk_that_is_full(folder: Folder) -> None:
    printed = run_script(FULL, str(folder.path))
    assert re.fullmatch(
        re.escape(f"{folder.computed}/part-000003-") + r"\w{8}\.parquet cannot be written: File too large\.\n", printed
    )
    assert sorted(p.name[:11] for p in folder.computed.iterdir()) == ["part-000001", "part-000002"]


def test_long_cells_come_first() -> None:
    def cell(model: str, bits: int, n: str = "1", seconds: float = 300.0) -> GridCell:
        return GridCell("g", model, {"n": n}, ("p",), Limits(seconds=seconds), bits)

    cells = {
        "guess": cell("new", 40),  # 2^13 states
        "small": cell("new", 10),
        "exact": cell("old", 20, n="7"),
        "bounded": cell("new", 100, seconds=2.0),
    }
    earlier = [KnownRow("old", (("n", n),), "decided", seconds) for n, seconds in (("7", 3.0), ("9", 0.1))]
    assert longest_first(cells, earlier) == ["exact", "bounded", "guess", "small"]


SLOW_START = """
import json, sys
from isrcheck.catalogue import find_model
from isrcheck.lang.read import read_model
from isrcheck.pipeline import task
from isrcheck.pipeline.task import sources_of, text_key
from isrcheck.version import __version__
model = sys.argv[1]
text = text_key(read_model(find_model(model)))
limits = {"states": None, "depth": None, "seconds": 0.5, "memory": None}
order = {"model": model, "sources": sources_of(model), "text": text, "version": __version__, "constants": {},
         "properties": ["below_bad"], "limits": limits}
task._STARTUP_SECONDS = 0.5
print(json.dumps(task.check_in_child(order)))
print(json.dumps(task.answer({**order, "version": "0"})))
print(json.dumps(task.answer({**order, "text": "0", "sources": {}})))
"""
SLEEPS = """
import threading
import time

if "isrcheck parent" in [thread.name for thread in threading.enumerate()]:
    time.sleep(60)
"""


def test_a_cell_that_takes_too_long_to_start_and_workers_that_differ(tmp_path: Path) -> None:
    model = counter(tmp_path, more=SLEEPS)
    printed = run_script(SLOW_START, model)
    late, version, text = map(json.loads, printed.splitlines())
    assert (late["status"], late["exit"]) == ("timeout", 20)
    assert late["sentence"] == "Start-up and search together were not done after 1 seconds."
    assert late["properties"] == [{"name": "below_bad"}]
    assert version["status"] == text["status"] == "fault"
    assert version["sentence"].endswith("and 0 asks it: install the same.")
    assert text["sentence"] == f"The worker has another text of {model} than the driver: install the same."
