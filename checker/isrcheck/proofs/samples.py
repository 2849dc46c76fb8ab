"""Whether the relational system does what the author's methods do: compared on random walks at small sizes."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from isrcheck.certificate import Refused
from isrcheck.errors import ModelError
from isrcheck.ir.domains import IntDomain
from isrcheck.ir.model import ConstantIR, ModelIR
from isrcheck.lang.declare import REQUIRED
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.lang.subject import State, Subject
from isrcheck.passes import bind
from isrcheck.passes.constants import members_of
from isrcheck.proofs.stepper import RelationalStepper, Unconstrained

CHOICES, WALK = 6, 12  # of constants; states on each walk, with as many beside it that may not be reachable
_DRAWS, _MORE = 1_000, 2  # tries to meet the assumptions; numbers above the least, of a constant without a default


def compare(ir: ModelIR, given: Mapping[str, Any], seed: int) -> int:
    """How many answers were compared. Raises Refused where one differs."""
    chance = Random(seed)
    return sum(sum(1 for _ in _answers(ir, constants, chance)) for constants in _choose_constants(ir, given, chance))


def _choose_constants(ir: ModelIR, given: Mapping[str, Any], chance: Random) -> Iterator[dict[str, Any]]:
    count = 0
    for _ in range(_DRAWS):
        constants = {c.name: given.get(c.name, chance.choice(_values(c))) for c in ir.constants}
        if count < CHOICES and Subject(ir, constants, ()).agrees(ir.assumptions):
            count += 1
            yield constants


def _values(constant: ConstantIR) -> list[Any]:
    """The values of a constant up to its default, which are those that a person searches."""
    if not isinstance(constant.domain, IntDomain):
        return list(members_of(constant.domain))
    low = constant.at_least or 0
    return [*range(low, (low + _MORE if constant.default is REQUIRED else max(low, constant.default)) + 1)]


def _answers(ir: ModelIR, constants: dict[str, Any], chance: Random) -> Iterator[str]:
    subject, stepper = Subject(ir, constants), RelationalStepper(bind(ir, constants, slots=False))
    if [(action.name, given) for action, given in subject.instances] != [
        (ir.actions[action].name, given) for action, given in stepper.instances
    ]:
        raise Refused(f"the relational system takes other steps than {ir.name} has.")
    if subject.initial() != stepper.initial:
        raise Refused(f"the relational system of {ir.name} begins in another state than its text says.")
    with with_sort_sizes(subject.sizes):
        for is_beside, state in zip((False, True) * WALK, list(subject.walk(chance, WALK)), strict=True):
            stepper.enter(state)
            if not is_beside and not all(holds() for holds in stepper.assumptions()):
                raise Refused(f"what the obligations assume is false in {subject.show(state)}.")
            yield from _of_state(subject, stepper, state)


def _of_state(subject: Subject, stepper: RelationalStepper, state: State) -> Iterator[str]:
    expected = {i: None if isinstance(after, Exception) else [after] for i, after in subject.steps(state)}
    provable = [p for p in subject.ir.properties if p.kind.is_provable]
    for i in range(len(stepper.instances)):
        taken = expected.get(i, [])
        if _successors(stepper, state, i) != taken:
            raise _otherwise(subject, state, f"step {subject.call(i)}")
        yield subject.call(i)
        if taken and isinstance(taken[0], tuple):
            for name in (p.name for p in provable if p.kind.is_of_steps):
                if subject.judge(name, taken[0], state, i) != _holds(stepper, name, state, i, taken[0]):
                    raise _otherwise(subject, state, f"{name} of step {subject.call(i)}")
                yield name
    for name in (*(p.name for p in provable if not p.kind.is_of_steps), *(lemma.name for lemma in subject.ir.lemmas)):
        if subject.judge(name, state) != _holds(stepper, name, state):
            raise _otherwise(subject, state, name)
        yield name


def _otherwise(subject: Subject, state: State, what: str) -> Refused:
    return Refused(f"the relational system says otherwise than the author's methods: {what} in {subject.show(state)}.")


def _successors(stepper: RelationalStepper, state: State, instance: int) -> list[State | None] | None:
    """The successors of a state; None where the text goes wrong."""
    stepper.enter(state)
    try:
        return stepper.successors(instance)
    except (ModelError, Unconstrained):
        return None


def _holds(
    stepper: RelationalStepper, name: str, state: State, instance: int = 0, after: State | None = None
) -> bool | None:
    try:
        return stepper.holds(name, state) if after is None else stepper.step_holds(name, state, instance, after)
    except (ModelError, Unconstrained):
        return None
