"""Checks one mutant: lowered where it differs, searched in machine code, confirmed in Python, kept on disk."""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec

from isrcheck.engines.contract import DEADLOCK, FoundFault, Limits, Request, Searched
from isrcheck.engines.evaluator import ScalarStepper, State
from isrcheck.engines.explore import reached
from isrcheck.engines.registry import PreparedSearch, engine
from isrcheck.errors import ModelError, UsageError, counted
from isrcheck.gate.mutants.confirm import Confirmation, are_equivalent
from isrcheck.gate.mutants.mutant import Fate, Kill, Mutant, MutantOutcome, where
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.codec import NeedsSlots
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.lowering import Original
from isrcheck.process.budget import OutOfBudget, budget
from isrcheck.run.replay import replay_fault
from isrcheck.user_cache import CacheFolder, user_cache


@dataclass(frozen=True)
class Baseline:
    constants: dict[str, Any]  # as given
    asked: tuple[str, ...]  # hold: can kill
    failing: tuple[str, ...]  # violated
    kinds: dict[str, PropertyKind]
    seen: Searched  # no seconds: in a key


def graph_of(seen: Searched) -> tuple[Any, ...]:
    return seen.digest, list(seen.levels), seen.generated, seen.pruned, list(seen.action_generated)


def baseline(original: Original, given: dict[str, Any], chosen: tuple[str, ...] | None, limits: Limits) -> Baseline:
    """Searches a model to its end. Raises UsageError if limits, KeyboardInterrupt if the user cut it off."""
    kinds = {p.name: p.kind for p in original.model.properties}
    names = tuple(kinds) if chosen is None else chosen
    try:
        with budget(limits.seconds, limits.memory):
            seen = _searched(original, names, limits)
            if seen.interrupted:
                raise KeyboardInterrupt
            if seen.cut is not None:
                raise OutOfBudget(seen.cut)
    except OutOfBudget as over:
        raise UsageError(
            f"the model itself is cut off {over} with these constants, so that no mutant can be compared with it: "
            f"choose smaller constants, or larger limits."
        ) from None
    asked = tuple(n for n in names if (n in seen.found) == kinds[n].holds_by_target)
    failing = tuple(n for n in names if n not in asked)
    return Baseline(given, asked, failing, kinds, replace(seen, seconds=0.0))


def _searched(original: Original, names: tuple[str, ...], limits: Limits) -> Searched:
    request = Request(properties=names, deadlock=True, limits=limits)
    prepared = engine("native").prepare(original.system, names)
    try:
        seen = prepared.search(request)
        if seen.complete or len(seen.found) < len(names) + 1:
            return seen
        whole = prepared.search(replace(request, properties=(), deadlock=False))
    except FoundFault as fault:
        raise replay_fault(original.model, fault, "native") from None
    return replace(whole, found=seen.found)


_MOST_KEPT = 20_000  # of about 300 bytes
# states, above which counts and digest do
_MOST_LISTED = 20_000
# states, above which optimizing pays
_HASTY_UP_TO = 500_000


@dataclass(frozen=True)
class Cache:
    """A folder of outcomes, or nothing; `version` is isrcheck's, and a part of every key."""

    folder: Path | None
    version: str = ""

    @staticmethod
    def of_user(version: str) -> "Cache":
        return Cache(user_cache().path / "mutants", version)

    def get(self, key: str) -> MutantOutcome | None:
        content = None if self.folder is None else CacheFolder(self.folder).get(f"{key}.json")
        try:
            return None if content is None else msgspec.json.decode(content, type=MutantOutcome)
        except msgspec.DecodeError:
            return None

    def put(self, key: str, outcome: MutantOutcome) -> None:
        if self.folder is not None:
            CacheFolder(self.folder).put(f"{key}.json", msgspec.json.encode(outcome))

    def trim(self, most: int = _MOST_KEPT) -> None:
        if self.folder is None:
            return
        try:
            files = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(self.folder))
            for _, path in files[: max(0, len(files) - most)]:
                Path(path).unlink(missing_ok=True)
        except OSError:
            pass


@dataclass(frozen=True)
class JudgeOptions:
    limits: Limits  # of each search
    everything: bool = False  # past a kill
    deadlock: bool = False  # new ones kill


