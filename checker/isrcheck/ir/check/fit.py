"""How domains meet: which may stand for which, and what an operator makes of them."""

from isrcheck.errors import ModelError
from isrcheck.ir import domains
from isrcheck.ir.nodes import Operation, Operator

ORDER = (Operator.LT, Operator.LE, Operator.GT, Operator.GE)


def an(domain: domains.Domain) -> str:
    name = domains.describe(domain)
    if name == "None":
        return name
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"


def crossed(declared: domains.Domain, found: domains.Domain) -> bool:
    """Such as an Epoch and an Offset."""
    one, two = present(declared), present(found)
    if isinstance(one, domains.IntDomain) and isinstance(two, domains.IntDomain):
        return bool(one.name and two.name) and one.name != two.name
    return False


def present(domain: domains.Domain | None) -> domains.Domain | None:
    """Not optional; None stays None."""
    return domain.of if isinstance(domain, domains.OptionalDomain) and domain.of is not None else domain


def fits(wanted: domains.Domain, found: domains.Domain) -> bool:
    """Whatever the bounds."""
    if isinstance(found, domains.OptionalDomain):
        return isinstance(wanted, domains.OptionalDomain) if found.of is None else fits(wanted, found.of)
    match present(wanted), found:
        case domains.IntDomain(), domains.IntDomain():
            return True
        case domains.RecordDomain(make=one), domains.RecordDomain(make=two):
            return one is two
        case (domains.SequenceDomain(one), domains.SequenceDomain(two)) | (
            domains.SetDomain(of=one),
            domains.SetDomain(of=two),
        ):
            return one is None or two is None or fits(one, two)
        case domains.MapDomain(key, value), domains.MapDomain(key2, value2):
            return fits(key, key2) and fits(value, value2)
        case one, two:
            return one == two


def comparable(a: domains.Domain, b: domains.Domain) -> bool:
    return domains.NONE in (a, b) or fits(a, b) or fits(b, a)


def told_apart(domain: domains.Domain) -> bool:
    """Whether CPython finds no value of another kind equal, as 1 is to True."""
    match domain:
        case domains.OptionalDomain(of):
            return of is None or told_apart(of)
        case domains.EnumDomain(members=members):
            return not isinstance(members[0], int | str)
    return isinstance(domain, domains.IntDomain | domains.SortDomain)


def join(a: domains.Domain | None, b: domains.Domain | None) -> domains.Domain | None:
    if a is None or b is None:
        return None
    if a == domains.NONE or b == domains.NONE:
        other = b if a == domains.NONE else a
        return other if isinstance(other, domains.OptionalDomain) else domains.OptionalDomain(other)
    if isinstance(a, domains.OptionalDomain) or isinstance(b, domains.OptionalDomain):
        return domains.OptionalDomain(join(present(a), present(b)))
    match a, b:
        case domains.IntDomain(), domains.IntDomain():
            return common_name([a, b])
        case domains.SequenceDomain(one), domains.SequenceDomain(two):
            return domains.SequenceDomain(join(one, two) or one or two)
        case domains.SetDomain(one), domains.SetDomain(two):
            return domains.SetDomain(join(one, two) or one or two, a.frozen and b.frozen)
    return a


def common_name(numbers: list[domains.IntDomain | None]) -> domains.IntDomain:
    names = {n.name for n in numbers if n is not None and n.name}
    return domains.IntDomain(None, names.pop()) if len(names) == 1 else domains.INT


def membership(node: Operation, element: domains.Domain | None, container: domains.Domain | None) -> domains.Domain:
    """Refuses what is never in it."""
    if isinstance(container, domains.MapDomain):
        raise ModelError(node.at, "a total map has every key.", "Ask for its value: self.x[key] == ...")
    if not isinstance(container, domains.SetDomain | domains.SequenceDomain | None):
        raise ModelError(node.at, f"nothing is in {an(container)}.", "Ask whether it is in a set or a sequence.")
    of = container and container.of
    if container and of and element and not comparable(of, element):
        sentence = f"{an(element)} is never in {domains.describe(container)}."
        raise ModelError(node.at, sentence, "Compare like with like.")
    return domains.BOOL


def equality(node: Operation, left: domains.Domain | None, right: domains.Domain | None) -> domains.Domain:
    """Refuses what is never equal, maps."""
    if isinstance(left, domains.MapDomain) or isinstance(right, domains.MapDomain):
        raise ModelError(node.at, "whole maps are not compared.", "Write all(self.x[k] == ... for k in ...).")
    if left is not None and right is not None and not comparable(left, right):
        raise ModelError(node.at, f"{an(left)} never equals {an(right)}.", "Compare like with like.")
    return domains.BOOL


def joined(
    node: Operation, left: domains.SetDomain | domains.SequenceDomain, right: domains.Domain | None
) -> domains.Domain | None:
    """Refuses what does not go together."""
    is_set = isinstance(left, domains.SetDomain)
    if is_set and node.operator in (Operator.ADD, Operator.MUL, Operator.DIV, Operator.MOD):
        raise ModelError(node.at, f"`{node.operator.value}` does not join sets.", "Use | & or -.")
    if right is None:
        return None
    match left, right:
        case domains.SetDomain(one, frozen), domains.SetDomain(two) if comparable(left, right):
            return domains.BOOL if node.operator in ORDER else domains.SetDomain(join(one, two) or one or two, frozen)
        case domains.SequenceDomain(), domains.SequenceDomain() if comparable(left, right):
            return join(left, right)
    remedy = "Use two sets of one kind." if is_set else "Add a sequence: log + (record,)."
    raise ModelError(node.at, f"{an(left)} and {an(right)} do not go together.", remedy)
