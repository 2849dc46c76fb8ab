"""How domains meet: which may stand for which, what an operator makes of them, and what is left of a sum."""

from collections.abc import Iterator

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.domains import (
    BOOL,
    INT,
    NONE,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    Member,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    SumDomain,
    describe,
    members,
    same_type,
    sum_of,
)
from isrcheck.ir.nodes import Expression, Operation, Operator
from isrcheck.ir.sums import compares_class, may_be_equal
from isrcheck.ir.unparse import expression_text
from isrcheck.place import Place

ORDER = (Operator.LT, Operator.LE, Operator.GT, Operator.GE)


def an(domain: Domain) -> str:
    name = describe(domain)
    if name == "None":
        return name
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"


def has_another_name(declared: Domain, given: Domain) -> bool:
    """Whether two integer domains have different names, as Epoch and Offset."""
    one, two = present(declared), present(given)
    if isinstance(one, IntDomain) and isinstance(two, IntDomain):
        return bool(one.name and two.name) and one.name != two.name
    return False


def present(domain: Domain | None) -> Domain | None:
    """The domain of an optional value that is not None; the domain of the word None stays."""
    return domain.of if isinstance(domain, OptionalDomain) and domain.of is not None else domain


def fits(wanted: Domain, given: Domain) -> bool:
    """Whether one may stand where another is wanted, whatever the bounds."""
    if isinstance(given, OptionalDomain):
        return isinstance(wanted, OptionalDomain) if given.of is None else fits(wanted, given.of)
    match present(wanted), given:
        case (SumDomain() as one, two) | (one, SumDomain() as two):
            return all(any(same_type(a, b) for a in members(one)) for b in members(two))
        case IntDomain(), IntDomain():
            return True
        case RecordDomain(make=one), RecordDomain(make=two):
            return one is two
        case (SequenceDomain(one), SequenceDomain(two)) | (SetDomain(one), SetDomain(two)):
            return one is None or two is None or fits(one, two)
        case MapDomain(key, value), MapDomain(key2, value2):
            return fits(key, key2) and fits(value, value2)
        case one, two:
            return one == two


def comparable(a: Domain, b: Domain) -> bool:
    """Whether `==` between values of two domains has a meaning; two sums need a common member."""
    one, two = present(a), present(b)
    if isinstance(one, SumDomain) and isinstance(two, SumDomain):
        return any(same_type(x, y) for x in one.members for y in two.members)
    return NONE in (a, b) or fits(a, b) or fits(b, a)


def unite(a: Domain, b: Domain) -> Domain | None:
    """The sum of two that never equal each other; None if there is none."""
    one, two = (members(present(each)) for each in (a, b))
    if not all(isinstance(member, Member) for member in (*one, *two)):
        return None
    if any(may_be_equal(x, y) for x in one for y in two if not same_type(x, y)):
        return None
    optional = isinstance(a, OptionalDomain) or isinstance(b, OptionalDomain)
    return OptionalDomain(sum_of((*one, *two))) if optional else sum_of((*one, *two))


def is_distinguishable(domain: Domain) -> bool:
    """Whether CPython finds no value of another kind equal, as 1 is to True."""
    match domain:
        case OptionalDomain(of):
            return of is None or is_distinguishable(of)
        case EnumDomain(members=members):
            return not isinstance(members[0], int | str)
        case RecordDomain(make=make):
            return compares_class(make)
        case SumDomain(parts):
            return all(map(is_distinguishable, parts))
    return isinstance(domain, IntDomain | SortDomain)


