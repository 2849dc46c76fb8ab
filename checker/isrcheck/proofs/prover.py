"""A run of `prove`: for any number of members of every sort, and any size of all else."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits, NotStarted, Proved
from isrcheck.errors import IsrcheckError, UsageError, nearest
from isrcheck.ir.check import check_domains
from isrcheck.ir.domains import BOOL, EnumDomain
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ConstantIR, Method, ModelIR, Property
from isrcheck.ir.property_kinds import INVARIANT, Verdict
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes.constants import literal, members_of, parse_value
from isrcheck.process.budget import OutOfBudget, budget, phase
from isrcheck.proofs.certificate import Proof, sizes
from isrcheck.proofs.counterexample import counterexample, small_constants
from isrcheck.proofs.obligations import (
    FIRST_PATIENCE,
    Obligations,
    Refutable,
    SolverAnswer,
    answer,
    without_constraints,
)
from isrcheck.proofs.refutation import (
    AT_ONCE,
    FIRST,
    THOROUGH,
    induction_trace,
    refuse_reached_fault,
    refutation,
    violations,
)
from isrcheck.proofs.relational.script import LEMMA
from isrcheck.proofs.relational.system import RelationalSystem
from isrcheck.proofs.solvers import REFUTED, SATISFIABLE, SOLVERS, UNKNOWN, ask_solver
from isrcheck.run.displayed import Displayed
from isrcheck.run.invocation import ProofInvocation
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.run.parts import LemmaNote, ObligationNote, ProofNote
from isrcheck.run.trace import Trace, encode
from isrcheck.wrap import first_paragraph

_BY_USER = "by the user"
_NO_INSTANCE = "no constants meet the assumptions, let the property apply and let the state begin within its bounds"
_PATIENCE = 40.0  # seconds of the last try of a solver; what is known of a published model is known in less than 10


@dataclass(frozen=True, repr=False)
class ProofRun(Displayed):
    """The outcome, a proof of each property that is proved, and counterexamples to induction by property."""

    outcome: Outcome
    proofs: tuple[Proof, ...] = ()
    counterexamples: dict[str, Trace] = field(default_factory=dict)

    def __repr__(self) -> str:
        named = ", ".join(f"{p.name} {p.verdict.value}" for p in self.outcome.properties)
        return f"<ProofRun {self.outcome.model}: {named or 'nothing asked'}>"


def prove(source: type[Model] | str, invocation: ProofInvocation) -> ProofRun:
    """Prove as much as the limits allow. Raises UsageError, also where the text cannot be read so."""
    started = time.monotonic()
    with budget(invocation.limits.seconds, invocation.limits.memory):
        try:
            phase("reading the model")
            ir = read_model(find_model(source) if isinstance(source, str) else source)
            return Prover(ir, invocation, started).run()
        except OutOfBudget as over:
            words = {name: literal(value) for name, value in invocation.constants.items()}
            startup = time.monotonic() - started
            return ProofRun(Outcome(invocation, NotStarted(cut=str(over)), words, startup_seconds=startup))


@dataclass
class ProofAttempt:
    """How the obligations of a property went, with those of the lemmas that it needs."""

    answers: list[SolverAnswer]
    lemmas: frozenset[str] = frozenset()  # that the property needs, what these need, and so on
    cut: str = ""  # why it ended early
    violation: Trace | None = None  # of the property or of a lemma that it needs, by search

    @property
    def is_proof(self) -> bool:
        return not self.cut and self.violation is None and all(each.answer == REFUTED for each in self.answers)

    @property
    def broken(self) -> Refutable | None:
        """The obligation that is not refuted; None if something else ended the attempt."""
        return None if self.is_proof or self.cut or self.violation else self.answers[-1].obligation

    def reason(self, name: str) -> str:
        """Why it is not a proof of the property."""
        if self.cut:
            return self.cut
        if self.violation is not None:
            return refutation(self.violation, self.violation.name != name)
        last = self.answers[-1]
        obligation = f"the obligation {last.obligation.name!r}"
        if last.answer == SATISFIABLE:
            return f"{obligation} is not refuted: {last.solver} says that there is such a state"
        return f"{obligation} is undecided: z3 and cvc5 do not know after {last.seconds:.0f} s"


class Prover:
    """The obligations of one model, each answered once, and what search finds of the same names."""

    def __init__(self, ir: ModelIR, invocation: ProofInvocation, started: float) -> None:
        self.invocation, self.started = invocation, started
        self.lemmas = _choose_lemmas(ir, invocation.lemmas)
        self.ir = without_constraints(ir.with_lemmas(invocation.properties or ()))
        check_domains(self.ir)
        self.properties = [p for p in self.ir.properties if p.kind.is_provable]
        if invocation.properties is not None:
            self.properties = [_find_provable(self.ir, name) for name in invocation.properties]
        self.given = _parse_constants(self.ir, invocation.constants)
        self.obligations = self._list_obligations()
        self.cut = ""  # why the run ended, which no later property begins
        self.answers: dict[str, SolverAnswer] = {}  # by obligation
        self.violated: dict[str, Trace] = {}  # by search, properties and lemmas
        self._is_searched = False  # the first of the small instances, to its end
        self.traces: dict[str, Trace | None] = {}  # by obligation

    def _list_obligations(self) -> dict[str, list[Refutable]]:
        """The obligations by what they are of: a property's name, a lemma's label, or the text alone, which is empty.

        All of the text is read here: what the relational view lacks is refused before anything is searched or solved.
        """
        obligations = Obligations(RelationalSystem(self.ir, self.given), self.lemmas)
        self.instances = {p.name: obligations.instance(p.name) for p in self.properties}
        of: dict[str, list[Refutable]] = {p.name: list(obligations.of_property(p)) for p in self.properties}
        for each in obligations.of_lemmas():
            of.setdefault(each.of and f"{LEMMA}{each.of}", []).append(each)
        return of

    def run(self) -> ProofRun:
        ready = time.monotonic()
        self._search_defaults()
        attempts = [(p, self._attempt(p)) for p in self.properties]
        traces = {p.name: trace for p, each in attempts if (trace := self._counterexample(p, each)) is not None}
        cut = next((each.cut for _, each in attempts if each.cut), "")
        outcomes = [self._outcome(p, each) for p, each in attempts]
        undecided = any(o.verdict is Verdict.UNDETERMINED for o in outcomes) or not outcomes
        seconds = time.monotonic() - ready
        outcome = Outcome(
            self.invocation,
            Proved(cut=(cut or "without a proof") if undecided else None, interrupted=cut == _BY_USER, seconds=seconds),
            {c.name: self._constant(c) for c in self.ir.constants},
            properties=tuple(outcomes),
            startup_seconds=ready - self.started,
            proofs=tuple(self._note(p, each, p.name in traces) for p, each in attempts),
            sizes=sizes(self.ir, self.given),
        )
        proofs = tuple(self._proof(p, each) for p, each in attempts if each.is_proof)
        return ProofRun(outcome, proofs, traces)

    def _search_defaults(self) -> None:
        """Look for violations at the defaults."""
        names = [m.name for m in (*self.lemmas, *self.properties)]
        try:
            choices = list(islice(small_constants(self.ir, self.given), 1))
            for constants in choices:
                refuse_reached_fault(self.ir, [p.name for p in self.properties], constants, AT_ONCE)
            self.violated = violations(self.ir, names, choices, AT_ONCE, self.invocation.model)
        except KeyboardInterrupt:
            self.cut = _BY_USER
        except OutOfBudget as over:
            self.cut = str(over)

    def _attempt(self, method: Property) -> ProofAttempt:
        """Try with all lemmas; then without those that are false, one after the other, until a proof goes through."""
        if method.name in self.violated:
            return ProofAttempt([], violation=self.violated[method.name])
        first = attempt = self._try(method, frozenset())
        false = frozenset[str]()
        while (lemma := self._false_lemma(attempt)) is not None and lemma not in false:
            false |= {lemma}
            attempt = self._try(method, false)
        return attempt if attempt.is_proof else first

    def _false_lemma(self, attempt: ProofAttempt) -> str | None:
        """The lemma that a search violates, or that an obligation breaks in some state."""
        broken = attempt.violation.name if attempt.violation else None
        if attempt.broken is not None and attempt.answers[-1].answer == SATISFIABLE:
            broken = attempt.broken.of
        return broken if broken in {lemma.name for lemma in self.lemmas} else None

    def _try(self, method: Property, false: frozenset[str]) -> ProofAttempt:
        attempt = ProofAttempt([])
        try:
            if not self.cut:
                self._refute_all(method, attempt, false)
        except KeyboardInterrupt:
            self.cut = _BY_USER
        except OutOfBudget as over:
            self.cut = str(over)
        attempt.cut = self.cut or attempt.cut
        return attempt

    def _refute_all(self, method: Property, attempt: ProofAttempt, false: frozenset[str]) -> None:
        """Ask the obligations of the text and the property, then of the lemmas that were needed, up to a violation."""
        needed = dict.fromkeys(("", method.name))
        waiting = list(needed)
        while waiting:
            for obligation in self.obligations.get(waiting.pop(0), ()):
                attempt.violation = self.violated.get(obligation.of)
                if attempt.violation is None:
                    attempt.answers.append(self._answer(obligation, false))
                    attempt.violation = self.violated.get(obligation.of)
                if not attempt.is_proof:
                    return
                core = attempt.answers[-1].lemmas
                labels = (f"{LEMMA}{lemma.name}" for lemma in self.lemmas if lemma.name in core)
                more = [label for label in labels if label not in needed]
                needed.update(dict.fromkeys(more))
                waiting += more
        attempt.lemmas = frozenset(lemma.name for lemma in self.lemmas if f"{LEMMA}{lemma.name}" in needed)
        if ask_solver(SOLVERS["z3"], self.instances[method.name].smtlib(), FIRST_PATIENCE)[0] == REFUTED:
            attempt.cut = _NO_INSTANCE

    def _answer(self, obligation: Refutable, false: frozenset[str]) -> SolverAnswer:
        """Ask solvers without the false lemmas; until they refute it, search looks for a violation."""
        known = self.answers.get(obligation.name)
        if known is not None and not (known.answer == REFUTED and known.lemmas & false):
            return known
        phase(f"refuting {obligation.name}")
        obligation = obligation.with_lemmas(obligation.lemmas - false)
        answered = answer(obligation, FIRST_PATIENCE)
        if answered.answer != REFUTED and self._violation_of(obligation, FIRST) is None:
            if answered.answer == UNKNOWN:
                answered = answer(obligation, _PATIENCE)
            if answered.answer != REFUTED:
                self._violation_of(obligation, THOROUGH)
        if answered.answer == REFUTED or not false:
            self.answers[obligation.name] = answered
        return answered

    def _violation_of(self, broken: Refutable, limits: Limits) -> Trace | None:
        """A reachable violation of what an obligation is of, if search finds one. Raises ModelError as `check`."""
        if not broken.of:
            for constants in islice(small_constants(self.ir, self.given), 1 if limits is FIRST else 0):
                refuse_reached_fault(self.ir, [p.name for p in self.properties], constants, FIRST)
            return None
        if broken.of in self.violated:
            return self.violated[broken.of]
        choices = small_constants(self.ir, self.given)
        names = [m.name for m in (*self.lemmas, *self.properties)]
        if limits is FIRST:
            choices, self._is_searched = islice(choices, 0 if self._is_searched else 1), True
        else:
            names = [broken.of]
        self.violated |= violations(self.ir, names, choices, limits, self.invocation.model)
        return self.violated.get(broken.of)

    def _counterexample(self, method: Property, attempt: ProofAttempt) -> Trace | None:
        """A counterexample to the obligation that is not refuted, once for all properties that wait for it."""
        if attempt.violation is not None:
            return attempt.violation
        broken = attempt.broken
        if broken is None or self.cut:
            return None
        if broken.name not in self.traces:
            self.traces[broken.name] = self._induction_trace(method, broken)
        return self.traces[broken.name]

    def _induction_trace(self, method: Property, broken: Refutable) -> Trace | None:
        try:
            against = counterexample(self.ir, self.given, self.lemmas, method, broken)
        except (KeyboardInterrupt, OutOfBudget, IsrcheckError):  # whatever ends this search, the verdict stays
            return None
        return None if against is None else induction_trace(self.ir, against, broken, self.invocation.model)

    def _outcome(self, method: Property, attempt: ProofAttempt) -> PropertyOutcome:
        if attempt.violation is not None and attempt.violation.name == method.name:
            return PropertyOutcome(method.name, method.kind, Verdict.VIOLATED, "replayed", attempt.violation)
        verdict, assurance = (Verdict.HOLDS, "proved") if attempt.is_proof else (Verdict.UNDETERMINED, "bounded(0)")
        return PropertyOutcome(method.name, method.kind, verdict, assurance)

    def _proof(self, method: Property, attempt: ProofAttempt) -> Proof:
        """The proof, whose obligations assume those lemmas alone that the property needs."""
        lemmas = tuple(lemma for lemma in self.lemmas if lemma.name in attempt.lemmas)
        names = {*attempt.lemmas}
        answered = (replace(each, obligation=each.obligation.with_lemmas(names)) for each in attempt.answers)
        return Proof(self.ir, self.given, method, lemmas, tuple(answered))

    def _constant(self, constant: ConstantIR) -> Any:
        return encode(self.given[constant.name]) if constant.name in self.given else _every(constant)

    def _note(self, method: Method, attempt: ProofAttempt, is_shown: bool) -> ProofNote:
        reason = "" if attempt.is_proof else attempt.reason(method.name)
        if attempt.broken is not None and not is_shown:
            reason += "; at small sizes z3 found no counterexample that the author's methods confirm"
        answers = ((a.obligation.name, a.answer, a.solver, round(a.seconds, 3)) for a in attempt.answers)
        used = [m for m in self.lemmas if m.name in attempt.lemmas or not attempt.is_proof]
        return ProofNote(
            name=method.name,
            lemmas=tuple(LemmaNote(m.name, str(m.at), first_paragraph(m.doc)) for m in used),
            open={c.name: _every(c) for c in self.ir.constants if c.name not in self.given},
            fixed={name: literal(value) for name, value in self.given.items()},
            reason=reason,
            assumptions=tuple(assumption.name for assumption in self.ir.assumptions),
            obligations=tuple(ObligationNote(*each) for each in answers),
        )


def _every(constant: ConstantIR) -> str:
    if constant.domain == BOOL or isinstance(constant.domain, EnumDomain):
        return ",".join(map(literal, members_of(constant.domain)))
    low = "" if constant.at_least is None else str(constant.at_least)
    return f"{low}..{'' if constant.at_most is None else constant.at_most}"


def _parse_constants(ir: ModelIR, constants: Mapping[str, Any]) -> dict[str, Any]:
    """Return constants as values, by name. Raises UsageError."""
    known = {c.name: c for c in ir.constants}
    for name in constants:
        if name not in known:
            raise UsageError(f"{ir.name} has no constant {name}.{nearest(name, known)}")
    return {name: parse_value(known[name], value) for name, value in constants.items()}


def _choose_lemmas(ir: ModelIR, names: Sequence[str] | None) -> tuple[Method, ...]:
    known: dict[str, Method] = {m.name: m for m in (*ir.lemmas, *(p for p in ir.properties if p.kind == INVARIANT))}
    for name in names or ():
        if name not in known:
            raise UsageError(f"{ir.name} has no lemma or invariant {name}.{nearest(name, known)}")
    return ir.lemmas if names is None else tuple(known[name] for name in names)


def _find_provable(ir: ModelIR, name: str) -> Property:
    """The property of a name. Raises UsageError if no proof is of it."""
    known = {p.name: p for p in (*ir.properties, *ir.temporal)}
    if name not in known:
        raise UsageError(f"{ir.name} has no property {name}.{nearest(name, known)}")
    if not known[name].kind.is_provable:
        claim = f"{name} is a {known[name].kind.title}"
        raise UsageError(f"{claim}: prove is for invariants and step properties. Use isrcheck check.")
    return known[name]
