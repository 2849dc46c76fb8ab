"""Actions as conjunctions over the next state; properties as predicates.

The last assignment to a variable becomes `x' = value`, and whoever reads the variable after it reads `x'`; an earlier
one becomes a LET definition, or joins the EXCEPT. A helper with effects is an operator where it reads only what is as
at the start of the step; else it is written out.
"""

from collections.abc import Set
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from isrcheck.ir import nodes as ir
from isrcheck.ir.domains import IntDomain, MapDomain
from isrcheck.ir.model import Method
from isrcheck.ir.traversal import assigned, walk
from isrcheck.tla import terms as tla
from isrcheck.tla.comprehensions import Kind, quantified
from isrcheck.tla.decide import Decider
from isrcheck.tla.expressions import Expressions, Terms
from isrcheck.tla.terms import TRUE, Apply, Definition, Except, Infix, Prefix, Prime, Term, Word, both, chosen, is_short

Names = frozenset[str]
Statements = tuple[ir.Statement, ...]


class Later(NamedTuple):
    """What comes behind a statement."""

    writes: Names = frozenset()  # variables
    rest: Statements = ()  # of its block


class Conjunction(Struct):
    """An action's text so far."""

    method: Method
    scope: Expressions  # behind it
    lets: list[Definition] = []
    conjuncts: list[Term] = []
    touched: set[str] = set()  # written, whether finally or not

    @property
    def reading(self) -> Expressions:
        names = (let.name for let in self.lets)
        return self.scope.using(names)

    def define(self, name: str, term: Term) -> Word:
        """This name, or one like it."""
        written = (*self.conjuncts, *self.lets)
        scope = self.reading.using(tla.bound(written))
        fresh, number = scope.local(name), 2
        while fresh.endswith("_") and not name.endswith("_"):
            fresh = scope.local(f"{name}{number}")
            number += 1
        self.lets.append(Definition(fresh, (), term))
        return Word(fresh)

    def know(self, name: str, term: Term, kind: Kind) -> None:
        self.scope = self.scope.knowing(name, term, kind)

    def now(self, variable: str) -> Term:
        """Its value behind this text."""
        read = self.scope.names.variable(variable)
        return self.scope.state.get(variable, read)

    def set(self, values: dict[str, Term]) -> None:
        self.scope = self.scope.after(values)

    def set_elsewhere(self, variables: Names) -> None:
        """By an operator or in branches."""
        self.touched |= variables
        primed = self.scope.names.primed(variables)
        self.set(primed)

    def term(self, *further: Term) -> Term:
        """With the definitions used."""
        body = both(*self.conjuncts)
        used = tla.words(body)
        kept: list[Definition] = []
        for let in reversed(self.lets):
            if let.name in used:
                kept.insert(0, let)
                used |= tla.words(let.value)
        conjunction = both(body, *further)
        return tla.let(kept, conjunction)


