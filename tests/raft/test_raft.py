"""KRaft's Raft: the election alone, and each known mistake with the length of its shortest story."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from isrcheck import Options, Verdict, check
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
