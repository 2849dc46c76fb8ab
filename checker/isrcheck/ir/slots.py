"""Few of many: a set or map of which most is not there, as an array of slots.

A slot is one scalar: 0 if empty, else twice the code of an element plus 1. Slots are in ascending order, the empty ones
first, so that equal sets are equal scalars. A code has a record's fields side by side in bits of their own, the first
field highest: codes are in the order of the domain.
"""

from collections.abc import Collection, Iterator
from functools import cached_property, lru_cache
from typing import Any

from isrcheck.ir import domains
from isrcheck.ir.base_codec import Above, Codec, Flat, Outside, Scalars
from isrcheck.ir.codec import KINDS, LARGEST_SET, Numbering, OptionalCodec, RecordCodec, codec
from isrcheck.ir.domains import Domain, SlotMapDomain, SlotSetDomain, number
from isrcheck.ir.frozen import field_names, replace
from isrcheck.ir.scalar import Scalar
from isrcheck.ir.sums import SumCodec

FEW = 64  # choices of one parameter that are lowered one by one
FEW_READ = 1024  # elements or keys that no parameter ranges over: what constants decide of each is folded
MOST = 1_000_000  # possible elements or keys
FIRST_SLOTS = 8
_MOST_KNOWN = 1 << 16  # codes that a domain keeps


def code_bits(domain: Domain) -> int:
    return _bits(codec(domain))


@lru_cache(maxsize=1 << 12)  # asked for each value
def _bits(own: Codec) -> int:
    match own:
        case RecordCodec(parts=parts):
            return sum(map(_bits, parts))
        case OptionalCodec(of=of) if not of.plain:
            return 1 + _bits(of)
        case SumCodec(domain=domain, parts=parts):
            return tag_bits(domain) + max(map(_bits, parts))
    return (own.count() - 1).bit_length()


def tag_bits(domain: domains.SumDomain) -> int:
    return (len(domain.members) - 1).bit_length()


def code_of(domain: Domain, value: Any) -> int:
    """The code of a value. Raises Outside if an element is outside, else Above if one is above a bound."""
    own = codec(domain)
    own.index(value)
    return _code(own, value)


def _code(own: Codec, value: Any) -> int:
    match own:
        case RecordCodec(parts=parts):
            code = 0
            for of, field in zip(parts, value, strict=True):
                code = code << _bits(of) | _code(of, field)
            return code
        case OptionalCodec(of=of) if not of.plain:
            return 0 if value is None else 1 << _bits(of) | _code(of, value)
        case SumCodec(domain=domain, parts=parts):
            place = own.place(value)
            return place << _bits(own) - tag_bits(domain) | _code(parts[place], value)
    return own.index(value)


def decode(domain: Domain, code: int) -> Any:
    match domain:
        case domains.RecordDomain(fields=fields, make=make):
            parts = []
            for _, field in reversed(fields):
                parts.append(decode(field, code & (1 << code_bits(field)) - 1))
                code >>= code_bits(field)
            return make(*reversed(parts))
        case domains.OptionalDomain(of=of) if of is not None and not codec(of).plain:
            return decode(of, code & (1 << code_bits(of)) - 1) if code >> code_bits(of) else None
        case domains.SumDomain(members=members):
            place, rest = divmod(code, 1 << code_bits(domain) - tag_bits(domain))
            return decode(members[place], rest)
    return codec(domain).unflatten(iter((code,)))


CODES = Numbering(
    size=lambda domain: 1 << code_bits(domain),
    present=lambda of: 1 if codec(of).plain else 1 << code_bits(of),
    first=lambda domain, place: place << code_bits(domain) - tag_bits(domain),
)


def _slot(of: Domain) -> int:
    """Return the number of values of one slot."""
    return 2 << code_bits(of)


class SlotSetCodec(Codec):
    def __init__(self, domain: SlotSetDomain) -> None:
        super().__init__(domain)
        assert domain.of is not None
        self._codes = _KnownCodes(domain.of)
        self.of, self.slots, self.high, self.variable = domain.of, domain.slots, domain.high, domain.variable

    @property
    def width(self) -> int:
        return self.slots

    def scalars(self, name: str) -> Scalars:
        for slot in range(self.slots):
            yield Scalar(f"{name} slot {slot + 1}", _slot(self.of))

    def put(self, value: Any, scalars: Flat) -> bool:
        if type(value) is not frozenset:
            raise Outside(f"{value!r} is not a frozenset")
        codes, above = self._codes.of(value)
        if isinstance(self.high, int):
            above = above or len(value) > self.high
        elif len(codes) > self.slots:
            scalars.needs = self.variable
        used = sorted(codes)[: self.slots]
        scalars += [0] * (self.slots - len(used)) + [2 * code + 1 for code in used]
        return above

    def unflatten(self, scalars: Iterator[int]) -> Any:
        words = [next(scalars) for _ in range(self.slots)]
        return frozenset(decode(self.of, slot >> 1) for slot in words if slot)


