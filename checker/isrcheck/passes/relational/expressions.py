"""Expressions of a model's IR, after inlining, as values in terms. Quantifiers stay quantifiers."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from isrcheck.errors import UsageError
from isrcheck.ir import nodes
from isrcheck.ir.domains import RecordDomain, SetDomain, SortDomain
from isrcheck.ir.frozen import Frozen
from isrcheck.ir.nodes import Expression, Gathering, Operator
from isrcheck.passes.relational import terms as t
from isrcheck.passes.relational import values as v
from isrcheck.passes.relational.chosen import Chosen
from isrcheck.passes.relational.terms import Term
from isrcheck.passes.relational.values import Value
from isrcheck.place import Place

_COMPARED = {Operator.LT: "<", Operator.LE: "<=", Operator.GT: ">", Operator.GE: ">="}
_ARITHMETIC = {Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.DIV: "div", Operator.MOD: "mod"}


class Fault(Frozen):
    """Where the text would raise an error if `condition` were true."""

    condition: Term
    place: Place
    sentence: str


class Faults:
    """The faults of one text, each under what is true where it is read."""

    def __init__(self) -> None:
        self.found: list[Fault] = []
        self._around: list[Term | tuple[Term, ...]] = []  # conditions, and variables that are bound
        self._quiet = 0

    def add(self, condition: Term, place: Place, sentence: str) -> None:
        if self._quiet or condition is t.FALSE:
            return
        for outer in reversed(self._around):
            condition = t.and_(outer, condition) if isinstance(outer, Term) else t.exists(outer, condition)
        if condition is not t.FALSE:
            self.found.append(Fault(condition, place, sentence))

    def under(self, *around: Term | tuple[Term, ...]) -> "_Under":
        return _Under(self, around)

    def quietly(self) -> "_Quiet":
        return _Quiet(self)

    def enter(self, around: tuple[Term | tuple[Term, ...], ...]) -> None:
        self._around.extend(around)

    def leave(self, number: int) -> None:
        del self._around[len(self._around) - number :]

    def silence(self, by: int) -> None:
        self._quiet += by


class _Under(Frozen):
    faults: Faults
    around: tuple[Term | tuple[Term, ...], ...]

    def __enter__(self) -> None:
        self.faults.enter(self.around)

    def __exit__(self, *_: object) -> None:
        self.faults.leave(len(self.around))


class _Quiet(Frozen):
    """For what is read again: its faults are known."""

    faults: Faults

    def __enter__(self) -> None:
        self.faults.silence(1)

    def __exit__(self, *_: object) -> None:
        self.faults.silence(-1)


def outside(node: object, what: str) -> UsageError:
    """The model's text is outside of what the relational view says."""
    at = getattr(node, "at", None)
    picture = f"\n{at.picture()}" if at is not None and at.picture() else ""
    return UsageError(
        f"{at}: prove --unbounded cannot read {what}.{picture}\n"
        "Write it with quantifiers, or leave out --unbounded: prove then takes sizes as they are given."
    )


