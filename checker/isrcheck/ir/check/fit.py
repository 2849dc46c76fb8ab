"""How domains meet: which may stand for which, and what an operator makes of them."""

from isrcheck.errors import ModelError
from isrcheck.ir.domains import (
    BOOL,
    INT,
    NONE,
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
from isrcheck.ir.nodes import Operation, Operator
from isrcheck.ir.sums import compares_class, may_be_equal

ORDER = (Operator.LT, Operator.LE, Operator.GT, Operator.GE)


def an(domain: Domain) -> str:
    name = describe(domain)
    if name == "None":
        return name
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"


def has_another_name(declared: Domain, given: Domain) -> bool:
    """Two names, as Epoch and Offset."""
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
    """Two sums too, if they share a member."""
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
        raise ModelError(node.at, f"{an(left)} never equals {an(right)}.", "Compare like with like.")
    return BOOL


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
    raise ModelError(node.at, f"{an(left)} and {an(right)} do not go together.", remedy)