class _KnownCodes:
    """Codes of a domain's values, kept by the object: an equal one may be of another class, and outside."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._known: dict[int, tuple[Any, int]] = {}

    def of(self, values: Any) -> tuple[list[int], bool]:
        """The codes of values that are within bounds, and whether one is above. Raises Outside."""
        codes, above = [], False
        for value in values:
            try:
                codes.append(self.code(value))
            except Above:
                above = True
        return codes, above

    def code(self, value: Any) -> int:
        """The code of a value, remembered by identity. Raises Outside or Above."""
        known = self._known.get(id(value))
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[id(value)] = value, code_of(self._domain, value)
        return known[1]


class SlotMapCodec(Codec):
    """The codec of a map in slots; a key with the default value has no slot."""

    def __init__(self, domain: SlotMapDomain) -> None:
        super().__init__(domain)
        self.key, self.value, self.slots = domain.key, codec(domain.value), domain.slots
        self.default, self.variable = domain.default, domain.variable
        self.total = None if domain.total is None else number(domain.total)
        self._codes = _KnownCodes(domain.key)

    @property
    def width(self) -> int:
        return self.slots * (1 + self.value.width)

    def scalars(self, name: str) -> Scalars:
        for slot in range(1, self.slots + 1):
            yield Scalar(f"{name} slot {slot}", _slot(self.key))
            yield from self.value.scalars(f"{name}[slot {slot}]")

    def put(self, value: Any, scalars: Flat) -> bool:
        if not isinstance(value, dict):
            raise Outside(f"{value!r} is not a map")
        codes, above = self._codes.of(value)
        if len(codes) < codec(self.key).count():
            missing = next(key for key in codec(self.key).values() if key not in value)
            raise Outside(f"the map has no value for {missing}")
        other = {self._codes.code(key): mapped for key, mapped in value.items() if mapped != self.default}
        if len(other) > self.slots:
            scalars.needs = self.variable
        end = len(scalars) + self.width
        scalars += [0] * max(0, self.slots - len(other)) * (1 + self.value.width)
        for code in sorted(other):
            scalars.append(2 * code + 1)
            above |= self.value.put(other[code], scalars)
        del scalars[end:]
        return above or self._is_default_above or (self.total is not None and sum(value.values()) > self.total)

    @cached_property
    def _is_default_above(self) -> bool:
        """Whether the value of the keys without a slot is above a bound. Raises Outside."""
        return self.value.put(self.default, Flat())

    def unflatten(self, scalars: Iterator[int]) -> Any:
        values = dict.fromkeys(codec(self.key).listed, self.default)
        for _ in range(self.slots):
            slot, value = next(scalars), self.value.unflatten(scalars)
            if slot:
                values[decode(self.key, slot >> 1)] = value
        return values


KINDS[SlotSetDomain] = SlotSetCodec
KINDS[SlotMapDomain] = SlotMapCodec


def refuse_many_elements(domain: Domain) -> None:
    """Refuse a domain with too many possible elements or keys. Raises ValueError."""
    for inner in domains.value_domains(domain):
        match inner:
            case domains.MapDomain(key=listed):
                what, kind = "keys", "map"
            case domains.SetDomain(of=listed) if listed is not None:
                what, kind = "elements", "set"
            case _:
                continue
        if (size := codec(listed).count()) > MOST:
            raise ValueError(
                f"{domains.describe(inner)} has {size} possible {what}; {MOST} is the most a {kind} may have"
            )


def with_slots(variable: str, domain: Domain, initial: list[Any], chosen: Collection[Domain]) -> Domain:
    """The domain with slots in place of masks and entries where there are many possible elements or keys.

    `initial` are its values, and `chosen` the domains of parameters.
    """

    def few(of: Domain) -> bool:
        members = of.members if isinstance(of, domains.SumDomain) else ()
        return codec(of).count() <= (FEW if any(each in chosen for each in (of, *members)) else FEW_READ)

    match domain:
        case domains.SetDomain(of=of) if of is not None and not few(of):
            first = domain.high if isinstance(domain.high, int) else FIRST_SLOTS
            return _set(domain, max(first, *map(len, initial), 1), variable)
        case domains.MapDomain(key=key):
            entries = [mapped for each in initial for mapped in each.values()]
            value = with_slots(variable, domain.value, entries, chosen)
            default = entries[0] if entries else None
            if few(key) or isinstance(value, domains.MapDomain) or any(other != default for other in entries):
                return replace(domain, value=value)
            return _map(domain, value, default, FIRST_SLOTS if domain.total is None else number(domain.total), variable)
    return domain


def _set(domain: domains.SetDomain, slots: int, variable: str) -> domains.SetDomain:
    assert domain.of is not None
    own = {name: getattr(domain, name) for name in field_names(domains.SetDomain)}
    if masks_are_less(domain.of, slots):
        return domains.SetDomain(**own)
    return SlotSetDomain(**own, slots=slots, variable=variable)


def _map(domain: domains.MapDomain, value: Domain, default: Any, slots: int, variable: str) -> domains.MapDomain:
    own = {name: getattr(domain, name) for name in field_names(domains.MapDomain)} | {"value": value}
    if masks_are_less(domain.key, slots):
        return domains.MapDomain(**own)
    return SlotMapDomain(**own, default=default, slots=max(1, slots), variable=variable)


def masks_are_less(of: Domain, slots: int) -> bool:
    """Whether masks take no more bits than slots."""
    count = codec(of).count()
    return count <= LARGEST_SET and count <= slots * (code_bits(of) + 1)


def widen(domain: Domain) -> Domain:
    """The domain with twice the slots, or with masks or an entry a key if these take no more bits."""
    match domain:
        case SlotSetDomain():
            return domain if domain.high is not None else _set(domain, 2 * domain.slots, domain.variable)
        case SlotMapDomain(value=value, slots=slots, total=None):
            return _map(domain, widen(value), domain.default, 2 * slots, domain.variable)
        case domains.MapDomain(value=value):
            return replace(domain, value=widen(value))
    return domain
