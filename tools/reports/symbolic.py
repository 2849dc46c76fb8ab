"""Findings of the symbolic engine, into reports/symbolic: python -m tools.reports.symbolic [evicted] [bounded].

`evicted`: for which lag times, periods and paces followers that keep up are put out of the ISR, by version.
`bounded`: the known counterexamples of the published designs by bounded search, beside explicit search.
"""

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isrcheck import check
from isrcheck.engines.contract import Limits
from isrcheck.files import write_aside
from isrcheck.run.outcome import Outcome

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reports" / "symbolic"

# Followers that keep up

PROMISE = "keep_up_stays"
LONGEST = 6  # ticks, of T and of the period
DEPTH = 32  # the longest violation that was found takes 30 steps
VARIANTS = (
    "isr-max-messages",
    "isr-kip-16-text",
    "isr-kip-16-merged",
    "isr-kafka-4485-v1",
    "isr-kafka-4485-v2",
    "isr-kafka-4485-merged",
    "isr-kafka-7152",
    "isr-strict-min-isr",
    "isr-kip-501",
)
MODES = {  # how followers fetch and producers write: what is open besides T and the period, and the words for it
    ("every-tick", "one", "free"): "each follower fetches once between two ticks",
    ("every-tick", "one", "in-read-window"): "the same; records come while a fetch is being answered",
    ("every-tick", "two", "free"): "the same; reading for a fetch takes time",
    ("always-fetching", "two", "free"): "each follower always has a fetch under way; reading takes time",
}
OPEN = {
    "lag_time_max": f"1..{LONGEST}",
    "expiration_period": f"1..{LONGEST}",
    "pace": "every-tick,always-fetching",
    "fetch_steps": "one,two",
    "appends": "free,in-read-window",
}
FIXED = {"replicas": 2, "max_records": 9}

EVICTED = f"""# For which T, period and pace followers that keep up are evicted

A follower that fetches in time and receives everything should stay in the ISR (`{PROMISE}`, KAFKA-4485 problem 2). For
each version of the leader's test this page has every choice of `replica.lag.time.max.ms` (T, in ticks) and of the
period of the isr-expiration task up to {LONGEST} ticks at which it is put out: all choices at once, by `--engine
symbolic --all-choices`, with {FIXED["replicas"]} replicas and at most {FIXED["max_records"]} records. The period is
never longer than T: that is an assumption of the models.

How to read it: `T=2: 1 2` means that with T = 2 it is put out with a period of 1 and with one of 2. **What is not
listed was not found in {DEPTH - 1} steps; that is no proof** that it never happens. Every violation listed was replayed
on the reference with its own constants; `evicted.csv`, which `./dev reports` writes, has the number of steps of each.
True of the models; not reproduced on a broker. `./dev reports` makes this page again.
"""


def evictions(variant: str) -> Outcome:
    """All choices at which a version puts out a follower that keeps up."""
    return check(
        variant,
        engine="symbolic",
        limits=Limits(depth=DEPTH),
        properties=[PROMISE],
        constants={**FIXED, **OPEN},
        all_choices=True,
    )


def write_evicted() -> None:
    """Makes evicted.md and evicted.csv."""
    page, table = EVICTED, io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["model", "lag_time_max", "expiration_period", "pace", "fetch_steps", "appends", "steps"])
    for mode, words in MODES.items():
        page += f"\n## {words[0].upper()}{words[1:]}\n\n`pace={mode[0]} fetch_steps={mode[1]} appends={mode[2]}`\n\n"
        page += "| version | evicted at | fewest steps |\n|---|---|---:|\n"
        for variant in VARIANTS:
            steps_at = dict(_violations(variant, mode))
            for (lag, period), steps in sorted(steps_at.items()):
                writer.writerow([variant, lag, period, *mode, steps])
            page += f"| `{variant}` | {_list_times(steps_at)} | {min(steps_at.values(), default='')} |\n"
    write_aside(FOLDER / "evicted.md", page)
    write_aside(FOLDER / "evicted.csv", table.getvalue())


