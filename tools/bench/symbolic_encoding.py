"""Seconds of bounded search by encoding: python -m tools.bench.symbolic_encoding [RUNS].

What docs/adr/011-symbolic-encoding.md decided between. The variants that were not chosen live here only. Each runs up
to the known violation, or to a depth where there is none; the figure is the median of the runs (of kip-101 there
is one), or > and the limit.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import z3

from isrcheck import check
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits
from isrcheck.engines.symbolic.encode import Encoder, StateTerms, Term, Vector, fit
from isrcheck.engines.symbolic.unroll import SystemSlice, slice_for
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower

LIMIT = 60.0  # seconds a run
ONCE = "kip-101"  # takes long: one run each

MODELS: dict[str, tuple[str, dict[str, Any], str, int]] = {
    "truncate": (
        "truncate-to-high-watermark",
        {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
        "weak_isr",
        8,
    ),
    "kip-101": (
        "kip-101",
        {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
        "weak_isr",
        11,
    ),
    "isr": ("isr-kafka-4485-v2", {"replicas": 3, "pace": "every-tick"}, "isr_at_least_hw", 11),
}


@dataclass(frozen=True)
class Variant:
    """How the formula is written."""

    number: bool  # one number a step says which instance is taken, else one Boolean an instance
    chosen: bool  # a scalar is a choice among what the instances make of it, else each instance implies its successor
    cone: bool


VARIANTS = {
    "bits, number, choices, cone": Variant(True, True, True),
    "bits, Booleans (exactly one), choices, cone": Variant(False, True, True),
    "bits, Booleans (at least one), implications, cone": Variant(False, False, True),
    "bits, number, implications, cone": Variant(True, False, True),
    "bits, number, choices, whole system": Variant(True, True, False),
}


class Formula:
    """The unrolled formula in one variant."""

    def __init__(self, system: ScalarSystem, variant: Variant, cone: SystemSlice) -> None:
        self.system, self.variant, self.cone = system, variant, cone
        self.encoder = Encoder(system)
        self.solver = z3.SolverFor("QF_BV")
        self.state = self.encoder.constants(system.initial)
        self.steps = 0

    def extend(self) -> None:
        """Add one more step."""
        encoder, terms = self.encoder, self.encoder.terms(self.state)
        after = encoder.vector(str(self.steps + 1))
        self.solver.add(encoder.domain(after))
        taken = list(self._choose_instance())
        for here, position in zip(taken, self.cone.instances, strict=True):
            instance = self.system.instances[position]
            self.solver.add(z3.Implies(here, z3.And(terms.truth(instance.guard), z3.Not(terms.truth(instance.pruned)))))
        (self._choices if self.variant.chosen else self._implications)(taken, terms, after)
        self.state, self.steps = after, self.steps + 1

    def _choose_instance(self) -> Iterator[z3.BoolRef]:
        number = len(self.cone.instances)
        if not self.variant.number:
            choices = [z3.Bool(f"take{i}@{self.steps}") for i in range(number)]
            self.solver.add(z3.PbEq([(each, 1) for each in choices], 1) if self.variant.chosen else z3.Or(*choices))
        else:
            chosen = z3.BitVec(f"take@{self.steps}", max(1, (number - 1).bit_length()))
            choices = [chosen == i for i in range(number)]
            self.solver.add(z3.Or(*choices))
        yield from choices

    def _choices(self, taken: list[z3.BoolRef], terms: StateTerms, after: Vector) -> None:
        for scalar in self.cone.scalars:
            value = self.state[scalar].z3
            for here, position in zip(taken, self.cone.instances, strict=True):
                for changed, node in self.system.instances[position].updates:
                    if changed == scalar:
                        value = z3.If(here, fit(after[scalar], terms.term(node)), value)
            self.solver.add(after[scalar].z3 == value)

    def _implications(self, taken: list[z3.BoolRef], terms: StateTerms, after: Vector) -> None:
        for here, position in zip(taken, self.cone.instances, strict=True):
            updates: dict[int, Term] = {s: terms.term(n) for s, n in self.system.instances[position].updates}
            for scalar in self.cone.scalars:
                same = after[scalar].z3 == fit(after[scalar], updates.get(scalar, self.state[scalar]))
                self.solver.add(z3.Implies(here, same))


def seconds(name: str, variant: Variant) -> float | None:
    """The seconds of one search; None at the limit. Raises AssertionError if the violation is elsewhere."""
    model, constants, promise, steps = MODELS[name]
    system = lower(bind(read_model(find_model(model)), constants))
    target = next(p for p in system.properties if p.name == promise).conditions[0].node
    started = time.monotonic()
    cone = (
        slice_for(system, [target], False)
        if variant.cone
        else SystemSlice(tuple(range(len(system.scalars))), tuple(range(len(system.instances))))
    )
    formula = Formula(system, variant, cone)
    while True:
        broken = z3.Not(formula.encoder.terms(formula.state).truth(target))
        formula.solver.push()
        formula.solver.add(broken)
        formula.solver.set("timeout", int(1000 * max(1, LIMIT - (time.monotonic() - started))))
        answer = formula.solver.check()
        formula.solver.pop()
        if answer == z3.unknown:
            return None
        assert (answer == z3.sat) == (formula.steps == steps and name != "isr"), (name, variant, formula.steps)
        if formula.steps == steps:
            return time.monotonic() - started
        formula.solver.add(z3.Not(broken))
        formula.extend()


def together(name: str) -> float:
    """Return the seconds of one run with all properties."""
    model, constants, _, steps = MODELS[name]
    return check(model, engine="symbolic", limits=Limits(depth=steps + 1), constants=constants).seconds


def one_each(name: str) -> float:
    """Return the seconds of a run for each property."""
    model, constants, _, steps = MODELS[name]
    names = [p.name for p in bind(read_model(find_model(model)), constants).properties]
    options: dict[str, Any] = {"engine": "symbolic", "limits": Limits(depth=steps + 1), "constants": constants}
    return sum(check(model, properties=[p], **options).seconds for p in names)


def row(title: str, runs: int, measure: Callable[[str], float | None]) -> None:
    """Measure and print one row of the table."""
    cells = []
    for name in MODELS:
        times = [measure(name) for _ in range(1 if name == ONCE else runs)]
        known = [each for each in times if each is not None]
        cells.append(f"{statistics.median(known):.1f}" if len(known) == len(times) else f"> {LIMIT:.0f}")
    sys.stdout.write(f"| {title} | {' | '.join(cells)} |\n")
    sys.stdout.flush()


def main(runs: int = 3) -> None:
    """Prints the table."""
    sys.stdout.write(f"| variant | {' | '.join(MODELS)} |\n|---|{'---:|' * len(MODELS)}\n")
    for title, variant in VARIANTS.items():
        row(title, runs, partial(seconds, variant=variant))
    row("all properties together", runs, together)
    row("all properties, one run each", runs, one_each)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
