"""What a partition survives under KRaft: the frontiers that are known, and how `risk` says them."""

import json
import time
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from isrcheck.catalogue import find_model
from isrcheck.cli import commands
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.replay import deciding_path
from isrmodel.risk.budget import FaultBudget, in_words, maximal, minimal, parse_budget, restricted
from isrmodel.risk.described import topics
from isrmodel.risk.document import comparison_document, frontier_document
from isrmodel.risk.frontier import Frontier, Survival, as_json, frontier, left, with_losses
from isrmodel.risk.kept import keep
from isrmodel.risk.question import question_text
from isrmodel.risk.setting import Setting

# Least faults and steps at two replicas and min.insync.replicas=2, by release: a prototype of the specification
# found the same.
KNOWN = {
    "3.6": {
        "acked_in_leader": {"f1 l1": 12, "k1 l1": 13, "l2": 13},
        "acked_somewhere": {"f1 l1": 14, "k1 l1": 15, "l2": 8},
    },
    "4.1": {
        "acked_in_leader": {"k1 l1": 13, "l2": 14},
        "acked_somewhere": {"k1 l1": 15, "l2": 8},
    },
}
LETTERS = {"fences": "f", "kills": "k", "power_losses": "l"}


def named(found: Frontier, loss: str) -> dict[str, int]:
    return {
        " ".join(f"{LETTERS[name]}{n}" for name, n in each.faults if n): each.steps
        for each in found.losses
        if each.name == loss
    }


@pytest.mark.parametrize("release", [r if r == "4.1" else pytest.param(r, marks=pytest.mark.slow) for r in KNOWN])
def test_the_known_frontier_of_a_release(release: str) -> None:
    budget = FaultBudget({"fences": 1, "kills": 1, "power_losses": 2})
    found = frontier(Setting(release, 2, 2), budget, Limits(), workers=2)
    assert found.cut is None
    assert found.pruned == 0
    for loss, known in KNOWN[release].items():
        assert named(found, loss) == known
    assert found.exit == 12


def test_least_and_greatest_numbers_of_faults() -> None:
    grid = [(("kills", a), ("power_losses", b)) for a, b in product(range(3), repeat=2)]
    above = [v for v in grid if sum(n for _, n in v) >= 2]
    below = [v for v in grid if sum(n for _, n in v) < 2]
    assert sorted(minimal(above)) == [grid[2], grid[4], grid[6]]
    assert sorted(maximal(below)) == [grid[1], grid[3]]


def test_faults_in_words() -> None:
    assert in_words(()) == "nothing"
    assert in_words((("kills", 1), ("power_losses", 2))) == "one kill and 2 power losses"
    assert in_words((("fences", 1), ("kills", 1), ("power_losses", 1))) == (
        "one fencing of a live broker, one kill and one power loss"
    )


def test_every_question_is_asked_once() -> None:
    budget = FaultBudget({"fences": 1, "kills": 2})
    text = question_text(Setting("4.1").model(), budget)
    assert text.count("@invariant") == 4 * 2 * 3
    assert "self.fenced_so_far > 1 or self.killed_so_far > 2 or self.leader_has_acked()" in text


@pytest.mark.parametrize(("kafka", "model"), [("2.8", "2.7"), ("3.9.1", "3.7"), ("4.0", "4.0"), ("4.3", "4.1")])
def test_a_release_without_a_model_takes_the_last_before_it(kafka: str, model: str) -> None:
    assert Setting(kafka).modelled_release() == model


@pytest.mark.parametrize("kafka", ["2.6", "four", "4"])
def test_a_release_that_is_not_modelled_is_a_sentence(kafka: str) -> None:
    with pytest.raises(UsageError, match=r"not a valid release|is not modelled"):
        Setting(kafka).modelled_release()


def test_budgets_of_the_command_line() -> None:
    assert parse_budget("kills=1, power_losses=2") == {"kills": 1, "power_losses": 2}
    assert restricted({"kills": 2}, "kill,power") == {"kills": 2, "power_losses": 1}
    for wrong in ("kill=1", "kills", "kills=x"):
        with pytest.raises(UsageError, match="--budget"):
            parse_budget(wrong)
    with pytest.raises(UsageError, match="--faults flood"):
        restricted({}, "flood")


def test_the_topics_of_a_cluster() -> None:
    text = (
        "Topic: a\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2,x=1\n"
        "\tTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
        "Topic: b\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: unclean.leader.election.enable=true\n"
    )
    found = topics(text, "4.1", "all")
    assert found == {"a": Setting("4.1", 3, 2), "b": Setting("4.1", 2, 1, unclean_election=True)}
    listed = json.dumps([{"topic": "a", "replicationFactor": 3, "configs": {"min.insync.replicas": "2"}}])
    assert topics(listed, "4.1", "all") == {"a": Setting("4.1", 3, 2)}
    with pytest.raises(UsageError, match="there is no topic in it"):
        topics("nothing", "4.1", "all")


