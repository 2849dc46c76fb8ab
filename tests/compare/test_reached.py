"""The states that `isrcheck diff` compares: those of the engines, and the way to a new one is as short as can be."""

from pathlib import Path

import pytest
from tests.compare.mine import change, repository

import isrcheck
from isrcheck.catalogue import find_model
from isrcheck.compare.since import changes
from isrcheck.engines.contract import Limits
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.registry import engine
from isrcheck.ir.pack import digest
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower

SIZES = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
VARIANT = '''from isrmodel import Kip320
from isrmodel.published.replication import Offset
from isrmodel.vocabulary import Replica


class Mine(Kip320):
    """KIP-320 with its own truncation."""
'''
CUT = '''
    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """What the follower knows to be committed."""
        return self.hw[follower]
'''


def words(state: bytes) -> tuple[int, ...]:
    return tuple(int.from_bytes(state[at : at + 8], "little") for at in range(0, len(state), 8))


@pytest.mark.parametrize("name", ["native", "evaluator"])
@pytest.mark.parametrize("model", ["toy-mutex", "kip-101"])
def test_every_state_once_at_its_level(model: str, name: str) -> None:
    constants = SIZES if model == "kip-101" else {}
    found = isrcheck.check(model, properties=(), constants=constants)
    reached = engine(name).states(lower(bind(read_model(find_model(model)), constants)), Limits())
    assert reached.cut is None
    assert tuple(map(len, reached.levels)) == found.levels
    assert digest(words(state) for level in reached.levels for state in level) == found.digest


def by_depth(name: str) -> dict[tuple[int, ...], int]:
    """Every state with the steps to it, by a search of its own."""
    stepper = ScalarStepper(lower(bind(read_model(find_model(name)), SIZES)))
    found, newest = {stepper.initial: 0}, [stepper.initial]
    while newest:
        following = []
        for state in newest:
            for _, after in stepper.steps(state):
                if after is not None and after not in found:
                    found[after] = found[state] + 1
                    following.append(after)
        newest = following
    return found


def test_the_new_states_of_a_variant_of_kip_320(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository(tmp_path / "r", VARIANT)
    (tmp_path / "old.py").write_text(VARIANT, encoding="utf-8")
    change(folder, VARIANT, VARIANT + CUT)
    monkeypatch.chdir(folder)
    given = {name: str(value) for name, value in SIZES.items()}
    _, (found,) = changes("HEAD", ["models/mine.py:Mine"], given, (), Limits())
    old, new = by_depth(str(tmp_path / "old.py:Mine")), by_depth(str(folder / "models" / "mine.py:Mine"))
    assert (found.new_states, found.gone) == (len(new.keys() - old.keys()), len(old.keys() - new.keys()))
    assert found.new_states
    assert found.trace is not None
    assert found.trace.length - 1 == min(depth for state, depth in new.items() if state not in old)
