"""Random walks: seeded, replayed, and never a proof."""

import json

from isrcheck import Verdict, check, simulate

KIP_101 = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}


def test_a_walk_finds_what_the_search_finds_and_is_replayed() -> None:
    found = simulate("kip-101", seed=7, properties=["strong_isr"], constants=KIP_101).property("strong_isr")
    shortest = check("kip-101", properties=["strong_isr"], constants=KIP_101).property("strong_isr").trace
    assert found.verdict is Verdict.VIOLATED
    assert found.assurance == "replayed"
    assert found.trace is not None
    assert shortest is not None
    assert found.trace.length >= shortest.length


def test_a_walk_that_finds_nothing_decides_nothing() -> None:
    outcome = simulate("kip-320", seed=7, walks=500, constants=KIP_101)
    assert outcome.exit == 20
    assert outcome.verdict is Verdict.UNDETERMINED
    assert outcome.property("strong_isr").assurance == "sampled(500)"
    assert outcome.to_dict()["states"]["distinct"] is None


def test_the_same_seed_makes_the_same_walks_for_any_number_of_workers() -> None:
    def facts(workers: int) -> str:
        outcome = simulate("kip-101", seed=11, walks=2000, workers=workers, constants=KIP_101).to_dict()
        noise = ("seconds", "startup_seconds", "peak_rss_bytes", "workers", "command")
        return json.dumps({k: v for k, v in outcome.items() if k not in noise})

    assert facts(1) == facts(2) == facts(3)


def test_the_command_of_a_simulation_names_its_seed() -> None:
    outcome = simulate("kip-101", walks=10, steps=5, constants=KIP_101)
    assert outcome.sample is not None
    assert outcome.command.endswith(f"--walks 10 --steps 5 --seed {outcome.sample.seed}")