_OUTCOMES: dict[str, Outcome] = {}


def _violations(variant: str, mode: tuple[str, str, str]) -> Iterator[tuple[tuple[int, int], int]]:
    """(T, period) and the steps of the shortest violation, in one mode."""
    if variant not in _OUTCOMES:
        _OUTCOMES[variant] = evictions(variant)
        sys.stdout.write(f"{variant}: {_OUTCOMES[variant].seconds:.1f} s, ended {_OUTCOMES[variant].cut}\n")
    choices = _OUTCOMES[variant].choices
    assert choices is not None
    for choice in choices.properties[0].choices:
        values: dict[str, Any] = choice.constants
        if (values["pace"], values["fetch_steps"], values["appends"]) == mode:
            yield (values["lag_time_max"], values["expiration_period"]), choice.length - 1


def _list_times(steps_at: dict[tuple[int, int], int]) -> str:
    if len(steps_at) == LONGEST * (LONGEST + 1) // 2:
        return f"**every** T and period up to {LONGEST}"
    by_lag: dict[int, list[int]] = {}
    for lag, period in sorted(steps_at):
        by_lag.setdefault(lag, []).append(period)
    return "; ".join(f"T={lag}: {' '.join(map(str, periods))}" for lag, periods in by_lag.items()) or "none found"


# Known counterexamples

BOUNDED = """# Known counterexamples by bounded search

The published designs at their smallest violating sizes
([smallest-violations.csv](../../specs/smallest-violations.csv)): the same shortest violation by the symbolic engine,
which looks at one more step after the other, and by explicit search on the native engine, which stops at the level of
the violation. Both replay it on the reference. Seconds are of the search alone, one run each, on a machine with two
cores that other work shared.

| design | replicas | log size | records | epochs | promise | steps | symbolic, s | explicit, s | states seen |
|---|---:|---:|---:|---:|---|---:|---:|---:|---:|
"""
DESIGNS = ("truncate-to-high-watermark", "kip-101", "kip-279")
SIZES = ("replicas", "log_size", "max_records", "max_leader_epoch")


@dataclass(frozen=True)
class Known:
    """A violation whose length is known."""

    model: str
    sizes: tuple[str, ...]
    promise: str
    steps: int

    def outcome_of(self, engine: str, **options: Any) -> Outcome:
        """The outcome of one engine. Raises AssertionError unless it is this violation."""
        constants = {**dict(zip(SIZES, self.sizes, strict=True)), "isr_may_empty": "false"}
        outcome = check(self.model, engine=engine, properties=[self.promise], constants=constants, **options)
        trace = outcome.property(self.promise).trace
        assert trace is not None, self
        assert trace.length == self.steps + 1, self
        return outcome


def read_violations() -> Iterator[Known]:
    """The violations of the published designs, from specs."""
    with (ROOT / "specs" / "smallest-violations.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["model"] in DESIGNS and row["verdict"] == "violated":
                yield Known(row["model"], tuple(row[n] for n in SIZES), row["property"], int(row["steps"]))


def write_bounded() -> None:
    """Makes bounded.md."""
    page = BOUNDED
    for each in read_violations():
        symbolic = each.outcome_of("symbolic", limits=Limits(depth=each.steps + 1))
        explicit = each.outcome_of("native", stop_at_first=True)
        seconds = f"{symbolic.seconds:,.1f} | {explicit.seconds:,.2f} | {explicit.distinct:,}"
        page += f"| `{each.model}` | {' | '.join(each.sizes)} | `{each.promise}` | {each.steps} | {seconds} |\n"
        sys.stdout.write(f"{each}: {seconds}\n")
        sys.stdout.flush()
    write_aside(FOLDER / "bounded.md", page)


def main(asked: Sequence[str]) -> None:
    """Makes the pages asked for, or all."""
    for name, make in {"evicted": write_evicted, "bounded": write_bounded}.items():
        if not asked or name in asked:
            make()


if __name__ == "__main__":
    main(sys.argv[1:])
