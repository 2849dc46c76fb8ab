"""Replicas that come and go (KIP-455): what it costs, what it keeps, and which guard keeps it."""

import pytest

from isrcheck import check, invariant
from isrcheck.engines.contract import Options
from isrcheck.ir.codec import codec
from isrcheck.lang.read import read_model
from isrcheck.passes.bind import bind
from isrcheck.run.outcome import Outcome
from isrmodel.kraft import RELEASES, Kraft
from isrmodel.vocabulary import Replica
from isrrisk.budget import FaultBudget, parse_budget, parse_kinds

LOSSES = ("acked_in_leader", "acked_somewhere", "exposed_in_leader", "candidates_complete")
WELL_FORMED = ("creation_comes_first", "isr_assigned", "leaderless")
REPLACED = {"replicas": 3, "spares": 1, "reassignments": 1, "replaces": True}


class Removed(Kraft):
    """What a broker does that has read that it holds no replica, and what an ended reassignment leaves."""

    @invariant
    def removed_lead_nothing(self) -> bool:
        """Who has read of its removal neither leads nor holds a log."""
        return all(
            not self.leads(r) and self.log[r] == ()
            for r in Replica
            if r not in self.down and not self.is_assigned(r, self.seen[r])
        )

    @invariant
    def ends_in_sync(self) -> bool:
        """The record that ends a reassignment has all replicas in its ISR."""
        ended = any(c.done is not None and c.done > 1 and c.done == self.version for c in self.changes)
        return not ended or self.now.isr == self.assignment(self.version)


def asked(model: type[Kraft], *properties: str, **constants: int | bool) -> Outcome:
    bounds = {"fences": 0, "max_version": 8, "max_epoch": 5, "max_session": 0}
    outcome = check(model, properties=properties, options=Options(symmetry=True), constants={**bounds, **constants})
    assert outcome.searched is not None
    assert outcome.searched.pruned == 0
    return outcome


def verdicts(outcome: Outcome) -> dict[str, str | int]:
    """`holds`, also if it is reached, or after how many steps it is violated."""
    return {
        p.name: p.trace.length - 1 if p.verdict.value == "violated" and p.trace else p.verdict.value
        for p in outcome.properties
    }


@pytest.mark.parametrize("name", RELEASES)
def test_without_reassignments_nothing_is_kept_of_them(name: str) -> None:
    domains = bind(read_model(RELEASES[name]), {}).domains
    for variable in ("changes", "reassigned_so_far"):
        assert all(scalar.size == 1 for scalar in codec(domains[variable]).scalars(variable))


@pytest.mark.parametrize("name", [pytest.param("kraft-3.7", marks=pytest.mark.slow), "kraft-4.1"])
def test_one_broker_takes_the_place_of_another(name: str) -> None:
    reachable = ("a_reassignment_completes", "a_removed_leader_leads_on")
    found = verdicts(asked(RELEASES[name], *LOSSES, *WELL_FORMED, *reachable, **REPLACED))
    assert set(found.values()) == {"holds"}


@pytest.mark.slow
def test_who_has_read_of_its_removal_steps_down_and_deletes_its_log() -> None:
    found = verdicts(asked(Removed, "removed_lead_nothing", **REPLACED, fences=1, max_epoch=6))
    assert found == {"removed_lead_nothing": "holds"}


@pytest.mark.slow
@pytest.mark.parametrize(("guard", "verdict"), [(False, 9), (True, "holds")])
def test_all_who_stay_are_in_sync_at_the_end(guard: bool, verdict: str | int) -> None:
    """Up to 4.2: since KAFKA-19975 a swap does not wait for all who stay."""
    rule = {"all_who_stay": guard, "kafka_19975": False}
    found = verdicts(asked(Removed, "ends_in_sync", **REPLACED, fences=1, max_epoch=6, **rule))
    assert found == {"ends_in_sync": verdict}


@pytest.mark.slow
@pytest.mark.parametrize("guard", ["heard_in_epoch", "bump_on_removal"])
def test_a_replica_that_was_removed_joins_only_by_what_it_fetches_now(guard: str) -> None:
    found = verdicts(asked(Kraft, *LOSSES, reassignments=2, **{guard: False}))
    assert (found["candidates_complete"], found["acked_in_leader"], found["acked_somewhere"]) == (12, 13, 13)
    assert set(verdicts(asked(Kraft, *LOSSES, reassignments=2)).values()) == {"holds"}


@pytest.mark.slow
@pytest.mark.parametrize(("leaves", "verdict"), [(False, 2), (True, "holds")])
def test_a_removed_replica_stays_in_the_elr(leaves: bool, verdict: str | int) -> None:
    assert verdicts(asked(Kraft, "elr_small", reassignments=1, removed_leave=leaves)) == {"elr_small": verdict}


@pytest.mark.slow
def test_a_removed_replica_in_the_elr_is_added_again_and_leads_empty() -> None:
    constants = {"replicas": 3, "min_isr": 3, "reassignments": 2, "fences": 2, "max_version": 6, "max_session": 0}
    options = Options(symmetry=True, stop_at_first=True)
    outcome = check(Kraft, properties=["acked_in_leader"], options=options, constants=constants)
    assert verdicts(outcome) == {"acked_in_leader": 11}


def test_a_reassignment_is_a_fault_that_risk_counts() -> None:
    assert parse_budget("reassignments=1") == {"reassignments": 1}
    assert parse_kinds("reassignment") == ["reassignments"]
    assert FaultBudget({"reassignments": 1}).constants()["spares"] == 1
    assert FaultBudget({"kills": 1}).constants()["spares"] == 0
