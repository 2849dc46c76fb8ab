"""Events written by hand: what explains them, what does not and why, and what cannot be told."""

from functools import partial

import pytest
from tests.conform.hand_written import (
    CLIENT,
    CONTROLLER,
    FETCHER,
    FOLLOWER,
    HANDLER,
    LEADER,
    LOADER,
    changed,
    events,
    judged,
)

from isrcheck.errors import UsageError
from isrcheck.passes.bind import bind
from isrlogs.conform.event import Event
from isrlogs.conform.kraft_controller import controller_track
from isrlogs.conform.kraft_run import kraft_run
from isrlogs.conform.kraft_wire import OnTheWire
from isrlogs.conform.meaning import Step, Telling
from isrlogs.conform.observed_model import read_observed
from isrlogs.conform.stepping import Stepping
from isrlogs.conform.track import Track
from isrlogs.conform.verdict import Verdict


def test_a_record_that_is_copied_and_acknowledged() -> None:
    verdict = judged(events())
    assert (verdict.verdict, verdict.exit, verdict.inferred, verdict.unexplained) == ("conforms", 0, 0, None)
    assert verdict.observed == verdict.events == 13
    assert verdict.trace is not None
    assert [step.action for step in verdict.trace.steps] == [
        "",
        "begin",
        "learn",
        "learn",
        "append_until",
        "fetch_arrives",
        "answer_arrives",
        "fetch_arrives",
        "acknowledge",
    ]
    assert verdict.trace.steps[4].state["told_by"] == "broker 1: append(first=0, last=0, end=1)"


def test_a_broker_that_logged_nothing_of_the_partition_conforms_to_nothing() -> None:
    verdict = judged(events(broker_1=[("starts", LOADER, "node=1")], broker_2=[], client=[]))
    assert (verdict.verdict, verdict.exit, verdict.why) == ("undetermined", 20, "no broker's log tells of it")


def test_an_acknowledgement_of_what_was_not_committed() -> None:
    verdict = judged(events(client=changed(CLIENT, 0, "offset=0", "offset=1")))
    assert verdict.verdict == "departs"
    assert verdict.exit == 12
    assert verdict.unexplained is not None
    assert verdict.unexplained.node == "client"
    assert "needs offset <" in verdict.unexplained.because


@pytest.mark.parametrize(
    ("broker_1", "broker_2", "node", "because"),
    [
        (
            changed(LEADER, 3, "to=1", "to=2"),
            FOLLOWER,
            "broker 1",
            "no step that the model can take here leads to this line",
        ),
        (
            LEADER[:3] + LEADER[4:],
            FOLLOWER,
            "broker 1",
            "after fetch_arrives(leader=1, follower=2), broker 1 would have said hw_up(from=0, to=1)",
        ),
        (LEADER, changed(FOLLOWER, 5, "offset=1", "offset=2"), "broker 2", "log end offset of broker 2: 2 observed, 1"),
        (LEADER, changed(FOLLOWER, 2, "leader_hw=0", "leader_hw=1"), "broker 2", "high watermark of broker 2 beyond"),
        (changed(LEADER, 0, "isr=1,2", "isr=1"), FOLLOWER, "broker 1", "ISR that broker 1 knows: {1} observed, {1, 2}"),
        (changed(LEADER, 0, "epoch=0", "epoch=1"), FOLLOWER, "broker 1", "leader epoch of broker 1: 1 observed, 0"),
    ],
    ids=["wrong hw", "no line of the hw", "wrong offset", "hw too early", "wrong isr", "wrong epoch"],
)
def test_lines_that_contradict_the_rest(
    broker_1: list[tuple[str, str, str]], broker_2: list[tuple[str, str, str]], node: str, because: str
) -> None:
    verdict = judged(events(broker_1=broker_1, broker_2=broker_2))
    assert verdict.verdict == "departs"
    assert verdict.unexplained is not None
    assert verdict.unexplained.node == node
    assert because in verdict.unexplained.because


def test_a_high_watermark_below_min_insync_replicas_tells_releases_apart() -> None:
    shrinks = [("isr_asked", "scheduler", "what=Shrink who=2 epoch=0 isr=1 version=0")]
    settles = [("isr_settled", "answers", "isr=1 version=1")]
    blocked = [("hw_blocked", "answers", "isr=1")]
    moves = [("hw_up", "answers", "from=0 to=1")]
    alone = [LEADER[0], LEADER[1], LEADER[2], *shrinks, *settles]
    controller = [*CONTROLLER, ("partition_change", "", "isr=1")]
    follower = FOLLOWER[:2]

    def verdict(model: str, after: list[tuple[str, str, str]]) -> str:
        found = events(broker_1=[*alone, *after], broker_2=follower, controller=controller, client=[])
        return judged(found, model, min_isr="2").verdict

    assert [verdict(model, blocked) for model in ("kraft-3.6", "kraft-3.7")] == ["departs", "conforms"]
    assert [verdict(model, moves) for model in ("kraft-3.6", "kraft-3.7")] == ["conforms", "departs"]


