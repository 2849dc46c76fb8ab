"""Two variants compared: one's counterexample under the other, or the shortest schedule that tells them apart."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from isrcheck.engines.contract import Limits, Progress
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Stepper
from isrcheck.engines.reference import ReferenceStepper
from isrcheck.errors import Disagreement, UsageError
from isrcheck.evidence.forms.wrap import plain
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constants import word
from isrcheck.run.trace import Trace, encode, shown
from isrcheck.schedule.alongside import alongside
from isrcheck.schedule.apart import Apart, Search
from isrcheck.schedule.apart import Side as Searched
from isrcheck.schedule.labels import Label, label_of, shared_labels
from isrcheck.schedule.observe import STATE, check_observable, observable, place_of
from isrcheck.schedule.pair import Pair, Side, side_of
from isrcheck.schedule.steps import Step, Vocabulary, compact
from isrcheck.schedule.variant import VariantRun, run_variant
from isrcheck.schedule.walk import Walk, Way

STEPPERS: dict[str, Callable[[BoundModel], Stepper[Any]]] = {
    "evaluator": lambda model: ScalarStepper(lower(model)),
    "reference": ReferenceStepper,
}


@dataclass(frozen=True)
class Variant:
    """A model by its name, with its constants chosen."""

    name: str
    words: Vocabulary

    @property
    def bound(self) -> BoundModel:
        return self.words.model


# A trace of one under the other


def compare_trace(trace: Trace, first: Variant, second: Variant, limits: Limits) -> Pair:
    """The environment's steps of a trace of `first`, run under both; `first` takes the trace's own way.

    Raises UsageError if the trace is not one of that model, or does not follow from it.
    """
    way = trace_way(trace, first)
    outer = [i for i in way.path if i not in first.words.internal]
    labels = [label_of(first.words, i, second.words) for i in outer]
    exact = tuple(Step(str(label), label.action, frozenset({i})) for i, label in zip(outer, labels, strict=True))
    one = _run(first, exact, _all(first.bound), limits)
    two = _run(second, tuple(label.step(second.words) for label in labels), _all(second.bound), limits)
    found = next((p for p in one.properties if p.name == trace.name and p.way is not None), None)
    if found is None and isinstance(trace.kind, PropertyKind) and trace.kind.is_provable and not one.cut:
        raise UsageError(
            f"the trace does not break {plain(trace.name)} of {first.name}: make it again with --trace-dir."
        )
    shows = None if found is None else replace(found, trace=trace, way=way)
    left = side_of(one, way, shows)
    return Pair(left, _beside(first, way, second, two, limits), tuple(map(str, labels)))


def trace_way(trace: Trace, variant: Variant) -> Way:
    """The way that a trace takes in its model. Raises UsageError where the reference does not go it."""
    if trace.model != variant.name:
        raise UsageError(f"the trace is of {plain(trace.model)}, not of {variant.name}: name that model first.")
    bound = variant.bound
    stepper = ReferenceStepper(bound)
    state, path, taken = stepper.initial, list[int](), list[int]()
    _check_state(trace, 0, stepper, state)
    for number, step in enumerate(trace.steps[1:], 1):
        arguments = {n: compact(shown(v)) for n, v in step.arguments.items()}
        wanted = variant.words.instance(step.action, arguments)
        found = next(((i, t) for i, t in stepper.steps(state) if i in wanted and t is not None), None)
        if found is None:
            call = plain(" ".join((step.action, *(f"{n}={v}" for n, v in arguments.items()))))
            raise UsageError(f"the trace is not one of {variant.name}: step {number}, {call}, cannot happen there.")
        path.append(found[0])
        taken.append((taken[-1] if taken else 0) + (found[0] not in variant.words.internal))
        state = found[1]
        _check_state(trace, number, stepper, state)
    return Way(tuple(path), tuple(taken))


def _check_state(trace: Trace, number: int, stepper: ReferenceStepper, state: tuple[Any, ...]) -> None:
    """Raises UsageError unless the trace has the state that the reference is in."""
    seen = {n: encode(v) for n, v in stepper.values(state).items()}
    if trace.steps[number].state != seen:
        differing = [n for n in seen if trace.steps[number].state.get(n) != seen[n]]
        what = f"{differing[0]} is not what it says" if differing else "it has a variable that the model has not"
        raise UsageError(f"the trace is not one of {trace.model}: after step {number}, {what}.")


# Told apart


@dataclass(frozen=True)
class Told:
    """What the search found; `pair` and `script` are None where nothing was.

    `one_refuses`: no schedule that both variants can follow tells them apart, but one that only one can follow does.
    """

    apart: Apart
    labels: tuple[Label, ...]
    pair: Pair | None
    script: str | None
    one_refuses: bool = False


def tell_apart(
    name: str,
    first: Variant,
    second: Variant,
    limits: Limits,
    *,
    refusal_counts: bool = False,
    stepper: str = "evaluator",
    progress: Callable[[Progress], None] = lambda _: None,
) -> Told:
    """The shortest schedule after which an observable can be seen in one variant and not in the other.

    Where no schedule that both can follow shows that of a property, one that a variant cannot follow is searched for.
    Both answers are found again on the reference. Raises UsageError for an observable that the variants do not share,
    Disagreement if the reference does not see what the search saw.
    """
    check_observable(name, {first.name: first.bound, second.name: second.bound})
    labels, apart = _searched(name, first, second, limits, refusal_counts, stepper, progress)
    one_refuses = apart.labels is None and apart.cut is None and not (refusal_counts or name.startswith(STATE))
    if one_refuses:
        labels, refused = _searched(name, first, second, limits, True, stepper, progress)
        if refused.labels is None:
            return Told(replace(apart, cut=refused.cut), (), None, None)
        apart = refused
    if apart.labels is None:
        return Told(apart, (), None, None)
    chosen = tuple(labels[i] for i in apart.labels)
    pair = _shown_apart(name, first, second, chosen, apart)
    return Told(apart, chosen, pair, script_of(name, first, second, chosen, pair), one_refuses)


def _searched(
    name: str,
    first: Variant,
    second: Variant,
    limits: Limits,
    refusal_counts: bool,
    stepper: str,
    progress: Callable[[Progress], None],
) -> tuple[tuple[Label, ...], Apart]:
    """The labels of the environment's steps, and what one search over them found."""
    labels, numbered = shared_labels(first.words, second.words, one_sided=refusal_counts)
    sides = []
    for variant, by_instance in zip((first, second), numbered, strict=True):
        steps = STEPPERS[stepper](variant.bound)
        sides.append(Searched(steps, by_instance, observable(name, variant.bound, steps)))
    return labels, Search(sides[0], sides[1], limits, refusal_counts, progress).run()


