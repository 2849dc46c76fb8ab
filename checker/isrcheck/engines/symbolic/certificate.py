"""The certificate of a proof: its definitions as SMT-LIB text in the model's names; `recheck.py` asks of them."""

from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import z3

from isrcheck.certificate import DEFINITIONS, OBLIGATIONS, save_certificate
from isrcheck.engines.symbolic.encode import Term, Vector
from isrcheck.engines.symbolic.proof import Formulas, InductiveProof, formulas_of
from isrcheck.ir.interval import OneOf, Span, is_endless
from isrcheck.ir.show import show
from isrcheck.ir.smtlib import quote
from isrcheck.lang.read import read_model
from isrcheck.lang.subject import Subject
from isrcheck.recheck import Proof as Question


def write_certificates(proofs: Sequence[InductiveProof], folder: Path, model: str, command: str) -> tuple[Path, ...]:
    """A certificate.json for each proof, in its property's folder."""
    return tuple(write_certificate(proof, folder / proof.name, model, command) for proof in proofs)


def write_certificate(proof: InductiveProof, directory: Path, model: str, command: str) -> Path:
    subject = Subject(read_model(proof.symbolic.model.ir.cls), proof.symbolic.model.constants, proof.variables)
    defined = Definitions(proof, subject)
    body = {
        "command": command,
        "constants": {name: _constant(value) for name, value in proof.symbolic.model.constants.items()},
        "property": proof.name,
        "k": proof.k,
        "taken": defined.by_instance,
        "variables": list(proof.variables),
        "lemmas": {lemma.name: {"place": lemma.place, "text": lemma.source} for lemma in proof.lemmas},
        "steps": [defined.calls[i] for i in defined.formulas.possible()],
        "state": defined.sorts(0, defined.first),
        "open": defined.sorts(defined.first, len(proof.symbolic.system.scalars)),
    }
    definitions = "\n".join(defined.parts())
    asked = "".join(piece for *_, piece in Question(subject, body).script(definitions))
    files = {DEFINITIONS: definitions.encode(), OBLIGATIONS: asked.encode()}
    return save_certificate(directory, "proof", model, subject.ir, files, body)


def _constant(value: Any) -> Any:
    match value:
        case Span(low=low, high=high):
            return {"from": low, "to": None if is_endless(high) else high}
        case OneOf(members=members):
            return {"one_of": [_constant(member) for member in members]}
        case Enum():
            return show(value)
    return value


class Definitions:
    """One proof's functions: of a state (s.), the next (t.) and symbolic constants (c.)."""

    def __init__(self, proof: InductiveProof, subject: Subject) -> None:
        self.proof, self.system = proof, proof.symbolic.system
        self.formulas: Formulas = formulas_of(proof)
        self.first = self.formulas.first
        self.calls = [subject.call(i) for i in range(len(self.system.instances))]
        self.here = self._vector("s")
        self.there = self._vector("t")[: self.first] + self.here[self.first :]
        asked = {proof.conditions[i].index for i in self.formulas.possible()} if proof.kind.is_of_steps else set()
        self.by_instance = len(asked) > 1

    def _vector(self, head: str) -> Vector:
        return tuple(self._name_scalar(i, term, head) for i, term in enumerate(self.formulas.encoder.vector("")))

    def _name_scalar(self, position: int, like: Term, head: str) -> Term:
        if self.system.scalars[position].size == 1:
            return like
        symbol = quote(f"{'c' if position >= self.first else head}.{self.system.scalars[position].name}")
        return Term(z3.Const(symbol[1:-1], like.z3.sort()), like.low, like.high)

    def sorts(self, start: int, end: int) -> dict[str, str]:
        scalars = zip(self.system.scalars[start:end], self.here[start:end], strict=True)
        return {scalar.name: term.z3.sort().sexpr() for scalar, term in scalars if scalar.size > 1}

    def parts(self) -> Iterator[str]:
        model, formulas = self.proof.symbolic.model, self.formulas
        yield f"; {quote(self.proof.name)} of {quote(model.ir.name)}."
        yield "; s is a state, t the next one, and c are the symbolic constants."
        yield "; A number is the position of a value in its domain; a set is a mask of its elements.\n"
        yield self._define("start", "the initial state", formulas.start(self.here))
        yield self._define(
            "inside", "every number within its bound, and the constants allowed", formulas.inside(self.here)
        )
        for lemma in self.proof.lemmas:
            yield self._define(f"lemma {lemma.name}", lemma.source, formulas.truth(lemma.node, self.here))
        faults = [formulas.truth(fault, self.here) for fault in self.proof.faults]
        yield self._define("fault", "a mistake in the text of an action", z3.Or(*faults))
        for instance in formulas.possible():
            can, after = formulas.take(instance, self.here)
            moves = [self.there[i].z3 == after[i].z3 for i in range(self.first) if self.system.scalars[i].size > 1]
            yield self._define(f"step {self.calls[instance]}", "one step", z3.And(can, *moves), step=True)
        yield from self._property()

    def _property(self) -> Iterator[str]:
        formulas, proof = self.formulas, self.proof
        asked = formulas.truth(proof.asked, self.here)
        if not proof.kind.is_of_steps:
            claim = formulas.truth(proof.conditions[0], self.here)
            yield self._define("property", proof.name, z3.Implies(asked, claim))
            return
        instances = list(formulas.possible())
        for instance in instances if self.by_instance else instances[:1]:
            name = f"property {self.calls[instance]}" if self.by_instance else "property"
            claim = formulas.truth(proof.conditions[instance], self.there, before=self.here)
            yield self._define(name, proof.name, z3.Implies(asked, claim), step=True)

    def _define(self, name: str, meaning: str, body: z3.BoolRef, step: bool = False) -> str:
        parts = [self.here[: self.first], self.here[self.first :]]
        if step:
            parts.insert(1, self.there[: self.first])
        named = ([term.z3 for term in terms if not z3.is_false(term.z3)] for terms in parts)
        rows = (" ".join(f"({each.sexpr()} {each.sort().sexpr()})" for each in row) for row in named)
        parameters = "\n   ".join(filter(None, rows))
        words = quote(" ".join(meaning.split()))
        return f"; {words}\n(define-fun {quote(name)}\n  ({parameters}) Bool\n  {z3.simplify(body).sexpr()})\n"
