"""Methods with effects, written as conjunctions over the next state.

The last assignment to a variable becomes `x' = value`, and whoever reads the variable after it reads `x'`; an earlier
one becomes a LET definition, or joins the EXCEPT. A helper with effects is an operator where it reads only what is as
at the start of the step; else it is written out.
"""

from collections.abc import Set
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.domains import IntDomain, MapDomain, SequenceDomain
from isrcheck.ir.model import Method
from isrcheck.ir.nodes import locals_assigned_in
from isrcheck.tla import terms as tla
from isrcheck.tla.comprehensions import Kind
from isrcheck.tla.decide import Decider
from isrcheck.tla.expressions import Block, Expressions, Names, Terms, targets
from isrcheck.tla.terms import (
    TRUE,
    Apply,
    Definition,
    Except,
    Infix,
    Lexeme,
    Prefix,
    Prime,
    Term,
    both,
    choose,
    is_short,
)
from isrcheck.tla.vocabulary import is_bag


class Operators:
    """The operators of a module: its names, and the helpers with effects that are operators."""

    def __init__(self, root: Expressions) -> None:
        self.root, self.names = root, root.names
        self.decide = Decider(root)
        self.performed: set[str] = set()

    def frame_condition(self, names: Set[str]) -> Term:
        """Return the condition that these variables stay as they are."""
        every = [v.name for v in self.root.model.variables]
        unchanged = [self.names.variable(n) for n in every if n in names]
        if not unchanged:
            return TRUE
        of = unchanged[0] if len(unchanged) == 1 else tla.sequence(unchanged)
        return Prefix("UNCHANGED", Lexeme("vars") if len(unchanged) == len(every) else of)


class Continuation(NamedTuple):
    """The statements after a statement, and the variables that they write."""

    writes: Names = frozenset()  # variables
    rest: Block = ()  # of its block


