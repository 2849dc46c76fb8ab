"""Rings of budgets: the small ones completely first, and what stays of them when a wider one is cut off."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from isrcheck.evidence.writers.terminal import plain_text
from isrrisk.advice import advise
from isrrisk.answer import Answer, as_json
from isrrisk.budget import FaultBudget
from isrrisk.document import document_of_search, document_of_wider, table_document
from isrrisk.frontier import Frontier, Survival
from isrrisk.question import LOSSES
from isrrisk.rings import EXPECTED_AT_MOST, answer_by_rings, is_within, rings, states_expected
from isrrisk.search import frontier
from isrrisk.setting import Setting
from isrrisk.survivals import phrase_of_survivals

WIDEST = FaultBudget({"fences": 1, "kills": 2, "power_losses": 2, "disks": 1})


def complete(budget: FaultBudget, states: int = 100) -> Frontier:
    return Frontier(Setting(), budget, [], [], [], None, states, 0, 1.0)


def cut(budget: FaultBudget, interrupted: bool = True) -> Frontier:
    return Frontier(Setting(), budget, [], [], list(LOSSES), "by the user", 7, 0, 1.0, interrupted=interrupted)


@pytest.mark.parametrize("replicas", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("restarted", [0, 3])
def test_each_ring_contains_the_one_before_it_and_the_last_is_the_widest(replicas: int, restarted: int) -> None:
    planned = rings(FaultBudget(WIDEST.most, restarted), replicas)
    assert all(is_within(one, other) and not is_within(other, one) for one, other in pairwise(planned))
    assert is_within(WIDEST, planned[-1])
    assert {ring.restarts for ring in planned} == {restarted}


def test_the_first_ring_is_one_fault_of_each_kind_or_one_in_all_or_none() -> None:
    assert rings(WIDEST, 3)[0] == FaultBudget({"fences": 1, "kills": 1, "power_losses": 1})
    assert rings(WIDEST, 3)[1] == FaultBudget(dict.fromkeys(WIDEST.most, 1))  # a disk is replaced more rarely
    assert rings(WIDEST, 5)[0] == FaultBudget(dict.fromkeys(WIDEST.most, 1), in_all=1)
    assert rings(FaultBudget(WIDEST.most, 3), 3)[0] == FaultBudget({}, 3)
    assert rings(FaultBudget({**WIDEST.most, "rack_losses": 1}), 3)[0].in_all == 1
    assert rings(FaultBudget({"kills": 0}), 3) == [FaultBudget({})]


def test_a_ring_is_expected_to_be_larger_than_the_one_before_it() -> None:
    one, two, *_ = rings(WIDEST, 5)
    assert states_expected([], one, 5) is None
    assert states_expected([complete(one, 110_902)], two, 5) == 400 * 110_902


def answered(search: Callable[[FaultBudget], Frontier], goes_on: bool) -> tuple[Answer, list[Answer]]:
    early: list[Answer] = []
    return answer_by_rings(Setting(), WIDEST, search, goes_on, early.append), early


def test_without_limits_no_ring_is_searched_that_is_too_large() -> None:
    answer, early = answered(lambda ring: complete(ring, EXPECTED_AT_MOST // 80), goes_on=False)
    assert [each.budget for each in answer.complete] == rings(WIDEST, 3)[:1]
    assert early == []
    assert answer.wider is not None
    assert answer.wider.budget == rings(WIDEST, 3)[1]
    assert answer.exit(is_widest_asked=False) == 0
    text = plain_text([*table_document(answer), *document_of_wider(answer)], 1000)
    assert (
        "Not searched: at most one fencing of a live broker, one kill, one power loss and one replaced disk: some"
        in text
    )
    assert "--budget fences=1,kills=2,power_losses=2,disks=1" in text


def test_what_one_fault_of_each_kind_would_take_is_said_where_it_is_not_searched() -> None:
    def sentence(replicas: int) -> str:
        setting = Setting(replication_factor=replicas)
        answer = answer_by_rings(setting, WIDEST, lambda ring: complete(ring, 110_902), goes_on=False)
        return plain_text(document_of_wider(answer), 1000)

    growth = states_expected([complete(rings(WIDEST, 5)[0], 1)], rings(WIDEST, 5)[1], 5)
    assert growth is not None
    assert f"One of each kind: some {110_902 * growth**3:,} states or less are expected" in sentence(5)
    assert "One of each kind" not in sentence(3)


def test_with_a_budget_every_ring_is_searched_and_each_is_told() -> None:
    answer, early = answered(lambda ring: complete(ring, EXPECTED_AT_MOST), goes_on=True)
    assert [each.budget for each in answer.complete] == rings(WIDEST, 3)
    assert [len(each.complete) for each in early] == [1, 2, 3, 4]
    assert answer.wider is None
    assert answer.exit(is_widest_asked=True) == 0


def test_an_interrupt_keeps_the_complete_rings() -> None:
    answer, _ = answered(lambda ring: complete(ring) if ring == rings(WIDEST, 3)[0] else cut(ring), goes_on=True)
    assert (len(answer.complete), answer.was_interrupted, answer.undecided) == (1, True, [])
    assert answer.exit(is_widest_asked=False) == 0
    assert answer.exit(is_widest_asked=True) == 20
    facts = as_json(answer)
    budget = {"fences": 1, "kills": 1, "power_losses": 1}
    assert [each["budget"] for each in facts["complete"]] == [budget]
    assert facts["cut"]["reason"] == "by the user"
    assert facts["wider"]["budget"] == dict.fromkeys(WIDEST.most, 1)
    assert plain_text(table_document(answer), 1000).count("nothing searched completely does") == 4
    text = plain_text(document_of_search(answer), 1000)
    assert "Searched completely up to at most one fencing of a live broker, one kill and one power loss" in text
    assert "Not complete: at most one fencing of a live broker, one kill, one power loss and one replaced disk" in text


def test_an_interrupt_outside_the_search_keeps_them_too() -> None:
    def search(ring: FaultBudget) -> Frontier:
        if ring == rings(WIDEST, 3)[0]:
            return complete(ring)
        raise KeyboardInterrupt

    answer, _ = answered(search, goes_on=True)
    assert (len(answer.complete), answer.was_interrupted) == (1, True)


def test_without_a_complete_ring_nothing_is_said_to_hold() -> None:
    answer, _ = answered(cut, goes_on=True)
    assert (answer.last, answer.undecided, answer.exit(False)) == (None, list(LOSSES), 20)
    text = plain_text(table_document(answer), 1000)
    assert text.count("undetermined") == 4
    assert "No search is complete" in text


def test_what_is_survived_is_said_of_a_setting_that_loses() -> None:
    kinds = FaultBudget({"fences": 1, "kills": 1, "power_losses": 1})
    two_of_three = [vector for vector in kinds.vectors() if sum(number for _, number in vector) == 2]
    survivals = [Survival(loss, vector) for loss in LOSSES for vector in two_of_three]
    survived = replace(complete(kinds), survivals=survivals)
    phrase = "any two of one fencing of a live broker, one kill and one power loss"
    assert phrase_of_survivals(survived) == phrase
    one_less = [each for each in survivals if each != Survival("leaderless", two_of_three[0])]
    named = phrase_of_survivals(replace(survived, survivals=one_less))
    assert named == "one fencing of a live broker and one power loss; or one fencing of a live broker and one kill"
    assert phrase_of_survivals(complete(kinds)) == "no fault of those searched"


def test_a_search_that_no_machine_ends_is_out_of_reach() -> None:
    answer = answer_by_rings(Setting(), WIDEST, lambda ring: complete(ring, 5_000_000_000_000), goes_on=False)
    sentence = plain_text(document_of_wider(answer), 1000)
    assert "states or less are expected, which is out of reach here." in sentence
    assert " h at" not in sentence
    assert "--max-seconds" not in sentence


def test_what_survives_everything_is_not_said_to_survive_nothing() -> None:
    answer = answer_by_rings(Setting(), FaultBudget({}, 3), complete, goes_on=True)
    text = plain_text(table_document(answer), 1000)
    assert "Without any fault nothing is lost." in text
    assert "Searched completely up to no fault during a rolling restart: every reachable state" in text
    assert "urvives nothing" not in text


def test_a_loss_within_a_search_that_was_cut_off_may_take_less() -> None:
    setting = Setting("4.1", 2, 2, acks="1")
    seen = frontier(setting, FaultBudget({"fences": 1}))
    losses = Frontier(setting, WIDEST, seen.losses, [], list(LOSSES), "by the user", 7, 0, 1.0, interrupted=True)
    answer = answer_by_rings(setting, WIDEST, lambda ring: losses, goes_on=True)
    assert answer.exit(False) == 12
    assert "less may do it, too" in plain_text(table_document(answer), 1000)


def lossy(setting: Setting) -> Answer:
    return answer_by_rings(setting, FaultBudget({"fences": 1}), lambda ring: frontier(setting, ring), goes_on=True)


def test_advice_has_a_price_and_says_what_it_did_not_search() -> None:
    answer = lossy(Setting("4.1", 2, 2, acks="1"))
    advice = advise(answer, frontier)
    assert advice is not None
    assert advice.change is not None
    assert (advice.change.name, advice.tried) == ("acks=all", {"acks=all": "survives"})
    assert advice.change.price == "each write waits until the in-sync replicas have it"
    assert advice.faults == "one fencing of a live broker"


def test_an_interrupt_ends_the_look_for_advice() -> None:
    with pytest.raises(KeyboardInterrupt):
        advise(lossy(Setting("4.1", 2, 2, acks="1")), lambda setting, budget: cut(budget))
