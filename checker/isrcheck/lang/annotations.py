"""The domains that a model's annotations mean."""

import sys
import types
import typing
from collections.abc import Iterable
from enum import Enum
from functools import cache
from typing import Annotated, Any, get_args, get_origin

from isrcheck.errors import ModelError
from isrcheck.ir import domains
from isrcheck.ir.check.fit import an
from isrcheck.ir.domains import (
    Domain,
    IntDomain,
    MapDomain,
    SequenceDomain,
    describe,
    inner_domains,
    members,
    same_type,
)
from isrcheck.ir.frozen import replace
from isrcheck.ir.sums import may_be_equal
from isrcheck.lang.declare import Between, Sort, UpTo, member
from isrcheck.lang.hooks import check_enum_class, check_record_class, check_sort_class
from isrcheck.lang.network import KINDS, Channels
from isrcheck.place import Place

Aliases = dict[Any, str]
_ALIAS: Any = getattr(typing, "TypeAliasType", ())  # `type Message = Vote | Fetch`, from Python 3.12 on


@cache
def sort_domain(sort: type[Sort]) -> domains.SortDomain:
    """The domain of a sort. Raises ModelError for a class with hooks of its own."""
    check_sort_class(sort)
    return domains.SortDomain(sort.__name__, sort.size, sort.symmetric, lambda index: member(sort, index), sort)


@cache
def enum_domain(enum: type[Enum]) -> domains.EnumDomain:
    """The domain of an enumeration. Raises ModelError for a class with hooks of its own."""
    check_enum_class(enum)
    return domains.EnumDomain(enum.__name__, tuple(enum))


def is_record(meaning: object) -> bool:
    return isinstance(meaning, type) and issubclass(meaning, tuple) and hasattr(meaning, "_fields")


def record_domain(record: Any, at: Place) -> domains.RecordDomain:
    """The domain of a record. Raises ModelError for a hook, or a field's annotation outside the language."""
    check_record_class(record)
    names = alias_names(getattr(sys.modules.get(record.__module__), "__dict__", {}))
    hints = type_hints(record, record.__name__, at)
    if tuple(hints) != record._fields:
        sentence = f"the fields of {record.__name__} have no types."
        raise ModelError(at, sentence, "Write class R(NamedTuple), field: type.")
    fields = tuple((name, to_domain(hint, at, names)) for name, hint in hints.items())
    for name, domain in fields:
        if isinstance(domain, MapDomain):
            sentence = f"the field {name} of {record.__name__} is a dict."
            raise ModelError(at, sentence, "A record holds no maps; declare a variable.")
    return domains.RecordDomain(record.__name__, fields, record)


def alias_names(globals_: Any) -> Aliases:
    """The names of aliases: of bounds by the identity of their UpTo, of unions by their alternatives."""
    aliases: Aliases = {}
    for name, value in globals_.items():
        origin = get_origin(value)
        if origin is Annotated:
            aliases.update((id(meta), name) for meta in value.__metadata__ if isinstance(meta, UpTo))
        elif origin in (typing.Union, types.UnionType):
            aliases[_union_key(get_args(value))] = name
        elif isinstance(value, _ALIAS):
            aliases[_union_key(get_args(value.__value__))] = name
    return aliases


def _union_key(parts: Iterable[Any]) -> frozenset[int]:
    return frozenset(id(alternative) for alternative in parts if alternative is not type(None))


def sum_domain(parts: list[Any], at: Place, names: Aliases) -> Domain:
    """The domain of a union; of one alternative, itself. Raises ModelError if values of two can be equal."""
    alternatives = [to_domain(alternative, at, names) for alternative in parts]
    if len(alternatives) == 1:
        return alternatives[0]
    flat = [member_domain for each in alternatives for member_domain in members(each)]
    for place, one in enumerate(flat):
        if not isinstance(one, domains.Member):
            sentence = f"{describe(one)} is part of a union, whose parts are records, enumerations and sorts."
            raise ModelError(at, sentence, "Give it a field of a record: class Answer(Record), value: ...")
        for other in flat[:place]:
            if not same_type(one, other) and may_be_equal(one, other):
                sentence = f"{an(other)} can equal {an(one)}, as CPython compares them."
                remedy = "Write class X(Enum), whose members equal no other value."
                if isinstance(one, domains.RecordDomain) and isinstance(other, domains.RecordDomain):
                    remedy = "Write class X(Record) for each, from isrcheck: records of two classes are never equal."
                raise ModelError(at, sentence, remedy)
    return domains.sum_of(flat, names.get(_union_key(parts), ""))


_PLAIN: dict[Any, Domain] = {bool: domains.BOOL, int: domains.INT, None: domains.NONE, type(None): domains.NONE}


