"""Checks one mutant: lowered where it differs, searched in machine code, confirmed in plain Python, kept on disk."""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import msgspec

from isrcheck.engines import contract
from isrcheck.engines.contract import DEADLOCK, FoundFault, Limits, Request, Searched
from isrcheck.engines.evaluator import ScalarStepper, State
from isrcheck.engines.explore import reachable_states
from isrcheck.engines.registry import PreparedSearch, engine
from isrcheck.errors import Disagreement, ModelError, UsageError, quantity
from isrcheck.gate.mutants.make import Fate, Kill, Mutant, MutantOutcome, where
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.base_codec import NeedsSlots
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import refuse_several
from isrcheck.passes.lowering import MutantLowering, is_same_instance
from isrcheck.process.budget import OutOfBudget, budget
from isrcheck.run.replay import replay_fault
from isrcheck.user_cache import CacheFolder
from isrcheck.version import __version__

_FAULT = "This is a fault of isrcheck; no verdict is given."


# The reference runs the author's own methods, which know nothing of a mutant.
class Confirmation:
    def __init__(self, system: ScalarSystem, kinds: dict[str, PropertyKind]) -> None:
        self.system = system
        self._kinds = kinds

    @cached_property
    def _stepper(self) -> ScalarStepper:
        return ScalarStepper(self.system)

    def confirm(self, name: str, path: contract.Path) -> None:
        """Check that the evaluator, too, sees this target at the end of the path. Raises Disagreement."""
        states = self._states_along(path)
        if name == DEADLOCK:
            is_target = next(self._stepper.steps(states[-1]), None) is None
        else:
            is_target = self._kinds[name].is_target(self._answer(name, path, states))
        if not is_target:
            raise Disagreement(f"the native engine says that {name} kills a mutant, the evaluator does not. {_FAULT}")

    def error(self, fault: FoundFault) -> str:
        """The model error in the mutant's text, and its place. Raises Disagreement if the evaluator meets none."""
        states = self._states_along(fault.path)
        try:
            if fault.property is None:
                list(self._stepper.steps(states[-1]))
            else:
                self._answer(fault.property, fault.path, states)
        except ModelError as error:
            return f"{where(error.place)}: {error.sentence.rstrip('.')}"
        raise Disagreement(f"the native engine meets an error in a mutant that the evaluator does not. {_FAULT}")

    def _answer(self, name: str, path: contract.Path, states: list[State]) -> bool:
        if self._kinds[name].is_of_steps:
            return self._stepper.step_holds(name, states[-2], path[-1], states[-1])
        return self._stepper.holds(name, states[-1])

    def _states_along(self, path: contract.Path) -> list[State]:
        refuse_several("the model", len(self._stepper.initials), "a mutant begins in one")
        states = [self._stepper.initial]
        for instance in path:
            after = dict(self._stepper.steps(states[-1])).get(instance)
            if after is None:
                raise Disagreement(f"the evaluator cannot take step {instance} of a mutant's trace. {_FAULT}")
            states.append(after)
        return states


def are_equivalent(one: ScalarSystem, other: ScalarSystem, states: Iterable[State]) -> bool:
    """Whether in all these states, which are those of one side, both have the same steps."""
    if len(one.instances) != len(other.instances):  # with other parameters taken from slots
        first, second = ScalarStepper(one), ScalarStepper(other)
        return all(dict(first.steps(state)) == dict(second.steps(state)) for state in states)
    pairs = zip(one.instances, other.instances, strict=True)
    differing = [pair for pair in pairs if not is_same_instance(*pair)]
    sides = (replace(one, instances=tuple(pair[side] for pair in differing)) for side in (0, 1))
    first, second = map(ScalarStepper, sides)
    return all(list(first.steps(state)) == list(second.steps(state)) for state in states)


@dataclass(frozen=True)
class Baseline:
    constants: dict[str, Any]  # as given
    asked: tuple[str, ...]  # hold: can kill
    failing: tuple[str, ...]  # violated
    kinds: dict[str, PropertyKind]
    search: Searched  # no seconds: in a key


def graph_of(search: Searched) -> tuple[Any, ...]:
    return search.digest, list(search.levels), search.generated, search.pruned, list(search.action_generated)


def baseline(
    original: MutantLowering, given: dict[str, Any], chosen: tuple[str, ...] | None, limits: Limits
) -> Baseline:
    """Search a model to its end. Raises UsageError if limits, KeyboardInterrupt if the user cut it off."""
    kinds = {p.name: p.kind for p in original.model.properties}
    names = tuple(kinds) if chosen is None else chosen
    try:
        with budget(limits.seconds, limits.memory):
            search = search_to_end(original, names, limits)
            if search.interrupted:
                raise KeyboardInterrupt
            if search.cut is not None:
                raise OutOfBudget(search.cut)
    except OutOfBudget as over:
        raise UsageError(
            f"the model itself is cut off {over} with these constants, so that no mutant can be compared with it: "
            f"choose smaller constants, or larger limits."
        ) from None
    asked = tuple(n for n in names if (n in search.paths) == kinds[n].holds_by_target)
    failing = tuple(n for n in names if n not in asked)
    return Baseline(given, asked, failing, kinds, replace(search, seconds=0.0))


def search_to_end(original: MutantLowering, names: tuple[str, ...], limits: Limits) -> Searched:
    request = Request(properties=names, deadlock=True, limits=limits)
    prepared = engine("native").prepare(original.system, names)
    try:
        search = prepared.search(request)
        if search.complete or len(search.paths) < len(names) + 1:
            return search
        complete = prepared.search(replace(request, properties=(), deadlock=False))
    except FoundFault as fault:
        raise replay_fault(original.model, fault, "native") from None
    return replace(complete, paths=search.paths)


