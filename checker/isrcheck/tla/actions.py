"""Actions as conjunctions over the next state; properties as predicates.

The last assignment to a variable becomes `x' = value`, and whoever reads the variable after it reads `x'`; an earlier
one becomes a LET definition, or joins the EXCEPT. A helper with effects is an operator where it reads only what is as
at the start of the step; else it is written out.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from isrcheck.ir import nodes as ir
from isrcheck.ir.domains import Domain, IntDomain, MapDomain
from isrcheck.ir.model import Method
from isrcheck.ir.traversal import assigned, walk
from isrcheck.tla import terms as tla
from isrcheck.tla.comprehensions import Scope, quantified
from isrcheck.tla.decide import Decider
from isrcheck.tla.expressions import Expressions
from isrcheck.tla.terms import TRUE, Apply, Definition, Except, Infix, Prefix, Prime, Term, Word, both, chosen, is_short
from isrcheck.tla.vocabulary import Vocabulary, free_local

Names = frozenset[str]
Statements = tuple[ir.Statement, ...]


class Later(NamedTuple):
    """What happens behind a statement: variables written there, and the rest of its block."""

    writes: Names = frozenset()
    rest: Statements = ()


@dataclass
class Conjunction:
    """An action's text so far; `scope` is that behind it."""

    method: Method
    scope: Scope
    definitions: list[Definition] = field(default_factory=list)
    conjuncts: list[Term] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)  # written, whether finally or not

    @property
    def reading(self) -> Scope:
        return replace(self.scope, used=self.scope.used.union(d.name for d in self.definitions))

    def define(self, expressions: Expressions, name: str, term: Term) -> Word:
        """A new definition of this name, or one like it."""
        inner = tla.subterms((tuple(self.conjuncts), tuple(self.definitions)))
        bound = {name for t in inner if isinstance(t, tla.Bind) for name in t.names}
        taken = replace(self.reading, used=self.reading.used | bound)
        fresh, number = expressions.local(name, taken), 2
        while fresh.endswith("_") and not name.endswith("_"):
            fresh = expressions.local(f"{name}{number}", taken)
            number += 1
        self.definitions.append(Definition(fresh, (), term))
        return Word(fresh)

    def know(self, name: str, term: Term, kind: Domain | None) -> None:
        self.scope = self.scope.knowing(name, term, kind)

    def set(self, values: dict[str, Term]) -> None:
        self.scope = replace(self.scope, state={**self.scope.state, **values})

    def term(self, *further: Term) -> Term:
        """The conjunction, with further conjuncts, and the definitions that it uses."""
        body = both(*self.conjuncts)
        used = tla.words(body)
        kept: list[Definition] = []
        for definition in reversed(self.definitions):
            if definition.name in used:
                kept.insert(0, definition)
                used |= tla.words(definition.value)
        return tla.let(kept, both(body, *further))


