"""The domains of expressions, and what each may read."""

from collections.abc import Mapping
from typing import assert_never

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.check import fit
from isrcheck.ir.check.fit import ORDER, an, domain_of_test, field_domain, fields_of_members, narrow, present
from isrcheck.ir.domains import (
    BOOL,
    INT,
    NONE,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    SumDomain,
)
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ModelIR
from isrcheck.ir.nodes import walk
from isrcheck.place import Place

Locals = Mapping[str, Domain | None]  # None: a value whose domain depends on the step taken

WITHOUT_ORDER = "Sorts and enumerations have no order: where one is needed, declare Annotated[int, UpTo(...)] instead."
_ARITHMETIC = (ir.Operator.ADD, ir.Operator.SUB, ir.Operator.MUL, ir.Operator.DIV, ir.Operator.MOD)


class ExpressionChecker:
    """The checker that finds the domain of each expression. Raises ModelError."""

    def __init__(self, model: ModelIR) -> None:
        self.model = model
        self.variables = {v.name: v for v in model.variables}
        self.constants = {c.name: c.domain for c in model.constants}
        self.steering = False  # whether what is read now decides what may happen
        self.assuming = ""  # the assumption that is checked now: it knows constants only

    def truth(self, node: ir.Expression, scope: Locals, what: str) -> None:
        domain = self.domain(node, scope)
        self.one_type(domain, BOOL, node)
        if domain not in (None, BOOL):
            raise ModelError(node.at, f"{what} is true or false, and this is {an(domain)}.", "Compare it with a value.")

    def one_type(self, domain: Domain | None, wanted: Domain | None, node: ir.Expression) -> None:
        """CPython may take 1 for True in a parameter of several types."""
        if domain is None and (wanted is None or not fit.is_distinguishable(wanted)):
            needed = an(wanted) if wanted else "one type"
            sentence = f"this comes from an empty set, or has another type in another action, and {needed} is needed."
            raise ModelError(node.at, sentence, "Give the parameters of these actions different names.")

    def number(self, node: ir.Expression, scope: Locals) -> IntDomain | None:
        domain = self.domain(node, scope)
        return self.as_number(domain, node)

    def as_number(self, domain: Domain | None, node: ir.Expression) -> IntDomain | None:
        number = present(domain)
        if number is None or isinstance(number, IntDomain):
            return number
        unordered = isinstance(number, (SortDomain, EnumDomain))
        remedy = WITHOUT_ORDER if unordered else fit.size_instead(node, number, INT) or "Give it an integer."
        raise ModelError(node.at, f"an integer is needed, and this is {an(number)}.", remedy)

    def expect(self, wanted: Domain, node: ir.Expression, scope: Locals, what: str) -> None:
        domain = self.domain(node, scope)
        self.one_type(domain, wanted, node)
        if domain is not None and not fit.fits(wanted, domain):
            raise ModelError(node.at, f"{what} is {an(wanted)}, and this is {an(domain)}.", f"Give {an(wanted)}.")
        refuse_display(domain, node)

    def arguments(self, helper: str, arguments: tuple[ir.Expression, ...], scope: Locals, at: Place) -> None:
        wanted = self.model.helpers[helper].parameters
        if len(arguments) != len(wanted):
            sentence = f"{helper}() takes {len(wanted)} argument(s) and is given {len(arguments)}."
            raise ModelError(at, sentence, f"Its parameters are: {', '.join(p.name for p in wanted) or 'none'}.")
        for parameter, argument in zip(wanted, arguments, strict=True):
            self.expect(parameter.domain, argument, scope, f"the parameter {parameter.name} of {helper}()")

    def domain(self, node: ir.Expression, scope: Locals) -> Domain | None:
        """The domain of an expression; None if it depends on the step."""
        match node:
            case ir.Literal(value):
                return node.domain or (NONE if value is None else BOOL if isinstance(value, bool) else INT)
            case ir.ReadConstant(name):
                return self.constants[name]
            case ir.ReadVariable(name=name, at=at):
                self.may_read(name, "", at)
                return self.variables[name].domain
            case ir.ReadLocal(name):
                return scope[name]
            case ir.ReadField():
                return self.field(node, scope)
            case ir.Item():
                return self.item(node, scope)
            case ir.Slice(of, start, stop):
                for end in (start, stop):
                    if end is not None:
                        self.number(end, scope)
                container = present(self.domain(of, scope))
                return self.sequence(container, node.at, "sliced") if container else None
            case ir.Operation():
                return self.operation(node, scope)
            case ir.Not(operand):
                self.truth(operand, scope, "what `not` turns round")
                return BOOL
            case ir.Conditional(condition, then, other, at):
                self.truth(condition, scope, "a condition")
                return self.meet([(branch, self.domain(branch, scope)) for branch in (then, other)])
            case ir.MakeRecord(of, fields):
                for (name, wanted), field_value in zip(of.fields, fields, strict=True):
                    self.expect(wanted, field_value, scope, f"the field {name} of {of.name}")
                return of
            case ir.ReplaceFields():
                return self.replace_fields(node, scope)
            case ir.MakeSequence(parts):
                return SequenceDomain(self.elements(parts, scope))
            case ir.MakeSet(parts, frozen):
                return SetDomain(self.elements(parts, scope), frozen)
            case ir.Everything(everything):
                return SetDomain(everything)
            case ir.Subsets(of, at):
                container = present(self.domain(of, scope))
                if not isinstance(container, SetDomain | None):
                    raise ModelError(
                        at, f"{an(container)} has no subsets.", "Give subsets() a sort, or a set of the state."
                    )
                return SetDomain(container and SetDomain(container.of))
            case ir.IntegerRange(low, high):
                self.number(low, scope)
                self.number(high, scope)
                return SequenceDomain(INT)
            case ir.Comprehension():
                return self.comprehension(node, scope)
            case ir.Extreme(parts=parts):
                numbers = [self.number(each, scope) for each in parts]
                return fit.common_name(numbers)
            case ir.Length(of, at):
                container = present(self.domain(of, scope))
                if isinstance(container, SequenceDomain | SetDomain | MapDomain | None):
                    return INT
                raise ModelError(at, f"{an(container)} has no length.", "len() counts a sequence or a set.")
            case ir.Call():
                return self.call(node, scope)
            case ir.Let(name, value, body):
                return self.domain(body, {**scope, name: self.domain(value, scope)})
            case ir.IsMember(value, of, at):
                return domain_of_test(self.domain(value, scope), of, at)
            case ir.Narrowed(value, of, within, at):
                return narrow(self.domain(value, scope), of, within, at)
            case ir.TakenAction() | ir.Enabled():
                return BOOL
            case ir.TakenArgument(name, at):
                return self.domain_of_taken_argument(name, at)
            case _:
                assert_never(node)

    def domain_of_taken_argument(self, name: str, at: Place) -> Domain | None:
        parameters = [
            (action.name, p.domain) for action in self.model.actions for p in action.parameters if p.name == name
        ]
        if not parameters:
            raise ModelError(at, f"no action has a parameter {name}.", "Name a parameter of the action asked about.")
        (first, one), *rest = parameters
        for action, other in rest:
            if not fit.comparable(one, other) and not (fit.is_distinguishable(one) and fit.is_distinguishable(other)):
                sentence = f"the parameter {name} is {an(one)} of {first}() and {an(other)} of {action}()."
                raise ModelError(at, sentence, "Give the two parameters different names.")
        return one if all(domain == one for _, domain in rest) else None

    def may_read(self, name: str, through: str, at: Place) -> None:
        """Refuse variables in assumptions, and history variables in guards and updates."""
        if self.assuming:
            remedy = "An assumption is a condition on constants; what holds in a state is an @invariant."
            raise ModelError(at, f"the assumption {self.assuming}() reads the variable {name}{through}.", remedy)
        if self.steering and self.variables[name].is_history:
            remedy = "Only properties, and updates of history variables, may read it."
            raise ModelError(at, f"the history variable {name} steers what happens{through}.", remedy)

    def field(self, node: ir.ReadField, scope: Locals) -> Domain | None:
        record = present(self.domain(node.record, scope))
        if record is None:
            return None
        if isinstance(record, SumDomain):
            return self.meet([(node, of) for of in fields_of_members(record, node.name, node.at)])
        if isinstance(record, RecordDomain):
            return field_domain(record, node.name, node.at)
        raise ModelError(node.at, f"{an(record)} has no fields.", "Only records (named tuples) have fields.")

    def item(self, node: ir.Item, scope: Locals) -> Domain | None:
        container = present(self.domain(node.container, scope))
        if container is None:
            return None
        if isinstance(container, MapDomain):
            self.expect(container.key, node.key, scope, "the key")
            return container.value
        of = self.sequence(container, node.at, "indexed").of
        self.number(node.key, scope)
        return of

    def sequence(self, of: Domain, at: Place, what: str) -> SequenceDomain:
        if isinstance(of, SequenceDomain):
            return replace(of, name="")
        raise ModelError(at, f"{an(of)} cannot be {what}.", "Only a sequence can; a map is read under a key.")

    def operation(self, node: ir.Operation, scope: Locals) -> Domain | None:
        if node.operator in (ir.Operator.AND, ir.Operator.OR):
            self.chain(node, scope)
            for side in (node.left, node.right):
                self.truth(side, scope, f"a side of `{node.operator.value}`")
            return BOOL
        left, right = self.domain(node.left, scope), self.domain(node.right, scope)
        first = present(left)
        match node.operator:
            case ir.Operator.IN | ir.Operator.NOT_IN:
                container = present(right)
                of = container.key if isinstance(container, MapDomain) else getattr(container, "of", None)
                self.one_type(left, of, node.left)
                return fit.membership(node, left, container)
            case ir.Operator.EQ | ir.Operator.NE:
                if left != right:
                    self.one_type(left, right, node.left)
                    self.one_type(right, left, node.right)
                return fit.equality(node, left, right)
        if isinstance(first, SetDomain) or (isinstance(first, SequenceDomain) and node.operator is ir.Operator.ADD):
            return fit.join_operands(node, first, present(right))
        numbers = [self.as_number(left, node.left), self.as_number(right, node.right)]
        if node.operator in ORDER:
            return BOOL
        if node.operator in _ARITHMETIC:
            return fit.common_name(numbers)
        raise ModelError(node.at, f"`{node.operator.value}` joins sets, and these are integers.", "Use + - * // %.")

    def chain(self, node: ir.Operation, scope: Locals) -> None:
        """Refuses sets in a chain of comparisons: its last one has the same place."""
        last = node.right
        if not isinstance(last, ir.Operation) or last.at != node.at:
            return
        domain = present(self.domain(last.left, scope))
        if isinstance(domain, SetDomain) and node.operator is ir.Operator.AND:
            sentence = "a chain of comparisons is for integers, and these are sets."
            raise ModelError(node.at, sentence, "Write a <= b and b <= c.")

    def replace_fields(self, node: ir.ReplaceFields, scope: Locals) -> Domain | None:
        record = present(self.domain(node.record, scope))
        if not isinstance(record, RecordDomain):
            raise ModelError(node.at, "only a record has _replace.", "Records are named tuples.")
        for name, value in node.fields:
            self.expect(field_domain(record, name, node.at), value, scope, f"the field {name} of {record.name}")
        return record

    def elements_of(
        self, clauses: tuple[ir.Clause, ...], scope: Locals
    ) -> tuple[dict[str, Domain | None], Place | None]:
        """The names within, and the place of a source without an order."""
        inner = dict(scope)
        unordered: Place | None = None
        for clause in clauses:
            inner[clause.target], ordered = self.source(clause.source, inner)
            if not ordered:
                unordered = clause.at
            for test in clause.conditions:
                self.truth(test, inner, "a condition")
        return inner, unordered

    def comprehension(self, node: ir.Comprehension, scope: Locals) -> Domain | None:
        inner, unordered = self.elements_of(node.clauses, scope)
        match node.gathering:
            case ir.Gathering.ALL | ir.Gathering.ANY:
                self.truth(node.element, inner, "what all() and any() ask")
                return BOOL
            case ir.Gathering.SUM | ir.Gathering.MIN | ir.Gathering.MAX:
                return self.number_of_elements(node, inner, scope)
            case ir.Gathering.SET:
                return SetDomain(self.element(node.element, inner))
            case ir.Gathering.SEQUENCE:
                if unordered:
                    remedy = "Run over a sort, a range or a sequence; for a set write frozenset(...)."
                    raise ModelError(unordered, "a set has no order, so it makes no sequence.", remedy)
                return SequenceDomain(self.element(node.element, inner))
            case ir.Gathering.MAP:
                return self.whole_map(node, inner)
            case _:
                assert_never(node.gathering)

    def element(self, node: ir.Expression, scope: Locals) -> Domain | None:
        domain = self.domain(node, scope)
        self.one_type(domain, None, node)
        if isinstance(domain, MapDomain):
            raise ModelError(node.at, "a dict, a mutable value, cannot be an element.", "Read one of its values.")
        refuse_display(domain, node)
        return domain

    def elements(self, parts: tuple[ir.Expression, ...], scope: Locals) -> Domain | None:
        """The common domain of elements; None if there are none."""
        elements = [(node, self.element(node, scope)) for node in parts]
        return self.meet(elements) if elements else None

    def number_of_elements(self, node: ir.Comprehension, inner: Locals, scope: Locals) -> Domain | None:
        domain = self.domain(node.element, inner)
        if node.gathering is ir.Gathering.SUM and present(domain) == BOOL:
            remedy = "Write sum(1 for ... if ...)."
            raise ModelError(node.at, "sum() adds integers, and these are true or false.", remedy)
        number = self.as_number(domain, node.element)
        if node.default is not None:
            return fit.common_name([number, self.number(node.default, scope)])
        return number if node.gathering is not ir.Gathering.SUM else INT

    def whole_map(self, node: ir.Comprehension, inner: Locals) -> Domain:
        targets = [each.target for each in node.clauses]
        keys = node.key.fields if isinstance(node.key, ir.MakeRecord) else (node.key,)
        direct = [key.name for key in keys if isinstance(key, ir.ReadLocal)] == targets and len(keys) == len(targets)
        if not direct or any(each.conditions or not _all_keys(each.source) for each in node.clauses):
            remedy = "Write {k: ... for k in Sort} or {k: ... for k in range(self.constant + 1)}, without conditions."
            if isinstance(node.key, ir.MakeRecord):
                remedy = "Write {Vote(a, b): ... for a in Sort for b in range(self.constant + 1)}, field by field."
            raise ModelError(node.at, "a total map is made over all of its keys.", remedy)
        assert node.key is not None
        key = self.domain(node.key, inner)
        value = self.domain(node.element, inner)
        if isinstance(value, MapDomain) and not isinstance(node.element, ir.Comprehension):
            remedy = "Write {k: {j: ... for j in ...} for k in ...}."
            raise ModelError(node.element.at, "this would share a dict, a mutable value.", remedy)
        refuse_display(value, node.element)
        assert key is not None
        return MapDomain(key, value or INT)

    def source(self, node: ir.Expression, scope: Locals) -> tuple[Domain | None, bool]:
        """The domain of the elements that a clause ranges over, and whether they have an order."""
        domain = present(self.domain(node, scope))
        match domain:
            case SetDomain(of):
                return of, isinstance(node, ir.Everything)
            case SequenceDomain(of):
                return of, True
            case MapDomain(key, total=total):
                return key, total is None
            case None:
                return None, False
        raise ModelError(node.at, f"nothing runs over {an(domain)}.", "Run over a sort, a range, a set or a sequence.")

    def meet(self, parts: list[tuple[ir.Expression, Domain | None]]) -> Domain | None:
        (first, result), *rest = parts
        self.one_type(result, None, first)
        for node, domain in rest:
            self.one_type(domain, None, node)
            result = fit.merge(result, domain, node.at, "{} and {} do not go together.")
        return result

    def call(self, node: ir.Call, scope: Locals) -> Domain:
        helper = self.model.helpers[node.helper]
        if helper.returns is None:
            raise ModelError(node.at, f"{node.helper}() returns nothing.", "Call it on a line of its own.")
        self.arguments(node.helper, node.arguments, scope, node.at)
        if self.steering or self.assuming:
            for helper_reached in self.model.helpers_reached([node.helper]):
                pieces = walk(self.model.helpers[helper_reached].body)
                for variable in sorted({piece.name for piece in pieces if isinstance(piece, ir.ReadVariable)}):
                    self.may_read(variable, f", through {node.helper}()", node.at)
        return helper.returns


def _all_keys(of: ir.Expression) -> bool:
    """Whether keys are all members of a sort or an enumeration, or 0 up to a fixed number."""
    fixed = ir.Literal | ir.ReadConstant | ir.Operation | ir.Extreme
    match of:
        case ir.Everything():
            return True
        case ir.IntegerRange(start=ir.Literal(value=0), stop=stop):
            return all(isinstance(operand, fixed) for operand in walk(stop))
    return False


def refuse_display(domain: Domain | None, node: ir.Expression) -> None:
    """Refuse a mutable set where its value would be kept."""
    if isinstance(domain, SetDomain) and not domain.frozen:
        raise ModelError(node.at, "a set display is a mutable value.", "Write frozenset({...}).")
