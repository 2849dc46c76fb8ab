"""Rows of the comparison: a model in every checker's own language at a size, with the counts that all must have."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A model at a size. `distinct` and `generated` are of the whole graph, without steps beyond the bounds."""

    name: str  # of the file in spin/ with _ for -, and of the model in stateright/
    source: str  # for isrcheck
    constants: tuple[tuple[str, int], ...]
    macros: tuple[str, ...]  # the names of the last constants in SPIN's text; it has fixed the others
    properties: tuple[str, ...]
    distinct: int
    generated: int

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(value for _, value in self.constants)

    @property
    def title(self) -> str:
        return f"{self.name} ({', '.join(map(str, self.sizes))})"


@dataclass(frozen=True)
class Subject:
    """A model, the names of its constants, and its sizes with distinct states and generated ones."""

    name: str
    source: str
    constants: tuple[str, ...]
    macros: tuple[str, ...]
    properties: tuple[str, ...]
    sizes: dict[tuple[int, ...], tuple[int, int]]

    def rows(self) -> Iterator[Row]:
        for size, counts in self.sizes.items():
            constants = tuple(zip(self.constants, size, strict=True))
            yield Row(self.name, self.source, constants, self.macros, self.properties, *counts)


SUBJECTS = (
    Subject(
        "two-phase",
        "examples/two_phase.py:TwoPhase",
        constants=("rms",),
        macros=("RMS",),
        properties=("consistent",),
        sizes={(5,): (8_832, 58_146), (7,): (296_448, 2_744_706), (9,): (10_340_352, 123_558_402)},
    ),
    Subject(
        "paxos",
        "examples/paxos.py",
        constants=("acceptors", "values", "max_ballot"),
        macros=("VALUES", "MAX_BALLOT"),
        properties=("one_value_is_chosen",),
        sizes={(3, 2, 1): (3_921, 22_995), (3, 2, 2): (185_369, 1_316_584), (3, 2, 3): (8_220_065, 67_903_141)},
    ),
    Subject(
        "filter-lock",
        "tools/peers/models.py",
        constants=("processes",),
        macros=("N",),
        properties=("one_at_a_time",),
        sizes={(4,): (4_752, 13_081), (5,): (88_560, 286_986)},
    ),
    Subject(
        "ring",
        "examples/chang_roberts.py",
        constants=("nodes",),
        macros=("N",),
        properties=("smallest_candidate_wins",),
        sizes={(5,): (5_455, 15_113), (7,): (333_161, 1_385_875)},
    ),
    Subject(
        "readers-writers",
        "examples/readers_writers.py",
        constants=("actors",),
        macros=("ACTORS",),
        properties=("nobody_reads_what_is_being_written", "one_writer_at_most"),
        sizes={(3,): (21_527, 59_674), (4,): (2_192_020, 7_069_237)},
    ),
    Subject(
        "kip-320",
        "kip-320",
        constants=("replicas", "log_size", "max_records", "max_leader_epoch"),
        macros=("LOG_SIZE", "MAX_RECORDS", "MAX_EPOCH"),
        properties=("weak_isr", "strong_isr", "leader_in_isr", "log_matching"),
        sizes={
            (3, 2, 2, 1): (39_619, 102_220),
            (3, 2, 2, 2): (737_794, 1_929_154),
            (3, 3, 3, 2): (4_093_531, 11_444_788),
        },
    ),
)


def rows() -> Iterator[Row]:
    """The rows, from small to large in each model."""
    for subject in SUBJECTS:
        yield from subject.rows()
