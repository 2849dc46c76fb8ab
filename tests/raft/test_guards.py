"""Every guard of KRaft's Raft without which a property fails, and why no property needs the others."""

import pytest

from isrcheck.catalogue import find_model
from isrcheck.commands.options import parse_constants
from isrcheck.engines.contract import Limits
from isrcheck.gate.mutants.judge import JudgeOptions
from isrcheck.gate.mutants.make import Mutant, mutants_of
from isrcheck.gate.mutants.survey import survey
from isrcheck.lang.read import read_model

ELECTION = "restarts=1 power_losses=1 records=0 pre_vote=false"
WRITES = "records=1 pre_vote=false"
VOTERS = "observers=1 changes=1 records=0 pre_vote=false"
NETWORK = "isolations=1 records=0"

KILLED = {
    "write/guard-1": (WRITES, "leader_complete"),
    "truncate/guard-1": (VOTERS, "committed_in_leader"),
    "serve/guard-1": (VOTERS, "committed_in_leader"),
    "stand/guard-2": (NETWORK, "epoch_rises_once"),
    "give_vote/guard-3": (ELECTION, "one_leader_an_epoch"),
    "become_leader/guard-1": (ELECTION, "one_leader_an_epoch"),
    "learn_epoch/guard-2": (ELECTION, "one_leader_an_epoch"),
    "follow/guard-1": (ELECTION, "no_illegal_state"),
    "follow/guard-2": (ELECTION, "no_illegal_state"),
    "give_pre_vote/guard-3": (NETWORK, "epoch_rises_once"),
    "give_pre_vote/guard-4": (NETWORK, "followers_stay_with_their_leader"),
    "time_out/guard-1": (NETWORK, "one_leader_an_epoch"),
    "change/guard-1": (VOTERS, "committed_in_leader"),
    "lose_power/guard-2": (ELECTION, "leader_complete"),
}
AT_FOUR_SERVERS = {"change/guard-2", "change/guard-3"}  # one_change and own_epoch_first, two runs of specs/raft.toml
BOUNDS = {"isolate/guard-1", "leave_out/guard-2", "lose_power/guard-1", "restart/guard-1"}  # of what may go wrong
NOT_NEEDED = {
    "ask_first/guard-1": "a pre-vote by itself changes no log and no epoch",
    "ask_first/guard-2": "a leader may give up at any time",
    "add_voter/guard-1": "a voter that lags is safe, and slow",
    "fetch/guard-1": "a fetch that brings nothing and tells nothing",
    "give_pre_vote/guard-1": "a pre-vote for whoever does not ask; it is forgotten once the server asks",
    "give_pre_vote/guard-2": "only pre-votes of voters count, each once",
    "give_vote/guard-1": "a vote for whoever does not stand; it is forgotten once the server stands",
    "give_vote/guard-2": "only votes of voters count, each once",
    "learn_epoch/guard-1": "who is cut off hears nothing; hearing more is safe",
    "leave/guard-1": "a leader may give up at any time",
    "leave_out/guard-1": "the first voters are chosen before anything else",
    "lose_answer/guard-1": "a fetch that tells nothing",
    "reconnect/guard-1": "nothing changes",
    "remove_voter/guard-1": "what is no voter is not removed; without voters nothing is committed",
    "stand/guard-1": "who is not a voter needs a majority of the voters, too",
    "time_out/guard-2": "a leader may give up at any time",
}


def names(constants: str, wanted: set[str]) -> dict[str, set[str]]:
    """Which properties kill each of some mutants at a choice of constants."""

    def is_wanted(mutant: Mutant) -> bool:
        return mutant.name in wanted

    made = survey(
        "raft",
        read_model(find_model("raft")),
        [parse_constants(tuple(constants.split()))],
        wanted=is_wanted,
        options=JudgeOptions(Limits(states=1_000_000)),
    )
    assert {result.mutant.name for result in made.results} == wanted
    return {result.mutant.name: {kill.name for kill in result.outcome.kills} for result in made.results}


def test_every_guard_is_accounted_for() -> None:
    found = {mutant.name for mutant in mutants_of(read_model(find_model("raft"))) if mutant.guard}
    told = [*KILLED, *AT_FOUR_SERVERS, *BOUNDS, *NOT_NEEDED]
    assert sorted(told) == sorted(found)


@pytest.mark.slow
@pytest.mark.parametrize("constants", [ELECTION, WRITES, VOTERS, NETWORK])
def test_a_guard_that_a_property_needs(constants: str) -> None:
    expected = {name: prop for name, (where, prop) in KILLED.items() if where == constants}
    killers = names(constants, set(expected))
    assert {name: prop for name, prop in expected.items() if prop not in killers[name]} == {}