_MOST_LISTED = 20_000  # states, above which counts and digest do
_HASTY_UP_TO = 500_000  # states, above which optimizing pays


@dataclass(frozen=True)
class JudgeOptions:
    limits: Limits  # of each search
    everything: bool = False  # past a kill
    deadlock: bool = False  # new ones kill


@dataclass
class Judge:
    original: MutantLowering
    baseline: Baseline
    options: JudgeOptions
    cache: CacheFolder | None

    def outcome(self, mutant: Mutant) -> MutantOutcome:
        """Decide the fate of one mutant. Raises Disagreement."""
        limits = self.options.limits
        with budget(limits.seconds, limits.memory):
            try:
                return self._outcome(mutant)
            except OutOfBudget as over:
                return MutantOutcome(Fate.UNDECIDED, why=f"cut off {over}")
            except NeedsSlots as needs:
                return MutantOutcome(Fate.UNDECIDED, why=f"{needs.variable} holds more at once than in the original")

    def _outcome(self, mutant: Mutant) -> MutantOutcome:
        try:
            system = self.original.vary(mutant.ir, mutant.actions)
        except ModelError as error:
            return MutantOutcome(Fate.INVALID, why=f"{where(error.place)}: {error.sentence}")
        if self.original.is_same(system):
            return MutantOutcome(Fate.TRIVIAL)
        return self._search(system)

    def _search(self, system: ScalarSystem) -> MutantOutcome:
        names = self.baseline.asked
        prepared = engine("native").prepare(system, names, hasty=self.baseline.search.distinct <= _HASTY_UP_TO)
        key = self._key(prepared.ir, system)
        with suppress(msgspec.DecodeError):
            if self.cache is not None and (known := self.cache.get(f"{key}.json")) is not None:
                return msgspec.json.decode(known, type=MutantOutcome)
        confirmation = Confirmation(system, self.baseline.kinds)
        try:
            search = self._search_on(prepared, prepared.search(self._request))
        except FoundFault as fault:
            steps = quantity(len(fault.path), "step")
            outcome = MutantOutcome(Fate.BROKEN, why=f"{confirmation.error(fault)}, after {steps}")
        else:
            if search.interrupted:
                raise KeyboardInterrupt
            outcome = self._judge(confirmation, search)
        if self.cache is not None and (not outcome.fate.is_undecided or self.options.limits.seconds is None):
            self.cache.put(f"{key}.json", msgspec.json.encode(outcome))
        return outcome

    def _search_on(self, prepared: PreparedSearch, search: Searched) -> Searched:
        """Search on to the last state, if a search ended because everything was decided."""
        decided = len(search.paths) == len(self.baseline.asked) + self._request.deadlock
        if search.complete or not decided or self._violations(search):
            return search
        complete = prepared.search(replace(self._request, properties=(), deadlock=False))
        return replace(complete, paths=search.paths)

    def _violations(self, search: Searched) -> list[str]:
        return [n for n in search.paths if n == DEADLOCK or self.baseline.kinds[n].is_violation]

    @cached_property
    def _request(self) -> Request:
        return Request(
            properties=self.baseline.asked,
            deadlock=self.options.deadlock and DEADLOCK not in self.baseline.search.paths,
            stop_at_first=not self.options.everything,
            limits=self.options.limits,
        )

    def _key(self, kernel: str, system: ScalarSystem) -> str:
        key = hashlib.sha256(kernel.encode())
        faults = [[(str(f.place), f.sentence) for f in each.faults] for each in system.instances]
        limits = (self.options.limits.states, self.options.limits.depth, self.options.limits.memory)
        terms = (self.options.everything, self.options.deadlock, limits)
        rest = (system.initial, system.scalars, system.actions, faults, self.baseline, terms, __version__)
        key.update(repr(rest).encode())
        return key.hexdigest()

    def _judge(self, confirmation: Confirmation, search: Searched) -> MutantOutcome:
        kills = self._kills(confirmation, search)
        dead = self._dead_actions(confirmation.system, search) if search.complete else ()
        outcome = partial(MutantOutcome, distinct=search.distinct)
        if kills:
            return outcome(Fate.KILLED, kills, dead_actions=dead)
        if not search.complete:
            return outcome(Fate.UNDECIDED, why=f"cut off {search.cut}")
        if dead:
            return outcome(Fate.DEAD_ACTION, dead_actions=dead)
        if graph_of(search) != graph_of(self.baseline.search):
            return outcome(Fate.SURVIVED)
        if search.distinct > _MOST_LISTED:
            return outcome(Fate.EQUIVALENT, why="by counts and digest")
        same = are_equivalent(self.original.system, confirmation.system, self._states)
        return outcome(Fate.EQUIVALENT if same else Fate.SURVIVED)

    @cached_property
    def _states(self) -> Iterable[State]:
        return tuple(reachable_states(ScalarStepper(self.original.system)))

    def _kills(self, confirmation: Confirmation, search: Searched) -> tuple[Kill, ...]:
        of, kills = self.baseline.kinds, []
        for name in self._violations(search):
            confirmation.confirm(name, search.paths[name])
            kills.append(Kill(name, str(of.get(name, kinds.DEADLOCK)), len(search.paths[name]) + 1))
        kills.sort(key=lambda kill: kill.length or 0)
        if search.complete:
            missed = (n for n in self.baseline.asked if of[n].holds_by_target and n not in search.paths)
            kills.extend(Kill(name, str(of[name]), None) for name in missed)
        return tuple(kills)

    def _dead_actions(self, system: ScalarSystem, search: Searched) -> tuple[str, ...]:
        counts = zip(system.actions, self.baseline.search.action_generated, search.action_generated, strict=True)
        return tuple(name for name, before, now in counts if before and not now)
