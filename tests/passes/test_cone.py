"""The cone of influence of a model's text keeps what decides, drops what does not, and never forbids a behaviour."""

from typing import Annotated, Any

import pytest

from isrcheck import Model, UpTo, action, constant, each, invariant, require
from isrcheck.catalogue import find_model
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import reachable_states
from isrcheck.errors import UsageError
from isrcheck.ir.codec import codec
from isrcheck.ir.interval import is_endless
from isrcheck.lang.read import read_model
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.cone import Cut
from isrcheck.passes.symbolic import bind_symbolic, lower_symbolic

HISTORIES = {"append_age", "read_to_end_age", "isr_has_shrunk"}


def kept(model: str, properties: tuple[str, ...], guards: bool, **constants: Any) -> set[str]:
    return set(bind_symbolic(read_model(find_model(model)), constants, Cut(properties, guards)).domains)


@pytest.mark.parametrize("guards", [False, True])
@pytest.mark.parametrize("model", ["isr-kafka-4485-v2", "isr-kafka-4485-merged", "isr-kafka-7152"])
def test_guarantees_of_the_high_watermark_need_no_history(model: str, guards: bool) -> None:
    found = kept(model, ("hw_never_decreases", "isr_at_least_hw"), guards)
    assert {"hw", "isr", "known", "log_end"} <= found
    assert not found & HISTORIES
    assert "lag_begin_age" not in found  # these versions keep no such clock


def test_what_guards_read_is_kept_on_request() -> None:
    one, two = (kept("isr-kafka-4485-v2", ("isr_at_least_hw",), guards, pace="every-tick") for guards in (False, True))
    assert "fetched" not in one
    assert "fetched" in two


class Reasons(Model):
    """Each of these depends on one other variable, and each in another way."""

    most: int = constant(1, "the largest number")

    value: bool = False
    branch: bool = False
    inner: bool = False
    key: Annotated[int, UpTo("most")] = 0
    local: bool = False
    chosen: bool = False
    guard: bool = False
    nested_guard: bool = False
    of_value: bool = False
    of_branch: bool = False
    of_inner: bool = False
    of_key: dict[Annotated[int, UpTo("most")], bool] = each(int, False)
    of_local: bool = False
    of_chosen: bool = False
    of_guard: bool = False
    of_nested_guard: bool = False

    @action
    def change(self, now: bool, at: Annotated[int, UpTo("most")]) -> None:
        self.value, self.branch, self.inner, self.local = now, now, now, now
        self.chosen, self.guard, self.nested_guard, self.key = now, now, now, at

    @action
    def take_the_value(self) -> None:
        self.of_value = self.value

    @action
    def take_the_branch(self) -> None:
        if self.branch:
            self.of_branch = True

    @action
    def take_the_inner_branch(self, now: bool) -> None:
        if now:
            self.of_inner = now
        elif not self.inner:
            self.of_inner = False

    @action
    def take_the_key(self) -> None:
        self.of_key[self.key] = True

    @action
    def take_the_local_name(self) -> None:
        seen = self.local
        self.of_local = seen

    @action
    def take_what_is_chosen(self) -> None:
        seen = False
        if self.chosen:
            seen = True
        self.of_chosen = seen

    @action
    def take_the_guard(self) -> None:
        require(self.guard)
        self.of_guard = True

    @action
    def take_the_guard_in_a_branch(self, now: bool) -> None:
        if not self.of_nested_guard:
            require(self.nested_guard)
        self.of_nested_guard = now

    @invariant
    def by_value(self) -> bool:
        return not self.of_value

    @invariant
    def by_branch(self) -> bool:
        return not self.of_branch

    @invariant
    def by_inner(self) -> bool:
        return not self.of_inner

    @invariant
    def by_key(self) -> bool:
        return not any(self.of_key[i] for i in range(self.most + 1))

    @invariant
    def by_local(self) -> bool:
        return not self.of_local

    @invariant
    def by_chosen(self) -> bool:
        return not self.of_chosen

    @invariant
    def by_guard(self) -> bool:
        return not self.of_guard

    @invariant
    def by_nested_guard(self) -> bool:
        return not self.of_nested_guard


@pytest.mark.parametrize("what", ["value", "branch", "inner", "key", "local", "chosen", "guard", "nested_guard"])
def test_every_way_to_depend_on_a_variable_keeps_it_and_nothing_else(what: str) -> None:
    ir = read_model(Reasons)
    guarded, free = ({*bind_symbolic(ir, {}, Cut((f"by_{what}",), guards)).domains} for guards in (True, False))
    assert guarded == {what, f"of_{what}"}
    assert free == ({f"of_{what}"} if "guard" in what else guarded)


def projected(model: BoundModel, whole: BoundModel) -> tuple[set[tuple[int, ...]], set[tuple[int, ...]]]:
    """The reachable states of a cut model, and those of the whole model through the variables kept."""
    places, first = [], 0
    for name, domain in whole.domains.items():
        here = range(first, first := first + codec(domain).width)
        places += [p for p in here if name in model.domains]
    cut = set(reachable_states(ScalarStepper(lower_symbolic(model).system)))
    states = reachable_states(ScalarStepper(lower_symbolic(whole).system))
    return cut, {tuple(state[p] for p in places) for state in states}


@pytest.mark.parametrize("guards", [False, True])
@pytest.mark.parametrize("name", ["isr_at_least_hw", "keep_up_stays", "no_bad_expand", "hw_never_decreases"])
def test_no_behaviour_is_lost(name: str, guards: bool) -> None:
    ir = read_model(find_model("isr-kafka-4485-v2"))
    given = {"max_records": 1, "lag_time_max": 1, "pace": "every-tick"}
    whole = bind_symbolic(ir, given)
    cut, seen = projected(bind_symbolic(ir, given, Cut((name,), guards)), whole)
    assert seen <= cut


def test_endless_integers() -> None:
    ir = read_model(find_model("isr-kafka-4485-v2"))
    given = {"replicas": 3, "max_records": "0..", "lag_time_max": "1.."}
    system = lower_symbolic(bind_symbolic(ir, given, Cut(("isr_at_least_hw",), False))).system
    endless = {s.name for s in system.scalars if is_endless(s.size)}
    assert {"log_end", "hw", "known[f1]", "caught_up_age[f0]", "max_records", "lag_time_max"} <= endless
    with pytest.raises(UsageError, match="append_age is a sequence whose length max_records has no upper end"):
        bind_symbolic(ir, given)
