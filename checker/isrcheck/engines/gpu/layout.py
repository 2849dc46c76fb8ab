"""The places of a state, of the least action that reached it, and of its level in a slot of the GPU's table."""

from dataclasses import dataclass
from functools import cached_property

from isrcheck.engines.common.targets import SearchTarget
from isrcheck.engines.gpu.compact import DISTANCE_BITS
from isrcheck.ir.pack import WORD_BITS, Packing

_STATUS_BITS = 2  # the highest of a slot's last word: it is taken, and all its words are written
_FEWEST_STAMPS, _MOST_STAMPS = 4, 10  # bits; the table is read whole each time that they are used up
_SECTOR_WORDS = 4  # that the memory of a GPU reads at once
COMPACT_STAMPS, _ENTRY_BITS = 3, 32  # of the compact table

# Words of the counters that the kernels and the search share.
NEXT, RESERVED, OUTSIDE, FULL, DIGEST, DIGEST_LIMBS, NUMBERED = 0, 1, 2, 3, 4, 4, 8
_FIRST_COUNTER = 10
APART = 16  # words between counters that all warps add to: a line of memory, which adds one number at a time


@dataclass(frozen=True)
class Layout:
    """A slot has `stride` words: those of the state, and in the last one `key_bits` that tell most states apart.

    Above these are a mark, an action's position plus 1, and a stamp, the level modulo its size. Where the state leaves
    no room for them, the last word is one of its own, whose key is part of the state's hash.
    """

    words: int
    actions: int
    instances: int
    targets: tuple[SearchTarget, ...]
    live: tuple[int, ...]  # the instances that are ever taken
    used_bits: int  # of the state's last word

    @classmethod
    def of(
        cls, packing: Packing, actions: int, instances: int, targets: tuple[SearchTarget, ...], live: tuple[int, ...]
    ) -> "Layout":
        """Return the layout for states of a packing."""
        last = [field for field in packing.fields if field.position == packing.words - 1]
        used = max((field.shift + field.bits for field in last), default=0)
        return cls(packing.words, actions, instances, targets, live, used)

    @property
    def mark_bits(self) -> int:
        return self.actions.bit_length()

    @cached_property
    def tagged(self) -> bool:
        """Whether the last word of a slot holds a part of the hash and not of the state."""
        fits = self.words == 2 or self.words % _SECTOR_WORDS == 0
        free = WORD_BITS - _STATUS_BITS - self.mark_bits - self.used_bits
        return not fits or free < _FEWEST_STAMPS

    @property
    def stride(self) -> int:
        if not self.tagged:
            return self.words
        return 2 if self.words == 1 else (self.words + _SECTOR_WORDS) // _SECTOR_WORDS * _SECTOR_WORDS

    @property
    def slot_bytes(self) -> int:
        return 8 * self.stride

    @property
    def body(self) -> int:
        """The words of a slot that are the state's alone."""
        return self.words if self.tagged else self.words - 1

    @property
    def stamp_bits(self) -> int:
        used = 0 if self.tagged else self.used_bits
        return min(WORD_BITS - _STATUS_BITS - self.mark_bits - used, _MOST_STAMPS)

    @property
    def key_bits(self) -> int:
        return WORD_BITS - _STATUS_BITS - self.mark_bits - self.stamp_bits

    @property
    def stamps(self) -> int:
        """The stamps there are: 1 up to this."""
        return (1 << self.stamp_bits) - 1

    def stamp(self, number: int) -> int:
        """Return a stamp in its place in the last word."""
        return number << self.key_bits + self.mark_bits

    @property
    def entry_mark_bits(self) -> int:
        """The bits of the marks and stamps together in an entry of the compact table."""
        return (COMPACT_STAMPS * self.marks).bit_length()

    @property
    def rest_bits(self) -> int:
        return _ENTRY_BITS - DISTANCE_BITS - self.entry_mark_bits

    @property
    def is_compactable(self) -> bool:
        """Whether the compact table can have the states."""
        return self.words <= 2

    @property
    def halves(self) -> tuple[int, int]:
        """The bits of the two halves of a state that dictionaries number."""
        bits = WORD_BITS * (self.words - 1) + self.used_bits
        return bits // 2, bits - bits // 2

    @property
    def sightings(self) -> int:
        """The first counter of targets: how often each was seen."""
        return _FIRST_COUNTER

    @property
    def reached(self) -> int:
        """The first counter of new states by mark."""
        return self.sightings + len(self.targets)

    @property
    def marks(self) -> int:
        """The marks there are: none, and one for each action."""
        return self.actions + 1

    @property
    def steps(self) -> int:
        """The first counter, of several APART, of steps by action; the last one counts the pruned steps."""
        return -(-(self.reached + self.marks) // APART) * APART

    @property
    def queued(self) -> int:
        """The first counter, of several APART, of steps by live instance."""
        return self.steps + APART * (self.actions + 1)

    @property
    def counters(self) -> int:
        return self.queued + APART * len(self.live)

    @property
    def constants(self) -> dict[str, str]:
        """The constants of the kernel, by name."""
        numbers = {
            "WORDS": self.words,
            "STRIDE": self.stride,
            "LAST": self.stride - 1,
            "BODY": self.body,
            "TAGGED": int(self.tagged),
            "KEY": (1 << self.key_bits) - 1,
            "MARKS": (1 << self.mark_bits) - 1 << self.key_bits,
            "MARK_UNIT": 1 << self.key_bits,
            "MARK_COUNT": self.marks,
            "STAMPS": self.stamp(self.stamps),
            "REACHED": self.reached,
            "LIVE": len(self.live),
            "COMPACT": int(self.is_compactable),
            "HALF": self.halves[0],
            "MARK_BITS": self.entry_mark_bits,
            "ENTRY_MARKS": (1 << self.entry_mark_bits) - 1,
        }
        return {name: str(number) for name, number in numbers.items()}
