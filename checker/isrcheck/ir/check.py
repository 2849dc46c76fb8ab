"""The domain checker: every expression has a domain, and what meets must match.

Python's own types are checked by mypy where an author uses it; this says the same without it, and more: that an Epoch is not an
Offset, that a total map is given whole, that a history variable steers nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NoReturn, assert_never

from isrcheck.errors import ModelError
from isrcheck.ir.domains import (
    BOOL,
    INT,
    NONE,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    describe,
)
from isrcheck.ir.nodes import (
    Assign,
    Call,
    Choice,
    Comprehension,
    Everything,
    Expression,
    Extreme,
    Gathering,
    Item,
    Length,
    Let,
    Literal,
    MakeRecord,
    MakeSequence,
    MakeSet,
    Method,
    ModelText,
    Not,
    Operation,
    Operator,
    Perform,
    Range,
    ReadConstant,
    ReadField,
    ReadLocal,
    ReadVariable,
    ReplaceFields,
    Require,
    Return,
    Slice,
    Statement,
    TakenAction,
    TakenArgument,
    Target,
    When,
)
from isrcheck.place import Place

Locals = Mapping[str, Domain | None]  # None: a value whose domain depends on the step taken

_ARITHMETIC = (Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV, Operator.MOD)
_ORDER = (Operator.LT, Operator.LE, Operator.GT, Operator.GE)


def check_domains(text: ModelText) -> None:
    """Raises ModelError at the first expression whose parts do not match."""
    checker = _Checker(text)
    for method in (*text.assumptions, *text.helpers.values(), *text.actions, *text.properties):
        checker.method(method)
    _check_recursion(text)


def _check_recursion(text: ModelText) -> None:
    """Raises ModelError if a helper calls itself, directly or through others."""
    calls = {name: _called(method.body) for name, method in text.helpers.items()}
    for name, method in text.helpers.items():
        waiting, seen = list(calls[name]), set[str]()
        while waiting:
            called = waiting.pop()
            if called == name:
                raise ModelError(method.at, f"{name}() calls itself.", "Say what holds with all(), any() or max().")
            if called not in seen:
                seen.add(called)
                waiting.extend(calls.get(called, ()))


def _called(node: object) -> set[str]:
    """The names of the helpers that a piece of text calls."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Call | Perform):
            found.add(part.helper)
        if isinstance(part, tuple):
            waiting.extend(part)
        elif hasattr(part, "__dataclass_fields__") and not isinstance(part, Place):
            waiting.extend(getattr(part, name) for name in part.__dataclass_fields__ if name != "domain")
    return found


def called_helpers(node: object) -> set[str]:
    """The names of the helpers that a piece of text calls, directly."""
    return _called(node)


