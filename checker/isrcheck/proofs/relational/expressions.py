"""Expressions of a model's IR, after inlining, as values in terms. Quantifiers stay quantifiers."""

from functools import partial, reduce

from isrcheck.ir import nodes
from isrcheck.ir.domains import Domain, OptionalDomain, RecordDomain, SortDomain, members
from isrcheck.ir.nodes import Expression, Gathering, Operator
from isrcheck.place import Place
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.bounds import greatest, least, negative
from isrcheck.proofs.relational.comprehensions import ExpressionReader, comprehension, domain_of, number_of
from isrcheck.proofs.relational.faults import refusal
from isrcheck.proofs.relational.terms import Logic
from isrcheck.proofs.relational.values import Value

_COMPARED = {Operator.LT: "<", Operator.LE: "<=", Operator.GT: ">", Operator.GE: ">="}
_ARITHMETIC = {Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.DIV: "div", Operator.MOD: "mod"}


class Reader(ExpressionReader):
    """Reads every kind of expression."""

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
                return self.with_local(name, self.value(value)).value(body)
            case nodes.Not(operand):
                return v.Truth(t.not_(self.truth(operand)))
            case nodes.Conditional(condition, then, other):
                return self._conditional(condition, then, other)
            case nodes.Operation():
                return self._operation(node)
            case nodes.Comprehension():
                return comprehension(self, node)
            case nodes.TakenAction(name):
                return v.Truth(t.truth(self.taken is not None and self.taken[0] == name))
            case nodes.TakenArgument(name) if self.taken is not None and name in self.taken[1]:
                return self.taken[1][name]
        return self._composite(node)

    def _composite(self, node: Expression) -> Value:
        """The value of what consists of others, or is taken from one."""
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
                pairs = zip(fields, domain.fields, strict=True)
                return v.Row(domain, tuple(v.fit(self.value(field), of) for field, (_, of) in pairs))
            case nodes.ReplaceFields(record, fields):
                return self._replace_fields(record, dict(fields))
            case nodes.MakeSequence(elements):
                return v.sequence_of(tuple(self.value(each) for each in elements))
            case nodes.MakeSet(elements):
                return self._set(elements)
            case nodes.Extreme(kind, parts_):
                return v.Number(reduce(least if kind is Gathering.MIN else greatest, map(self.number, parts_)))
            case nodes.Length(of):
                return v.Number(self._length(of))
            case nodes.Everything(SortDomain() as domain):
                return v.Predicate(domain, lambda _: t.TRUE)
            case nodes.IsMember() | nodes.Narrowed():
                raise refusal(node, "a value of several classes")
            case nodes.Enabled():
                raise refusal(node, "enabled()")
        raise refusal(node, f"{type(node).__name__} here")

    def _literal(self, node: nodes.Literal) -> Value:
        if node.value is None:
            return v.NOTHING
        if isinstance(node.domain, SortDomain):
            raise refusal(node, "a member of a sort by its number")
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
        if isinstance(one, v.Elements) and isinstance(two, v.Elements) and operator is Operator.ADD:
            return _concatenate(one, two)
        a, b = number_of(one, left), number_of(two, right)
        if operator in _COMPARED:
            sign = _COMPARED[operator]
            return v.Truth(t.compare(sign, a, b) if sign in ("<", "<=") else t.compare("<" + sign[1:], b, a))
        if operator in (Operator.DIV, Operator.MOD) and (b.op != "const" or b.value <= 0):
            raise refusal(node, "division by what is not a positive number")
        return v.Number(t.arithmetic(_ARITHMETIC[operator], a, b))

    def _is_in(self, left: Expression, right: Expression) -> Logic:
        element, container = self.value(left), self.plain(right)
        if isinstance(container, v.Predicate) and isinstance(container.of, OptionalDomain):
            return container.has(v.as_maybe(element))
        test = t.TRUE
        if isinstance(element, v.Maybe):
            if element.value is None:
                return t.FALSE
            test, element = element.present, element.value
        match container:
            case v.Predicate():
                return t.and_(test, container.has(element))
            case v.Elements(length, at):
                if length.op == "const":
                    return t.and_(test, t.or_(*(v.equal(at(t.number(i)), element) for i in range(length.value))))
                variables, i, inside = v.index(length, "o")
                return t.and_(test, t.exists(variables, t.and_(inside, v.equal(at(i), element))))
        raise refusal(right, f"`in` of a {type(container).__name__.lower()}")

    def _of_sets(self, node: nodes.Operation, one: v.Predicate, two: v.Predicate) -> Value:
        of = v.union_of((one.of, two.of))
        match node.operator:
            case Operator.UNION:
                return v.Predicate(of, lambda x: t.or_(one.has(x), two.has(x)))
            case Operator.INTERSECTION:
                return v.Predicate(of, lambda x: t.and_(one.has(x), two.has(x)))
            case Operator.SUB:
                return v.Predicate(of, lambda x: t.and_(one.has(x), t.not_(two.has(x))))
            case Operator.LE | Operator.LT | Operator.GE | Operator.GT as operator:
                less, more = (one, two) if operator in (Operator.LE, Operator.LT) else (two, one)
                is_strict = operator in (Operator.LT, Operator.GT)
                return v.Truth(t.and_(v.within(less, more), t.not_(v.within(more, less)) if is_strict else t.TRUE))
        raise refusal(node, f"{node.operator.value} of sets")

    def _set(self, parts: tuple[Expression, ...]) -> Value:
        """A set of these elements, which may be None only where the word None is among them."""
        there = [each for each in parts if not isinstance(each, nodes.Literal) or each.value is not None]
        elements = [self.element(self.plain(each), each) for each in there]
        plain = v.Predicate(v.union_of(map(domain_of, elements)), lambda x: t.or_(*(v.equal(x, e) for e in elements)))
        if len(elements) == len(parts):
            return plain if elements else v.EMPTY
        some = v.with_none(plain)
        return v.Predicate(some.of, lambda x: t.or_(t.not_(v.as_maybe(x).present), some.has(x)))

    def _replace_fields(self, record: Expression, fields: dict[str, Expression]) -> Value:
        row = self.plain(record)
        if not isinstance(row, v.Row):
            raise refusal(record, "fields of something that is not a record")
        named = zip(row.domain.fields, row.fields, strict=True)
        return v.Row(
            row.domain, tuple(v.fit(self.value(fields[n]), of) if n in fields else old for (n, of), old in named)
        )

    def _length(self, of: Expression) -> Logic:
        match self.plain(of):
            case v.Elements(length):
                return length
            case v.Predicate() as elements if elements.of is not None:
                counts = (self._count_of(elements, kind) for kind in members(elements.of))
                return reduce(partial(t.arithmetic, "+"), counts)
            case v.Predicate():
                return t.number(0)
        raise refusal(of, "len() of this")

    def _count_of(self, elements: v.Predicate, kind: Domain) -> Logic:
        """The number of the elements of a set that are of one member of a union."""
        variables, element, such = v.fresh(kind, "e")
        return self.chosen.count(variables, t.and_(such, elements.has(element)))

    def _item(self, node: nodes.Item, container: Expression, key: Expression) -> Value:
        of = self.plain(container)
        if isinstance(of, v.Elements):
            if isinstance(key, nodes.Literal) and key.value == -1:
                self.faults.add(t.eq(of.length, t.number(0)), node.at, "the sequence is empty")
                return of.at(t.arithmetic("-", of.length, t.number(1)))
            place = self.natural(key, "an index")
            self.faults.add(t.compare("<=", of.length, place), node.at, "the index is beyond the end")
            return of.at(place)
        if not isinstance(of, v.Function):
            raise refusal(node, f"an item of a {type(of).__name__.lower()}")
        at = self.plain(key)
        self.check_key(at, of.key, node.at)
        return of.at(at)

    def check_key(self, key: Value, domain: Domain, place: Place) -> None:
        """Reading under a key that no map over the domain has is a fault."""
        self.faults.add(negative(key, domain), place, "the key is negative")
        self.faults.add(t.not_(self.bounds.inside(key, domain)), place, "the key is above its bound")

    def _slice(self, node: nodes.Slice) -> Value:
        of = self.plain(node.sequence)
        if not isinstance(of, v.Elements):
            raise refusal(node, f"a slice of a {type(of).__name__.lower()}")
        length, at = of.length, of.at
        if node.stop is not None:
            stop = self._bound(node.stop, length, "the end of a slice")
            length = t.ite(t.compare("<=", stop, length), stop, length)
        if node.start is None:
            return v.Elements(length, at)
        start = self._bound(node.start, t.number(0), "the start of a slice")
        left = t.ite(t.compare("<=", start, length), t.arithmetic("-", length, start), t.number(0))
        return v.Elements(left, lambda i: at(t.arithmetic("+", i, start)))

    def _bound(self, node: Expression, otherwise: Logic, what: str) -> Logic:
        """The number at which a slice ends or starts; where it is None, `otherwise`."""
        value = self.value(node)
        if not isinstance(value, v.Maybe):
            return self.natural(node, what)
        if value.value is None:
            return otherwise
        number = number_of(value.value, node)
        self.faults.add(t.and_(value.present, t.compare("<", number, t.number(0))), node.at, f"{what} is negative")
        return t.ite(value.present, number, otherwise)


def _concatenate(one: v.Elements, two: v.Elements) -> v.Elements:
    if one.length is t.number(0):
        return two
    if two.length is t.number(0):
        return one
    length = one.length

    def at(i: Logic) -> Value:
        if two.length is t.number(1):
            return v.choose(t.compare("<", i, length), one.at(i), two.at(t.number(0)))
        return v.choose(t.compare("<", i, length), one.at(i), two.at(t.arithmetic("-", i, length)))

    return v.Elements(t.arithmetic("+", length, two.length), at)
