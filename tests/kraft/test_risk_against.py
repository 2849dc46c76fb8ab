"""`isrcheck risk --describe NEW --against OLD`: a setting by which a topic survives less is refused."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from isrcheck import Trace
from isrcheck.cli import commands
from isrcheck.errors import UsageError
from isrcheck.run.trace import PlainRun
from isrrisk.against import Earlier, is_decided, judge_topics
from isrrisk.answer import Answer
from isrrisk.budget import FaultBudget
from isrrisk.frontier import Frontier, LeastLoss, Survival
from isrrisk.question import LOSSES
from isrrisk.setting import Setting
from isrrisk.wording import WORDS

LINE = (
    "Topic: {}\tPartitionCount: 1\tReplicationFactor: 2\t"
    "Configs: min.insync.replicas=2,unclean.leader.election.enable={}\n"
)
BUDGET = FaultBudget({"fences": 1})


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "cache"))


def against(folder: Path, now: str, before: str, *options: str) -> Result:
    for name, described in (("now", now), ("before", before)):
        (folder / name).write_text(described, encoding="utf-8")
    words = ["risk", "--describe", str(folder / "now"), "--against", str(folder / "before"), *options]
    return CliRunner().invoke(commands, words, standalone_mode=False)


def answer(survived: int, loses: bool = False) -> Answer:
    """An answer that survives so many fencings; or in which one more loses everything."""
    survivals = [Survival(loss, (("fences", survived),)) for loss in LOSSES]
    story = Trace("kraft-4.1", {}, "", PlainRun(), "", "", ())
    losses = [LeastLoss(loss, (("fences", survived + 1),), story) for loss in LOSSES] if loses else []
    frontier = Frontier(Setting("4.1", 3), BUDGET, losses, survivals, [], None, 7, 0, 1.0)
    return Answer(frontier.setting, [frontier], None, None, BUDGET)


def test_topics_that_did_not_change_are_not_searched(tmp_path: Path) -> None:
    described = LINE.format("a", "false")
    done = against(tmp_path, described + LINE.format("b", "true"), described + LINE.format("c", "true"), "--json", "-")
    assert (done.return_value, json.loads(done.stdout)) == (0, [])
    done = against(tmp_path, described + LINE.format("b", "true"), described + LINE.format("c", "true"))
    assert "1 topic with the settings that they had." in done.stdout
    assert "Not judged, since they were not there before: b." in done.stdout
    assert "No longer there: c." in done.stdout


def test_a_topic_that_survives_less_is_refused_and_one_that_survives_more_is_not(tmp_path: Path) -> None:
    low, high = (LINE.format("a", "false").replace("replicas=2", f"replicas={n}") for n in (1, 2))
    budget = ("--budget", "fence=1,power=1")
    done = against(tmp_path, low, high, *budget)
    assert done.return_value == 21
    lost = f"{WORDS['acked_in_leader']} after one fencing of a live broker and one power loss"
    assert f"a survives less than before: {lost}" in " ".join(done.stdout.split())
    done = against(tmp_path, high, low, *budget)
    assert done.return_value == 0
    assert "a survives no less than before." in done.stdout


def test_descriptions_without_a_topic_in_common_are_refused(tmp_path: Path) -> None:
    done = against(tmp_path, LINE.format("a", "false"), LINE.format("b", "false"))
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == (
        "no topic of now (a) is in the earlier description (b): "
        "give --against an earlier description of the same topics."
    )


@pytest.mark.parametrize(("now", "code"), [(2, 0), (1, 0), (0, 21), (None, 20)])
def test_the_exit_code_says_whether_a_topic_survives_less(now: int | None, code: int) -> None:
    """One fencing was survived before; now so many are."""
    answers = {"a before": answer(1)} | ({} if now is None else {"a": answer(now, loses=now == 0)})
    assert judge_topics(Earlier(("a",), 0, (), ()), answers)[1] == code


def test_a_setting_that_was_searched_less_far_is_undetermined() -> None:
    assert is_decided(answer(1), answer(1))
    assert not is_decided(answer(0), answer(1))


@pytest.mark.parametrize("options", [("--against", "x"), ("--describe", "x", "--against", "x")])
def test_a_description_is_not_compared_with_itself(options: tuple[str, ...]) -> None:
    done = CliRunner().invoke(commands, ["risk", *options], standalone_mode=False)
    assert isinstance(done.exception, UsageError)
    assert "from another file" in str(done.exception)