class _Checker:
    def __init__(self, text: ModelText) -> None:
        self.text = text
        self.variables = {v.name: v for v in text.variables}
        self.constants = {c.name: c for c in text.constants}
        self.actions = {a.name: a for a in text.actions}
        self.steering = False  # whether what is read now decides what may happen

    # Methods and statements

    def method(self, method: Method) -> None:
        self.steering = method.role == "action"
        scope: dict[str, Domain | None] = {p.name: p.domain for p in method.parameters}
        self.block(method.body, scope, method)

    def block(self, block: tuple[Statement, ...], scope: dict[str, Domain | None], method: Method) -> None:
        for statement in block:
            match statement:
                case Require(condition=condition):
                    self.truth(condition, scope, "a guard")
                case Assign(targets=targets, values=values):
                    self.assign(targets, values, scope)
                case When(condition=condition, then=then, other=other):
                    self.truth(condition, scope, "a condition")
                    one, two = dict(scope), dict(scope)
                    self.block(then, one, method)
                    self.block(other, two, method)
                    scope.update({n: _join(one[n], two[n]) for n in one.keys() & two.keys()})
                    scope.update({n: d for n, d in (one | two).items() if n not in scope})
                case Perform(helper=helper, arguments=arguments, at=at):
                    if self.text.helpers[helper].returns is not None:
                        raise ModelError(at, f"the value of {helper}() is dropped.", "Assign it to a name.")
                    self.arguments(helper, arguments, scope, at)
                case Return(value=value, at=at):
                    self.returned(value, scope, method, at)
                case _:
                    assert_never(statement)

    def returned(self, value: Expression, scope: Locals, method: Method, at: Place) -> None:
        found = self.domain(value, scope)
        promised = method.returns
        assert promised is not None
        crossed = (
            isinstance(found, IntDomain)
            and isinstance(promised, IntDomain)
            and found.name
            and promised.name
            and found.name != promised.name
        )
        if found is not None and (crossed or not fits(promised, found)):
            raise ModelError(
                value.at,
                f"{method.name}() promises {_a(promised)} and returns {_a(found)}.",
                f"Return {_a(promised)}, or change what it promises.",
            )

    def assign(
        self, targets: tuple[Target | str, ...], values: tuple[Expression, ...], scope: dict[str, Domain | None]
    ) -> None:
        found: list[Domain | None] = []
        for target, value in zip(targets, values, strict=True):
            history = isinstance(target, Target) and self.variables[target.variable].is_history
            steering, self.steering = self.steering, self.steering and not history
            found.append(self.domain(value, scope))
            self.steering = steering
        for target, value, domain in zip(targets, values, found, strict=True):
            if isinstance(target, str):
                if isinstance(domain, MapDomain):
                    raise ModelError(
                        value.at, f"{target} would be a dict, a mutable value.", "Read one of its values: self.x[key]."
                    )
                scope[target] = domain
            else:
                self.write(target, value, domain, scope)

    def write(self, target: Target, value: Expression, found: Domain | None, scope: Locals) -> None:
        domain: Domain = self.variables[target.variable].domain
        for key in target.keys:
            if not isinstance(domain, MapDomain):
                raise ModelError(
                    target.at,
                    f"{target.variable} is {_a(domain)} there, whose parts do not change one by one.",
                    "Assign the whole value, with _replace for a record or + for a sequence.",
                )
            self.expect(domain.key, key, scope, f"a key of {target.variable}")
            domain = domain.value
        if found is not None and not fits(domain, found):
            raise ModelError(
                value.at, f"{target.variable} holds {_a(domain)} and is given {_a(found)}.", "Give it a fitting value."
            )
        if isinstance(found, SetDomain) and not found.frozen:
            raise ModelError(value.at, "a set display is a mutable value.", "Write frozenset({...}).")
        if isinstance(domain, MapDomain) and not isinstance(value, Comprehension):
            raise ModelError(
                value.at, f"{target.variable} would share a dict, a mutable value.", "Write {k: ... for k in ...}."
            )

    # Expressions

    def truth(self, node: Expression, scope: Locals, what: str) -> None:
        found = self.domain(node, scope)
        if found is not None and found != BOOL:
            raise ModelError(node.at, f"{what} is true or false, and this is {_a(found)}.", "Compare it with a value.")

    def number(self, node: Expression, scope: Locals) -> IntDomain | None:
        found = _present(self.domain(node, scope))
        if found is None or isinstance(found, IntDomain):
            return found
        raise ModelError(node.at, f"an integer is needed, and this is {_a(found)}.", "Give it an integer.")

    def expect(self, wanted: Domain, node: Expression, scope: Locals, what: str) -> None:
        found = self.domain(node, scope)
        if found is not None and not fits(wanted, found):
            raise ModelError(node.at, f"{what} is {_a(wanted)}, and this is {_a(found)}.", f"Give {_a(wanted)}.")

    def arguments(self, helper: str, arguments: tuple[Expression, ...], scope: Locals, at: Place) -> None:
        parameters = self.text.helpers[helper].parameters
        if len(arguments) != len(parameters):
            raise ModelError(
                at,
                f"{helper}() takes {len(parameters)} argument(s) and is given {len(arguments)}.",
                f"Its parameters are: {', '.join(p.name for p in parameters) or 'none'}.",
            )
        for parameter, argument in zip(parameters, arguments, strict=True):
            self.expect(parameter.domain, argument, scope, f"the parameter {parameter.name} of {helper}()")

    def domain(self, node: Expression, scope: Locals) -> Domain | None:
        """The domain of an expression; None where only the step taken tells."""
        match node:
            case Literal(value=value, domain=domain):
                return domain or (NONE if value is None else BOOL if isinstance(value, bool) else INT)
            case ReadConstant(name=name):
                return self.constants[name].domain
            case ReadVariable(name=name):
                return self.variable(node)
            case ReadLocal(name=name):
                return scope[name]
            case ReadField():
                return self.field(node, scope)
            case Item():
                return self.item(node, scope)
            case Slice(sequence=sequence, start=start, stop=stop, at=at):
                for part in (start, stop):
                    if part is not None:
                        self.number(part, scope)
                found = _present(self.domain(sequence, scope))
                return self.sequence(found, at, "sliced") if found else None
            case Operation():
                return self.operation(node, scope)
            case Not(operand=operand):
                self.truth(operand, scope, "what `not` turns round")
                return BOOL
            case Choice(condition=condition, then=then, other=other, at=at):
                self.truth(condition, scope, "a condition")
                return self.joined([(then, scope), (other, scope)])
            case MakeRecord(domain=record, fields=fields):
                for (name, wanted), part in zip(record.fields, fields, strict=True):
                    self.expect(wanted, part, scope, f"the field {name} of {record.name}")
                return record
            case ReplaceFields():
                return self.replaced(node, scope)
            case MakeSequence(elements=elements):
                return SequenceDomain(self.joined([(e, scope) for e in elements]) if elements else None)
            case MakeSet(elements=elements, frozen=frozen):
                return SetDomain(self.joined([(e, scope) for e in elements]) if elements else None, frozen)
            case Everything(domain=everything):
                return SetDomain(everything)
            case Range(start=start, stop=stop):
                self.number(start, scope)
                self.number(stop, scope)
                return SequenceDomain(INT)
            case Comprehension():
                return self.comprehension(node, scope)
            case Extreme(parts=parts):
                numbers = [self.number(part, scope) for part in parts]
                return _common_name(numbers)
            case Length(of=of, at=at):
                found = _present(self.domain(of, scope))
                if isinstance(found, SequenceDomain | SetDomain | MapDomain | None):
                    return INT
                raise ModelError(at, f"{_a(found)} has no length.", "len() counts a sequence or a set.")
            case Call(helper=helper, arguments=arguments, at=at):
                return self.call(node, scope)
            case Let(name=name, value=value, body=body):
                return self.domain(body, {**scope, name: self.domain(value, scope)})
            case TakenAction():
                return BOOL
            case TakenArgument(name=name, at=at):
                return self.taken_argument(name, at)
            case _:
                assert_never(node)

    def taken_argument(self, name: str, at: Place) -> Domain | None:
        domains = {p.domain for a in self.text.actions for p in a.parameters if p.name == name}
        if not domains:
            raise ModelError(at, f"no action has a parameter {name}.", "Name a parameter of the action asked about.")
        return domains.pop() if len(domains) == 1 else None

    def variable(self, node: ReadVariable) -> Domain:
        variable = self.variables[node.name]
        if variable.is_history and self.steering:
            raise ModelError(
                node.at,
                f"the history variable {node.name} steers what happens.",
                "Only properties, and updates of history variables, may read it.",
            )
        return variable.domain

    def field(self, node: ReadField, scope: Locals) -> Domain | None:
        found = _present(self.domain(node.record, scope))
        if found is None:
            return None
        if isinstance(found, RecordDomain):
            for name, domain in found.fields:
                if name == node.name:
                    return domain
            raise ModelError(
                node.at, f"{found.name} has no field {node.name}.", f"It has {', '.join(n for n, _ in found.fields)}."
            )
        raise ModelError(node.at, f"{_a(found)} has no fields.", "Only records (named tuples) have fields.")

    def item(self, node: Item, scope: Locals) -> Domain | None:
        found = _present(self.domain(node.container, scope))
        if found is None:
            return None
        if isinstance(found, MapDomain):
            self.expect(found.key, node.key, scope, "the key")
            return found.value
        of = self.sequence(found, node.at, "indexed").of
        self.number(node.key, scope)
        return of

    def sequence(self, found: Domain, at: Place, what: str) -> SequenceDomain:
        if isinstance(found, SequenceDomain):
            return replace(found, name="")
        raise ModelError(at, f"{_a(found)} cannot be {what}.", "Only a sequence can; a map is read under a key.")

    def operation(self, node: Operation, scope: Locals) -> Domain | None:
        match node.operator:
            case Operator.AND | Operator.OR:
                self.truth(node.left, scope, f"a side of `{node.operator.value}`")
                self.truth(node.right, scope, f"a side of `{node.operator.value}`")
                return BOOL
            case Operator.IN | Operator.NOT_IN:
                return self.membership(node, scope)
            case Operator.EQ | Operator.NE:
                return self.equality(node, scope)
        left, right = self.domain(node.left, scope), self.domain(node.right, scope)
        present = _present(left)
        if isinstance(present, SetDomain) and node.operator is not Operator.ADD:
            return self.set_operation(node, present, _present(right))
        if isinstance(present, SequenceDomain) and node.operator is Operator.ADD:
            return self.concatenation(node, present, _present(right))
        numbers = [self.number(node.left, scope), self.number(node.right, scope)]
        if node.operator in _ORDER:
            return BOOL
        if node.operator in _ARITHMETIC:
            return _common_name(numbers)
        raise ModelError(node.at, f"`{node.operator.value}` joins sets, and these are integers.", "Use + - * // %.")

    def membership(self, node: Operation, scope: Locals) -> Domain:
        element, container = self.domain(node.left, scope), _present(self.domain(node.right, scope))
        if isinstance(container, SetDomain | SequenceDomain):
            of = container.of
        elif isinstance(container, MapDomain):
            raise ModelError(node.at, "a total map has every key.", "Ask for its value: self.x[key] == ...")
        elif container is None:
            return BOOL
        else:
            raise ModelError(node.at, f"nothing is in {_a(container)}.", "Ask whether it is in a set or a sequence.")
        if of is not None and element is not None and not _comparable(of, element):
            raise ModelError(node.at, f"{_a(element)} is never in {describe(container)}.", "Compare like with like.")
        return BOOL

    def equality(self, node: Operation, scope: Locals) -> Domain:
        left, right = self.domain(node.left, scope), self.domain(node.right, scope)
        if isinstance(left, MapDomain) or isinstance(right, MapDomain):
            raise ModelError(node.at, "whole maps are not compared.", "Write all(self.x[k] == ... for k in ...).")
        if left is not None and right is not None and not _comparable(left, right):
            raise ModelError(node.at, f"{_a(left)} never equals {_a(right)}.", "Compare like with like.")
        return BOOL

    def set_operation(self, node: Operation, left: SetDomain, right: Domain | None) -> Domain | None:
        if node.operator in (Operator.ADD, Operator.MUL, Operator.DIV, Operator.MOD):
            raise ModelError(node.at, f"`{node.operator.value}` does not join sets.", "Use | & or -.")
        if right is None:
            return None
        if not isinstance(right, SetDomain) or not _comparable(left, right):
            raise ModelError(node.at, f"{_a(left)} and {_a(right)} do not go together.", "Use two sets of one kind.")
        if node.operator in _ORDER:
            return BOOL
        return SetDomain(_join(left.of, right.of) or left.of or right.of, left.frozen)

    def concatenation(self, node: Operation, left: SequenceDomain, right: Domain | None) -> Domain | None:
        if right is None:
            return None
        if not isinstance(right, SequenceDomain) or not _comparable(left, right):
            raise ModelError(
                node.at, f"{_a(left)} and {_a(right)} do not go together.", "Add a sequence: log + (record,)."
            )
        return SequenceDomain(_join(left.of, right.of) or left.of or right.of)

    def replaced(self, node: ReplaceFields, scope: Locals) -> Domain | None:
        found = _present(self.domain(node.record, scope))
        if not isinstance(found, RecordDomain):
            raise ModelError(node.at, "only a record has _replace.", "Records are named tuples.")
        fields = dict(found.fields)
        for name, value in node.fields:
            if name not in fields:
                raise ModelError(node.at, f"{found.name} has no field {name}.", f"It has {', '.join(fields)}.")
            self.expect(fields[name], value, scope, f"the field {name} of {found.name}")
        return found

    def comprehension(self, node: Comprehension, scope: Locals) -> Domain | None:
        inner = dict(scope)
        unordered: Place | None = None
        for clause in node.clauses:
            inner[clause.target], ordered = self.source(clause.source, inner)
            if not ordered:
                unordered = clause.at
            for condition in clause.conditions:
                self.truth(condition, inner, "a condition")
        match node.gathering:
            case Gathering.ALL | Gathering.ANY:
                self.truth(node.element, inner, "what all() and any() ask")
                return BOOL
            case Gathering.SUM | Gathering.MIN | Gathering.MAX:
                return self.gathered_number(node, inner, scope)
            case Gathering.SET:
                return SetDomain(self.element(node.element, inner))
            case Gathering.SEQUENCE:
                if unordered:
                    raise ModelError(
                        unordered, "a set has no order, so it makes no sequence.", "Run over a sort, a range or a tuple."
                    )
                return SequenceDomain(self.element(node.element, inner))
            case Gathering.MAP:
                return self.whole_map(node, inner)
            case _:
                assert_never(node.gathering)

    def element(self, node: Expression, scope: Locals) -> Domain | None:
        found = self.domain(node, scope)
        if isinstance(found, MapDomain):
            raise ModelError(node.at, "a dict, a mutable value, cannot be an element.", "Read one of its values.")
        return found

    def gathered_number(self, node: Comprehension, inner: Locals, scope: Locals) -> Domain | None:
        found = _present(self.domain(node.element, inner))
        if node.gathering is Gathering.SUM and found == BOOL:
            raise ModelError(node.at, "sum() adds integers, and these are true or false.", "Write sum(1 for ... if ...).")
        number = self.number(node.element, inner)
        if node.default is not None:
            return _common_name([number, self.number(node.default, scope)])
        return number if node.gathering is not Gathering.SUM else INT

    def whole_map(self, node: Comprehension, inner: Locals) -> Domain:
        clause = node.clauses[0]
        direct = isinstance(node.key, ReadLocal) and node.key.name == clause.target
        if len(node.clauses) > 1 or clause.conditions or not direct or not isinstance(clause.source, Everything | Range):
            raise ModelError(
                node.at, "a total map is made over all of its keys.", "Write {k: ... for k in Sort}, without conditions."
            )
        key = inner[clause.target]
        value = self.domain(node.element, inner)
        assert key is not None
        return MapDomain(key, value or INT)

    def source(self, node: Expression, scope: Locals) -> tuple[Domain | None, bool]:
        """The domain of what a `for` runs over, and whether its order is defined."""
        found = _present(self.domain(node, scope))
        match found:
            case SetDomain(of=of):
                return of, isinstance(node, Everything)
            case SequenceDomain(of=of):
                return of, True
            case MapDomain(key=key):
                return key, True
            case None:
                return None, False
        raise ModelError(node.at, f"nothing runs over {_a(found)}.", "Run over a sort, a range, a set or a sequence.")

    def joined(self, parts: list[tuple[Expression, Locals]]) -> Domain | None:
        result = self.domain(*parts[0])
        for node, scope in parts[1:]:
            found = self.domain(node, scope)
            if result is not None and found is not None and not _comparable(result, found):
                raise ModelError(node.at, f"{_a(result)} and {_a(found)} do not go together.", "Give one kind of value.")
            result = _join(result, found)
        return result

    def call(self, node: Call, scope: Locals) -> Domain:
        helper = self.text.helpers[node.helper]
        if helper.returns is None:
            raise ModelError(node.at, f"{node.helper}() returns nothing.", "Call it on a line of its own.")
        self.arguments(node.helper, node.arguments, scope, node.at)
        if self.steering:
            self.steering_helper(helper, node)
        return helper.returns

    def steering_helper(self, helper: Method, node: Call) -> None:
        """Refuses a helper that reads history where it decides what may happen."""
        for name in _reached(helper.name, self.text):
            for variable in _read_variables(self.text.helpers[name].body):
                if self.variables[variable].is_history:
                    raise ModelError(
                        node.at,
                        f"the history variable {variable} steers what happens, through {helper.name}().",
                        "Only properties, and updates of history variables, may read it.",
                    )


