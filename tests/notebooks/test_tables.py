"""Tables are columns that pandas, polars and Arrow take as they are, with the same types."""

from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evidence.stories import kip_101, made_up
from tests.notebooks.test_html import SMALL, kept, lost

import isrcheck
from isrcheck.errors import UsageError
from isrcheck.evidence.notebook import runs_table
from isrcheck.gate.run import GateRunner, Runs
from isrcheck.run.displayed import Columns

OF_RUNS = ["model", "replicas", "log_size", "max_records", "max_leader_epoch", "isr_may_empty", "property", "kind"]
OF_RUNS += ["verdict", "assurance", "length", "distinct", "generated", "depth", "pruned", "cut"]


def frames(columns: Columns) -> None:
    """Asserts that all three take it, and hold the same."""
    import pandas
    import polars
    import pyarrow

    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert polars.DataFrame(columns).to_dicts() == rows
    assert pyarrow.table(columns).to_pylist() == rows
    frame = pandas.DataFrame(columns)
    assert list(frame.columns) == list(columns)
    assert frame.astype(object).where(frame.notna(), None).to_dict("records") == rows


def row(columns: Columns, **where: Any) -> dict[str, Any]:
    (found,) = [
        dict(zip(columns, values, strict=True))
        for values in zip(*columns.values(), strict=True)
        if where.items() <= dict(zip(columns, values, strict=True)).items()
    ]
    return found


def test_an_outcome_has_a_row_for_each_property() -> None:
    table = lost().table()
    assert list(table) == OF_RUNS
    assert table["property"] == [found.name for found in lost().properties]
    found = row(table, property="strong_isr")
    assert found == {
        "model": "truncate-to-high-watermark", **SMALL, "isr_may_empty": True,
        "property": "strong_isr", "kind": "invariant", "verdict": "violated", "assurance": "replayed", "length": 10,
        "distinct": 353, "generated": 683, "depth": 12, "pruned": 870, "cut": None,
    }  # fmt: skip
    frames(table)


def test_a_verdict_that_bounds_may_have_helped_to_is_not_holds() -> None:
    table = kept().table()
    by_name = dict(zip(table["property"], table["verdict"], strict=True))
    assert by_name["strong_isr"] == "holds within bounds"
    assert by_name["something_commits"] == "holds"  # it can happen, whatever was pruned
    assert set(isrcheck.check("toy-mutex").table()["verdict"]) == {"holds"}


def test_a_run_of_which_nothing_was_asked_has_its_counts() -> None:
    table = isrcheck.check("toy-mutex", properties=[]).table()
    assert row(table)["property"] is None
    assert (row(table)["verdict"], row(table)["distinct"]) == ("holds", 24)
    frames(table)


def test_a_constant_with_the_name_of_a_column_has_another() -> None:
    states = {"distinct": 1, "generated": 1, "depth": 1, "pruned": 0}
    run = {"model": "m", "constants": {"length": 3, "pace": "free"}, "states": states, "cut": None, "verdict": "holds"}
    assert list(runs_table([{**run, "properties": []}]))[:4] == ["model", "constants.length", "pace", "property"]


def test_a_run_without_a_verdict_is_a_row_that_says_why() -> None:
    runs = isrcheck.matrix("toy-mutex", properties=["mutual_exclusion"]).runs
    table = runs_table([*runs, {"model": "m", "constants": {"replicas": 2}, "exit": 75, "failed": "a fault."}])
    assert row(table, model="m")["verdict"] == "no verdict"
    assert row(table, model="m")["error"] == "exit 75: a fault."
    assert table["replicas"] == [None, 2]
    frames(table)


