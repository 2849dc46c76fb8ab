"""Lemmas for a proof for any size, found by search: what excludes counterexamples to induction, until there are none.

An obligation that is not refuted has a counterexample at small sizes: a state that keeps all that is assumed. A set of
literals that are all false there, for somebody, and never together in a reachable state of a small instance, is a
candidate: for everybody one of them holds. The fewest literals that will do are tried first, and of them those that
every step keeps. A lemma that a step does not keep, and that no other can help, is dropped for good.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from isrcheck.engines.symbolic.solvers import REFUTED, SATISFIABLE
from isrcheck.engines.symbolic.unbounded import Obligations, Refutable, answer, quick
from isrcheck.engines.symbolic.unbounded_counterexample import Counterexample, counterexample, small_constants
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method, ModelIR, Property
from isrcheck.ir.nodes import Return
from isrcheck.ir.unparse import expression_text
from isrcheck.lang.declare import Model
from isrcheck.passes.candidates import Candidate
from isrcheck.passes.literals import literals
from isrcheck.passes.relational.system import RelationalSystem
from isrcheck.passes.vocabulary import LemmaVocabulary
from isrcheck.process.budget import phase, poll
from isrcheck.run.reached import LiteralTable, SmallInstance, names_of, reached

_SEVERAL = 5  # counterexamples of one obligation that are looked at together
_TRIED = 24  # candidates of which it is asked whether steps keep them, for each counterexample
_PATIENCE = 8.0  # seconds of the last try of a solver, for an obligation without a counterexample at small sizes


@dataclass
class FoundLemmas:
    """Lemmas with which the obligations of a property are refuted; or one that is not, and a counterexample to it."""

    lemmas: tuple[Method, ...]
    instances: int
    states: int  # in which all candidates are true
    dropped: int  # candidates that some step does not keep
    broken: Refutable | None = None
    against: Counterexample | None = None


@dataclass(eq=False)
class LemmaSearch:
    """For one property; `lemmas` are those of the author that may be used."""

    ir: ModelIR
    given: Mapping[str, Any]
    lemmas: tuple[Method, ...]
    asked: Property
    found: dict[str, Candidate] = field(default_factory=dict)  # by name; not all of them are needed
    dropped: set[str] = field(default_factory=set)  # texts
    needed: dict[str, frozenset[str]] = field(default_factory=dict)  # by refuted obligation: lemmas that do

    def run(self) -> FoundLemmas:
        self.vocabulary = LemmaVocabulary(self.ir, self.asked)
        self.names = {m.name for m in (*self.ir.methods, *self.ir.helpers.values(), *self.lemmas)}
        self.instances: list[SmallInstance] = list(reached(self.ir, small_constants(self.ir, self.given)))
        self.tables: list[LiteralTable] = []
        self.scopes = list(self.vocabulary.scopes())
        while (broken := self._first_open()) is not None:
            if self._strengthen(broken):
                continue
            if broken.of not in self.found:
                return self._result(broken)
            self._drop(broken.of)
        self._minimise()
        return self._result(None)

    def _drop(self, name: str) -> None:
        self.dropped.add(self.found[name].text)
        self._forget(name)

    def _forget(self, name: str) -> None:
        self.found.pop(name, None)
        self.needed = {each: used for each, used in self.needed.items() if name not in used}

    def _result(self, broken: Refutable | None) -> FoundLemmas:
        used, states = self._used(), sum(each.searched for each in self.instances)
        methods = tuple(each.method(name, self.ir) for name, each in self.found.items() if name in used)
        against = None if broken is None else self._counterexample(broken)
        return FoundLemmas(methods, len(self.instances), states, len(self.dropped), broken, against)

    # Obligations

    @property
    def _methods(self) -> tuple[Method, ...]:
        return (*self.lemmas, *(each.method(name, self.ir) for name, each in self.found.items()))

    def _extended(self, methods: Sequence[Method]) -> ModelIR:
        return extended(self.ir, methods)

    def _obligations(self, methods: Sequence[Method]) -> Obligations:
        return Obligations(RelationalSystem(self._extended(methods), self.given), methods)

    def _used(self) -> frozenset[str]:
        """What the property needs, what that needs, and so on."""
        return self._closure()[0]

    def _closure(self) -> tuple[frozenset[str], Refutable | None]:
        """The lemmas that are needed, as far as is known, and the first obligation that is not refuted."""
        obligations = self._obligations(self._methods)
        of: dict[str, list[Refutable]] = {self.asked.name: list(obligations.of_property(self.asked))}
        for each in obligations.of_lemmas():
            of.setdefault(each.of, []).append(each)
        used = dict.fromkeys((self.asked.name, "", *(m.name for m in self.lemmas)))
        waiting = list(used)
        while waiting:
            for each in of.get(waiting.pop(0), ()):
                if each.name not in self.needed and not self._refute(each):
                    return frozenset(used), each
                more = [name for name in sorted(self.needed[each.name]) if name not in used]
                used.update(dict.fromkeys(more))
                waiting += more
        return frozenset(used), None

    def _first_open(self) -> Refutable | None:
        return self._closure()[1]

    def _refute(self, each: Refutable) -> bool:
        """Whether it is refuted; then `needed` knows by what."""
        phase(f"refuting {each.name}")
        said = quick(each)
        if said == REFUTED:
            self.needed[each.name] = self._core(each)
        elif said != SATISFIABLE and self._counterexample(each) is None and answer(each, _PATIENCE).answer == REFUTED:
            self.needed[each.name] = frozenset(self.found)
        return each.name in self.needed

    def _core(self, each: Refutable) -> frozenset[str]:
        """Lemmas with which it is refuted at once, without one that is needless: by halves."""
        left = sorted(self.found, key=lambda name: self.found[name].size, reverse=True)
        spare: list[str] = []
        size = max(1, len(left) // 2)
        while size and left:
            start = 0
            while start < len(left):
                part = left[start : start + size]
                if quick(each.without([*spare, *part])) == REFUTED:
                    spare += part
                    left = left[:start] + left[start + size :]
                else:
                    start += size
            size //= 2
        return frozenset(left)

    def _counterexample(self, broken: Refutable, seed: int = 0) -> Counterexample | None:
        methods = self._methods
        cls = running_class(self.ir, [m for m in methods if not hasattr(self.ir.cls, m.name)])
        return counterexample(self._extended(methods), self.given, methods, self.asked, broken, cls, seed)

    # Candidates

    def _strengthen(self, broken: Refutable) -> bool:
        """Whether a lemma was found that excludes a counterexample of it."""
        first = self._counterexample(broken)
        if first is None:
            return False
        others = (self._counterexample(broken, seed) for seed in range(1, _SEVERAL))
        against = list({each.before: each for each in (first, *others) if each is not None}.values())
        best = self._best(against)
        if best is None:
            return False
        self.found[best.name(self.names)] = best
        return True

    def _best(self, against: Sequence[Counterexample]) -> Candidate | None:
        """Of those that exclude most, the shortest that all steps keep, if there is one; else the shortest."""
        taken = self.dropped | {each.text for each in self.found.values()}
        for tables in (self._tables(1), self._tables(2)):
            excluded = Counter[str]()
            candidates: dict[str, Candidate] = {}
            for table in tables:
                for each in against:
                    some = {c.text: c for c in self._excluding(table, each) if c.text not in taken}
                    candidates |= some
                    excluded.update(some.keys())
            order = sorted(candidates.values(), key=lambda c: (-excluded[c.text], c.size))
            if order:
                most = excluded[order[0].text]
                tried = [c for c in order if 2 * excluded[c.text] >= most][:_TRIED]
                return next((c for c in tried if self._is_kept(c)), order[0])
        return None

    def _is_kept(self, candidate: Candidate) -> bool:
        """By all steps, where it and the lemmas so far hold."""
        method = candidate.method("candidate", self.ir)
        obligations = self._obligations((*self._methods, method)).of_lemmas()
        return all(quick(each) == REFUTED for each in obligations if each.of == method.name)

    def _tables(self, clauses: int) -> list[LiteralTable]:
        """With so many clauses, or with fewer if it is one."""
        made = [table.scope for table in self.tables]
        for scope in self.scopes:
            if scope not in made and len(scope.clauses) <= clauses:
                phase("evaluating candidates for lemmas")
                table = LiteralTable(self.ir, scope, literals(self.vocabulary, scope))
                for instance in self.instances:
                    table.learn(instance)
                self.tables.append(table)
        return [table for table in self.tables if max(1, len(table.scope.clauses)) == clauses]

    def _excluding(self, table: LiteralTable, against: Counterexample) -> Iterator[Candidate]:
        """False in its state, for somebody."""
        poll()
        helpers, columns = frozenset(self.ir.helpers), table.columns()
        for false in table.false_in(against.subject, against.before):
            for chosen in minimal_sets(columns, false):
                yield Candidate(table.scope, tuple(table.literals[i] for i in chosen), helpers)

    def _minimise(self) -> None:
        """Leaves out each that the others do without."""
        used = self._used()
        for name in [name for name in self.found if name not in used]:
            self._forget(name)
        for name in sorted(self.found, key=lambda name: self.found[name].size, reverse=True):
            before = dict(self.found), dict(self.needed)
            self._forget(name)
            if self._first_open() is not None:
                self.found, self.needed = before


def minimal_sets(columns: Sequence[int], among: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The fewest of these that are never false together: alone, else by twos, else by threes, none of them needless."""
    left = [i for i in among if columns[i]]
    yield from ((i,) for i in among if not columns[i])
    pairs = {(i, j): columns[i] & columns[j] for i, j in combinations(left, 2)}
    yield from (pair for pair, both in pairs.items() if not both)
    if len(left) < len(among) or not all(pairs.values()):
        return
    for (i, j), both in pairs.items():
        poll()
        yield from ((i, j, k) for k in left if k > j and not both & columns[k])


def extended(ir: ModelIR, methods: Sequence[Method]) -> ModelIR:
    """With those that it lacks among its lemmas; an invariant that serves as one is in it already."""
    known = {m.name for m in ir.methods}
    return replace(ir, lemmas=(*ir.lemmas, *(m for m in methods if m.name not in known)))


def running_class(ir: ModelIR, found: Sequence[Method]) -> type[Model]:
    """The model's class with found lemmas as methods, which CPython runs as they would be printed."""
    methods = {}
    for method in found:
        (body,) = method.body
        assert isinstance(body, Return)
        text = expression_text(body.value, frozenset(ir.helpers))
        methods[method.name] = eval(f"lambda self: {text}", names_of(ir, [body.value]))
    return type(ir.cls.__name__, (ir.cls,), methods)
