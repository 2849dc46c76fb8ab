"""The domain checker: every expression has a domain, and what meets must match.

Python's own types are checked by mypy where an author uses it; this says the same without it, and more: that an Epoch
is not an Offset, that a total map is given whole, that a history variable steers nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

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
    pieces,
)
from isrcheck.place import Place, source_line, source_lines

Locals = Mapping[str, Domain | None]  # None: a value whose domain depends on the step taken

_ARITHMETIC = (Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV, Operator.MOD)
_ORDER = (Operator.LT, Operator.LE, Operator.GT, Operator.GE)


def check_domains(text: ModelText) -> None:
    """Raises ModelError at the first expression whose parts do not match."""
    checker = _Checker(text)
    conditions = (*text.assumptions, *text.applicability)
    for method in (*conditions, *text.helpers.values(), *text.actions, *text.properties, *text.lemmas):
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
    return {part.helper for part in pieces(node) if isinstance(part, Call | Perform)}


class _Checker:
    def __init__(self, text: ModelText) -> None:
        self.text = text
        self.variables = {v.name: v for v in text.variables}
        self.constants = {c.name: c for c in text.constants}
        self.steering = False  # whether what is read now decides what may happen
        self.assuming = ""  # the assumption that is checked now: it knows constants only

    # Methods and statements

    def method(self, method: Method) -> None:
        self.steering = method.returns is None  # an action, or a helper that acts for one
        self.assuming = method.name if method.role in ("assume", "applies") else ""
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
                    if ends(then) or ends(other):
                        scope.update(two if ends(then) else one)
                    else:
                        self.meet(one, two, scope, statement.at)
                case Perform(helper=helper, arguments=arguments, at=at):
                    if self.text.helpers[helper].returns is not None:
                        raise ModelError(at, f"the value of {helper}() is dropped.", "Assign it to a name.")
                    self.arguments(helper, arguments, scope, at)
                case Return(value=value, at=at):
                    self.returned(value, scope, method, at)
                case _:
                    assert_never(statement)

    def meet(self, one: Locals, two: Locals, scope: dict[str, Domain | None], at: Place) -> None:
        """The local names after two branches."""
        for name in one.keys() & two.keys():
            a, b = one[name], two[name]
            if a is not None and b is not None and not _comparable(a, b):
                raise ModelError(
                    at, f"{name} is {_a(a)} after one branch and {_a(b)} after the other.", "Give one kind of value."
                )
            scope[name] = _join(a, b)
        scope.update({n: d for n, d in {**one, **two}.items() if n not in scope})

    def returned(self, value: Expression, scope: Locals, method: Method, at: Place) -> None:
        found = self.domain(value, scope)
        promised = method.returns
        assert promised is not None
        if found is not None and (_crossed(promised, found) or not fits(promised, found)):
            raise ModelError(
                value.at,
                f"{method.name}() promises {_a(promised)} and returns {_a(found)}.",
                self.hint(promised, value) or f"Return {_a(promised)}, or change what it promises.",
            )
        _frozen(found, value)

    def hint(self, promised: Domain, value: Expression) -> str:
        """What a named integer is, in the words of the comment beside its alias, and what may have been meant."""
        if not isinstance(promised, IntDomain) or not promised.name:
            return ""
        said = _alias_comment(promised.name, {v.at.file for v in self.text.variables})
        key = value.key if isinstance(value, Item) else None
        read = value.container if isinstance(value, Item) else value
        meant = ""
        if isinstance(read, ReadVariable):
            under = f"[{_written(key.at)}]" if key else ""
            alike = [v.name for v in self.text.variables if _within(v.domain, bool(key)) == promised]
            meant = f" Did you mean {' or '.join(f'self.{name}{under}' for name in alike)}?" if alike else ""
        name = _a(promised)
        return f"{name[0].upper()}{name[1:]} is {said}.{meant}" if said else meant.strip()

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
        _frozen(found, value)
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
        _frozen(found, node)

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
            case ReadVariable():
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
                return SequenceDomain(self.elements(elements, scope))
            case MakeSet(elements=elements, frozen=frozen):
                return SetDomain(self.elements(elements, scope), frozen)
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
            case Call():
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
        self.may_read(node.name, "", node.at)
        return self.variables[node.name].domain

    def may_read(self, name: str, through: str, at: Place) -> None:
        """Refuses to read a variable in an assumption, and a history variable where it decides what may happen."""
        if self.assuming:
            raise ModelError(
                at,
                f"the assumption {self.assuming}() reads the variable {name}{through}.",
                "An assumption is a condition on constants; what holds in a state is an @invariant.",
            )
        if self.steering and self.variables[name].is_history:
            raise ModelError(
                at,
                f"the history variable {name} steers what happens{through}.",
                "Only properties, and updates of history variables, may read it.",
            )

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
                self.chain(node, scope)
                self.truth(node.left, scope, f"a side of `{node.operator.value}`")
                self.truth(node.right, scope, f"a side of `{node.operator.value}`")
                return BOOL
            case Operator.IN | Operator.NOT_IN:
                return self.membership(node, scope)
            case Operator.EQ | Operator.NE:
                return self.equality(node, scope)
        left, right = self.domain(node.left, scope), self.domain(node.right, scope)
        present = _present(left)
        if isinstance(present, SetDomain):
            return self.set_operation(node, present, _present(right))
        if isinstance(present, SequenceDomain) and node.operator is Operator.ADD:
            return self.concatenation(node, present, _present(right))
        numbers = [self.number(node.left, scope), self.number(node.right, scope)]
        if node.operator in _ORDER:
            return BOOL
        if node.operator in _ARITHMETIC:
            return _common_name(numbers)
        raise ModelError(node.at, f"`{node.operator.value}` joins sets, and these are integers.", "Use + - * // %.")

    def chain(self, node: Operation, scope: Locals) -> None:
        """Refuses sets in a chain of comparisons, whose last one stands at the same place as the chain."""
        last = node.right
        if not isinstance(last, Operation) or last.at != node.at:
            return
        found = _present(self.domain(last.left, scope))
        if isinstance(found, SetDomain) and node.operator is Operator.AND:
            raise ModelError(
                node.at, "a chain of comparisons is for integers, and these are sets.", "Write a <= b and b <= c."
            )

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
                        unordered,
                        "a set has no order, so it makes no sequence.",
                        "Run over a sort, a range or a sequence; for a set write frozenset(...).",
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
        _frozen(found, node)
        return found

    def elements(self, nodes: tuple[Expression, ...], scope: Locals) -> Domain | None:
        """What the elements of a display have in common; None if it is empty."""
        for node in nodes:
            self.element(node, scope)
        return self.joined([(node, scope) for node in nodes]) if nodes else None

    def gathered_number(self, node: Comprehension, inner: Locals, scope: Locals) -> Domain | None:
        found = _present(self.domain(node.element, inner))
        if node.gathering is Gathering.SUM and found == BOOL:
            remedy = "Write sum(1 for ... if ...)."
            raise ModelError(node.at, "sum() adds integers, and these are true or false.", remedy)
        number = self.number(node.element, inner)
        if node.default is not None:
            return _common_name([number, self.number(node.default, scope)])
        return number if node.gathering is not Gathering.SUM else INT

    def whole_map(self, node: Comprehension, inner: Locals) -> Domain:
        clause = node.clauses[0]
        direct = isinstance(node.key, ReadLocal) and node.key.name == clause.target
        if len(node.clauses) > 1 or clause.conditions or not direct or not _all_keys(clause.source):
            raise ModelError(
                node.at,
                "a total map is made over all of its keys.",
                "Write {k: ... for k in Sort} or {k: ... for k in range(self.constant + 1)}, without conditions.",
            )
        key = inner[clause.target]
        value = self.domain(node.element, inner)
        if isinstance(value, MapDomain) and not isinstance(node.element, Comprehension):
            raise ModelError(
                node.element.at,
                "this would share a dict, a mutable value.",
                "Write {k: {j: ... for j in ...} for k in ...}.",
            )
        _frozen(value, node.element)
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
                fault = f"{_a(result)} and {_a(found)} do not go together."
                raise ModelError(node.at, fault, "Give one kind of value.")
            result = _join(result, found)
        return result

    def call(self, node: Call, scope: Locals) -> Domain:
        helper = self.text.helpers[node.helper]
        if helper.returns is None:
            raise ModelError(node.at, f"{node.helper}() returns nothing.", "Call it on a line of its own.")
        self.arguments(node.helper, node.arguments, scope, node.at)
        if self.steering or self.assuming:
            for name in sorted(_reached(node.helper, self.text)):
                for variable in sorted(_read_variables(self.text.helpers[name].body)):
                    self.may_read(variable, f", through {node.helper}()", node.at)
        return helper.returns


def ends(block: tuple[Statement, ...]) -> bool:
    """Whether every way through a block ends in a return."""
    match block[-1:]:
        case (Return(),):
            return True
        case (When(then=then, other=other),):
            return ends(then) and ends(other)
    return False


def _reached(name: str, text: ModelText) -> set[str]:
    waiting, seen = [name], set[str]()
    while waiting:
        helper = waiting.pop()
        if helper not in seen:
            seen.add(helper)
            waiting.extend(_called(text.helpers[helper].body))
    return seen


def _read_variables(node: object) -> set[str]:
    return {part.name for part in pieces(node) if isinstance(part, ReadVariable)}


def _all_keys(source: Expression) -> bool:
    """Whether a source is a sort, an enumeration, or the integers from 0 up to a fixed number."""
    if isinstance(source, Everything):
        return True
    return isinstance(source, Range) and isinstance(source.start, Literal) and not source.start.value and _fixed(source)


def _fixed(node: Range) -> bool:
    waiting: list[Expression] = [node.stop]
    while waiting:
        match waiting.pop():
            case Literal() | ReadConstant():
                pass
            case Operation(left=left, right=right):
                waiting += [left, right]
            case Extreme(parts=parts):
                waiting += parts
            case _:
                return False
    return True


# How domains meet


def _a(domain: Domain) -> str:
    """The domain with its article, as in a sentence."""
    name = describe(domain)
    if name == "None":
        return name
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"


def _crossed(promised: Domain, found: Domain) -> bool:
    """Whether two integers go by different names, such as Epoch and Offset."""
    one, two = _present(promised), _present(found)
    if isinstance(one, IntDomain) and isinstance(two, IntDomain):
        return bool(one.name and two.name) and one.name != two.name
    return False


def _frozen(found: Domain | None, node: Expression) -> None:
    """Refuses a set display where its value would be kept."""
    if isinstance(found, SetDomain) and not found.frozen:
        raise ModelError(node.at, "a set display is a mutable value.", "Write frozenset({...}).")


def _within(domain: Domain, keyed: bool) -> Domain | None:
    """A variable's domain, or that of its values under a key."""
    if keyed:
        return domain.value if isinstance(domain, MapDomain) else None
    return domain


def _alias_comment(name: str, files: set[str]) -> str:
    """The comment beside the line that declares a named integer, in one of these files."""
    for text in (line for file in sorted(files) for line in source_lines(file)):
        if text.startswith(f"{name} = ") and "#" in text:
            return text.partition("#")[2].strip().partition(";")[0]
    return ""


def _written(at: Place) -> str:
    return source_line(at.file, at.line)[at.column : at.end_column]


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


def domain_of(text: ModelText, node: Expression, scope: Locals) -> Domain | None:
    """The domain of an expression of a checked model; None where only the step taken tells."""
    return _Checker(text).domain(node, scope)
