"""The command, the file that it writes, and the sentences for a trace that is not of this model."""

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Self

import pytest
from click.testing import CliRunner
from tests.evidence.stories import SIZES, kip_101

from isrcheck import Model, UpTo, action, check, constraint, initial, invariant
from isrcheck.catalogue import find_model
from isrcheck.cli import commands
from isrcheck.engines.explore import reachable_states
from isrcheck.engines.reference.why import AskingStepper
from isrcheck.errors import IsrcheckError, UsageError
from isrcheck.evidence.explorer.asking import WalkResult, walk_until
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.evidence.explorer.page import contents, file_page, nearby
from isrcheck.evidence.forms.scene import scene
from isrcheck.evidence.forms.svg import step_svgs
from isrcheck.lang.condition import read_condition
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.replay import replay, trace_path
from isrtoys import KNOWN


def explore(*arguments: str | Path) -> str:
    """What the command prints; its own errors are raised."""
    done = CliRunner().invoke(commands, ["explore", *map(str, arguments)], standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.stdout


def test_the_page_is_named_after_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert explore("toy-clock") == "explore-toy-clock.html\n"
    text = (tmp_path / "explore-toy-clock.html").read_text(encoding="utf-8")
    assert "All 12 states are in this file." in text
    assert explore("toy-clock", "-c", "hours=2", "-o", "sub/a.html") == "sub/a.html\n"
    assert "hours=2" in (tmp_path / "sub" / "a.html").read_text(encoding="utf-8")


def test_the_same_page_is_made_again(tmp_path: Path) -> None:
    for name in ("a", "b"):
        explore("kip-101", "--max-states", "60", "-o", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.slow
def test_five_hundred_states_of_kafka_stay_small(tmp_path: Path) -> None:
    explore("kip-320", "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The 500 states nearest to the first one are in this file; the model has more." in text
    assert len(text) < 300_000


def test_nothing_outside_is_named(tmp_path: Path) -> None:
    explore("toy-ledger", "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in text.replace("&#39;", "'")
    assert "connect-src 'none'" in text.replace("&#39;", "'")
    assert re.findall(r"https?://[^\s\"'<\\]+", text) == []


def trace_file(folder: Path, change: Callable[[dict[str, Any]], Any] = lambda _: None) -> Path:
    data = json.loads(kip_101().to_json())
    change(data)
    file = folder / "trace.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def test_a_trace_is_followed(tmp_path: Path) -> None:
    explore(trace_file(tmp_path), "-o", tmp_path / "page.html")
    assert "strong_isr is violated after 9 steps." in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "says", "is_good"),
    [
        (("--why", "leader_writes"), "strong_isr is violated after 9 steps.", False),
        (("--until", "self.quorum_epoch > 0"), "self.quorum_epoch > 0 is true already.", True),
        (("--until", "self.quorum_epoch > 1"), "self.quorum_epoch > 1 is never true: ", False),
    ],
)
def test_the_page_of_a_question_says_what_the_answer_is(
    tmp_path: Path, words: tuple[str, str], says: str, is_good: bool
) -> None:
    explore(trace_file(tmp_path), *words, "--max-states", "20", "-o", tmp_path / "page.html")
    data = unpacked((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert (data["sign"], data["shows"][: len(says)]) == ("✓" if is_good else "✗", says)


def put(value: Any, *keys: str | int) -> Callable[[dict[str, Any]], None]:
    """A change of a trace's JSON: another value in this place."""

    def change(data: Any) -> None:
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


def swap(data: dict[str, Any]) -> None:
    data["steps"][4], data["steps"][5] = data["steps"][5], data["steps"][4]


def twice(data: dict[str, Any]) -> None:
    data["steps"][2] = data["steps"][1]


def begins_late(data: dict[str, Any]) -> None:
    del data["steps"][0]
    data["length"] -= 1


def other_model(data: dict[str, Any]) -> None:
    data.update(model="toy-clock", constants={})


RING = f"{Path(__file__).parents[3] / 'examples/chang_roberts.py'}:ChangRoberts"
CHANGED = (
    "It is of another model or version, or was changed: make it again with isrcheck check --trace-dir.",
    "FILE does not replay: at step ",
)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (put("leader_dreams", "steps", 3, "action"),
         f"{CHANGED[1]}3, TruncateToHighWatermark has no step leader_dreams(leader=r0, epoch=1) with these constants. "
         f"{CHANGED[0]}"),
        (swap, f"{CHANGED[1]}4, the model's state is another one. {CHANGED[0]}"),
        (twice, f"{CHANGED[1]}2, controller_elects_leader(chosen=r0) cannot happen there. {CHANGED[0]}"),
        (put(7, "steps", 2, "state", "quorum_epoch"), f"{CHANGED[1]}2, the model's state is another one. {CHANGED[0]}"),
        (put("log_matching", "property", "name"), f"{CHANGED[1]}9, log_matching is not decided there. {CHANGED[0]}"),
        (put("<b>", "property", "name"), "FILE does not replay: TruncateToHighWatermark has no property <b>."),
        (begins_late,
         f"FILE does not replay: in the initial state, it begins with a step and not with a state. {CHANGED[0]}"),
        (other_model, "FILE does not replay: Clock has no property strong_isr."),
        (put({"set": 5}, "steps", 1, "arguments", "chosen"),
         f"{CHANGED[1]}1, TruncateToHighWatermark has no step controller_elects_leader(chosen={{\"set\": 5}}) with "
         f"these constants. {CHANGED[0]}"),
        (put("kip-1010", "model"),
         "there is no model kip-1010. Did you mean kip-101? A file of your own is FILE.py:Class."),
        (put([1], "constants", "replicas"), "the constant replicas is a whole number, not [1]."),
        (lambda data: data["steps"].pop(),
         "FILE is not a whole trace: its length is stated as 10, and it has 9 states; the rest is missing."),
    ],
)  # fmt: skip
def test_a_trace_of_something_else_is_refused(tmp_path: Path, change: Callable[[Any], None], sentence: str) -> None:
    file = trace_file(tmp_path, change)
    with pytest.raises(IsrcheckError) as caught:
        explore(file, "-o", tmp_path / "page.html")
    assert caught.value.exit_code == 2
    assert str(caught.value).replace(str(file), "FILE") == sentence
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["t.json", "-c", "a=1"], "t.json has its own constants: leave -c out."),
        (["toy-clock", "--property", "last_minut"], "Clock has no property last_minut. Did you mean last_minute?"),
        (["toy-clock", "--why", "tock"], "toy-clock has no action tock. Did you mean tick?"),
        (["toy-clock", "--until", "self.hour > 99", "--why", "tock"],
         "toy-clock has no action tock. Did you mean tick?"),
        ([RING, "--until", "True"],
         f"{RING} has 8 initial states, and the explorer walks from one: use isrcheck check with --engine native."),
        (["toy-clock", "--until", "self.hour ="], "--until: self.hour = is not an expression, such as self.epoch > 1."),
        (
            ["toy-clock", "--until", "hour > 1"],
            "--until hour > 1: hour belongs to the model. Write self.hour.",
        ),
        (
            ["toy-clock", "--until", "self.tick() is None"],
            "--until self.tick() is None: tick is an action. Actions are not called; move what is shared to a helper.",
        ),
        (
            ["toy-clock", "--until", "self.hour"],
            "--until self.hour: the condition is true or false, and this is a Hour. Compare it with a value.",
        ),
        (
            ["toy-queue", "--until", "self.queue[0] == self.queue[1]"],
            "--until self.queue[0] == self.queue[1] raised IndexError: tuple index out of range.",
        ),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_sentence(arguments: list[str], sentence: str) -> None:
    with pytest.raises(IsrcheckError) as caught:
        explore(*arguments)
    assert caught.value.exit_code == 2
    assert str(caught.value) == sentence


def test_until_walks_on_from_state_to_state() -> None:
    both = "all(self.place[p] == Stage.WAITING for p in Process)"
    lines = explore(
        "toy-mutex", "--until", both, "--until", "not enabled(self.ask) and enabled(self.leave)"
    ).splitlines()
    assert lines[0] == "toy-mutex: not enabled(self.ask) and enabled(self.leave) is true after 1 step"
    assert [line.split()[1] for line in lines if re.match(r"  \d+  ", line)] == [
        *("initial", "ask(process=p0)", "ask(process=p1)"),
        *("give_way(process=p0,", "give_way(process=p1,", "enter(process=p0)"),
    ]
    after = lines[lines.index("What can happen next") :]
    assert after[1].split("  ")[1:] == ["leave(process=p0)"]
    assert after[4:6] == [
        "  ask(process=p0)                 self.place[process] == Stage.IDLE is false: self.place[process] = inside",
        "                                  model/isrtoys/processes.py:34:9",
    ]


def test_why_is_asked_of_every_choice_of_an_action() -> None:
    lines = explore("toy-counter", "--until", "self.count == 3", "--why", "up", "--why", "down").splitlines()
    assert lines[lines.index("Why not") + 1 :] == ["  up()  would leave the bound of count"]


@pytest.mark.parametrize(
    ("words", "sentence", "code"),
    [
        (["self.count == 0"], "self.count == 0 is true already", 0),
        (["self.count > 3"], "self.count > 3 is never true: not in the 4 states that can be reached from here", 22),
        (["self.count == 3", "--max-states", "2"], "self.count == 3 is not true in the 2 states nearest to here", 20),
    ],
)  # fmt: skip
def test_until_says_whether_there_is_such_a_state(words: list[str], sentence: str, code: int) -> None:
    done = CliRunner().invoke(commands, ["explore", "toy-counter", "--until", *words], standalone_mode=False)
    assert done.stdout.startswith(f"toy-counter: {sentence}")
    assert done.return_value == code


def test_a_page_begins_where_the_walk_ends(tmp_path: Path) -> None:
    written = "any(len(self.log[r]) > 0 for r in Replica)"
    explore("kip-101", "--until", written, "--max-states", "110", "-o", tmp_path / "page.html")
    data = unpacked((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert data["shows"] == f"{written} is true after 3 steps."
    first = next(move for move in data["states"][0]["moves"] if move[0] == data["trace"][0])
    assert data["texts"][first[5]].startswith("the controller elects r0 from the ISR: leader epoch")


def subject(name: str, trace: tuple[int, ...] | None = None, constants: dict[str, int] | None = None) -> ExploredModel:
    bound = bind(read_model(find_model(name)), constants or {})
    return ExploredModel(bound, name, tuple(p.name for p in bound.properties), trace)


@pytest.mark.parametrize("name", ["toy-ledger", "toy-clock", "toy-forks", "toy-born-wrong", "toy-shelf", "toy-lottery"])
def test_a_small_graph_is_whole(name: str) -> None:
    found = nearby(subject(name), 500)
    assert found.is_complete
    assert len(found.states) == KNOWN[name].distinct
    made = contents(subject(name), found)
    moves = [move for state in made["states"] for move in state["moves"]]
    assert len(moves) + 1 == KNOWN[name].generated
    bounds = {n for n, reason in enumerate(made["reasons"]) if reason["text"].startswith("would leave")}
    pruned = sum(len(g) - 1 for state in made["states"] for g in state["why"] if g[0] in bounds)
    assert pruned == KNOWN[name].pruned


def test_the_nearest_states_come_first_and_the_rest_is_marked() -> None:
    one = subject("toy-ledger")
    found = nearby(one, 10)
    assert not found.is_complete
    assert len(found.states) == 10
    assert found.states == nearby(one, 500).states[:10]
    assert set(found.states) < set(reachable_states(one.stepper))
    outside = [move for state in contents(one, found)["states"] for move in state["moves"] if move[1] < 0]
    assert outside
    assert "The 10 states nearest to the first one are in this file; the model has more." in file_page(one, found)


def test_a_trace_is_in_the_file_whatever_lies_nearer() -> None:
    one = subject("toy-clock", (0,) * 8)
    found = nearby(one, 9)
    assert [way for way in found.ways if way] == [(n, 0) for n in range(8)]
    assert "The 9 states nearest to the trace" in file_page(one, found)
    with pytest.raises(UsageError, match=r"^the trace alone has 9 states, and --max-states is 8: give 9 or more\.$"):
        nearby(one, 8)


def unpacked(page: str) -> dict[str, Any]:
    found = re.search(r'id="data">([A-Za-z0-9+/=]+)<', page)
    assert found
    data: dict[str, Any] = json.loads(zlib.decompress(b64decode(found[1])))
    return data


def test_along_the_trace_the_drawings_are_those_of_the_trace_page() -> None:
    name, constants = "truncate-to-high-watermark", SIZES
    outcome = check(name, properties=["strong_isr"], constants=constants).property("strong_isr")
    assert outcome.trace is not None
    path = trace_path(subject(name, None, constants).model, outcome.trace, "the trace")
    one = subject(name, path, constants)
    assert replay(one.model, "strong_isr", path, name, "native").steps == outcome.trace.steps
    data = unpacked(file_page(one, nearby(one, 500)))
    state, losses, drawings = 0, [], []
    for instance in path:
        _, state, picture, lost, *_ = next(m for m in data["states"][state]["moves"] if m[0] == instance)
        losses.append([data["texts"][n] for n in lost])
        drawings.append("<" + "<".join(data["texts"][n] for n in picture))
    assert losses[:-1] == [[]] * (len(path) - 1)
    assert losses[-1] == [
        "Record 0 of epoch 1 (offset 0), committed by r0 in step 8, is missing on r1, which may be elected next; "
        "r0 still has it.",
        "r1 lost it in step 9: r1 truncates to offset 0, the follower's own high watermark.",
    ]
    assert ['class="lost"' in drawing for drawing in drawings] == [False] * (len(path) - 1) + [True]
    steps = list(step_svgs(scene(outcome.trace)))
    assert words(drawings[-1]) == words(steps[-1])


def words(svg: str) -> list[str]:
    return re.findall(r">([^<]+)</text>", svg)


class Growth(Model):
    """A number whose last step a constraint drops: the search looks at 2, and not beyond."""

    n: Annotated[int, UpTo(5)] = 0

    @action
    def grow(self) -> None:
        self.n += 1

    @constraint
    def stays_low(self, before: Self) -> bool:
        return self.n < 2 or before.n == 0


def test_until_goes_no_further_than_a_constraint_of_steps() -> None:
    bound = bind(read_model(Growth), {})
    stepper = AskingStepper(bound)
    states = [stepper.initial]

    def walk(number: int, path: tuple[int, ...]) -> WalkResult:
        return walk_until(stepper, states, path, read_condition(bound.ir, f"self.n == {number}", "--until"), 10)

    assert [walk(number, ()) for number in (2, 3)] == [WalkResult((0, 0), 3), WalkResult(None, 3)]
    states += [(1,), (2,)]
    cut = "a constraint ends the walk here"
    assert [walk(number, (0, 0)) for number in (2, 3)] == [WalkResult((), 1), WalkResult(None, 1, cut)]


def test_a_walk_through_two_conditions_ends_at_a_step_that_a_constraint_drops() -> None:
    ends = ("--until", "self.n == 2", "--until", "self.n == 3")
    done = CliRunner().invoke(commands, ["explore", f"{__file__}:Growth", *ends], standalone_mode=False)
    assert done.return_value == 20
    says = " ".join(done.stdout.split())
    assert says.endswith("self.n == 3 is not true in the 1 state nearest to here: a constraint ends the walk here")


class Start(Model):
    """A number that begins anywhere, and a lamp."""

    n: Annotated[int, UpTo(2)] = 0
    on: bool = False

    @action
    def press(self) -> None:
        self.on = not self.on

    @initial
    def begin_anywhere(self, n: Annotated[int, UpTo(2)]) -> None:
        self.n = n

    @invariant
    def stays_low(self) -> bool:
        return self.n < 2


def test_a_model_with_several_initial_states_is_explored_from_the_first(tmp_path: Path) -> None:
    explore(f"{__file__}:Start", "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The 2 states nearest to the first one are in this file; the model has more." in text
    trace = check(f"{__file__}:Start").property("stays_low").trace
    assert trace is not None
    (tmp_path / "trace.json").write_text(trace.to_json(), encoding="utf-8")
    with pytest.raises(UsageError, match=r":Start has 3 initial states, and the explorer walks from one: use"):
        explore(tmp_path / "trace.json", "-o", tmp_path / "page.html")
