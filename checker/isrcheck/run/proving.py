"""A run of `prove`."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import NotStarted, Proved
from isrcheck.engines.symbolic.proof import FAULT, Broken, GivenUp, InductiveProof, Stuck
from isrcheck.engines.symbolic.strategy import Attempt, ProofPlan, attempt, lemmas_excluding, value_ranges
from isrcheck.engines.symbolic.unbounded_certificate import UnboundedProof
from isrcheck.errors import Disagreement, ModelError, UsageError, nearest
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.check import check_domains
from isrcheck.ir.frozen import replace
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.model import ModelIR
from isrcheck.ir.property_kinds import PropertyKind, Verdict
from isrcheck.lang.declare import REQUIRED, Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.cone import Cut
from isrcheck.passes.constants import literal
from isrcheck.passes.symbolic import with_constants
from isrcheck.process.budget import OutOfBudget, budget, phase, poll_by_timer
from isrcheck.run.deciding import choose_properties
from isrcheck.run.displayed import Displayed
from isrcheck.run.induction import induction_trace
from isrcheck.run.invocation import ProofInvocation
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.run.proofs import LemmaNote, ProofNote
from isrcheck.run.refutation import AT_ONCE, FIRST, refuse_reached_fault
from isrcheck.run.replay import replay
from isrcheck.run.trace import Trace, encode


@dataclass(frozen=True, repr=False)
class ProofRun(Displayed):
    """`counterexamples` are to induction; `unbounded` are proofs for any size."""

    outcome: Outcome
    proofs: tuple[InductiveProof, ...]
    counterexamples: dict[str, Trace]
    unbounded: tuple[UnboundedProof, ...] = ()

    def __repr__(self) -> str:
        named = ", ".join(f"{p.name} {p.verdict.value}" for p in self.outcome.properties)
        return f"<ProofRun {self.outcome.model}: {named or 'nothing asked'}>"


@dataclass(frozen=True)
class _Finding:
    outcome: PropertyOutcome
    note: ProofNote
    proof: InductiveProof | None = None
    counterexample: Trace | None = None


def prove(source: type[Model] | str, invocation: ProofInvocation) -> ProofRun:
    """Proves what it can within its limits. Raises UsageError or ModelError."""
    started = time.monotonic()
    with budget(invocation.limits.seconds, invocation.limits.memory):
        try:
            with poll_by_timer():
                phase("reading the model")
                ir = read_model(find_model(source) if isinstance(source, str) else source)
            return _prove_all(ir, invocation, started)
        except OutOfBudget as over:
            words = {name: literal(value) for name, value in invocation.constants.items()}
            startup = time.monotonic() - started
            return ProofRun(Outcome(invocation, NotStarted(cut=str(over)), words, startup_seconds=startup), (), {})


def _prove_all(ir: ModelIR, invocation: ProofInvocation, started: float) -> ProofRun:
    lemmas = _chosen_lemmas(ir, invocation.lemmas)
    ir = ir.with_lemmas(invocation.properties or ())
    check_domains(ir)
    ir = replace(ir, constraints=())  # what is proved is true beyond them too
    given = invocation.constants
    symbolic = with_constants(ir, value_ranges(ir, given, Cut(())))
    names = _chosen(symbolic, invocation.properties)
    constants = _instance(ir, symbolic, given)
    ready = time.monotonic()
    plans = [ProofPlan(ir, given, n, lemmas, invocation.k, invocation.search_lemmas) for n in names]
    found: list[_Finding] = []
    interrupted = is_searched = False
    cut = "without a proof"
    phase("looking for a proof")
    try:
        refuse_reached_fault(ir, names, constants, AT_ONCE)
        for plan in plans:
            tried = attempt(plan)
            if _fault_is_open(tried) and not is_searched:
                refuse_reached_fault(ir, names, constants, FIRST)
                is_searched = True
            found.append(_finding(tried, invocation.model))
    except (KeyboardInterrupt, OutOfBudget) as end:
        cut = str(end) if isinstance(end, OutOfBudget) else "by the user"
        interrupted = isinstance(end, KeyboardInterrupt)
        reason = "the user ended the run" if interrupted else f"the run ended {cut}"
        found += [_not_tried(plan, reason) for plan in plans[len(found) :]]
    undecided = any(f.outcome.verdict is Verdict.UNDETERMINED for f in found) or not found
    outcome = Outcome(
        invocation,
        Proved(cut=cut if undecided else None, interrupted=interrupted, seconds=time.monotonic() - ready),
        {n: str(v) if isinstance(v, ValueRange) else encode(v) for n, v in symbolic.constants.items()},
        properties=tuple(f.outcome for f in found),
        startup_seconds=ready - started,
        not_asked={n: w for n, w in symbolic.not_asked.items() if n in {p.name for p in ir.properties}},
        proofs=tuple(f.note for f in found),
        notes=symbolic.notes,
    )
    return ProofRun(
        outcome,
        tuple(f.proof for f in found if f.proof is not None),
        {f.outcome.name: f.counterexample for f in found if f.counterexample is not None},
    )


def _instance(ir: ModelIR, symbolic: BoundModel, given: Mapping[str, Any]) -> dict[str, Any]:
    """The constants of a search before a proof: as given, the defaults, and the least of a range."""
    values = {}
    for constant in ir.constants:
        value = symbolic.constants[constant.name]
        is_range, has_default = isinstance(value, ValueRange), constant.default is not REQUIRED
        is_default = is_range and has_default and constant.name not in given
        values[constant.name] = constant.default if is_default else value.value(0) if is_range else value
    return values


def _fault_is_open(tried: Attempt) -> bool:
    """Whether a mistake in the text of an action cannot be excluded."""
    return isinstance(tried.answer, Stuck) and tried.answer.what == FAULT


def _chosen_lemmas(ir: ModelIR, names: Sequence[str] | None) -> tuple[str, ...]:
    known = [m.name for m in (*ir.lemmas, *(p for p in ir.properties if p.kind == kinds.INVARIANT))]
    for name in names or ():
        if name not in known:
            raise UsageError(f"{ir.name} has no lemma or invariant {name}.{nearest(name, known)}")
    return tuple(m.name for m in ir.lemmas) if names is None else tuple(names)


def _chosen(symbolic: BoundModel, names: Sequence[str] | None) -> tuple[str, ...]:
    provable = {p.name for p in symbolic.properties if p.kind.is_provable}
    chosen = choose_properties(symbolic, names)
    for name in () if names is None else chosen:
        if name not in provable:
            kind = next(p.kind for p in (*symbolic.ir.properties, *symbolic.ir.temporal) if p.name == name)
            claim = f"{name} is a {kind.title}"
            raise UsageError(f"{claim}: prove is for invariants and step properties. Use isrcheck check.")
    return tuple(name for name in chosen if name in provable)


def _finding(tried: Attempt, model_name: str) -> _Finding:
    plan, answer = tried.plan, tried.answer
    kind = next(p.kind for p in plan.ir.properties if p.name == plan.name)
    match answer:
        case InductiveProof():
            proved = PropertyOutcome(plan.name, kind, Verdict.HOLDS, "proved")
            return _Finding(proved, _note(tried, answer.k, ""), answer)
        case Broken():
            return _broken(tried, answer, kind, model_name)
        case GivenUp():
            note = _note(tried, answer.k, f"{answer.reason}; {answer.k - 1} steps from the start break nothing")
            return _Finding(_undetermined(plan.name, kind, answer.k - 1), note)
    trace = _trace_of(tried, answer, model_name)
    reason = _stuck(answer) + (f"; for k = {tried.given_up.k}, {tried.given_up.reason}" if tried.given_up else "")
    note = _note(tried, answer.k, reason, tuple(lemma.source for lemma in lemmas_excluding(tried)))
    return _Finding(_undetermined(plan.name, kind, answer.k), note, None, trace)


def _trace_of(tried: Attempt, answer: Stuck, model_name: str) -> Trace | None:
    """The counterexample to induction; None if z3 chose constants with which a state is too large to show."""
    try:
        return induction_trace(tried, answer, model_name)
    except ModelError:
        return None


def _not_tried(plan: ProofPlan, reason: str) -> _Finding:
    kind = next(p.kind for p in plan.ir.properties if p.name == plan.name)
    note = ProofNote(plan.name, 0, (), (), (), {}, {}, reason)
    return _Finding(_undetermined(plan.name, kind, 0), note)


def _undetermined(name: str, kind: PropertyKind, k: int) -> PropertyOutcome:
    """Nothing is broken in the first k - 1 steps, the base of a k-induction."""
    steps = max(0, k - 1) if kind.bounded_by_base else 0
    return PropertyOutcome(name, kind, Verdict.UNDETERMINED, f"bounded({steps})")


def _stuck(answer: Stuck) -> str:
    if answer.what == FAULT:
        return "a mistake in the text of an action cannot be excluded"
    steps = f"{answer.k} step{'s' if answer.k > 1 else ''}"
    return f"{answer.what} is not kept after {steps} from a state that may not be reachable"


def _broken(tried: Attempt, answer: Broken, kind: PropertyKind, model_name: str) -> _Finding:
    """A violation that the reference confirms; a cut system may go other ways."""
    plan, k = tried.plan, len(answer.path) + 1
    bound = bind(plan.ir, tried.symbolic.model.choose(answer.positions), slots=False)
    try:
        trace = replay(bound, plan.name, answer.path, model_name, "symbolic")
    except Disagreement:
        if not tried.is_cut:
            raise
        reason = f"without {', '.join(_others(tried))} it could be broken in {k - 1} steps, as the model cannot"
        return _Finding(_undetermined(plan.name, kind, k - 1), _note(tried, k, reason))
    found = PropertyOutcome(plan.name, kind, Verdict.VIOLATED, "replayed", trace)
    chosen = ", ".join(f"{n} = {literal(v)}" for n, v in bound.constants.items() if n in tried.symbolic.model.symbolic)
    return _Finding(found, _note(tried, k, f"it is violated{' with ' * bool(chosen)}{chosen}"))


def _others(tried: Attempt) -> tuple[str, ...]:
    return tuple(v.name for v in tried.plan.ir.variables if v.name not in tried.symbolic.model.domains)


def _note(tried: Attempt, k: int, reason: str, strengthen: tuple[str, ...] = ()) -> ProofNote:
    model = tried.symbolic.model
    return ProofNote(
        name=tried.plan.name,
        k=k,
        lemmas=tuple(LemmaNote(x.name, x.place, x.source) for x in tried.lemmas),
        variables=tuple(model.domains),
        others=_others(tried),
        open={n: str(choice) for n, choice in model.symbolic.items()},
        fixed={n: literal(v) for n, v in model.constants.items() if n not in model.symbolic},
        reason=reason,
        assumptions=tuple(assumption.name for assumption in tried.plan.ir.assumptions),
        dropped=tuple(stuck.what for stuck in tried.dropped),
        strengthen=strengthen,
    )
