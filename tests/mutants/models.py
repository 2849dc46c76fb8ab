"""Tiny models whose mutants can be listed by hand."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from isrcheck import Model, UpTo, action, constant, history, invariant, policy, reachable, require, step
from isrcheck.engines.contract import Limits
from isrcheck.gate.mutants.judge import JudgeOptions
from isrcheck.gate.mutants.survey import Survey, SurveyedMutant, survey
from isrcheck.ir.model import ModelIR
from isrcheck.lang.read import read_model
from isrcheck.user_cache import CacheFolder


class Tank(Model):
    """A tap that fills a tank: nine mutants, of which five are killed."""

    size: int = constant(2, "litres that it holds")

    level: Annotated[int, UpTo("size + 1")] = 0
    is_open: bool = False

    @action
    def open_tap(self) -> None:
        require(not self.is_open)
        self.is_open = True

    @action
    def close_tap(self) -> None:
        require(self.is_open)
        self.is_open = False

    @action
    def fill(self) -> None:
        require(self.is_open)
        require(self.level < self.size)
        self.level += 1

    @invariant
    def never_over(self) -> bool:
        return self.level <= self.size

    @reachable
    def gets_full(self) -> bool:
        return self.level == self.size


class Twice(Model):
    """A counter that is guarded twice, says one thing in a policy, and counts its steps in a history."""

    limit: int = constant(2, "where it stops")
    strict: bool = constant(False, "it stops one before")

    count: Annotated[int, UpTo("limit + 1")] = 0
    steps: Annotated[int, UpTo(3)] = history(0)

    @action
    def climb(self) -> None:
        require(self.count < self.limit)
        require(self.count != self.limit and self.is_allowed())
        require(not self.strict)
        self.count += 1
        self.note()

    def note(self) -> None:
        self.steps += 1

    def is_allowed(self) -> bool:
        return self.count < self.top()

    @policy
    def top(self) -> int:
        return self.limit

    @invariant
    def steps_are_counted(self) -> bool:
        return self.steps <= 3

    @step
    def climbs_by_one(self, before: Self) -> bool:
        return self.count == before.count + 1

    @invariant
    def allowed_or_at_the_top(self) -> bool:
        """Reads a helper that the action reads too; for the property it stays as it is written."""
        return self.is_allowed() or self.count == self.limit


class Shelf(Model):
    """Reads past its end without a guard, and computes with nothing without another."""

    places: int = constant(2, "places")

    items: Annotated[tuple[Annotated[int, UpTo(1)], ...], UpTo("places")] = (1, 0)
    at: Annotated[int, UpTo("places")] = 0
    seen: Annotated[int, UpTo(1)] | None = None

    @action
    def look(self) -> None:
        require(self.at < len(self.items))
        self.seen = self.items[self.at]
        self.at += 1

    @action
    def step_back(self) -> None:
        mark = self.at if self.at > 0 else None
        require(mark is not None and mark > 1)
        self.at = mark - 1  # type: ignore[operator]  # the guard says that it is a number

    @action
    def forget(self) -> None:
        seen = self.seen
        require(seen is not None and seen > 0)
        self.seen = None

    @reachable
    def sees_something(self) -> bool:
        return self.seen == 1


class Stuck(Model):
    """A clock that stops for ever unless it may begin again."""

    hour: Annotated[int, UpTo(2)] = 0

    @action
    def strikes(self) -> None:
        require(self.hour < 2)
        self.hour += 1

    @action
    def begins_again(self) -> None:
        require(self.hour == 2)
        self.hour = 0

    @invariant
    def is_an_hour(self) -> bool:
        return self.hour <= 2


def text_of(name: str) -> ModelIR:
    """A toy's text; other processes read it by this name."""
    cls: type[Model] = globals()[name]
    return read_model(cls)


def surveyed(
    name: str,
    *configurations: Mapping[str, Any],
    everything: bool = False,
    deadlock: bool = False,
    limits: Limits | None = None,
    cache: CacheFolder | None = None,
    workers: int = 1,
) -> Survey:
    """All mutants of a toy; nothing is kept unless a cache is given."""
    return survey(
        name,
        text_of(name),
        configurations or ({},),
        options=JudgeOptions(limits or Limits(), everything, deadlock),
        cache=cache,
        workers=workers,
    )


def fates(made: Survey) -> dict[str, str]:
    """Each mutant's fate, with what killed it after how many steps."""
    return {result.mutant.name: _fate(result) for result in made.results}


def _fate(result: SurveyedMutant) -> str:
    finding = result.outcome
    seen = [f"{n.name} {'never' if n.length is None else n.length - 1}" for n in finding.kills]
    return " ".join([finding.fate.value, *seen])
