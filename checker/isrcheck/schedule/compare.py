"""Two variants compared: one's counterexample under the other, or the shortest schedule that distinguishes them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from isrcheck.catalogue import find_model, listed_name
from isrcheck.engines.contract import Limits, Progress
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Stepper
from isrcheck.engines.reference import ReferenceStepper
from isrcheck.errors import Disagreement, UsageError, counted, nearest
from isrcheck.evidence import document as doc
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.lang.read import read_model
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constants import word
from isrcheck.run.replay import trace_path
from isrcheck.run.trace import Trace
from isrcheck.schedule.distinguish import (
    STATE,
    Distinction,
    DistinguishingSearch,
    SearchedVariant,
    check_observable,
    observable,
    place_of,
)
from isrcheck.schedule.pair import Pair, PairSide, pair_document, side_of
from isrcheck.schedule.steps import Label, ScheduleVocabulary, Step, bind_known, label_of, shared_labels
from isrcheck.schedule.variant import VariantRun, run_variant
from isrcheck.schedule.walk import UNLIMITED, Walk, Way, alongside

STEPPERS: dict[str, Callable[[BoundModel], Stepper[Any]]] = {
    "evaluator": lambda model: ScalarStepper(lower(model)),
    "reference": ReferenceStepper,
}


@dataclass(frozen=True)
class ScheduledVariant:
    name: str
    words: ScheduleVocabulary

    @property
    def bound(self) -> BoundModel:
        return self.words.model

    def run(self, steps: tuple[Step, ...], limits: Limits, more: str = "") -> VariantRun:
        """Its runs under a schedule; of reachability properties only `more` is asked."""
        names = [p.name for p in self.bound.properties if p.kind.is_violation or p.name == more]
        return run_variant(self.name, self.words, steps, names, limits)


Variants = tuple[ScheduledVariant, ScheduledVariant]


def variants_of(models: Sequence[str], constants: dict[str, str]) -> Variants:
    """Both models with the constants that each has. Raises UsageError for one of neither."""
    names = list(map(listed_name, models))
    irs = [read_model(find_model(name)) for name in names]
    known = irs[0].constant_names | irs[1].constant_names
    for name in constants:
        if name not in known:
            raise UsageError(f"neither model has a constant {name}.{nearest(name, known)}")
    bound = [ScheduleVocabulary(bind_known(ir, constants)) for ir in irs]
    return ScheduledVariant(names[0], bound[0]), ScheduledVariant(names[1], bound[1])


def compare_trace(trace: Trace, first: ScheduledVariant, second: ScheduledVariant, limits: Limits) -> Pair:
    """Both under the trace's steps; `first` goes its own way. Raises UsageError for a trace that is not its own."""
    if trace.model != first.name:
        raise UsageError(f"the trace is of {trace.model}, not of {first.name}: name that model first.")
    path = trace_path(first.bound, trace, "the trace")
    outer = [i for i in path if i not in first.words.internal]
    way = Way(path, tuple(accumulate(int(i not in first.words.internal) for i in path)))
    labels = [label_of(first.words, i, second.words) for i in outer]
    exact = tuple(Step(str(label), label.action, frozenset({i})) for i, label in zip(outer, labels, strict=True))
    one = first.run(exact, limits)
    two = second.run(tuple(map(second.words.labelled, labels)), limits)
    found = next((p for p in one.properties if p.name == trace.name and p.way is not None), None)
    if found is None and isinstance(trace.kind, PropertyKind) and trace.kind.is_provable and not one.cut:
        raise UsageError(f"the trace does not violate {trace.name} of {first.name}: make it again with --trace-dir.")
    shows = None if found is None else replace(found, trace=trace, way=way)
    return Pair(side_of(one, way, shows), _beside(first, way, second, two, limits), tuple(map(str, labels)))


@dataclass(frozen=True)
class DistinguishingOptions:
    name: str
    limits: Limits = UNLIMITED
    refusal_counts: bool = False  # a variant that cannot follow a schedule shows nothing; else both must follow
    stepper: str = "evaluator"


@dataclass(frozen=True)
class Distinguished:
    """What the search found; `pair` and `script` are None where nothing was."""

    distinction: Distinction
    labels: tuple[Label, ...] = ()
    pair: Pair | None = None
    script: str | None = None
    # only one of them can follow
    one_refuses: bool = False


