"""./dev fuzz mutants: small models mutated, each refused by the reader, or the same to CPython and the native engine.

A mutant on which they disagree is written with a report to a folder, and the exit code is 70. The run has bite if a
fifth of its mutants were accepted and have another digest or another verdict than the model they were made of; below
that it fails with exit code 1.
"""

import argparse
import ast
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tools.mutants.bases import Base, bases
from tools.mutants.hooks import add_hook
from tools.mutants.isolate import Died, Slow, isolate
from tools.mutants.mutations import MUTATIONS
from tools.mutants.trial import Trial, decide

SECONDS = 8.0  # for one mutant; larger ones are counted apart
OPTIMIZED = 12  # one mutant in so many is compiled as users compile
LEAST_BITE = 0.2
MUTANTS_OF_A_BASE = 16


@dataclass
class Tally:
    """The ends of mutants, counted."""

    ended: Counter[str] = field(default_factory=Counter)
    changed: int = 0  # accepted, and with another digest or verdict
    hooks: Counter[str] = field(default_factory=Counter)
    reports: list[Path] = field(default_factory=list)

    @property
    def mutants(self) -> int:
        return sum(self.ended.values())

    @property
    def bite(self) -> float:
        return self.changed / max(1, self.mutants)

    def __str__(self) -> str:
        shares = ", ".join(f"{n:,} {what}" for what, n in sorted(self.ended.items()))
        hooks = ", ".join(f"{n:,} {what}" for what, n in sorted(self.hooks.items()))
        return (
            f"{self.mutants:,} mutants: {shares}; accepted and with another digest or verdict: {self.changed:,} "
            f"({100 * self.bite:.0f} %); of those with a hook: {hooks or 'none'}"
        )


@dataclass(frozen=True)
class Mutant:
    """A text made of a base, and whether a hook is in it."""

    base: Base
    source: str
    hook: bool


class Fuzzer:
    """One run; the same seed makes the same mutants."""

    def __init__(self, seed: int, folder: Path, hooks: bool = True, process: bool = False) -> None:
        self.rng, self.folder, self.hooks, self.process = Random(seed), folder, hooks, process
        self.tally = Tally()
        self.scratch = tempfile.TemporaryDirectory(prefix="isrcheck-fuzz-")

    def mutants(self) -> Iterator[tuple[Mutant, Trial]]:
        """Mutants without end, each with what became of the text that it was made of."""
        for base in bases(self.rng):
            original = self.trial(Mutant(base, base.source, False), False)
            if original.ended != "agreed" or original.digest is None:
                if original.ended not in ("refused", "agreed", "too large"):
                    self.write(Mutant(base, base.source, False), original)
                continue
            for _ in range(MUTANTS_OF_A_BASE):
                mutant = self.mutate(base)
                if mutant is not None:
                    yield mutant, original

    def mutate(self, base: Base) -> Mutant | None:
        """Two or three mutations; one time in ten a hook, and fewer of them."""
        rng = self.rng
        tree = ast.parse(base.source)
        hook = self.hooks and rng.random() < 0.1
        wanted = rng.choice([0, 1, 1, 2] if hook else [2, 2, 3])
        before, done = ast.unparse(tree), 0
        for _ in range(20):
            done += done < wanted and rng.choice(MUTATIONS)(tree, rng)
        source = ast.unparse(ast.fix_missing_locations(tree))
        if source == before and wanted:
            return None
        changed = add_hook(source, rng, self.process) if hook else source
        return None if changed is None else Mutant(base, changed, hook)

    def trial(self, mutant: Mutant, optimize: bool) -> Trial:
        folder = Path(self.scratch.name)
        try:
            return isolate(lambda: decide(mutant.source, mutant.base.constants, folder, optimize), SECONDS)
        except Slow:
            return Trial("too large")
        except Died as end:
            if not str(end):
                return Trial("refused", report="the text ended the process")
            return Trial("too large" if "MemoryError" in str(end) else "disagreed", report=str(end))

    def judge(self, mutant: Mutant, original: Trial) -> Trial:
        trial = self.trial(mutant, self.tally.mutants % OPTIMIZED == 0)
        self.tally.ended[trial.ended] += 1
        if mutant.hook:
            self.tally.hooks[trial.ended] += 1
        self.tally.changed += is_changed(trial, original)
        if trial.ended == "disagreed":
            self.write(mutant, trial)
        return trial

    def write(self, mutant: Mutant, trial: Trial) -> None:
        """The mutant's file, and beside it what was said of it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        number = len(self.tally.reports) + 1
        file = self.folder / f"disagreement_{number}.py"
        file.write_text(mutant.source, encoding="utf-8")
        given = ", ".join(f"{n}={v}" for n, v in mutant.base.constants.items()) or "the defaults"
        head = f"made of {mutant.base.name}, with {given}{', with a hook' if mutant.hook else ''}"
        file.with_suffix(".txt").write_text(f"{head}\n\n{trial.report}\n", encoding="utf-8")
        self.tally.reports.append(file)

    def run(self, seconds: float, most: int | None, stop_at: int) -> Tally:
        """Mutants until the time or their number is up, or so many disagreements were found."""
        started = said = time.monotonic()
        for mutant, original in self.mutants():
            now = time.monotonic()
            if now - started > seconds or (most is not None and self.tally.mutants >= most):
                break
            if len(self.tally.reports) >= stop_at:
                break
            if now - said > 15:
                said = now
                print(f"{now - started:.0f} s: {self.tally}", flush=True)
            self.judge(mutant, original)
        self.scratch.cleanup()
        return self.tally


def is_changed(trial: Trial, original: Trial) -> bool:
    """Whether an accepted mutant's digest or one of its verdicts is known to be another than the original's."""
    if trial.ended != "agreed" or trial.verdicts is None:
        return False
    if trial.digest is not None and trial.digest != original.digest:
        return True
    before = original.verdicts or {}
    return any(before.get(name, verdict) is not verdict for name, verdict in trial.verdicts.items())


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./dev fuzz mutants", description="Mutants of small models, to CPython and to the native engine."
    )
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--mutants", type=int, default=None, help="at most so many")
    parser.add_argument("--stop-at", type=int, default=20, help="end after so many disagreements")
    parser.add_argument("--no-hooks", action="store_true", help="ordinary mutations alone")
    parser.add_argument("--process", action="store_true", help="hooks that change Python or isrcheck itself")
    parser.add_argument("--out", type=Path, default=Path("fuzz-disagreements"), help="the folder for disagreements")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="isrcheck-fuzz-cache-") as cache:
        os.environ["ISRCHECK_CACHE_DIR"] = cache
        tally = Fuzzer(options.seed, options.out, not options.no_hooks, options.process).run(
            options.minutes * 60, options.mutants, options.stop_at
        )
    print(tally)
    for file in tally.reports:
        print(f"disagreement: {file} and {file.with_suffix('.txt')}")
    if tally.reports:
        return 70
    if tally.bite < LEAST_BITE:
        print(f"too little bite: {100 * tally.bite:.0f} % of the mutants, and {100 * LEAST_BITE:.0f} % are asked for.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