def join(a: Domain | None, b: Domain | None) -> Domain | None:
    if a is None or b is None:
        return None
    if a == NONE or b == NONE:
        other = b if a == NONE else a
        return other if isinstance(other, OptionalDomain) else OptionalDomain(other)
    if isinstance(a, OptionalDomain) or isinstance(b, OptionalDomain):
        return OptionalDomain(join(present(a), present(b)))
    match a, b:
        case (SumDomain(), _) | (_, SumDomain()):
            return a if fits(a, b) else b if fits(b, a) else sum_of((*members(a), *members(b)))
        case IntDomain(), IntDomain():
            return common_name([a, b])
        case SequenceDomain(one), SequenceDomain(two):
            return SequenceDomain(join(one, two) or one or two)
        case SetDomain(one), SetDomain(two):
            return SetDomain(join(one, two) or one or two, a.frozen and b.frozen)
    return a


def merge(a: Domain | None, b: Domain | None, at: Place, sentence: str) -> Domain | None:
    """The domain of what is of one or the other; None if one is not known. Raises ModelError with the sentence."""
    if a is None or b is None or comparable(a, b):
        return join(a, b)
    if both := unite(a, b):
        return both
    raise ModelError(at, sentence.format(an(a), an(b)), "Give one kind of value.")


def common_name(numbers: list[IntDomain | None]) -> IntDomain:
    names = {n.name for n in numbers if n is not None and n.name}
    return IntDomain(None, names.pop()) if len(names) == 1 else INT


def membership(node: Operation, element: Domain | None, container: Domain | None) -> Domain:
    """Refuses what is never in it."""
    network = isinstance(container, MapDomain) and container.total is not None
    if isinstance(container, MapDomain) and not network:
        raise ModelError(node.at, "a total map has every key.", "Ask for its value: self.x[key] == ...")
    if not isinstance(container, SetDomain | SequenceDomain | None) and not network:
        raise ModelError(node.at, f"nothing is in {an(container)}.", "Ask whether it is in a set or a sequence.")
    of = container.key if isinstance(container, MapDomain) else getattr(container, "of", None)
    if container and of and element and not comparable(of, element):
        sentence = f"{an(element)} is never in {describe(container)}."
        raise ModelError(node.at, sentence, "Compare like with like.")
    return BOOL


def equality(node: Operation, left: Domain | None, right: Domain | None) -> Domain:
    """Refuses what is never equal, maps."""
    if isinstance(left, MapDomain) or isinstance(right, MapDomain):
        raise ModelError(node.at, "whole maps are not compared.", "Write all(self.x[k] == ... for k in ...).")
    if left is not None and right is not None and not comparable(left, right):
        sizes = [size_instead(*side) for side in ((node.left, left, right), (node.right, right, left))]
        remedy = next(filter(None, sizes), "Compare like with like.")
        raise ModelError(node.at, f"{an(left)} never equals {an(right)}.", remedy)
    return BOOL


def size_instead(node: Expression, domain: Domain | None, wanted: Domain | None) -> str:
    """The remedy for a set or sequence where its size was meant; empty if an integer is not wanted."""
    has_size = isinstance(domain, SetDomain | SequenceDomain) and isinstance(wanted, IntDomain)
    return f"Write len({expression_text(node)}) for the number of its elements." if has_size else ""


def join_operands(node: Operation, left: SetDomain | SequenceDomain, right: Domain | None) -> Domain | None:
    is_set = isinstance(left, SetDomain)
    if is_set and node.operator in (Operator.ADD, Operator.MUL, Operator.DIV, Operator.MOD):
        raise ModelError(node.at, f"`{node.operator.value}` does not join sets.", "Use | & or -.")
    if right is None:
        return None
    match left, right:
        case SetDomain(one, frozen), SetDomain(two) if comparable(left, right):
            return BOOL if node.operator in ORDER else SetDomain(join(one, two) or one or two, frozen)
        case SequenceDomain(), SequenceDomain() if comparable(left, right):
            return join(left, right)
        case SequenceDomain(one), SequenceDomain(two) if one is not None and two is not None:
            sentence = f"{an(two)} is never in {an(left)}."
            raise ModelError(node.at, sentence, f"Add elements that are each {an(one)}.")
    remedy = "Use two sets of one kind." if is_set else "Add a sequence: log + (record,)."
    if node.operator in ORDER:
        remedy = size_instead(node.left, left, right) or remedy
    raise ModelError(node.at, f"{an(left)} and {an(right)} do not go together.", remedy)


