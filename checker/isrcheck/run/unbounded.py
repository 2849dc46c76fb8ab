"""A run of `prove --unbounded`: for any number of members of every sort, and any size of all else."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck.budget import OutOfBudget, budget, phase
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import NotStarted, Proved
from isrcheck.engines.symbolic.solvers import REFUTED, SATISFIABLE
from isrcheck.engines.symbolic.unbounded import Answered, Obligations, Refutable, answers, unconstrained
from isrcheck.engines.symbolic.unbounded_certificate import UnboundedProof
from isrcheck.engines.symbolic.unbounded_counterexample import counterexample
from isrcheck.errors import IsrcheckError, UsageError, nearest
from isrcheck.ir.check import check_domains
from isrcheck.ir.domains import BOOL, EnumDomain
from isrcheck.ir.model import ConstantIR, Method, ModelIR, Property
from isrcheck.ir.property_kinds import INVARIANT, Verdict
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes.constants import chosen_value, members_of, word
from isrcheck.passes.relational.sizes import sizes
from isrcheck.passes.relational.system import RelationalSystem
from isrcheck.run.invocation import ProofInvocation
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.run.proofs import LemmaNote, ObligationNote, ProofNote
from isrcheck.run.proving import ProofRun
from isrcheck.run.trace import Trace, encode
from isrcheck.run.unbounded_induction import unbounded_trace

_BY_USER = "by the user"
_PATIENCE = 40.0  # seconds of the last try of a solver; what is known of a published model is known in less than 10


def prove_unbounded(source: type[Model] | str, invocation: ProofInvocation) -> ProofRun:
    """Proves what it can within its limits. Raises UsageError, also where the text cannot be read so."""
    started = time.monotonic()
    with budget(invocation.limits.seconds, invocation.limits.memory):
        try:
            phase("reading the model")
            ir = read_model(find_model(source) if isinstance(source, str) else source)
            return _Run(ir, invocation, started).run()
        except OutOfBudget as over:
            words = {name: word(value) for name, value in invocation.constants.items()}
            startup = time.monotonic() - started
            return ProofRun(Outcome(invocation, NotStarted(cut=str(over)), words, startup_seconds=startup), (), {})


@dataclass
class _Tried:
    """How a group of obligations went."""

    answered: list[Answered]
    cut: str = ""  # why it ended early

    @property
    def refuted(self) -> bool:
        return not self.cut and all(each.answer == REFUTED for each in self.answered)

    @property
    def reason(self) -> str:
        """Why it is not a proof."""
        if self.cut:
            return self.cut
        last = self.answered[-1]
        if last.answer == SATISFIABLE:
            return (
                f"the obligation {last.obligation.name!r} is not refuted: {last.solver} says that there is such a state"
            )
        return (
            f"the obligation {last.obligation.name!r} is undecided: z3 and cvc5 do not know after {last.seconds:.0f} s"
        )


class _Run:
    def __init__(self, ir: ModelIR, invocation: ProofInvocation, started: float) -> None:
        self.invocation, self.started = invocation, started
        self.lemmas = _chosen_lemmas(ir, invocation.lemmas)
        self.ir = unconstrained(ir.asking(invocation.properties or ()))
        check_domains(self.ir)
        self.properties = [p for p in self.ir.properties if p.kind.is_provable]
        if invocation.properties is not None:
            self.properties = [_provable(self.ir, name) for name in invocation.properties]
        self.given = _given(self.ir, invocation.constants)
        self.system = RelationalSystem(self.ir, self.given)
        self.obligations = Obligations(self.system, self.lemmas)
        self.traces: dict[str, Trace | None] = {}  # by obligation

    def run(self) -> ProofRun:
        ready = time.monotonic()
        lemmas = self._tried(self.obligations.of_lemmas())
        tried = [(p, self._of_property(p, lemmas)) for p in self.properties]
        found = {p.name: trace for p, each in tried if (trace := self._counterexample(p, each)) is not None}
        cut = next((each.cut for each in (lemmas, *(t for _, t in tried)) if each.cut), "")
        outcomes = [_outcome(p, lemmas.refuted and each.refuted) for p, each in tried]
        undecided = any(o.verdict is Verdict.UNDETERMINED for o in outcomes) or not outcomes
        seconds = time.monotonic() - ready
        outcome = Outcome(
            self.invocation,
            Proved(cut=(cut or "without a proof") if undecided else None, interrupted=cut == _BY_USER, seconds=seconds),
            {c.name: self._constant(c) for c in self.ir.constants},
            properties=tuple(outcomes),
            startup_seconds=ready - self.started,
            proofs=tuple(self._note(p, lemmas, each, p.name in found) for p, each in tried),
            sizes=sizes(self.ir, self.given),
        )
        proofs = tuple(self._proof(p, lemmas, each) for p, each in tried if lemmas.refuted and each.refuted)
        return ProofRun(outcome, (), found, proofs)

    def _of_property(self, method: Property, lemmas: _Tried) -> _Tried:
        return self._tried(self.obligations.of_property(method)) if lemmas.refuted else lemmas

    def _counterexample(self, method: Property, tried: _Tried) -> Trace | None:
        """To the obligation that is not refuted, once for all properties that wait for it."""
        if tried.cut or tried.refuted:
            return None
        broken = tried.answered[-1].obligation
        if broken.name not in self.traces:
            try:
                found = counterexample(self.ir, self.given, self.lemmas, method, broken)
            except (KeyboardInterrupt, OutOfBudget, IsrcheckError):  # whatever ends this look, the verdict stays
                found = None
            trace = None if found is None else unbounded_trace(self.ir, found, broken, self.invocation.model)
            self.traces[broken.name] = trace
        return self.traces[broken.name]

    def _proof(self, method: Property, lemmas: _Tried, tried: _Tried) -> UnboundedProof:
        return UnboundedProof(self.ir, self.given, method, self.lemmas, (*lemmas.answered, *tried.answered))

    def _tried(self, obligations: Iterator[Refutable]) -> _Tried:
        tried = _Tried([])
        try:
            for answered in answers(obligations, _PATIENCE):
                tried.answered.append(answered)
        except KeyboardInterrupt:
            tried.cut = _BY_USER
        except OutOfBudget as over:
            tried.cut = str(over)
        return tried

    def _constant(self, constant: ConstantIR) -> Any:
        return encode(self.given[constant.name]) if constant.name in self.given else _every(constant)

    def _note(self, method: Method, lemmas: _Tried, tried: _Tried, is_shown: bool) -> ProofNote:
        reason = "" if lemmas.refuted and tried.refuted else tried.reason
        if reason and not (tried.cut or is_shown):
            reason += "; at small sizes z3 found no counterexample that the author's methods confirm"
        asked = lemmas.answered if tried is lemmas else (*lemmas.answered, *tried.answered)
        said = ((a.obligation.name, a.answer, a.solver, round(a.seconds, 3)) for a in asked)
        return ProofNote(
            name=method.name,
            k=1,
            lemmas=tuple(LemmaNote(x.name, str(x.at), " ".join(x.doc.split("\n\n")[0].split())) for x in self.lemmas),
            variables=tuple(self.system.domains),
            others=(),
            open={c.name: _every(c) for c in self.ir.constants if c.name not in self.given},
            fixed={name: word(value) for name, value in self.given.items()},
            reason=reason,
            assumptions=tuple(assumption.name for assumption in self.ir.assumptions),
            obligations=tuple(ObligationNote(*each) for each in said),
        )


def _outcome(method: Property, proved: bool) -> PropertyOutcome:
    verdict, assurance = (Verdict.HOLDS, "proved") if proved else (Verdict.UNDETERMINED, "bounded(0)")
    return PropertyOutcome(method.name, method.kind, verdict, assurance)


def _every(constant: ConstantIR) -> str:
    if constant.domain == BOOL or isinstance(constant.domain, EnumDomain):
        return ",".join(map(word, members_of(constant.domain)))
    low = "" if constant.at_least is None else str(constant.at_least)
    return f"{low}..{'' if constant.at_most is None else constant.at_most}"


def _given(ir: ModelIR, constants: Mapping[str, Any]) -> dict[str, Any]:
    """Single values. Raises UsageError."""
    known = {c.name: c for c in ir.constants}
    for name in constants:
        if name not in known:
            raise UsageError(f"{ir.name} has no constant {name}.{nearest(name, known)}")
    return {name: chosen_value(known[name], value) for name, value in constants.items()}


def _chosen_lemmas(ir: ModelIR, names: Sequence[str] | None) -> tuple[Method, ...]:
    known: dict[str, Method] = {m.name: m for m in (*ir.lemmas, *(p for p in ir.properties if p.kind == INVARIANT))}
    for name in names or ():
        if name not in known:
            raise UsageError(f"{ir.name} has no lemma or invariant {name}.{nearest(name, known)}")
    return ir.lemmas if names is None else tuple(known[name] for name in names)


def _provable(ir: ModelIR, name: str) -> Property:
    """Raises UsageError."""
    known = {p.name: p for p in (*ir.properties, *ir.temporal)}
    if name not in known:
        raise UsageError(f"{ir.name} has no property {name}.{nearest(name, known)}")
    if not known[name].kind.is_provable:
        claim = f"{name} is a {known[name].kind.title}"
        raise UsageError(f"{claim}: prove is for invariants and step properties. Use isrcheck check.")
    return known[name]
