"""Actions as conjunctions over the next state.

Python's assignments happen in order. The last one to a variable becomes `x' = value`, and whoever reads the variable
after it reads `x'`; an earlier one becomes a LET definition, or joins the EXCEPT of the last. A helper with effects is
an operator of its own where all that it reads is as it was at the start of the step; otherwise it is written out.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from isrcheck.ir.domains import Domain, IntDomain, MapDomain
from isrcheck.ir.nodes import (
    Assign,
    Expression,
    Literal,
    Method,
    Perform,
    ReadLocal,
    Require,
    Statement,
    VariableTarget,
    When,
)
from isrcheck.ir.traversal import walk
from isrcheck.tla.decide import Decider
from isrcheck.tla.expressions import Expressions, Scope
from isrcheck.tla.operators import is_name, is_short
from isrcheck.tla.terms import (
    AT,
    Apply,
    Bind,
    Definition,
    Except,
    Index,
    Infix,
    LetIn,
    Prefix,
    Prime,
    Term,
    Tuple,
    Update,
    Word,
    both,
    chosen,
    parts,
    rewritten,
    words,
)

Names = frozenset[str]


@dataclass
class Block:
    """What a conjunction is made of so far: definitions, parts, and the variables that have their new value."""

    method: Method
    definitions: list[Definition] = field(default_factory=list)
    parts: list[Term] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)  # written, whether finally or not

    @property
    def names(self) -> Names:
        """Every name that is bound or defined in it."""
        bound = {n for p in parts((tuple(self.parts), tuple(self.definitions))) if isinstance(p, Bind) for n in p.names}
        return frozenset(bound | {d.name for d in self.definitions})

    def whole(self) -> Term:
        used = words(both(*self.parts))
        kept: list[Definition] = []
        for made in reversed(self.definitions):
            if made.name in used:
                kept.insert(0, made)
                used |= words(made.value)
        body = both(*self.parts)
        return LetIn(tuple(kept), body) if kept else body


class Actions:
    """Turns the actions and the helpers with effects of one model into terms."""

    def __init__(self, speak: Expressions) -> None:
        self.speak = speak
        self.ir = speak.ir
        self.decide = Decider(speak)
        self.performed: set[str] = set()  # helpers with effects that are operators

    def action(self, method: Method) -> Term:
        """An action's conjunction, with what it leaves unchanged."""
        block = self._run(method, self.speak.parameters(method))
        kept = [v.name for v in self.ir.variables if v.name not in self.written(method.body)]
        return _with(block.whole(), self.unchanged(kept))

    def effect(self, method: Method) -> Term:
        """The conjunction of a helper with effects; what it does not write is left open."""
        return self._run(method, self.speak.parameters(method)).whole()

    def _run(self, method: Method, scope: Scope) -> Block:
        block = Block(method)
        self._block(method.body, scope, block, frozenset())
        return block

    def unchanged(self, names: Iterable[str]) -> Term:
        """UNCHANGED of these variables, in declaration order; TRUE if there are none."""
        chosen_ = [v.name for v in self.ir.variables if v.name in set(names)]
        kept = [Word(self.speak.vocabulary.variables[name]) for name in chosen_]
        if not kept:
            return Word("TRUE")
        if len(kept) == len(self.ir.variables):
            return Prefix("UNCHANGED", Word("vars"))
        return Prefix("UNCHANGED", kept[0] if len(kept) == 1 else Tuple(tuple(kept)))

    # What statements touch

    def written(self, text: object) -> Names:
        """The variables that a piece of text writes, itself or through helpers."""
        found: set[str] = set()
        for piece in walk(text):
            match piece:
                case VariableTarget(variable=variable):
                    found.add(variable)
                case Perform(helper=helper):
                    found |= self.written(self.ir.helpers[helper].body)
        return frozenset(found)

    def _reads(self, text: object) -> Names:
        return self.speak.read_by(text)

    # Statements

    def _block(self, block: tuple[Statement, ...], scope: Scope, made: Block, later: Names) -> Scope:
        """Adds the parts of a block; `later` is written after it. The scope behind it is returned."""
        for position, statement in enumerate(block):
            rest = block[position + 1 :]
            after = later | self.written(rest)
            match statement:
                case Require(condition=condition):
                    made.parts.append(self.speak.term(condition, self._known(scope, made)))
                case Assign():
                    scope = self._assign(statement, scope, made, after, rest)
                case When():
                    scope = self._when(statement, scope, made, after, rest)
                case Perform(helper=helper, arguments=arguments):
                    scope = self._perform(self.ir.helpers[helper], arguments, scope, made, after)
                case _:
                    raise AssertionError(f"{type(statement).__name__} in an action")
        return scope

    def _known(self, scope: Scope, made: Block) -> Scope:
        """The scope, in which the block's definitions are names already taken."""
        return replace(scope, used=scope.used.union(d.name for d in made.definitions))

    def _define(self, name: str, term: Term, scope: Scope, made: Block) -> Word:
        taken = replace(scope, used=scope.used | made.names)
        fresh = self.speak.local(name, taken)
        number = 2
        while fresh.endswith("_") and not name.endswith("_"):
            fresh = self.speak.local(f"{name}{number}", taken)
            number += 1
        made.definitions.append(Definition(fresh, (), term))
        return Word(fresh)

    def _assign(self, statement: Assign, scope: Scope, made: Block, after: Names, rest: tuple[Statement, ...]) -> Scope:
        reading = self._known(scope, made)
        values = [(self.speak.term(v, reading), self.speak.domain(v, scope)) for v in statement.values]
        for position, (target, (term, kind)) in enumerate(zip(statement.targets, values, strict=True)):
            if isinstance(target, str):
                named = term if is_name(term) else self._define(target, term, scope, made)
                scope = scope.knowing(target, named, kind)
                continue
            others = {t.variable for t in statement.targets[position + 1 :] if isinstance(t, VariableTarget)}
            scope = self._write(target, term, scope, made, after | others, rest)
        return scope

    def _write(
        self, target: VariableTarget, value: Term, scope: Scope, made: Block, after: Names, rest: tuple[Statement, ...]
    ) -> Scope:
        reading = self._known(scope, made)
        keys = tuple(self.speak.term(key, reading) for key in target.keys)
        made.parts += self._within(target, keys, made.method)
        now = scope.state.get(target.variable, Word(self.speak.vocabulary.variables[target.variable]))
        return self._settle(target.variable, updated(now, keys, value), scope, made, after, rest)

    def _settle(
        self, variable: str, term: Term, scope: Scope, made: Block, after: Names, rest: tuple[Statement, ...]
    ) -> Scope:
        """A variable has this value: its last one, or one in between."""
        name = self.speak.vocabulary.variables[variable]
        made.touched.add(variable)
        if variable not in after:
            made.parts.append(Infix("=", Prime(Word(name)), term))
            made.done.add(variable)
            term = Prime(Word(name))
        elif not is_short(term) and (variable in self._reads(rest) or not isinstance(term, Except)):
            term = self._define(f"{variable}_now", term, scope, made)
        return replace(scope, state={**scope.state, variable: term})

    def _within(self, target: VariableTarget, keys: tuple[Term, ...], method: Method) -> list[Term]:
        """That the keys are there: a write beyond the last one of a map under integers does not happen."""
        domain: Domain = next(v.domain for v in self.ir.variables if v.name == target.variable)
        found: list[Term] = []
        for node, key in zip(target.keys, keys, strict=True):
            assert isinstance(domain, MapDomain)
            if isinstance(domain.key, IntDomain) and not _is_member(node, domain.key, method):
                found.append(Infix("\\in", key, self.speak.vocabulary.set_of(domain.key, True)))
            domain = domain.value
        return found

    # Branches

    def _when(self, statement: When, scope: Scope, made: Block, after: Names, rest: tuple[Statement, ...]) -> Scope:
        condition = self.speak.term(statement.condition, self._known(scope, made))
        writes = self.written(statement)
        decided = self.decide.truth(condition)
        if decided is not None:
            taken = statement.then if decided else statement.other
            scope = self._block(taken, scope, made, after)
            for variable in sorted(writes - self.written(taken) - after - made.touched):
                plain = Word(self.speak.vocabulary.variables[variable])
                scope = self._settle(variable, scope.state.get(variable, plain), scope, made, after, rest)
            return scope
        names = _assigned(statement)
        if names or writes & after or writes & made.touched:
            return self._merged(statement, condition, scope, made, after, rest)
        branches = [self._branch(b, scope, made, writes) for b in (statement.then, statement.other)]
        made.parts.append(chosen(condition, *branches))
        made.done |= writes
        made.touched |= writes
        state = {v: Prime(Word(self.speak.vocabulary.variables[v])) for v in writes}
        return replace(scope, state={**scope.state, **state})

    def _branch(self, block: tuple[Statement, ...], scope: Scope, around: Block, writes: Names) -> Term:
        """One branch of an IF whose parts are conjunctions over the next state."""
        made = Block(around.method)
        self._block(block, self._known(scope, around), made, frozenset())
        return _with(made.whole(), self.unchanged(writes - self.written(block)))

    def _merged(
        self,
        statement: When,
        condition: Term,
        scope: Scope,
        made: Block,
        after: Names,
        rest: tuple[Statement, ...],
    ) -> Scope:
        """Both branches as values: each variable and local name is an IF over what they give it."""
        one, guards = self._valued(statement.then, scope, made)
        two, others = self._valued(statement.other, replace(scope, used=one.used), made)
        made.parts.append(chosen(condition, both(*guards), both(*others)))
        found = scope
        for name in sorted(one.locals.keys() & two.locals.keys()):
            if one.locals[name] != two.locals[name]:
                term = self._define(name, chosen(condition, one.locals[name], two.locals[name]), found, made)
                found = found.knowing(name, term, one.kinds[name])
            elif name not in scope.locals:
                found = found.knowing(name, one.locals[name], one.kinds[name])
        for variable in (v.name for v in self.ir.variables if v.name in self.written(statement)):
            plain = Word(self.speak.vocabulary.variables[variable])
            values = [s.state.get(variable, plain) for s in (one, two)]
            found = self._settle(variable, chosen(condition, *values), found, made, after, rest)
        return found

    def _valued(self, block: tuple[Statement, ...], scope: Scope, made: Block) -> tuple[Scope, list[Term]]:
        """A branch's scope at its end, with every variable's value a term; its guards stand apart."""
        inner = Block(made.method, definitions=made.definitions)
        everything = frozenset(v.name for v in self.ir.variables)
        end = self._block(block, scope, inner, everything)
        return end, inner.parts

    # Helpers with effects

    def _perform(
        self, helper: Method, arguments: tuple[Expression, ...], scope: Scope, made: Block, after: Names
    ) -> Scope:
        given = tuple(self.speak.term(a, self._known(scope, made)) for a in arguments)
        writes = self.written(helper.body)
        name = next(n for n, m in self.ir.helpers.items() if m is helper)
        clear = not (writes & after or (writes | self._reads(helper.body)) & scope.state.keys())
        if clear and writes and self._is_worth(helper):
            self.performed.add(name)
            made.parts.append(Apply(self.speak.vocabulary.methods[name], given))
            made.done |= writes
            made.touched |= writes
            state = {v: Prime(Word(self.speak.vocabulary.variables[v])) for v in writes}
            return replace(scope, state={**scope.state, **state})
        inner = replace(scope, locals={}, kinds={})
        for parameter, argument in zip(helper.parameters, given, strict=True):
            term = argument if is_short(argument) else self._define(parameter.name, argument, inner, made)
            inner = inner.knowing(parameter.name, term, parameter.domain)
        outer, made.method = made.method, helper
        inner = self._block(helper.body, inner, made, after)
        made.method = outer
        return replace(scope, state=inner.state, used=inner.used)

    def _is_worth(self, helper: Method) -> bool:
        """Whether a helper does anything as an operator."""
        return bool(helper.body)


