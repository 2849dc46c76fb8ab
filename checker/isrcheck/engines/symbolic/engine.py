"""The symbolic engine: which properties break within so many steps, shortest first, for which constants.

Constants that shape the state are enumerated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from isrcheck.engines.common.targets import AT_FIRST, Stopped
from isrcheck.engines.contract import DEADLOCK, Bounded, FoundFault, Path, Request
from isrcheck.engines.registry import engine
from isrcheck.engines.symbolic.encode import Encoder
from isrcheck.engines.symbolic.unroll import SearchClock, SystemSlice, Unrolling, make_solver, slice_for
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import Node
from isrcheck.passes.bind import BoundModel, refuse_several
from isrcheck.passes.symbolic import SymbolicSystem, lower_symbolic
from isrcheck.process.budget import OutOfBudget, phase

REACHED, EXPANDED, STEPPED = "reached", "expanded", "stepped"


@dataclass(frozen=True)
class Question:
    """Whether a state (or step) is reached where a node is 1, with constants where `when` is 1.

    Of steps there is a node for each instance. `name` is a property or DEADLOCK; `of_instances`: faults of actions.
    """

    name: str
    nodes: tuple[Node, ...]
    when: Node
    is_step: bool = False
    is_fault: bool = False
    of_instances: bool = False
    is_claim: bool = False  # reachability

    @property
    def targets(self) -> tuple[Node, ...]:
        return tuple({id(node): node for node in self.nodes}.values())

    @property
    def moment(self) -> str:
        if self.is_step:
            return STEPPED
        return EXPANDED if self.of_instances or self.name == DEADLOCK else REACHED


def _questions(symbolic: SymbolicSystem, names: Sequence[str], deadlock: bool) -> Iterator[Question]:
    n, instances = symbolic.nodes, symbolic.system.instances
    own = (fault.condition for instance in instances for fault in instance.faults)
    yield Question("", (n.or_(*own),), n.true, is_fault=True, of_instances=True)
    when_of = {name: condition.node for name, condition in symbolic.asked.items()}
    properties = [(p, when_of.get(p.name, n.true)) for p in symbolic.system.properties if p.name in names]
    for p, when in properties:
        nodes = tuple(n.or_(*(f.condition for f in c.faults)) for c in p.conditions)
        yield Question(p.name, nodes, when, is_step=p.kind.is_of_steps, is_fault=True)
    for p, when in properties:
        nodes = tuple(c.node if p.kind.target else n.not_(c.node) for c in p.conditions)
        yield Question(p.name, nodes, when, is_step=p.kind.is_of_steps, is_claim=p.kind.holds_by_target)
    if deadlock:
        outside = symbolic.system.outside or n.false
        yield Question(DEADLOCK, (n.not_(n.or_(outside, *(instance.guard for instance in instances))),), n.true)


ALL_DECIDED = "when every property was decided"


class FaultAtChoice(FoundFault):
    def __init__(self, constants: dict[str, Any], path: Path, instance: int | None, property_name: str | None) -> None:
        super().__init__(path, instance, property_name)
        self.constants = constants


@dataclass(frozen=True)
class Witness:
    choice: tuple[int, ...]  # positions of the symbolic constants' values in their ranges
    path: Path


@dataclass
class Findings:
    """Findings by property: the smallest witness, or one for each choice of constants."""

    witnesses: dict[str, list[Witness]] = field(default_factory=dict)
    every: set[str] = field(default_factory=set)  # decided for every choice
    depth: int = 0
    cut: str = ""


class BoundedSearch:
    """One search as deep as the request allows.

    With symbolic constants it finds a shortest way for the smallest of them; if all are asked for, and for
    reachability properties, one for each choice.
    """

    def __init__(self, symbolic: SymbolicSystem, request: Request, clock: SearchClock) -> None:
        self.symbolic, self.request, self.clock = symbolic, request, clock
        self.findings = Findings()
        names = [name for name in request.properties if name not in symbolic.model.not_asked]
        self.undecided = {*names, *([DEADLOCK] if request.deadlock else [])}
        encoder = Encoder(symbolic.system)
        unrollings: dict[SystemSlice, Unrolling] = {}
        asked: list[tuple[Unrolling, Question]] = []
        for question in _questions(symbolic, names, request.deadlock):
            if not question.when.high or not any(node.high for node in question.nodes):
                continue  # never true
            system_slice = slice_for(symbolic.system, question.targets, question.is_step)
            if system_slice not in unrollings:
                unrollings[system_slice] = Unrolling(symbolic, system_slice, encoder, clock)
            asked.append((unrollings[system_slice], question))
        order = list(unrollings.values())
        self.asked = sorted(asked, key=lambda pair: order.index(pair[0]))

    def run(self) -> Findings:
        """Search until all is decided, or a limit is reached. Raises FaultAtChoice where the text goes wrong."""
        phase("")
        try:
            self.findings.cut = self._levels()
        except (Stopped, OutOfBudget) as stopped:
            self.findings.cut = str(stopped)
        return self.findings

    def _levels(self) -> str:
        while True:
            position = self.findings.depth
            self._ask(position, REACHED)
            self.findings.depth += 1
            self.clock.depth = position + 1
            if not self.undecided:
                return ALL_DECIDED
            if self.request.stop_at_first and self.clock.is_violation(self.findings.witnesses):
                return AT_FIRST
            self.clock.after_level((), 0, self.findings.depth)
            self._ask(position, EXPANDED)
            for unrolling in dict.fromkeys(each for each, _ in self.asked):
                unrolling.extend()
            self._ask(position, STEPPED)

    def _ask(self, position: int, moment: str) -> None:
        """Ask the questions of a moment, those of faults first, since a fault ends a run."""
        waiting = [pair for pair in self.asked if pair[1].moment == moment]
        for unrolling, question in sorted(waiting, key=lambda pair: not pair[1].is_fault):
            if self._decide(unrolling, question, position):
                self.undecided.discard(question.name)
                self.asked = [pair for pair in self.asked if pair[1].name != question.name or pair[1].of_instances]

    def _decide(self, unrolling: Unrolling, question: Question, position: int) -> bool:
        """Ask z3 a question at a depth; return whether it is decided by now."""
        happens = self._formula(unrolling, question, position)
        if z3.is_false(happens):
            return False
        earlier = self.findings.witnesses.get(question.name, []) if not question.is_fault else []
        open_ = [z3.Not(unrolling.has_choice(each.choice)) for each in earlier]
        solver = unrolling.solver
        solver.push()
        try:
            solver.add(happens, *open_)
            while self.clock.is_sat(solver):
                model = self._answer(unrolling)
                if question.is_fault:
                    raise self._fault(unrolling, question, position, model)
                each = _witness(unrolling, question, position, model)
                self.findings.witnesses.setdefault(question.name, []).append(each)
                if not self._maps(question):
                    return True
                open_.append(z3.Not(unrolling.has_choice(each.choice)))
                solver.add(open_[-1])
        finally:
            solver.pop()
        solver.add(z3.Implies(z3.And(*open_), z3.Not(happens)))  # true of all choices left
        return self._maps(question) and self._is_covered(unrolling, question, open_)

    def _maps(self, question: Question) -> bool:
        """Whether a question asks for all choices of the constants."""
        is_wanted = self.request.all_choices or question.is_claim
        return bool(self.symbolic.model.symbolic) and is_wanted and not question.is_fault

    def _is_covered(self, unrolling: Unrolling, question: Question, open_: Sequence[z3.BoolRef]) -> bool:
        solver = make_solver()
        solver.add(unrolling.encoder.domain(unrolling.states[0]))
        solver.add(unrolling.truth(self.symbolic.allowed.node, 0), unrolling.truth(question.when, 0), *open_)
        left = self.clock.is_sat(solver)
        if not left:
            self.findings.every.add(question.name)
        return not left

    def _formula(self, unrolling: Unrolling, question: Question, position: int) -> z3.BoolRef:
        if question.is_step:
            happens = unrolling.some_step(question.nodes, position)
        else:
            happens = unrolling.truth(question.nodes[0], position)
        return happens if question.when.low else z3.And(unrolling.truth(question.when, 0), happens)

    def _answer(self, unrolling: Unrolling) -> z3.ModelRef:
        """The witness of z3 with the smallest symbolic constants, in declaration order."""
        best = unrolling.solver.model()
        for place in range(len(self.symbolic.model.symbolic)):
            best = self._lower(unrolling, best, place)
        return best

    def _lower(self, unrolling: Unrolling, best: z3.ModelRef, place: int) -> z3.ModelRef:
        solver, low = unrolling.solver, 0
        while low < unrolling.choice(best)[place]:
            choice = unrolling.choice(best)
            middle = (low + choice[place]) // 2
            agreed = [(i, value, value) for i, value in enumerate(choice[:place])]
            solver.push()
            solver.add(unrolling.between(place, low, middle), *(unrolling.between(*known) for known in agreed))
            try:
                if self.clock.is_sat(solver):
                    best = solver.model()
                else:
                    low = middle + 1
            finally:
                solver.pop()
        return best

    def _fault(self, unrolling: Unrolling, question: Question, position: int, model: z3.ModelRef) -> FaultAtChoice:
        witness = _witness(unrolling, question, position, model)
        constants = self.symbolic.model.choose(witness.choice)
        if not question.of_instances:
            return FaultAtChoice(constants, witness.path, None, question.name)
        faults = ((place, fault) for place, i in enumerate(self.symbolic.system.instances) for fault in i.faults)
        truths = ((place, unrolling.truth(fault.condition, position)) for place, fault in faults)
        instance = next((p for p, truth in truths if z3.is_true(model.eval(truth, model_completion=True))), None)
        return FaultAtChoice(constants, witness.path, instance, None)


def _witness(unrolling: Unrolling, question: Question, position: int, model: z3.ModelRef) -> Witness:
    steps = position + int(question.is_step)
    return Witness(unrolling.choice(model), unrolling.path(model, steps))


def search(model: BoundModel, request: Request) -> Bounded:
    """Search every behaviour up to a depth. Raises UsageError before anything is solved, and FoundFault."""
    _refuse(request)
    refuse_several(model.ir.name, 1 + len(model.others), "the symbolic engine begins in one")
    symbolic, clock = lower_symbolic(model), SearchClock(request, _kinds(model))
    with clock.stop_request.listen_to_signals():
        findings = BoundedSearch(symbolic, request, clock).run()
    return _as_bounded(
        findings.depth, findings.cut, clock, {name: ways[0].path for name, ways in findings.witnesses.items()}
    )


def _kinds(model: BoundModel) -> dict[str, PropertyKind]:
    return {p.name: p.kind for p in model.ir.properties}


def _as_bounded(depth: int, cut: str, clock: SearchClock, paths: dict[str, Path]) -> Bounded:
    return Bounded(depth=depth, cut=cut, interrupted=clock.interrupted, paths=paths, seconds=clock.seconds)


def _refuse(request: Request) -> None:
    """Refuse a request that a bounded search lacks, or that no limit ends. Raises UsageError."""
    engine("symbolic").refuse(request)
    if request.limits.depth is None and request.limits.seconds is None:
        raise UsageError("the symbolic engine looks at one more step until it is told to stop: give --max-depth.")
    if not request.properties and not request.temporal and not request.deadlock:
        raise UsageError("the symbolic engine counts no states: name a property, or ask for --deadlock.")


@dataclass(frozen=True)
class AtConstants:
    constants: dict[str, Any]
    rank: tuple[int, ...]  # the place of each symbolic constant's value in its range
    path: Path


@dataclass(frozen=True)
class ChoiceFindings:
    """Sorted by length, then by rank."""

    result: Bounded  # of all parts, the ways aside
    violations: dict[str, list[AtConstants]]
    every: set[str]  # properties of which it is known for every choice


def search_choices(models: Sequence[BoundModel], ranges: dict[str, ValueRange], request: Request) -> ChoiceFindings:
    """The smallest violating choice of each property, or all; `models` has one for each choice that shapes the state.

    Raises UsageError, ModelError, and FaultAtChoice where the model's text goes wrong.
    """
    _refuse(request)
    clock = SearchClock(request, _kinds(models[0]))
    with clock.stop_request.listen_to_signals():
        parts = [_search_model(model, request, clock) for model in models]
    unfinished = [each for each in parts if each.cut != ALL_DECIDED]
    depth = min((each.depth for each in unfinished), default=max(each.depth for each in parts))
    cut = min(unfinished, key=lambda each: each.depth).cut if unfinished else ALL_DECIDED
    result = _as_bounded(depth, cut, clock, {})
    violations: dict[str, list[AtConstants]] = {}
    for model, findings in zip(models, parts, strict=True):
        for name, ways in findings.witnesses.items():
            for way in ways:
                constants = model.choose(way.choice)
                rank = tuple(choice.place(constants[constant]) for constant, choice in ranges.items())
                violations.setdefault(name, []).append(AtConstants(constants, rank, way.path))
    for all_ways in violations.values():
        all_ways.sort(key=lambda way: (len(way.path), way.rank))
    asked = [(name, m, p) for name in request.properties for m, p in zip(models, parts, strict=True)]
    some = {name for name, model, each in asked if name not in model.not_asked and name not in each.every}
    return ChoiceFindings(result, violations, set(request.properties) - some)


def _search_model(model: BoundModel, request: Request, clock: SearchClock) -> Findings:
    symbolic = lower_symbolic(model)
    _refuse_faults(symbolic, clock)
    return BoundedSearch(symbolic, request, clock).run()


def _refuse_faults(symbolic: SymbolicSystem, clock: SearchClock) -> None:
    """Require that no assumption and no `applies` raises for some choice. Raises ModelError."""
    faults = [f for condition in (symbolic.allowed, *symbolic.asked.values()) for f in condition.faults]
    if not faults:
        return
    encoder = Encoder(symbolic.system)
    vector = encoder.vector("0")
    terms, solver = encoder.terms(vector), make_solver()
    solver.add(encoder.domain(vector))
    for fault in faults:
        solver.push()
        solver.add(terms.truth(fault.condition))
        if clock.is_sat(solver):
            raise ModelError(fault.place, f"{fault.sentence}, for some choice of the constants.")
        solver.pop()
