"""Checks one mutant: lowered where it differs, compiled in haste, searched in machine code, confirmed in Python."""

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property, partial

from isrcheck.budget import OutOfBudget, budget
from isrcheck.engines.capabilities import PreparedSearch
from isrcheck.engines.contract import DEADLOCK, Exploration, FoundFault, Limits, Request
from isrcheck.engines.evaluator import State
from isrcheck.engines.registry import engine
from isrcheck.errors import ModelError, counted
from isrcheck.gate.mutants.baseline import Baseline, graph_of
from isrcheck.gate.mutants.cache import Cache
from isrcheck.gate.mutants.confirm import Confirmation
from isrcheck.gate.mutants.equal import MOST, all_states, takes_the_same_steps
from isrcheck.gate.mutants.finding import Detection, Fate, MutantOutcome
from isrcheck.gate.mutants.mutant import Mutant, where
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.vary import Original

_HASTY_UP_TO = 500_000  # states of the original; beyond, optimized code is worth its compilation


@dataclass(frozen=True)
class JudgeOptions:
    """How every mutant is checked."""

    limits: Limits  # of each search
    everything: bool = False  # go on after the first property that notices
    deadlock: bool = False  # a deadlock where there was none is noticed


@dataclass
class Judge:
    """Checks mutants of one model with one choice of constants."""

    original: Original
    baseline: Baseline
    terms: JudgeOptions
    cache: Cache

    def finding(self, mutant: Mutant) -> MutantOutcome:
        """What becomes of a mutant. Raises Disagreement."""
        limits = self.terms.limits
        with budget(limits.seconds, limits.memory):
            try:
                return self._found(mutant)
            except OutOfBudget as over:
                return MutantOutcome(Fate.UNDECIDED, why=f"cut off {over}")

    def _found(self, mutant: Mutant) -> MutantOutcome:
        try:
            system = self.original.varied(mutant.ir, mutant.actions)
        except ModelError as error:
            return MutantOutcome(Fate.ILL_FORMED, why=f"{where(error.place)}: {error.sentence}")
        if self.original.is_same(system):
            return MutantOutcome(Fate.SAME)
        return self._searched(system)

    def _searched(self, system: ScalarSystem) -> MutantOutcome:
        names = self.baseline.asked
        prepared = engine("native").prepare(system, names, hasty=self.baseline.distinct <= _HASTY_UP_TO)
        key = self._key(prepared.text, system)
        known = self.cache.get(key)
        if known is not None:
            return known
        confirmation = Confirmation(system, self.baseline.kinds)
        try:
            seen = self._whole(prepared, prepared.search(self._request()))
        except FoundFault as fault:
            found = MutantOutcome(
                Fate.BROKEN, why=f"{confirmation.error(fault)}, after {counted(len(fault.path), 'step')}"
            )
        else:
            if seen.interrupted:
                raise KeyboardInterrupt
            found = self._judged(confirmation, seen)
        if not found.fate.is_open or self.terms.limits.seconds is None:
            self.cache.put(key, found)
        return found

    def _whole(self, prepared: PreparedSearch, seen: Exploration) -> Exploration:
        """The same search without an end before the last state, if it ended because all claims were met."""
        decided = len(seen.found) == len(self.baseline.asked) + self._asks_deadlock()
        if seen.complete or not decided or self._violations(seen):
            return seen
        whole = prepared.search(replace(self._request(), properties=(), deadlock=False))
        return replace(whole, found=seen.found)

    def _violations(self, seen: Exploration) -> list[str]:
        return [n for n in seen.found if n == DEADLOCK or self.baseline.kinds[n].is_violation]

    def _asks_deadlock(self) -> bool:
        return self.terms.deadlock and not self.baseline.deadlocks

    def _request(self) -> Request:
        return Request(
            properties=self.baseline.asked,
            deadlock=self._asks_deadlock(),
            stop_at_first=not self.terms.everything,
            limits=self.terms.limits,
        )

    def _key(self, text: str, system: ScalarSystem) -> str:
        """Of everything that the answer depends on."""
        whole = hashlib.sha256(text.encode())
        faults = [[(str(f.place), f.sentence) for f in each.faults] for each in system.instances]
        limits = (self.terms.limits.states, self.terms.limits.depth, self.terms.limits.memory)
        terms = (self.terms.everything, self.terms.deadlock, limits)
        rest = (system.initial, system.scalars, system.actions, faults, self.baseline, terms, self.cache.version)
        whole.update(repr(rest).encode())
        return whole.hexdigest()

    # Verdicts

    def _judged(self, confirmation: Confirmation, seen: Exploration) -> MutantOutcome:
        notices = self._notices(confirmation, seen)
        idle = self._asleep(confirmation.system, seen) if seen.complete else ()
        made = partial(MutantOutcome, distinct=seen.distinct, generated=seen.generated, depth=seen.depth)
        if notices:
            return made(Fate.NOTICED, notices, asleep=idle)
        if not seen.complete:
            return made(Fate.UNDECIDED, why=f"cut off {seen.cut}")
        if idle:
            return made(Fate.ASLEEP, asleep=idle)
        if graph_of(seen) != self.baseline.graph:
            return made(Fate.SURVIVED)
        if seen.distinct > MOST:
            return made(Fate.EQUAL, why="by counts and digest")
        same = takes_the_same_steps(self.original.system, confirmation.system, self._states)
        return made(Fate.EQUAL if same else Fate.SURVIVED)

    @cached_property
    def _states(self) -> list[State]:
        return all_states(self.original.system)

    def _notices(self, confirmation: Confirmation, seen: Exploration) -> tuple[Detection, ...]:
        of = self.baseline.kinds
        found = []
        for name in self._violations(seen):
            confirmation.confirm(name, seen.found[name])
            found.append(Detection(name, str(of.get(name, kinds.DEADLOCK)), len(seen.found[name]) + 1))
        found.sort(key=lambda notice: notice.length or 0)
        if seen.complete:
            missed = (n for n in self.baseline.asked if of[n].holds_by_target and n not in seen.found)
            found.extend(Detection(name, str(of[name]), None) for name in missed)
        return tuple(found)

    def _asleep(self, system: ScalarSystem, seen: Exploration) -> tuple[str, ...]:
        counts = dict(zip(system.actions, seen.action_generated, strict=True))
        return tuple(name for name in self.baseline.taken if not counts[name])
