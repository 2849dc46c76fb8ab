"""isrcheck.matrix is `isrcheck compare` from Python."""

import csv
import io
from unittest import mock

import pytest
from click.testing import CliRunner

import isrcheck
from isrcheck.cli import commands
from isrcheck.errors import UsageError
from isrcheck.gate.run import GateRunner, Runs


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
    assert "◐ holds within bounds: in every reachable state, but some steps were pruned" in shown


def test_its_verdicts_are_those_of_the_command() -> None:
    found = isrcheck.matrix(["toy-mutex", "toy-ledger"])
    done = CliRunner().invoke(commands, [*found.command.split()[1:], "--to", "csv"], catch_exceptions=False)
    assert [line["verdict"] for line in csv.DictReader(io.StringIO(done.stdout))] == found.table()["verdict"]


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
