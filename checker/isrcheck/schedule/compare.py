"""The shortest schedule that distinguishes two variants, confirmed on the reference."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from isrcheck.catalogue import find_model, resolve_name
from isrcheck.engines.contract import NO_LIMITS, Progress
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Stepper
from isrcheck.errors import Disagreement, UsageError, nearest, quantity
from isrcheck.evidence import document as doc
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constants import literal
from isrcheck.run.replay import retrace
from isrcheck.schedule.distinguish import Distinction, DistinguishingSearch, SearchedVariant, check_property
from isrcheck.schedule.pair import ENGINE, Pair, PairSide, PropertyRun, VariantRun, pair_document, run_variant
from isrcheck.schedule.steps import Label, ScheduleVocabulary, Step, bind_known, labels_of_both
from isrcheck.schedule.walk import alongside

StepperOf = Callable[[BoundModel], Stepper[Any]]


@dataclass(frozen=True)
class ScheduledVariant:
    name: str
    words: ScheduleVocabulary

    @property
    def bound(self) -> BoundModel:
        return self.words.model

    def run(self, steps: tuple[Step, ...], more: str) -> VariantRun:
        """Run a schedule over the variant; of reachability properties only `more` is decided."""
        names = [p.name for p in self.bound.properties if p.kind.is_violation or p.name == more]
        return run_variant(self.name, self.words, steps, names, NO_LIMITS)


Variants = tuple[ScheduledVariant, ScheduledVariant]


def variants_of(models: Sequence[str], constants: dict[str, str]) -> Variants:
    """Both models with the constants that each has. Raises UsageError for one of neither."""
    names = list(map(resolve_name, models))
    irs = [read_model(find_model(name)) for name in names]
    known = irs[0].constant_names | irs[1].constant_names
    for name in constants:
        if name not in known:
            raise UsageError(f"neither model has a constant {name}.{nearest(name, known)}")
    bound = [ScheduleVocabulary(bind_known(ir, constants)) for ir in irs]
    return ScheduledVariant(names[0], bound[0]), ScheduledVariant(names[1], bound[1])


@dataclass(frozen=True)
class DistinguishingResult:
    """The result of a search for a distinguishing schedule; without one, `pair` and `script` are None."""

    distinction: Distinction
    labels: tuple[Label, ...] = ()
    pair: Pair | None = None
    script: str | None = None
    one_refuses: bool = False  # only one of them can follow


def distinguish(
    first: ScheduledVariant,
    second: ScheduledVariant,
    name: str,
    *,
    most: int | None = None,
    stepper: StepperOf = lambda model: ScalarStepper(lower(model)),
    progress: Callable[[Progress], None] = lambda _: None,
) -> DistinguishingResult:
    """Find the shortest schedule that shows a property in one variant, or that one alone follows. Raises UsageError.

    The search meets at `most` so many pairs of sets of states; the budget around it ends it, too.
    """
    variants = (first, second)
    search = partial(_search_schedule, variants, name, stepper, most, progress)
    check_property(name, {v.name: v.bound for v in variants})
    labels, distinction = search(False)
    one_refuses = distinction.labels is None and distinction.cut is None
    if one_refuses:
        labels, refused = search(True)
        if refused.labels is None:
            return DistinguishingResult(replace(distinction, cut=refused.cut))
        distinction = refused
    if distinction.labels is None:
        return DistinguishingResult(distinction)
    chosen = tuple(labels[i] for i in distinction.labels)
    pair = _confirm(name, variants, chosen, distinction)
    return DistinguishingResult(distinction, chosen, pair, script_of(name, variants, chosen, pair), one_refuses)


def _search_schedule(
    variants: Variants,
    name: str,
    stepper: StepperOf,
    most: int | None,
    progress: Callable[[Progress], None],
    refusal_counts: bool,
) -> tuple[tuple[Label, ...], Distinction]:
    """Search; with `refusal_counts` a variant that cannot follow a schedule decides nothing, else both must follow."""
    labels, numbered = labels_of_both(variants[0].words, variants[1].words, one_sided=refusal_counts)
    sides = []
    for variant, by_instance in zip(variants, numbered, strict=True):
        kind = next(p.kind for p in variant.bound.ir.properties if p.name == name)
        sides.append(SearchedVariant(stepper(variant.bound), by_instance, name, kind))
    search = DistinguishingSearch(sides[0], sides[1], most, refusal_counts, progress)
    return labels, search.run()


def _confirm(name: str, variants: Variants, labels: tuple[Label, ...], distinction: Distinction) -> Pair:
    runs = [v.run(tuple(map(v.words.step_of_label, labels)), name) for v in variants]
    lead, shows = _lead_to_violation(name, runs, distinction)
    way, run = shows.way, runs[1 - lead]
    assert way is not None
    assert shows.trace is not None
    beside = alongside(variants[lead].words, way, variants[1 - lead].words, run.steps, run.ways[0])
    other = PairSide(run, beside, retrace(run.bound, beside.path, run.model, ENGINE), None)
    sides = [PairSide(runs[lead], way, shows.trace, shows), other]
    return Pair(sides[lead], sides[1 - lead], tuple(map(str, labels)))


def _lead_to_violation(name: str, runs: list[VariantRun], distinction: Distinction) -> tuple[int, PropertyRun]:
    decided = [next(p for p in run.properties if p.name == name) for run in runs]
    for run, property_run, there in zip(runs, decided, (distinction.left, distinction.right), strict=True):
        if (property_run.way is not None) != there:
            can = "can" if there else "cannot"
            raise Disagreement(
                f"the search says that a run of {run.model} under this schedule {can} decide {name}; the reference "
                f"says the opposite. This is a fault of isrcheck; no verdict is given."
            )
    lead = 0 if decided[0].way is not None else 1
    return lead, decided[lead]


def script_of(name: str, variants: Variants, labels: Iterable[Label], pair: Pair) -> str:
    """The schedule as a script, with what was found of each variant and the constants that they share."""
    one, two = (variant.bound.constants for variant in variants)
    constants = {n: v for n, v in {**two, **one}.items() if one.get(n, v) == two.get(n, v)}
    lines = [f"# The shortest schedule that distinguishes {variants[0].name} and {variants[1].name} on {name}.", ""]
    lines.append("constants: " + " ".join(f"{n}={literal(v)}" for n, v in constants.items()))
    for side in (pair.left, pair.right):
        verdict = next(p.verdict for p in side.run.properties if p.name == name)
        lines.append(f"expect: {side.model} {verdict}" + ("" if verdict == "cannot" else f" {name}"))
    return "\n".join([*lines, "", *map(str, labels)]) + "\n"


def document_of_distinction(result: DistinguishingResult, name: str, models: str) -> Iterator[doc.Block]:
    search = result.distinction
    looked = f"{quantity(search.nodes, 'pair')} of sets, {quantity(search.states, 'state')}, {search.seconds:.1f} s"
    if result.pair is None or result.script is None:
        if search.cut:
            yield doc.Paragraph(
                f"undetermined: the search for a schedule that distinguishes {models} on {name} ended {search.cut}.",
                f"No schedule of up to {quantity(search.depth, 'step')} does; {looked}.",
                tone=doc.Tone.UNSURE,
            )
        else:
            yield doc.Paragraph(f"No schedule distinguishes {models} on {name} within these bounds; {looked}.")
        return
    both = "no schedule that both can follow, but " if result.one_refuses else ""
    steps = f"a schedule of {quantity(len(result.labels), 'step')}" if result.labels else "the initial state alone"
    yield doc.Paragraph(f"{models} are distinguished on {name} by {both}{steps}; {looked}.", tone=doc.Tone.STRONG)
    yield doc.Verbatim(result.script)
    yield from pair_document(result.pair)