class Actions:
    """Turns the actions and the helpers with effects of one model into terms."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.ir = expressions.ir
        self.decide = Decider(expressions)
        self.performed: set[str] = set()  # helpers with effects that are operators

    def action(self, method: Method) -> Term:
        written = self.written(method.body)
        return self._run(method).term(self.unchanged(v.name for v in self.ir.variables if v.name not in written))

    def effect(self, method: Method) -> Term:
        """The conjunction of a helper with effects, without what it does not write."""
        return self._run(method).term()

    def _run(self, method: Method) -> Conjunction:
        made = Conjunction(method, self.expressions.parameters(method))
        self._block(method.body, made, Later())
        return made

    def unchanged(self, names: Iterable[str]) -> Term:
        """UNCHANGED of these variables, in declaration order; TRUE if there are none."""
        named = set(names)
        kept = [self._variable(v.name) for v in self.ir.variables if v.name in named]
        if not kept:
            return TRUE
        if len(kept) == len(self.ir.variables):
            return Prefix("UNCHANGED", Word("vars"))
        return Prefix("UNCHANGED", kept[0] if len(kept) == 1 else tla.sequence(kept))

    def written(self, text: object) -> Names:
        """The variables that statements write, themselves or through helpers."""
        pieces = walk(self.expressions.with_helpers(text))
        return frozenset(piece.variable for piece in pieces if isinstance(piece, ir.VariableTarget))

    def _variable(self, name: str) -> Word:
        return Word(self.expressions.names.variables[name])

    def _primed(self, names: Names) -> dict[str, Term]:
        return {name: Prime(self._variable(name)) for name in names}

    def _block(self, block: Statements, made: Conjunction, later: Later) -> None:
        for position, statement in enumerate(block):
            rest = block[position + 1 :]
            after = Later(later.writes | self.written(rest), rest)
            match statement:
                case ir.Require(condition):
                    made.conjuncts.append(self.expressions.term(condition, made.reading))
                case ir.Assign():
                    self._assign(statement, made, after)
                case ir.When():
                    self._when(statement, made, after)
                case ir.Perform(helper, arguments):
                    self._perform(self.ir.helpers[helper], arguments, made, after)
                case _:
                    raise AssertionError(f"{type(statement).__name__} in an action")

    def _assign(self, statement: ir.Assign, made: Conjunction, later: Later) -> None:
        kinds = [self.expressions.domain(value, made.scope) for value in statement.values]
        values = self.expressions.terms(statement.values, made.reading)
        for position, (target, term, kind) in enumerate(zip(statement.targets, values, kinds, strict=True)):
            if isinstance(target, str):
                made.know(target, term if isinstance(term, Word) else made.define(self.expressions, target, term), kind)
                continue
            others = {t.variable for t in statement.targets[position + 1 :] if isinstance(t, ir.VariableTarget)}
            self._write(target, term, made, later._replace(writes=later.writes | others))

    def _write(self, target: ir.VariableTarget, value: Term, made: Conjunction, later: Later) -> None:
        keys = self.expressions.terms(target.keys, made.reading)
        made.conjuncts += self._within(target, keys, made.method)
        now = made.scope.state.get(target.variable, self._variable(target.variable))
        self._set(target.variable, updated(now, keys, value), made, later)

    def _set(self, variable: str, term: Term, made: Conjunction, later: Later) -> None:
        made.touched.add(variable)
        if variable not in later.writes:
            primed = Prime(self._variable(variable))
            made.conjuncts.append(Infix("=", primed, term))
            term = primed
        elif not is_short(term) and (not isinstance(term, Except) or variable in self.expressions.read_by(later.rest)):
            # (An EXCEPT that nothing reads before is joined by what is written later.)
            term = made.define(self.expressions, f"{variable}_now", term)
        made.set({variable: term})

    def _within(self, target: ir.VariableTarget, keys: tuple[Term, ...], method: Method) -> list[Term]:
        """That the keys are there: a write beyond the last key of a map does not happen."""
        domain: Domain = next(v.domain for v in self.ir.variables if v.name == target.variable)
        conditions: list[Term] = []
        for node, key in zip(target.keys, keys, strict=True):
            assert isinstance(domain, MapDomain)
            if isinstance(domain.key, IntDomain) and not _is_member(node, domain.key, method):
                conditions.append(Infix("\\in", key, self.expressions.names.set_of(domain.key, True)))
            domain = domain.value
        return conditions

    def _when(self, statement: ir.When, made: Conjunction, later: Later) -> None:
        condition = self.expressions.term(statement.condition, made.reading)
        writes = self.written(statement)
        decided = self.decide.truth(condition)
        if decided is not None:
            taken = statement.then if decided else statement.other
            self._block(taken, made, Later(later.writes))
            for variable in sorted(writes - self.written(taken) - later.writes - made.touched):
                now = made.scope.state.get(variable, self._variable(variable))
                self._set(variable, now, made, later)
        elif assigned(statement) or writes & later.writes or writes & made.touched:
            self._merged(statement, condition, made, later)
        else:
            branches = [self._branch(block, made, writes) for block in (statement.then, statement.other)]
            made.conjuncts.append(chosen(condition, *branches))
            made.touched |= writes
            made.set(self._primed(writes))

    def _branch(self, block: Statements, around: Conjunction, writes: Names) -> Term:
        """One branch of an IF whose branches are conjunctions over the next state."""
        made = Conjunction(around.method, around.reading)
        self._block(block, made, Later())
        return made.term(self.unchanged(writes - self.written(block)))

    def _merged(self, statement: ir.When, condition: Term, made: Conjunction, later: Later) -> None:
        """Both branches as values: each variable and local name is an IF over them."""
        before = made.scope
        one = self._valued(statement.then, made, before)
        two = self._valued(statement.other, made, replace(before, used=one.scope.used))
        made.conjuncts.append(chosen(condition, both(*one.conjuncts), both(*two.conjuncts)))
        values, others = one.scope.locals, two.scope.locals
        for name in sorted(values.keys() & others.keys()):
            if values[name] != others[name]:
                term = made.define(self.expressions, name, chosen(condition, values[name], others[name]))
                made.know(name, term, one.scope.kinds[name])
            elif name not in before.locals:
                made.know(name, values[name], one.scope.kinds[name])
        writes = self.written(statement)
        for variable in (v.name for v in self.ir.variables if v.name in writes):
            then, other = (b.scope.state.get(variable, self._variable(variable)) for b in (one, two))
            self._set(variable, chosen(condition, then, other), made, later)

    def _valued(self, block: Statements, around: Conjunction, scope: Scope) -> Conjunction:
        """A branch in which each variable has a term; its conjuncts are its guards."""
        made = Conjunction(around.method, scope, around.definitions)
        self._block(block, made, Later(frozenset(v.name for v in self.ir.variables)))
        return made

    def _perform(self, helper: Method, arguments: tuple[ir.Expression, ...], made: Conjunction, later: Later) -> None:
        given = self.expressions.terms(arguments, made.reading)
        writes, reads = self.written(helper.body), self.expressions.read_by(helper.body)
        if writes and not (writes & later.writes or (writes | reads) & made.scope.state.keys()):
            name = next(n for n, m in self.ir.helpers.items() if m is helper)
            self.performed.add(name)
            made.conjuncts.append(Apply(self.expressions.names.methods[name], given))
            made.touched |= writes
            made.set(self._primed(writes))
            return
        caller, outer = made.method, made.scope
        made.method, made.scope = helper, replace(outer, locals={}, kinds={})
        for parameter, argument in zip(helper.parameters, given, strict=True):
            term = argument if is_short(argument) else made.define(self.expressions, parameter.name, argument)
            made.know(parameter.name, term, parameter.domain)
        self._block(helper.body, made, Later(later.writes))
        made.method, made.scope = caller, replace(outer, state=made.scope.state, used=made.scope.used)


def updated(function: Term, keys: tuple[Term, ...], value: Term) -> Term:
    """A variable's value with another one under these keys."""
    if not keys:
        return value
    if isinstance(function, Except):
        return Except(function.function, (*function.updates, tla.Update(keys, "", value)))
    old = function
    for key in keys:
        old = tla.Index(old, key)
    if not any(isinstance(inner, Except) for inner in tla.subterms(value)):
        value = tla.rewritten(value, lambda term: tla.AT if term == old else term)
    return Except(function, (tla.Update(keys, "", value),))


