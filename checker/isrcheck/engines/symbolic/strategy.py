"""How a property is proved: from the smallest system and the fewest lemmas up, until induction goes through.

First the variables that the property depends on through updates alone; then with the author's lemmas; then with all
that guards read; then longer inductions; then, if asked, lemmas found by search. Each system allows all behaviours of
the model and may allow more, so a proof of any of them is one of the model.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.symbolic.answers import Answer, Broken, GivenUp, Stuck
from isrcheck.engines.symbolic.houdini import plausible, search
from isrcheck.engines.symbolic.induction import Deadline, Unanswered, induct, lemmas_of
from isrcheck.engines.symbolic.layout import layout_lemma
from isrcheck.engines.symbolic.proof import InductiveProof, Lemma
from isrcheck.engines.symbolic.value_ranges import value_ranges
from isrcheck.ir.model import ModelIR
from isrcheck.passes.cone import Cut
from isrcheck.passes.symbolic import SymbolicSystem, bind_symbolic, lower_symbolic


@dataclass(frozen=True)
class ProofPlan:
    """One property to prove: the constants given, the lemmas allowed, the longest induction, whether to search."""

    ir: ModelIR
    given: Mapping[str, Any]
    name: str
    lemmas: tuple[str, ...]
    most: int
    search: bool = False
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Attempt:
    """How a property came out, in which system, and which lemmas were left out since they are not kept themselves."""

    plan: ProofPlan
    symbolic: SymbolicSystem
    answer: Answer
    lemmas: tuple[Lemma, ...]
    dropped: tuple[Stuck, ...] = ()
    given_up: GivenUp | None = None  # why nothing larger was tried

    @property
    def is_cut(self) -> bool:
        """Whether the system may do more than the model."""
        return len(self.symbolic.model.domains) < len(self.plan.ir.variables)


def attempt(plan: ProofPlan, deadline: Deadline) -> Attempt:
    """The best that can be said: a proof; else how far it got in the largest system that z3 could answer for."""
    best: Attempt | None = None
    for lemmas, guards, least, most in _rungs(plan):
        after = _with_sound_lemmas(plan, lemmas, guards, least, most, deadline)
        if isinstance(after.answer, InductiveProof):
            return _smallest(after, deadline)
        if best is None or not isinstance(after.answer, GivenUp):
            best = after
        else:
            best = replace(best, given_up=after.answer)
            break
        if isinstance(after.answer, Broken) and not after.is_cut:
            return after
    assert best is not None
    return _searched(best, deadline) if plan.search and isinstance(best.answer, Stuck) else best


def _rungs(plan: ProofPlan) -> Iterator[tuple[tuple[str, ...], bool, int, int]]:
    """(lemmas, whether guards count, the shortest induction, the longest), each larger than the one before."""
    yield (), False, 1, 1
    if plan.lemmas:
        yield plan.lemmas, False, 1, 1
    yield plan.lemmas, True, 1, 1
    if plan.most > 1:
        yield plan.lemmas, True, 2, plan.most


def _with_sound_lemmas(
    plan: ProofPlan, names: Sequence[str], guards: bool, least: int, most: int, deadline: Deadline
) -> Attempt:
    """Tries with these lemmas, less those that turn out not to be kept."""
    symbolic = system_for(plan, names, guards)
    lemmas = (*layout_lemma(symbolic), *lemmas_of(symbolic, [n for n in names if n != plan.name]))
    dropped: list[Stuck] = []
    while True:
        answer = induct(symbolic, plan.name, lemmas, most, deadline, least)
        wrong = [x for x in lemmas if isinstance(answer, Stuck) and x.name == answer.what]
        if not wrong:
            return Attempt(plan, symbolic, answer, lemmas, tuple(dropped))
        assert isinstance(answer, Stuck)
        dropped.append(answer)
        lemmas = tuple(x for x in lemmas if x not in wrong)


def system_for(plan: ProofPlan, lemmas: Sequence[str], guards: bool) -> SymbolicSystem:
    """The system in which a property is proved with these lemmas. Raises UsageError or ModelError."""
    ir = plan.ir.asking((plan.name, *lemmas))
    cut = Cut((plan.name, *lemmas), guards)
    return lower_symbolic(bind_symbolic(ir, value_ranges(ir, plan.given, cut), cut))


def _smallest(found: Attempt, deadline: Deadline) -> Attempt:
    """The proof with as few lemmas as will do, in the system that these need."""
    assert isinstance(found.answer, InductiveProof)
    lemmas, k = found.lemmas, found.answer.k
    for lemma in found.lemmas:
        fewer = tuple(x for x in lemmas if x is not lemma)
        if isinstance(induct(found.symbolic, found.plan.name, fewer, k, deadline, k), InductiveProof):
            lemmas = fewer
    if lemmas == found.lemmas:
        return found
    names = [lemma.name for lemma in lemmas]
    again = _with_sound_lemmas(found.plan, names, False, k, k, deadline)
    if isinstance(again.answer, InductiveProof):
        return replace(again, dropped=found.dropped)
    return replace(found, answer=replace(found.answer, lemmas=lemmas), lemmas=lemmas)


def _searched(found: Attempt, deadline: Deadline) -> Attempt:
    """The same with lemmas from a search, if they help."""
    try:
        more = search(found.symbolic, found.lemmas, plausible(found.symbolic, found.plan.seed), deadline)
    except Unanswered as error:
        return replace(found, answer=GivenUp(f"in the search for lemmas, {error}", 1))
    lemmas = (*found.lemmas, *more)
    answer = induct(found.symbolic, found.plan.name, lemmas, found.plan.most, deadline)
    if not isinstance(answer, InductiveProof):
        return replace(found, answer=answer, lemmas=lemmas)
    return _fewer_found(replace(found, answer=answer, lemmas=lemmas), deadline)


def _fewer_found(found: Attempt, deadline: Deadline) -> Attempt:
    """The proof without lemmas that it does not need, in the same system; halves first, then one by one."""
    assert isinstance(found.answer, InductiveProof)
    proof = found.answer
    lemmas = sorted(found.lemmas, key=lambda lemma: -len(lemma.text))  # what is long to say goes first
    size = max(1, len(lemmas) // 2)
    while size:
        start = 0
        while start < len(lemmas):
            fewer = lemmas[:start] + lemmas[start + size :]
            answer = induct(found.symbolic, found.plan.name, fewer, proof.k, deadline, proof.k)
            if isinstance(answer, InductiveProof):
                proof, lemmas = answer, fewer
            else:
                start += size
        size //= 2
    return replace(found, answer=proof, lemmas=proof.lemmas)


def excluding(found: Attempt) -> tuple[Lemma, ...]:
    """What would exclude a counterexample to induction: plausible candidates that are false where it begins."""
    assert isinstance(found.answer, Stuck)
    values = Values(found.answer.states[0])
    candidates = [c for c in plausible(found.symbolic, found.plan.seed) if not values.of(c.node)]
    whole = tuple(c.text.removesuffix(")") + " if " for c in candidates)  # the same of some members says less
    return tuple(c for c in candidates if not c.text.startswith(whole))
