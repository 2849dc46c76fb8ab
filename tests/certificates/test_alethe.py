"""Proof objects for certificates of proofs for any size: cvc5 writes them, carcara checks them where there is one."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.certificates.test_unbounded import TANK, certify

from isrcheck.engines.symbolic.alethe import CARCARA, RULES, alethe_proof, checked, main

CHECKER = shutil.which(CARCARA)
WHY = "carcara is not on the PATH: docs/certificates.md says how to build it"
needs_carcara = pytest.mark.skipif(CHECKER is None, reason=WHY)


def test_no_step_of_a_proof_is_a_hole(tmp_path: Path) -> None:
    """And each rewrite is by a rule of the file."""
    rules = set(re.findall(r"declare-rare-rule ([\w-]+)", RULES.read_text(encoding="utf-8")))
    for script in sorted(certify(tmp_path, TANK, "only_what_was_poured").glob("obligation-*.smt2")):
        proof = alethe_proof(script.read_text(encoding="utf-8"))
        assert proof is not None
        assert ":rule hole" not in proof
        assert set(re.findall(r':rule rare_rewrite :args \("([\w-]+)"', proof)) <= rules


def test_what_is_satisfiable_has_no_proof() -> None:
    assert alethe_proof("(set-logic ALL)(declare-fun a () Bool)(assert a)(check-sat)") is None


def test_without_carcara_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(tmp_path) == 2
    assert capsys.readouterr().err.startswith("isrcheck: carcara is not on the PATH: ")


def test_a_checker_that_does_not_accept_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the word valid, with exit 0, is an acceptance."""
    script = tmp_path / "obligation-001.smt2"
    script.write_text("(set-logic ALL)(assert false)(check-sat)", encoding="utf-8")
    said = {"valid": 0, "holey": 0, "invalid": 1}
    for word, code in said.items():
        program = tmp_path / word
        program.write_text(f"#!{sys.executable}\nprint({word!r})\nraise SystemExit({code})\n", encoding="utf-8")
        program.chmod(0o755)
        assert checked(script, str(program)) == word
    monkeypatch.setattr(shutil, "which", lambda _: str(tmp_path / "holey"))
    assert main(tmp_path) == 1
    assert capsys.readouterr().out == "obligation-001.smt2: holey\ncarcara accepts cvc5's proofs of 0 of 1 scripts.\n"


@needs_carcara
@pytest.mark.slow
@pytest.mark.parametrize("name", ["isr_at_least_hw", "hw_never_decreases"])
def test_carcara_accepts_the_proofs_of_the_isr_family(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(certify(tmp_path, "isr-kafka-7152", name)) == 0
    assert capsys.readouterr().out == "carcara accepts cvc5's proofs of 15 of 15 scripts.\n"


@needs_carcara
@pytest.mark.slow
def test_carcara_refuses_a_proof_of_another_script(tmp_path: Path) -> None:
    """What is asserted is not what the proof assumes."""
    assert CHECKER is not None
    first = min(certify(tmp_path, "isr-kafka-7152", "isr_at_least_hw").glob("obligation-*.smt2"))
    assert checked(first, CHECKER) == "valid"
    proof = first.with_suffix(".alethe")
    other = proof.read_text(encoding="utf-8").replace("(assume a0 (<= 0 lag_time_max))", "(assume a0 false)")
    proof.write_text(other, encoding="utf-8")
    command = [CHECKER, "check", str(proof), str(first), "--rare-file", str(RULES)]
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0