class Reader(Frozen):
    """Reads expressions in a state, with locals. `constants`: a value each."""

    constants: Mapping[str, Value]
    state: Mapping[str, Value]
    chosen: Chosen
    faults: Faults
    before: Mapping[str, Value] = field(default_factory=dict)
    locals: Mapping[str, Value] = field(default_factory=dict)
    taken: tuple[str, Mapping[str, Value]] | None = None  # the action of a step, and its arguments

    def given(self, name: str, value: Value) -> "Reader":
        return replace(self, locals={**self.locals, name: value})

    def truth(self, node: Expression) -> Term:
        value = self.value(node)
        if not isinstance(value, v.Truth):
            raise outside(node, f"a {type(value).__name__.lower()} as a condition")
        return value.term

    def number(self, node: Expression) -> Term:
        return _number_of(self.plain(node), node)

    def natural(self, node: Expression, what: str) -> Term:
        """A number; that it is below 0 is a fault."""
        term = self.number(node)
        if not v.is_natural(term):
            self.faults.add(t.compare("<", term, t.number(0)), node.at, f"{what} is negative")
        return term

    def plain(self, node: Expression) -> Value:
        """The value, where it is not None."""
        value = self.value(node)
        if not isinstance(value, v.Maybe):
            return value
        self.faults.add(t.not_(value.present), node.at, "None has no such value")
        if value.value is None:
            raise outside(node, "None here")
        return value.value

    def value(self, node: Expression) -> Value:
        try:
            return self._value(node)
        except v.Unsupported as error:
            raise outside(node, str(error)) from None

    def _value(self, node: Expression) -> Value:
        match node:
            case nodes.Literal():
                return self._literal(node)
            case nodes.ReadConstant(name):
                return self.constants[name]
            case nodes.ReadVariable(name, before):
                return (self.before if before else self.state)[name]
            case nodes.ReadLocal(name):
                return self.locals[name]
            case nodes.Let(name, value, body):
                return self.given(name, self.value(value)).value(body)
            case nodes.Not(operand):
                return v.Truth(t.not_(self.truth(operand)))
            case nodes.Conditional(condition, then, other):
                return self._conditional(condition, then, other)
            case nodes.Operation():
                return self._operation(node)
            case nodes.Comprehension():
                return self._comprehension(node)
            case nodes.TakenAction(name):
                return v.Truth(t.truth(self.taken is not None and self.taken[0] == name))
            case nodes.TakenArgument(name) if self.taken is not None and name in self.taken[1]:
                return self.taken[1][name]
        return self._part(node)

    def _part(self, node: Expression) -> Value:
        """What is made of parts, or is one."""
        match node:
            case nodes.ReadField(record, name):
                row = self.plain(record)
                if isinstance(row, v.Row):
                    return row.fields[[field for field, _ in row.domain.fields].index(name)]
            case nodes.Item(container, key):
                return self._item(node, container, key)
            case nodes.Slice():
                return self._slice(node)
            case nodes.MakeRecord(RecordDomain() as domain, fields):
                parts = zip(fields, domain.fields, strict=True)
                return v.Row(domain, tuple(v.fitted(self.value(part), of) for part, (_, of) in parts))
            case nodes.ReplaceFields(record, fields):
                return self._replaced(record, dict(fields))
            case nodes.MakeSequence(elements):
                return v.listed(tuple(self.value(each) for each in elements))
            case nodes.MakeSet(elements):
                return self._set([self.value(each) for each in elements])
            case nodes.Extreme(kind, parts_):
                op = "<=" if kind is Gathering.MIN else ">="
                return v.Number(self._extreme(op, [self.number(each) for each in parts_]))
            case nodes.Length(of):
                return v.Number(self._length(of))
            case nodes.Everything(SortDomain() as domain):
                return v.Predicate(domain, lambda _: t.TRUE)
        raise outside(node, f"{type(node).__name__} here")

    def _literal(self, node: nodes.Literal) -> Value:
        if node.value is None:
            return v.NOTHING
        if isinstance(node.domain, SortDomain):
            raise outside(node, "a member of a sort by its number")
        if node.domain is not None:
            return v.literal(node.value, node.domain)
        if isinstance(node.value, bool):
            return v.Truth(t.truth(node.value))
        return v.Number(t.number(node.value))

    def _conditional(self, condition: Expression, then: Expression, other: Expression) -> Value:
        test = self.truth(condition)
        if test.op == "const":
            return self.value(then if test.value else other)
        with self.faults.under(test):
            one = self.value(then)
        with self.faults.under(t.not_(test)):
            two = self.value(other)
        return v.choose(test, one, two)

    # Operators

    def _operation(self, node: nodes.Operation) -> Value:
        operator, left, right = node.operator, node.left, node.right
        if operator in (Operator.AND, Operator.OR):
            first = self.truth(left)
            is_and = operator is Operator.AND
            if first is t.truth(not is_and):
                return v.Truth(first)
            with self.faults.under(first if is_and else t.not_(first)):
                second = self.truth(right)
            return v.Truth((t.and_ if is_and else t.or_)(first, second))
        if operator in (Operator.EQ, Operator.NE):
            same = v.equal(self.value(left), self.value(right))
            return v.Truth(same if operator is Operator.EQ else t.not_(same))
        if operator in (Operator.IN, Operator.NOT_IN):
            is_in = self._is_in(left, right)
            return v.Truth(is_in if operator is Operator.IN else t.not_(is_in))
        one, two = self.plain(left), self.plain(right)
        if isinstance(one, v.Predicate) and isinstance(two, v.Predicate):
            return self._of_sets(node, one, two)
        if isinstance(one, v.Listing) and isinstance(two, v.Listing) and operator is Operator.ADD:
            return _concatenated(one, two)
        a, b = _number_of(one, left), _number_of(two, right)
        if operator in _COMPARED:
            sign = _COMPARED[operator]
            return v.Truth(t.compare(sign, a, b) if sign in ("<", "<=") else t.compare("<" + sign[1:], b, a))
        if operator in (Operator.DIV, Operator.MOD):
            if b.op != "const" or b.value <= 0:
                raise outside(node, "division by what is not a positive number")
        return v.Number(t.arithmetic(_ARITHMETIC[operator], a, b))

    def _is_in(self, left: Expression, right: Expression) -> Term:
        element, container = self.value(left), self.plain(right)
        test = t.TRUE
        if isinstance(element, v.Maybe):
            if element.value is None:
                return t.FALSE
            test, element = element.present, element.value
        match container:
            case v.Predicate():
                return t.and_(test, container.has(element))
            case v.Listing(length, at):
                if length.op == "const":
                    return t.and_(test, t.or_(*(v.equal(at(t.number(i)), element) for i in range(length.value))))
                variables, i, inside = v.index(length, "o")
                return t.and_(test, t.exists(variables, t.and_(inside, v.equal(at(i), element))))
        raise outside(right, f"`in` of a {type(container).__name__.lower()}")

    def _of_sets(self, node: nodes.Operation, one: v.Predicate, two: v.Predicate) -> Value:
        of = one.of or two.of
        match node.operator:
            case Operator.UNION:
                return v.Predicate(of, lambda x: t.or_(one.has(x), two.has(x)))
            case Operator.INTERSECTION:
                return v.Predicate(of, lambda x: t.and_(one.has(x), two.has(x)))
            case Operator.SUB:
                return v.Predicate(of, lambda x: t.and_(one.has(x), t.not_(two.has(x))))
            case Operator.LE:
                return v.Truth(v.within(one, two))
            case Operator.GE:
                return v.Truth(v.within(two, one))
            case Operator.LT:
                return v.Truth(t.and_(v.within(one, two), t.not_(v.within(two, one))))
            case Operator.GT:
                return v.Truth(t.and_(v.within(two, one), t.not_(v.within(one, two))))
        raise outside(node, f"{node.operator.value} of sets")

    def _extreme(self, op: str, parts: list[Term]) -> Term:
        best = parts[0]
        for part in parts[1:]:
            test = t.compare("<=", best, part) if op == "<=" else t.compare("<=", part, best)
            best = t.ite(test, best, part)
        return best

    # Parts

    def _set(self, elements: list[Value]) -> Value:
        if not elements:
            return v.EMPTY
        return v.Predicate(_domain_of(elements[0]), lambda x: t.or_(*(v.equal(x, e) for e in elements)))

    def _replaced(self, record: Expression, fields: dict[str, Expression]) -> Value:
        row = self.plain(record)
        if not isinstance(row, v.Row):
            raise outside(record, "fields of what is no record")
        named = zip(row.domain.fields, row.fields, strict=True)
        return v.Row(
            row.domain, tuple(v.fitted(self.value(fields[n]), of) if n in fields else old for (n, of), old in named)
        )

    def _length(self, of: Expression) -> Term:
        match self.plain(of):
            case v.Listing(length):
                return length
            case v.Predicate() as found if found.of is not None:
                variables, element, such = v.fresh(found.of, "e")
                return self.chosen.count(variables, t.and_(such, found.has(element)))
            case v.Predicate():
                return t.number(0)
        raise outside(of, "len() of this")

    def _item(self, node: nodes.Item, container: Expression, key: Expression) -> Value:
        of = self.plain(container)
        if isinstance(of, v.Listing):
            if isinstance(key, nodes.Literal) and key.value == -1:
                self.faults.add(t.eq(of.length, t.number(0)), node.at, "the sequence is empty")
                return of.at(t.arithmetic("-", of.length, t.number(1)))
            place = self.natural(key, "an index")
            self.faults.add(t.compare("<=", of.length, place), node.at, "the index is beyond the end")
            return of.at(place)
        if not isinstance(of, v.Function):
            raise outside(node, f"an item of a {type(of).__name__.lower()}")
        at = self.plain(key)
        if isinstance(at, v.Number) and not v.is_natural(at.term):
            self.faults.add(t.compare("<", at.term, t.number(0)), node.at, "the key is negative")
        return of.at(at)

    def _slice(self, node: nodes.Slice) -> Value:
        of = self.plain(node.sequence)
        if not isinstance(of, v.Listing):
            raise outside(node, f"a slice of a {type(of).__name__.lower()}")
        length, at = of.length, of.at
        if node.stop is not None:
            stop = self.natural(node.stop, "the end of a slice")
            length = t.ite(t.compare("<=", stop, length), stop, length)
        if node.start is None:
            return v.Listing(length, at)
        start = self.natural(node.start, "the start of a slice")
        left = t.ite(t.compare("<=", start, length), t.arithmetic("-", length, start), t.number(0))
        return v.Listing(left, lambda i: at(t.arithmetic("+", i, start)))

    # Comprehensions

    def _comprehension(self, node: nodes.Comprehension) -> Value:
        match node.gathering:
            case Gathering.ALL | Gathering.ANY:
                return v.Truth(self._quantified(node))
            case Gathering.MIN | Gathering.MAX:
                return self._least(node)
            case Gathering.SET:
                return self._gathered_set(node)
            case Gathering.MAP | Gathering.SEQUENCE if len(node.clauses) == 1 and not node.clauses[0].conditions:
                return self._mapped(node)
        raise outside(node, f"a {node.gathering.value}() over these")

    def _bound(self, clauses: tuple[nodes.Clause, ...], use: "Callable[[Bound, Reader], None]") -> None:
        """Calls `use` with the variables of all clauses, and under what is true of them."""
        self._bind(clauses, Bound((), t.TRUE), use)

    def _bind(self, clauses: tuple[nodes.Clause, ...], so_far: "Bound", use: "Callable[[Bound, Reader], None]") -> None:
        if not clauses:
            use(so_far, self)
            return
        clause, rest = clauses[0], clauses[1:]
        variables, element, such = self.element(clause)
        reader = self.given(clause.target, element)
        with self.faults.under(variables, such):
            conditions, entered = [such], 0
            for condition in clause.conditions:
                test = reader.truth(condition)
                conditions.append(test)
                self.faults.enter((test,))
                entered += 1
            bound = Bound((*so_far.variables, *variables), t.and_(so_far.such, *conditions))
            reader._bind(rest, bound, use)
            self.faults.leave(entered)

    def element(self, clause: nodes.Clause) -> tuple[tuple[Term, ...], Value, Term]:
        """Variables that are an arbitrary element of what a clause runs over, the element, and what is true of it."""
        match clause.source:
            case nodes.Everything(domain):
                return v.fresh(domain, clause.target)
            case nodes.IntegerRange(start, stop):
                low, high = self.number(start), self.number(stop)
                at = t.variable(clause.target, t.INT)
                such = t.and_(t.compare("<=", low, at), t.compare("<", at, high))
                return (at,), v.Number(at), such
            case nodes.Subsets(of):
                whole = self.plain(of)
                if isinstance(whole, v.Predicate) and isinstance(whole.of, SortDomain):
                    made, found, such = v.fresh(SetDomain(whole.of), clause.target)
                    assert isinstance(found, v.Predicate)
                    return made, found, t.and_(such, v.within(found, whole))
        match self.plain(clause.source):
            case v.Predicate(of, has) if of is not None:
                made, found, such = v.fresh(of, clause.target)
                return made, found, t.and_(such, has(found))
            case v.Listing(length, at_):
                made, i, such = v.index(length, clause.target)
                return made, at_(i), such
        raise outside(clause.source, "this after `for ... in`")

    def _quantified(self, node: nodes.Comprehension) -> Term:
        answers: list[Term] = []
        is_all = node.gathering is Gathering.ALL

        def use(bound: Bound, reader: Reader) -> None:
            body = reader.truth(node.element)
            join = t.forall if is_all else t.exists
            answers.append(join(bound.variables, (t.implies if is_all else t.and_)(bound.such, body)))

        self._bound(node.clauses, use)
        return answers[0]

    def _least(self, node: nodes.Comprehension) -> Value:
        """The least or greatest, as a number of which that is said."""
        answers: list[Term] = []
        default = None if node.default is None else self.number(node.default)

        def use(bound: Bound, reader: Reader) -> None:
            element = reader.number(node.element)
            is_least = node.gathering is Gathering.MIN
            answers.append(self.chosen.extreme(is_least, bound.variables, bound.such, element, default))
            if default is None:
                nothing.append(t.not_(t.exists(bound.variables, bound.such)))

        nothing: list[Term] = []
        self._bound(node.clauses, use)
        for empty in nothing:
            self.faults.add(empty, node.at, f"{node.gathering.value}() of nothing")
        return v.Number(answers[0])

    def _gathered_set(self, node: nodes.Comprehension) -> Value:
        found: list[tuple[Bound, Value]] = []

        def use(bound: Bound, reader: Reader) -> None:
            found.append((bound, reader.value(node.element)))

        self._bound(node.clauses, use)
        (_, like), first = found[0], node.clauses[0]
        is_filter = len(node.clauses) == 1 and node.element == nodes.ReadLocal(first.target, node.element.at)

        def has(x: Value) -> Term:
            with self.faults.quietly():
                if is_filter and not isinstance(first.source, nodes.IntegerRange):
                    reader = self.given(first.target, x)
                    return t.and_(self._is_among(first, x), *(reader.truth(c) for c in first.conditions))
                found.clear()
                self._bound(node.clauses, use)
                ((bound, element),) = found
                return t.exists(bound.variables, t.and_(bound.such, v.equal(element, x)))

        return v.Predicate(_domain_of(like), has)

    def _is_among(self, clause: nodes.Clause, x: Value) -> Term:
        if isinstance(clause.source, nodes.Everything):
            return t.TRUE
        match self.plain(clause.source):
            case v.Predicate(_, has):
                return has(x)
            case v.Listing(length, at):
                variables, i, such = v.index(length, clause.target)
                return t.exists(variables, t.and_(such, v.equal(at(i), x)))
        raise outside(clause.source, "this after `for ... in`")

    def _mapped(self, node: nodes.Comprehension) -> Value:
        """A map of all keys, or a sequence from another."""
        clause = node.clauses[0]
        variables, element, such = self.element(clause)
        with self.faults.under(variables, such):
            self.given(clause.target, element).value(node.element)  # for what can go wrong

        def at(x: Value) -> Value:
            with self.faults.quietly():
                return self.given(clause.target, x).value(node.element)

        if node.gathering is Gathering.MAP:
            if not isinstance(clause.source, nodes.Everything):
                raise outside(node, "a map that is not over all its keys")
            return v.Function(_domain_of(element), at)
        if isinstance(clause.source, nodes.IntegerRange) and self.number(clause.source.start) is t.number(0):
            stop = self.number(clause.source.stop)
            length = stop if v.is_natural(stop) else t.ite(t.compare("<=", t.number(0), stop), stop, t.number(0))
            return v.Listing(length, lambda i: at(v.Number(i)))
        source = self.plain(clause.source)
        if not isinstance(source, v.Listing):
            raise outside(node, "a sequence made from what is no sequence")
        return v.Listing(source.length, lambda i: at(source.at(i)))


class Bound(Frozen):
    """Variables, and what is true of them."""

    variables: tuple[Term, ...]
    such: Term


def _concatenated(one: v.Listing, two: v.Listing) -> v.Listing:
    if one.length is t.number(0):
        return two
    if two.length is t.number(0):
        return one
    length = one.length

    def at(i: Term) -> Value:
        if two.length is t.number(1):
            return v.choose(t.compare("<", i, length), one.at(i), two.at(t.number(0)))
        return v.choose(t.compare("<", i, length), one.at(i), two.at(t.arithmetic("-", i, length)))

    return v.Listing(t.arithmetic("+", length, two.length), at)


def _domain_of(value: Value) -> "v.Domain":
    match value:
        case v.Number():
            return v.IntDomain()
        case v.Truth():
            return v.BoolDomain()
        case v.Atom(_, domain) | v.Row(domain):
            return domain
        case v.Predicate(of):
            return SetDomain(of)
    raise v.Unsupported(f"a set of a {type(value).__name__.lower()}")


def _number_of(value: Value, node: Expression) -> Term:
    match value:
        case v.Number(term):
            return term
        case v.Truth(term):
            return t.ite(term, t.number(1), t.number(0))
    raise outside(node, f"a {type(value).__name__.lower()} as a number")
