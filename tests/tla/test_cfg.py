"""isrcheck import-cfg: what TLC was to check, as a spec of the gate."""

import tomllib
from pathlib import Path

import pytest

from isrcheck.catalogue import find_model
from isrcheck.errors import UsageError
from isrcheck.gate.cells import cells
from isrcheck.gate.spec import parse_gate_spec
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import to_tla
from isrcheck.tla.imported import gate_spec, read_cfg

PUBLISHED = """
\\* As people have it for the published module.
SPECIFICATION Spec
CONSTANTS
    Replicas = {b1, b2, b3}  (* three
                                brokers *)
    NONE = NONE
    LogSize = 2 MaxRecords = 2
    MaxLeaderEpoch = 2
INVARIANTS TypeOk WeakIsr StrongIsr
INVARIANT NeverSomethingCommits
SYMMETRY Permutations
CHECK_DEADLOCK FALSE
"""


def imported(text: str, model: str, folder: Path) -> str:
    file = folder / "run.cfg"
    file.write_text(text, encoding="utf-8")
    return gate_spec(read_cfg(file), read_model(find_model(model)), model)


def test_a_configuration_of_the_published_module(tmp_path: Path) -> None:
    assert tomllib.loads(imported(PUBLISHED, "kip-320", tmp_path)) == {
        "run": [
            {
                "model": "kip-320",
                "constants": {
                    "replicas": 3,
                    "log_size": 2,
                    "max_records": 2,
                    "max_leader_epoch": 2,
                    "isr_may_empty": True,
                },
                "symmetry": True,
                "expect": {"weak_isr": "holds", "strong_isr": "holds", "something_commits": "never reached"},
            }
        ]
    }


def test_our_own_configuration_comes_back(tmp_path: Path) -> None:
    text = to_tla(bind(read_model(find_model("isr-kip-501")), {})).configuration
    [run] = tomllib.loads(imported(text, "isr-kip-501", tmp_path))["run"]
    assert run["constants"]["replicas"] == 2  # of which one is the leader: Follower has one member
    assert run["constants"]["pace"] == "free"
    assert run["constants"]["fetch_steps"] == "two"
    assert run["expect"]["no_eviction_while_reading"] == "holds"
    assert "deadlock" not in run["expect"]


def test_the_gate_reads_it(tmp_path: Path) -> None:
    spec = parse_gate_spec(imported(PUBLISHED, "kip-320", tmp_path), tmp_path / "imported.toml")
    [cell] = cells(spec)
    assert cell.model == "kip-320"
    assert sorted(cell.expect) == ["something_commits", "strong_isr", "weak_isr"]


def test_deadlocks_are_looked_for_as_tlc_does(tmp_path: Path) -> None:
    [run] = tomllib.loads(imported("CONSTANT Limit = 3", "toy-evens", tmp_path))["run"]
    assert run["expect"] == {"deadlock": "holds"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("VIEW x", "1: VIEW has no meaning here: every variable is part of a state here."),
        ("\nWATCH x", "2: WATCH is not a known word of a configuration: CONSTANT,"),
        (
            "CONSTANT LogSize <- Two",
            "1: LogSize <- ... puts a definition in the place of a constant, which is not read",
        ),
        ("CONSTANT LogSize", "1: LogSize has no value: write LogSize = value."),
        ("CONSTANT LogSise = 2", "1: Kip320 has no constant LogSise. Did you mean LogSize?"),
        ("CONSTANT Brokers = {a}", "1: Brokers is a set, and Kip320 has no sort of that name."),
        ("CONSTANT Replica = {a", "1: the set of Replica has no end: write {a, b}."),
        ("INVARIANT StrongIrs", "1: Kip320 has no property StrongIrs. Did you mean StrongIsr?"),
        ("CHECK_DEADLOCK maybe", "1: CHECK_DEADLOCK is followed by TRUE or FALSE."),
        ("CONSTANT LogSize = <b>", "1: '<' does not stand in a configuration."),
    ],
)
def test_what_is_not_known_is_refused_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        imported(text, "kip-320", tmp_path)
    assert str(error.value).startswith(f"{tmp_path / 'run.cfg'}:{said}")
