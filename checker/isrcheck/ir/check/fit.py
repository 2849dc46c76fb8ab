"""How domains meet: which may stand for which, and what two have in common."""

from isrcheck.ir.domains import (
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


def an(domain: Domain) -> str:
    """The domain with its article, as in a sentence."""
    name = describe(domain)
    if name == "None":
        return name
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"


def crossed(promised: Domain, found: Domain) -> bool:
    """Whether two integers go by different names, such as Epoch and Offset."""
    one, two = present(promised), present(found)
    if isinstance(one, IntDomain) and isinstance(two, IntDomain):
        return bool(one.name and two.name) and one.name != two.name
    return False


def present(domain: Domain | None) -> Domain | None:
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


def comparable(a: Domain, b: Domain) -> bool:
    """Whether values of two kinds may be equal."""
    return NONE in (a, b) or fits(a, b) or fits(b, a)


def told_apart(domain: Domain) -> bool:
    """Whether to CPython, too, no value of another kind is equal to one of these, as 1 is to True; bools count as 1."""
    match domain:
        case OptionalDomain(of=of):
            return of is None or told_apart(of)
        case EnumDomain(members=members):
            return not isinstance(members[0], int | str)
    return isinstance(domain, IntDomain | SortDomain)


def join(a: Domain | None, b: Domain | None) -> Domain | None:
    """The domain of a value that is one or the other."""
    if a is None or b is None:
        return a or b if a is None and b is None else None
    if a == NONE or b == NONE:
        other = b if a == NONE else a
        return other if isinstance(other, OptionalDomain) else OptionalDomain(other)
    if isinstance(a, OptionalDomain) or isinstance(b, OptionalDomain):
        return OptionalDomain(join(present(a), present(b)))
    match a, b:
        case IntDomain(), IntDomain():
            return common_name([a, b])
        case SequenceDomain(of=one), SequenceDomain(of=two):
            return SequenceDomain(join(one, two) if one and two else one or two)
        case SetDomain(of=one), SetDomain(of=two):
            return SetDomain(join(one, two) if one and two else one or two, a.frozen and b.frozen)
    return a


def common_name(numbers: list[IntDomain | None]) -> IntDomain:
    """An integer under the one name that all named numbers among these have."""
    names = {n.name for n in numbers if n is not None and n.name}
    return IntDomain(None, names.pop()) if len(names) == 1 else INT
