"""A counterexample to an obligation for any size, at small sizes: a state and a step that the author's methods confirm.

z3 is asked the same obligation with every constant fixed and every bound kept. What it answers is read as a state of
the model and walked: lemmas hold before, the step is one of the model, and what was to be kept is false after it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from isrcheck.engines.symbolic.unroll import ask
from isrcheck.ir.codec import Above, Outside
from isrcheck.ir.domains import IntDomain, bound, bound_names
from isrcheck.ir.model import ConstantIR, Method, ModelIR, Property
from isrcheck.ir.scalar import quote
from isrcheck.lang.declare import REQUIRED
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.subject import State, Subject
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constants import members_of
from isrcheck.process.budget import current, phase, poll_memory
from isrcheck.proofs.obligations import Obligations, Refutable
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational.system import ActionStep, RelationalSystem
from isrcheck.proofs.relational.terms import Symbol
from isrcheck.proofs.stepper import Evaluated, Interpretation, Unconstrained

_PATIENCE = 5.0  # seconds for each choice of constants: where z3 answers at all, it does in less than 1


@dataclass(frozen=True, eq=False)
class Counterexample:
    """A state that is not known to be reachable; of a step where it leads, or the error that it raises there."""

    subject: Subject
    before: State
    position: int | None = None  # of the step among the subject's
    after: State | None = None


def counterexample(
    ir: ModelIR, given: Mapping[str, Any], lemmas: Sequence[Method], asked: Property, broken: Refutable
) -> Counterexample | None:
    """A counterexample at small sizes; None if z3 has none that the author's methods confirm. Raises OutOfBudget."""
    for constants in _choices(ir, given):
        phase(f"looking for a counterexample to {broken.name}")
        system = RelationalSystem(ir, constants, bounded=True)
        obligations = Obligations(system, lemmas)
        every = (*obligations.of_lemmas(), *obligations.of_property(asked))
        for same in (each for each in every if each.name == broken.name):
            model = _find_model(same.smtlib())
            if model is None:
                continue
            subject = Subject(ir, constants)
            example = _Reading(bind(ir, constants, slots=False), model).read_counterexample(
                system, same, lemmas, subject
            )
            if example is not None:
                return example
    return None


