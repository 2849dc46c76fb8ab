"""Bounded search: which properties break within so many steps, shortest first, for which constants."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import z3

from isrcheck.budget import OutOfBudget, phase
from isrcheck.engines.common.stop_policy import Stopped
from isrcheck.engines.contract import DEADLOCK, FoundFault, Path
from isrcheck.engines.symbolic.ask import SearchClock, make_solver
from isrcheck.engines.symbolic.encode import Encoder
from isrcheck.engines.symbolic.questions import EXPANDED, REACHED, STEPPED, Question, questions
from isrcheck.engines.symbolic.slices import SystemSlice, slice_for
from isrcheck.engines.symbolic.unroll import Unrolling
from isrcheck.errors import counted
from isrcheck.ir import property_kinds as kinds
from isrcheck.passes.symbolic import SymbolicSystem

ALL_DECIDED = "when every property was decided"
Positions = tuple[int, ...]  # of the symbolic constants' values in their ranges


class FaultAtChoice(FoundFault):
    """A fault of the model's text, with the choice of the symbolic constants at which it happens."""

    def __init__(self, choice: Positions, path: Path, instance: int | None, property_name: str | None) -> None:
        super().__init__(path, instance, property_name)
        self.choice = choice


@dataclass(frozen=True)
class Found:
    """A way to a violation, or to what a claim claims, at one choice of the symbolic constants."""

    choice: Positions
    path: Path


@dataclass
class Findings:
    """What a bounded search found, by property: one way each, the smallest, or one for each choice.

    `depth` and `cut` are those of `Bounded`; `every` has the properties that are decided for every choice.
    """

    found: dict[str, list[Found]] = field(default_factory=dict)
    every: set[str] = field(default_factory=set)
    depth: int = 0
    cut: str = ""


@dataclass
class QuestionGroup:
    """Questions that one unrolling answers."""

    unrolling: Unrolling
    undecided: list[Question]


