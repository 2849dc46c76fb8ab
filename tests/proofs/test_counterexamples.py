"""Where an obligation for any size is not refuted, a state and a step at small sizes show why."""

from pathlib import Path

import pytest
from tests.fixtures.command_line import as_process as in_process
from tests.proofs.test_proofs import WRONG

from isrcheck import prove
from isrcheck.catalogue import find_model
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.read import read_model
from isrcheck.lang.subject import Subject
from isrcheck.proofs import counterexample, prover
from isrcheck.proofs.counterexample import confirm
from isrcheck.proofs.obligations import Refutable
from isrcheck.run.trace import INDUCTION, Trace


@pytest.fixture(autouse=True)
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of small instances would find a violation that is reachable, which is shown instead."""
    monkeypatch.setattr(prover, "violations", lambda *_: {})


NONE = "; at small sizes z3 found no counterexample that the author's methods confirm"


def shown(model: str, name: str) -> Trace:
    run = prove(model, properties=[name])
    assert NONE not in run.outcome.proofs[0].reason
    return run.counterexamples[name]


@pytest.mark.parametrize(
    ("model", "name", "broken", "action"),
    [
        (f"{WRONG}:WrongLemma", "insiders_have_paid", "everybody_has_paid", "raise_fee"),
        (f"{WRONG}:WeakJoin", "isr_at_least_hw", "isr_at_least_hw", "follower_fetches"),
        ("async-isr-committed-only", "valid_high_watermark", "valid_high_watermark", "controller_handles_request"),
        ("async-isr-proposed-only", "valid_high_watermark", "valid_high_watermark", "controller_handles_request"),
    ],
    ids=["WrongLemma", "WeakJoin", "committed-only", "proposed-only"],
)
def test_a_step_that_breaks_what_is_to_be_kept_is_shown(model: str, name: str, broken: str, action: str) -> None:
    trace = shown(model, name)
    assert (trace.kind, trace.name, [step.action for step in trace.steps]) == (INDUCTION, broken, ["", action])
    assert trace.steps[0].state != trace.steps[1].state
    assert trace.sentence.endswith(": its first state is not known to be reachable.")


def test_what_it_shows_is_so() -> None:
    """By hand: everybody has paid the fee before, and not after."""
    for step, has_paid in zip(shown(f"{WRONG}:WrongLemma", "insiders_have_paid").steps, (True, False), strict=True):
        paid = dict(step.state["paid"]["map"])
        assert all(paid[who] >= step.state["fee"] for who in paid) is has_paid


def test_what_is_false_initially_is_shown_in_the_initial_state() -> None:
    """Two of a sort are allowed, so the defaults do not show it, and one more does."""
    trace = shown(f"{WRONG}:Club", "few_are_inside")
    assert (trace.verb, trace.when) == ("is violated", "in the initial state")
    assert trace.steps[0].state["inside"] == {"set": ["n0", "n1", "n2"]}
    assert trace.sentence == "True of two, and of no more. False initially with nodes=3, limit=4."


def test_a_text_that_goes_wrong_is_shown_with_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever gives back has paid nothing, and no search comes so far."""
    monkeypatch.setattr(prover, "refuse_reached_fault", lambda *_: None)
    trace = shown(f"{WRONG}:Careless", "insiders_have_paid")
    call, _, rest = trace.sentence.removeprefix("The text of give_back(who=").partition(")")
    assert dict(trace.steps[0].state["paid"]["map"])[call] == 0
    assert rest.startswith(" goes wrong in this state. A counterexample to induction with nodes=2, limit=3: ")


def test_what_the_author_s_methods_do_not_confirm_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading of z3's answer that makes every variable 0, so that nothing is broken."""

    def careless(self: object, symbol: object, declared: object, given: object) -> int:
        return 0

    monkeypatch.setattr(counterexample._Reading, "_read", careless)
    run = prove(f"{WRONG}:WeakJoin", properties=["isr_at_least_hw"])
    assert run.counterexamples == {}
    assert run.outcome.proofs[0].reason.endswith(NONE)


@pytest.mark.parametrize(
    ("fee", "action", "lemmas", "is_one"),
    [
        (1, "give_back", (), True),
        (1, "pay", (), False),  # which keeps it
        (0, "join", (), False),  # which cannot break it
        (2, "give_back", (), False),  # which begins where it is false
        (1, "give_back", ("few_are_inside",), True),
        (1, "give_back", ("everybody_is_one",), False),  # which a lemma excludes
    ],
)
def test_the_author_s_methods_confirm_it(fee: int, action: str, lemmas: tuple[str, ...], is_one: bool) -> None:
    """Everybody has paid one and is inside."""
    subject = Subject(read_model(find_model(f"{WRONG}:Careless")), {"nodes": 2, "limit": 3})
    broken = Refutable(f"insiders_have_paid by {action}", (), of="insiders_have_paid", by=action)
    with with_sort_sizes(subject.sizes):
        keys = subject.load(subject.initial()).__dict__["paid"]
        before = subject.flat({"fee": fee, "paid": dict.fromkeys(keys, 1), "inside": frozenset(keys)})
        position = next(i for i, (method, _) in enumerate(subject.instances) if method.name == action)
        found = confirm(subject, before, position, broken, lemmas)
    assert (found is not None) is is_one


def test_it_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "cti.svg"
    words = ("--no-lemmas", "--property", "isr_at_least_hw", "--cti", str(file))
    done = in_process("prove", "isr-kafka-7152", *words)
    assert done.returncode == 20
    assert "isr_at_least_hw is not kept after 1 step" in done.stdout
    assert "not known to be reachable" in file.read_text(encoding="utf-8")
