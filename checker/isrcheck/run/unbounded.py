"""A run of `prove --unbounded`: for any number of members of every sort, and any size of all else."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits, NotStarted, Proved
from isrcheck.engines.symbolic.proof import FOUND
from isrcheck.engines.symbolic.solvers import REFUTED, SATISFIABLE, UNKNOWN
from isrcheck.engines.symbolic.unbounded import FIRST_PATIENCE, Answered, Obligations, Refutable, answer, unconstrained
from isrcheck.engines.symbolic.unbounded_certificate import UnboundedProof
from isrcheck.engines.symbolic.unbounded_counterexample import counterexample, small_constants
from isrcheck.errors import IsrcheckError, UsageError, nearest
from isrcheck.ir.check import check_domains
from isrcheck.ir.domains import BOOL, EnumDomain
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ConstantIR, Method, ModelIR, Property
from isrcheck.ir.property_kinds import INVARIANT, Verdict
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes.candidates import lemma_text
from isrcheck.passes.constants import chosen_value, members_of, word
from isrcheck.passes.relational.sizes import sizes
from isrcheck.passes.relational.system import RelationalSystem
from isrcheck.process.budget import OutOfBudget, budget, phase
from isrcheck.run.invocation import ProofInvocation
from isrcheck.run.lemma_search import FoundLemmas, LemmaSearch, extended, running_class
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.run.proofs import LemmaNote, LemmaSearchNote, ObligationNote, ProofNote
from isrcheck.run.proving import ProofRun
from isrcheck.run.refutation import AT_ONCE, FIRST, THOROUGH, refutation, violations
from isrcheck.run.trace import Trace, encode
from isrcheck.run.unbounded_induction import unbounded_trace
from isrcheck.wrap import first_paragraph

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
    violation: Trace | None = None  # of a lemma or property, by search
    is_of_lemma: bool = False
    search: FoundLemmas | None = None  # that found no lemmas for it

    @property
    def refuted(self) -> bool:
        is_open = self.cut or self.violation is not None or self.search is not None
        return not is_open and all(each.answer == REFUTED for each in self.answered)

    @property
    def broken(self) -> Refutable | None:
        """What is not refuted."""
        if self.refuted or self.cut or self.violation:
            return None
        return self.search.broken if self.search else self.answered[-1].obligation

    @property
    def reason(self) -> str:
        """Why it is not a proof."""
        if self.cut:
            return self.cut
        if self.violation is not None:
            return refutation(self.violation, self.is_of_lemma)
        if self.search is not None and self.search.broken is not None:
            return f"the search for lemmas found none that refutes the obligation {self.search.broken.name!r}"
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
        self.ir = unconstrained(ir.with_lemmas(invocation.properties or ()))
        check_domains(self.ir)
        self.properties = [p for p in self.ir.properties if p.kind.is_provable]
        if invocation.properties is not None:
            self.properties = [_provable(self.ir, name) for name in invocation.properties]
        self.given = _given(self.ir, invocation.constants)
        self.proved = extended(self.ir, self.lemmas)  # with the lemmas that are found
        self.searches: dict[str, FoundLemmas] = {}  # by property
        self.violated: dict[str, Trace] = {}  # by search, properties and lemmas
        self._is_searched = False  # the first of the small instances, to its end
        self.traces: dict[str, Trace | None] = {}  # by obligation

    def run(self) -> ProofRun:
        ready = time.monotonic()
        cut = self._searched()
        self.system = RelationalSystem(self.proved, self.given)
        self.obligations = Obligations(self.system, self.lemmas)
        lemmas = _Tried([], cut) if cut or self._all_violated else self._of_lemmas()
        tried = [(p, self._of_property(p, lemmas)) for p in self.properties]
        found = {p.name: trace for p, each in tried if (trace := self._counterexample(p, each)) is not None}
        cut = next((each.cut for each in (lemmas, *(t for _, t in tried)) if each.cut), "")
        outcomes = [self._outcome(p, each) for p, each in tried]
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

    def _searched(self) -> str:
        """Looks for violations, and for lemmas if that is asked; why it ended early, if it did."""
        names = [m.name for m in (*self.lemmas, *self.properties)]
        try:
            choices = islice(small_constants(self.ir, self.given), 1)
            self.violated = violations(self.ir, names, choices, AT_ONCE, self.invocation.model)
            if self.invocation.search_lemmas:
                for method in self.properties:
                    self._search_lemmas(method)
        except KeyboardInterrupt:
            return _BY_USER
        except OutOfBudget as over:
            return str(over)
        return ""

    @property
    def _all_violated(self) -> bool:
        return all(p.name in self.violated for p in self.properties)

    def _search_lemmas(self, method: Property) -> None:
        if self.violated.keys() & {method.name, *(lemma.name for lemma in self.lemmas)}:
            return
        found = self.searches[method.name] = LemmaSearch(self.ir, self.given, self.lemmas, method).run()
        if found.broken is None:
            self.lemmas = (*self.lemmas, *found.lemmas)
            self.proved = extended(self.ir, self.lemmas)

    def _of_lemmas(self) -> _Tried:
        false = next((m.name for m in self.lemmas if m.name in self.violated), None)
        if false is not None:
            return _Tried([], violation=self.violated[false], is_of_lemma=True)
        return replace(self._tried(self.obligations.of_lemmas()), is_of_lemma=True)

    def _of_property(self, method: Property, lemmas: _Tried) -> _Tried:
        if method.name in self.violated:
            return _Tried([], violation=self.violated[method.name])
        if not lemmas.refuted:
            return lemmas
        search = self.searches.get(method.name)
        if search is None or search.broken is None:
            return self._tried(self.obligations.of_property(method))
        return _Tried([], search=search, violation=self._violation_of(search.broken, THOROUGH))

    def _violation_of(self, broken: Refutable, limits: Limits) -> Trace | None:
        """Of what an obligation is about: a reachable violation, if search finds one."""
        if broken.of in self.violated or not hasattr(self.ir.cls, broken.of):
            return self.violated.get(broken.of)
        choices = small_constants(self.ir, self.given)
        names = [m.name for m in (*self.lemmas, *self.properties) if hasattr(self.ir.cls, m.name)]
        if limits is FIRST:
            choices, self._is_searched = islice(choices, 0 if self._is_searched else 1), True
        else:
            names = [broken.of]
        self.violated |= violations(self.ir, names, choices, limits, self.invocation.model)
        return self.violated.get(broken.of)

    def _counterexample(self, method: Property, tried: _Tried) -> Trace | None:
        """To the obligation that is not refuted, once for all properties that wait for it."""
        if tried.violation is not None:
            return tried.violation
        broken = tried.broken
        if broken is None:
            return None
        if broken.name not in self.traces:
            self.traces[broken.name] = self._induction_trace(method, tried, broken)
        return self.traces[broken.name]

    def _induction_trace(self, method: Property, tried: _Tried, broken: Refutable) -> Trace | None:
        try:
            if tried.search is not None:
                found = tried.search.against
            else:
                cls = running_class(self.ir, [m for m in self.lemmas if not hasattr(self.ir.cls, m.name)])
                found = counterexample(self.proved, self.given, self.lemmas, method, broken, cls)
        except (KeyboardInterrupt, OutOfBudget, IsrcheckError):  # whatever ends this look, the verdict stays
            found = None
        return None if found is None else unbounded_trace(self.ir, found, broken, self.invocation.model)

    def _outcome(self, method: Property, tried: _Tried) -> PropertyOutcome:
        if method.name in self.violated or (tried.violation is not None and tried.violation.name == method.name):
            return PropertyOutcome(method.name, method.kind, Verdict.VIOLATED, "replayed", tried.violation)
        verdict, assurance = (Verdict.HOLDS, "proved") if tried.refuted else (Verdict.UNDETERMINED, "bounded(0)")
        return PropertyOutcome(method.name, method.kind, verdict, assurance)

    def _proof(self, method: Property, lemmas: _Tried, tried: _Tried) -> UnboundedProof:
        return UnboundedProof(self.ir, self.given, method, self.lemmas, (*lemmas.answered, *tried.answered))

    def _tried(self, obligations: Iterator[Refutable]) -> _Tried:
        tried = _Tried([])
        try:
            for obligation in obligations:
                phase(f"refuting {obligation.name}")
                tried.answered.append(answer(obligation, FIRST_PATIENCE))
                if tried.answered[-1].answer == REFUTED:
                    continue
                tried.violation = self._violation_of(obligation, FIRST)
                if tried.violation is None and tried.answered[-1].answer == UNKNOWN:
                    tried.answered[-1] = answer(obligation, _PATIENCE)
                if tried.violation is None and tried.answered[-1].answer != REFUTED:
                    tried.violation = self._violation_of(obligation, THOROUGH)
                if not tried.refuted:
                    return tried
        except KeyboardInterrupt:
            tried.cut = _BY_USER
        except OutOfBudget as over:
            tried.cut = str(over)
        return tried

    def _constant(self, constant: ConstantIR) -> Any:
        return encode(self.given[constant.name]) if constant.name in self.given else _every(constant)

    def _note(self, method: Method, lemmas: _Tried, tried: _Tried, is_shown: bool) -> ProofNote:
        reason = "" if lemmas.refuted and tried.refuted else tried.reason
        search = self.searches.get(method.name)
        if tried.broken is not None and not is_shown:
            reason += "; at small sizes z3 found no counterexample that the author's methods confirm"
        asked = lemmas.answered if tried is lemmas else (*lemmas.answered, *tried.answered)
        said = ((a.obligation.name, a.answer, a.solver, round(a.seconds, 3)) for a in asked)
        return ProofNote(
            name=method.name,
            k=1,
            lemmas=tuple(map(self._lemma_note, self._shown_lemmas(method))),
            variables=tuple(self.system.domains),
            others=(),
            open={c.name: _every(c) for c in self.ir.constants if c.name not in self.given},
            fixed={name: word(value) for name, value in self.given.items()},
            reason=reason,
            assumptions=tuple(assumption.name for assumption in self.ir.assumptions),
            obligations=tuple(ObligationNote(*each) for each in said),
            searched=None if search is None else LemmaSearchNote(search.instances, search.states, search.dropped),
        )

    def _shown_lemmas(self, method: Method) -> tuple[Method, ...]:
        """With those that a search had found so far which went no further."""
        search = self.searches.get(method.name)
        return self.lemmas if search is None or search.broken is None else (*self.lemmas, *search.lemmas)

    def _lemma_note(self, method: Method) -> LemmaNote:
        if hasattr(self.ir.cls, method.name):
            return LemmaNote(method.name, str(method.at), first_paragraph(method.doc))
        return LemmaNote(method.name, FOUND, lemma_text(method, frozenset(self.ir.helpers)))


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
