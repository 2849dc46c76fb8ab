"""One call of check or simulate."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from isrcheck.catalogue import find_model, kin_with, name_of, resolve_name
from isrcheck.engines.common.behaviours import FairnessCondition
from isrcheck.engines.common.growth import run_with_growth
from isrcheck.engines.contract import (
    FoundFault,
    NotStarted,
    Progress,
    Request,
    RunResult,
    Sampled,
    Searched,
    request_of,
)
from isrcheck.engines.gpu.remark import GpuRemark, suits_gpu
from isrcheck.engines.registry import Engine
from isrcheck.engines.registry import engine as engine_named
from isrcheck.errors import IsrcheckError, UsageError, nearest
from isrcheck.ir.frozen import replace
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.model import ModelIR
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constants import literal
from isrcheck.process.budget import OutOfBudget, budget, phase, poll_by_timer
from isrcheck.process.interrupt import forget
from isrcheck.run.behaviours import (
    before_behaviours,
    fairness_to_assume,
    with_behaviours,
    without_search,
)
from isrcheck.run.combinations import refuse_combinations
from isrcheck.run.invocation import Invocation, SimulationInvocation
from isrcheck.run.outcome import Outcome
from isrcheck.run.parts import BY_THE_USER, Vacuity
from isrcheck.run.trace import Trace
from isrcheck.run.verdicts import outcome_of

Source = type[Model] | str


class Deciding:
    def __init__(
        self,
        source: Source,
        invocation: Invocation,
        progress: Callable[[Progress], object],
        on_states: Callable[[Outcome], object] = lambda _: None,
    ) -> None:
        self.started = time.monotonic()
        self.source = source
        self.invocation = invocation
        self.progress, self.on_states = progress, on_states
        self.bound: BoundModel | None = None
        self.request = request_of(invocation.options, limits=invocation.limits, progress=progress)

    def _limits(self) -> AbstractContextManager[object]:
        limits = self.invocation.limits

        def tell(name: str, seconds: float) -> None:
            self.progress(Progress(0, 0, 0, 0, seconds, name))

        return budget(limits.seconds, limits.memory, tell)

    def _until_cut(self, run: Callable[[], Outcome]) -> Outcome:
        """Run to the end; an outcome that says so where the limits end it early."""
        try:
            return run()
        except OutOfBudget as over:
            return self._outcome(NotStarted(cut=str(over)))

    def _outcome(self, result: RunResult, traces: dict[str, Trace] | None = None) -> Outcome:
        startup = time.monotonic() - self.started - result.seconds
        if self.bound is None:  # the model was not read with its constants, and has no properties yet
            words = {name: literal(value) for name, value in self.invocation.constants.items()}
            return Outcome(self.invocation, result, words, startup_seconds=startup)
        outcome = outcome_of(self.bound, self.invocation, self.request, result, startup, traces)
        return without_search(outcome, self.request, result.cut or "") if isinstance(result, NotStarted) else outcome

    def read(self) -> ModelIR:
        """The model, with the lemmas among its properties that are asked for."""
        phase("reading the model")
        cls = find_model(self.source) if isinstance(self.source, str) else self.source
        return read_model(cls).with_lemmas(self.invocation.properties or ())

    def ask(self, bound: BoundModel) -> None:
        """Choose the properties to decide of the model with its constants. Raises UsageError."""
        names = choose_properties(bound, self.invocation.properties)
        searched = {p.name for p in bound.ir.properties}
        states = tuple(name for name in names if name in searched)
        behaviours = tuple(name for name in names if name not in searched)
        self.request = replace(self.request, properties=states, temporal=behaviours)

    def check(
        self, certificate: Path | None, vacuity: bool | float, on_verdict: Callable[[Outcome], object]
    ) -> Outcome:
        if self.request.cluster is not None and self.invocation.engine != "spark":
            came = self.invocation.engine
            raise UsageError(f"--master and --spark-conf are for --engine spark, and this is --engine {came}.")
        with self._limits():
            outcome = self._until_cut(lambda: self._check(certificate))
            on_verdict(outcome)
            if vacuity is False or self.bound is None or outcome.searched is None:
                return outcome
            vacuous = self._vacuity(outcome.searched, None if vacuity is True else vacuity)
        parts = None if vacuous.parts is None else (*vacuous.parts, *outcome.fairness_parts)
        return replace(outcome, parts=parts, guards_never_held=vacuous.guards_never_held, vacuity_cut=vacuous.cut)

    def _vacuity(self, searched: Searched, seconds: float | None) -> Vacuity:
        assert self.bound is not None
        try:
            from isrcheck.run.vacuity import find_vacuity  # here: the verdict is told before
        except KeyboardInterrupt:  # which ends the look alone, as it does within it
            forget()
            return Vacuity(cut=BY_THE_USER)
        return find_vacuity(self.bound, searched, self.request.limits, self.request.properties, seconds)

    def _check(self, certificate: Path | None) -> Outcome:
        with poll_by_timer():
            models, ranges = self._bind()
            bound = _any_of(models)
            if bound.ir.canonical is not None:
                from isrcheck.run.canonical import without_steps  # here: few models have one

                bound = without_steps(bound)
            self.ask(bound)
        refuse_combinations(bound, self.request, self.invocation.engine, certificate is not None)
        if certificate is not None:
            find_model(self.invocation.model)  # under the name by which the certificate's checker finds it
        search = engine_named(self.invocation.engine)
        with poll_by_timer():
            conditions = fairness_to_assume(bound, self.request)
        _refuse_engine(bound, (*self.request.properties, *self.request.temporal), self.invocation.engine)
        self.bound = bound
        if ranges:
            return self._choices(models, ranges)
        if bound.ir.canonical is not None:
            from isrcheck.run.canonical import check_form

            self.bound, cut = check_form(bound, self.request, search)
            if cut is not None:
                return self._outcome(cut)
        return self._search(search, conditions, certificate)

    def _bind(self) -> tuple[list[BoundModel], Mapping[str, ValueRange]]:
        """The model with its constants; with symbolic constants one for each choice that shapes the state."""
        ir, given = self.read(), self.invocation.constants
        check_domains(ir)
        is_symbolic = self.invocation.engine == "symbolic"
        if is_symbolic:
            from isrcheck.passes.symbolic import bind_each, symbolic_constants

            if ranges := symbolic_constants(ir, given):
                return bind_each(ir, given), ranges
        if self.invocation.options.all_choices:
            raise UsageError("--all-choices needs --engine symbolic and a symbolic constant, as in -c NAME=1..8.")
        return [bind(ir, given, slots=not is_symbolic)], {}

    def _search(self, search: Engine, conditions: Sequence[FairnessCondition], certificate: Path | None) -> Outcome:
        """Search the states, decide the temporal properties, and save the certificate."""
        assert self.bound is not None
        bound, visited = self.bound, list[bytes]()
        request = self.request = replace(self.request, visited=None if certificate is None else visited.append)
        if suits_gpu(request, self.invocation.engine):
            request = replace(request, progress=GpuRemark(self.progress))
        try:
            outcome = self._outcome(search(_as_searched(bound, request), request))
            if request.temporal:
                self.on_states(before_behaviours(outcome, request))
            outcome = with_behaviours(outcome, bound, request, search, conditions)
        except FoundFault as fault:
            raise _replay_fault(bound, fault, self.invocation.engine, request.symmetry) from None
        if certificate is not None and outcome.digest is not None:
            from isrcheck.run.save import save_states

            phase("writing the certificate")
            with poll_by_timer():
                save_states(outcome, bound, visited, certificate)
        return outcome

    def _choices(self, models: list[BoundModel], ranges: Mapping[str, ValueRange]) -> Outcome:
        """Search within bounds over symbolic constants, and replay each violation."""
        from isrcheck.engines.symbolic.engine import FaultAtChoice, search_choices
        from isrcheck.run.replay import replay_choices

        assert self.bound is not None
        ir = self.bound.ir
        try:
            findings = search_choices(models, dict(ranges), self.request)
        except FaultAtChoice as wrong:
            raise _replay_fault(bind(ir, wrong.constants), wrong, "symbolic") from None
        choices, traces = replay_choices(ir, self.invocation.model, self.request, dict(ranges), findings)
        return replace(self._outcome(findings.result, traces), choices=choices)

    def simulate(self) -> Outcome:
        with self._limits():
            return self._until_cut(self._walk)

    def _walk(self) -> Outcome:
        asked = self.invocation
        assert isinstance(asked, SimulationInvocation)
        sample = Sampled(seed=asked.seed, walks=0, steps=0)
        try:
            with poll_by_timer():
                bound = bind(self.read(), asked.constants)
                self.ask(bound)
            _refuse_engine(bound, () if asked.properties is None else self.request.temporal, "simulate")
            self.request = replace(self.request, temporal=())
            self.bound = bound
            walks = engine_named("native").walks
            sample = run_with_growth(
                bound, lambda: walks(lower(bound), self.request, asked.seed, asked.walks, asked.steps)
            )
        except FoundFault as fault:
            assert self.bound is not None
            raise _replay_fault(self.bound, fault, "native") from None
        except OutOfBudget as over:
            sample = replace(sample, cut=str(over))
        after = f"after {sample.walks:,} random walks of at most {asked.steps:,} steps"
        return self._outcome(replace(sample, cut=sample.cut or after))


def _replay_fault(bound: BoundModel, fault: FoundFault, engine: str, symmetry: bool = False) -> IsrcheckError:
    from isrcheck.run import replay  # here: few models go wrong

    replay_error = replay.replay_fault_of_orbit if symmetry else replay.replay_fault
    return replay_error(bound, fault, engine)


def name_of_source(source: Source) -> str:
    return resolve_name(source) if isinstance(source, str) else name_of(source)


def choose_properties(bound: BoundModel, names: Iterable[str] | None) -> tuple[str, ...]:
    """The properties to decide, in declaration order: those named, or all that apply. Raises UsageError."""
    known = [p.name for p in (*bound.ir.properties, *bound.ir.temporal)]
    if names is None:
        return tuple(p.name for p in (*bound.properties, *bound.temporal))
    wanted = set(names)
    for name in wanted:
        if name not in known:
            lemmas = (lemma.name for lemma in bound.ir.lemmas)
            kin = kin_with(bound.ir.cls, name, lambda role: isinstance(role, PropertyKind))
            remedy = f" {kin} has it." if kin else nearest(name, (*known, *lemmas))
            raise UsageError(f"{bound.ir.name} has no property {name}.{remedy}")
        if name in bound.not_asked:
            raise UsageError(f"{name} does not apply to {bound.ir.name} with these constants: {bound.not_asked[name]}")
    return tuple(name for name in known if name in wanted)


def _refuse_engine(bound: BoundModel, names: Collection[str], engine: str) -> None:
    properties = (*bound.properties, *bound.temporal)
    for name, kind in ((p.name, p.kind) for p in properties if p.name in names):
        if engine not in kind.engines:
            able = " or ".join(sorted(kind.engines)) or "none yet"
            if engine == "simulate":
                raise UsageError(f"random walks end, and do not decide {name}, a {kind.title}: use isrcheck check.")
            leave = f"use --engine {able}, or ask for other properties with --property"
            raise UsageError(f"the {engine} engine does not decide {name}, a {kind.title}: {leave}.")


def _as_searched(bound: BoundModel, request: Request) -> BoundModel:
    """The model as it is searched: with symmetry, members may come in any order. Raises UsageError."""
    if not request.symmetry:
        return bound
    from isrcheck.engines.common.symmetry import symmetric

    with poll_by_timer():
        return symmetric(bound, request.properties)


def _any_of(models: list[BoundModel]) -> BoundModel:
    """The first of the models; nothing is asked that applies to none of them."""
    everywhere = {n: why for n, why in models[0].not_asked.items() if all(n in m.not_asked for m in models)}
    return replace(models[0], not_asked=everywhere)
