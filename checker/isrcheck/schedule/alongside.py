"""A run of one variant that keeps to another's run, under the same schedule, for as long as it can."""

from isrcheck.engines.contract import Limits
from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.schedule.labels import label_of
from isrcheck.schedule.steps import ScheduleVocabulary, Step
from isrcheck.schedule.walk import Walk, Way


def alongside(
    lead: ScheduleVocabulary,
    way: Way,
    words: ScheduleVocabulary,
    steps: tuple[Step, ...],
    otherwise: Way,
    limits: Limits,
) -> Way:
    """The run of `words` beside a run of `lead`: internal actions that the lead takes are taken where they can be.

    Where a step of the schedule cannot follow at once, the fewest internal actions that allow it are put before it. A
    run that gets less far than `otherwise` is given up for that one.
    """
    stepper = ReferenceStepper(words.model)
    state, path, taken = stepper.initial, list[int](), list[int]()
    for instance, number in zip(way.path, way.taken, strict=True):
        label = label_of(lead, instance, words)
        options = label.step(words).instances
        done = taken[-1] if taken else 0
        found = _first(stepper, state, steps[done].instances if number > done else options)
        if found is not None:
            path.append(found[0])
            taken.append(number)
            state = found[1]
        elif number > done:
            detour = Walk(stepper, steps[done:number], words.internal, {}, limits, state).run()
            if detour.taken == 0:
                break
            path += detour.ways[0].path
            taken += [done + more for more in detour.ways[0].taken]
            state = detour.ends[0]
    found_way = Way(tuple(path), tuple(taken))
    return found_way if found_way.whole >= otherwise.whole else otherwise


def _first(stepper: ReferenceStepper, state: State, instances: frozenset[int]) -> tuple[int, State] | None:
    """The least of these instances that can happen in a state, and where it leads."""
    return next(((i, t) for i, t in stepper.steps(state) if i in instances and t is not None), None)