def _choices(ir: ModelIR, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the constants to try: the defaults, then each number one larger."""
    for more in (0, 1):
        constants = {c.name: given[c.name] if c.name in given else _value(c, more) for c in ir.constants}
        if _is_instance(ir, constants):
            yield constants


def small_constants(ir: ModelIR, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The defaults, and each with another value in one place: one more, another choice, the smallest sort."""
    defaults = {c.name: given[c.name] if c.name in given else _value(c, 0) for c in ir.constants}
    free = [c for c in ir.constants if c.name not in given]
    others = [(c.name, value) for c in free for value in _others(c, defaults[c.name])]
    sized = frozenset[str]().union(*(bound_names(str(sort.size)) for sort in ir.sorts))
    others += [(c.name, c.at_least) for c in free if c.name in sized and c.at_least not in (None, defaults[c.name])]
    for constants in (defaults, *({**defaults, name: value} for name, value in others)):
        if _is_instance(ir, constants):
            yield constants


def _is_instance(ir: ModelIR, constants: dict[str, Any]) -> bool:
    """Whether the model's assumptions and the bounds of its sorts allow these constants."""
    try:
        return Subject(ir, constants, ()).agrees(ir.assumptions)
    except ValueError:  # the size of a sort would be below 0
        return False


def _others(constant: ConstantIR, value: Any) -> list[Any]:
    if isinstance(constant.domain, IntDomain):
        more = _value(constant, 1)
        return [more] if more != value else []
    return [member for member in members_of(constant.domain) if member != value]


def _value(constant: ConstantIR, more: int) -> Any:
    if not isinstance(constant.domain, IntDomain):
        return members_of(constant.domain)[0] if constant.default is REQUIRED else constant.default
    value = (constant.at_least or 0) + 1 if constant.default is REQUIRED else constant.default
    return value + more if constant.at_most is None else min(value + more, constant.at_most)


def _find_model(script: str) -> z3.ModelRef | None:
    solver, left = z3.Solver(), current().left
    solver.set("ctrl_c", False)
    solver.set("timeout", max(1, int(1000 * (_PATIENCE if left is None else min(left, _PATIENCE)))))
    solver.from_string(script)
    return solver.model() if ask(solver, poll_memory) == z3.sat else None


class _Reading(Interpretation):
    """A model of z3's as values of CPython."""

    def __init__(self, bound_model: BoundModel, z3_model: z3.ModelRef) -> None:
        super().__init__(bound_model)
        self.found_model = z3_model
        self.declared = {str(each.name()): each for each in z3_model.decls()}
        self.universe = {str(sort.name()): list(z3_model.get_universe(sort) or ()) for sort in z3_model.sorts()}
        self.sets = {name: self._sets(name) for name in self.universe if name.startswith("set of ")}

    def _sets(self, name: str) -> list[frozenset[int]]:
        """The members of each element of a sort of sets."""
        of, member = self.universe.get(name.removeprefix("set of "), []), self.declared.get(f"in {name}")
        if member is None:
            return [frozenset() for _ in self.universe[name]]
        holds = self.found_model.eval
        return [
            frozenset(i for i, one in enumerate(of) if z3.is_true(holds(member(one, each), model_completion=True)))
            for each in self.universe[name]
        ]

    def _meaning(self, symbol: Symbol) -> Evaluated:
        if symbol.role not in ("state", "argument"):
            return super()._meaning(symbol)
        declared = self.declared.get(quote(symbol.name)[1:-1])
        return lambda *given: self._read(symbol, declared, given)

    def _read(self, symbol: Symbol, declared: z3.FuncDeclRef | None, given: Sequence[Any]) -> Any:
        if declared is None:
            first = frozenset[int]() if symbol.sort.startswith("set of ") else 0
            return {t.INT: symbol.low or 0, t.BOOL: False}.get(symbol.sort, first)
        arguments = [self._term(value, sort) for value, sort in zip(given, symbol.domain, strict=True)]
        if None in arguments:
            return False  # it is about a set that the model of z3's does not have
        answer = self.found_model.eval(declared(*arguments), model_completion=True)
        if symbol.sort == t.INT:
            return answer.as_long()
        if symbol.sort == t.BOOL:
            return z3.is_true(answer)
        place = next(i for i, one in enumerate(self.universe[symbol.sort]) if one.eq(answer))
        return self.sets[symbol.sort][place] if symbol.sort in self.sets else place

    def _term(self, value: Any, sort: str) -> z3.ExprRef | None:
        if sort == t.INT:
            return z3.IntVal(value)
        if sort == t.BOOL:
            return z3.BoolVal(value)
        if sort in self.sets:
            return next(
                (one for one, of in zip(self.universe[sort], self.sets[sort], strict=True) if of == value), None
            )
        return self.universe[sort][value]

    def read_counterexample(
        self, system: RelationalSystem, broken: Refutable, lemmas: Sequence[Method], subject: Subject
    ) -> Counterexample | None:
        """The counterexample of a z3 model, if the author's methods agree; else None."""
        step = next((each for each in system.steps if each.action.name == broken.by), None)
        with with_sort_sizes(self.model.sizes):
            try:
                values = {n: self.builder(system.state[n], of)() for n, of in self.model.domains.items()}
                before = subject.flat(values)
                position = None if step is None else self._position(subject, step)
            except (Above, Outside, Unconstrained, ValueError, IndexError):
                return None
            return confirm(subject, before, position, broken, [lemma.name for lemma in lemmas])

    def _position(self, subject: Subject, step: ActionStep) -> int:
        """The position of a step's instance. Raises ValueError if a bound excludes its arguments."""
        domains = {p.name: bound(p.domain, self.model.constants) for p in step.action.parameters}
        given = tuple(self.builder(step.arguments[name], of)() for name, of in domains.items())
        return [(action.name, each) for action, each in subject.instances].index((step.action.name, given))


def confirm(
    subject: Subject, before: State, position: int | None, broken: Refutable, lemmas: Sequence[str]
) -> Counterexample | None:
    """The counterexample, if the author's methods break the claim there; None if they keep it, or exclude the step."""
    if position is None:
        is_broken = before == subject.initial() and not subject.judge(broken.of, before)
        return Counterexample(subject, before) if is_broken else None
    after = dict(subject.steps(before)).get(position)
    if not all(subject.judge(name, before) for name in lemmas):
        return None
    if isinstance(after, Exception):
        return None if broken.of else Counterexample(subject, before, position)
    if after is None or not broken.of:
        return None
    is_of_steps = subject.roles[broken.of].kind.is_of_steps
    if is_of_steps and subject.judge(broken.of, after, before, position):
        return None
    if not is_of_steps and (subject.judge(broken.of, after) or not subject.judge(broken.of, before)):
        return None
    return Counterexample(subject, before, position, after)