class Conjunction(Struct):
    """An action's text so far."""

    operators: Operators
    method: Method
    scope: Expressions  # behind it
    lets: list[Definition] = []
    terms: list[Term] = []
    touched: set[str] = set()  # written, whether finally or not

    @property
    def reading(self) -> Expressions:
        names = [d.name for d in self.lets]
        return self.scope.with_used_names(names)

    def term(self, *further: Term) -> Term:
        """The conjunction, with further conjuncts, and the definitions that it uses."""
        body = both(*self.terms)
        used = tla.words(body)
        kept: list[Definition] = []
        for let in reversed(self.lets):
            if let.name in used:
                kept.insert(0, let)
                used |= tla.words(let.value)
        return tla.let(kept, both(body, *further))

    def block(self, block: Block, later: Continuation) -> None:
        for i, node in enumerate(block, 1):
            rest = block[i:]
            after = Continuation(later.writes | self.scope.writes(rest), rest)
            match node:
                case ir.Require(condition):
                    self.terms.append(self.reading.term(condition))
                case ir.Assign():
                    self._write(node, after)
                case ir.When():
                    self._when(node, after)
                case ir.Perform():
                    self._call(node, after)
                case ir.Repeat():
                    self._repeat(node, after)
                case _:
                    raise AssertionError(f"{type(node).__name__} in an action")

    def _define(self, name: str, term: Term, beside: Terms = ()) -> Lexeme:
        """A name like this one, defined; it means nothing else in terms `beside` it."""
        scope = self.reading.with_used_names(tla.bound_names((*self.terms, *self.lets, *beside)))
        new, n = scope.local(name), 2
        while new.endswith("_") and not name.endswith("_"):
            new = scope.local(f"{name}{n}")
            n += 1
        self.lets.append(Definition(new, (), term))
        return Lexeme(new)

    def _know(self, name: str, term: Term, kind: Kind, plain: bool, beside: Terms = ()) -> None:
        if not plain:
            term = self._define(name, term, beside)
        self.scope = self.scope.with_local(name, term, kind)

    def _now(self, variable: str) -> Term:
        """Return the value that a variable has after the statements so far."""
        return self.scope.state.get(variable, self.operators.names.variable(variable))

    def _add(self, term: Term, writes: Names) -> None:
        """A conjunct that writes these variables."""
        self.terms.append(term)
        self.touched |= writes
        self.scope = self.scope.after(self.operators.names.prime_variables(writes))

    def _write(self, node: ir.Assign, later: Continuation) -> None:
        kinds = [*map(self.scope.domain, node.values)]
        values = self.reading.terms(node.values)
        for i, target in enumerate(node.targets):
            value = values[i]
            if isinstance(target, str):
                self._know(target, value, kinds[i], isinstance(value, Lexeme), (*values,))
                continue
            after = later._replace(writes=later.writes | targets(node.targets[i + 1 :]))
            if target.keys and is_bag(self._domain_of(target)):
                given = node.values[i]
                assert isinstance(given, ir.Operation)
                one = Apply("SetToBag", (tla.braces(self.reading.terms(target.keys)),))
                sign = "(+)" if given.operator is ir.Operator.ADD else "(-)"
                self._become(target.variable, Infix(sign, self._now(target.variable), one), after)
            else:
                self._put(target, value, after)

    def _repeat(self, node: ir.Repeat, later: Continuation) -> None:
        """One more of each in a bag, or the same on each of several channels."""
        (change,) = node.body
        assert isinstance(change, ir.Assign)
        (to,), (value,) = change.targets, change.values
        assert isinstance(to, ir.VariableTarget)
        _refuse_twice(node.source, self.reading)
        now, every = self._now(to.variable), self.reading.term(node.source)
        if is_bag(self._domain_of(to)):
            self._become(to.variable, Infix("(+)", now, Apply("SetToBag", (every,))), later)
            return
        name = self.reading.local("channel")
        inner = self.reading.with_local(node.target, Lexeme(name), self._domain_of(to).key, name)
        longer = choose(Infix("\\in", Lexeme(name), every), inner.term(value), tla.Index(now, Lexeme(name)))
        self._become(to.variable, tla.function(name, Prefix("DOMAIN", now), longer), later)

    def _domain_of(self, target: ir.VariableTarget) -> MapDomain:
        domain = next(v.domain for v in self.scope.model.variables if v.name == target.variable)
        assert isinstance(domain, MapDomain)
        return domain

    def _put(self, to: ir.VariableTarget, value: Term, later: Continuation) -> None:
        keys = self.reading.terms(to.keys)
        self.terms += self._within(to, keys)
        name = to.variable
        value = update_function(self._now(name), keys, value)
        self._become(name, value, later)

    def _become(self, name: str, term: Term, later: Continuation) -> None:
        self.touched.add(name)
        if name not in later.writes:
            primed = Prime(self.operators.names.variable(name))
            self.terms.append(Infix("=", primed, term))
            term = primed
        elif not (is_short(term) and not tla.bound_names((term,))) and (
            not isinstance(term, Except) or name in self.scope.reads(later.rest)
        ):
            # (An EXCEPT that nothing reads before is joined by what is written later.)
            term = self._define(f"{name}_now", term)
        self.scope = self.scope.after({name: term})

    def _within(self, target: ir.VariableTarget, keys: Terms) -> list[Term]:
        """The conditions that all keys exist: a write beyond the last key of a map does not happen."""
        every = self.scope.model.variables
        domain = next(v.domain for v in every if v.name == target.variable)
        conditions: list[Term] = []
        for node, term in zip(target.keys, keys, strict=True):
            assert isinstance(domain, MapDomain)
            key = domain.key
            if isinstance(key, IntDomain) and not _is_member(node, key, self.method):
                conditions.append(Infix("\\in", term, self.operators.names.set_of(key, True)))
            domain = domain.value
        return conditions

    def _when(self, node: ir.When, later: Continuation) -> None:
        test = self.reading.term(node.condition)
        writes = self.scope.writes(node)
        decided = self.operators.decide.truth(test)
        if decided is not None:
            taken = node.then if decided or node.cover else node.other
            self.block(taken, Continuation(later.writes))
            kept = writes - self.scope.writes(taken)
            kept -= later.writes | self.touched
            for name in sorted(kept):
                self._become(name, self._now(name), later)
        elif locals_assigned_in(node) or writes & (later.writes | self.touched):
            self._merge(node, test, later)
        else:
            branches = [self._branch(block, writes) for block in (node.then, node.other)]
            self._add(choose(test, *branches), writes)

    def _branch(self, block: Block, writes: Names) -> Term:
        """One branch of an IF whose branches are conjunctions over the next state."""
        branch = Conjunction(self.operators, self.method, self.reading)
        branch.block(block, Continuation())
        return branch.term(self.operators.frame_condition(writes - self.scope.writes(block)))

    def _merge(self, node: ir.When, condition: Term, later: Continuation) -> None:
        before = self.scope
        one = self._conjoin_next_values(node.then, before.used)
        two = self._conjoin_next_values(node.other, one.scope.used)
        self.terms.append(choose(condition, both(*one.terms), both(*two.terms)))
        others = (one if node.cover else two).scope.locals  # no value is without a case
        for name in sorted(others.keys() & one.scope.locals):
            value, kind = one.scope.locals[name], one.scope.kinds[name]
            if value != others[name]:
                self._know(name, choose(condition, value, others[name]), kind, False)
            elif value != before.locals.get(name):
                self._know(name, value, kind, True)
        writes = before.writes(node)
        for v in before.model.variables:
            if v.name in writes:
                term = choose(condition, one._now(v.name), two._now(v.name))
                self._become(v.name, term, later)

    def _conjoin_next_values(self, block: Block, used: Names) -> "Conjunction":
        scope = replace(self.scope, used=used)
        conjunction = Conjunction(self.operators, self.method, scope, self.lets)
        conjunction.block(block, Continuation(frozenset(scope.names.variables)))
        return conjunction

    def _call(self, node: ir.Perform, later: Continuation) -> None:
        outer = self.scope
        helper = outer.model.helpers[node.helper]
        given = self.reading.terms(node.arguments)
        writes = outer.writes(helper.body)
        used = writes | outer.reads(helper.body)
        if writes and not (writes & later.writes or used & outer.state.keys()):
            self.operators.performed.add(node.helper)
            self._add(Apply(outer.names.methods[node.helper], given), writes)
            return
        caller, self.method = self.method, helper
        self.scope = replace(outer, locals={}, kinds={})
        for p, term in zip(helper.parameters, given, strict=True):
            self._know(p.name, term, p.domain, is_short(term))
        self.block(helper.body, Continuation(later.writes))
        inner, self.method = self.scope, caller
        self.scope = replace(outer, state=inner.state, used=inner.used)


def _refuse_twice(node: ir.Comprehension, scope: Expressions) -> None:
    """A set has each of its elements once, and a bag as often as it was sent."""
    element = node.element
    parts = element.fields if isinstance(element, ir.MakeRecord) else (element,)
    named = {element_field.name for element_field in parts if isinstance(element_field, ir.ReadLocal)}
    inner = scope
    for clause in node.clauses:
        if clause.target not in named or isinstance(inner.kind(clause.source), SequenceDomain):
            remedy = "Send records that have each name behind `for` as a field, of a set."
            raise ModelError(node.at, "what is sent to all may be the same twice, which has no form in TLA+.", remedy)
        _, inner = inner._element(clause)


def update_function(function: Term, keys: tuple[Term, ...], value: Term) -> Term:
    """A variable's value with another one under these keys."""
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


def _is_member(node: ir.Expression, domain: IntDomain, method: Method) -> bool:
    """Whether a key is certainly one of the map's."""
    if isinstance(node, ir.Literal):
        return bool(node.value == 0)
    if method.role != "action" or not isinstance(node, ir.ReadLocal):
        return False
    of = {p.name: p.domain for p in method.parameters}.get(node.name)
    return isinstance(of, IntDomain) and of.high == domain.high
