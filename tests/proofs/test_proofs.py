"""`isrcheck prove`: what is proved, what must not be, and how it is said."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import z3
from tests.fixtures.command_line import as_process as in_process

from isrcheck import prove
from isrcheck.catalogue import models_by_name
from isrcheck.proofs import prover, solvers
from isrcheck.proofs.relational import script
from isrcheck.proofs.solvers import SOLVERS, ask_solver

WRONG = Path(__file__).parent / "wrong.py"
ISR = ("isr_at_least_hw", "hw_never_decreases")


POLICIES = """
    isr-max-messages isr-kip-16-text isr-kip-16-merged isr-kafka-4485-v1 isr-kafka-4485-v2 isr-kafka-4485-first-patch
    isr-kafka-4485-merged isr-kafka-7152 isr-strict-min-isr isr-kafka-19996-fix isr-kip-501
""".split()


@pytest.mark.parametrize("model", POLICIES)
def test_the_isr_family_is_proved_for_any_number_of_replicas(model: str) -> None:
    outcome = prove(model, properties=ISR).outcome
    assert [(p.verdict.value, p.assurance) for p in outcome.properties] == [("holds", "proved")] * 2
    assert (outcome.exit, outcome.sizes["replicas"], outcome.sizes["records"]) == (0, "any", "any")
    assert {each.answer for note in outcome.proofs for each in note.obligations} == {"unsat"}


def test_the_original_design_keeps_one_property_and_violates_the_other() -> None:
    outcome = prove("isr-original-design", properties=ISR).outcome
    assert [(p.verdict.value, p.assurance) for p in outcome.properties] == [
        ("holds", "proved"),
        ("violated", "replayed"),
    ]
    assert outcome.exit == 13
    policies = {name for name in models_by_name() if name.startswith("isr-")}
    assert policies - {*POLICIES} == {"isr-original-design"}


def test_async_isr_is_proved_for_any_replicas_offsets_and_versions() -> None:
    outcome = prove("async-isr", properties=["valid_high_watermark"]).outcome
    assert outcome.exit == 0
    assert outcome.sizes == {"replicas": "any", "versions": "any", "offsets": "any"}


@pytest.mark.parametrize(
    ("model", "names", "obligation"),
    [
        ("async-isr-committed-only", ("valid_high_watermark",), "valid_high_watermark by controller_handles_request"),
        ("async-isr-proposed-only", ("valid_high_watermark",), "valid_high_watermark by controller_handles_request"),
        (f"{WRONG}:WrongLemma", ("insiders_have_paid",), "keep everybody_has_paid by raise_fee"),
        (f"{WRONG}:FalseFromTheStart", ("insiders_have_paid",), "start fee_is_one"),
        (f"{WRONG}:WeakJoin", ISR[:1], "isr_at_least_hw by follower_fetches"),
        (f"{WRONG}:Careless", ("insiders_have_paid",), "fault give_back"),
        (f"{WRONG}:Club", ("everybody_is_one",), "everybody_is_one initially"),
    ],
    ids=["committed-only", "proposed-only", "WrongLemma", "FalseFromTheStart", "WeakJoin", "Careless", "Club"],
)
def test_what_is_not_so_is_not_proved(
    model: str, names: tuple[str, ...], obligation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a search of small instances: the obligation is named, and nothing but exit 20 says how it ended."""
    monkeypatch.setattr(prover, "refuse_reached_fault", lambda *_: None)
    monkeypatch.setattr(prover, "violations", lambda *_: {})
    outcome = prove(model, properties=names).outcome
    assert outcome.exit == 20
    assert [(p.verdict.value, p.assurance) for p in outcome.properties] == [("undetermined", "bounded(0)")]
    assert f"the obligation {obligation!r} is not refuted" in outcome.proofs[0].reason


@pytest.mark.parametrize(
    ("model", "name", "broken", "action", "steps"),
    [
        ("async-isr-committed-only", "valid_high_watermark", "valid_high_watermark", "controller_handles_request", 5),
        ("async-isr-proposed-only", "valid_high_watermark", "valid_high_watermark", "leader_writes", 2),
        (f"{WRONG}:WrongLemma", "insiders_have_paid", "everybody_has_paid", "raise_fee", 1),
        (f"{WRONG}:FalseFromTheStart", "insiders_have_paid", "fee_is_one", "", 0),
        (f"{WRONG}:WeakJoin", "isr_at_least_hw", "isr_at_least_hw", "follower_fetches", 5),
        (f"{WRONG}:Club", "everybody_is_one", "everybody_is_one", "", 0),
        (f"{WRONG}:Club", "few_are_inside", "few_are_inside", "", 0),
    ],
    ids=["committed-only", "proposed-only", "WrongLemma", "FalseFromTheStart", "WeakJoin", "Club", "few_are_inside"],
)
def test_what_search_refutes_is_refuted_at_once_with_a_trace(
    model: str, name: str, broken: str, action: str, steps: int
) -> None:
    """A property is violated, exit 12; with a lemma that is violated, and needed, nothing is proved, exit 20."""
    run = prove(model, properties=[name])
    trace, verdict = run.counterexamples[name], run.outcome.properties[0].verdict.value
    assert (trace.name, trace.steps[-1].action, len(trace.steps) - 1) == (broken, action, steps)
    assert (run.outcome.exit, verdict) == ((12, "violated") if broken == name else (20, "undetermined"))
    step = f" by {action}" if action else " initially"
    obligation = f"{broken}{step}" if broken == name else f"keep {broken}{step}" if action else f"start {broken}"
    assert (
        f"the obligation {obligation!r} is false: search finds that {broken} is violated "
        in run.outcome.proofs[0].reason
    )


