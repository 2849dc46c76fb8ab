"""Faults and how many of each: vectors that are compared component by component."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from isrcheck.errors import UsageError, nearest


@dataclass(frozen=True)
class FaultKind:
    """One kind of fault: the constant that bounds it, the variable that counts it, and its name in the singular."""

    constant: str
    counter: str
    word: str


FAULTS = {
    fault.constant: fault
    for fault in (
        FaultKind("fences", "fenced_so_far", "fencing of a live broker"),
        FaultKind("shrinks", "shrunk_so_far", "drop of a slow follower"),
        FaultKind("elections", "elected_so_far", "planned election"),
        FaultKind("clean_stops", "stopped_so_far", "clean stop"),
        FaultKind("kills", "killed_so_far", "kill"),
        FaultKind("power_losses", "unpowered_so_far", "power loss"),
        FaultKind("rack_losses", "racks_lost_so_far", "loss of a rack"),
        FaultKind("reassignments", "reassigned_so_far", "reassignment"),
    )
}
_PLURALS = {"fencing of a live broker": "fencings of live brokers", "loss of a rack": "losses of racks"} | {
    "power loss": "power losses"
}
DEFAULT = {"fences": 1, "kills": 2, "power_losses": 2}
_SHORT = {"fence": "fences", "kill": "kills", "power": "power_losses", "drop": "shrinks", "election": "elections"} | {
    "stop": "clean_stops",
    "rack": "rack_losses",
    "reassignment": "reassignments",
}

Vector = tuple[tuple[str, int], ...]  # (constant, number) of each kind that a budget has, in the order of FAULTS


@dataclass(frozen=True)
class FaultBudget:
    """At most so many of each fault, during a rolling restart of so many brokers or none."""

    most: Mapping[str, int]
    restarted: int = 0

    def vectors(self) -> Iterator[Vector]:
        """Every number of faults within the budget."""
        kinds = [name for name in FAULTS if self.most.get(name)]
        for numbers in product(*(range(self.most[name] + 1) for name in kinds)):
            yield tuple(zip(kinds, numbers, strict=True))

    def constants(self) -> dict[str, int]:
        """The constants that bound a search, wide enough that nothing but the budget ends it."""
        most = {name: self.most.get(name, 0) for name in FAULTS}
        most["clean_stops"] += self.restarted
        stops = most["kills"] + most["power_losses"] + 2 * most["rack_losses"]
        perturbed = most["fences"] + most["shrinks"] + most["elections"] + most["clean_stops"] + most["reassignments"]
        return most | {
            "rolling": self.restarted > 0,
            "replaces": True,
            "spares": self.spares(),
            "max_version": 1 + 2 * perturbed + 3 * stops,
            "max_epoch": 1
            + 2 * (most["fences"] + most["clean_stops"] + most["reassignments"] + stops)
            + most["elections"],
            "max_session": most["clean_stops"] + stops,
        }

    def spares(self) -> int:
        """Brokers beside those that hold the partition: one that a reassignment may put in another's place."""
        return 1 if self.most.get("reassignments") else 0

    def described(self) -> str:
        faults = in_words(tuple((name, n) for name, n in self.most.items() if n))
        return f"{faults} during a rolling restart" if self.restarted else faults


def in_words(vector: Vector) -> str:
    """A vector for people: one kill and one power loss."""
    words = [_counted(n, FAULTS[name].word) for name, n in vector if n]
    if not words:
        return "nothing"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _counted(number: int, word: str) -> str:
    return f"one {word}" if number == 1 else f"{number} {_PLURALS.get(word, word + 's')}"


def within(small: Vector, large: Vector) -> bool:
    """Whether a vector has no more of anything than another of the same kinds."""
    return all(a <= b for (_, a), (_, b) in zip(small, large, strict=True))


def minimal(vectors: Iterable[Vector]) -> list[Vector]:
    """Those within which no other lies."""
    all_of_them = list(vectors)
    return [v for v in all_of_them if not any(w != v and within(w, v) for w in all_of_them)]


def maximal(vectors: Iterable[Vector]) -> list[Vector]:
    """Those that lie within no other."""
    all_of_them = list(vectors)
    return [v for v in all_of_them if not any(w != v and within(v, w) for w in all_of_them)]


def parse_budget(text: str) -> dict[str, int]:
    """`kills=1,power_losses=2` as a budget. Raises UsageError."""
    found: dict[str, int] = {}
    for part in text.split(","):
        name, equals, number = part.strip().partition("=")
        if name not in FAULTS:
            raise UsageError(f"--budget {name} is not a fault.{nearest(name, FAULTS)}")
        if not equals or not number.isdecimal():
            raise UsageError(f"--budget {part.strip()} is not a number of faults: write {name}=1.")
        found[name] = int(number)
    return found


def restricted(budget: Mapping[str, int], kinds: str) -> dict[str, int]:
    """A budget with the faults of `kill,power,fence` alone; one that the budget lacks may happen once."""
    names = []
    for word in kinds.split(","):
        if word.strip() not in _SHORT:
            raise UsageError(f"--faults {word.strip()} is not a fault.{nearest(word.strip(), _SHORT)}")
        names.append(_SHORT[word.strip()])
    return {name: budget.get(name, 1) for name in FAULTS if name in names}