class BoundedSearch:
    """One search over the states that at most `depth` - 1 steps lead to (any number, if None), for these properties.

    With symbolic constants the way found is a shortest one, and among those one for the smallest constants, compared in
    declaration order; with `every_choice`, and for reachability properties always, there is one for each choice.
    """

    def __init__(
        self,
        symbolic: SymbolicSystem,
        names: Sequence[str],
        clock: SearchClock,
        *,
        deadlock: bool,
        depth: int | None,
        every_choice: bool = False,
        stop_at_first: bool = False,
    ) -> None:
        self.symbolic, self.clock, self.depth = symbolic, clock, depth
        self.every_choice, self.stop_at_first = every_choice, stop_at_first
        self.findings = Findings()
        self.undecided = {*names, *([DEADLOCK] if deadlock else [])}
        encoder = Encoder(symbolic.system, "bits")
        groups: dict[SystemSlice, QuestionGroup] = {}
        for question in questions(symbolic, names, deadlock):
            part = slice_for(symbolic.system, question.targets, question.is_step)
            if part not in groups:
                groups[part] = QuestionGroup(Unrolling(symbolic, part, encoder, clock), [])
            groups[part].undecided.append(question)
        self.groups = list(groups.values())

    def run(self) -> Findings:
        """Searches level by level until all is decided, the depth is reached, or the clock says so.

        Raises FaultAtChoice where the model's own text goes wrong within it.
        """
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
            self.clock.depth = self.findings.depth
            reason = self._reason_to_stop()
            if reason:
                return reason
            self._ask(position, EXPANDED)
            for group in self.groups:
                if group.undecided:
                    group.unrolling.extend()
            self._ask(position, STEPPED)

    def _reason_to_stop(self) -> str | None:
        if not self.undecided:
            return ALL_DECIDED
        if self.stop_at_first and self._has_violation():
            return "at the first violation"
        if self.depth is not None and self.findings.depth >= self.depth:
            return f"after {counted(self.findings.depth, 'level')}"
        return None

    def _has_violation(self) -> bool:
        known = {p.name: p.kind for p in self.symbolic.system.properties}
        return any(known.get(name, kinds.DEADLOCK).is_violation for name in self.findings.found)

    def _ask(self, position: int, moment: str) -> None:
        """Asks what is undecided at this moment: faults first, since with one there is no verdict at all."""
        waiting = [(group, q) for group in self.groups for q in group.undecided if q.moment == moment]
        for group, question in sorted(waiting, key=lambda pair: not pair[1].is_fault):
            if self._decide(group.unrolling, question, position):
                self._settle(question.name)

    def _settle(self, name: str) -> None:
        """A property is decided: neither it nor what can go wrong in it is asked again."""
        self.undecided.discard(name)
        for group in self.groups:
            group.undecided = [q for q in group.undecided if q.name != name or q.of_instances]

    # One question

    def _decide(self, unrolling: Unrolling, question: Question, position: int) -> bool:
        """Looks for an answer after so many steps; whether the question is answered for good."""
        happens = self._formula(unrolling, question, position)
        if z3.is_false(happens):
            return False
        found = self.findings.found.get(question.name, []) if not question.is_fault else []
        open_ = [z3.Not(unrolling.chosen(each.choice)) for each in found]
        solver = unrolling.solver
        solver.push()
        try:
            solver.add(happens, *open_)
            while self.clock.satisfiable(solver):
                model = self._answer(unrolling)
                if question.is_fault:
                    raise self._fault(unrolling, question, position, model)
                each = _found(unrolling, question, position, model)
                self.findings.found.setdefault(question.name, []).append(each)
                if not self._maps(question):
                    return True
                open_.append(z3.Not(unrolling.chosen(each.choice)))
                solver.add(open_[-1])
        finally:
            solver.pop()
        solver.add(z3.Implies(z3.And(*open_), z3.Not(happens)))  # true of all choices that are left, and it helps
        return self._maps(question) and self._covered(unrolling, question, open_)

    def _maps(self, question: Question) -> bool:
        """Whether a question is asked of every choice: all of them, or where a claim is to be met at each."""
        return bool(self.symbolic.model.symbolic) and (self.every_choice or question.is_claim) and not question.is_fault

    def _covered(self, unrolling: Unrolling, question: Question, open_: Sequence[z3.BoolRef]) -> bool:
        """Whether every choice was found, of those at which a question is asked."""
        solver = make_solver()
        solver.add(unrolling.encoder.domain(unrolling.states[0]))
        solver.add(unrolling.truth(self.symbolic.allowed.node, 0), unrolling.truth(question.when, 0), *open_)
        left = self.clock.satisfiable(solver)
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
        """What z3 found; with symbolic constants, for the smallest of them in declaration order."""
        best = unrolling.solver.model()
        for place in range(len(self.symbolic.model.symbolic)):
            best = self._lowered(unrolling, best, place)
        return best

    def _lowered(self, unrolling: Unrolling, best: z3.ModelRef, place: int) -> z3.ModelRef:
        """The answer with the least value of one constant, those before it staying as they are."""
        solver, low = unrolling.solver, 0
        while low < unrolling.choice(best)[place]:
            choice = unrolling.choice(best)
            middle = (low + choice[place]) // 2
            solver.push()
            solver.add(unrolling.between(place, low, middle), *unrolling.agree(choice[:place]))
            try:
                if self.clock.satisfiable(solver):
                    best = solver.model()
                else:
                    low = middle + 1
            finally:
                solver.pop()
        return best

    def _fault(self, unrolling: Unrolling, question: Question, position: int, model: z3.ModelRef) -> FaultAtChoice:
        found = _found(unrolling, question, position, model)
        instance = None
        if question.of_instances:
            for place, each in enumerate(self.symbolic.system.instances):
                conditions = (unrolling.truth(fault.condition, position) for fault in each.faults)
                if any(z3.is_true(model.eval(c, model_completion=True)) for c in conditions):
                    instance = place
                    break
        return FaultAtChoice(found.choice, found.path, instance, None if question.of_instances else question.name)


def _found(unrolling: Unrolling, question: Question, position: int, model: z3.ModelRef) -> Found:
    steps = position + 1 if question.is_step else position
    return Found(unrolling.choice(model), unrolling.path(model, steps))
