"""Proof objects of a certificate's obligations: `python -m isrcheck.engines.symbolic.alethe DIR`.

cvc5 writes a proof of each obligation in the Alethe format, beside it; carcara, a program of others in another
language, checks every step of it. cvc5's rewrites are steps by rules of `alethe.rare`, each an equation; none may be
a hole.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from isrcheck.engines.symbolic.solvers import REFUTED, cvc5
from isrcheck.process.budget import budget

RULES = Path(__file__).with_name("alethe.rare")
CARCARA = "carcara"
_SECONDS = 60.0  # for each proof, and for each check of one
_OPTIONS = {"produce-proofs": "true", "proof-format-mode": "alethe", "proof-granularity": "dsl-rewrite"}


def alethe_proof(text: str, seconds: float = _SECONDS) -> str | None:
    """A proof that a script is unsatisfiable; None if cvc5 finds none in this time."""
    terms = cvc5.TermManager()
    solver, symbols = cvc5.Solver(terms), cvc5.SymbolManager(terms)
    for option, value in {**_OPTIONS, "tlimit-per": str(int(seconds * 1000))}.items():
        solver.setOption(option, value)
    parser, said = cvc5.InputParser(solver, symbols), ""
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(solver, symbols)).strip()
    if said != REFUTED:
        return None
    proof = solver.proofToString(solver.getProof()[0], cvc5.ProofFormat.ALETHE)
    return proof.decode() if isinstance(proof, bytes) else str(proof)


def checked(script: Path, checker: str) -> str:
    """valid, or why a proof of this script is not accepted."""
    proof = alethe_proof(script.read_text(encoding="utf-8"))
    if proof is None:
        return f"cvc5 has no proof within {_SECONDS:.0f} s"
    file = script.with_suffix(".alethe")
    file.write_text(proof, encoding="utf-8")
    command = [checker, "check", str(file), str(script), "--rare-file", str(RULES)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"carcara does not end within {_SECONDS:.0f} s"
    said = done.stdout.strip()
    return said if done.returncode == 0 and said == "valid" else f"{said} {done.stderr.strip()}".strip()


def report(directory: Path, checker: str) -> Iterator[tuple[str, str]]:
    """Each script of a certificate, and what is said of it."""
    for script in sorted(directory.glob("obligation-*.smt2")):
        yield script.name, checked(script, checker)


def main(directory: Path) -> int:
    """0 if carcara accepts a proof of each obligation, 1 if it does not, 2 without carcara or obligations."""
    checker = shutil.which(CARCARA)
    if checker is None:
        print("isrcheck: carcara is not on the PATH: see docs/certificates.md for how to build it.", file=sys.stderr)
        return 2
    with budget():
        said = dict(report(directory, checker))
    if not said:
        print(f"isrcheck: {directory} has no obligations of a proof for any size.", file=sys.stderr)
        return 2
    for name, answer in said.items():
        if answer != "valid":
            print(f"{name}: {answer}")
    accepted = sum(answer == "valid" for answer in said.values())
    print(f"carcara accepts cvc5's proofs of {accepted} of {len(said)} scripts.")
    return 0 if accepted == len(said) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