def test_a_trace_has_a_row_for_each_state_and_a_column_for_each_part() -> None:
    table = kip_101().table()
    assert list(table)[:7] == ["step", "action", "arguments", "log[r0]", "log[r1]", "hw[r0]", "hw[r1]"]
    assert table["step"] == list(range(10))
    assert table["action"][:2] == ["", "controller_elects_leader"]
    assert table["arguments"][:2] == ["", "chosen=r0"]
    assert table["hw[r0]"] == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    assert table["log[r1]"][5:] == ["[]", *["[Record(id=0, epoch=1)]"] * 3, "[]"]
    assert table["leader[r1]"][4:6] == [None, "r0"]
    frames(table)


def test_parts_are_columns_only_where_every_state_has_them() -> None:
    record = {"record": "R", "fields": {"a": 1, "b": True}}
    flight = [{"map": []}, {"map": [[record, 1]]}]
    states = [{"r": record, "step": 5, "net": flight[0], "u": 1}, {"r": record, "step": 6, "net": flight[1], "u": "x"}]
    table = made_up(states).table()
    assert {name: table[name] for name in list(table)[3:]} == {
        "r.a": [1, 1], "r.b": [True, True], "state.step": [5, 6], "net": ["{}", "{R(a=1, b=True): 1}"], "u": ["1", "x"],
    }  # fmt: skip
    frames(table)


LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.sampled_from(["r0", "r1"]))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.builds(lambda values: {"map": [[f"r{n}", v] for n, v in enumerate(values)]}, st.lists(inner, max_size=2)),
        st.builds(lambda a, b: {"record": "R", "fields": {"a": a, "b": b}}, inner, inner),
        st.builds(lambda members: {"set": members}, st.lists(inner, max_size=2)),
    ),
    max_leaves=5,
)


@settings(max_examples=60)
@given(st.lists(st.fixed_dictionaries({"v": VALUES, "w": VALUES}), min_size=1, max_size=4))
def test_columns_have_one_plain_type_each(states: list[dict[str, Any]]) -> None:
    table = made_up(states).table()
    for column in table.values():
        assert len(column) == len(states)
        kinds = {type(value) for value in column if value is not None}
        assert len(kinds) <= 1
        assert kinds <= {str, int, bool}


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.fixed_dictionaries({"v": VALUES, "w": VALUES}), min_size=1, max_size=4))
def test_all_three_take_any_trace(states: list[dict[str, Any]]) -> None:
    frames(made_up(states).table())


def test_a_cell_for_each_model_and_choice_of_constants() -> None:
    found = isrcheck.matrix("kip-101", replicas=[2, 3], properties=["strong_isr"], max_records=1)
    assert found.command == ("isrcheck compare kip-101 -c replicas=2,3 -c max_records=1 --property strong_isr")
    assert repr(found) == "<Matrix of 2 runs: 1 violated, 0 hold, 1 hold within bounds, 0 undetermined>"
    table = found.table()
    keys = ("model", "replicas", "verdict", "length", "distinct")
    assert list(zip(*(table[key] for key in keys), strict=True)) == [
        ("kip-101", 2, "holds within bounds", None, 341),
        ("kip-101", 3, "violated", 12, 7_915),
    ]
    shown = found._repr_html_()
    assert "✗ " in shown
    assert "◐ holds within bounds: in every reachable state, but bounds or constraints cut something off" in shown


def test_what_is_wrong_is_one_sentence() -> None:
    with pytest.raises(UsageError, match=r"^compare: there is no model kip-102\. Did you mean kip-101\?$"):
        isrcheck.matrix("kip-102")
    with pytest.raises(UsageError, match=r"^replicas=2\.5 is not a constant: give a number, a name, "):
        isrcheck.matrix("kip-101", replicas=2.5)
    with pytest.raises(UsageError, match=r"^compare: no model here has a constant replica\. Did you mean replicas\?$"):
        isrcheck.matrix("kip-101", replica=2)


def test_a_part_of_a_matrix_is_none() -> None:
    interrupted = Runs((), (), {}, 0.0, 1, interrupted=True)
    with mock.patch.object(GateRunner, "run", return_value=interrupted), pytest.raises(KeyboardInterrupt):
        isrcheck.matrix("toy-mutex")
