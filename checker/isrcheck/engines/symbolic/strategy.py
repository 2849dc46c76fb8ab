"""How a property is proved: from the smallest system and the fewest lemmas up, until induction goes through.

First what the property depends on through updates; then the author's lemmas; then all that guards read; then longer
inductions; then lemmas found by search. Each system allows all behaviours of the model, and perhaps more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.symbolic.induction import Unanswered, induct, lemmas_of, plausible, search
from isrcheck.engines.symbolic.pool import layout_lemma
from isrcheck.engines.symbolic.proof import Answer, Broken, GivenUp, InductiveProof, Lemma, Stuck
from isrcheck.ir.domains import BOOL, Domain, EnumDomain, IntDomain, SequenceDomain, names_in_bound, value_domains
from isrcheck.ir.frozen import replace
from isrcheck.ir.interval import OneOf, Span, ValueRange
from isrcheck.ir.model import ConstantIR, ModelIR
from isrcheck.lang.declare import Each
from isrcheck.passes.cone import Cut, cone
from isrcheck.passes.constant_folding import ConstantFolder
from isrcheck.passes.symbolic import SymbolicSystem, bind_symbolic, lower_symbolic, shape_constants, with_constants


def value_ranges(ir: ModelIR, given: Mapping[str, Any], cut: Cut) -> dict[str, Any]:
    """The constants given, and others symbolic where they can be.

    Those that shape the state keep their defaults, and those that bound a kept sequence's length. A bound of a variable
    that does not begin at 0 begins at its default.
    """
    closed = shape_constants(ir).keys() | given.keys()
    constants = {**given, **_values(ir, closed)}
    kept = cone(ir, ConstantFolder(with_constants(ir, constants)), cut)
    lengths = {n for v in ir.variables if v.name in kept for n in _in_bounds(v.domain, SequenceDomain)}
    return {**given, **_values(ir, closed | lengths)}


def _values(ir: ModelIR, closed: set[str]) -> dict[str, ValueRange]:
    begun = {n for v in ir.variables if _is_positive(v.initial) for n in _in_bounds(v.domain, IntDomain)}
    values = ((c.name, _every(c, c.name in begun)) for c in ir.constants if c.name not in closed)
    return {name: value for name, value in values if value is not None}


def _every(constant: ConstantIR, from_default: bool) -> ValueRange | None:
    """All values of a constant; None if it has one only, or no lower end."""
    if isinstance(constant.domain, EnumDomain):
        return OneOf(constant.domain.members) if len(constant.domain.members) > 1 else None
    if constant.domain == BOOL:
        return OneOf((False, True))
    low = constant.default if from_default else constant.at_least
    if type(low) is not int:
        return None
    return Span(low) if constant.at_most is None else Span(low, constant.at_most)


def _is_positive(value: Any) -> bool:
    if isinstance(value, Each):
        return _is_positive(value.value)
    if isinstance(value, tuple):
        return any(map(_is_positive, value))
    return type(value) is int and value > 0


def _in_bounds(domain: Domain, kind: type) -> Iterator[str]:
    return (name for each in value_domains(domain) if isinstance(each, kind) for name in names_in_bound(each))


@dataclass(frozen=True)
class ProofPlan:
    """`most`: the longest induction."""

    ir: ModelIR
    given: Mapping[str, Any]
    name: str
    lemmas: tuple[str, ...]
    most: int
    search: bool = False
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Attempt:
    """How a property came out, in which system, and which lemmas are not kept."""

    plan: ProofPlan
    symbolic: SymbolicSystem
    answer: Answer
    lemmas: tuple[Lemma, ...]
    dropped: tuple[Stuck, ...] = ()
    given_up: GivenUp | None = None  # why nothing larger was tried

    @property
    def is_cut(self) -> bool:
        return len(self.symbolic.model.domains) < len(self.plan.ir.variables)


def attempt(plan: ProofPlan) -> Attempt:
    best: Attempt | None = None
    for lemmas, guards, least, most in _rungs(plan):
        after = _with_sound_lemmas(plan, lemmas, guards, least, most)
        if isinstance(after.answer, InductiveProof):
            return _smallest(after)
        if best is None or not isinstance(after.answer, GivenUp):
            best = after
        else:
            best = replace(best, given_up=after.answer)
            break
        if isinstance(after.answer, Broken) and not after.is_cut:
            return after
    assert best is not None
    return _search_lemmas(best) if plan.search and isinstance(best.answer, Stuck) else best


def _rungs(plan: ProofPlan) -> Iterator[tuple[tuple[str, ...], bool, int, int]]:
    """(lemmas, guards, least k, most k)."""
    yield (), False, 1, 1
    if plan.lemmas:
        yield plan.lemmas, False, 1, 1
    yield plan.lemmas, True, 1, 1
    if plan.most > 1:
        yield plan.lemmas, True, 2, plan.most


def _with_sound_lemmas(plan: ProofPlan, names: Sequence[str], guards: bool, least: int, most: int) -> Attempt:
    symbolic = system_for(plan, names, guards)
    lemmas = (*layout_lemma(symbolic), *lemmas_of(symbolic, [n for n in names if n != plan.name]))
    dropped: list[Stuck] = []
    while True:
        answer = induct(symbolic, plan.name, lemmas, most, least)
        wrong = [x for x in lemmas if isinstance(answer, Stuck) and x.name == answer.what]
        if not wrong:
            return Attempt(plan, symbolic, answer, lemmas, tuple(dropped))
        assert isinstance(answer, Stuck)
        dropped.append(answer)
        lemmas = tuple(x for x in lemmas if x not in wrong)


def system_for(plan: ProofPlan, lemmas: Sequence[str], guards: bool) -> SymbolicSystem:
    ir = plan.ir.with_lemmas((plan.name, *lemmas))
    cut = Cut((plan.name, *lemmas), guards)
    return lower_symbolic(bind_symbolic(ir, value_ranges(ir, plan.given, cut), cut))


def _smallest(attempt: Attempt) -> Attempt:
    proof = _without_needless(attempt, attempt.lemmas, 1)
    kept = proof.lemmas
    if len(kept) == len(attempt.lemmas):
        return attempt
    names = [lemma.name for lemma in kept]
    again = _with_sound_lemmas(attempt.plan, names, False, proof.k, proof.k)
    if isinstance(again.answer, InductiveProof):
        return replace(again, dropped=attempt.dropped)
    return replace(attempt, answer=proof, lemmas=kept)


def _search_lemmas(attempt: Attempt) -> Attempt:
    try:
        more = search(attempt.symbolic, attempt.lemmas, plausible(attempt.symbolic, attempt.plan.seed))
    except Unanswered as error:
        return replace(attempt, answer=GivenUp(f"in the search for lemmas, {error}", 1))
    lemmas = (*attempt.lemmas, *more)
    answer = induct(attempt.symbolic, attempt.plan.name, lemmas, attempt.plan.most)
    attempt = replace(attempt, answer=answer, lemmas=lemmas)
    if not isinstance(answer, InductiveProof):
        return attempt
    longest_first = tuple(sorted(lemmas, key=lambda lemma: -len(lemma.source)))  # hard to read
    proof = _without_needless(attempt, longest_first, max(1, len(lemmas) // 2))
    return replace(attempt, answer=proof, lemmas=proof.lemmas)


def _without_needless(attempt: Attempt, lemmas: tuple[Lemma, ...], size: int) -> InductiveProof:
    """Drops needless lemmas by halves."""
    assert isinstance(attempt.answer, InductiveProof)
    proof = attempt.answer
    while size:
        start = 0
        while start < len(lemmas):
            fewer = lemmas[:start] + lemmas[start + size :]
            answer = induct(attempt.symbolic, attempt.plan.name, fewer, proof.k, proof.k)
            if isinstance(answer, InductiveProof):
                proof, lemmas = answer, fewer
            else:
                start += size
        size //= 2
    return proof


def lemmas_excluding(attempt: Attempt) -> tuple[Lemma, ...]:
    """Candidates false at its start."""
    assert isinstance(attempt.answer, Stuck)
    values = Values(attempt.answer.states[0])
    candidates = [c for c in plausible(attempt.symbolic, attempt.plan.seed) if not values.of(c.node)]
    beginnings = tuple(c.source.removesuffix(")") + " if " for c in candidates)  # of some: says less
    return tuple(c for c in candidates if not c.source.startswith(beginnings))
