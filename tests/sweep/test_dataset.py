"""A graph as a data set: the same states, steps and verdicts as the evaluator's, in the model's own values."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from tests.sweep.models import run_script

from isrcheck.catalogue import find_model
from isrcheck.cli import commands
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.errors import UsageError
from isrcheck.ir.codec import codec
from isrcheck.ir.pack import digest
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.pipeline.dataset import export_graph
from isrcheck.run.trace import encode
from isrtoys import TOYS

MODELS = [*sorted(TOYS), "async-isr"]


def exported(model: str, folder: Path, constants: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
    bound = bind(read_model(find_model(model)), constants or {})
    names = tuple(p.name for p in bound.properties)
    return bound, export_graph(bound, model, names, folder, 100_000, "again", lambda _: None)


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / table).to_pylist()
    return found


def plain(value: Any) -> Any:
    """What Arrow gives for a value, from its JSON form."""
    match value:
        case {"set": elements}:
            return [e if isinstance(e, int) else _text(e) for e in elements]
        case {"map": entries}:
            return [(_text(k), plain(v)) for k, v in entries]
        case {"record": _, "fields": fields}:
            return {n: plain(v) for n, v in fields.items()}
        case list():
            return [plain(v) for v in value]
        case _:
            return value


def _text(value: Any) -> str:
    from isrcheck.run.trace import show_encoded

    return show_encoded(value)


def unordered(value: Any) -> Any:
    """Lists of names in any order: those of sets are in the order of their domain."""
    match value:
        case list() if value and all(isinstance(v, str) for v in value):
            return sorted(value)
        case list():
            return [unordered(v) for v in value]
        case tuple():
            return tuple(unordered(v) for v in value)
        case {"type": str() as member}:  # a sum: of the column that is not null, if it has fields
            return unordered(value.get(member, {}))
        case dict():
            return {n: unordered(v) for n, v in value.items()}
        case _:
            return value


@pytest.mark.parametrize("model", MODELS)
def test_the_whole_graph_is_the_evaluators(model: str, tmp_path: Path) -> None:
    bound, about = exported(model, tmp_path / "g")
    system = lower(bound)
    stepper = ScalarStepper(system)
    states = rows(tmp_path / "g", "states")
    scalars = [stepper.packing.unpack([w % (1 << 64) for w in s["packed"]]) for s in states]
    number = {state: n for n, state in enumerate(scalars)}
    assert len(number) == about["states"]["distinct"]
    assert digest(stepper.packing.pack(s) for s in scalars) == about["states"]["digest"]

    for row, state in zip(states, scalars, strict=True):
        left = iter(state)
        values = {n: plain(encode(codec(d).unflatten(left))) for n, d in bound.domains.items()}
        columns = about["columns"]
        assert unordered({n: row[columns[n]] for n in values}) == unordered(values)

    steps = [(number[s], i, number[t]) for s in scalars for i, t in stepper.steps(s) if t is not None]
    edges = rows(tmp_path / "g", "edges")
    assert sorted((e["source"], e["instance"], e["target"]) for e in edges) == sorted(steps)
    for edge in edges[:100]:
        instance = system.instances[edge["instance"]]
        assert edge["action"] == system.actions[instance.action]
        assert [v for _, v in edge["parameters"]] == [_text(encode(a)) for a in instance.arguments]

    assert [(r["level"], r["states"]) for r in rows(tmp_path / "g", "levels")] == [
        (n, sum(s["level"] == n for s in states)) for n in range(1, about["states"]["depth"] + 1)
    ]
    assert {(r["property"], r["kind"], r["state"]) for r in rows(tmp_path / "g", "verdicts")} == set(
        _sights(stepper, number, steps)
    )


def _sights(stepper: ScalarStepper, number: dict[Any, int], steps: list[tuple[int, int, int]]) -> Any:
    states = list(number)
    for p in stepper.system.properties:
        if p.kind.is_of_steps:
            for source, instance, target in steps:
                if not stepper.step_holds(p.name, states[source], instance, states[target]):
                    yield p.name, p.kind.name, source
        else:
            for state in states:
                if stepper.holds(p.name, state) is (p.kind.holds_by_target):
                    yield p.name, p.kind.name, number[state]
    for state in states:
        if not any(True for _ in stepper.steps(state)):
            yield "deadlock", "deadlock", number[state]


def test_counts_are_tlcs(tmp_path: Path) -> None:
    """A line of specs/published-specs.csv: TLC's distinct states, and those it generated without the initial one."""
    constants = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
    _, about = exported("truncate-to-high-watermark", tmp_path / "g", constants)
    assert (about["rows"]["states"], about["rows"]["edges"]) == (10_131, 24_459 - 1)
    assert about["rows"]["levels"] == 20
    assert json.loads((tmp_path / "g" / "graph.json").read_text())["schema"] == "isrcheck.graph/1"


def test_a_graph_that_is_too_large_leaves_nothing(tmp_path: Path) -> None:
    bound = bind(read_model(find_model("async-isr")), {})
    with pytest.raises(UsageError) as caught:
        export_graph(bound, "async-isr", (), tmp_path / "g", 100, "", lambda _: None)
    assert str(caught.value).startswith("the graph of async-isr is not whole, the search ended after ")
    assert str(caught.value).endswith(": choose smaller constants, or raise --max-states above 100.")
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_export_is_replaced_and_anything_else_refused(tmp_path: Path) -> None:
    exported("toy-mutex", tmp_path / "g")
    exported("toy-counter", tmp_path / "g")
    assert json.loads((tmp_path / "g" / "graph.json").read_text())["model"] == "toy-counter"
    assert [p.name for p in tmp_path.iterdir()] == ["g"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "x").write_text("x")
    with pytest.raises(UsageError, match=r"mine holds something else than an exported graph: give a folder"):
        exported("toy-mutex", tmp_path / "mine")
    with pytest.raises(UsageError, match=r"x is a file: give a folder for the graph"):
        exported("toy-mutex", tmp_path / "mine" / "x")


FULL = """
import resource, sys
from pathlib import Path
from isrcheck.errors import UsageError
from tests.sweep.test_dataset import exported
exported("async-isr", Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
try:
    exported("async-isr", Path(sys.argv[1]))
except UsageError as error:
    print(error)
"""


def test_a_disk_that_is_full_leaves_what_was_there(tmp_path: Path) -> None:
    assert run_script(FULL, str(tmp_path / "g")) == f"{tmp_path / 'g'} cannot be written: File too large.\n"
    assert [p.name for p in tmp_path.iterdir()] == ["g"]
    assert len(rows(tmp_path / "g", "states")) == 168


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "parquet is a folder of files: say where with -o DIR."),
        (["-o", "g", "--by", "place"], "--to parquet writes the whole graph: leave --by out."),
    ],
)
def test_wrong_usage(words: list[str], sentence: str) -> None:
    done = CliRunner().invoke(commands, ["export", "toy-mutex", "--to", "parquet", *words], standalone_mode=False)
    assert str(done.exception) == sentence


def test_the_command(tmp_path: Path) -> None:
    folder = str(tmp_path / "g")
    done = CliRunner().invoke(commands, ["export", "toy-mutex", "--to", "parquet", "-o", folder], standalone_mode=False)
    assert done.stdout == f"Written: {folder}: 24 states, 42 edges, 2 verdicts.\n"
