"""Expressions of a model as TLA+ terms.

A variable is read from the scope's state: the same text serves before, in and after a step. `or` becomes an implication
where its right side needs the left one false: TLC tries every part of a disjunction in a guard.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Self, assert_never

from msgspec.structs import replace

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.check.fit import present
from isrcheck.ir.domains import Domain, IntDomain, MapDomain, OptionalDomain, SequenceDomain, SetDomain, SumDomain
from isrcheck.ir.model import Method, Parameter
from isrcheck.ir.nodes import Operator, walk
from isrcheck.tla import terms as tla
from isrcheck.tla.comprehensions import Kind, Node, Scope, quantify
from isrcheck.tla.terms import FALSE, TRUE, Apply, Infix, Lexeme, Prefix, Term, both, choose, is_short, plus
from isrcheck.tla.vocabulary import apply_from_left, field, is_bag, lower

Terms = tuple[Term, ...]
Definitions = tuple[tla.Definition, ...]
Block = tuple[ir.Statement, ...]
Names = frozenset[str]
Ranging = Callable[[Method, Parameter], Term]


class Expressions(Scope, frozen=True):
    def terms(self, nodes: Iterable[Node]) -> Terms:
        return tuple(map(self.term, nodes))

    def term(self, node: Node) -> Term:
        match node:
            case ir.Literal(value):
                return self.names.atom(value)
            case ir.ReadConstant(name):
                return Lexeme(self.names.constants[name])
            case ir.ReadVariable(name, old):
                now = self.names.variable(name)
                return now if old else self.state.get(name, now)
            case ir.ReadLocal(name):
                return self.locals[name]
            case ir.ReadField(record, name):
                self._risk(record)
                return tla.Dot(self.term(record), field(name))
            case ir.Item():
                return self._item(node)
            case ir.Slice():
                return self._slice(node)
            case ir.Operation():
                return self._operation(node)
            case ir.Not(operand):
                return tla.negate(self.term(operand))
            case ir.Conditional(_, ir.Item(bag, element), ir.Literal(0)) if is_bag(self.domain(bag)):
                return Apply("CopiesIn", self.terms((element, bag)))
            case ir.Conditional(condition, then, other):
                return choose(*self.terms((condition, then, other)))
            case ir.MakeRecord(of, fields):
                names = (name for name, _ in of.fields)
                return self.names.fields(of.name, zip(names, self.terms(fields), strict=True))
            case ir.IsMember(value, of):
                known = self.domain(value)
                asked = self.names.is_member(self.term(value), of, known)
                return asked if isinstance(present(known), SumDomain) or present(known) != known else TRUE
            case ir.Narrowed(value):
                self.risks.met += 1
                return self.term(value)
            case ir.ReplaceFields(of, new):
                self._risk(of)
                updates = (tla.Update((), field(n), self.term(e)) for n, e in new)
                return tla.Except(self.term(of), tuple(updates))
            case ir.MakeSequence(elements):
                return tla.sequence(self.terms(elements))
            case ir.MakeSet(elements):
                return tla.braces(self.terms(elements))
            case ir.Subsets(of):
                return Prefix("SUBSET", self.term(of))
            case ir.Everything(domain):
                return self.names.set_of(domain, True)
            case ir.IntegerRange(low, stop):
                return Infix("..", self.term(low), plus(self.term(stop), -1))
            case ir.Comprehension():
                return self.comprehension(node)
            case ir.Extreme(kind, parts):
                self._risk(*parts)
                name = "Max" if kind is ir.Gathering.MAX else "Min"
                return apply_from_left(name, self.terms(parts))
            case ir.Length(of):
                return self._length(of)
            case ir.Call():
                return self._call(node)
            case ir.Let(name, value, body):
                return self.with_local(name, self.term(value), self.domain(value)).term(body)
            case ir.TakenAction(name):
                return TRUE if name == self.taken else FALSE
            case ir.TakenArgument(name):
                return self.arguments.get(name, Lexeme(lower(name)))
            case ir.Enabled(name, before):
                action = next(each for each in self.model.actions if each.name == name)
                asked = Prefix("ENABLED", self.some_step(action))
                return tla.Prime(asked) if self.state and not before else asked
            case _:
                assert_never(node)

    def _risk(self, *nodes: Node) -> None:
        """Count the operands that may be None: a term of them has no value in some states."""
        self.risks.met += sum(isinstance(self.domain(node), OptionalDomain) for node in nodes)

    def _item(self, node: ir.Item) -> Term:
        self._risk(node.container, node.key)
        of = self.term(node.container)
        key = self.term(node.key)
        if isinstance(self.kind(node.container), MapDomain):
            is_number = isinstance(self.kind(node.key), IntDomain)
            self.risks.met += is_number and not isinstance(node.key, ir.ReadLocal)
            return tla.Index(of, key)
        self.risks.met += 1
        if isinstance(node.key, ir.Literal) and node.key.value == -1:
            return Apply("Last", (of,))
        return tla.Index(of, plus(key, 1))

    def _slice(self, node: ir.Slice) -> Term:
        self._risk(node.sequence)
        of = self.term(node.sequence)
        start = self.term(node.start) if node.start is not None else Lexeme("0")
        is_whole = start == Lexeme("0")
        if node.stop is None:
            return of if is_whole else Apply("Suffix", (of, start))
        stop = self.term(node.stop)
        if is_whole:
            return Apply("Prefix", (of, stop))
        return Apply("Slice", (of, start, stop))

    def _length(self, of: Node) -> Term:
        self._risk(of)
        term = self.term(of)
        match self.kind(of):
            case MapDomain() as domain if is_bag(domain):
                return Apply("BagCardinality", (term,))
            case MapDomain():
                return Apply("Cardinality", (Prefix("DOMAIN", term),))
            case SetDomain():
                return Apply("Cardinality", (term,))
        return Apply("Len", (term,))

    def _operation(self, node: ir.Operation) -> Term:
        if node.operator in (Operator.IN, Operator.NOT_IN):
            return self._membership(node)
        one, before = self.term(node.left), self.risks.met
        two = self.term(node.right)
        match node.operator:
            case Operator.AND:
                return both(one, two)
            case Operator.OR if self.risks.met > before:
                return tla.implies(tla.negate(one), two)
            case Operator.OR:
                return tla.either(one, two)
            case Operator.EQ:
                return Infix("=", one, two)
            case Operator.NE:
                return Infix("#", one, two)
        match self.kind(node.left):
            case SetDomain():
                return tla.set_operation(node.operator, one, two)
            case SequenceDomain():
                return tla.concatenate(one, two)
        return self._arithmetic(node, one, two)

    def _arithmetic(self, node: ir.Operation, one: Term, two: Term) -> Term:
        self._risk(node.left, node.right)
        match node.operator, two:
            case Operator.ADD, Lexeme(digits) if digits.isdigit():
                return plus(one, int(digits))
            case Operator.SUB, Lexeme(digits) if digits.isdigit():
                return plus(one, -int(digits))
            case Operator.SUB, _ if one == Lexeme("0"):
                return Prefix("-", two)
            case ((Operator.DIV | Operator.MOD), _):
                self.risks.met += 1
        return Infix(tla.SIGNS.get(node.operator, node.operator.value), one, two)

    def _membership(self, node: ir.Operation) -> Term:
        self._risk(node.right)
        sign = tla.SIGNS[node.operator]
        element = self.term(node.left)
        if isinstance(node.right, ir.MakeSequence):
            return Infix(sign, element, tla.braces(self.terms(node.right.elements)))
        of = self.term(node.right)
        if is_bag(self.kind(node.right)):
            there = Apply("BagIn", (element, of))
            return there if node.operator is Operator.IN else tla.negate(there)
        if isinstance(self.kind(node.right), SequenceDomain):
            of = Apply("Range", (of,))
        return Infix(sign, element, of)

    def reads(self, nodes: object) -> set[str]:
        return {p.name for p in walk(self.model.with_helpers(nodes)) if isinstance(p, ir.ReadVariable)}

    def writes(self, nodes: object) -> Names:
        return targets(self.model.with_helpers(nodes))

    def _call(self, node: ir.Call) -> Term:
        """A helper by its name, where it is asked of one whole state; else its text."""
        helper = self.model.helpers[node.helper]
        given = self.terms(node.arguments)
        reads = self.reads(helper.body)
        self.risks.met += self._risky(node.helper)
        asked = Apply(self.names.methods[node.helper], given)
        state = {} if node.before else self.state
        if not reads & state.keys():
            return asked
        variables = self.names.variables
        varying = {*variables.values(), *self.names.methods.values()} & tla.words(given)
        is_next = all(state.get(n) == term for n, term in self.names.prime_variables(reads).items())
        if is_next and len(state) == len(variables) and not varying:
            return tla.Prime(asked)
        inner = replace(self, state=state)
        return inner._inline(helper, given)

    def _risky(self, helper: str) -> bool:
        known = self.risks.of_helpers
        if helper not in known:
            before, self.risks.met = self.risks.met, 0
            method = self.model.helpers[helper]
            self.parameters(method).value_of(method.body)
            known[helper] = self.risks.met > 0
            self.risks.met = before
        return known[helper]

    def parameters(self, method: Method) -> Self:
        """The scope of a method's body."""
        names = self.params(method)
        words = {p: Lexeme(n) for p, n in names.items()}
        kinds = {p.name: p.domain for p in method.parameters}
        root = type(self)(self.model, self.names, self.risks, words, kinds)
        return root.with_used_names(names.values())

    def params(self, method: Method) -> dict[str, str]:
        names: dict[str, str] = {}
        for p in method.parameters:
            names[p.name] = self.names.local(p.name, self.used.union(names.values()))
        return names

    def _inline(self, helper: Method, arguments: Terms) -> Term:
        """Longer arguments get a name."""
        lets: Definitions = ()
        inner = replace(self, locals={}, kinds={})
        for p, term in zip(helper.parameters, arguments, strict=True):
            more, inner = inner._define(p.name, term, p.domain, is_short(term))
            lets += more
        value = inner.value_of(helper.body)
        used = tla.words(value)
        return tla.let((let for let in lets if let.name in used), value)

    def value_of(self, body: Block) -> Term:
        node, rest = body[0], body[1:]
        match node:
            case ir.Return(value):
                return self.term(value)
            case ir.When(test, then, other, cover=cover):
                one = self.value_of(then + rest)
                if cover is not None:
                    return one
                return choose(self.term(test), one, self.value_of(other + rest))
            case ir.Assign():
                return self._let(node, rest)
        raise ModelError(node.at, "a pure body does something.", "It may only return a value.")

    def _let(self, node: ir.Assign, rest: Block) -> Term:
        lets: Definitions = ()
        inner = self
        for target, value in zip(node.targets, node.values, strict=True):
            assert isinstance(target, str)
            term, kind = self.with_used_names(inner.used).term(value), self.domain(value)
            more, inner = inner._define(target, term, kind, isinstance(term, Lexeme))
            lets += more
        body = inner.value_of(rest)
        if isinstance(body, tla.LetIn):
            lets += body.definitions
            body = body.body
        return tla.let(lets, body)

    def _define(self, name: str, term: Term, kind: Kind, plain: bool) -> tuple[Definitions, Self]:
        """A local name for a term, `plain` or by a definition; and the scope with it."""
        if plain:
            return (), self.with_local(name, term, kind)
        fresh = self.local(name)
        return (tla.Definition(fresh, (), term),), self.with_local(name, Lexeme(fresh), kind, fresh)

    def range_in_state(self, action: Method, parameter: Parameter) -> Term:
        """The set that a parameter ranges over: a set or bag of the state, if the action requires membership in it."""
        for condition in _first_required(action.body):
            match condition:
                case ir.Operation(ir.Operator.IN, element, ir.ReadVariable(of)):
                    while isinstance(element, ir.Narrowed):
                        element = element.value
                    is_it = isinstance(element, ir.ReadLocal) and element.name == parameter.name
                    if is_it and (members := self._those_in(of, parameter.domain)):
                        return members
        return self.names.set_of(parameter.domain, True)

    def _those_in(self, variable: str, wanted: Domain) -> Term | None:
        """The elements of a variable that are of the wanted class, as a set."""
        within, every = self.names.variable(variable), {v.name: v.domain for v in self.model.variables}
        match every[variable]:
            case MapDomain(element):
                there: Term = Apply("BagToSet", (within,))
            case SetDomain(of) if of is not None:
                element, there = of, within
            case _:
                return None
        if element == wanted:
            return there
        if not isinstance(element, SumDomain) or wanted not in element.members:
            return None
        name = self.names.letter(wanted, self.used)
        return tla.Binder("{", (tla.Bind((name,), there),), self.names.is_member(Lexeme(name), wanted, element))

    def some_step(self, action: Method) -> Term:
        return self.over("\\E", action, self.step(action), self.range_in_state)

    def step(self, action: Method) -> Term:
        names = self.params(action)
        return Apply(self.names.methods[action.name], tuple(map(Lexeme, names.values())))

    def over(self, sign: str, action: Method, body: Term, ranging: Ranging | None = None) -> Term:
        """Quantify a body over an action's parameters: over all values, or over those that `ranging` gives."""
        names = self.params(action)
        for p in reversed(action.parameters):
            of = ranging(action, p) if ranging else self.names.set_of(p.domain, True)
            body = quantify(sign, tla.Bind((names[p.name],), of), body)
        return body


def _first_required(body: Block) -> Iterator[ir.Expression]:
    """Yield the conditions that a method requires before its first effect."""
    for node in body:
        if not isinstance(node, ir.Require):
            return
        yield from _conjuncts(node.condition)


def _conjuncts(condition: ir.Expression) -> Iterator[ir.Expression]:
    match condition:
        case ir.Operation(ir.Operator.AND, left, right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield condition


def targets(nodes: object) -> Names:
    pieces = walk(nodes)
    return frozenset(p.variable for p in pieces if isinstance(p, ir.VariableTarget))
