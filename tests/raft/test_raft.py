"""KRaft's Raft: elections, known mistakes with their shortest stories, guards, and the published modules."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from isrcheck import Model, Options, Outcome, Verdict, action, check, require
from isrcheck.catalogue import find_model
from isrcheck.commands.options import parse_constants
from isrcheck.engines.contract import Limits
from isrcheck.gate.mutants.judge import JudgeOptions
from isrcheck.gate.mutants.make import Mutant, mutants_of
from isrcheck.gate.mutants.survey import survey
from isrcheck.lang.read import read_model
from isrmodel.raft.published import PublishedKraft, PullRaft, PullRaftVariant2
from isrmodel.raft.published.messages import Fetch
from isrmodel.raft.releases import RELEASES, KafkaRaft

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("release", "constants", "expected", "unreached"),
    [
        ("raft-3.3", {"servers": 2}, (94, 145, 13), {"two_lead"}),
        ("raft-4.0", {"servers": 2}, (122, 229, 13), {"two_lead", "a_later_leader_commits"}),
        ("raft-3.3", {"elections": 1}, (319, 745, 11), set()),
    ],
)
def test_an_election_alone(
    release: str, constants: dict[str, int], expected: tuple[int, int, int], unreached: set[str]
) -> None:
    """Of two voters nobody can lead against the other; with pre-vote nobody leads after a leader that is well."""
    found = check(RELEASES[release], engine="evaluator", constants={"records": 0, **constants})
    assert (found.distinct, found.generated, found.depth, found.pruned) == (*expected, 0)
    failed = {p.name for p in found.properties if p.verdict is not Verdict.HOLDS}
    assert failed == unreached


@pytest.mark.parametrize(
    ("release", "broken", "constants", "name", "steps"),
    [
        ("raft-3.3", "flush_vote", {"power_losses": 1}, "one_leader_an_epoch", 7),
        ("raft-3.3", "flush_log", {"power_losses": 1, "records": 0}, "leader_complete", 7),
        ("raft-3.3", "checks_log", {"records": 0}, "leader_complete", 6),
        ("raft-3.3", "follower_of_nobody", {"restarts": 1, "elections": 1, "records": 0}, "no_illegal_state", 5),
        ("raft-3.7", "check_quorum", {"isolations": 1, "records": 0}, "cut_off_leader_resigns", 5),
        ("raft-4.0", "pre_vote", {"isolations": 1, "records": 0}, "epoch_rises_once", 3),
    ],
)
def test_the_shortest_story_of_a_mistake(
    release: str, broken: str, constants: dict[str, int], name: str, steps: int
) -> None:
    """With the decision taken back; as it is, specs/raft.toml says that the property holds."""
    switched = {broken: broken == "follower_of_nobody"}
    found = check(
        RELEASES[release],
        engine="evaluator",
        properties=[name],
        constants={**constants, **switched},
        options=Options(stop_at_first=True),
    )
    (told,) = found.properties
    assert told.trace is not None
    assert told.trace.length - 1 == steps


def test_the_page_has_the_figures_of_the_spec() -> None:
    page = (ROOT / "docs" / "raft.md").read_text(encoding="utf-8")
    runs = tomllib.loads((ROOT / "specs" / "raft.toml").read_text(encoding="utf-8"))["run"]
    told = [
        (name, answer.split()[2])
        for run in runs
        for name, answer in run["expect"].items()
        if answer.startswith("violated in")
    ]
    assert [(name, steps) for name, steps in told if f"`{name}`: {steps}" not in page] == []
    assert len(told) == len(re.findall(r"`\w+`: \d+", page))


@pytest.mark.slow
def test_the_spec_is_met() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "checker"), str(ROOT / "model")))}
    words = [sys.executable, "-m", "isrcheck", "gate", "specs/raft.toml", "--workers", "1", "--no-github"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_today_is_the_last_release() -> None:
    """`raft` has the constants of 4.0."""
    found = [
        check(model, engine="evaluator", properties=[], constants={"servers": 2})
        for model in (KafkaRaft, RELEASES["raft-4.0"])
    ]
    assert len({(one.distinct, one.generated, one.depth) for one in found}) == 1


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


class CountedTwice(PublishedKraft):
    """TLC finds a fetch from the beginning valid twice: by its offset, and since it agrees with the leader's log."""

    @action
    def serve_first_fetch(self, request: Fetch) -> None:
        require(request.end == 0 and request.last_epoch == 0)
        self.serve(request)