@pytest.mark.parametrize(
    ("values", "after", "expected"),
    [
        (("2", "1"), ("hw_up", "from=0 to=1"), "conforms"),
        (("2", "3"), ("hw_up", "from=0 to=1"), "departs"),
        (("1", "2"), ("hw_blocked", "isr=1"), "conforms"),
        (("1", "1"), ("hw_blocked", "isr=1"), "departs"),
    ],
)
def test_a_leader_goes_by_the_setting_that_it_has_read(
    values: tuple[str, str], after: tuple[str, str], expected: str
) -> None:
    """Below min.insync.replicas 3.7 exposes nothing. The setting of another topic changes nothing."""
    shrinks = [("isr_asked", "scheduler", "what=Shrink who=2 epoch=0 isr=1 version=0")]
    settled = [("isr_settled", "answers", "isr=1 version=1"), (after[0], "answers", after[1])]
    created = [(kind, thread, f"{text} topic_id=T") for kind, thread, text in CONTROLLER]
    own = [("config", "", f"resourceType=2 resourceName=tv {MIN_ISR} value={value}") for value in values]
    other = ("config", "", f"resourceType=2 resourceName=tw {MIN_ISR} value=3")
    found = events(
        broker_1=[*LEADER[:3], *shrinks, *settled],
        broker_2=FOLLOWER[:2],
        controller=[
            ("topic", "", "name=tv topic_id=T"),
            own[0],
            *created,
            own[1],
            other,
            ("partition_change", "", "isr=1"),
        ],
        client=[],
    )
    assert judged(found, "kraft-3.7").verdict == expected


def test_a_change_of_the_isr_that_is_not_sent_is_no_step() -> None:
    """Another is under way: metadata came before its answer."""
    shrinks = [("isr_asked", "scheduler", "what=Shrink who=2 epoch=0 isr=1 version=0")]
    settles = [("isr_settled", "loader", "isr=1 version=1")]
    asks = ("isr_asked", HANDLER, "what=Expand who=2 epoch=0 isr=1,2 version=1")
    fails = ("isr_not_sent", HANDLER, "what=Expand")
    other = [("isr_not_sent", "another", "what=Expand")]

    def verdict(after: list[tuple[str, str, str]]) -> str:
        found = events(
            broker_1=[*LEADER, *shrinks, *settles, *after],
            broker_2=FOLLOWER,
            controller=[*CONTROLLER, ("partition_change", "", "isr=1")],
        )
        return judged(found).verdict

    assert verdict([asks, fails, asks]) == verdict([asks]) == "conforms"
    assert verdict([asks, asks]) == verdict([asks, *other, asks]) == "departs"


def test_a_shrink_names_the_isr_that_is_left() -> None:
    asks = [("isr_asked", "scheduler", "what=Shrink who=2 epoch=0 isr=1 version=0")]
    told = "hw=0 end=1 from=1,2 out=2"

    def verdict(left: str) -> Verdict:
        lines = [*LEADER[:3], ("shrinks", "scheduler", f"{told} to={left}"), *asks]
        return judged(events(broker_1=lines, broker_2=FOLLOWER[:2], client=[]))

    assert verdict("1").verdict == "conforms"
    wrong = verdict("1,2")
    assert wrong.verdict == "departs"
    assert wrong.unexplained is not None
    assert wrong.unexplained.because == "ISR of broker 1 without whom it drops: {1, 2} observed, {1} in the model"


def test_a_silent_logger_is_named_where_its_lines_would_have_decided() -> None:
    silent = [line for line in LEADER if line[0] != "append"]
    follower = [line for line in FOLLOWER if line[0] != "append"]
    told = events(broker_1=silent, broker_2=follower)
    assert (judged(told).verdict, judged(told).inferred) == ("conforms", 2)
    wrong = judged(events(broker_1=changed(silent, 2, "to=1", "to=2"), broker_2=follower))
    assert (wrong.verdict, wrong.exit) == ("undetermined", 20)
    assert wrong.why == "nothing was written by UnifiedLog of broker 1 at TRACE and UnifiedLog of broker 2 at TRACE"


MIN_ISR = "name=min.insync.replicas"
ONE_MORE = [
    *LEADER,
    ("append", HANDLER, "first=1 last=1 end=2"),
    ("hw_up", HANDLER, "from=1 to=2"),
    ("known", HANDLER, "follower=2 offset=2"),
]
COPIED = ("append", FETCHER, "first=1 last=1 end=2 leader=1")