def _is_member(node: ir.Expression, domain: IntDomain, method: Method) -> bool:
    """Whether a key is certainly one of the map's."""
    if isinstance(node, ir.Literal):
        return bool(node.value == 0)
    ranges: dict[str, Domain] = {p.name: p.domain for p in method.parameters} if method.role == "action" else {}
    of = ranges.get(node.name) if isinstance(node, ir.ReadLocal) else None
    return isinstance(of, IntDomain) and of.high == domain.high


def predicate(expressions: Expressions, method: Method) -> Term:
    return expressions.value_of(method.body, Scope())


def step_property(expressions: Expressions, method: Method) -> Term:
    """[][what holds of a step]_vars; for each action, where the action taken matters."""
    vocabulary, actions = expressions.names, expressions.ir.actions
    scope = Scope(state={name: Prime(Word(term)) for name, term in vocabulary.variables.items()})
    asked = {p.name for p in walk(method.body) if isinstance(p, ir.TakenAction)}
    arguments = any(isinstance(p, ir.TakenArgument) for p in walk(method.body))
    of_any_step = expressions.value_of(method.body, scope)
    if not asked and not arguments:
        return tla.Box(of_any_step, "vars")
    rest = [a for a in actions if a.name not in asked and not arguments]
    taken = [_if_taken(expressions, method, a, scope) for a in actions if a not in rest]
    some = tla.either(*(some_step(vocabulary, a) for a in rest))
    return tla.Box(both(*taken, tla.implies(some, of_any_step) if rest else TRUE), "vars")


def _if_taken(expressions: Expressions, method: Method, action: Method, scope: Scope) -> Term:
    named = parameter_names(expressions.names, action)
    given = {p: Word(n) for p, n in named.items()}
    inner = replace(scope, taken=action.name, arguments=given, used=scope.used.union(named.values()))
    body = expressions.value_of(method.body, inner)
    step = Apply(expressions.names.methods[action.name], tuple(given.values()))
    return body if body == TRUE else over_parameters("\\A", expressions.names, action, tla.implies(step, body))


def some_step(vocabulary: Vocabulary, action: Method) -> Term:
    named = parameter_names(vocabulary, action)
    step = Apply(vocabulary.methods[action.name], tuple(map(Word, named.values())))
    return over_parameters("\\E", vocabulary, action, step)


def parameter_names(vocabulary: Vocabulary, action: Method) -> dict[str, str]:
    named: dict[str, str] = {}
    for parameter in action.parameters:
        taken = vocabulary.taken | set(named.values())
        named[parameter.name] = free_local(parameter.name, taken, vocabulary.variables.values())
    return named


def over_parameters(sign: str, vocabulary: Vocabulary, action: Method, body: Term) -> Term:
    named = parameter_names(vocabulary, action)
    for parameter in reversed(action.parameters):
        body = quantified(sign, tla.Bind((named[parameter.name],), vocabulary.set_of(parameter.domain, True)), body)
    return body
