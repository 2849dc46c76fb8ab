"""Proofs over the relational system: what has to be unsatisfiable, and what z3 and cvc5 say.

`start L`: the initial state, and not L, for each lemma L. `keep L by A`: a state in which all lemmas hold, a step by A,
and not L after it. `fault A`: a state in which all lemmas hold, and a mistake in the text of A. `fault initially`: that
a number begins below 0. `P initially` and `P by A`: the same as of lemmas, of the property, which is assumed before the
step if it is of states.
"""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method, ModelIR, Property
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.script import LEMMA, Labelled, script
from isrcheck.proofs.relational.system import ActionStep, RelationalSystem
from isrcheck.proofs.relational.terms import Logic, Symbol
from isrcheck.proofs.solvers import REFUTED, SOLVERS, UNKNOWN, ask_solver

_CORE_PATIENCE = {"z3": 0.5, "cvc5": 2.0}  # seconds: all but 8 of the 178 obligations of KIP-320 are refuted in them
# Seconds of the first try, and how many times more the next has: 9 of 10 end in the first.
FIRST_PATIENCE, _MORE = 0.5, 4
# Seconds up to which an obligation is tried as a whole: with more, the two of KIP-320 that need cases lose 30.
_UNDIVIDED = 2.0


@dataclass(frozen=True, eq=False)
class Refutable:
    """Formulas that are not to be true together."""

    name: str
    asserted: tuple[Labelled, ...]
    claim: Logic = t.FALSE  # that does not follow from what is asserted
    arguments: tuple[Logic, ...] = ()  # of the step
    of: str = ""  # the lemma or property
    by: str = ""  # the action

    def smtlib(self, cores: bool = False) -> str:
        """The obligation as SMT-LIB; with `cores` there are names by which a solver says which lemmas refute it."""
        return script((*self.asserted, (f"not {self.name}", t.not_(self.claim))), cores)

    @property
    def lemmas(self) -> frozenset[str]:
        """The names of the lemmas that it assumes."""
        return frozenset(label.removeprefix(LEMMA) for label, _ in self.asserted if label.startswith(LEMMA))

    def with_lemmas(self, lemmas: Collection[str]) -> "Refutable":
        """The obligation that assumes only these lemmas."""
        labels = {f"{LEMMA}{name}" for name in self.lemmas - {*lemmas}}
        return replace(self, asserted=tuple(each for each in self.asserted if each[0] not in labels))

    @property
    def cases(self) -> Iterator[str]:
        """Yield the obligation in cases: each conjunct, and whether its variables are the arguments of the step."""
        for conjunct in self.claim.args if self.claim.op == "and" else (self.claim,):
            variables = conjunct.value if conjunct.op == "forall" else ()
            named = ((x, f"some {t.hint(x)} {i}") for i, x in enumerate(variables))
            somebody = {x: Symbol(name, (), x.sort, "argument")() for x, name in named}
            wrong = t.not_(t.substitute(conjunct.args[0], somebody) if variables else conjunct)
            first = {argument.sort: argument for argument in reversed(self.arguments) if argument.sort != t.INT}
            alike = [t.eq(one, first[one.sort]) for one in somebody.values() if one.sort in first]
            for case in product(*((same, t.not_(same)) for same in alike)):
                yield script((*self.asserted, ("a case", t.and_(*case)), (f"not {self.name}", wrong)))


@dataclass(frozen=True)
class SolverAnswer:
    """The answer of a solver to an obligation, and the seconds that it took."""

    obligation: Refutable
    answer: str
    solver: str
    seconds: float
    in_cases: bool = False  # what is answered is each of its cases
    lemmas: frozenset[str] = frozenset()  # that refute it