def _reached(name: str, text: ModelText) -> set[str]:
    waiting, seen = [name], set[str]()
    while waiting:
        helper = waiting.pop()
        if helper not in seen:
            seen.add(helper)
            waiting.extend(_called(text.helpers[helper].body))
    return seen


def _read_variables(node: object) -> set[str]:
    found: set[str] = set()
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ReadVariable):
            found.add(part.name)
        if isinstance(part, tuple):
            waiting.extend(part)
        elif hasattr(part, "__dataclass_fields__") and not isinstance(part, Place):
            waiting.extend(getattr(part, name) for name in part.__dataclass_fields__ if name != "domain")
    return found


# How domains meet


def _a(domain: Domain) -> str:
    """The domain with its article, as in a sentence."""
    name = describe(domain)
    if name == "None":
        return name
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"


def _present(domain: Domain | None) -> Domain | None:
    """What an optional value is where it is there; the word None is left as it is."""
    return domain.of if isinstance(domain, OptionalDomain) and domain.of is not None else domain


def fits(wanted: Domain, found: Domain) -> bool:
    """Whether a value of one kind may stand where another is wanted; bounds do not matter here."""
    if isinstance(found, OptionalDomain):
        return isinstance(wanted, OptionalDomain) if found.of is None else fits(wanted, found.of)
    wanted = wanted.of if isinstance(wanted, OptionalDomain) and wanted.of is not None else wanted
    match wanted, found:
        case (IntDomain(), IntDomain()) | (BoolDomain(), BoolDomain()):
            return True
        case (SortDomain(), SortDomain()) | (EnumDomain(), EnumDomain()):
            return wanted == found
        case RecordDomain(make=one), RecordDomain(make=two):
            return one is two
        case (SequenceDomain(of=one), SequenceDomain(of=two)) | (SetDomain(of=one), SetDomain(of=two)):
            return one is None or two is None or fits(one, two)
        case MapDomain(key=key, value=value), MapDomain(key=key2, value=value2):
            return fits(key, key2) and fits(value, value2)
    return False


def _comparable(a: Domain, b: Domain) -> bool:
    return NONE in (a, b) or fits(a, b) or fits(b, a)


def _join(a: Domain | None, b: Domain | None) -> Domain | None:
    """The domain of a value that is one or the other."""
    if a is None or b is None:
        return a or b if a is None and b is None else None
    if a == NONE or b == NONE:
        other = b if a == NONE else a
        return other if isinstance(other, OptionalDomain) else OptionalDomain(other)
    if isinstance(a, OptionalDomain) or isinstance(b, OptionalDomain):
        return OptionalDomain(_join(_present(a), _present(b)))
    match a, b:
        case IntDomain(), IntDomain():
            return _common_name([a, b])
        case SequenceDomain(of=one), SequenceDomain(of=two):
            return SequenceDomain(_join(one, two) if one and two else one or two)
        case SetDomain(of=one), SetDomain(of=two):
            return SetDomain(_join(one, two) if one and two else one or two, a.frozen and b.frozen)
    return a


def _common_name(numbers: list[IntDomain | None]) -> IntDomain:
    """An integer under the one name that all named numbers among these have."""
    names = {n.name for n in numbers if n is not None and n.name}
    return IntDomain(None, names.pop()) if len(names) == 1 else INT
