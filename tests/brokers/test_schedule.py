"""A schedule played on something that follows the model, or does not."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.fixtures.command_line import in_process

from isrbrokers.process import ClusterError
from isrbrokers.schedule import kraft
from isrbrokers.schedule.course import Course, ModelAnswers, Move, NotForced, Stage, plan
from isrbrokers.schedule.facts import ACKED, HW, PRODUCER, Fact, of_state
from isrbrokers.schedule.playing import PARTS, TOGETHER, UNDETERMINED, Patience, Played, exit_of, play
from isrbrokers.schedule.report import PlayedSchedule
from isrcheck.catalogue import find_model
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.schedule.steps import ScheduleVocabulary, Step, bind_known, parse_script

PLAYED = Path(__file__).parents[2] / "specs" / "played"
STORIES = sorted(PLAYED.glob("*.schedule"))
AT_ONCE = Patience(seconds=0, start_seconds=0, session_seconds=0, pause=0)
BROKER_1 = "broker 1"


def read(text: str, model: str = "kraft-4.1", **constants: str) -> tuple[ModelAnswers, tuple[Step, ...]]:
    script = parse_script(text)
    words = ScheduleVocabulary(bind_known(read_model(find_model(model)), {**script.constants, **constants}))
    return ModelAnswers(words), words.steps_of(script)


def story(name: str, **constants: str) -> tuple[ModelAnswers, tuple[Step, ...]]:
    return read((PLAYED / f"{name}.schedule").read_text(), **constants)


class Follows:
    """A system that does what a model says, which need not be the one that it is compared with."""

    shift = 0

    def __init__(self, memory: ModelAnswers, steps: tuple[Step, ...]) -> None:
        self.course = Course(memory, steps, plan(memory, steps).order)
        self.stages = self._stages()
        self.looks = 0

    def _stages(self) -> Iterator[Stage]:
        for _ in self.course.steps:
            yield from self.course.next()

    def do(self, move: Move, seen: Mapping[int, int]) -> None:
        assert next(self.stages).move == move

    def after(self) -> None:
        """Nothing depends on time here."""

    def facts(self) -> dict[Fact, Any]:
        self.looks += 1
        return of_state(self.course)


class Differs(Follows):
    """It shows something else from a step on, counted from 1."""

    def __init__(
        self, memory: ModelAnswers, steps: tuple[Step, ...], at: int, change: Callable[[dict[Fact, Any]], None]
    ):
        super().__init__(memory, steps)
        self.at, self.change = at, change

    def facts(self) -> dict[Fact, Any]:
        found = super().facts()
        if self.course.at >= self.at:
            self.change(found)
        return found


def played(
    memory: ModelAnswers, steps: tuple[Step, ...], system: Follows, patience: Patience = AT_ONCE
) -> list[Played]:
    course = Course(memory, steps, plan(memory, steps).order)
    return list(play(course, system, patience, lambda one: None))


@pytest.mark.parametrize("file", STORIES, ids=lambda file: file.stem)
def test_what_follows_the_model_goes_together_with_it_to_the_end(file: Path) -> None:
    memory, steps = read(file.read_text())
    found = played(memory, steps, Follows(memory, steps))
    assert [one.verdict for one in found] == [TOGETHER] * len(steps)
    assert exit_of(found) == 0


@pytest.mark.parametrize("at", [1, 4, 11, 15])
def test_what_shows_something_else_parts_at_that_step(at: int) -> None:
    memory, steps = story("last-leader")
    system = Differs(memory, steps, at, lambda facts: facts.update({("controller", "leader epoch"): 9}))
    found = played(memory, steps, system)
    assert [one.verdict for one in found] == [TOGETHER] * (at - 1) + [PARTS]
    assert [str(each) for each in found[-1].differences] == [
        f"controller, leader epoch: 9 observed; {of_state(system.course)['controller', 'leader epoch']} in the model"
    ]
    assert exit_of(found) == 12


def test_a_model_with_another_rule_parts_where_the_rule_decides() -> None:
    """Brokers remember what followers had before a term that their leader missed; `forgets_missed` does not."""
    system = Follows(*story("missed-term"))
    memory, steps = story("missed-term", forgets_missed="true")
    found = played(memory, steps, system)
    assert len(found) == 11
    assert found[-1].sentence == "learn r0 3"
    assert [(each.what, each.observed, each.modelled) for each in found[-1].differences] == [
        (HW, 1, 0),
        ("log end of broker 3 that it knows", 1, None),
        (ACKED, (0,), ()),
    ]


def test_what_cannot_be_seen_leaves_it_undetermined() -> None:
    def fail(facts: dict[Fact, Any]) -> None:
        raise ClusterError("the agent of broker1 did not answer within 5 seconds")

    memory, steps = story("last-leader")
    found = played(memory, steps, Differs(memory, steps, 3, fail))
    assert [one.verdict for one in found] == [TOGETHER, TOGETHER, UNDETERMINED]
    assert exit_of(found) == 20


def test_what_comes_late_is_waited_for() -> None:
    memory, steps = story("last-leader")
    system = Differs(memory, steps, 4, lambda facts: None)
    system.change = lambda facts: facts.update({(BROKER_1, HW): 7}) if system.looks % 5 else None
    found = played(memory, steps, system, replace(AT_ONCE, seconds=5))
    assert found[3].verdict == PARTS  # two looks alike are needed, and there are none
    system = Differs(memory, steps, 4, lambda facts: None)
    system.change = lambda facts: facts.update({(BROKER_1, HW): 7}) if system.looks < 12 else None
    found = played(memory, steps, system, replace(AT_ONCE, seconds=5))
    assert found[-1].verdict == TOGETHER


ORDINARY = "constants: replicas=2 max_records=2\nbegin r0 r0; write r0; fetch r1 r0; fetch r1 r0; fetch r1 r0"


def test_a_followers_high_watermark_may_be_one_fetch_old() -> None:
    """An answer with records tells what the high watermark was when the leader read them."""
    memory, steps = read(ORDINARY)
    system = Differs(memory, steps, 4, lambda facts: facts.update({("broker 2", HW): 0}))
    assert [one.verdict for one in played(memory, steps, system)] == [TOGETHER] * 4 + [PARTS]
    system = Differs(memory, steps, 4, lambda facts: None)
    system.change = lambda facts: facts.update({("broker 2", HW): 0}) if system.course.at == 4 else None
    assert [one.verdict for one in played(memory, steps, system)] == [TOGETHER] * 5


def test_a_leaders_high_watermark_may_not() -> None:
    memory, steps = read(ORDINARY)
    found = played(memory, steps, Differs(memory, steps, 4, lambda facts: facts.update({(BROKER_1, HW): 0})))
    assert [one.verdict for one in found] == [TOGETHER] * 3 + [PARTS]


def test_elections_come_out_as_the_schedule_has_them_by_the_order_of_the_assignment() -> None:
    planned = plan(*story("missed-term"))
    assert (planned.order, planned.leader) == ((2, 1, 3), 1)


def test_what_stays_silent_while_others_start_gets_a_long_session() -> None:
    text = "constants: replicas=2 kills=2 max_session=2\nbegin r0 r0; kill r1; fence r1; kill r0; register r1; fence r0"
    assert plan(*read(text)).session_seconds == 9 + 45
    assert plan(*story("last-leader")).session_seconds == 9


def test_internal_steps_may_be_left_out_and_brokers_take_them() -> None:
    """A fetch brings a follower back into the ISR; a fetch of a broker that is down needs that it is started."""
    memory, steps = story("isr")
    course = Course(memory, steps, plan(memory, steps).order)
    follow = {number: [m.action for stage in course.next() for m in stage.follow] for number in range(1, 22)}
    assert follow[16] == ["ask_add", "grant", "learn", "learn", "learn"]
    memory, steps = read("constants: replicas=2 kills=1\nbegin r0 r0; kill r1; fence r1; fetch r1 r0")
    course = Course(memory, steps, plan(memory, steps).order)
    done = [stage.move.action for _ in steps for stage in course.next()]
    assert done == ["begin", "kill", "fence", "register", "fetch"]


def test_an_internal_step_that_has_happened_is_not_done_again() -> None:
    text = (
        (PLAYED / "isr.schedule").read_text().replace("write r0\nfetch r2", "grant r0; learn r0 2\nwrite r0\nfetch r2")
    )
    memory, steps = read(text)
    found = played(memory, steps, Follows(memory, steps))
    assert [one.sentence for one in found if not one.stages] == ["grant r0", "learn r0 2"]


@pytest.mark.parametrize(
    ("text", "step", "why"),
    [
        (
            "begin r0 r0; lose_response r1 r0",
            "2, lose_response r1 r0",
            "the agent cannot take an answer away on its way.",
        ),
        (
            "constants: initial_isr=1\nbegin r0 r0",
            "1, begin r0 r0",
            "a topic begins with all its replicas in the ISR: leave initial_isr at 0.",
        ),
        (
            "constants: shrinks=1\nbegin r0 r0; fetch r1 r0; ask_drop r0 r1 r1",
            "3, ask_drop r0 r1 r1",
            "a leader drops all who are behind its log end as far as it knows, and that is nobody here.",
        ),
        (
            "constants: replicas=3 elections=2\nbegin r0 r0; elect r1; elect r2",
            "3, elect r2",
            "a preferred election elects r1, which is the first in the assignment.",
        ),
        (
            "constants: replicas=3 fences=2\nbegin r0 r0; fence r0 chosen=r1; unfence r0; elect r0",
            "4, elect r0",
            "the model cannot take it after what brokers do by themselves: require(",
        ),
        (
            "constants: replicas=3 kills=2\nbegin r0 r0; kill r1; kill r2; fence r2",
            "4, fence r2",
            "r1 has been silent for longer, so its session ends first.",
        ),
        (
            "constants: fences=1 clean_stops=1\nbegin r0 r0; fence r1; stop r1",
            "3, stop r1",
            "a broker that is fenced is held before it could say that it stops.",
        ),
    ],
)
def test_what_cannot_be_forced_is_a_sentence(text: str, step: str, why: str) -> None:
    with pytest.raises(NotForced) as raised:
        plan(*read(text))
    assert str(raised.value).startswith(f"step {step}, cannot be forced on a cluster: {why}")


@pytest.mark.parametrize("model", ["kraft-2.7", "kraft-3.7", "kraft-4.1"])
def test_of_every_action_that_cannot_be_forced_a_reason_is_known(model: str) -> None:
    words = ScheduleVocabulary(bind_known(read_model(find_model(model)), {}))
    reasons = {kraft.why_never(action.name) for action in words.model.ir.actions}
    assert "nothing is known of how it would be done to a cluster" not in reasons


def test_a_broker_that_holds_no_replica_shows_nothing_of_the_partition() -> None:
    memory, steps = story("reassignment")
    course = Course(memory, steps, plan(memory, steps).order)
    holders: list[set[int]] = []
    for _ in steps:
        for _ in course.next():
            shown = {int(of[-1]) for of, what in of_state(course) if what == HW}
            holders += [shown] if [shown] != holders[-1:] else []
    assert holders == [set(), {1, 2}, {1, 2, 3}, {1, 3}]


def test_the_assignment_that_is_asked_for() -> None:
    pytest.importorskip("confluent_kafka")
    from isrbrokers.schedule.drives import KafkaSystem

    asked: list[list[int]] = []
    memory, steps = story("reassignment")
    nothing: Any = None
    client: Any = SimpleNamespace(reassign=asked.append)
    system = KafkaSystem(nothing, client, plan(memory, steps), {}, nothing)
    system._leave_out(3)
    for added, removed in ((3, 2), (2, None), (None, 1)):
        system._reassign(added, removed, None)
    assert asked == [[1, 3], [1, 2, 3], [2, 3]]


# What is shown


def report(found: list[Played], steps: tuple[Step, ...], memory: ModelAnswers) -> PlayedSchedule:
    constants = memory.vocabulary.model.constants
    without_time = tuple(replace(one, seconds=0.0) for one in found)
    violated = ("acked_somewhere",) if found[-1].verdict == TOGETHER else ()
    return PlayedSchedule("kafka-4.1.1", "kraft-4.1", constants, len(steps), without_time, violated, None)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_report_as_it_is_shown(width: int) -> None:
    memory, steps = story("last-leader")
    shown = report(played(memory, steps, Follows(memory, steps)), steps, memory)
    other = Differs(memory, steps, 8, lambda facts: facts.update({("controller", "ELR"): frozenset()}))
    parted = report(played(memory, steps, other), steps, memory)
    text = plain_text([*shown.document(), *parted.document()], width)
    assert max(map(len, text.splitlines())) <= width
    file = Path(__file__).parent / "golden" / f"played-{width}.txt"
    if os.environ.get("ISRCHECK_ACCEPT"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_the_report_as_data() -> None:
    memory, steps = story("last-leader")
    system = Differs(memory, steps, 8, lambda facts: facts.update({(PRODUCER, ACKED): ()}))
    data = report(played(memory, steps, system), steps, memory).to_dict("1")
    assert data["schema"] == "isrcheck.played/1"
    assert (data["verdict"], data["exit"], data["steps"], len(data["played"])) == ("parts", 12, 15, 8)
    assert data["parts"] == {
        "step": 8,
        "differences": [{"of": "producer", "what": "acknowledged offsets", "observed": [], "modelled": [0]}],
    }


_SCRIPT = ("-e", "begin r0 r0")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            (*_SCRIPT, "kraft-4.1", "kraft-3.7", "--on", "kafka-4.1.1"),
            "--on plays one model's schedule: name one MODEL",
        ),
        ((*_SCRIPT, "--on", "kafka-4.1.1"), "--on plays one model's schedule: name one MODEL"),
        ((*_SCRIPT, "kraft-4.1", "--on", "pulsar-3"), "--on pulsar-3: a schedule is played on kafka-RELEASE."),
        ((*_SCRIPT, "kraft-4.1", "--on", "kafka-5"), "5 is not a release: write it as 4.1.1 or 3.9."),
        (
            (*_SCRIPT, "kraft-4.1", "--on", "kafka-2.3.1"),
            "Kafka 2.3.1 keeps its metadata in ZooKeeper: choose a release",
        ),
        (
            ("-e", "elect r0", "kip-101", "--on", "kafka-4.1.1"),
            "kip-101 is not of the kraft family, and no other can be played: name a model such as kraft-4.1.",
        ),
    ],
)
def test_wrong_usage_is_a_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = in_process("schedule", *words)
    assert done.returncode == 2
    assert f"isrcheck: {sentence}" in done.stderr


def test_where_java_is_missing_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", "no-such-cache")
    done = in_process("schedule", *_SCRIPT, "kraft-4.1", "--on", "kafka-4.1.1")
    assert done.returncode == 2
    assert "is not on the path: 'apt install" in done.stderr


# Real clusters

needs_java = pytest.mark.skipif(
    not all(map(shutil.which, ("java", "javac", "mvn"))), reason="clusters need Java and Maven"
)


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(
    ("name", "constants", "code", "says"),
    [
        ("isr", (), 0, "Together: kafka-4.1.1 did what kraft-4.1 says"),
        ("last-leader", (), 0, "What they show violates acked_somewhere of kraft-4.1."),
        ("reassignment", (), 0, "Together: kafka-4.1.1 did what kraft-4.1 says"),
        ("unclean", (), 0, "What they show violates acked_in_leader of kraft-4.1."),
        ("missed-term", (), 0, "What they show violates acked_in_leader of kraft-4.1."),
        ("missed-term", ("-c", "forgets_missed=true"), 12, "Parts at step 11 of 14, learn r0 3:"),
    ],
)
def test_a_schedule_on_a_cluster(name: str, constants: tuple[str, ...], code: int, says: str) -> None:
    pytest.importorskip("confluent_kafka")
    done = in_process("schedule", str(PLAYED / f"{name}.schedule"), *constants, "--on", "kafka-4.1.1@23200")
    assert done.returncode == code, done.stdout + done.stderr
    assert says in done.stdout