def counts(found: Outcome) -> tuple[int | None, int | None, int]:
    assert found.pruned == 0
    return found.distinct, found.generated, found.depth


def verdicts(found: Outcome) -> dict[str, Any]:
    """What holds, or in how many steps it does not."""
    return {p.name: p.trace.length - 1 if p.trace else p.verdict.value for p in found.properties}


TWO = {"servers": 2, "in_flight": 2, "messages": 12}


@pytest.mark.parametrize(
    ("model", "constants", "expected"),
    [
        (PullRaft, {"max_elections": 2, "in_flight": 4}, (456, 679, 17)),
        (PullRaft, {"max_elections": 2, "max_restarts": 1, "in_flight": 4}, (1_762, 3_305, 19)),
        (PullRaftVariant2, {"max_elections": 2, "in_flight": 4}, (462, 641, 19)),
        (PullRaftVariant2, {"max_elections": 2, "max_restarts": 1, "in_flight": 4}, (2_166, 3_523, 21)),
        pytest.param(CountedTwice, {"max_restarts": 1}, (271, 371, 21), marks=pytest.mark.slow),
    ],
)
def test_two_servers(model: type[Model], constants: dict[str, int], expected: tuple[int, int, int]) -> None:
    assert counts(check(model, engine="evaluator", properties=[], constants={**TWO, **constants})) == expected


@pytest.mark.slow
def test_a_follower_of_nobody_is_refused_after_six_steps() -> None:
    """KRaft.tla restarts a server so; its own NoIllegalState fails, which its configuration does not ask for."""
    found = verdicts(check(PublishedKraft, engine="evaluator", constants={**TWO, "max_restarts": 1}))
    assert found["no_illegal_state"] == 6
    assert found["one_leader_an_epoch"] == found["logs_agree"] == found["leader_has_what_clients_know"] == "holds"
    assert isinstance(found["all_is_committed"], int)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "constants", "engine", "expected"),
    [
        (PullRaft, {}, "symmetry", (219, 550, 19)),
        (PullRaft, {}, "evaluator", (1_270, 3_202, 19)),
        (PullRaftVariant2, {}, "symmetry", (206, 477, 20)),
        (PullRaftVariant2, {}, "evaluator", (1_192, 2_770, 20)),
        (PublishedKraft, {"messages": 20}, "evaluator", (10_468, 21_421, 30)),
        (CountedTwice, {"messages": 20}, "evaluator", (10_468, 23_167, 30)),
        (CountedTwice, {"messages": 20}, "symmetry", (1_759, 3_894, 30)),
    ],
)
def test_rows_of_the_reference(
    model: type[Model], constants: dict[str, int], engine: str, expected: tuple[int, int, int]
) -> None:
    """Three voters, one value, one election. TLC's view hides only the election, which the epochs tell."""
    symmetry = engine == "symmetry"
    options = Options(symmetry=symmetry)
    found = check(model, constants=constants, engine="native" if symmetry else engine, options=options)
    assert counts(found) == expected
    assert {p.verdict.value for p in found.properties if p.name != "all_is_committed"} == {"holds"}


@pytest.mark.slow
def test_a_restart_of_one_of_three() -> None:
    """TLC has the same counts without its view, and the same verdicts and length with it."""
    constants = {"max_restarts": 1, "messages": 30}
    found = check(CountedTwice, constants=constants, engine="native", options=Options(symmetry=True))
    assert counts(found) == (22_611, 48_356, 43)
    said = verdicts(found)
    assert said["no_illegal_state"] == 6
    assert said["one_leader_an_epoch"] == said["logs_agree"] == said["leader_has_what_clients_know"] == "holds"


@pytest.mark.parametrize("model", [PullRaft, PullRaftVariant2])
def test_pull_raft_with_one_value_commits_nothing(model: type[Model]) -> None:
    """A pull is served only with an entry, so no leader hears of the last one: TLC's rows are vacuous."""
    found = verdicts(check(model, engine="evaluator", constants={"servers": 2, "in_flight": 4, "max_elections": 2}))
    assert found["all_is_committed"] == "violated"