def test_without_its_lemmas_nothing_is_proved() -> None:
    outcome = prove("isr-kafka-7152", properties=ISR[:1], lemmas=()).outcome
    assert outcome.exit == 20
    assert "'isr_at_least_hw by follower_fetches' is not refuted" in outcome.proofs[0].reason


def test_without_what_is_said_of_a_least_number_nothing_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The high watermark is a least number: its axioms carry the proof."""
    monkeypatch.setattr(script, "definitions_of", lambda symbol: iter(()))
    outcome = prove("async-isr", properties=["valid_high_watermark"]).outcome
    assert outcome.exit == 20
    assert "'valid_high_watermark by controller_handles_request' is not refuted" in outcome.proofs[0].reason


def test_a_size_that_is_given_is_kept() -> None:
    """True of one node and of no more; a count is nobody's but of nothing."""
    one = prove(f"{WRONG}:Club", properties=["everybody_is_one"], constants={"nodes": 1}).outcome
    assert (one.exit, one.sizes) == (0, {"nodes": "1", "limit": "any"})
    two = prove(f"{WRONG}:Club", properties=["everybody_is_one"], constants={"nodes": 2}).outcome
    assert two.exit == 12


def test_what_no_solver_knows_is_undetermined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers that know nothing are asked in turn, as a whole and in cases; nothing is proved by them."""
    asked: list[str] = []

    def knows_nothing(name: str) -> solvers.Solver:
        def say(text: str, seconds: float) -> solvers.Answer:
            asked.append(f"{name}, for a core" if "unsat-core" in text else name)
            return solvers.NO_ANSWER

        return say

    for name in solvers.SOLVERS:
        monkeypatch.setitem(solvers.SOLVERS, name, knows_nothing(name))
    outcome = prove(f"{WRONG}:Club", properties=["insiders_have_paid"]).outcome
    assert (outcome.exit, [p.verdict.value for p in outcome.properties]) == (20, ["undetermined"])
    assert "is undecided: z3 and cvc5 do not know after" in outcome.proofs[0].reason
    assert asked[:5] == ["z3, for a core", "cvc5, for a core", *solvers.SOLVERS]


def test_a_signal_ends_the_proofs_of_all_properties(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def interrupt(text: str, seconds: float) -> Any:
        asked.append(text)
        raise KeyboardInterrupt

    monkeypatch.setattr(prover, "violations", lambda *_: {})
    for name in solvers.SOLVERS:
        monkeypatch.setitem(solvers.SOLVERS, name, interrupt)
    outcome = prove(f"{WRONG}:Club", properties=["insiders_have_paid", "everybody_is_one"]).outcome
    assert (outcome.exit, outcome.cut, len(asked)) == (130, "by the user", 1)
    assert {p.verdict.value for p in outcome.properties} == {"undetermined"}


@pytest.mark.parametrize("name", ["cvc5", "cvc5 --multi-trigger-when-single"])
def test_a_solver_that_answers_nothing_does_not_know(name: str) -> None:
    assert solvers.SOLVERS[name]("(set-logic ALL)", 1.0) == solvers.NO_ANSWER


def test_a_lemma_that_is_not_needed_is_neither_proved_nor_named() -> None:
    outcome = prove(f"{WRONG}:NeedlessLemma", properties=["insiders_have_paid"]).outcome
    assert (outcome.exit, outcome.proofs[0].lemmas) == (0, ())
    assert not [each.name for each in outcome.proofs[0].obligations if "fee_is_low" in each.name]


@pytest.mark.heavy(reason="some hundred questions, each to a process of its own: twice as long after a thousand tests")
def test_leader_in_isr_needs_few_of_the_lemmas_of_kip_320() -> None:
    outcome = prove("kip-320", properties=["leader_in_isr"]).outcome
    assert outcome.exit == 0
    assert "leaders_count_themselves" in {lemma.name for lemma in outcome.proofs[0].lemmas}
    assert len(outcome.proofs[0].lemmas) <= 15  # of 30; the core is that of the solver that answers first


EMPTY_SORTS = [
    ("MayBeEmpty", "somebody_is_alive", "size", 0),
    ("MayBeEmpty", "some_member_is_alive", "size", 0),
    ("MayBeAlone", "somebody_is_not_greeted_or_greeted", "people", 1),
]


@pytest.mark.parametrize(("model", "name", "constant", "empty"), EMPTY_SORTS)
def test_what_is_false_of_an_empty_sort_is_not_proved_for_any_size(
    model: str, name: str, constant: str, empty: int
) -> None:
    """Neither by default, nor where the size is given as 0; where it is large enough, it is proved."""
    run = prove(f"{WRONG}:{model}", properties=[name])
    assert (run.outcome.exit, run.outcome.sizes) == (12, {constant: "any"})
    assert run.counterexamples[name].constants == {constant: empty}
    exits = [
        prove(f"{WRONG}:{model}", properties=[name], constants={constant: size}).outcome.exit
        for size in (empty, empty + 1)
    ]
    assert exits == [12, 0]


@pytest.mark.parametrize(("model", "name", "constant", "empty"), EMPTY_SORTS)
def test_an_empty_sort_alone_breaks_the_obligation(
    model: str, name: str, constant: str, empty: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a search of small instances, the solver finds the empty sort."""
    monkeypatch.setattr(prover, "violations", lambda *_: {})
    for given in ({}, {constant: empty}):
        outcome = prove(f"{WRONG}:{model}", properties=[name], constants=given).outcome
        assert f"the obligation '{name} initially' is not refuted" in outcome.proofs[0].reason


