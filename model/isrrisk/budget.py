"""Faults and how many of each: vectors that are compared component by component."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from isrcheck import UsageError
from isrcheck.plugin import nearest, quantity


@dataclass(frozen=True)
class FaultKind:
    """A kind of fault: the constant that bounds it, the variable that counts it, its name for --faults, and nouns."""

    constant: str
    counter: str
    option: str
    noun: str
    plural: str


FAULTS = {
    fault.constant: fault
    for fault in (
        FaultKind("fences", "fenced_so_far", "fence", "fencing of a live broker", "fencings of live brokers"),
        FaultKind("shrinks", "shrunk_so_far", "drop", "drop of a slow follower", "drops of slow followers"),
        FaultKind("elections", "elected_so_far", "election", "planned election", "planned elections"),
        FaultKind("clean_stops", "stopped_so_far", "stop", "clean stop", "clean stops"),
        FaultKind("kills", "killed_so_far", "kill", "kill", "kills"),
        FaultKind("power_losses", "unpowered_so_far", "power", "power loss", "power losses"),
        FaultKind("rack_losses", "racks_lost_so_far", "rack", "loss of a rack", "losses of racks"),
        FaultKind("disks", "replaced_so_far", "disk", "replaced disk", "replaced disks"),
        FaultKind("reassignments", "reassigned_so_far", "reassignment", "reassignment", "reassignments"),
    )
}
WIDEST = {"fences": 1, "kills": 2, "power_losses": 2, "disks": 1}  # where the user gives no number

Vector = tuple[tuple[str, int], ...]  # (constant, number) of each kind that a budget has, in the order of FAULTS


@dataclass(frozen=True)
class FaultBudget:
    """At most so many of each fault, `in_all` of them together, during a restart of so many brokers or none."""

    most: Mapping[str, int]
    restarts: int = 0
    in_all: int | None = None

    def vectors(self) -> Iterator[Vector]:
        """Every number of faults within the budget."""
        kinds = [name for name in FAULTS if self.most.get(name)]
        for numbers in product(*(range(self.most[name] + 1) for name in kinds)):
            if self.in_all is None or sum(numbers) <= self.in_all:
                yield tuple(zip(kinds, numbers, strict=True))

    def widest(self) -> list[Vector]:
        """The numbers of faults that lie within no other of the budget."""
        return maximal(self.vectors())

    def constants(self) -> dict[str, int]:
        """The constants that bound a search, wide enough that nothing but the budget ends it."""
        bounds = [_bounds(dict(vector), self.restarts) for vector in self.widest()]
        most = {name: self.most.get(name, 0) for name in FAULTS}
        most["clean_stops"] += self.restarts
        return {
            **most,
            "rolling": self.restarts > 0,
            "replaces": True,
            "spares": self.spares(),
            **{name: max(each[name] for each in bounds) for name in bounds[0]},
        }

    def spares(self) -> int:
        """Brokers beside those that hold the partition: one that a reassignment may put in another's place."""
        return 1 if self.most.get("reassignments") else 0

    def description(self) -> str:
        """The budget for people: at most one kill and 2 power losses, 2 faults in all."""
        vector = tuple((name, n) for name, n in self.most.items() if n)
        faults = f"at most {in_words(vector)}" if vector and self.in_all != 0 else "no fault"
        together = f", {quantity(self.in_all, 'fault')} in all" if vector and self.in_all else ""
        return f"{faults}{together}{' during a rolling restart' if self.restarts else ''}"

    def option(self) -> str:
        """The budget as it is given to --budget, where a kind that is not named does not happen."""
        return ",".join(f"{name}={number}" for name in FAULTS if (number := self.most.get(name))) or "fences=0"


def _bounds(most: Mapping[str, int], restarted: int) -> dict[str, int]:
    """The most versions, leader epochs and registrations that these faults lead to."""
    number = {name: most.get(name, 0) for name in FAULTS}
    clean_stops = number["clean_stops"] + restarted
    stops = number["kills"] + number["power_losses"] + number["disks"] + 2 * number["rack_losses"]
    perturbed = number["fences"] + number["shrinks"] + number["elections"] + clean_stops + number["reassignments"]
    begun = number["fences"] + clean_stops + number["reassignments"] + stops
    return {
        "max_version": 1 + 2 * perturbed + 3 * stops + number["disks"],
        "max_epoch": 1 + 2 * begun + number["elections"],
        "max_session": clean_stops + stops,
    }


def in_words(vector: Vector) -> str:
    """A vector for people: one kill and one power loss."""
    named = [(n, FAULTS[name]) for name, n in vector if n]
    words = [f"one {kind.noun}" if n == 1 else f"{n} {kind.plural}" for n, kind in named]
    if not words:
        return "no fault"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def within(small: Vector, large: Vector) -> bool:
    """Whether a vector has no more of anything than another."""
    more = dict(large)
    return all(number <= more.get(name, 0) for name, number in small)


def minimal(vectors: Iterable[Vector]) -> list[Vector]:
    """The vectors within which no other lies."""
    all_of_them = list(vectors)
    return [v for v in all_of_them if not any(w != v and within(w, v) for w in all_of_them)]


def maximal(vectors: Iterable[Vector]) -> list[Vector]:
    """The vectors that lie within no other."""
    all_of_them = list(vectors)
    return [v for v in all_of_them if not any(w != v and within(v, w) for w in all_of_them)]


def by_number(faults: Vector) -> tuple[int, Vector]:
    """The order that has the fewest faults first."""
    return sum(n for _, n in faults), faults


def parse_budget(option: str) -> dict[str, int]:
    """Parse `kills=1,power_losses=2`, or `kill=1,power=2`, to a number by kind of fault. Raises UsageError."""
    by_option = {fault.option: name for name, fault in FAULTS.items()}
    numbers: dict[str, int] = {}
    for pair in option.split(","):
        name, equals, number = pair.strip().partition("=")
        name = by_option.get(name, name)
        if name not in FAULTS:
            raise UsageError(f"--budget {name} is not a fault.{nearest(name, (*FAULTS, *by_option))}")
        if not equals or not number.isdecimal():
            raise UsageError(f"--budget {pair.strip()} is not a number of faults: write {name}=1.")
        numbers[name] = int(number)
    return numbers


def parse_kinds(option: str) -> list[str]:
    """The kinds of fault of `kill,power,fence`, by their constants. Raises UsageError."""
    kinds = {fault.option: name for name, fault in FAULTS.items()}
    asked = [each.strip() for each in option.split(",")]
    for each in asked:
        if each not in kinds:
            raise UsageError(f"--faults {each} is not a fault.{nearest(each, kinds)}")
    return [name for short, name in kinds.items() if short in asked]
