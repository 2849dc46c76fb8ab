"""What the names of an expression mean where it stands, and what every translation of expressions to terms needs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from isrcheck.ir import nodes as ir
from isrcheck.ir.check.expressions import domain_of
from isrcheck.ir.domains import Domain, OptionalDomain
from isrcheck.ir.model import ModelIR
from isrcheck.tla import names
from isrcheck.tla.terms import Definition, Term, Word
from isrcheck.tla.vocabulary import Vocabulary

State = Mapping[str, Term]  # what a variable's value is now, where it is not the one at the start of the step


@dataclass(frozen=True)
class Scope:
    """What the names of an expression mean where it stands."""

    locals: Mapping[str, Term] = field(default_factory=dict)
    kinds: Mapping[str, Domain | None] = field(default_factory=dict)
    used: frozenset[str] = frozenset()  # names of TLA+ that mean something here
    state: State = field(default_factory=dict)
    taken: str = ""  # in a step property, the action taken
    arguments: Mapping[str, Term] = field(default_factory=dict)  # and what it was taken with

    def knowing(self, name: str, term: Term, kind: Domain | None, *used: str) -> "Scope":
        """The same with one more local name."""
        local, kinds = {**self.locals, name: term}, {**self.kinds, name: kind}
        return replace(self, locals=local, kinds=kinds, used=self.used.union(used))


class Translator(ABC):
    """The names of one model, and how the parts of an expression are found."""

    def __init__(self, model: ModelIR, vocabulary: Vocabulary) -> None:
        self.ir = model
        self.vocabulary = vocabulary
        self.risks = 0  # expressions met so far that have no value in some states

    @abstractmethod
    def term(self, node: ir.Expression, scope: Scope) -> Term:
        """An expression as a term."""

    def domain(self, node: ir.Expression, scope: Scope) -> Domain | None:
        return domain_of(self.ir, node, scope.kinds)

    def kind(self, node: ir.Expression, scope: Scope) -> Domain | None:
        """The domain, of what an optional value is where it is there."""
        domain = self.domain(node, scope)
        return domain.of if isinstance(domain, OptionalDomain) and domain.of is not None else domain

    def local(self, name: str, scope: Scope) -> str:
        """A bound name that means nothing else where it stands."""
        wished = name.strip("()_'") or "x"
        return names.free_local(wished, self.vocabulary.taken | scope.used, self.vocabulary.variables.values())

    def defined(
        self, name: str, term: Term, kind: Domain | None, scope: Scope, plain: bool
    ) -> tuple[tuple[Definition, ...], Scope]:
        """A local name for a term: the term itself if it is `plain`, else a definition; and the scope with it."""
        if plain:
            return (), scope.knowing(name, term, kind)
        fresh = self.local(name, scope)
        return (Definition(fresh, (), term),), scope.knowing(name, Word(fresh), kind, fresh)