def _shown_apart(name: str, first: Variant, second: Variant, labels: tuple[Label, ...], apart: Apart) -> Pair:
    """Both ends, found again on the reference."""
    runs = [
        _run(v, tuple(label.step(v.words) for label in labels), _all(v.bound, name), Limits()) for v in (first, second)
    ]
    texts = tuple(map(str, labels))
    if name.startswith(STATE):
        return Pair(*_value_sides(name, (first, second), runs, apart), texts)
    found = [next(p for p in run.properties if p.name == name) for run in runs]
    for run, seen, there in zip(runs, found, (apart.left, apart.right), strict=True):
        if (seen.way is not None) != bool(there):
            can = "can" if there else "cannot"
            raise Disagreement(
                f"the search says that a run of {run.model} under this schedule {can} decide {name}; the reference "
                f"says the opposite. This is a fault of isrcheck; no verdict is given."
            )
    lead = 0 if found[0].way is not None else 1
    shows = found[lead]
    assert shows.way is not None
    leading = side_of(runs[lead], shows.way, shows)
    variants = (first, second)
    other = _beside(variants[lead], shows.way, variants[1 - lead], runs[1 - lead], Limits())
    return Pair(leading, other, texts) if lead == 0 else Pair(other, leading, texts)


def _value_sides(
    name: str, variants: tuple[Variant, Variant], runs: list[VariantRun], apart: Apart
) -> tuple[Side, Side]:
    """The run to a value that only one variant may have, and one of the other."""
    lead = 0 if apart.left - apart.right else 1
    only = min(apart.left - apart.right or apart.right - apart.left, key=repr)
    variant, run = variants[lead], runs[lead]
    stepper = ReferenceStepper(variant.bound)
    place = place_of(variant.bound, name.removeprefix(STATE))
    seen = Walk(stepper, run.steps, variant.words.internal, {}).run()
    ways = [w for state, w in zip(seen.ends, seen.ways, strict=True) if tuple(stepper.scalars(state)[place]) == only]
    if not ways or seen.taken < len(run.steps):
        raise Disagreement(
            f"the search says that {name} of {run.model} may have a value that the reference does not find under this "
            f"schedule. This is a fault of isrcheck; no verdict is given."
        )
    leading = side_of(run, ways[0])
    other = _beside(variant, ways[0], variants[1 - lead], runs[1 - lead], Limits())
    return (leading, other) if lead == 0 else (other, leading)


def script_of(name: str, first: Variant, second: Variant, labels: Iterable[Label], pair: Pair) -> str:
    """The schedule as a script that `isrcheck schedule` runs, with what it found of each variant.

    A constant that has another value in each is left out: it is the default of both.
    """
    one, two = first.bound.constants, second.bound.constants
    constants = {n: v for n, v in {**two, **one}.items() if one.get(n, v) == two.get(n, v)}
    lines = [f"# The shortest schedule that tells {first.name} and {second.name} apart on {name}.", ""]
    lines.append("constants: " + " ".join(f"{n}={word(v)}" for n, v in constants.items()))
    for side in (pair.left, pair.right):
        found = next((p for p in side.run.properties if p.name == name), None)
        if found is not None:
            lines.append(f"expect: {side.model} {found.verdict}" + ("" if found.verdict == "cannot" else f" {name}"))
    return "\n".join([*lines, "", *map(str, labels)]) + "\n"


def _run(variant: Variant, steps: tuple[Step, ...], names: Iterable[str], limits: Limits) -> VariantRun:
    return run_variant(variant.name, variant.words, steps, names, limits)


def _beside(lead: Variant, way: Way, other: Variant, run: VariantRun, limits: Limits) -> Side:
    return side_of(run, alongside(lead.words, way, other.words, run.steps, run.way, limits))


def _all(bound: BoundModel, more: str = "") -> list[str]:
    """The properties that are asked, claims left out but for one."""
    return [p.name for p in bound.properties if p.kind.is_violation or p.name == more]
