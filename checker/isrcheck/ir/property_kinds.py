"""The kinds of properties: what each reads, when it is violated, and the words of its verdicts.

A search looks for targets: states, or steps, at which a condition has its kind's `target` value.
A new kind is one class in `KINDS`; what it reads has an entry in `LOWERINGS`. Behaviours have none: no search of
states decides them (liveness/).
"""

from enum import Enum
from typing import ClassVar

from isrcheck.ir.frozen import FrozenStruct

ENGINES = frozenset({"native", "reference", "evaluator", "gpu", "symbolic", "spark"})


class Verdict(Enum):
    """The verdict on a property; a run that was cut short never says `holds`."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNDETERMINED = "undetermined"


class Reads(Enum):
    STATE = "state"
    STEP = "step"  # a state, the one before it, and the action between them
    SUCCESSORS = "successors"  # whether a state has a step at all
    BEHAVIOUR = "behaviour"  # all states of an endless run, in their order


class TraceKind(FrozenStruct):
    """The kind of a trace, by what it shows at its end."""

    name: ClassVar[str]  # in JSON
    verb: ClassVar[str] = "is violated"
    is_violation: ClassVar[bool] = True

    def __str__(self) -> str:
        return self.name


class PropertyKind(TraceKind):
    """A kind of property. `target` is the value of its condition in the states (or steps) that decide it."""

    title: ClassVar[str]  # in sentences
    reads: ClassVar[Reads] = Reads.STATE
    target: ClassVar[bool] = False
    exit_code: ClassVar[int]  # where it is violated
    engines: ClassVar[frozenset[str]] = ENGINES  # that decide it
    is_provable: ClassVar[bool] = False  # by induction
    is_certifiable: ClassVar[bool] = True  # by the list of all reachable states, with the model's own methods
    target_verb: ClassVar[str] = "violates it"  # of a choice of constants at which there is a target
    in_matrix: ClassVar[str | None] = None  # what stands below its name; None for the kind itself

    def is_target(self, value: bool) -> bool:
        return value is self.target

    @property
    def is_of_steps(self) -> bool:
        return self.reads is Reads.STEP

    @property
    def holds_by_target(self) -> bool:
        """A target shows that it holds."""
        return not self.is_violation

    def verdict(self, target_found: bool, complete: bool) -> Verdict:
        """Return the verdict of a search that met a target or not, and was `complete` or cut off."""
        if not (target_found or complete):
            return Verdict.UNDETERMINED
        return Verdict.HOLDS if target_found is self.holds_by_target else Verdict.VIOLATED

    def assurance(self, target_found: bool, complete: bool, steps: int) -> str:
        """Return how a verdict is known; `steps` is the length up to which all behaviours were searched."""
        if target_found:
            return "replayed"
        return "exhaustive" if complete else f"bounded({steps})"

    def phrase(self, verdict: Verdict, length: str) -> str:
        """Word a verdict; `length` is the trace's, as "9 steps", or empty without a trace."""
        if verdict is Verdict.VIOLATED and length:
            return f"violated in {length}"
        return verdict.value


class Invariant(PropertyKind):
    """A property that holds if it is true in every reachable state."""

    name = "invariant"
    title = "invariant"
    exit_code = 12
    is_provable = True


class StepProperty(PropertyKind):
    """A property that holds if it is true of every reachable step."""

    name = "step"
    title = "step property"
    reads = Reads.STEP
    exit_code = 13
    is_provable = True


class RefinementKind(PropertyKind):
    """The property that each step is a step of another model, seen through a mapping, or changes nothing there."""

    name = "refinement"
    title = "refinement"
    is_certifiable = False
    reads = Reads.STEP
    exit_code = 13


class Reachability(PropertyKind):
    """A property that is met if it is true in some reachable state."""

    name = "reachable"
    title = "reachability property"
    verb = "is reached"
    is_violation = False
    target = True
    exit_code = 22
    target_verb = "meets it"
    in_matrix = "can happen?"

    def phrase(self, verdict: Verdict, length: str) -> str:
        if verdict is Verdict.VIOLATED:
            return "never reached"
        return f"reached in {length}" if verdict is Verdict.HOLDS and length else verdict.value


class TemporalKind(PropertyKind):
    """A property that holds if it is true of every fair behaviour."""

    name = "temporal"
    title = "temporal property"
    is_certifiable = False
    reads = Reads.BEHAVIOUR
    exit_code = 13
    engines = frozenset({"native", "reference"})

    def phrase(self, verdict: Verdict, length: str) -> str:
        if verdict is Verdict.VIOLATED and length:
            return f"violated: {length}"
        return verdict.value


class Deadlock(PropertyKind):
    """The property that every reachable state has a step."""

    name = "deadlock"
    title = "deadlock"
    reads = Reads.SUCCESSORS
    exit_code = 11


INVARIANT, STEP, REACHABLE, DEADLOCK = Invariant(), StepProperty(), Reachability(), Deadlock()
REFINEMENT, TEMPORAL = RefinementKind(), TemporalKind()
KINDS: dict[str, PropertyKind] = {
    kind.name: kind for kind in (INVARIANT, STEP, REFINEMENT, TEMPORAL, REACHABLE, DEADLOCK)
}


def kind_by_name(name: str) -> PropertyKind:
    """The kind of property with this name. Raises ValueError for other names."""
    if name not in KINDS:
        raise ValueError(f"a kind of property other than {name}")
    return KINDS[name]
