"""Every guard of Fluss without which a property fails, and why no property needs the others."""

import pytest

from isrcheck.catalogue import find_model
from isrcheck.commands.options import parse_constants
from isrcheck.engines.contract import Limits
from isrcheck.gate.mutants.judge import JudgeOptions
from isrcheck.gate.mutants.make import mutants_of
from isrcheck.gate.mutants.survey import survey
from isrcheck.lang.read import read_model
from isrmodel.fluss import BUCKETS

MODEL = "fluss-kip-320"
MENDED = "repeats_count=false tells_stale=true memory=next-epoch start_checked=true server_epochs=true"
NOTICES = f"replicas=2 lags=1 lost_answers=1 failovers=1 max_version=4 {MENDED}"
STOPS = f"replicas=2 kills=1 stops=1 power_losses=1 spare_leader=true max_epoch=3 max_version=4 {MENDED}"
OLD = f"replicas=2 acks=1 epochless=1 kills=1 max_version=3 {MENDED}"
LATE = f"replicas=3 lags=2 max_epoch=1 max_version=3 {MENDED}"

KILLED = {
    "begin/guard-1": (NOTICES, "epochs_never_fall"),
    "rebalance/guard-2": (NOTICES, "leader_in_isr"),
    "grant/guard-2": (NOTICES, "leader_in_isr"),
    "learn/guard-1": (NOTICES, "request_not_stuck"),
    "hear_granted/guard-1": (NOTICES, "leader_knows_isr"),
    "refuse/guard-1": (NOTICES, "leader_knows_isr"),
    "refuse_stale/guard-1": (NOTICES, "request_not_stuck"),
    "fetch/guard-1": (NOTICES, "leader_in_isr"),
    "lose_fetch/guard-1": (NOTICES, "leader_in_isr"),
    "cut_out_of_range/guard-1": (NOTICES, "acked_in_leader"),
    "ask_and_truncate/guard-2": (NOTICES, "isr_agrees"),
    "register/guard-1": (STOPS, "candidates_complete"),
    "elect_unclean/guard-1": (STOPS, "candidates_complete"),
    "ask_drop/guard-2": (STOPS, "no_bad_shrink"),
    "kill/guard-3": (STOPS, "log_matching"),
    "replace_leader/guard-1": (STOPS, "leaderless"),
    "replace_leader/guard-2": (STOPS, "leader_in_isr"),
    "write/guard-1": (OLD, "epochs_name_records"),
    "ask_and_truncate/guard-1": (OLD, "exposed_in_leader"),
    "ask_drop/guard-1": (LATE, "leader_knows_isr"),
}
# Budgets of what may go wrong, and switches.
BUDGETS = {"run_old/guard-2", "leave/guard-3", "end_session/guard-2", "fail_over/guard-1", "learn/guard-2"}
BUDGETS |= {"lag/guard-2", "lose_answer/guard-2", "kill/guard-2", "lose_power/guard-2", "lose_power/guard-3"}
BUDGETS |= {"rebalance/guard-3", "elect_unclean/guard-2", *(f"fail_write/guard-{n}" for n in (1, 2, 3))}
BUDGETS |= {"read_isr/guard-1", "read_isr/guard-2", *(f"detect_clash/guard-{n}" for n in (1, 2, 3))}
NOT_NEEDED = {
    "run_old/guard-1": "who has epochs is chosen before anything else",
    "rebalance/guard-1": "a leader that is elected again begins an epoch, and loses nothing",
    "leave/guard-1": "a server that is down only leaves the ISR sooner",
    "leave/guard-2": "a server that has left leaves once more",
    "end_session/guard-1": "a session that has ended ends once more",
    "grant/guard-1": "without a request nothing is granted",
    "write/guard-2": "below the least ISR the high watermark stays, and nothing is acknowledged",
    "lag/guard-1": "a server that begins to lead forgets who was late",
    "lose_answer/guard-1": "a request that was not granted is sent again",
    "stop/guard-1": "a server that stops unasked is one that is killed",
    "kill/guard-1": "a server that is down loses nothing more",
    "lose_power/guard-1": "a server that is down and loses power loses it as if it were up",
}


@pytest.mark.parametrize("model", BUCKETS)
def test_every_guard_is_accounted_for(model: str) -> None:
    guards = {mutant.name for mutant in mutants_of(read_model(find_model(model))) if mutant.guard}
    assert sorted([*KILLED, *BUDGETS, *NOT_NEEDED]) == sorted(guards)


@pytest.mark.slow
@pytest.mark.parametrize("constants", [NOTICES, STOPS, OLD, LATE])
def test_a_guard_that_a_property_needs(constants: str) -> None:
    expected = {name: prop for name, (where, prop) in KILLED.items() if where == constants}
    judged = survey(
        MODEL,
        read_model(find_model(MODEL)),
        [parse_constants(tuple(constants.split()))],
        wanted=lambda mutant: mutant.name in expected,
        options=JudgeOptions(Limits(states=1_000_000)),
    )
    killers = {each.mutant.name: {kill.name for kill in each.outcome.kills} for each in judged.results}
    assert {name: prop for name, prop in expected.items() if prop not in killers[name]} == {}
