"""The certificate of a proof for any size: every obligation as an SMT-LIB script, with the model's text and lemmas.

The sizes that a proof is for are the constants that bound the state: any, or what each was fixed to.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from textwrap import dedent
from typing import Any

from isrcheck.certificate import MODEL, obligation_file, save_certificate
from isrcheck.ir.domains import inner_domains, names_in_bound
from isrcheck.ir.model import Method, ModelIR, Property
from isrcheck.ir.show import show
from isrcheck.lang.source import model_files
from isrcheck.passes.constants import literal
from isrcheck.proofs.obligations import Refutable, SolverAnswer


@dataclass(frozen=True, eq=False)
class Proof:
    """A property that is proved with the lemmas, and what was refuted for it."""

    ir: ModelIR
    given: dict[str, Any]  # constants with a value
    proved: Property
    lemmas: tuple[Method, ...]
    answers: tuple[SolverAnswer, ...]

    @property
    def name(self) -> str:
        return self.proved.name


def write_proof(proof: Proof, directory: Path, model: str, command: str) -> Path:
    """Writes certificate.json, the model's text and a file for each obligation, or for each of its cases."""
    files, listed = {MODEL: model_text(proof.ir)}, dict[str, list[str]]()
    for answered in proof.answers:
        obligation = answered.obligation
        listed[obligation.name] = []
        for content in scripts_of(obligation, answered.in_cases):
            name = obligation_file(len(files))
            listed[obligation.name].append(name)
            files[name] = content
    body = {
        "command": command,
        "constants": constants_text(proof.given),
        "for": sizes(proof.ir, proof.given),
        "property": proof.name,
        "lemmas": lemma_texts(proof.ir, proof.lemmas),
        "obligations": listed,
    }
    return save_certificate(directory, "unbounded", model, proof.ir, files, body)


def constants_text(given: Mapping[str, Any]) -> dict[str, Any]:
    """The constants as certificate.json has them: a member of an enumeration by its name."""
    return {name: show(value) if isinstance(value, Enum) else value for name, value in given.items()}


def scripts_of(obligation: Refutable, in_cases: bool) -> Iterator[bytes]:
    """The scripts that are to be refuted: one, or one for each case."""
    texts: Sequence[str] = list(obligation.cases) if in_cases else [obligation.smtlib()]
    for number, content in enumerate(texts, 1):
        case = f", case {number} of {len(texts)}" if in_cases else ""
        yield f"; {obligation.name}{case}: unsat\n{content}".encode()


def lemma_texts(ir: ModelIR, lemmas: Sequence[Method]) -> dict[str, str]:
    """The lemmas as their author wrote them, by name."""
    return {lemma.name: dedent(inspect.getsource(getattr(ir.cls, lemma.name))) for lemma in lemmas}


def model_text(ir: ModelIR) -> bytes:
    """The text of every file that a method or a declaration of the model is in."""
    return b"\n".join(b"# " + file.name.encode() + b"\n\n" + file.read_bytes() for file in model_files(ir))


def sizes(ir: ModelIR, given: Mapping[str, Any]) -> dict[str, str]:
    """The sizes that a proof is for, by noun: `any`, or what the constant was fixed to."""
    bounded = (*ir.sorts, *(of for variable in ir.variables for of in inner_domains(variable.domain)))
    names = dict.fromkeys(n for of in bounded for n in sorted(names_in_bound(of)))
    return {_noun(n): literal(given[n]) if n in given else "any" for n in names}


def _noun(constant: str) -> str:
    """Return the noun of what a constant bounds: "epochs" of max_leader_epoch."""
    if not constant.startswith("max_"):
        return constant
    last = constant.rpartition("_")[2]
    return last if last.endswith("s") else f"{last}s"