def test_the_json_of_an_answer(tmp_path: Path) -> None:
    found = frontier(Setting("4.1", 2, 2, acks="1"), FaultBudget({"fences": 1}), Limits(), workers=1)
    answer = as_json(found)
    assert answer["schema"] == "isrcheck.risk/1"
    assert {"property": "acked_in_leader", "faults": {"fences": 1}, "steps": 5} in answer["frontier"]
    assert {"property": "leaderless", "faults": {"fences": 1}} in answer["survives"]
    assert answer["budget"] == {"fences": 1}


def test_what_is_found_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path))
    words = ["risk", "--replication-factor", "2", "--acks", "1", "--faults", "fence", "--no-advice", "--json", "-"]
    first = CliRunner().invoke(commands, words, standalone_mode=False)
    again = CliRunner().invoke(commands, words, standalone_mode=False)
    assert (first.return_value, again.return_value) == (12, 12)
    assert json.loads(first.stdout) == json.loads(again.stdout)
    assert len(list(tmp_path.glob("risk-*.json"))) == 1


def cut_off() -> Frontier:
    return frontier(Setting("4.1", 2, 2), FaultBudget({"kills": 1, "power_losses": 1}), Limits(states=50), workers=1)


def test_what_was_cut_off_survives_nothing() -> None:
    found = cut_off()
    assert found.exit == 20
    assert found.survivals == []
    assert set(found.undecided) == {"acked_in_leader", "acked_somewhere", "exposed_in_leader", "leaderless"}
    text = plain_text(frontier_document(found), 120)
    assert "Survives" not in text
    assert text.count("Undetermined") == 4
    assert "undetermined" in plain_text(comparison_document({"one": found}), 120)


def test_an_undecided_property_is_no_survival_though_nothing_was_cut_off() -> None:
    """A violation that could not be replayed has neither a verdict nor a cut."""
    found = replace(cut_off(), cut=None)
    assert found.exit == 20
    assert "Survives" not in plain_text(frontier_document(found), 120)


def test_only_what_is_complete_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path))
    keep(replace(cut_off(), cut=None), 1)
    assert list(tmp_path.glob("risk-*.json")) == []


def test_without_an_acknowledgement_none_is_lost() -> None:
    assert Setting("4.1", 3, 2).acknowledges()
    assert Setting("4.1", 2, 3).acknowledges()
    assert not Setting("3.6", 2, 3).acknowledges()
    assert not Setting("4.1", 3, 2, acks="0").acknowledges()
    found = frontier(Setting("4.1", 2, 2, acks="0"), FaultBudget({"fences": 1}), Limits(), workers=1)
    assert plain_text(frontier_document(found), 120).count("no record is ever acknowledged") == 2


def test_eligible_leader_replicas_are_of_4_0() -> None:
    with pytest.raises(UsageError, match=r"Kafka 3\.9 has no eligible leader replicas"):
        Setting("3.9", elr=True).model()


def test_a_limit_in_seconds_is_of_all_searches_together() -> None:
    assert left(Limits(seconds=10), time.monotonic() - 4).seconds == pytest.approx(6, abs=0.5)
    assert left(Limits(seconds=10), time.monotonic() - 40).seconds == 0.1
    assert left(Limits(states=7), 0.0) == Limits(states=7)


def test_what_was_found_first_is_not_lost_when_the_rest_is_cut_off() -> None:
    seen: list[Frontier] = []
    budget = FaultBudget({"fences": 1})
    whole = frontier(Setting("4.1", 2, 2, acks="1"), budget, Limits(), workers=1, on_first=seen.append)
    (first,) = seen
    assert first.losses
    cut = replace(whole, losses=[], survivals=[], undecided=["acked_in_leader"], cut="after 1 second")
    assert with_losses(cut, first.losses).losses == first.losses
    assert with_losses(cut, first.losses).exit == 12
    assert with_losses(whole, first.losses) == whole


def test_a_story_is_one_of_the_releases_model() -> None:
    found = frontier(Setting("4.1", 2, 2, acks="1"), FaultBudget({"fences": 1}), Limits(), workers=1)
    trace = next(loss.trace for loss in found.losses if loss.name == "acked_in_leader")
    assert (trace.model, trace.name) == ("kraft-4.1", "acked_in_leader")
    assert trace.sentence.endswith("is safe, with at most one fencing of a live broker.")
    model = bind(read_model(find_model(trace.model)), trace.constants)
    assert len(deciding_path(model, trace, "trace")) == 5


def test_a_broker_that_is_stopped_by_plan_is_not_missing_for_ever() -> None:
    """It is up and in the ELR when the other one is killed, and leads once it has been restarted."""
    budget = FaultBudget({"kills": 1}, restarted=2)
    found = frontier(Setting("4.1", 2, 2), budget, Limits(), workers=1)
    assert not any(loss.name == "leaderless" for loss in found.losses)
    assert Survival("leaderless", (("kills", 1),)) in found.survivals


def test_the_answer_tells_the_least_and_the_most_and_one_story() -> None:
    found = frontier(Setting("4.1", 2, 2), FaultBudget({"kills": 1, "power_losses": 1}), Limits(), workers=1)
    text = plain_text(frontier_document(found), 1000)
    assert "missing in the leader after one kill and one power loss (13 steps). Survives" in text
    assert text.count("lose_power(") == 1
    assert "How an acknowledged record is missing in the leader after one kill and one power loss" in text
