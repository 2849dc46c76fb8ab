"""How domains meet: which may stand for which, and what two have in common."""

from isrcheck.ir import domains


def an(domain: domains.Domain) -> str:
    """The domain with its article, as in a sentence."""
    name = domains.describe(domain)
    if name == "None":
        return name
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"


def crossed(declared: domains.Domain, found: domains.Domain) -> bool:
    """Whether two integers go by different names, such as Epoch and Offset."""
    one, two = present(declared), present(found)
    if isinstance(one, domains.IntDomain) and isinstance(two, domains.IntDomain):
        return bool(one.name and two.name) and one.name != two.name
    return False


def present(domain: domains.Domain | None) -> domains.Domain | None:
    """What an optional value is where it is there; the word None is left as it is."""
    return domain.of if isinstance(domain, domains.OptionalDomain) and domain.of is not None else domain


def fits(wanted: domains.Domain, found: domains.Domain) -> bool:
    """Whether a value of one kind may stand where another is wanted; bounds do not matter here."""
    if isinstance(found, domains.OptionalDomain):
        return isinstance(wanted, domains.OptionalDomain) if found.of is None else fits(wanted, found.of)
    wanted = wanted.of if isinstance(wanted, domains.OptionalDomain) and wanted.of is not None else wanted
    match wanted, found:
        case (domains.IntDomain(), domains.IntDomain()) | (domains.BoolDomain(), domains.BoolDomain()):
            return True
        case (domains.SortDomain(), domains.SortDomain()) | (domains.EnumDomain(), domains.EnumDomain()):
            return wanted == found
        case domains.RecordDomain(make=one), domains.RecordDomain(make=two):
            return one is two
        case (domains.SequenceDomain(of=one), domains.SequenceDomain(of=two)) | (
            domains.SetDomain(of=one),
            domains.SetDomain(of=two),
        ):
            return one is None or two is None or fits(one, two)
        case domains.MapDomain(key=key, value=value), domains.MapDomain(key=key2, value=value2):
            return fits(key, key2) and fits(value, value2)
    return False


def comparable(a: domains.Domain, b: domains.Domain) -> bool:
    """Whether values of two kinds may be equal."""
    return domains.NONE in (a, b) or fits(a, b) or fits(b, a)


def told_apart(domain: domains.Domain) -> bool:
    """Whether to CPython, too, no value of another kind is equal to one of these, as 1 is to True; bools count as 1."""
    match domain:
        case domains.OptionalDomain(of=of):
            return of is None or told_apart(of)
        case domains.EnumDomain(members=members):
            return not isinstance(members[0], int | str)
    return isinstance(domain, domains.IntDomain | domains.SortDomain)


def join(a: domains.Domain | None, b: domains.Domain | None) -> domains.Domain | None:
    """The domain of a value that is one or the other."""
    if a is None or b is None:
        return a or b if a is None and b is None else None
    if a == domains.NONE or b == domains.NONE:
        other = b if a == domains.NONE else a
        return other if isinstance(other, domains.OptionalDomain) else domains.OptionalDomain(other)
    if isinstance(a, domains.OptionalDomain) or isinstance(b, domains.OptionalDomain):
        return domains.OptionalDomain(join(present(a), present(b)))
    match a, b:
        case domains.IntDomain(), domains.IntDomain():
            return common_name([a, b])
        case domains.SequenceDomain(of=one), domains.SequenceDomain(of=two):
            return domains.SequenceDomain(join(one, two) if one and two else one or two)
        case domains.SetDomain(of=one), domains.SetDomain(of=two):
            return domains.SetDomain(join(one, two) if one and two else one or two, a.frozen and b.frozen)
    return a


def common_name(numbers: list[domains.IntDomain | None]) -> domains.IntDomain:
    """An integer under the one name that all named numbers among these have."""
    names = {n.name for n in numbers if n is not None and n.name}
    return domains.IntDomain(None, names.pop()) if len(names) == 1 else domains.INT