@dataclass
class Judge:
    original: Original
    baseline: Baseline
    options: JudgeOptions
    cache: Cache

    def outcome(self, mutant: Mutant) -> MutantOutcome:
        """Raises Disagreement."""
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
        return self._searched(system)

    def _searched(self, system: ScalarSystem) -> MutantOutcome:
        names = self.baseline.asked
        prepared = engine("native").prepare(system, names, hasty=self.baseline.seen.distinct <= _HASTY_UP_TO)
        key = self._key(prepared.ir, system)
        known = self.cache.get(key)
        if known is not None:
            return known
        confirmation = Confirmation(system, self.baseline.kinds)
        try:
            seen = self._whole(prepared, prepared.search(self._request))
        except FoundFault as fault:
            steps = counted(len(fault.path), "step")
            found = MutantOutcome(Fate.BROKEN, why=f"{confirmation.error(fault)}, after {steps}")
        else:
            if seen.interrupted:
                raise KeyboardInterrupt
            found = self._judged(confirmation, seen)
        if not found.fate.is_undecided or self.options.limits.seconds is None:
            self.cache.put(key, found)
        return found

    def _whole(self, prepared: PreparedSearch, seen: Searched) -> Searched:
        """The same search to the last state, if it ended since all was decided."""
        decided = len(seen.found) == len(self.baseline.asked) + self._request.deadlock
        if seen.complete or not decided or self._violations(seen):
            return seen
        whole = prepared.search(replace(self._request, properties=(), deadlock=False))
        return replace(whole, found=seen.found)

    def _violations(self, seen: Searched) -> list[str]:
        return [n for n in seen.found if n == DEADLOCK or self.baseline.kinds[n].is_violation]

    @cached_property
    def _request(self) -> Request:
        return Request(
            properties=self.baseline.asked,
            deadlock=self.options.deadlock and DEADLOCK not in self.baseline.seen.found,
            stop_at_first=not self.options.everything,
            limits=self.options.limits,
        )

    def _key(self, text: str, system: ScalarSystem) -> str:
        key = hashlib.sha256(text.encode())
        faults = [[(str(f.place), f.sentence) for f in each.faults] for each in system.instances]
        limits = (self.options.limits.states, self.options.limits.depth, self.options.limits.memory)
        terms = (self.options.everything, self.options.deadlock, limits)
        rest = (system.initial, system.scalars, system.actions, faults, self.baseline, terms, self.cache.version)
        key.update(repr(rest).encode())
        return key.hexdigest()

    def _judged(self, confirmation: Confirmation, seen: Searched) -> MutantOutcome:
        kills = self._kills(confirmation, seen)
        dead = self._dead_actions(confirmation.system, seen) if seen.complete else ()
        outcome = partial(MutantOutcome, distinct=seen.distinct)
        if kills:
            return outcome(Fate.KILLED, kills, dead_actions=dead)
        if not seen.complete:
            return outcome(Fate.UNDECIDED, why=f"cut off {seen.cut}")
        if dead:
            return outcome(Fate.DEAD_ACTION, dead_actions=dead)
        if graph_of(seen) != graph_of(self.baseline.seen):
            return outcome(Fate.SURVIVED)
        if seen.distinct > _MOST_LISTED:
            return outcome(Fate.EQUIVALENT, why="by counts and digest")
        same = are_equivalent(self.original.system, confirmation.system, self._states)
        return outcome(Fate.EQUIVALENT if same else Fate.SURVIVED)

    @cached_property
    def _states(self) -> Iterable[State]:
        return tuple(reached(ScalarStepper(self.original.system)))

    def _kills(self, confirmation: Confirmation, seen: Searched) -> tuple[Kill, ...]:
        of, found = self.baseline.kinds, []
        for name in self._violations(seen):
            confirmation.confirm(name, seen.found[name])
            found.append(Kill(name, str(of.get(name, kinds.DEADLOCK)), len(seen.found[name]) + 1))
        found.sort(key=lambda kill: kill.length or 0)
        if seen.complete:
            missed = (n for n in self.baseline.asked if of[n].holds_by_target and n not in seen.found)
            found.extend(Kill(name, str(of[name]), None) for name in missed)
        return tuple(found)

    def _dead_actions(self, system: ScalarSystem, seen: Searched) -> tuple[str, ...]:
        counts = zip(system.actions, self.baseline.seen.action_generated, seen.action_generated, strict=True)
        return tuple(name for name, before, now in counts if before and not now)
