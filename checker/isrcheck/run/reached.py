"""The reachable states of small instances of a model, and what literals are false in them together."""

import random
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from isrcheck.engines.contract import Limits
from isrcheck.engines.registry import engine
from isrcheck.ir.domains import EnumDomain, SortDomain
from isrcheck.ir.model import ModelIR
from isrcheck.ir.pack import pack_scalars
from isrcheck.ir.traversal import walk
from isrcheck.ir.unparse import expression_text
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.subject import State, Subject
from isrcheck.passes import bind, lower
from isrcheck.passes.literals import CandidateLiteral
from isrcheck.passes.vocabulary import CandidateScope
from isrcheck.process.budget import phase, poll

_SEARCHED = 10_000  # states of each instance, which take half a second: beyond it only the first levels are known
_KEPT = 1_500  # of them at random, evaluated in half a second; what a candidate is not true of a proof shows


@dataclass(frozen=True, eq=False)
class SmallInstance:
    """Some reachable states with these constants, and how many there are within the limit."""

    subject: Subject
    states: list[State]
    searched: int
    is_complete: bool


def reached(ir: ModelIR, choices: Iterable[Mapping[str, Any]]) -> Iterator[SmallInstance]:
    """Raises OutOfBudget, or ModelError where the text goes wrong."""
    for constants in choices:
        phase("reaching states of small instances")
        subject = Subject(ir, dict(constants))
        found = engine("evaluator").states(lower(bind(ir, dict(constants), slots=False)), Limits(states=_SEARCHED))
        packed = sorted(chain(*found.levels))
        chosen = random.Random(0).sample(packed, min(_KEPT, len(packed)))
        layout = pack_scalars(subject.scalars)
        states = [layout.unpack(struct.unpack(f"<{layout.words}Q", each)) for each in chosen]
        yield SmallInstance(subject, states, len(packed), found.cut is None)


@dataclass(eq=False)
class LiteralTable:
    """Literals of one scope, and in which combinations they are false in states."""

    ir: ModelIR
    scope: CandidateScope
    literals: list[CandidateLiteral]
    rows: set[bytes] = field(default_factory=set)  # of each choice of members: a byte a literal, 1 where it is false
    read: Callable[[Any], Iterable[bytes]] = field(init=False)

    def __post_init__(self) -> None:
        self._compile()

    def learn(self, instance: SmallInstance) -> None:
        for state in instance.states:
            poll()
            self.rows.update(self._of(instance.subject, state))

    def _of(self, subject: Subject, state: State) -> Iterable[bytes]:
        with with_sort_sizes(subject.sizes):
            made = subject.load(state)
            try:
                return set(self.read(made))
            except Exception:  # a helper that an author calls elsewhere: without it there is one literal less
                self._drop_what_fails(made)
                return set(self.read(made))

    def _drop_what_fails(self, made: Any) -> None:
        kept = [place for place, each in enumerate(self.literals) if _has_value(self.ir, self.scope, each, made)]
        self.literals = [self.literals[place] for place in kept]
        self.rows = {bytes(row[place] for place in kept) for row in self.rows}
        self._compile()

    def _compile(self) -> None:
        self.read = _reader(self.ir, self.scope, self.literals)

    def columns(self) -> list[int]:
        """For each literal a number with a byte for each row: 1 where it is false."""
        return [int.from_bytes(bytes(column), "little") for column in zip(*self.rows, strict=True)]

    def false_in(self, subject: Subject, state: State) -> list[list[int]]:
        """For each choice of members the places of the literals that are false."""
        return [[place for place, is_false in enumerate(row) if is_false] for row in sorted(self._of(subject, state))]


def _has_value(ir: ModelIR, scope: CandidateScope, literal: CandidateLiteral, made: Any) -> bool:
    try:
        list(_reader(ir, scope, [literal])(made))
    except Exception:
        return False
    return True


def _reader(ir: ModelIR, scope: CandidateScope, literals: list[CandidateLiteral]) -> Callable[[Any], Iterable[bytes]]:
    """CPython reads the text that would be printed."""
    known = frozenset(ir.helpers)
    false = []
    for literal in literals:
        needs = [expression_text(need, known) for need in literal.needs]
        false.append(" and ".join([*(f"({need})" for need in needs), f"not ({expression_text(literal.holds, known)})"]))
    loops = "".join(f" for {c.target} in {expression_text(c.source, known)}" for c in scope.clauses)
    text = f"lambda self: (bytes(({' '.join(f'{each},' for each in false)})){loops or ' for _ in (0,)'})"
    made: Callable[[Any], Iterable[bytes]] = eval(text, names_of(ir, [x.holds for x in literals]))
    return made


def names_of(ir: ModelIR, expressions: Iterable[Any]) -> dict[str, Any]:
    """The classes that expressions name."""
    found: dict[str, Any] = {sort.name: sort.sort for sort in ir.sorts}
    for part in walk(tuple(expressions)):
        domain = getattr(part, "domain", None)
        if isinstance(domain, EnumDomain):
            found[domain.name] = type(domain.members[0])
        elif isinstance(domain, SortDomain):
            found[domain.name] = domain.sort
    return found