class Obligations:
    """The obligations of one system with these lemmas."""

    def __init__(self, system: RelationalSystem, lemmas: Sequence[Method]) -> None:
        self.system, self.lemmas = system, lemmas
        self.always: tuple[Labelled, ...] = (
            ("the constants are as the assumptions ask", system.assumptions()),
            ("sorts are empty where their size is 0", system.sort_population()),
            ("sorts have the sizes that are given", system.sort_sizes()),
            ("numbers in sets are not negative", system.natural(system.state)),
        )
        hold = ((f"{LEMMA}{lemma.name}", system.claim(lemma, system.state).sound) for lemma in lemmas)
        inside = ("what is read of bounds is kept", system.inside(system.state))
        self.somewhere = (*self.always, inside, *hold)

    def of_lemmas(self) -> Iterator[Refutable]:
        for lemma in self.lemmas:
            yield self._start(f"start {lemma.name}", lemma, ())
        for step in self.system.steps:
            for lemma in self.lemmas:
                yield from self._keep(f"keep {lemma.name} by {step.action.name}", lemma, step, ())
        if (below := t.not_(self.system.natural(self.system.initial))) is not t.FALSE:
            yield Refutable("fault initially", (*self.always, ("a number begins below 0", below)))
        for step in self.system.steps:
            wrong = t.or_(*(fault.condition for fault in step.faults))
            if wrong is not t.FALSE:
                taken = ("the arguments are within bounds", step.such)
                asserted = (*self.somewhere, taken, ("its text goes wrong", wrong))
                yield Refutable(f"fault {step.action.name}", asserted, by=step.action.name)

    def instance(self, name: str) -> Refutable:
        """The claim that a property is asked of some instance: if it is refuted, a proof is of nothing."""
        asked = ("the property is asked", self.system.applicability(name))
        begins = (
            "the initial state is within bounds",
            self.system.inside(self.system.initial, self.system.every_bound),
        )
        return Refutable("instance", (*self.always, asked, begins))

    def of_property(self, method: Property) -> Iterator[Refutable]:
        asked: tuple[Labelled, ...] = (("the property is asked", self.system.applicability(method.name)),)
        if not method.kind.is_of_steps:
            yield self._start(f"{method.name} initially", method, asked)
            held = self.system.claim(method, self.system.state).sound
            asked = (*asked, (f"{method.name} before the step", held))
        for step in self.system.steps:
            yield from self._keep(f"{method.name} by {step.action.name}", method, step, asked)

    def _start(self, name: str, method: Method, more: tuple[Labelled, ...]) -> Refutable:
        started = ("the state is the initial one", self.system.started)
        claim = self.system.claim(method, self.system.state).sound
        return Refutable(name, (*self.always, *more, started), claim, of=method.name)

    def _keep(self, name: str, method: Method, step: ActionStep, more: tuple[Labelled, ...]) -> Iterator[Refutable]:
        """Yield the obligation that a step keeps a claim; none if the step changes nothing that the claim reads."""
        before: Logic | None = None
        if not method.before:
            before = self.system.claim(method, self.system.state).sound
        after = self.system.claim(method, step.after, step).sound
        if before is not None and t.alpha_key(before) == t.alpha_key(after):
            return
        taken = (
            ("the arguments are within bounds", step.such),
            (f"{step.action.name} can be taken", step.guard),
            ("what is read of bounds is kept by the step", step.kept),
        )
        arguments = tuple(value.term for value in step.arguments.values() if isinstance(value, v.Atom))
        yield Refutable(name, (*self.somewhere, *more, *taken), after, arguments, method.name, step.action.name)


def without_constraints(ir: ModelIR) -> ModelIR:
    """The model without constraints: a proof is true beyond them, too."""
    return replace(ir, constraints=())


def answer(obligation: Refutable, patience: float) -> SolverAnswer:
    """Ask for a core first; then all solvers in turn for the whole; then for its cases. Raises OutOfBudget."""
    began = time.monotonic()
    for solver, seconds in _CORE_PATIENCE.items():
        said, labels = ask_solver(SOLVERS[solver], obligation.smtlib(cores=True), seconds)
        if said != UNKNOWN:
            lemmas = frozenset(label.removeprefix(LEMMA) for label in labels)
            return SolverAnswer(obligation, said, solver, time.monotonic() - began, lemmas=lemmas)
    said, solver = _of_any(obligation.smtlib(), min(_UNDIVIDED, patience))
    is_undivided = said != UNKNOWN
    if not is_undivided:
        for case in obligation.cases:
            said, solver = _of_any(case, patience)
            if said != REFUTED:
                break
    return SolverAnswer(obligation, said, solver, time.monotonic() - began, not is_undivided, obligation.lemmas)


def _of_any(script_text: str, patience: float) -> tuple[str, str]:
    """An answer and whose it is. Each solver has more time in each round."""
    allowed = FIRST_PATIENCE
    while allowed <= patience:
        for solver, run in SOLVERS.items():
            said, _ = ask_solver(run, script_text, allowed)
            if said != UNKNOWN:
                return said, solver
        allowed *= _MORE
    return UNKNOWN, ""