def to_domain(hint: Any, at: Place, names: Aliases) -> Domain:
    """The domain of an annotation. Raises ModelError for one outside the language."""
    origin = get_origin(hint)
    args = get_args(hint)
    if origin is Annotated:
        inner, bounds = to_domain(args[0], at, names), [meta for meta in hint.__metadata__ if isinstance(meta, UpTo)]
        bounded = _with_bound(inner, bounds[0], names.get(id(bounds[0]), "")) if len(bounds) == 1 else None
        if bounded is not None:
            return bounded
        remedy = "UpTo(...) bounds an int, a tuple[X, ...] or a frozenset[X]."
        if len(bounds) == 1 and isinstance(bounds[0], Between):
            remedy = "Between bounds an int."
        raise ModelError(at, f"{_hint_text(hint)} is not a type of the modelling language.", remedy)
    if isinstance(hint, _ALIAS):
        return to_domain(hint.__value__, at, {**names, **alias_names({hint.__name__: hint.__value__})})
    if origin in (typing.Union, types.UnionType):
        of = sum_domain([a for a in args if a is not type(None)], at, names)
        return domains.OptionalDomain(of) if type(None) in args else of
    if origin is Channels:
        of = SequenceDomain(to_domain(args[1], at, names))
        return MapDomain(to_domain(args[0], at, names), of, container="Channels")
    if origin in KINDS.values():
        return MapDomain(to_domain(args[0], at, names), domains.INT, total="", container=origin.__name__)
    if origin is dict and len(args) == 2:
        return MapDomain(to_domain(args[0], at, names), to_domain(args[1], at, names))
    if origin is frozenset:
        return domains.SetDomain(to_domain(args[0], at, names))
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return SequenceDomain(to_domain(args[0], at, names))
    if isinstance(hint, type | None) and hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, Sort):
        return sort_domain(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return enum_domain(hint)
    if is_record(hint):
        return record_domain(hint, at)
    raise ModelError(at, f"{_hint_text(hint)} is not a type of the modelling language.", _remedy(hint, origin))


def _with_bound(domain: Domain, bound: UpTo, name: str) -> Domain | None:
    """The domain with a bound, under the name of its alias; None if it takes no such bound."""
    high = bound.bound
    match domain:
        case IntDomain():
            low = bound.low if isinstance(bound, Between) else domain.low
            return replace(domain, low=low, high=high, name=name)
        case _ if isinstance(bound, Between):
            return None
        case MapDomain(total=str()):
            return replace(domain, value=IntDomain(high), total=high)
        case MapDomain(value=SequenceDomain() as queue) if domain.container:
            return replace(domain, value=replace(queue, high=high))
        case domains.SetDomain():
            return replace(domain, high=high)
        case SequenceDomain():
            return replace(domain, high=high, name=name)
    return None


def _hint_text(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and get_origin(hint) is None else str(hint).replace("typing.", "")


def _remedy(hint: Any, origin: Any) -> str:
    if origin in (list, set) or hint in (list, set, dict):
        return "A mutable value has no place in a state: use tuple[X, ...], frozenset[X] or dict[Sort, X]."
    if hint is str:
        return "For names use an Enum or a Sort."
    return "Types: bool, int with UpTo, Sort, Enum, NamedTuple, X | Y, None, tuple[X, ...], frozenset[X], dict[K, X]."


def check_bounded(domain: Domain, what: str, at: Place) -> None:
    for inner in reversed([*inner_domains(domain)]):
        match inner:
            case MapDomain(total="", container=container):
                remedy = f'Write Annotated[{container}[X], UpTo("constant")].'
                raise ModelError(at, f"{what} is a {container.lower()} without a bound.", remedy)
            case MapDomain(value=SequenceDomain(high=None), container="Channels"):
                remedy = 'Write Annotated[Channels[K, X], UpTo("constant")].'
                raise ModelError(at, f"{what} has channels without a bound.", remedy)
            case IntDomain(high=None):
                raise ModelError(at, f"{what} holds an int without a bound.", 'Write Annotated[int, UpTo("constant")].')
            case SequenceDomain(high=None):
                remedy = 'Write Annotated[tuple[X, ...], UpTo("constant")].'
                raise ModelError(at, f"{what} holds a sequence without a bound.", remedy)


def check_listed(domain: Domain, what: str, at: Place) -> None:
    if any(isinstance(inner, SequenceDomain | MapDomain) for inner in inner_domains(domain)):
        sentence = f"{what} would range over sequences or maps, which are too many to list."
        remedy = "Use sorts, enumerations, bounded integers, optional values, sets and small records."
        raise ModelError(at, sentence, remedy)
    if any(isinstance(inner, domains.SetDomain) and inner.high is not None for inner in inner_domains(domain)):
        sentence = f"{what} holds a set with a bound."
        raise ModelError(at, sentence, "UpTo(...) is for the sets of variables; leave it out here.")


def check_shape(domain: Domain, what: str, at: Place) -> None:
    if domain == domains.INT:
        remedy = f'Write Annotated[int, UpTo("constant")]; or {what}: int = constant(3, "...") if no step changes it.'
        raise ModelError(at, f"{what} holds an int without a bound.", remedy)
    check_bounded(domain, what, at)
    for inner in reversed([*inner_domains(domain)]):
        match inner:
            case MapDomain(value=MapDomain(container=container)) if container:
                one = {"Network": "a network is", "Bag": "a bag is", "Channels": "channels are"}[container]
                remedy = f"{one.capitalize()} a variable of {'their' if container == 'Channels' else 'its'} own."
                raise ModelError(at, f"{what} holds {one.rsplit(' ', 1)[0]} inside a map.", remedy)
            case MapDomain(key):
                check_listed(key, f"a key of {what}", at)
            case domains.SetDomain(of) if of is not None:
                check_listed(of, f"an element of {what}", at)
            case domains.OptionalDomain(of=MapDomain()) | SequenceDomain(of=MapDomain()):
                raise ModelError(at, f"{what} holds a dict inside another value.", "A dict is a variable of its own.")


def type_hints(of: Any, what: str, at: Place) -> dict[str, Any]:
    """Return the annotations of a class or function, evaluated. Raises ModelError for unknown names."""
    try:
        return typing.get_type_hints(of, include_extras=True)
    except (NameError, TypeError, AttributeError, SyntaxError) as error:
        remedy = "Define or import every name in it at the top of the file."
        raise ModelError(at, f"an annotation of {what} has no meaning: {error}.", remedy) from None