def domain_of_test(domain: Domain | None, of: Domain, at: Place) -> Domain:
    """The domain of isinstance(value, of): BOOL. Raises ModelError if the answer is always false."""
    known = members(present(domain))
    for each in members(of) if known else ():
        if not any(same_type(each, member) for member in known):
            what = " or ".join(map(describe, known))
            raise ModelError(at, f"this is never {an(each)}: it is {what}.", "Ask for a part of its union.")
    return BOOL


def narrow(domain: Domain | None, of: Domain, within: bool, at: Place) -> Domain | None:
    """The domain of a value once a test of its class succeeded or failed. Raises ModelError if no value is left."""
    known = members(present(domain))
    if domain is None or not all(isinstance(member, Member) for member in known):
        return domain
    asked = members(of)
    remaining = [member for member in known if any(same_type(member, each) for each in asked) == within]
    if not remaining and isinstance(domain, OptionalDomain) and not within:
        return NONE
    if not remaining:
        raise ModelError(at, "no value is left that this could be here.", "Leave this case out.")
    if len(remaining) == len(known) and not within:
        return domain
    name = getattr(present(domain), "name", "") if len(remaining) == len(known) else ""
    left = sum_of(remaining, name)
    return OptionalDomain(left) if isinstance(domain, OptionalDomain) and not within else left


def field_domain(record: RecordDomain, name: str, at: Place) -> Domain:
    fields = dict(record.fields)
    if name not in fields:
        raise ModelError(at, f"{record.name} has no field {name}.", f"It has {', '.join(fields)}.")
    return fields[name]


def fields_of_members(domain: SumDomain, name: str, at: Place) -> Iterator[Domain]:
    """The domains of a field that all members of a sum have. Raises ModelError if one lacks it."""
    have = [m for m in domain.members if isinstance(m, RecordDomain) and name in dict(m.fields)]
    lack = [m for m in domain.members if m not in have]
    if lack:
        what = f"this may be {an(lack[0])}, which has no field {name}."
        names = " or ".join(f"isinstance(m, {m.name})" for m in have) or "its classes"
        remedy = f"Ask {names} first, of a name or a variable, or write match." if have else "No part of it has one."
        raise ModelError(at, what, remedy)
    return (field_domain(m, name, at) for m in have)


def refuse_uncovered(cover: ir.Cover, domain: Domain | None) -> None:
    """Refuse a match without a case for some value: CPython would pass over it. Raises ModelError."""
    tests = [*_alternatives(cover.tests)]
    classes = [each for test in tests if isinstance(test, ir.IsMember) for each in members(test.domain)]
    values_asked = [t.right.value for t in tests if isinstance(t, Operation) and isinstance(t.right, ir.Literal)]

    def is_asked(value: object) -> bool:
        return any(value is each for each in values_asked)

    left: list[str] = []
    for of in (m for m in members(present(domain)) if not any(same_type(m, each) for each in classes)):
        match of:
            case EnumDomain(name, values):
                left += [f"{name}.{value.name}" for value in values if not is_asked(value)]
            case BoolDomain():
                left += [str(value) for value in (False, True) if not is_asked(value)]
            case _:
                left.append(describe(of))
    if isinstance(domain, OptionalDomain) and not is_asked(None):
        left.append("None")
    if left:
        sentence = f"this match has no case for {_enumerate(left)}."
        raise ModelError(cover.at, sentence, "Write it, or end with case _.")


def _alternatives(tests: tuple[Expression, ...]) -> Iterator[Expression]:
    for test in tests:
        if isinstance(test, Operation) and test.operator is Operator.OR:
            yield from _alternatives((test.left, test.right))
        else:
            yield test


def _enumerate(names: list[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
