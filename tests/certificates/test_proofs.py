"""Proofs as certificates: confirmed by cvc5 as written, refused in every way that they were made wrong."""

from pathlib import Path

import pytest
from tests.certificates.forge import recheck, redefine, restate, rewrite

from isrcheck.api import prove
from isrcheck.engines.symbolic.certificate import write_certificates

pytest.importorskip("cvc5")

TANK = f"{Path(__file__).with_name('tank.py')}:Tank"
KEPT = "lemma nothing_is_spilt"


def certify(folder: Path, model: str, name: str, **options: object) -> Path:
    run = prove(model, properties=[name], **options)  # type: ignore[arg-type] # each test's own options
    (file,) = write_certificates(run.proofs, folder, model, run.outcome.command)
    return file.parent


@pytest.fixture
def flags(tmp_path: Path) -> Path:
    return certify(tmp_path, "toy-mutex", "flags_are_true")


def refused(folder: Path) -> str:
    code, said = recheck(folder)
    assert code == 1, said
    assert said.startswith("refused: ")
    return said.removeprefix("refused: ").strip()


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("toy-mutex", "flags_are_true"),
        ("toy-cashier", "withdrawals_are_exact"),
        ("toy-thermometer", "memory_grows"),
        ("toy-counter", "within_limit"),
        ("toy-ledger", "no_coin_is_lost"),
        ("toy-clock", "one_minute_at_a_time"),
        (TANK, "only_what_was_poured"),
        pytest.param("isr-kafka-4485-v2", "hw_never_decreases", marks=pytest.mark.slow),
        ("isr-kafka-4485-v2", "isr_at_least_hw"),
    ],
)
def test_proofs_are_confirmed(tmp_path: Path, model: str, name: str) -> None:
    code, said = recheck(certify(tmp_path, model, name))
    assert code == 0, said
    assert f"\n{name}: cvc5 gives the answer needed to all " in said
    assert "\nThe definitions say what the author's methods do, as " in said


def test_a_file_edited_is_refused(flags: Path) -> None:
    file = flags / "definitions.smt2"
    file.write_text(file.read_text() + "\n")
    assert refused(flags) == "definitions.smt2 is not the file that was certified: its SHA-256 is another."


def test_obligations_edited_are_refused(flags: Path) -> None:
    text = (flags / "obligations.smt2").read_bytes()
    rewrite(flags, "obligations.smt2", text.replace(b"(not (and true", b"(not (or true", 1))
    assert refused(flags) == "obligations.smt2 does not hold what the definitions have to be asked."


def test_an_assertion_among_the_definitions_is_refused(flags: Path) -> None:
    for name in ("definitions.smt2", "obligations.smt2"):
        text = (flags / name).read_text()
        rewrite(flags, name, text.replace("; |one step|", "(assert false)\n; |one step|", 1).encode())
    assert refused(flags) == "definitions.smt2 holds a command that defines nothing: (assert false)."


def test_no_steps_at_all_are_refused(flags: Path) -> None:
    restate(flags, lambda body: body.update(steps=[]))
    assert refused(flags) == "obligations.smt2 does not hold what the definitions have to be asked."


def test_an_empty_start_is_refused(flags: Path) -> None:
    redefine(flags, "start", "false")
    expected = "the obligation 'some state is initial' does not stand: cvc5 says unsat, and the proof needs sat."
    assert refused(flags) == expected


def test_a_state_kept_out_is_refused(flags: Path) -> None:
    redefine(flags, "inside", "false")
    assert refused(flags).startswith("the obligation 'start' does not stand: cvc5 says sat")


def test_a_step_that_never_happens_is_refused(flags: Path) -> None:
    redefine(flags, "step 0 ask(process=p0)", "false")
    assert refused(flags).startswith(
        "definitions.smt2 says otherwise than the author's methods: step 0 ask(process=p0) in place="
    )


@pytest.mark.parametrize(
    ("body", "obligation"),
    [
        ("true", "property 1 drink()"),
        ("(<= s.drunk (+ s.held s.poured))", "keep 1 drink()"),
        ("(<= s.held s.poured)", "property 1 drink()"),
        ("(= s.poured s.drunk)", "keep 0 pour()"),
        ("false", "start"),
    ],
)
def test_another_lemma_is_refused(tmp_path: Path, body: str, obligation: str) -> None:
    folder = certify(tmp_path, TANK, "only_what_was_poured")
    redefine(folder, KEPT, body)
    assert refused(folder) == f"the obligation {obligation!r} does not stand: cvc5 says sat, and the proof needs unsat."


def test_a_lemma_left_out_is_refused(tmp_path: Path) -> None:
    folder = certify(tmp_path, TANK, "only_what_was_poured")
    restate(folder, lambda body: body.update(lemmas={}))
    assert refused(folder) == "obligations.smt2 does not hold what the definitions have to be asked."


def test_a_guard_left_out_is_refused(tmp_path: Path) -> None:
    folder = certify(tmp_path, TANK, "only_what_was_poured")
    moves = "(and (= t.drunk (+ 1 s.drunk)) (= t.held s.held) (= t.poured s.poured))"
    redefine(folder, "step 1 drink()", moves)
    assert refused(folder).startswith("the obligation 'keep 1 drink()' does not stand: cvc5 says sat")


def test_a_step_that_does_anything_is_refused(flags: Path) -> None:
    redefine(flags, "step 6 enter(process=p0)", "true")
    expected = "the obligation 'property 6 enter(process=p0)' does not stand: cvc5 says sat, and the proof needs unsat."
    assert refused(flags) == expected


@pytest.mark.parametrize("body", ["true", "false"])
def test_another_property_is_refused(flags: Path, body: str) -> None:
    redefine(flags, "property", body)
    said = refused(flags)
    assert said.startswith(
        "definitions.smt2 says otherwise than the author's methods: flags_are_true in place="
        if body == "true"
        else "the obligation 'base 0' does not stand: cvc5 says sat"
    )


def test_a_property_of_steps_that_is_always_true_is_refused(tmp_path: Path) -> None:
    folder = certify(tmp_path, "toy-thermometer", "memory_grows")
    redefine(folder, "property", "true")
    assert "says otherwise than the author's methods: memory_grows in " in refused(folder)


def test_another_model_is_refused(flags: Path) -> None:
    restate(flags, lambda body: body.update(model="toy-clock"))
    assert refused(flags) == "the text of toy-clock is not what was certified: the SHA-256 of a file is another."


def test_other_constants_are_refused(tmp_path: Path) -> None:
    folder = certify(tmp_path, "toy-counter", "within_limit", constants={"limit": 3})
    restate(folder, lambda body: body["constants"].update(limit=4))
    refused(folder)