def distinguish(
    first: ScheduledVariant,
    second: ScheduledVariant,
    options: DistinguishingOptions,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Distinguished:
    """The shortest schedule that shows it in one variant; if need be, one that only it follows. Raises UsageError."""
    variants = (first, second)
    name = options.name
    check_observable(name, {v.name: v.bound for v in variants})
    labels, found = _searched(variants, options, progress)
    one_refuses = found.labels is None and found.cut is None and not (options.refusal_counts or name.startswith(STATE))
    if one_refuses:
        labels, refused = _searched(variants, replace(options, refusal_counts=True), progress)
        if refused.labels is None:
            return Distinguished(replace(found, cut=refused.cut))
        found = refused
    if found.labels is None:
        return Distinguished(found)
    chosen = tuple(labels[i] for i in found.labels)
    pair = _confirmed(name, variants, chosen, found)
    return Distinguished(found, chosen, pair, script_of(name, variants, chosen, pair), one_refuses)


def _searched(
    variants: Variants, options: DistinguishingOptions, progress: Callable[[Progress], None]
) -> tuple[tuple[Label, ...], Distinction]:
    labels, numbered = shared_labels(variants[0].words, variants[1].words, one_sided=options.refusal_counts)
    sides = []
    for variant, by_instance in zip(variants, numbered, strict=True):
        steps = STEPPERS[options.stepper](variant.bound)
        sides.append(SearchedVariant(steps, by_instance, observable(options.name, variant.bound, steps)))
    search = DistinguishingSearch(sides[0], sides[1], options.limits, options.refusal_counts, progress)
    return labels, search.run()


def _confirmed(name: str, variants: Variants, labels: tuple[Label, ...], found: Distinction) -> Pair:
    runs = [v.run(tuple(map(v.words.labelled, labels)), UNLIMITED, name) for v in variants]
    if name.startswith(STATE):
        lead, way, shows = _lead_to_value(name, variants, runs, found)
    else:
        lead, way, shows = _lead_to_violation(name, runs, found)
    sides = [
        side_of(runs[lead], way, shows),
        _beside(variants[lead], way, variants[1 - lead], runs[1 - lead], UNLIMITED),
    ]
    return Pair(sides[lead], sides[1 - lead], tuple(map(str, labels)))


def _lead_to_violation(name: str, runs: list[VariantRun], found: Distinction) -> tuple[int, Way, Any]:
    decided = [next(p for p in run.properties if p.name == name) for run in runs]
    for run, seen, there in zip(runs, decided, (found.left, found.right), strict=True):
        if (seen.way is not None) != bool(there):
            can = "can" if there else "cannot"
            raise Disagreement(
                f"the search says that a run of {run.model} under this schedule {can} decide {name}; the reference "
                f"says the opposite. This is a fault of isrcheck; no verdict is given."
            )
    lead = 0 if decided[0].way is not None else 1
    way = decided[lead].way
    assert way is not None
    return lead, way, decided[lead]


def _lead_to_value(name: str, variants: Variants, runs: list[VariantRun], found: Distinction) -> tuple[int, Way, None]:
    lead = 0 if found.left - found.right else 1
    only = min(found.left - found.right or found.right - found.left, key=repr)
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
    return lead, ways[0], None


def script_of(name: str, variants: Variants, labels: Iterable[Label], pair: Pair) -> str:
    """The schedule as a script, with what was found of each variant and the constants that they share."""
    one, two = (variant.bound.constants for variant in variants)
    constants = {n: v for n, v in {**two, **one}.items() if one.get(n, v) == two.get(n, v)}
    lines = [f"# The shortest schedule that distinguishes {variants[0].name} and {variants[1].name} on {name}.", ""]
    lines.append("constants: " + " ".join(f"{n}={word(v)}" for n, v in constants.items()))
    for side in (pair.left, pair.right):
        found = next((p for p in side.run.properties if p.name == name), None)
        if found is not None:
            lines.append(f"expect: {side.model} {found.verdict}" + ("" if found.verdict == "cannot" else f" {name}"))
    return "\n".join([*lines, "", *map(str, labels)]) + "\n"


def _beside(lead: ScheduledVariant, way: Way, other: ScheduledVariant, run: VariantRun, limits: Limits) -> PairSide:
    return side_of(run, alongside(lead.words, way, other.words, run.steps, run.ways[0], limits))


def distinguished_document(found: Distinguished, name: str, models: str, is_drawn: bool) -> Iterator[doc.Block]:
    search = found.distinction
    looked = f"{counted(search.nodes, 'pair')} of sets, {counted(search.states, 'state')}, {search.seconds:.1f} s"
    if found.pair is None or found.script is None:
        if search.cut:
            yield doc.Paragraph(
                f"undetermined: the search for a schedule that distinguishes {models} on {name} ended {search.cut}.",
                f"No schedule of up to {counted(search.depth, 'step')} does; {looked}.",
                tone=doc.Tone.UNSURE,
            )
        else:
            yield doc.Paragraph(f"No schedule distinguishes {models} on {name} within these bounds; {looked}.")
        return
    both = "no schedule that both can follow, but " if found.one_refuses else ""
    steps = f"a schedule of {counted(len(found.labels), 'step')}" if found.labels else "the initial state alone"
    yield doc.Paragraph(f"{models} are distinguished on {name} by {both}{steps}; {looked}.", tone=doc.Tone.STRONG)
    yield doc.Verbatim(found.script)
    yield from pair_document(found.pair, is_drawn)
