"""Specifications of others in our language, as they were written from its documentation alone: accepted, counted.

After tlaplus/Examples (DieHard, TwoPhase, Voting, Paxos, ReadersWriters, ChangRoberts, EWD998PCal) and raft-tlaplus
(KRaft.tla, the election without fetching). ChangRoberts and EWD998 have one state more than with TLC, for the action
that chooses the initial state.
"""

from pathlib import Path

import pytest

from isrcheck import check
from isrcheck.catalogue import find_model
from isrcheck.ir.property_kinds import Verdict
from isrcheck.lang.read import read_model
from isrcheck.passes import check_domains

COUNTS = [
    ("twophase.py", {}, 288, 11),
    ("voting.py", {}, 6_752, 16),
    pytest.param("paxos.py", {}, 3_921, 17, marks=pytest.mark.slow),
    ("paxos4.py", {}, 3_921, 17),
    ("rw.py", {}, 21_527, 13),
    ("cr.py", {}, 138, 11),
    pytest.param("kraft2.py", {"servers": 3, "max_elections": 1}, 172, 10, marks=pytest.mark.slow),
    pytest.param("kraft2.py", {"servers": 2, "max_elections": 2}, 118, 12, marks=pytest.mark.slow),
    pytest.param("kraft2.py", {"servers": 3, "max_elections": 2}, 30_124, 18, marks=pytest.mark.slow),
    pytest.param("paxos.py", {"max_ballot": 2}, 185_369, 25, marks=pytest.mark.slow),
    pytest.param("ewd998.py", {}, 321_371, 48, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("file", "constants", "distinct", "depth"), COUNTS)
def test_counts(file: str, constants: dict[str, int], distinct: int, depth: int) -> None:
    found = check(str(Path(__file__).parent / file), properties=[], constants=constants)
    assert (found.distinct, found.depth) == (distinct, depth)


def test_every_file_is_read() -> None:
    files = [file for file in sorted(Path(__file__).parent.glob("*.py")) if not file.name.startswith("test_")]
    assert len(files) == 9
    for file in files:
        check_domains(read_model(find_model(str(file))))


def test_die_hard_is_violated() -> None:
    found = check(str(Path(__file__).parent / "diehard.py"))
    (violated,) = [p for p in found.properties if p.verdict is Verdict.VIOLATED]
    assert violated.trace is not None
    assert violated.trace.length - 1 == 6
