"""The search for vacuity: what a complete graph never exercised."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import structs

from isrcheck.engines.contract import FoundFault, Limits, Request, Searched
from isrcheck.engines.registry import engine
from isrcheck.errors import ModelError
from isrcheck.ir import nodes
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method, Property, TemporalOperator, TemporalProperty, as_invariant
from isrcheck.ir.nodes import Comprehension, Expression, Gathering, Let, Not, Operation, Operator, Require, walk
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.choices import Ground
from isrcheck.passes.constant_folding import ConstantFolder
from isrcheck.passes.inline import Inliner
from isrcheck.passes.update import ASKED, HELD, REFUSED, claim
from isrcheck.place import Place, source_line
from isrcheck.process.budget import OutOfBudget, budget, phase
from isrcheck.process.interrupt import forget
from isrcheck.run.parts import BY_THE_USER, CaseStatus, Vacuity, VacuityCandidate, candidate_of

_MOST_EVALUATED = 200_000  # instances in states: half a second


def find_vacuity(
    model: BoundModel, searched: Searched, limits: Limits, asked: Collection[str], seconds: float | None = None
) -> Vacuity:
    """Find the vacuity of a complete graph, without claims that were `asked`. `cut` says what ended it."""
    if not searched.complete:
        return Vacuity()
    if searched.interrupted:
        return Vacuity(cut=BY_THE_USER)
    search = _VacuitySearch(model, searched, limits)
    try:
        phase("looking for vacuity")
        search.prepare(asked)
        with budget(seconds):
            search.search()
    except (KeyboardInterrupt, OutOfBudget, Exception) as end:
        search.cut = _why(end)
    if search.cut == BY_THE_USER:
        forget()
    return search.answer()


def _why(end: BaseException) -> str:
    match end:
        case KeyboardInterrupt():
            return BY_THE_USER
        case OutOfBudget():
            return str(end)
        case MemoryError():
            return "for lack of memory"
    return f"at a fault of isrcheck ({type(end).__name__}: {end})"


class _VacuitySearch:
    """One search for vacuity under way."""

    def __init__(self, model: BoundModel, searched: Searched, limits: Limits) -> None:
        self._model = model
        self._searched = searched
        self._limits = limits
        counts = list(zip(model.ir.actions, searched.action_generated, strict=True))
        self._taken = [action for action, times in counts if times]
        self._dead = [action for action, times in counts if not times and action.name not in model.not_asked]
        self._parts: dict[str, VacuityCandidate] | None = None  # by claim
        self._guards: list[tuple[Method, Place]] = []  # of dead actions
        self._watched = model
        self._result: Searched | None = None
        self._names: tuple[str, ...] = ()  # of the claims that the last search asked
        self.cut: str | None = None

    def prepare(self, asked: Collection[str]) -> None:
        antecedents = {p.name: p for method in self._model.properties for p in _antecedents(self._model, method)}
        antecedents |= {p.name: p for method in self._model.temporal for p in _premises(self._model, method)}
        self._parts = _candidates(self._model, self._taken, antecedents.values(), asked)
        self._guards = [(a, place) for a in self._dead for place in {g.at: g for g in _requires(self._model, a)}]
        ir = self._model.ir
        self._watched = replace(
            self._model,
            ir=replace(ir, properties=(*ir.properties, *antecedents.values())),
            watched=frozenset(action.name for action in (*self._taken, *self._dead)),
        )

    def search(self) -> None:
        """Search for a case of every candidate.

        An antecedent or a claim may have no value where the run had no fault: then the others are looked at alone.
        """
        asking = {n: p for n, p in (self._parts or {}).items() if p.status is not CaseStatus.CONSTANT}
        guards = tuple(claim(kind, action.name, place) for action, place in self._guards for kind in (ASKED, HELD))
        for kinds in (("guard", "claim", "antecedent"), ("guard", "claim"), ("guard",)):
            self._names = guards + tuple(name for name, candidate in asking.items() if candidate.kind in kinds)
            if not self._names:
                return
            request = Request(properties=self._names, limits=self._limits, stories=False)
            try:
                self._result = engine(self._engine).search(self._watched, request)
            except (FoundFault, ModelError):
                self.cut = "at an error in the model that only the search for vacuity meets"
                continue
            is_decided = len(self._result.paths) == len(self._names)
            self.cut = None if self._result.complete or is_decided else self._result.cut
            return

    @property
    def _engine(self) -> str:
        """A small graph is not compiled."""
        each = len(Ground(self._model)) + len(self._names)
        return "evaluator" if self._searched.distinct * each <= _MOST_EVALUATED else "native"

    def answer(self) -> Vacuity:
        candidates = (
            None
            if self._parts is None
            else tuple(self._with_status(name, candidate) for name, candidate in self._parts.items())
        )
        return Vacuity(candidates, tuple(self._never_held()), self.cut)

    def _with_status(self, name: str, candidate: VacuityCandidate) -> VacuityCandidate:
        if candidate.status is CaseStatus.CONSTANT:
            return candidate
        if self._result is None or name not in self._names:
            return replace(candidate, status=CaseStatus.CUT)
        left = CaseStatus.VACUOUS if self._result.complete else CaseStatus.CUT
        return replace(candidate, status=CaseStatus.CASE if name in self._result.paths else left)

    def _never_held(self) -> Iterator[str]:
        result = self._result
        for action, place in self._guards:
            asked, held = (claim(kind, action.name, place) for kind in (ASKED, HELD))
            if result is not None and result.complete and asked in result.paths and held not in result.paths:
                yield f"{place}  {source_line(place.file, place.line).strip()}"


def guards_of_state(model: BoundModel, action: Method) -> list[Place]:
    """An action's guards that constants and parameters alone do not decide."""
    body = Inliner(model.ir).method(action)
    of_state = _names_of_state(body)
    reads = (p for p in walk(body) if isinstance(p, Require) and _reads_state(p.condition, of_state))
    return list(dict.fromkeys(guard.at for guard in reads))