class Actions:
    """What has effects; and properties."""

    def __init__(self, root: Expressions) -> None:
        self.root, self.ir = root, root.model
        self.names = root.names
        self.decide = Decider(root)
        # Helpers with effects that are operators:
        self.performed: set[str] = set()

    def action(self, method: Method) -> Term:
        kept = set(self.names.variables)
        kept -= self.written(method.body)
        conjunction = self.conjunction(method)
        return conjunction.term(self.unchanged(kept))

    def conjunction(self, method: Method) -> Conjunction:
        scope = self.root.parameters(method)
        made = Conjunction(method, scope)
        self._block(method.body, made, Later())
        return made

    def unchanged(self, names: Set[str]) -> Term:
        """In the order of declaration."""
        every = (v.name for v in self.ir.variables)
        kept = [self.names.variable(n) for n in every if n in names]
        if not kept:
            return TRUE
        of = kept[0] if len(kept) == 1 else tla.sequence(kept)
        if len(kept) == len(self.ir.variables):
            of = Word("vars")
        return Prefix("UNCHANGED", of)

    def written(self, text: object) -> Names:
        """Variables, by helpers as well."""
        return _targets(self.root.with_helpers(text))

    def _block(self, block: Statements, made: Conjunction, later: Later) -> None:
        for position, statement in enumerate(block):
            rest = block[position + 1 :]
            after = Later(later.writes | self.written(rest), rest)
            match statement:
                case ir.Require(condition):
                    guard = made.reading.term(condition)
                    made.conjuncts.append(guard)
                case ir.Assign():
                    self._assign(statement, made, after)
                case ir.When():
                    self._when(statement, made, after)
                case ir.Perform():
                    self._perform(statement, made, after)
                case _:
                    raise AssertionError(f"{type(statement).__name__} in an action")

    def _assign(self, node: ir.Assign, made: Conjunction, later: Later) -> None:
        kinds = map(made.scope.domain, node.values)
        values = made.reading.terms(node.values)
        pairs = zip(node.targets, values, kinds, strict=True)
        for position, (target, term, kind) in enumerate(pairs):
            if isinstance(target, str):
                if not isinstance(term, Word):
                    term = made.define(target, term)
                made.know(target, term, kind)
                continue
            others = _targets(node.targets[position + 1 :])
            writes = later.writes | others
            self._write(target, term, made, later._replace(writes=writes))

    def _write(self, target: ir.VariableTarget, value: Term, made: Conjunction, later: Later) -> None:
        keys = made.reading.terms(target.keys)
        made.conjuncts += self._within(target, keys, made.method)
        value = updated(made.now(target.variable), keys, value)
        self._become(target.variable, value, made, later)

    def _become(self, variable: str, term: Term, made: Conjunction, later: Later) -> None:
        made.touched.add(variable)
        if variable not in later.writes:
            primed = Prime(self.names.variable(variable))
            made.conjuncts.append(Infix("=", primed, term))
            term = primed
        elif not is_short(term) and (not isinstance(term, Except) or variable in self.root.read_by(later.rest)):
            # (An EXCEPT that nothing reads before is joined by what is written later.)
            term = made.define(f"{variable}_now", term)
        made.set({variable: term})

    def _within(self, target: ir.VariableTarget, keys: Terms, method: Method) -> list[Term]:
        """That a write has its key."""
        domains = {v.name: v.domain for v in self.ir.variables}
        domain = domains[target.variable]
        conditions: list[Term] = []
        for node, term in zip(target.keys, keys, strict=True):
            assert isinstance(domain, MapDomain)
            key = domain.key
            if isinstance(key, IntDomain) and not _is_member(node, key, method):
                every = self.names.set_of(key, True)
                conditions.append(Infix("\\in", term, every))
            domain = domain.value
        return conditions

    def _when(self, node: ir.When, made: Conjunction, later: Later) -> None:
        condition = made.reading.term(node.condition)
        writes = self.written(node)
        decided = self.decide.truth(condition)
        if decided is not None:
            taken = node.then if decided else node.other
            self._block(taken, made, Later(later.writes))
            kept = writes - self.written(taken)
            kept -= later.writes | made.touched
            for name in sorted(kept):
                self._become(name, made.now(name), made, later)
        elif assigned(node) or writes & (later.writes | made.touched):
            self._merged(node, condition, made, later)
        else:
            blocks = (node.then, node.other)
            branches = [self._branch(block, made, writes) for block in blocks]
            made.conjuncts.append(chosen(condition, *branches))
            made.set_elsewhere(writes)

    def _branch(self, block: Statements, around: Conjunction, writes: Names) -> Term:
        """As a conjunction, for an IF."""
        made = replace(around, scope=around.reading, lets=[], conjuncts=[], touched=set())
        self._block(block, made, Later())
        kept = writes - self.written(block)
        return made.term(self.unchanged(kept))

    def _merged(self, node: ir.When, condition: Term, made: Conjunction, later: Later) -> None:
        """What is written is an IF."""
        before = made.scope
        one = self._valued(node.then, made, before)
        two = self._valued(node.other, made, replace(before, used=one.scope.used))
        guards = both(*one.conjuncts), both(*two.conjuncts)
        made.conjuncts.append(chosen(condition, *guards))
        values, others = one.scope.locals, two.scope.locals
        for name in sorted(values.keys() & others):
            value, kind = values[name], one.scope.kinds[name]
            if value != others[name]:
                term = chosen(condition, value, others[name])
                made.know(name, made.define(name, term), kind)
            elif name not in before.locals:
                made.know(name, value, kind)
        writes = self.written(node)
        every = (v.name for v in self.ir.variables)
        for name in filter(writes.__contains__, every):
            term = chosen(condition, one.now(name), two.now(name))
            self._become(name, term, made, later)

    def _valued(self, block: Statements, around: Conjunction, scope: Expressions) -> Conjunction:
        """Each variable as a term."""
        made = replace(around, scope=scope, conjuncts=[], touched=set())
        every = frozenset(self.names.variables)
        self._block(block, made, Later(every))
        return made

    def _perform(self, node: ir.Perform, made: Conjunction, later: Later) -> None:
        helper = self.ir.helpers[node.helper]
        given = made.reading.terms(node.arguments)
        writes = self.written(helper.body)
        used = writes | self.root.read_by(helper.body)
        if writes and not (writes & later.writes or used & made.scope.state.keys()):
            self.performed.add(node.helper)
            name = self.names.methods[node.helper]
            made.conjuncts.append(Apply(name, given))
            made.set_elsewhere(writes)
            return
        caller, outer = made.method, made.scope
        made.method, made.scope = helper, replace(outer, locals={}, kinds={})
        for parameter, term in zip(helper.parameters, given, strict=True):
            name = parameter.name
            if not is_short(term):
                term = made.define(name, term)
            made.know(name, term, parameter.domain)
        self._block(helper.body, made, Later(later.writes))
        inner, made.method = made.scope, caller
        made.scope = replace(outer, state=inner.state, used=inner.used)

    def predicate(self, method: Method) -> Term:
        return self.root.value_of(method.body)

    def step_property(self, method: Method) -> Term:
        """By action where that matters."""
        variables = set(self.names.variables)
        scope = self.root.after(self.names.primed(variables))
        of_any_step = scope.value_of(method.body)
        parts = list(walk(method.body))
        asked = {p.name for p in parts if isinstance(p, ir.TakenAction)}
        if any(isinstance(p, ir.TakenArgument) for p in parts):
            asked = {a.name for a in self.ir.actions}
        elif not asked:
            return tla.Box(of_any_step, "vars")
        taken = [a for a in self.ir.actions if a.name in asked]
        rest = [a for a in self.ir.actions if a.name not in asked]
        claims = [self._if_taken(method, a, scope) for a in taken]
        if rest:
            some = tla.either(*map(self.some_step, rest))
            claims.append(tla.implies(some, of_any_step))
        return tla.Box(both(*claims), "vars")

    def _if_taken(self, method: Method, action: Method, scope: Expressions) -> Term:
        named = self._parameter_names(action)
        given = {p: Word(n) for p, n in named.items()}
        scope = scope.using(named.values())
        inner = replace(scope, taken=action.name, arguments=given)
        body = inner.value_of(method.body)
        if body == TRUE:
            return TRUE
        step = Apply(self.names.methods[action.name], tuple(given.values()))
        return self._over_parameters("\\A", action, tla.implies(step, body))

    def some_step(self, action: Method) -> Term:
        named = self._parameter_names(action)
        given = tuple(map(Word, named.values()))
        step = Apply(self.names.methods[action.name], given)
        return self._over_parameters("\\E", action, step)

    def _parameter_names(self, action: Method) -> dict[str, str]:
        named: dict[str, str] = {}
        for p in action.parameters:
            used = frozenset(named.values())
            named[p.name] = self.names.local(p.name, used)
        return named

    def _over_parameters(self, sign: str, action: Method, body: Term) -> Term:
        named = self._parameter_names(action)
        for p in reversed(action.parameters):
            every = self.names.set_of(p.domain, True)
            bind = tla.Bind((named[p.name],), every)
            body = quantified(sign, bind, body)
        return body


def updated(function: Term, keys: tuple[Term, ...], value: Term) -> Term:
    """With a value under these keys."""
    if not keys:
        return value
    if isinstance(function, Except):
        update = tla.Update(keys, "", value)
        return Except(function.function, (*function.updates, update))
    old = function
    for key in keys:
        old = tla.Index(old, key)
    if not any(isinstance(t, Except) for t in tla.subterms(value)):
        value = tla.rewritten(value, lambda t: tla.AT if t == old else t)
    return Except(function, (tla.Update(keys, "", value),))


def _targets(text: object) -> Names:
    pieces = walk(text)
    return frozenset(p.variable for p in pieces if isinstance(p, ir.VariableTarget))


def _is_member(node: ir.Expression, domain: IntDomain, method: Method) -> bool:
    """It is certainly a key of the map."""
    if isinstance(node, ir.Literal):
        return bool(node.value == 0)
    if method.role != "action" or not isinstance(node, ir.ReadLocal):
        return False
    ranges = {p.name: p.domain for p in method.parameters}
    of = ranges.get(node.name)
    return isinstance(of, IntDomain) and of.high == domain.high