@pytest.mark.parametrize(
    ("broker_1", "broker_2", "why"),
    [
        (ONE_MORE, FOLLOWER, "the log of broker 2 may end early: what it did then would explain more"),
        (LEADER[:3], [*FOLLOWER, COPIED], "the log of broker 1 may end early: what it did then would explain more"),
        (LEADER, [], "nothing was written by broker 2: its log is missing"),
        ([], [], "nothing was written by broker 1: its log is missing and broker 2: its log is missing"),
        (
            [*LEADER, ("append", HANDLER, "first=3 last=3 end=4")],
            FOLLOWER,
            "nothing was written by broker 1 of its log from offset 1 to 3",
        ),
        (
            [*LEADER, ("append", HANDLER, "first=2 last=2 end=3")],
            FOLLOWER,
            "nothing was written by broker 1 of its log from offset 1 to 2",
        ),
        (
            [*LEADER, ("leads_on", LOADER, "epoch=0 version=1 isr=1,2")],
            FOLLOWER,
            "brokers read of partition epoch 1, and the last on record is 0: records are missing",
        ),
    ],
    ids=["a follower's end", "a leader's end", "a follower", "all", "a hole", "a record", "metadata's end"],
)
def test_a_log_that_is_not_whole_is_no_departure(
    broker_1: list[tuple[str, str, str]], broker_2: list[tuple[str, str, str]], why: str
) -> None:
    verdict = judged(events(broker_1=broker_1, broker_2=broker_2))
    assert (verdict.verdict, verdict.why) == ("undetermined", why)


def _always(value: int, _: Event) -> int:
    return value


def test_an_answer_arrives_after_its_leader_has_died() -> None:
    found = events()
    run = kraft_run(found, {"min.insync.replicas": "1"})
    model = read_observed("kraft-4.1", OnTheWire)
    names = {constant.name for constant in model.constants}
    stepping = Stepping(bind(model, {n: v for n, v in run.constants.items() if n in names}), run.members)
    state: int | None = stepping.initial

    def take(action: str, **told: int) -> int | None:
        given: dict[str, Telling] = {name: partial(_always, value) for name, value in told.items()}
        chosen = next(stepping.instances([Step(action, given)], found[0]))
        return None if state is None else stepping.step(state, chosen)

    state = take("begin", leader=1)
    state = take("learn", broker=1, version=1)
    state = take("learn", broker=2, version=1)
    state = take("append_until", leader=1, end=1)
    state = take("fetch_arrives", leader=1, follower=2)
    assert take("late_answer_arrives", follower=2, leader=1, end=1) is None
    state = take("kill", broker=1)
    assert take("answer_arrives", follower=2, leader=1, end=1) is None
    state = take("late_answer_arrives", follower=2, leader=1, end=1)
    assert state is not None
    assert len(stepping.view(state).of("log", 2)) == 1
    assert take("late_answer_arrives", follower=2, leader=1, end=1) is None


def test_a_broker_that_asks_twice_to_be_registered_is_registered_once() -> None:
    asked = [("register_broker", "", f"broker=2 incarnation={name}") for name in ("a", "a", "b")]
    found = [event for event in events(controller=[*CONTROLLER, *asked]) if event.node == "controller"]
    registered = [event.fields["session"] for event in controller_track(found).events if event.kind == "registers"]
    assert registered == ["1", "2"]


def test_without_the_first_record_nothing_can_be_told() -> None:
    verdict = judged(events(controller=[]))
    assert verdict.verdict == "undetermined"
    assert verdict.why.startswith("the partition's first record is missing: the metadata log")


def test_a_limit_is_told() -> None:
    from isrlogs.conform.judge import judge
    from isrlogs.conform.search import Limits

    verdict = judge("run tv-0", events(), {}, "kraft-4.1", {}, Limits(None, 3))
    assert (verdict.verdict, verdict.why) == ("undetermined", "after 4 positions")


ASKED = "conform asks models kraft-2.7 to kraft-4.3, isr-*, and the published designs."
INSTEAD = "ask kraft-4.3, and isr-* for what a clock decides, such as the idle stall."


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("kraft-timed", f"kraft-timed has no table of brokers' events, as with its clock no fetch is late: {INSTEAD}"),
        ("partition", f"partition has no table of brokers' events: {ASKED}"),
    ],
)
def test_a_model_without_a_table_is_refused(model: str, sentence: str) -> None:
    with pytest.raises(UsageError) as raised:
        judged(events(), model)
    assert str(raised.value) == sentence


def test_lines_of_two_threads_may_change_places_and_those_of_one_thread_may_not() -> None:
    near = events(broker_1=[("append", HANDLER, "end=1"), ("hw_up", "other", "to=1"), ("known", HANDLER, "follower=2")])
    track = Track("broker 1", tuple(event for event in near if event.node == "broker 1"))
    assert list(track.open((0, 0))) == [0, 1]
    assert list(track.open(track.after((0, 0), 1))) == [0]
    assert list(track.open(track.after((0, 0), 0))) == [1, 2]
    assert track.after(track.after((0, 0), 1), 0) == (2, 0)
