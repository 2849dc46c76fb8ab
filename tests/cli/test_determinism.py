"""The same outcome, byte for byte, for any number of workers and any number of runs."""

import json

import pytest

from isrcheck import check

NOISE = ("seconds", "startup_seconds", "peak_rss_bytes", "workers", "command")
KIP_101 = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}


def facts(workers: int, *, symmetry: bool = False) -> str:
    outcome = check("kip-101", workers=workers, symmetry=symmetry, deadlock=True, constants=KIP_101)
    traces = [p.trace.to_json() for p in outcome.properties if p.trace]
    kept = {k: v for k, v in outcome.to_dict().items() if k not in NOISE}
    return json.dumps([kept, traces])


@pytest.mark.parametrize("symmetry", [False, True])
def test_any_number_of_workers_gives_the_same_outcome(symmetry: bool) -> None:
    assert len({facts(workers, symmetry=symmetry) for workers in (1, 2, 3, 8)}) == 1


@pytest.mark.slow
def test_twenty_runs_of_each_number_of_workers_give_the_same_outcome() -> None:
    assert len({facts(workers) for workers in (1, 2, 3, 8) for _ in range(20)}) == 1
