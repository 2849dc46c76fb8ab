"""Packed states as Arrow columns, as SQL reads them best: names of members, and sets as ordered lists."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import repeat
from typing import Any, assert_never

import pyarrow as pa
import pyarrow.compute as pc

from isrcheck.ir import domains as ir
from isrcheck.ir.codec import MASK_BITS, codec
from isrcheck.ir.pack import Packing
from isrcheck.ir.show import show

Column = Any  # pa.Array


def words_of(chunk: bytes, words: int) -> list[Column]:
    """The words of packed states as signed numbers with the same bits: SQL has no others."""
    every = array("q", chunk)
    return [_numbers(every[position::words]) for position in range(words)]


def _field(column: Column, shift: int, bits: int) -> Column:
    mask = pa.scalar((1 << bits) - 1, pa.int64())
    return pc.bit_wise_and(pc.shift_right(column, pa.scalar(shift, pa.int64())), mask)


def variables_of(words: Sequence[Column], packing: Packing, domains: Mapping[str, ir.Domain]) -> dict[str, Column]:
    """The model's variables in states whose words these are, in declaration order."""
    left = iter([_field(words[f.position], f.shift, f.bits) for f in packing.fields])
    return {name: _decode(domain, left) for name, domain in domains.items()}


def _decode(domain: ir.Domain, left: Iterator[Column]) -> Column:
    """The column of a value whose scalars come next; the counterpart of `Codec.unflatten`."""
    match domain:
        case ir.IntDomain():
            return _integers(domain, next(left)).cast(pa.int32())
        case ir.BoolDomain():
            return next(left).cast(pa.bool_())
        case ir.SortDomain() | ir.EnumDomain():
            return _member_names(domain).take(next(left))
        case ir.OptionalDomain(of=of):
            return _optional(of, left)
        case ir.RecordDomain(fields=fields):
            parts = [_decode(of, left) for _, of in fields]
            return pa.StructArray.from_arrays(parts, [name for name, _ in fields])
        case ir.SumDomain():
            return _sum(domain, left)
        case ir.MapDomain(key=key, value=value):
            return _map(_member_names(key), [_decode(value, left) for _ in codec(key).values()])
        case ir.SequenceDomain(of=of, high=high):
            length = next(left)
            slots = [_decode(of, left) for _ in range(ir.number(high))] if of else []
            there = [pc.less(pa.scalar(slot), length) for slot in range(len(slots))]
            return _list(slots, there) if slots else _empty_lists(of, len(length))
        case ir.SetDomain(of=of):
            chunks = [next(left) for _ in range(codec(domain).width)]
            return _set(of, chunks)
        case _:
            assert_never(domain)


def _integers(domain: ir.IntDomain, places: Column) -> Column:
    """Integers from their positions in the domain, in which negative ones follow the others."""
    low, high = ir.span(domain)
    below = pc.subtract(places, pa.scalar(high - low + 1, pa.int64()))
    return pc.if_else(pc.greater(places, pa.scalar(high, pa.int64())), below, places) if low < 0 else places


def _member_names(domain: ir.Domain) -> Column:
    """The members of a domain as they are shown; of a map's keys, too, since a map of SQL has keys of one type."""
    return pa.array([show(v) for v in codec(domain).values()], pa.string())


def _optional(of: ir.Domain | None, left: Iterator[Column]) -> Column:
    first = next(left)
    if of is None:
        return pa.nulls(len(first), pa.string())
    present = pc.greater(first, 0)
    if codec(of).plain:
        at_least = pc.max_element_wise(pc.subtract(first, 1), pa.scalar(0, pa.int64()))
        return _where(present, _decode(of, iter((at_least,))))
    return _where(present, _decode(of, left))


def _sum(domain: ir.SumDomain, left: Iterator[Column]) -> Column:
    """A struct: the type, and a column of each member that has fields, null where it is another."""
    tag, *shared = (next(left) for _ in range(codec(domain).width))
    named = {"type": pa.array([ir.describe(member) for member in domain.members], pa.string()).take(tag)}
    for place, member in enumerate(domain.members):
        tops = [pa.scalar(scalar.size - 1, pa.int64()) for scalar in codec(member).scalars("")]
        own = (pc.min_element_wise(column, top) for column, top in zip(shared, tops, strict=False))
        if tops:
            column = _decode(member, own)
            named[ir.describe(member)] = _where(pc.equal(tag, pa.scalar(place, pa.int64())), column)
    return pa.StructArray.from_arrays([*named.values()], [*named])


def _where(present: Column, column: Column) -> Column:
    return column.take(pc.if_else(present, _order(len(column), 1), pa.scalar(None, pa.int64())))


def _map(keys: Column, items: Sequence[Column]) -> Column:
    rows, each = len(items[0]), len(items)
    offsets = pa.array(range(0, rows * each + 1, each), pa.int32())
    every_key = keys.take(_numbers(array("q", range(each)) * rows))
    return pa.MapArray.from_arrays(offsets, every_key, _interleave(items))


def _set(of: ir.Domain | None, chunks: Sequence[Column]) -> Column:
    rows = len(chunks[0])
    members = None if of is None else _members(of)
    if members is None or not len(members):
        return _empty_lists(None, rows)
    bits = [_field(chunks[bit // MASK_BITS], bit % MASK_BITS, 1) for bit in range(len(members))]
    columns = [members.take(pa.array([bit] * rows, pa.int64())) for bit in range(len(members))]
    return _list(columns, [bit.cast(pa.bool_()) for bit in bits])


def _members(domain: ir.Domain) -> Column:
    if isinstance(domain, ir.IntDomain | ir.BoolDomain):
        kind = pa.int32() if isinstance(domain, ir.IntDomain) else pa.bool_()
        return pa.array(codec(domain).values(), kind)
    return _member_names(domain)  # of records, the text: SQL cannot use a set of structs


def _empty_lists(of: ir.Domain | None, rows: int) -> Column:
    """Return a column of empty lists, of the type that elements would have."""
    element = _decode(of, repeat(pa.array([], pa.int64()))).type if of else pa.string()
    return pa.array([[]] * rows, pa.list_(element))


def _list(slots: Sequence[Column], there: Sequence[Column]) -> Column:
    mask = _interleave(there)
    ends = pc.cumulative_sum(reduce(pc.add, [column.cast(pa.int32()) for column in there]))
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends.cast(pa.int32())])
    return pa.ListArray.from_arrays(offsets, _interleave(slots).filter(mask))


def _interleave(columns: Sequence[Column]) -> Column:
    rows, each = len(columns[0]), len(columns)
    return columns[0] if each == 1 else pa.concat_arrays(list(columns)).take(_order(rows, each))


@cache
def _order(rows: int, each: int) -> Column:
    """The positions of interleaved columns, which stand one behind the other."""
    order = array("q", bytes(8 * rows * each))
    for column in range(each):
        order[column::each] = array("q", range(column * rows, (column + 1) * rows))
    return _numbers(order)


def _numbers(numbers: "array[int]") -> Column:
    return pa.array(memoryview(numbers))
