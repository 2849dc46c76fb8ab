"""Options that several commands have."""

import os
from collections.abc import Callable, Sequence
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from rich.console import Console

from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.writers.terminal import ENDLESS
from isrcheck.grid.toml_table import parse_size


class _Seconds(click.types.FloatParamType):
    """A time of 0 seconds or more; nan and inf are no limits."""

    name = "number of seconds"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "SECONDS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not (isfinite(number) and number >= 0):
            self.fail(f"{value} is not a valid number of seconds: give 0 or more.", param, ctx)
        return number


class _Count(click.types.IntParamType):
    """A whole number of 1 or more."""

    name = "whole number"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = super().convert(value, param, ctx)
        if number < 1:
            self.fail(f"{value} is not 1 or more.", param, ctx)
        return number


class _Size(click.ParamType[int | None]):
    """A size of memory, such as 8G, in bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        return value if isinstance(value, int) else parse_size(value)


SECONDS_TYPE, SIZE_TYPE = _Seconds(), _Size()
FILE = click.Path(path_type=Path)
COUNT = _Count()


def console(stderr: bool = False) -> Console:
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=plain_width())


def plain_width() -> int:
    """Columns where the output is not a terminal: those that COLUMNS says, or lines are not broken."""
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) else ENDLESS


def parse_constants(given: tuple[str, ...]) -> dict[str, str]:
    """Parse words of -c, NAME=VALUE. Raises UsageError, also for a name that comes twice."""
    for argument in given:
        if not all(argument.partition("=")):
            raise UsageError(f"-c {argument} is not a valid constant: write -c NAME=VALUE, such as -c replicas=3.")
    return _parse_pairs(given, "constant")


def _parse_pairs(given: Sequence[str], what: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for name, _, value in (argument.partition("=") for argument in given):
        if name in pairs:
            raise UsageError(f"the {what} {name} is given twice: {pairs[name]} and {value}.")
        pairs[name] = value
    return pairs


def names_asked(given: tuple[str, ...]) -> list[str] | None:
    """The names of --property; None for all, and none where `none` is asked. Raises UsageError for a list."""
    for listed in (name for name in given if "," in name):
        each = " ".join(f"--property {name.strip()}" for name in listed.split(",") if name.strip())
        raise UsageError(f"--property {listed} is not the name of one property: give the option once for each: {each}.")
    return [name for name in given if name != "none"] if given else None


def parse_conf(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Parse words of --spark-conf, KEY=VALUE. Raises UsageError, also for a key that comes twice."""
    for argument in given:
        if "=" not in argument or not argument.startswith("spark."):
            example = "such as spark.executor.memory=8g"
            raise UsageError(f"--spark-conf {argument} is not an option: write KEY=VALUE, {example}.")
    return tuple(_parse_pairs(given, "option").items())


_LIMITS: dict[str, tuple[click.ParamType[Any], str]] = {
    "states": (COUNT, "Cut {of} off after this many distinct states."),
    "depth": (COUNT, "Cut {of} off at this depth."),
    "seconds": (SECONDS_TYPE, "Cut {of} off after so many seconds in all."),
    "memory": (SIZE_TYPE, "Cut {of} off at this resident size, such as 8G."),
}
F = TypeVar("F", bound=Callable[..., Any])


def limit_options(*names: str, of: str = "the run", **defaults: Any) -> Callable[[F], F]:
    """Return a decorator that adds options --max-NAME to a command, which takes them as one argument `limits`."""

    def add(command: F) -> F:
        for name in reversed(names):
            kind, help_text = _LIMITS[name]
            default, shown = defaults.get(name), help_text.format(of=of)
            option = click.option(f"--max-{name}", type=kind, default=default, show_default=True, help=shown)
            command = option(command)

        @wraps(command)
        def call_with_limits(**given: Any) -> Any:
            limits = Limits(**{name: given.pop(f"max_{name}") for name in names})
            return command(limits=limits, **given)

        return cast(F, call_with_limits)

    return add