def _with(term: Term, further: Term) -> Term:
    """The term and a further conjunct, inside its LET."""
    if isinstance(term, LetIn):
        return LetIn(term.definitions, both(term.body, further))
    return both(term, further)


def updated(function: Term, keys: tuple[Term, ...], value: Term) -> Term:
    """A variable's value with another one under these keys; @ stands for what was there."""
    if not keys:
        return value
    base = function.function if isinstance(function, Except) else function
    old = base
    for key in keys:
        old = Index(old, key)
    plain = not isinstance(function, Except) and not any(isinstance(p, Except) for p in parts(value))
    new = rewritten(value, lambda t: AT if t == old else t) if plain else value
    update = Update(keys, "", new)
    if isinstance(function, Except):
        return Except(function.function, (*function.updates, update))
    return Except(function, (update,))


def _is_member(node: Expression, domain: IntDomain, method: Method) -> bool:
    """Whether a key is certainly one of the map's: an action's parameter of the same range, or 0."""
    if isinstance(node, Literal):
        return bool(node.value == 0)
    ranges: dict[str, Domain] = {p.name: p.domain for p in method.parameters} if method.role == "action" else {}
    of = ranges.get(node.name) if isinstance(node, ReadLocal) else None
    return isinstance(of, IntDomain) and of.high == domain.high


def _assigned(statement: When) -> set[str]:
    """The local names that a branch assigns."""
    return {t for p in walk(statement) if isinstance(p, Assign) for t in p.targets if isinstance(t, str)}