def is_switched_off(model: BoundModel, action: Method) -> bool:
    """Whether the constants make a guard false that an action asks on every way."""
    folder, body = ConstantFolder(model), Inliner(model.ir).method(action)
    return any(folder.outcome(p.condition, {}) is False for p in body if isinstance(p, Require))


def _names_of_state(body: tuple[nodes.Statement, ...]) -> frozenset[str]:
    """The local names whose values may depend on the state."""
    names: frozenset[str] = frozenset()
    while True:
        reading = (p for p in walk(body) if isinstance(p, nodes.Assign) and _reads_state(p.values, names))
        more = names.union(target for each in reading for target in each.targets if isinstance(target, str))
        if more == names:
            return names
        names = more


def _reads_state(tree: object, of_state: frozenset[str]) -> bool:
    return any(
        isinstance(p, nodes.ReadVariable) or (isinstance(p, nodes.ReadLocal) and p.name in of_state) for p in walk(tree)
    )


def _requires(model: BoundModel, action: Method) -> list[Require]:
    return [p for p in walk(Inliner(model.ir).method(action)) if isinstance(p, Require)]


def _candidates(
    model: BoundModel, taken: Sequence[Method], antecedents: Iterable[Property], asked: Collection[str]
) -> dict[str, VacuityCandidate]:
    decided = {(a.name, p) for a in taken for p in _constant_guards(model, a)}
    guards = {claim(REFUSED, a.name, p): (a.name, p) for a in taken for p in guards_of_state(model, a)}
    claims = (p for p in model.properties if p.kind.holds_by_target and p.name not in asked)
    return {
        **{name: candidate_of("guard", *about, about in decided) for name, about in guards.items()},
        **{p.name: candidate_of("antecedent", p.owner, p.at) for p in antecedents},
        **{p.name: candidate_of("claim", p.name, p.at) for p in claims},
    }


def _constant_guards(model: BoundModel, action: Method) -> set[Place]:
    """The places of guards that the constants of this run make true."""
    folder = ConstantFolder(model)
    decided = {(g.at, folder.outcome(g.condition, {}) is True) for g in _requires(model, action)}
    return {place for place, is_true in decided if is_true and (place, False) not in decided}


def _antecedents(model: BoundModel, method: Property) -> Iterator[Property]:
    """Yield properties that are violated as soon as an antecedent of `owner` is true."""
    if method.kind.holds_by_target:
        return
    for number, antecedent in enumerate(antecedents(Inliner(model.ir).condition(method))):
        body = (nodes.Return(Not(antecedent, antecedent.at), antecedent.at),)
        yield replace(
            method, name=f"antecedent {number} of {method.name}", owner=method.name, body=body, at=antecedent.at
        )


def _premises(model: BoundModel, method: TemporalProperty) -> Iterator[Property]:
    """Yield the property that the premise P of `leads_to` is never true."""
    if method.operator is TemporalOperator.LEADS_TO:
        at = method.operands[0].at
        some = Comprehension(Gathering.ANY, method.operands[0], method.clauses, at)
        inner = Inliner(model.ir).value_of((nodes.Return(Not(some, at), at),), {}, False)
        body = (nodes.Return(inner, at),)
        yield as_invariant(method, name=f"antecedent of {method.name}", owner=method.name, body=body, at=at)


def antecedents(condition: Expression) -> Iterator[Expression]:
    """Yield the conditions without which a condition says nothing, such as `a` of `not a or b`."""
    match condition:
        case Operation(operator=Operator.OR, left=left):
            yield left.operand if isinstance(left, Not) else Not(left, left.at)
        case Operation(operator=Operator.AND, left=left, right=right, at=at):
            yield from antecedents(left)
            for each in antecedents(right):
                yield Operation(Operator.AND, left, each, at)
        case Let(body=body):
            for each in antecedents(body):
                yield structs.replace(condition, body=each)
        case Comprehension(gathering=Gathering.ALL, element=element, clauses=clauses):
            inner = list(antecedents(element))
            for each in inner:
                yield structs.replace(condition, gathering=Gathering.ANY, element=each)
            if not inner and any(clause.conditions for clause in clauses):
                yield _some(condition)


def _some(comprehension: Comprehension) -> Expression:
    """Assert that some element exists: the last condition becomes what is asked of it."""
    at = max(n for n, clause in enumerate(comprehension.clauses) if clause.conditions)
    *kept, asked = comprehension.clauses[at].conditions
    clauses = (*comprehension.clauses[:at], structs.replace(comprehension.clauses[at], conditions=tuple(kept)))
    return structs.replace(comprehension, gathering=Gathering.ANY, element=asked, clauses=clauses)