def test_what_is_true_of_an_empty_sort_too_is_proved_for_any_size() -> None:
    outcome = prove(f"{WRONG}:MayBeEmpty", properties=["members_are_alive"]).outcome
    assert (outcome.exit, outcome.sizes) == (0, {"size": "any"})


def test_an_assumption_may_rule_an_empty_sort_out() -> None:
    outcome = prove(f"{WRONG}:HasSpare", properties=["some_member_is_alive"]).outcome
    assert outcome.exit == 0


def test_a_count_is_not_known_to_be_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "violations", lambda *_: {})
    outcome = prove(f"{WRONG}:Club", properties=["few_are_inside"]).outcome
    assert outcome.exit == 20


def test_it_is_said_for_what(tmp_path: Path) -> None:
    file = tmp_path / "outcome.json"
    done = in_process("prove", f"{WRONG}:Club", "--property", "insiders_have_paid", "--json", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    assert "insiders_have_paid holds, proved Proved for any number of steps, any nodes >= 1, any limit >= 0." in words
    assert "Obligations refuted by z3 or cvc5: " in words
    outcome = json.loads(file.read_text(encoding="utf-8"))
    assert outcome["for"] == {"nodes": "any", "limit": "any"}
    assert (outcome["verdict"], outcome["properties"][0]["assurance"]) == ("holds", "proved")
    assert outcome["proofs"][0]["obligations"][0]["name"] == "insiders_have_paid initially"
    assert outcome["command"] == f"isrcheck prove {WRONG}:Club --property insiders_have_paid"


def test_what_the_relational_view_cannot_say_is_named_with_its_place() -> None:
    done = in_process("prove", f"{WRONG}:Totals", "--property", "all_pay")
    assert (done.returncode, done.stdout) == (2, "")
    line = next(n for n, text in enumerate(WRONG.read_text(encoding="utf-8").splitlines(), 1) if "sum(" in text)
    assert f"wrong.py:{line}:16: prove cannot read a sum() over these." in done.stderr
    assert "Write it with quantifiers, or decide it at given sizes with isrcheck check." in done.stderr


def test_certificates_are_written_of_what_is_proved(tmp_path: Path) -> None:
    names = ("--property", "insiders_have_paid", "--property", "few_are_inside")
    done = in_process("prove", f"{WRONG}:Club", *names, "--certificate", str(tmp_path))
    assert (done.returncode, done.stderr) == (12, "isrcheck: no certificate for few_are_inside: not proved.\n")
    assert [file.name for file in tmp_path.iterdir()] == ["insiders_have_paid"]
    command = [sys.executable, "-m", "isrcheck.recheck", f"{WRONG}:Club", str(tmp_path / "insiders_have_paid")]
    checked = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "\ninsiders_have_paid: of 4 obligations z3 confirms 4 and cvc5 confirms 4" in checked.stdout


def test_the_user_ends_a_proof() -> None:
    x, y = z3.BitVec("x", 64), z3.BitVec("y", 64)
    factors = (x * y == 0x7FFFFFFFFFFFFFE7, z3.UGT(x, 1), z3.UGT(y, 1), z3.ULT(x, 1 << 32), z3.ULT(y, 1 << 33))
    solver = z3.Solver()
    solver.add(*factors)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            ask_solver(SOLVERS["z3"], solver.to_smt2(), 60.0)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
